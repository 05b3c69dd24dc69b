r"""A file's bytes as JSON, JSON Lines or text, found by content alone, and read no further than asked for.

Order of trial: zip; one JSON value in the whole file; JSON Lines; JSON values one after the other; text. A file whose
first line is a JSON value and that goes on is JSON Lines, and is then read line by line: memory stays flat, and the
first record is there at once. Lines end at `\n` only, since U+2028 and its kind are legal inside JSON strings. A line
that is not JSON costs itself and a diagnostic. Nothing here opens a file: bytes come from the caller's stream.
"""

from __future__ import annotations

import codecs
from collections import deque

from reactcli.diagnostics import diagnose
from reactcli.errors import FormatError
from reactcli.formats.strict import Decoder, JsonError
from reactcli.formats.torn import mended

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, BinaryIO

    from reactcli.diagnostics import Diagnostic

WHOLE_LIMIT = 64 << 20
"""Bytes of a file that must be held whole: a document or a text."""
LINE_LIMIT = 16 << 20
"""Bytes of a line of JSON Lines."""
HEAD_ROWS = 64
"""Rows that detection may look at: the first records of sessions are often unlike the rest."""
HEAD_BYTES = 1 << 20
_SPACE = " \t\r\n"
_ENCODINGS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


_COMPRESSED = ((b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ\0", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"))


class Row:
    """One record of JSON Lines."""

    __slots__ = ("line", "raw", "value")

    def __init__(self, line: int, raw: bytes, value: Any) -> None:
        self.line = line
        """From 1."""
        self.raw = raw
        """The line's bytes without their line end."""
        self.value = value


