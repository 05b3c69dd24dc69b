"""Strings as models write them: in any quotes, with raw line breaks, bad backslashes and quotes that nobody escaped.

A quote inside a string is told from the one that closes it by what stands behind: a value ends before a comma, a
closing bracket or the end, a key before a colon. Where that could be read in two ways the string is unreadable.
"""

from __future__ import annotations

from reactcli.diagnostics import diagnose
from reactcli.loosejson.strict import skip_space
from reactcli.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from reactcli.diagnostics import Diagnostic

REPORT_LIMIT = 20
"""Diagnostics of one code in one input: hostile text must not fill the screen."""

# What must stand behind a closing quote, by the place of the string.
KEY_END = pattern(r"[ \t\n\r]*[:：]")
ITEM_END = pattern(r"[ \t\n\r]*(?:[,}\]]|，[ \t\n\r]*(?=[\"“'‘{\[])|/[/*]|(?<=[ \t\n\r])#|\Z)")
TUPLE_END = pattern(r"[ \t\n\r]*(?:[,}\])]|/[/*]|(?<=[ \t\n\r])#|\Z)")
CALL_END = pattern(r"[ \t\n\r]*(?:,|\Z)")

CLOSING = {'"': '"', "'": "'", "“": "”“", "”": "”“", "„": "“”", "‘": "’‘", "’": "’‘"}
"""Opening quote to the quotes that may close it."""
PLAIN = {mark: pattern(rf"{mark}([^{closing}\\\x00-\x1f]*)[{closing}]") for mark, closing in CLOSING.items()}
CHUNK = {mark: pattern(rf"[^{closing}\\\x00-\x1f]*") for mark, closing in CLOSING.items()}

ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
UNICODE_ESCAPE = pattern(r"\\u([0-9a-fA-F]{4})")
LOW_HALF = pattern(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})")
PYTHON_ESCAPE = pattern(r"\\x([0-9a-fA-F]{2})|\\U(00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4})")


class Unreadable(Exception):  # noqa: N818  # it ends a reading and never leaves these modules
    """There is no value here. `truncated` says that the text ended inside one."""

    def __init__(self, at: int, diagnostic: Diagnostic, *, truncated: bool = False) -> None:
        super().__init__(diagnostic.message)
        self.at = at
        self.diagnostic = diagnostic
        self.truncated = truncated


class Notes:
    """The diagnostics of one reading, at most `REPORT_LIMIT` of a code; codes in `silent` are not kept."""

    def __init__(self, silent: frozenset[str] = frozenset()) -> None:
        self.kept: list[Diagnostic] = []
        self._silent = silent
        self._counts: dict[str, int] = {}

    def add(self, code: str, start: int, end: int, *, once: bool = False, **facts: object) -> None:
        count = self._counts.get(code, 0)
        if code in self._silent or count >= (1 if once else REPORT_LIMIT):
            return
        self._counts[code] = count + 1
        self.kept.append(diagnose(code, (start, end), **facts))


def invalid(at: int, why: str) -> Unreadable:
    return Unreadable(at, diagnose("invalid-json", (at, at + 1), why=why))


def cut_off(start: int, end: int) -> Unreadable:
    return Unreadable(end, diagnose("truncated-input", (start, end)), truncated=True)


def read_string(text: str, at: int, end: int, notes: Notes, behind: re.Pattern[str] | None) -> tuple[str, int]:
    """The string whose opening quote is at `at`, and the offset behind it. Without `behind` its first quote ends it."""
    quote = text[at]
    if quote == "'":
        notes.add("single-quotes", at, at + 1, once=True)
    elif quote != '"':
        notes.add("curly-quotes", at, at + 1, once=True)
    plain = PLAIN[quote].match(text, at, end)
    if plain and (behind is None or behind.match(text, plain.end(), end)):
        return plain[1], plain.end()
    return _String(text, at, end, notes, behind).read()


