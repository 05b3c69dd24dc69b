"""Standard output and standard error: the only module that writes.

Bytes go straight to the descriptor, in UTF-8 whatever the locale says. Writing to a pipe that nobody reads raises
BrokenPipeError; anything else that keeps results from arriving raises OutputError. Standard error never raises.
"""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext

from reactcli.errors import ReactcliError
from reactcli.render import Safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager
    from typing import TextIO

    from rich.console import RenderableType

BUFFERED = 1 << 16
"""Text that is held before it is written; a caller that is about to wait for input calls `flush` first."""

NARROWEST, WIDEST = 40, 1000
"""Columns of a table, whatever the terminal claims to have."""


class OutputError(ReactcliError):
    """Results cannot be written: exit 1."""


class Output:
    """One of the two streams."""

    def __init__(self, name: str, color: str = "auto") -> None:
        self._name = name
        stream: TextIO | None = getattr(sys, name)
        self._stream = stream
        self._descriptor = _descriptor(stream)
        self.is_terminal = self._descriptor is not None and os.isatty(self._descriptor)
        self.is_coloured = is_coloured(color, os.environ, is_terminal=self.is_terminal)
        self._held: list[str] = []
        self._size = 0

    def write(self, text: Safe) -> None:
        self.write_raw(text)

    def write_raw(self, text: str) -> None:
        """For text that was asked for as it is, and never for a terminal."""
        self._held.append(text)
        self._size += len(text)
        if self._size >= BUFFERED:
            self.flush()

    def flush(self) -> None:
        # a lone surrogate has no UTF-8 and becomes `\ud800`
        content = "".join(self._held).encode("utf-8", "backslashreplace")
        self._held.clear()
        self._size = 0
        if content:
            self._deliver(content)

    def write_bytes(self, content: bytes) -> None:
        """Output that another process made with a `Kept`."""
        self.flush()
        self._deliver(content)

    def _deliver(self, content: bytes) -> None:
        try:
            self._send(content)
        except BrokenPipeError:
            raise
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "it is closed"
            raise OutputError(f"cannot write to {self._name}: {reason.lower()}") from None

    @property
    def columns(self) -> int | None:
        """Of the terminal; None if this is none."""
        return _width() if self.is_terminal else None

    def rendered(self, renderable: RenderableType) -> Safe:
        """A renderable as text, in the width of the terminal. Its texts must have passed the gate."""
        from io import StringIO

        from rich.console import Console  # 40 ms, for tables only

        console = Console(
            file=StringIO(),
            width=_width(),
            force_terminal=self.is_coloured,
            color_system="standard" if self.is_coloured else None,
            legacy_windows=False,
            markup=False,
            highlight=False,
            emoji=False,
            soft_wrap=True,
        )
        with console.capture() as capture:
            console.print(renderable)
        return Safe(capture.get())

    def _send(self, content: bytes) -> None:
        if self._descriptor is None:
            if self._stream is None:
                raise ValueError
            self._stream.buffer.write(content)
            return
        rest = memoryview(content)
        while rest:
            try:
                rest = rest[os.write(self._descriptor, rest) :]
            except BlockingIOError:  # the other end made the pipe non-blocking
                _wait_until_writable(self._descriptor)


class Kept(Output):
    """Standard output of a process that another one writes for: what it says is kept."""

    def __init__(self) -> None:
        super().__init__("stdout", "never")
        self._sent: list[bytes] = []

    def content(self) -> bytes:
        self.flush()
        return b"".join(self._sent)

    def _send(self, content: bytes) -> None:
        self._sent.append(content)


class Notes(Output):
    """Standard error: what cannot be said there is left unsaid."""

    def __init__(self, color: str = "auto") -> None:
        super().__init__("stderr", color)

    def say(self, text: Safe) -> None:
        self.write(text)
        try:
            self.flush()
        except (OSError, OutputError):
            return

    def busy(self, text: Safe) -> AbstractContextManager[object]:
        """A spinner and a text for as long as something takes; nothing where this is no terminal."""
        if not self.is_terminal:
            return nullcontext()
        from rich.console import Console  # 40 ms, on terminals only
        from rich.text import Text

        return Console(file=self._stream, legacy_windows=False).status(Text(text))


def is_coloured(color: str, environment: Mapping[str, str], *, is_terminal: bool) -> bool:
    """The option decides, then NO_COLOR, then FORCE_COLOR, then whether it is a terminal that knows colours."""
    if color != "auto":
        return color == "always"
    if environment.get("NO_COLOR"):
        return False
    return bool(environment.get("FORCE_COLOR")) or (is_terminal and environment.get("TERM") != "dumb")


def _descriptor(stream: TextIO | None) -> int | None:
    """None if the stream is closed, or stands for something in memory."""
    try:
        return None if stream is None else stream.fileno()
    except (OSError, ValueError):
        return None


def _wait_until_writable(descriptor: int) -> None:
    from select import select

    select([], [descriptor], [])


def _width() -> int:
    from shutil import get_terminal_size  # 7 ms

    return min(max(get_terminal_size().columns, NARROWEST), WIDEST)
