r"""The lines of a file while it is read, and the JSON strings that stand in them.

`Window` is put between a file and whoever reads it, and keeps the lines that have gone by until it is told that they
are done with: so the place of a finding can be looked up in a stream, and memory stays flat. A JSON string never goes
over a line, whether the file is one document or a record a line; text is taken whole from whoever has read it.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

LINE_KEPT = 16 << 20
"""Bytes of a line that are kept: longer ones are not read as records either."""

_STRING = re.compile(r'"(?P<inner>[^"\\]*+(?:\\.[^"\\]*+)*+)"(?P<colon>\s*+:)?')
_ESCAPE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.")
_MARK = b"\xef\xbb\xbf"
_CONTINUING = bytes(range(0x80, 0xC0))


class Token:
    """A string of a line that is no key: where it stands between its quotes, and what it says."""

    __slots__ = ("_inner", "_outer", "_value", "behind", "line", "raw", "start")

    def __init__(self, line: Line, found: re.Match[str]) -> None:
        self.line = line
        self.start = found.start("inner")
        """Offset in the line of its first character; the quote stands before it."""
        self.behind = found.end()
        """Offset behind the closing quote."""
        self.raw = found["inner"]
        self._value: str | None = None
        self._inner: list[int] = []
        self._outer: list[int] = []

    @property
    def value(self) -> str:
        if self._value is None:
            self._value = _decoded(self.raw) if "\\" in self.raw else self.raw
        return self._value

    def offset(self, inside: int) -> int:
        """Where a character of the value stands in the line."""
        if "\\" not in self.raw:
            return self.start + inside
        if not self._outer:
            self._index()
        place = bisect_right(self._inner, inside) - 1
        return self.start + self._outer[place] + inside - self._inner[place]

    def _index(self) -> None:
        """After each escape: the offset in the value and the offset in the raw text."""
        self._inner, self._outer, saved = [0], [0], 0
        for escape in _ESCAPE.finditer(self.raw):
            saved += escape.end() - escape.start() - len(_decoded(escape[0]))
            self._inner.append(escape.end() - saved)
            self._outer.append(escape.end())


class Line:
    __slots__ = ("number", "start", "text")

    def __init__(self, number: int, start: int, text: str) -> None:
        self.number = number
        """From 1."""
        self.start = start
        """Offset of its first character in the text of the file, in code points."""
        self.text = text
        """Without its line end."""

    def tokens(self, start: int = 0) -> Iterator[Token]:
        """The strings from an offset on, which must not be inside of one. They are found as they are asked for: a line
        may be a whole document, and hold millions.
        """
        return (Token(self, match) for match in _STRING.finditer(self.text, start) if match["colon"] is None)


class Window:
    """A stream of bytes for a reader, and for us the lines that it has read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lines: deque[Line] = deque()
        self._held: list[bytes] = []
        self._held_size = 0
        self._skipped = 0
        """Characters of the line that are not kept."""
        self._open: Line | None = None
        self._is_ended = False
        self._number = 1
        self._start = 0
        self.is_kept = True
        """False once nobody is going to ask for lines."""

    # -- as a stream

    def readline(self, limit: int = -1) -> bytes:
        piece = self._stream.readline(limit)
        self._take(piece)
        return piece

    def read(self, size: int = -1) -> bytes:
        content = self._stream.read(size)
        *lines, rest = content.split(b"\n")
        for line in lines:
            self._take(line + b"\n")
        self._take(rest)
        return content

    def close(self) -> None:
        self._stream.close()

    # -- as lines

    def line(self, number: int) -> Line | None:
        """A line that has been read and is still there."""
        first = self._lines[0].number if self._lines else self._number
        if first <= number < self._number:
            return self._lines[number - first]
        return self._open_line() if number == self._number else None

    def since(self, number: int) -> Iterator[Line]:
        """The lines from one on, as far as they have been read."""
        number = max(number, self._lines[0].number if self._lines else self._number)
        while (found := self.line(number)) is not None:
            yield found
            number += 1

    def forget_before(self, number: int) -> None:
        while self._lines and self._lines[0].number < number:
            self._lines.popleft()

    def _take(self, piece: bytes) -> None:
        if not piece:
            self._is_ended = True
        if not self.is_kept or not piece:
            return
        if self._number == 1 and not self._held:
            piece = piece.removeprefix(_MARK)
        if self._held_size < LINE_KEPT:
            self._held.append(piece)
        else:
            self._skipped += len(piece.translate(None, _CONTINUING))
        self._held_size += len(piece)
        self._open = None
        if piece.endswith(b"\n"):
            self._end_line()

    def _end_line(self) -> None:
        text = self._held_text()
        self._lines.append(Line(self._number, self._start, text.rstrip("\r\n")))
        self._start += len(text) + self._skipped
        self._number += 1
        self._held, self._held_size, self._skipped = [], 0, 0

    def _open_line(self) -> Line | None:
        """The last line, of a file that does not end in a line end."""
        if self._open is None and self._held:
            self._open = Line(self._number, self._start, self._held_text())
            if self._is_ended:
                self._held = []
        return self._open

    def _held_text(self) -> str:
        return b"".join(self._held).decode("utf-8", "replace")


def _decoded(raw: str) -> str:
    """What a JSON string says; its raw text, if it is none after all."""
    try:
        return str(json.loads(f'"{raw}"', strict=False))
    except ValueError:
        return raw
