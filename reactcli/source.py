"""Text with a name: half-open spans in code points, and the way from an offset to a line and a column.

Only LF, CRLF and CR end a line; U+2028 and its kind are ordinary characters (a label behind one is text).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from reactcli.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

Span = tuple[int, int]
"""Start inclusive, end exclusive, in code points of the source text."""

BOM = "\ufeff"
"""A byte order mark, which decoding left at the start of a text."""
_PRINTABLE = bytes(range(0x20, 0x7F)) + b"\t\n\r"
LINE_END = pattern(r"\r\n?|\n")


class Source:
    """One text and where it came from. Line starts are found when first asked for."""

    __slots__ = ("_starts", "name", "text")

    def __init__(self, text: str, name: str = "<text>") -> None:
        self.text = text
        self.name = name
        self._starts: list[int] | None = None

    def line_column(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1; past the end: the place behind the last character."""
        starts = self._line_starts()
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of line `number` (from 1), without its line end."""
        starts = self._line_starts()
        start = starts[number - 1]
        end = starts[number] if number < len(starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def _line_starts(self) -> list[int]:
        if self._starts is None:
            self._starts = [0, *(match.end() for match in LINE_END.finditer(self.text))]
        return self._starts


def merged(spans: list[Span]) -> list[Span]:
    """Spans in order and apart, where those that are given may overlap."""
    apart: list[Span] = []
    for start, end in sorted(spans):
        if apart and start < apart[-1][1]:
            apart[-1] = (apart[-1][0], max(apart[-1][1], end))
        else:
            apart.append((start, end))
    return apart


def spans_from(spans: list[Span], start: int) -> Iterator[Span]:
    """Of spans that are in order and apart, those from the one on that may hold an offset; copies nothing."""
    return (spans[index] for index in range(max(0, bisect_left(spans, (start, start)) - 1), len(spans)))


def plain_lines(text: str) -> str:
    """The text with LF for every line end, as the fields of a step hold it; spans still point into the source."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def is_plain_ascii(text: str) -> bool:
    """Only printable ASCII, tabs, and line ends; found at a thousand million characters a second (a pattern: 100)."""
    return text.isascii() and not text.encode("ascii").translate(None, _PRINTABLE)


def stripped(text: str, start: int, end: int) -> Span:
    """A span without the white space at its ends."""
    value = text[start:end].strip()
    if not value:
        return start, start
    start += text[start:end].find(value[0])
    return start, start + len(value)


def rstripped(text: str, start: int, end: int) -> int:
    """The end of a span without the white space before it; copies nothing, so that it may be asked again and again."""
    while end > start and text[end - 1].isspace():
        end -= 1
    return end
