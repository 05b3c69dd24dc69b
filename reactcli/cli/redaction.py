"""`--redact` and `--secret`, for every command that hands a trace on: secrets leave it, and stderr counts them."""

from __future__ import annotations

import os

from reactcli.cli.options import Option, UsageError
from reactcli.render import Safe
from reactcli.render.sanitise import show_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from reactcli.cli.shell import Shell
    from reactcli.redact import Redactor

SHORTEST = 4
"""Characters of a secret that is told apart from ordinary text."""


def secret(text: str) -> str:
    if len(text.strip()) < SHORTEST:
        raise UsageError(f"a secret of fewer than {SHORTEST} characters stands in any text", hint="give a longer one")
    return text


REDACT = Option(("--redact",), "Replace secrets by [REDACTED:kind]: of the environment, of vendors, by name.")
SECRET = Option(("--secret",), "Redact this value too, in any encoding.", "VALUE", repeated=True, convert=secret)


def redactor(values: Mapping[str, Any]) -> Redactor | None:
    """What takes the secrets out, if that is asked for."""
    if not values["redact"] and not values["secret"]:
        return None
    from reactcli.redact import Redactor, environment_secrets  # 10 ms, only where it is asked for

    given = [("secret", value) for value in values["secret"]]
    return Redactor([*given, *environment_secrets(os.environ)])


def say_redacted(used: Redactor | None, shell: Shell) -> None:
    if used is not None and not shell.quiet:
        shell.note(Safe(show_line(used.summary(), 400)))