class Content:
    """What a stream holds. `kind` says which of `document`, `rows` and `text` there is.

    Findings wait in `notices` until the caller takes them. FormatError if the stream is empty, too large, or of an
    encoding that is not UTF-8.
    """

    def __init__(
        self,
        stream: BinaryIO,
        *,
        limit: int = WHOLE_LIMIT,
        beside: Callable[[str], BinaryIO | None] | None = None,
    ) -> None:
        self.kind = "json"
        """`json`, `jsonl`, `text` or `zip`."""
        self.document: Any = None
        self.text = ""
        self.head: list[Any] = []
        """The first values of the rows, for detection."""
        self.beside = beside
        """Opens a file of a bare name in the trace's folder; None where there is no folder."""
        self.raw = b""
        """The bytes of a zip."""
        self.json_error = ""
        """Why a text that begins like JSON is none."""
        self.notices: list[Diagnostic] = []
        self._stream: BinaryIO | _Ended = stream
        self._limit = limit
        self._decoder = Decoder()
        self._line = 0
        self._waiting: deque[Row] = deque()
        self._single: Row | None = None
        """The one line of a document that has one."""
        self._load()

    def notice(self, code: str, *, where: str = "", **facts: object) -> None:
        """Keep a finding; its message begins with the place."""
        found = diagnose(code, (0, 0), **facts)
        self.notices.append(found.replace(message=f"{where}: {found.message}") if where else found)

    def taken(self) -> list[Diagnostic]:
        """The findings since the last call."""
        found, self.notices = self.notices, []
        return found

    def rows(self) -> Iterator[Row]:
        """The records, once. Of a document that is a list: its elements; of another: itself."""
        if self.kind == "json":
            if isinstance(self.document, list):
                yield from (Row(0, b"", value) for value in self.document)
            else:
                yield self._single or Row(0, b"", self.document)
            return
        while self._waiting:
            yield self._waiting.popleft()
        while (row := self._next_row()) is not None:
            yield row

    def read_ahead(self) -> None:
        """Let detection see more rows than the first."""
        size = 0
        while len(self.head) < HEAD_ROWS and size < HEAD_BYTES and (row := self._next_row()) is not None:
            self._waiting.append(row)
            self.head.append(row.value)
            size += len(row.raw)

    # -- finding out what it is

    def _load(self) -> None:
        first = self._first_line()
        if first[:4] == b"PK\x03\x04":
            self.kind, self.raw = "zip", self._rest(first)
            return
        row = self._decoded(first) if first.lstrip()[:1] in (b"{", b"[") else None
        if row is None:
            self._load_whole(first)
            return
        noted = len(self.notices)
        following = self._next_row()
        if following is None and len(self.notices) == noted:
            self.document, self.head, self._single = row.value, [row.value], row
            return
        self._waiting.append(row)
        if following is not None:
            self._waiting.append(following)
        self.kind, self.head = "jsonl", [waiting.value for waiting in self._waiting]

    def _first_line(self) -> bytes:
        """The first line that is not blank, without a byte order mark."""
        line = self._stream.readline(self._limit + 1)
        for mark, encoding in _ENCODINGS:
            if line.startswith(mark):
                raise FormatError(f"this file is {encoding}", hint="save it as UTF-8")
        for magic, packer in _COMPRESSED:
            if line.startswith(magic):
                raise FormatError(
                    f"this file is compressed with {packer}", hint=f"{packer} -dc FILE | reactcli replay -"
                )
        line = line.removeprefix(codecs.BOM_UTF8)
        self._line = 1
        while line and not line.strip():
            line = self._stream.readline(self._limit + 1)
            self._line += 1
        if not line:
            raise FormatError("the file is empty", hint="give it a trace")
        return line

    def _load_whole(self, first: bytes) -> None:
        start = self._line
        raw = self._rest(first)
        text = self._text(raw)
        begin = text.lstrip(_SPACE)[:1]
        is_json = begin in {"{", "["} and (
            self._load_document(text, start)
            or self._load_lines(raw, start)
            or self._load_concatenated(text)
            or self._load_torn(text)
        )
        if not is_json:
            self.kind, self.text = "text", text

    def _load_document(self, text: str, start: int) -> bool:
        try:
            self.document = self._decoder.decode(text)
        except JsonError as error:
            self.json_error = _placed(error, text, start)
            return False
        self._keep_notes("")
        self.head = [self.document]
        return True

    def _load_torn(self, text: str) -> bool:
        """A document that was cut off, as far as it is whole."""
        whole = mended(text)
        if whole is None:
            return False
        try:
            self.document = self._decoder.decode(whole)
        except JsonError:
            return False
        self._keep_notes("")
        self.notice("torn-record", why=self.json_error.partition(";")[0])
        self.head = [self.document]
        return True

    def _load_lines(self, raw: bytes, start: int) -> bool:
        """True if at least as many lines are JSON objects as are not: then the first line was damaged."""
        kept = self.notices
        self.notices = []
        rows = []
        lines = raw.split(b"\n")
        for number, line in enumerate(lines, start=start):
            last = number - start == len(lines) - 1
            row = self._record(number, line, last=last) if line.strip() else None
            if row is not None:
                rows.append(row)
            if len(self.notices) > HEAD_ROWS > len(rows):
                break
        damaged = sum(found.code in {"bad-record", "torn-record"} for found in self.notices)
        if not rows or damaged > len(rows) or not all(isinstance(row.value, dict) for row in rows[:3]):
            self.notices = kept
            return False
        self.notices = kept + self.notices
        self._become_rows(rows)
        return True

    def _load_concatenated(self, text: str) -> bool:
        rows: list[Row] = []
        at = 0
        while True:
            while at < len(text) and text[at] in " \t\r\n,":
                at += 1
            if at == len(text):
                break
            try:
                value, at = self._decoder.decode_at(text, at)
            except JsonError:
                return False
            rows.append(Row(text.count("\n", 0, at) + 1 if len(rows) < HEAD_ROWS else 0, b"", value))
        self._become_rows(rows)
        return bool(rows)

    def _become_rows(self, rows: list[Row]) -> None:
        self.kind = "jsonl"
        self._waiting.extend(rows)
        self.head = [row.value for row in rows[:HEAD_ROWS]]
        self._stream = _Ended()

    # -- reading

    def _rest(self, first: bytes) -> bytes:
        raw = first + self._stream.read(self._limit + 1 - len(first)) if len(first) <= self._limit else first
        if len(raw) > self._limit:
            found = diagnose("input-too-large", (0, 0), limit=_size(self._limit), way_out="")
            raise FormatError(found.message, hint="split it, or turn it into JSON Lines, which are read line by line")
        return raw

    def _next_row(self) -> Row | None:
        while line := self._stream.readline(LINE_LIMIT + 1):
            self._line += 1
            if len(line) > LINE_LIMIT:
                self.notice("record-too-long", where=f"line {self._line}", limit=_size(LINE_LIMIT))
                self._skip_line(line)
                continue
            if not line.strip():
                continue
            row = self._record(self._line, line, last=True)
            if row is not None:
                return row
        return None

    def _skip_line(self, line: bytes) -> None:
        while line and not line.endswith(b"\n"):
            line = self._stream.readline(LINE_LIMIT)

    def _record(self, number: int, line: bytes, *, last: bool) -> Row | None:
        """The record of a line, or None and a finding: it is torn if the file ends before its line does."""
        raw = line.rstrip(b"\r\n")
        text = self._text(raw, where=f"line {number}")
        try:
            value = self._decoder.decode(text)
        except JsonError as error:
            torn = last and not line.endswith(b"\n")
            code = "torn-record" if torn else "bad-record"
            self.notice(code, where=f"line {number}", why=f"{error.message} at byte {_bytes(text, error.offset)}")
            return None
        if self._decoder.notes:
            self._keep_notes(f"line {number}")
        return Row(number, raw, value)

    def _decoded(self, line: bytes) -> Row | None:
        """The first line as a record, or None without a finding."""
        try:
            text = line.decode()
            value = self._decoder.decode(text)
        except (JsonError, UnicodeDecodeError):
            return None
        self._keep_notes(f"line {self._line}")
        return Row(self._line, line.rstrip(b"\r\n"), value)

    def _keep_notes(self, where: str) -> None:
        for found in self._decoder.notes:
            self.notices.append(found.replace(message=f"{where}: {found.message}") if where else found)

    def _text(self, raw: bytes, where: str = "") -> str:
        try:
            return raw.decode()
        except UnicodeDecodeError:
            text = raw.decode(errors="replace")
            self.notice("replaced-bytes", where=where, count=text.count("\ufffd") - raw.count(b"\xef\xbf\xbd"))
            return text


class _Ended:
    """A stream at its end."""

    def readline(self, _limit: int = -1) -> bytes:
        return b""

    def read(self, _size: int = -1) -> bytes:
        return b""


def _placed(error: JsonError, text: str, first_line: int) -> str:
    before = text[: error.offset]
    line = before.count("\n") + first_line
    column = error.offset - (before.rfind("\n") + 1) + 1
    is_cut = not text[error.offset :].strip() or error.message.startswith("unterminated")
    cut = "; the file is cut off there" if is_cut else ""
    return f"{error.message} at line {line}, column {column}{cut}"


def _size(limit: int) -> str:
    for unit, scale in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if limit >= scale and limit % scale == 0:
            return f"{limit // scale} {unit}"
    return f"{limit:,} bytes"


def _bytes(text: str, offset: int) -> int:
    """Offset in bytes, from 1, of an offset in code points."""
    return len(text[:offset].encode(errors="replace")) + 1
