"""A long file of JSON Lines in shares of whole lines, for several processes, whose results come back in order.

Only where it pays and is safe: a regular file, on Linux, where a process of one thread can be forked (on other systems
a new process would have to import all of this again). Each process reads its shares itself, from the open file.
"""

from __future__ import annotations

import os
import stat
import sys
from collections import deque
from contextlib import suppress
from itertools import islice

from reactcli.cli.input import BLOCK, STDIN, is_utf8
from reactcli.cli.output import Output
from reactcli.errors import ReactcliError
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection
    from typing import Any, TypeVar

    Result = TypeVar("Result")

LONG = 8 << 20
"""Bytes of the shortest file that is shared out: starting the processes takes 50 ms, as long as parsing 5 MB."""
SHARE = 1 << 20
"""Bytes of a share, and of its longest line if there is one that is longer."""
ENOUGH_DESCRIPTORS = 64
"""Open files that a process may have: four pipes take eight, and starting a process takes some more for a moment."""
MOST_PROCESSES = 4
"""More of them would mostly wait for their turn to write."""


class Share(Value):
    descriptor: int
    start: int
    end: int
    """Offset behind the last byte."""
    number: int
    """Of its first line."""

    def blocks(self) -> Iterator[bytes]:
        at = self.start
        while at < self.end and (block := os.pread(self.descriptor, min(SHARE, self.end - at), at)):
            at += len(block)
            yield block


def open_long(path: str) -> int | None:
    """A descriptor of a file that is worth sharing out, or None."""
    if not sys.platform.startswith("linux") or processes() < 2 or _most_descriptors() < ENOUGH_DESCRIPTORS:
        return None
    try:
        told = os.fstat(sys.stdin.fileno()) if path == STDIN else os.stat(path)  # noqa: PTH116  # pathlib costs 12 ms
        if not stat.S_ISREG(told.st_mode) or told.st_size < LONG:  # to open a pipe and leave it would end who writes it
            return None
        descriptor = os.dup(sys.stdin.fileno()) if path == STDIN else os.open(path, os.O_RDONLY)
        if is_utf8(_start(descriptor)):
            return descriptor
        os.close(descriptor)
    except (OSError, ValueError, AttributeError):  # whoever reads it in one piece says why
        return None
    return None


def processes() -> int:
    return min(len(os.sched_getaffinity(0)), MOST_PROCESSES)


def shares(descriptor: int) -> Iterator[Share]:
    """The shares of a file, from where its descriptor stands; their ends are ends of lines."""
    start, number = _place(descriptor), 1
    while True:
        at, lines, end = start, 0, 0
        while not end and (block := os.pread(descriptor, SHARE, at)):
            end = block.rfind(b"\n") + 1
            lines = block.count(b"\n")
            at += end or len(block)
        if at == start:
            return
        yield Share(descriptor, start, at, number)
        start, number = at, number + lines


def worked_off(work: Callable[[Share], tuple[bytes, Result]], descriptor: int) -> Iterator[Result]:
    """What the work makes of each share, in order: bytes, which its process writes to standard output when it is its
    turn, and a result. What either raises is raised here. Closes the descriptor, behind the last share.
    """
    workers = _started(work, processes())
    todo = shares(descriptor)
    turns: deque[Connection] = deque()
    try:
        for worker, share in zip(workers, todo, strict=False):  # in this order: a share is taken only for a worker
            _send(worker, share)
            turns.append(worker)
        while turns:
            worker = turns.popleft()
            _send(worker, None)  # its turn to write
            following = list(islice(todo, 1))  # found while it works
            result = _received(worker)
            for share in following:
                _send(worker, share)
                turns.append(worker)
            yield result
        os.lseek(descriptor, 0, os.SEEK_END)  # where a program that reads on from stdin expects it
    finally:
        os.close(descriptor)


def _started(work: Callable[[Share], tuple[bytes, Result]], count: int) -> list[Connection]:
    """Our ends of the pipes to as many processes, which end when these are closed, by us or by our end."""
    from multiprocessing import get_context  # 20 ms

    context = get_context("fork")
    ours: list[Connection] = []
    for _ in range(count):
        our_end, their_end = context.Pipe()
        ours.append(our_end)
        context.Process(target=_work, args=(work, their_end, tuple(ours)), daemon=True).start()
        their_end.close()
    return ours


def _work(
    work: Callable[[Share], tuple[bytes, Result]], connection: Connection, not_ours: tuple[Connection, ...]
) -> None:
    import signal

    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C reaches every process, and only the first says so
    for other in not_ours:
        other.close()
    out, parent = Output("stdout"), os.getppid()
    try:
        while True:
            content, result = work(connection.recv())
            connection.recv()  # what is no share says that it is our turn
            for at in range(0, len(content), BLOCK):
                if os.getppid() != parent:
                    return
                out.write_bytes(content[at : at + BLOCK])
            connection.send(result)
    except EOFError:
        return
    except Exception as error:  # noqa: BLE001  # the rim of a process: what it is has to be known where results are awaited
        known = isinstance(error, ReactcliError | OSError | MemoryError)
        with suppress(OSError):
            connection.send(error if known else ReactcliError(f"internal error: {type(error).__name__}: {error}"))


def _send(worker: Connection, message: object) -> None:
    """To one that is gone too: what it said last, or that it said nothing, is found when it is listened to."""
    with suppress(OSError):
        worker.send(message)


def _received(worker: Connection) -> Any:
    try:
        message = worker.recv()
    except (EOFError, OSError):
        told = "a process that read part of the file was killed"
        raise ReactcliError(told, hint="is there enough memory?") from None
    if isinstance(message, Exception):
        raise message
    return message


def _start(descriptor: int) -> bytes:
    """The first bytes of a file; nothing where they cannot be read, which whoever reads on will find."""
    try:
        return os.pread(descriptor, 4, _place(descriptor))
    except OSError:
        return b""


def _most_descriptors() -> int:
    from resource import RLIMIT_NOFILE, getrlimit

    soft, _ = getrlimit(RLIMIT_NOFILE)
    return soft if soft >= 0 else ENOUGH_DESCRIPTORS


def _place(descriptor: int) -> int:
    return os.lseek(descriptor, 0, os.SEEK_CUR)
