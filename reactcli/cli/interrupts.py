"""Signals while a run goes: the first ends it with its trace whole, the second ends the program."""

from __future__ import annotations

import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Self

    from reactcli.engine import ReActEngine

_REASONS = {signal.SIGINT: "interrupted by Ctrl-C", signal.SIGTERM: "terminated", signal.SIGHUP: "the terminal is gone"}


class Interrupts:
    """In the `with` block, a signal is a reason for the engine to stop. `number` is the signal that came, or None."""

    def __init__(self, engine: ReActEngine) -> None:
        self.number: int | None = None
        self._engine = engine
        self._before: list[tuple[signal.Signals, object]] = []

    def __enter__(self) -> Self:
        for number in _REASONS:
            before = signal.getsignal(number)
            if before is not signal.SIG_IGN:  # as under nohup
                self._before.append((number, before))
                signal.signal(number, self._come)
        return self

    def __exit__(self, *_error: object) -> None:
        for number, before in self._before:
            signal.signal(number, before)  # type: ignore[arg-type]  # what getsignal gave

    def _come(self, number: int, _frame: FrameType | None) -> None:
        if self.number is not None:
            os._exit(128 + number)
        self.number = number
        self._engine.interruption = _REASONS[signal.Signals(number)]
        if self._engine.is_waiting:
            raise KeyboardInterrupt(self._engine.interruption)
