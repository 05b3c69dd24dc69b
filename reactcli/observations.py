r"""How an observation stands in a scratchpad: as text that is read back as nothing but this observation.

A tool returns what it found on a web page or in a file. A line of it that looks like `Action:` or opens a code fence
would be read as the model's own when the scratchpad is read again, so such lines get a backslash before them; a token
that counts anywhere in a line gets it behind its first sign.

    escaped line  = indent backslash+ blank* (label | fence | tag | bracket) …
    escaped token = ('<' | '✿') backslash+ …                               `<\/think>`, `✿\FUNCTION✿`

Reading takes one backslash off every such place. Writing therefore adds one to those that are there already, and to the
other places only if the text would be misread without it: most texts stay as they are.
"""

from __future__ import annotations

import re

from reactcli.dialects import DIALECTS
from reactcli.patterns import pattern
from reactcli.tokens.labels import labels_of
from reactcli.tokens.tails import is_separator, is_stop_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reactcli.parser import ReActAgentParser

_LINE = pattern(r"(\A|[\r\n])([^\S\r\n]*+)(\\*+)")
"""The indent of a line, and the backslashes behind it."""
_LINE_HERE = pattern(r"[^\r\n]{1,60}+(?=[\r\n]|\Z)")
"""A line short enough to be a stop word or a rule, which count at the end of a value."""
_SPACE = pattern(r"[^\S\r\n]*+")
_OPENING = pattern(r"[ \t>]{0,40}+(?:`{3}|~{3}|[<\[{✿【|])")
"""What may open a fence, a tag, a token or a JSON value."""
_MARK = pattern(r"[ \t>]{0,40}+(?:`{3}|~{3}|<[/|｜\w]|\[\[? ?[#/A-Z]|✿)")
"""What opens one of these for sure, but for JSON."""
INSIDE = pattern(
    r"""([<\[✿])(\\*+)(?=
        /?(?:think|thinking|reasoning|s|eo[as]|end_[a-z_]{1,20})> | [|｜]
        | /?TOOL_ | \[[ ]?\#\# | (?:FUNCTION|ARGS|RESULT|RETURN)✿
        | (?:thought|action|observation|final[ _-]?answer|question)\]
    )""",
    re.IGNORECASE | re.VERBOSE,
)
"""Marks that count anywhere in a line. Group 1 is their first sign, group 2 the backslashes behind it."""
_COLOUR = pattern(r"(?:\s|\x1b\[[\d;]{0,20}m)*\Z")
"""At the end of a value it is nobody's text."""
EMPTY = pattern(r":[ \t]+\r?\n\s*\Z")
"""An empty observation at the end, as it is written: a blank and a line end behind its label. A bare label waits."""
TAIL_LIMIT = 200
"""Characters at the end of a value that are looked at for colours."""
_BEFORE = "Thought: t\nAction: a\nAction Input: i\n"
_BEHIND = "\nThought: u\nAction: b\nAction Input: j\n```\n"
"""A step whose text closes what an observation may have left open."""


def observation_line(text: str) -> str:
    """`Observation: …` without a line end, of text that is safe or has been escaped."""
    return f"Observation: {text}"


def escaped(text: str, parser: ReActAgentParser) -> str:
    """The text as it can stand behind `Observation:`; `unescaped` gives it back."""
    marked = _marked(text, None)
    return marked if _is_read_whole(marked, parser) else _marked(text, _OPENING)


def harmless(text: str) -> str:
    """The text with a backslash at every place that may count, without asking a parser; `unescaped` gives it back."""
    return _marked(text, _MARK)


def unescaped(text: str) -> str:
    """A value as it was before `escaped` or `harmless`."""
    if "\\" not in text:
        return text
    text = INSIDE.sub(lambda mark: mark[1] + mark[2][1:], text)

    def unmark_line(line: re.Match[str]) -> str:
        return line[0][:-1] if line[3] and _is_telling(text, line.end(), _OPENING) else line[0]

    return _LINE.sub(unmark_line, text)


def _marked(text: str, opening: re.Pattern[str] | None) -> str:
    """With one backslash more at the places that have some, and at those that have none if they are of this kind."""

    def mark_line(line: re.Match[str]) -> str:
        kind = _OPENING if line[3] else opening
        if kind is None or not _is_telling(text, line.end(), kind):
            return line[0]
        return f"{line[0]}\\" if line[3] else f"{line[1]}\\{line[2]}"  # before the indent, which reading may strip

    marked = _LINE.sub(mark_line, text)
    return INSIDE.sub(lambda mark: f"{mark[0]}\\" if mark[2] or opening is not None else mark[0], marked)


def _is_telling(text: str, at: int, opening: re.Pattern[str]) -> bool:
    labels = labels_of(DIALECTS.get("classic"))
    space = _SPACE.match(text, at)
    start = space.end() if space else at
    label = labels.here.match(text, start)
    if opening.match(text, start) or (label is not None and labels.word(label[2]) is not None):
        return True
    line = _LINE_HERE.match(text, start)
    told = line[0].strip() if line else ""
    return is_separator(told, last=False) or is_stop_line(told, acting=True, last=True)


def _is_read_whole(text: str, parser: ReActAgentParser) -> bool:
    """Whether a parser reads one observation in it, and the step behind it."""
    steps = parser.parse_trace(f"{_BEFORE}{observation_line(text)}{_BEHIND}").steps
    told = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    whole = {told, told[:-TAIL_LIMIT] + _COLOUR.sub("", told[-TAIL_LIMIT:])}
    return [step.action for step in steps] == ["a", "b"] and steps[0].observation in whole
