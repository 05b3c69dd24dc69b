"""Output files: whole or not at all, never over another file unless that was asked for.

The text goes to a new file beside the target, which takes its name when all is written. A signal in between removes it.
"""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager, suppress

from reactcli.cli.options import UsageError
from reactcli.cli.output import OutputError
from reactcli.render.sanitise import show_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def check_target(path: str, *, force: bool) -> None:
    """UsageError if the file is there and may not be replaced; asked before any work is done."""
    if os.path.lexists(path) and not force:
        raise UsageError(f"'{show_line(path)}' is there already", hint="--force replaces it")


def write_file(path: str, pieces: Iterable[str], *, force: bool) -> None:
    """Write a text file; OutputError if that fails, and then nothing has changed."""
    check_target(path, force=force)
    passing = f"{path}.{os.getpid()}.new"
    try:
        with _removed_unless_done(passing):
            _fill(passing, pieces)
            _give_name(passing, path, force=force)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"cannot write '{show_line(path)}': {reason}") from None


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


def _fill(path: str, pieces: Iterable[str]) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
    with open(descriptor, "wb") as file:  # noqa: PTH123  # a descriptor is no path
        file.writelines(piece.encode("utf-8", "backslashreplace") for piece in pieces)
        file.flush()
        os.fsync(file.fileno())


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
