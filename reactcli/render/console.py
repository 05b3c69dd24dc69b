"""Values as lines for a terminal: coloured JSON and diagnostics. Tables are in `tables.py`, which needs rich.

Colours are the sixteen that every terminal has, so that they follow its theme. All text has passed the gate before it
is coloured; nothing is parsed as markup.
"""

from __future__ import annotations

import re

from reactcli.render import Safe
from reactcli.render.sanitise import show, show_line
from reactcli.source import LINE_END

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from reactcli.diagnostics import Diagnostic
    from reactcli.source import Source

STYLES = {
    "key": "34",
    "string": "32",
    "number": "36",
    "literal": "35",
    "escape": "2;32",
    "error": "1;31",
    "warning": "1;33",
    "info": "1;36",
    "frame": "34",
    "bold": "1",
}
"""SGR parameters by the role of a text."""

LONGEST_LIST = 16
"""Diagnostics that are printed in concise form before the rest is only counted."""

BEFORE_SPAN, EXCERPT = 60, 110
"""Characters of a long line that are shown before a span, and in all."""
NARROWEST = 20
"""Cells of a source line that are shown however narrow the terminal is."""

# Each alternative begins with another character, and no repeat can give back what it took: linear.
_JSON_TOKEN = re.compile(
    r"""
    (?P<string> " [^"\\]*+ (?: \\. [^"\\]*+ )*+ " ) (?P<colon> :? )
  | (?P<number> -? \d [\d.eE+-]*+ )
  | (?P<literal> true | false | null )
    """,
    re.VERBOSE,
)
_ESCAPED = re.compile(r"\\(?:u[0-9a-f]{4}|.)")


def paint(text: Safe, role: str, *, coloured: bool) -> Safe:
    return Safe(f"\x1b[{STYLES[role]}m{text}\x1b[0m") if coloured and text else text


def paint_json(text: Safe) -> Safe:
    """JSON, as `json_text` writes it, in colours."""
    return Safe(_JSON_TOKEN.sub(_painted_token, text))


def concise(diagnostics: Iterable[Diagnostic], source: Source, *, coloured: bool = False) -> Safe:
    """A line for each: `out.txt:3:15: warning[trailing-comma] a comma stands …`, with the hint behind it."""
    return _lines(_concise_line(diagnostic, source, coloured=coloured) for diagnostic in diagnostics)


def explained(
    diagnostics: Iterable[Diagnostic], source: Source, *, coloured: bool = False, columns: int | None = None
) -> Safe:
    """Each with its source line, a caret under what is meant, and the way out.

    The source line is cut to the columns of a terminal, so that the caret stays below it.
    """
    return _lines(_explanation(diagnostic, source, columns, coloured=coloured) for diagnostic in diagnostics)


def _painted_token(match: re.Match[str]) -> str:
    role = match.lastgroup or ""
    if role != "colon":
        return paint(Safe(match[0]), role, coloured=True)
    role = "key" if match["colon"] else "string"
    back = f"\x1b[{STYLES[role]}m"
    inner = _ESCAPED.sub(lambda escape: _painted_escape(escape[0], back), match["string"])
    return f"{back}{inner}\x1b[0m{match['colon']}"


def _painted_escape(escape: str, back: str) -> str:
    """Only escapes for hidden characters stand out; back to the string's colour behind them."""
    return f"\x1b[{STYLES['escape']}m{escape}\x1b[0m{back}" if escape[1] == "u" else escape


def _lines(lines: Iterable[str]) -> Safe:
    return Safe("".join(f"{line}\n" for line in lines))


def _concise_line(diagnostic: Diagnostic, source: Source, *, coloured: bool) -> str:
    line, column = source.line_column(diagnostic.span[0])
    place = paint(Safe(f"{show_line(source.name)}:{line}:{column}:"), "bold", coloured=coloured)
    hint = f" ({show_line(diagnostic.hint)})" if diagnostic.hint else ""
    return f"{place} {_claim(diagnostic, coloured=coloured)} {show_line(diagnostic.message)}{hint}"


def _claim(diagnostic: Diagnostic, *, coloured: bool) -> Safe:
    return paint(Safe(f"{diagnostic.severity}[{diagnostic.code}]"), diagnostic.severity, coloured=coloured)


def _explanation(diagnostic: Diagnostic, source: Source, columns: int | None, *, coloured: bool) -> str:
    line, column = source.line_column(diagnostic.span[0])
    number = str(line)
    before, marked, after = _excerpt(diagnostic.span, source, column)
    if columns is not None:
        before, marked, after = _fitted(before, marked, after, max(columns - len(f"{number} | "), NARROWEST))
    bar = paint(Safe("|"), "frame", coloured=coloured)
    caret = paint(Safe("^" * max(_width(marked), 1)), diagnostic.severity, coloured=coloured)
    margin = " " * len(number)
    hint = [f"{margin} = help: {show_line(diagnostic.hint)}"] if diagnostic.hint else []
    return "\n".join(
        (
            f"{_claim(diagnostic, coloured=coloured)}: {show_line(diagnostic.message)}",
            f"{margin}--> {show_line(source.name)}:{line}:{column}",
            f"{margin} {bar}",
            f"{number} {bar} {before}{marked}{after}",
            f"{margin} {bar} {' ' * _width(before)}{caret}",
            *hint,
        )
    )


def _excerpt(span: tuple[int, int], source: Source, column: int) -> tuple[str, str, str]:
    """The line of a span in three: before it, itself, behind it; cut on both sides if it is long."""
    start, end = span
    line_start = start - column + 1
    first = max(line_start, start - BEFORE_SPAN)
    cut = LINE_END.split(source.text[first : first + EXCERPT], maxsplit=1)[0]
    before, marked, after = cut[: start - first], cut[start - first : end - first], cut[end - first :]
    is_cut = len(cut) == EXCERPT
    return ("…" if first > line_start else "") + _flat(before), _flat(marked), _flat(after) + ("…" if is_cut else "")


def _fitted(before: str, marked: str, after: str, room: int) -> tuple[str, str, str]:
    """The three cut to so many cells: what stands before goes first, then the end."""
    if _width(before) + _width(marked) + _width(after) <= room:
        return before, marked, after
    before = _cut(before[::-1], max(room // 2, room - _width(marked) - _width(after)))[::-1]
    marked = _cut(marked, room - _width(before))
    return before, marked, _cut(after, room - _width(before) - _width(marked))


def _cut(text: str, cells: int) -> str:
    if _width(text) <= cells:
        return text
    while text and _width(text) >= cells:
        text = text[:-1]
    return f"{text}…" if cells > 0 else ""


def _flat(text: str) -> Safe:
    """Through the gate, a tab as one space, so that carets stand below what they mean."""
    return Safe(show(text).replace("\t", " "))


def _width(text: str) -> int:
    """Terminal cells of a text that has passed the gate."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width  # 1 ms

    return sum(0 if category(char) in {"Mn", "Me", "Cf"} else 1 + (east_asian_width(char) in "WF") for char in text)
