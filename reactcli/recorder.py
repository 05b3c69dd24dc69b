"""Recording a run so that nothing acknowledged is ever lost: `reactcli/trace@1`, one write and one sync for each line.

The file is only appended to, and locked while it is open. What a crash or a full disk left of a last line is moved to
`NAME.torn` when the file is opened again. A second run goes behind the first as an episode of its own; a run that was
cut off is gone on with under the same chain of hashes.
"""

# ruff: noqa: PTH123  # pathlib costs every start 12 ms

from __future__ import annotations

import json
import os
from errno import EINVAL, ENOTSUP
from fcntl import LOCK_EX, LOCK_NB, flock
from stat import S_ISREG

from reactcli.errors import ReactcliError
from reactcli.formats.named import fields_of
from reactcli.formats.recording import NO_HASH, SCHEMA, Chain, fits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Self

    from reactcli.engine.requests import End
    from reactcli.formats.events import Recorded

TAIL = 1 << 16
"""Bytes that are read at once to find the last line."""
LONGEST_LINE = 64 << 20


class RecordingError(ReactcliError):
    """A recording cannot be opened, or a record cannot be written."""


class Recorder:
    """Writes one recording. Every method that writes returns when the bytes are on the disk; RecordingError if not."""

    def __init__(self, path: str, *, goes_on: bool = False) -> None:
        self.path = path
        self.torn = 0
        """Bytes of a torn last line that were moved to `NAME.torn`."""
        self._goes_on = goes_on
        self._steps = 0
        self._chain = Chain()
        self._descriptor = self._opened()
        try:
            self._prepare()
        except OSError as error:
            self.close()
            raise self._failure(error) from None
        except BaseException:
            self.close()
            raise

    def begin(self, question: str, about: Mapping[str, Any], earlier: Iterable[Recorded]) -> None:
        """The header, and the steps that were there before; nothing where a recording is gone on with."""
        if self._goes_on:
            self._steps = len(tuple(earlier))
            return
        self._write({"schema": SCHEMA, "question": question, **about})
        for recorded in earlier:
            self.add(recorded)

    def add(self, recorded: Recorded) -> None:
        self._steps += 1
        asked = recorded.step.question if self._steps == 1 else None  # the header has it
        self._write(fields_of(recorded.step, recorded.meta, self._steps, asked))

    def finish(self, end: End, iterations: int) -> None:
        reason = {"reason": end.reason} if end.reason else {}
        told = {"status": end.status, "answer": end.answer, "iterations": iterations, **reason}
        self._write({"end": told})

    def close(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _write(self, record: dict[str, Any]) -> None:
        line = self._chain.seal(record)
        start = os.fstat(self._descriptor).st_size
        try:
            written = os.write(self._descriptor, line)
            while written < len(line):  # a signal or a nearly full disk cut the write short
                written += os.write(self._descriptor, line[written:])
            os.fsync(self._descriptor)
        except OSError as error:
            self._take_back(start)
            raise self._failure(error) from None

    def _take_back(self, size: int) -> None:
        """What is left of a record that could not be written whole is no record."""
        try:
            os.ftruncate(self._descriptor, size)
        except OSError:
            return  # then it is a torn tail, which the next to open the file moves aside

    def _opened(self) -> int:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        is_new = not os.path.lexists(self.path)
        try:
            descriptor = os.open(self.path, flags, 0o600)
        except (OSError, ValueError) as error:
            raise self._failure(error) from None
        try:
            if is_new:
                _sync_folder(self.path)
        except OSError as error:
            os.close(descriptor)
            raise self._failure(error) from None
        return descriptor

    def _prepare(self) -> None:
        """Lock the file, see that it is a recording or empty, and that its last line is whole."""
        if not S_ISREG(os.fstat(self._descriptor).st_mode):
            raise RecordingError(f"'{self.path}' is no regular file")
        try:
            flock(self._descriptor, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            raise RecordingError(f"'{self.path}' is {_locked_by(self._descriptor)}: it is being recorded to") from None
        size = os.fstat(self._descriptor).st_size
        if size and not _is_recording(os.pread(self._descriptor, TAIL, 0)):
            raise RecordingError(f"'{self.path}' is no recording, and is left as it is", hint="name another file")
        end = self._end_of_last_line(size)
        last = self._last_line(end)
        tail = os.pread(self._descriptor, min(size - end, LONGEST_LINE), end)
        self._chain = _chain_behind(last)
        if tail and self._completes(tail):
            os.write(self._descriptor, b"\n")
            os.fsync(self._descriptor)
            last = tail
            self._chain = _chain_behind(last)
        elif tail:
            self._move_aside(tail, end)
        if not self._goes_on:
            self._chain = Chain()
        elif not last or _record(last).get("end") is not None:
            raise RecordingError(f"'{self.path}' has ended, so there is nothing to go on with", hint="name a new file")

    def _completes(self, tail: bytes) -> bool:
        """Only the line end is missing: the record is whole, as its hash proves."""
        return fits(tail, self._chain.last) or fits(tail, NO_HASH)

    def _move_aside(self, tail: bytes, end: int) -> None:
        """Keep what is torn in a file of its own, then cut it off."""
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        aside = os.open(f"{self.path}.torn", flags, 0o600)
        try:
            rest = memoryview(tail)
            while rest:
                rest = rest[os.write(aside, rest) :]
            os.fsync(aside)
        finally:
            os.close(aside)
        os.ftruncate(self._descriptor, end)
        os.fsync(self._descriptor)
        self.torn = len(tail)

    def _end_of_last_line(self, size: int) -> int:
        """The offset behind the last line end; 0 if there is none."""
        end = size
        while end:
            start = max(end - TAIL, 0)
            found = os.pread(self._descriptor, end - start, start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            end = start
        return 0

    def _last_line(self, end: int) -> bytes:
        """The line that ends at an offset, without its line end."""
        if not end:
            return b""
        start = self._end_of_last_line(end - 1)
        return os.pread(self._descriptor, end - 1 - start, start)

    def _failure(self, error: Exception) -> RecordingError:
        reason = getattr(error, "strerror", None) or str(error)
        return RecordingError(f"cannot record to '{self.path}': {reason.lower()}")


def _chain_behind(line: bytes) -> Chain:
    record = _record(line)
    digest, seq = record.get("hash"), record.get("seq")
    if isinstance(digest, str) and isinstance(seq, int):
        return Chain(digest, seq + 1)
    return Chain()


def _record(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _is_recording(start: bytes) -> bool:
    """The first line says so, as far as it is there."""
    opening = b'{"schema": "' + SCHEMA.encode() + b'"'
    return start.startswith(opening[: len(start)])


def _locked_by(descriptor: int) -> str:
    """`locked by process 123`, where the system tells."""
    file = os.fstat(descriptor)
    inode = f"{os.major(file.st_dev):02x}:{os.minor(file.st_dev):02x}:{file.st_ino}"
    try:
        with open("/proc/locks", encoding="ascii", errors="replace") as locks:
            words = [line.split() for line in locks]
    except OSError:
        return "locked"
    return next((f"locked by process {word[4]}" for word in words if len(word) > 5 and word[5] == inode), "locked")


def _sync_folder(path: str) -> None:
    """A new name is on the disk when its folder is."""
    folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_DIRECTORY)  # noqa: PTH120
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno not in (EINVAL, ENOTSUP):  # some file systems have no such thing
            raise
    finally:
        os.close(folder)
