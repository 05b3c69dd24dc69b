"""Trace files: a path becomes a recording, and whatever keeps it from being read one line and exit 2.

A continuation is opened by bare name in the folder of the trace that names it, and only if it is a regular file.
"""

from __future__ import annotations

import os
from stat import S_ISREG

from reactcli.cli.input import STDIN, InputError, display_name, opened, size
from reactcli.cli.options import Option, UsageError
from reactcli.errors import ReactcliError
from reactcli.formats import open_recording, parse_map
from reactcli.render.sanitise import show_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from io import BufferedReader
    from typing import BinaryIO, Self

    from reactcli.formats import Event, Recording


def asked(read: Callable[[str], object]) -> Callable[[str], object]:
    """A converter of an option's text whose errors are errors of usage."""

    def convert(text: str) -> object:
        try:
            return read(text)
        except ReactcliError as error:
            raise UsageError(error.message, hint=error.hint) from None

    return convert


MAP = Option(
    ("--map",), "Where a home-made JSON file has its parts: steps=…,thought=…", "PART=PATH,…", convert=asked(parse_map)
)
MAX_INPUT = Option(("--max-input",), "The longest document that is read.", metavar="SIZE", default="64M", convert=size)


class TraceFile:
    """An open trace; leaving the `with` block closes it. InputError if it cannot be read, FormatError if it is none."""

    def __init__(
        self,
        path: str,
        *,
        limit: int,
        paths: Mapping[str, tuple[str, ...]] | None = None,
        seen_by: Callable[[BufferedReader], BinaryIO] | None = None,
    ) -> None:
        """`seen_by` makes a stream of the file's, through which everything is read."""
        self.changed: Callable[[Iterator[Event]], Iterator[Event]] | None = None
        """What comes between the events and whoever asks for them."""
        self.path = path
        self.name = display_name(path)
        self._stream = self._opened()
        try:
            self.is_regular = S_ISREG(os.fstat(self._stream.fileno()).st_mode)
            beside = None if path == STDIN else self._beside
            read_from = seen_by(self._stream) if seen_by is not None else self._stream
            self.recording: Recording = open_recording(read_from, limit=limit, beside=beside, paths=paths)
        except BaseException as error:
            self.close()
            if isinstance(error, OSError):
                raise self._unreadable(error) from None
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        if self.path != STDIN:
            self._stream.close()

    def events(self) -> Iterator[Event]:
        try:
            events = self.recording.events()
            yield from events if self.changed is None else self.changed(events)
        except OSError as error:
            raise self._unreadable(error) from None

    def _opened(self) -> BufferedReader:
        try:
            return opened(self.path)
        except (OSError, ValueError) as error:  # a name may hold a NUL
            raise self._unreadable(error) from None

    def _beside(self, name: str) -> BufferedReader | None:
        path = os.path.join(os.path.dirname(self.path), name)  # noqa: PTH118, PTH120  # pathlib costs 12 ms
        try:
            stream = open(path, "rb", opener=_regular)  # noqa: SIM115  # the reader closes it
        except OSError:
            return None
        return stream

    def _unreadable(self, error: OSError | ValueError) -> InputError:
        reason = getattr(error, "strerror", None) or str(error)
        return InputError(f"cannot read '{show_line(self.name)}': {reason.lower()}")


def _regular(path: str, flags: int) -> int:
    """Opens a file that is no link, pipe or device; OSError otherwise."""
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
    if not S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError("not a regular file")
    return descriptor