class _String:
    """One string with something odd in it, read piece by piece."""

    def __init__(self, text: str, at: int, end: int, notes: Notes, behind: re.Pattern[str] | None) -> None:
        self.text = text
        self.start = at
        self.end = end
        self.notes = notes
        self.behind = behind
        self.quote = text[at]
        self.triple = text[at : at + 3] in ('"""', "'''") and behind not in (None, KEY_END)
        self.parts: list[str] = []
        self.inner_quotes: list[int] = []
        self.has_control = False

    def read(self) -> tuple[str, int]:
        at = self.start + 1
        if self.triple:
            self.notes.add("python-literal", self.start, self.start + 3, text=self.quote * 3)
            at = self.start + 3
        chunk = CHUNK[self.quote]
        while True:
            stop = chunk.match(self.text, at, self.end).end()  # type: ignore[union-attr]  # it matches anywhere
            self.parts.append(self.text[at:stop])
            if stop >= self.end:
                raise self._unclosed()
            character = self.text[stop]
            if character == "\\":
                at = self._escape(stop)
            elif character < " ":
                at = self._control(stop)
            elif self._closes(stop):
                return "".join(self.parts), stop + (3 if self.triple else 1)
            else:
                self.parts.append(character)
                at = stop + 1

    def _unclosed(self) -> Unreadable:
        if self.inner_quotes:
            return invalid(self.inner_quotes[0], "a quote inside a string is not escaped, and no quote ends the string")
        return cut_off(self.start, self.end)

    def _control(self, at: int) -> int:
        if not self.has_control and not self.triple:
            self.notes.add("raw-newline", at, at + 1)
        self.has_control = True
        if self.text[at] == "\r":  # a raw line end is read as one, however it is written
            self.parts.append("\n")
            return at + (2 if self.text.startswith("\n", at + 1) else 1)
        self.parts.append(self.text[at])
        return at + 1

    def _closes(self, at: int) -> bool:
        """True if the quote at `at` ends the string; otherwise it is reported as content."""
        if self.triple:
            return self.text.startswith(self.quote * 3, at)
        if self.behind is None:
            return True
        end = self.behind.match(self.text, at + 1, self.end)
        if end:
            self._refuse_doubtful_end(at, end)
            return True
        self._refuse_doubtful_quote(at)
        if not self._is_apostrophe(at):
            self.inner_quotes.append(at)
        if self.text[at] == self.quote or self.quote in "‘’":
            self.notes.add("unescaped-quote", at, at + 1)
        return False

    def _is_apostrophe(self, at: int) -> bool:
        """A letter on either side, as in `it's`: never the end, so it does not count as one of a pair."""
        if self.text[at] not in "'’" or at + 1 >= self.end:
            return False
        return self.text[at - 1].isalnum() and self.text[at + 1].isalnum()

    def _refuse_doubtful_end(self, at: int, end: re.Match[str]) -> None:
        """With an odd number of quotes inside, one may be the true end: then only a closing bracket proves it."""
        if len(self.inner_quotes) % 2 == 0:
            return
        first = self.inner_quotes[0]
        before = self.text[max(first - 8, 0) : first].rstrip()
        doubled = self.inner_quotes[-1] == at - 1
        if doubled or end[0][-1:] not in ("", "}", "]", ")") or before.endswith((",", ":", "[", "{")):
            raise invalid(at, "a quote inside a string is not escaped, and where the string ends is open to doubt")

    def _refuse_doubtful_quote(self, at: int) -> None:
        """A key or a neighbour may begin here: never take structure for content, or content for a key."""
        next_at = skip_space(self.text, at + 1, self.end)
        following = self.text[next_at : next_at + 1]
        if self.behind is KEY_END:
            if next_at >= self.end:
                raise cut_off(self.start, self.end)
            raise invalid(next_at, "no ':' stands behind a key")
        if self.behind is CALL_END and not self._is_apostrophe(at):
            raise invalid(next_at, "this is an expression, not a literal")
        if following in (":", "+") or (next_at > at + 1 and following and following in CLOSING):
            raise invalid(at, "a comma is missing, or a quote inside a string is not escaped")

    def _escape(self, at: int) -> int:
        """Decode the escape at `at`; a backslash that escapes nothing is kept and reported."""
        if at + 1 >= self.end:
            raise self._unclosed()
        character = self.text[at + 1]
        if character in ESCAPES:
            self.parts.append(ESCAPES[character])
            return at + 2
        if character == "u":
            return self._unicode_escape(at)
        if character == "'" or character in CLOSING[self.quote]:
            if self.quote == '"':
                self.notes.add("escaped-apostrophe", at, at + 2)
            self.parts.append(character)
            return at + 2
        if character in "xU" and self.quote == "'" and (python := PYTHON_ESCAPE.match(self.text, at, self.end)):
            self.parts.append(chr(int(python[1] or python[2], 16)))
            return python.end()
        return self._bad_escape(at)

    def _unicode_escape(self, at: int) -> int:
        escape = UNICODE_ESCAPE.match(self.text, at, self.end)
        if not escape:
            return self._bad_escape(at)
        code = int(escape[1], 16)
        if not 0xD800 <= code <= 0xDFFF:
            self.parts.append(chr(code))
            return escape.end()
        low = LOW_HALF.match(self.text, escape.end(), self.end) if code < 0xDC00 else None
        if low:
            self.parts.append(chr(0x10000 + ((code - 0xD800) << 10) + int(low[1], 16) - 0xDC00))
            return low.end()
        self.notes.add("lone-surrogate", at, escape.end())
        self.parts.append(chr(code))
        return escape.end()

    def _bad_escape(self, at: int) -> int:
        self.notes.add("bad-backslash", at, at + 2, text=self.text[at : at + 2])
        self.parts.append("\\")
        return at + 1
