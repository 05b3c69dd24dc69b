"""Strict JSON with limits, for files: anything in a file may be hostile, and nothing in it may raise but `JsonError`.

Read: UTF-8 JSON as RFC 8259 has it. Beside it, each reported: a key given twice (the last counts), `NaN`, `Infinity`
and overflowing numbers (kept as text), integers of more digits than Python converts (kept as text). Nesting deeper than
`DEPTH_LIMIT` is an error, found before the recursive scanner runs (a small C stack makes it crash at 900). Written: one
line, readable text, never `NaN`; half surrogates as escapes.
"""

from __future__ import annotations

import json
import re
from math import isfinite

from reactcli.diagnostics import diagnose
from reactcli.loosejson.strict import DEPTH_LIMIT, DIGIT_LIMIT, is_shallow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from reactcli.diagnostics import Diagnostic

NOTE_LIMIT = 20
"""Findings in one text; more of them say nothing new."""
_NOT_SPACE = re.compile(r"[^ \t\r\n]")
_SURROGATE = re.compile("[\ud800-\udfff]")


class JsonError(ValueError):
    """Why a text is not JSON, and where."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


class Decoder:
    """Decodes one text after another; what was odd about the last one is in `notes`. One per file: it is costly."""

    __slots__ = ("_careful", "_quick", "notes")

    def __init__(self) -> None:
        self.notes: list[Diagnostic] = []
        self._quick = self._scanner(int)
        self._careful = self._scanner(self._integer)

    def decode(self, text: str) -> Any:
        """The one value of a text; JsonError if it holds none, more, or too deep a one."""
        value, end = self.decode_at(text, 0)
        if end < len(text) and _NOT_SPACE.search(text, end):
            raise JsonError("extra data", end)
        return value

    def decode_at(self, text: str, start: int) -> tuple[Any, int]:
        """The value that begins at an offset or behind white space, and the offset behind it."""
        self.notes.clear()
        if not is_shallow(text):
            raise JsonError(f"values are nested deeper than {DEPTH_LIMIT}", 0)
        try:
            return self._quick(text, start)
        except StopIteration as stop:
            begin = _NOT_SPACE.search(text, start)
            if begin is None or begin.start() == start:
                raise JsonError("expecting value", stop.value) from None
            return self.decode_at(text, begin.start())
        except json.JSONDecodeError as error:
            raise _json_error(error) from None
        except ValueError:  # an integer that Python will not convert
            return self._decoded_with_care(text, start)

    def _decoded_with_care(self, text: str, start: int) -> tuple[Any, int]:
        self.notes.clear()
        try:
            return self._careful(text, start)
        except json.JSONDecodeError as error:
            raise _json_error(error) from None

    def _scanner(self, integer: Callable[[str], Any]) -> Callable[[str, int], tuple[Any, int]]:
        decoder: Any = json.JSONDecoder(
            object_pairs_hook=self._pairs, parse_constant=self._constant, parse_float=self._real, parse_int=integer
        )
        scan: Callable[[str, int], tuple[Any, int]] = decoder.scan_once  # documented nowhere, there since Python 2.7
        return scan

    def _note(self, code: str, **facts: object) -> None:
        if len(self.notes) < NOTE_LIMIT:
            self.notes.append(diagnose(code, (0, 0), **facts))

    def _pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            seen: set[str] = set()
            for key, _ in pairs:
                if key in seen:
                    self._note("duplicate-key", key=key)
                seen.add(key)
        return found

    def _constant(self, text: str) -> str:
        self._note("not-finite", text=text)
        return text

    def _real(self, text: str) -> float | str:
        number = float(text)
        return number if isfinite(number) else self._constant(text)

    def _integer(self, text: str) -> int | str:
        if len(text) <= DIGIT_LIMIT:
            return int(text)
        self._note("number-too-long", digits=len(text.lstrip("-")), limit=DIGIT_LIMIT)
        return text


def encode(value: object) -> str:
    """One line of strict JSON, readable text as it is; what is no JSON is written as its text."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=str)
    except ValueError:  # an infinite number, or an integer that Python will not print
        text = json.dumps(_printable(value), ensure_ascii=False, allow_nan=False, default=str)
    return writable(text)


def writable(text: str) -> str:
    """The text with half surrogates, which UTF-8 cannot carry, as escapes."""
    return text if text.isascii() else _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def _json_error(error: json.JSONDecodeError) -> JsonError:
    message = error.msg.removesuffix(" starting at")
    return JsonError(message[:1].lower() + message[1:], error.pos)


def _printable(value: object) -> object:
    """The value with the numbers that JSON or Python cannot write turned into text."""
    if isinstance(value, dict):
        return {str(key): _printable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_printable(item) for item in value]
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if isinstance(value, int) and value.bit_length() > DIGIT_LIMIT * 3:
        return hex(value)
    return value
