"""The loose reader: one JSON value as models write it, every relaxation reported at its place.

    value  = object | array | tuple | string | number | true | false | null | True | False | None | NaN | Infinity
    object = '{' [ string ':' value { ',' string ':' value } [ ',' ] ] '}'
    array  = '[' [ value { ',' value } [ ',' ] ] ']'       tuple likewise, in parentheses, with at least one comma

White space and comments may stand between any two. Nothing here recurses, and no character is looked at more than a few
times. What valid JSON says is never changed; keys and values are never made up.
"""

from __future__ import annotations

from sys import get_int_max_str_digits

from reactcli.diagnostics import diagnose
from reactcli.loosejson.strict import DEPTH_LIMIT, DIGIT_LIMIT, INFINITY, skip_space
from reactcli.loosejson.strings import CLOSING, ITEM_END, KEY_END, TUPLE_END, Notes, cut_off, invalid, read_string
from reactcli.loosejson.strings import Unreadable as Unreadable  # noqa: PLC0414  # callers catch it
from reactcli.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import Any, Final

    from reactcli.source import Span

COMMENT = pattern(r"//[^\n\r]*|#[^\n\r]*|/\*")
NUMBER = pattern(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?(?![\w.+-])")
NUMBER_START = pattern(r"-?[0-9.eE+-]*")
WORD = pattern(r"-?[^\W\d]\w*")

CLOSERS = {"{": "}", "[": "]", "(": ")"}
WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
PYTHON_WORDS = frozenset(("True", "False", "None"))
NOT_FINITE = frozenset(("NaN", "Infinity", "-Infinity"))

OPENED: Final = object()
"""A container begins where a value was asked for."""


class Frame:
    """A container that is open."""

    __slots__ = ("at", "closer", "key", "members", "value_at")

    def __init__(self, at: int, opener: str) -> None:
        self.at = at
        self.closer = CLOSERS[opener]
        self.members: Any = {} if opener == "{" else []
        self.key = ""
        self.value_at = -1
        """Where the value begins that is being read, or -1 between values."""


class Reader:
    """Reads values from a text; `at` moves behind what was read."""

    def __init__(self, text: str, at: int, end: int, notes: Notes | None = None) -> None:
        self.text = text
        self.at = at
        self.end = end
        self.notes = notes or Notes()
        self.frames: list[Frame] = []
        self.top_end: re.Pattern[str] | None = None
        """What must stand behind a string outside any container."""
        self.truncated = False
        self.items_read = 0
        self.spans: list[tuple[str, Span]] = []
        """Key and span of each value of the outermost container; the key is empty in an array."""
        self._closed_early = False
        self._last_end = at

    def read(self) -> Any:
        """The value at `at`. Raises Unreadable."""
        value = self._value()
        while self.frames:
            if value is OPENED:
                goes_on = self._first_item()
            else:
                self._attach(value)
                goes_on = self._next_item()
            if goes_on and self.frames[-1].closer == "}":
                self._key()
            value = self._value() if goes_on else self._close()
        self._refuse_doubtful_closer()
        return value

    def skip(self, *, comments: bool = True) -> str:
        """Move over white space and comments; the character found there, '' at the end."""
        if self.at < self.end and (character := self.text[self.at]) not in " \t\n\r/#":
            return character
        while True:
            self.at = skip_space(self.text, self.at, self.end)
            comment = COMMENT.match(self.text, self.at, self.end) if comments else None
            if not comment:
                return self.text[self.at] if self.at < self.end else ""
            stop = comment.end()
            if comment[0] == "/*":
                close = self.text.find("*/", stop, self.end)
                if close < 0:
                    raise cut_off(self.at, self.end)
                stop = close + 2
            self.notes.add("json-comment", self.at, stop)
            self.at = stop

    def _value(self) -> Any:
        character = self.skip(comments=bool(self.frames))
        if self.frames:
            self.frames[-1].value_at = self.at
        if character == "":
            raise cut_off(self._last_end, self.end)
        if character in CLOSERS and (character != "(" or self.frames or self.top_end):
            return self._open(character)
        if character in CLOSING:
            return self._string(self._string_end())
        if character in "0123456789" or (character == "-" and not self.text.startswith("-I", self.at, self.end)):
            return self._number()
        return self._word()

    def _open(self, opener: str) -> Any:
        if len(self.frames) >= DEPTH_LIMIT:
            raise Unreadable(self.at, diagnose("too-deep", (self.at, self.at + 1), limit=DEPTH_LIMIT))
        if opener == "(":
            self.notes.add("python-literal", self.at, self.at + 1, text="(")
        self.frames.append(Frame(self.at, opener))
        self._advance(self.at + 1)
        return OPENED

    def _string_end(self) -> re.Pattern[str] | None:
        if not self.frames:
            return self.top_end
        return TUPLE_END if self.frames[-1].closer == ")" else ITEM_END

    def _string(self, behind: re.Pattern[str] | None) -> str:
        value, stop = read_string(self.text, self.at, self.end, self.notes, behind)
        self._advance(stop)
        return value

    def _number(self) -> int | float | str:
        start = self.at
        number = NUMBER.match(self.text, start, self.end)
        if self.frames and self._is_cut(number.end() if number else self._number_end()):
            raise cut_off(start, self.end)
        if not number:
            raise invalid(start, "this is not a number as JSON writes it")
        self._advance(number.end())
        source = number[0]
        if number[1] or number[2]:
            value = float(source)
            return self._not_finite(source, start) if value in (INFINITY, -INFINITY) else value
        digits = len(source.lstrip("-"))
        limit = min(get_int_max_str_digits() or DIGIT_LIMIT, DIGIT_LIMIT)
        if digits > limit:
            raise Unreadable(start, diagnose("number-too-long", (start, self.at), digits=digits, limit=limit))
        return int(source)

    def _is_cut(self, at: int) -> bool:
        """A number that nothing stands behind, not even a line end, may have lost its last digits."""
        return at == self.end and not self.text[at : at + 1].isspace()

    def _number_end(self) -> int:
        return NUMBER_START.match(self.text, self.at, self.end).end()  # type: ignore[union-attr]  # it matches anywhere

    def _not_finite(self, source: str, start: int) -> str:
        self.notes.add("not-finite", start, self.at, text=source)
        return source

    def _word(self) -> Any:
        start = self.at
        match = WORD.match(self.text, start, self.end)
        word = match[0] if match else ""
        if word in WORDS:
            self._advance(start + len(word))
            if word in PYTHON_WORDS:
                self.notes.add("python-literal", start, self.at, text=word)
            return WORDS[word]
        if word in NOT_FINITE:
            self._advance(start + len(word))
            return self._not_finite(word, start)
        if word and self.frames and start + len(word) == self.end and _begins_a_word(word):
            raise cut_off(start, self.end)
        raise invalid(start, "a value should stand here")

    def _key(self) -> None:
        frame = self.frames[-1]
        character = self.skip()
        if character == "":
            raise cut_off(self._last_end, self.end)
        if character not in CLOSING:
            raise invalid(self.at, "a key in quotes should stand here")
        start = self.at
        frame.key = self._string(KEY_END)
        if frame.key in frame.members:
            self.notes.add("duplicate-key", start, self.at, key=frame.key)
        colon = KEY_END.match(self.text, self.at, self.end).end()  # type: ignore[union-attr]  # the string ended by it
        self._accept_wide(colon - 1, ":")
        self._advance(colon)

    def _attach(self, value: Any) -> None:
        frame = self.frames[-1]
        self.items_read += 1
        if len(self.frames) == 1:
            self.spans.append((frame.key, (frame.value_at, self._last_end)))
        frame.value_at = -1
        if frame.closer == "}":
            frame.members[frame.key] = value
        else:
            frame.members.append(value)

    def _first_item(self) -> bool:
        """True if an item follows the opening bracket; False if its container ends at once."""
        character = self.skip()
        if character == "":
            raise cut_off(self.frames[-1].at, self.end)
        return character not in "}])"

    def _next_item(self) -> bool:
        """Move over the comma behind an item; False if its container ends here."""
        character = self.skip()
        if character == "" or character in "}])":
            self._refuse_lone_parentheses()
            return False
        if character not in ",，":
            raise invalid(self.at, f"a ',' or '{self.frames[-1].closer}' should stand here")
        comma = self.at
        self._accept_wide(comma, ",")
        self._advance(comma + 1)
        character = self.skip()
        if character == "":
            raise cut_off(comma, self.end)
        if character in "}])":
            if self.frames[-1].closer != ")":
                self.notes.add("trailing-comma", comma, comma + 1)
            return False
        return True

    def _accept_wide(self, at: int, plain: str) -> None:
        if self.text[at] != plain:
            self.notes.add("full-width-sign", at, at + 1, once=True, text=self.text[at], plain=plain)

    def _refuse_lone_parentheses(self) -> None:
        """`(1)` is a sum that nobody worked out, not a tuple."""
        frame = self.frames[-1]
        if frame.closer == ")" and len(frame.members) == 1:
            raise invalid(frame.at, "parentheses around one value are neither JSON nor a tuple")

    def _close(self) -> Any:
        """Leave the innermost container. Its closer may be missing: the text ends, or an outer one is closed."""
        frame = self.frames[-1]
        closer = self.text[self.at] if self.at < self.end else ""
        if closer == frame.closer:
            self.at = self._last_end = self.at + 1
            self.frames.pop()
            return frame.members
        if closer == "":
            self.truncated = True
        elif any(outer.closer == closer for outer in self.frames):
            self._closed_early = True
        else:
            raise invalid(self.at, f"a '{frame.closer}' should stand here")
        self.notes.add("missing-closer", self._last_end, self._last_end, text=frame.closer)
        self.frames.pop()
        return frame.members

    def _refuse_doubtful_closer(self) -> None:
        """A closer that was left out, and yet more of the value behind it: the wrong container was closed."""
        if not self._closed_early:
            return
        behind = skip_space(self.text, self.at, self.end)
        if self.text[behind : behind + 1] in (",", ":", "}") and behind < self.end:
            raise invalid(behind, "the brackets do not match")

    def _advance(self, at: int) -> None:
        self.at = self._last_end = at


def _begins_a_word(word: str) -> bool:
    return any(known.startswith(word) for known in (*WORDS, *NOT_FINITE))
