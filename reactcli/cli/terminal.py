"""Questions to the person at the terminal, whatever standard input and output are."""

from __future__ import annotations

import os

from reactcli.cli.options import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reactcli.render import Safe

TERMINAL = "/dev/tty"
"""The terminal that controls the program, and no file that happens to be its input."""


def is_confirmed(question: Safe) -> bool:
    """Whether the answer is yes. UsageError if there is no terminal to ask on."""
    try:
        terminal = os.open(TERMINAL, os.O_RDWR | os.O_NOCTTY)
    except OSError:
        raise UsageError("--confirm asks on the terminal, and there is none", hint="leave --confirm away") from None
    try:
        os.write(terminal, f"{question} [y/N] ".encode("utf-8", "backslashreplace"))
        answer = os.read(terminal, 100)
    finally:
        os.close(terminal)
    return answer.strip().lower() in {b"y", b"yes"}
