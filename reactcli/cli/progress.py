"""How far long work has come, on stderr: one line that is written over, on terminals only and after a while."""

from __future__ import annotations

from time import monotonic

from reactcli.render import Safe
from reactcli.render.statistics import BAR, bar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from reactcli.cli.shell import Shell

PATIENCE = 0.5
"""Seconds of work before anything is shown."""
PAUSE = 0.1
"""Seconds between two looks."""
CLEARED = Safe("\r\x1b[K")


class Progress:
    """Counts files; leaving the `with` block clears the line."""

    def __init__(self, shell: Shell, total: int) -> None:
        self._notes = shell.notes
        self._total = total
        self._done = 0
        self._next = monotonic() + PATIENCE
        self._is_shown = False
        self._is_wanted = shell.notes.is_terminal and not shell.quiet and total > 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._is_shown:
            self._notes.say(CLEARED)

    def step(self) -> None:
        """One more file is done."""
        self._done += 1
        if self._is_wanted and monotonic() >= self._next:
            self._next = monotonic() + PAUSE
            self._is_shown = True
            share = self._done / self._total
            self._notes.say(Safe(f"{CLEARED}{bar(share):{BAR}} {share:4.0%}  {self._done} of {self._total} files"))
