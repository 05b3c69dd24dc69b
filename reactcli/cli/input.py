"""Files and standard input: bytes become text here, whatever they are, and nothing is held beyond a limit.

A byte order mark decides between UTF-8, UTF-16 and UTF-32; without one it is UTF-8. Bytes that are not become U+FFFD
and are reported. Limits are found by reading, so that they hold for pipes and devices too.
"""

from __future__ import annotations

import codecs
import sys
from itertools import chain

from reactcli.cli.options import NoInputError, UsageError
from reactcli.diagnostics import Diagnostic, diagnose
from reactcli.errors import ReactcliError
from reactcli.render.sanitise import show_line
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from io import BufferedReader

STDIN = "-"
BLOCK = 1 << 16
"""Bytes per read; a pipe gives no more at once."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LONGEST_MARK = 4


Line = tuple[int, bytes, bool]
"""Number from 1, content without its end, and whether it was longer than the limit and is cut there."""


class InputError(ReactcliError):
    """A file cannot be read: exit 2."""


class Text(Value):
    """What a file holds, and what was noticed in reading it."""

    name: str
    text: str
    diagnostics: tuple[Diagnostic, ...] = ()


def display_name(path: str) -> str:
    return "<stdin>" if path == STDIN else path


def read_text(path: str, limit: int) -> Text:
    """The whole file; InputError if it cannot be read or is longer than `limit` bytes."""
    return decode(b"".join(read_blocks(path, limit)), display_name(path))


def read_blocks(path: str, limit: int | None = None) -> Iterator[bytes]:
    """The bytes as they arrive. InputError if the file cannot be read, or behind the last byte within the limit."""
    total = 0
    try:
        file = opened(path)
        try:
            while block := file.read1(BLOCK):
                total += len(block)
                if limit is not None and total > limit:
                    raise too_large(display_name(path), limit)
                yield block
        finally:
            if path != STDIN:
                file.close()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot read '{show_line(display_name(path))}': {reason.lower()}") from None


def lines_of(blocks: Iterable[bytes], limit: int, number: int = 1) -> Iterator[Line | None]:
    """The lines, from `number` on, and None before each wait for more. Holds one line, of at most `limit` bytes."""
    held: list[bytes] = []
    size = 0
    for block in blocks:
        first, *others = block.split(b"\n")
        if size <= limit:
            held.append(first)
        size += len(first)
        for piece in others:
            yield _line(number, b"".join(held), limit)
            number, held, size = number + 1, [piece], len(piece)
        yield None
    if size:
        yield _line(number, b"".join(held), limit)


def utf8_blocks(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The blocks of a text that is read by lines: UTF-16 and UTF-32, told by their mark, are written as UTF-8. What is
    wrong in them is wrong afterwards, so that whoever decodes a line reports it.
    """
    start = b""
    while len(start) < _LONGEST_MARK and (block := next(blocks, b"")):
        start += block
    mark, encoding = _encoding(start)
    if encoding == "utf-8":
        yield start
        yield from blocks
        return
    decoder = codecs.getincrementaldecoder(encoding)("surrogatepass")
    for block in chain((start[len(mark) :],), blocks):
        yield decoder.decode(block).encode("utf-8", "surrogatepass")
    if decoder.getstate()[0]:
        yield b"\xff"  # half a character


def is_utf8(start: bytes) -> bool:
    """No mark at the start of a file tells another encoding."""
    return _encoding(start)[1] == "utf-8"


def decode(content: bytes, name: str) -> Text:
    mark, encoding = _encoding(content)
    content = content[len(mark) :]
    try:
        return Text(name, content.decode(encoding))
    except UnicodeDecodeError as error:
        text = content.decode(encoding, "replace")
        kept = len(content[: error.start].decode(encoding))
        count = _count_replaced(content, text, encoding)
        return Text(name, text, (diagnose("replaced-bytes", (kept, kept + 1), count=count),))


class Decoder:
    """The same for text in pieces: feeding it in any cut and closing it gives the text of `decode`."""

    def __init__(self) -> None:
        self._start: bytes | None = b""
        self._decode: codecs.IncrementalDecoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, block: bytes, *, is_last: bool = False) -> str:
        if self._start is None:
            return self._decode.decode(block, is_last)
        self._start += block
        if len(self._start) < _LONGEST_MARK and not is_last:
            return ""
        block, self._start = self._start, None
        mark, encoding = _encoding(block)
        self._decode = codecs.getincrementaldecoder(encoding)("replace")
        return self._decode.decode(block[len(mark) :], is_last)


def too_large(name: str, limit: int) -> InputError:
    return InputError(
        f"'{show_line(name)}' is larger than {size_text(limit)}",
        hint="--max-input raises the limit, as in --max-input 1G",
    )


def size(text: str) -> int:
    """Bytes of a size such as `64M`: a number with K, M or G behind it, or none."""
    unit = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1:].upper(), 1)
    digits = text if unit == 1 else text[:-1]
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10 and int(digits)):
        raise UsageError(f"'{show_line(text)}' is no size", hint="write bytes, or a number with K, M or G behind it")
    return int(digits) * unit


def size_text(count: int) -> str:
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if count % unit == 0:
            return f"{count // unit} {name}"
    return f"{count} bytes"


def opened(path: str) -> BufferedReader:
    if path != STDIN:
        return open(path, "rb")  # noqa: PTH123  # importing pathlib costs 12 ms
    if sys.stdin is None:
        raise InputError("cannot read '<stdin>': it is closed", hint="name a file, or pipe one in")
    if sys.stdin.isatty():
        raise NoInputError("no input: stdin is a terminal", hint="name a file, or pipe one in")
    return sys.stdin.buffer  # type: ignore[return-value]  # the stub says BinaryIO, which lacks read1


def _line(number: int, content: bytes, limit: int) -> Line:
    return number, content[:limit], len(content) > limit


def _encoding(start: bytes) -> tuple[bytes, str]:
    return next((pair for pair in _MARKS if start.startswith(pair[0])), (b"", "utf-8"))


def _count_replaced(content: bytes, text: str, encoding: str) -> int:
    """How many bytes became U+FFFD, which the content may also have held as such."""
    replacement = "\ufffd".encode(encoding)
    written = len(text.encode(encoding))
    marks = text.count("\ufffd") - (content.count(replacement) if encoding == "utf-8" else 0)
    return max(len(content) - (written - marks * len(replacement)), 1)
