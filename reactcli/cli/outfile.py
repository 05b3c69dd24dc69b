"""Output files: whole or not at all, never over another file unless that was asked for.

The text goes to a new file beside the target, which takes its name and its mode when all is written. A signal in
between removes it. A link is followed. A device, a pipe, a socket and what is standard output already are no
files to replace: they are written to, and need no leave.
"""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager, suppress
from stat import S_IMODE, S_ISDIR, S_ISREG

from reactcli.cli.options import UsageError
from reactcli.cli.output import OutputError
from reactcli.render.sanitise import show, show_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

STDOUT = "-"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def check_target(path: str, *, force: bool) -> None:
    """UsageError if the file is there and may not be replaced, or is a folder; asked before any work is done."""
    if path == STDOUT or not os.path.lexists(path) or _open_already(path) is not None:
        return
    there = _stat(path)
    if there is not None and S_ISDIR(there.st_mode):
        raise UsageError(f"'{show_line(path)}' is a folder", hint="name a file in it")
    if not force and (there is None or S_ISREG(there.st_mode)):
        raise UsageError(f"'{show_line(path)}' is there already", hint="--force replaces it")


def write_file(path: str, pieces: Iterable[str], *, force: bool) -> None:
    """Write a text file; OutputError if that fails, and then no file has changed."""
    check_target(path, force=force)
    there = _stat(path)
    try:
        if _open_already(path) is not None or (there is not None and not S_ISREG(there.st_mode)):
            _write_into(path, pieces)
        else:
            _replace(os.path.realpath(path), pieces, there, force=force)
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"cannot write '{show_line(path)}': {reason}") from None


def _stat(path: str) -> os.stat_result | None:
    """What a path leads to, through links; None for nothing."""
    try:
        return os.stat(path)  # noqa: PTH116  # pathlib costs 12 ms
    except (OSError, ValueError):
        return None


def _open_already(path: str) -> int | None:
    """The descriptor of ours that a path such as `/dev/stdout` stands for."""
    there = _stat(path)
    for descriptor in (1, 2):
        with suppress(OSError):
            if there is not None and os.path.samestat(there, os.fstat(descriptor)):
                return descriptor
    return None


def _write_into(path: str, pieces: Iterable[str]) -> None:
    """A pipe waits for its reader, as it does in a shell."""
    ours = _open_already(path)
    descriptor = os.open(path, os.O_WRONLY | os.O_NOCTTY) if ours is None else os.dup(ours)
    _write_all(descriptor, pieces)


def _write_all(descriptor: int, pieces: Iterable[str]) -> None:
    """Through the gate onto a terminal, as it is elsewhere."""
    if os.isatty(descriptor):
        pieces = map(show, pieces)
    with open(descriptor, "wb") as file:  # a descriptor is no path
        file.writelines(piece.encode("utf-8", "backslashreplace") for piece in pieces)
        file.flush()
        with suppress(OSError):  # devices and pipes cannot
            os.fsync(file.fileno())


def _replace(path: str, pieces: Iterable[str], there: os.stat_result | None, *, force: bool) -> None:
    passing = f"{path}.{os.getpid()}.new"
    with _removed_unless_done(passing):
        descriptor = os.open(passing, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
        if there is not None:
            with suppress(OSError):  # only root gives files away
                os.fchown(descriptor, there.st_uid, there.st_gid)
            os.fchmod(descriptor, S_IMODE(there.st_mode))
        _write_all(descriptor, pieces)
        _give_name(passing, path, force=force)


def _give_name(passing: str, path: str, *, force: bool) -> None:
    if not force:
        try:
            os.link(passing, path, follow_symlinks=False)  # fails if someone was quicker
        except FileExistsError:
            raise
        except OSError:  # this file system has no links
            check_target(path, force=False)
        else:
            return
    os.replace(passing, path)  # noqa: PTH105  # pathlib costs 12 ms


@contextmanager
def _removed_unless_done(path: str) -> Iterator[None]:
    """Whatever happens in the block, no file of that name is left."""

    def remove() -> None:
        with suppress(OSError):
            os.unlink(path)  # noqa: PTH108  # as above

    def end(number: int, _frame: object) -> None:
        remove()
        os._exit(128 + number)

    before = [(number, signal.signal(number, end)) for number in SIGNALS]
    try:
        yield
    finally:
        remove()
        for number, handler in before:
            signal.signal(number, handler)
