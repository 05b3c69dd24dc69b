"""From the words of a command line to an exit code: finds the command, reads its options, runs it, explains failure.

Exit codes: 0 fine; 1 the input has something wrong; 2 wrong usage, or something that cannot be read or loaded; 141
nobody reads the output any more; 130 and 143, for signals, are in `__main__`. An error is one line of at most 500 bytes
on stderr, through the gate; REACTCLI_DEBUG=1 shows where it came from.
"""

from __future__ import annotations

import os
from importlib import import_module

from reactcli.cli.options import Command, NoInputError, UsageError, converted, read
from reactcli.cli.output import Notes, Output, OutputError
from reactcli.errors import FormatError, ReactcliError
from reactcli.render import Safe
from reactcli.render.sanitise import json_text, show_line
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

PROGRAM = "reactcli"
COMPLETION = "_REACTCLI_COMPLETE"
"""The environment variable through which a shell asks for completions."""

COMMANDS = (
    "parse", "exec", "run", "prompt", "replay", "diff", "convert", "lint", "explain", "stats", "tools", "dialects",
)  # fmt: skip
"""Each is the `COMMAND` of the module of its name; they are listed in this order."""

LONGEST_ERROR = 500
"""Bytes of an error line."""


class Shell(Value):
    """What a command may say and where."""

    out: Output
    notes: Notes
    quiet: bool = False
    verbose: bool = False

    def write_json(self, value: object, indent: int | None = None) -> None:
        """JSON on stdout, without a line end; in colours where they are wanted."""
        text = json_text(value, indent)
        if self.out.is_coloured:
            from reactcli.render.console import paint_json

            text = paint_json(text)
        self.out.write(text)

    def note(self, text: Safe) -> None:
        """A line for people, on stderr."""
        self.notes.say(Safe(f"{text}\n"))


def main(argv: list[str]) -> int:
    """Runs a command line (without the program's name) and returns the exit code. Raises nothing."""
    return guarded(lambda: _run(argv))


def command(name: str) -> Command:
    found: Command = import_module(f"reactcli.cli.{name}").COMMAND
    return found


def run_command(chosen: Command, values: Mapping[str, Any]) -> int:
    """Runs a command with the values of its arguments and options."""
    shell = Shell(Output("stdout", values["color"]), Notes(values["color"]), values["quiet"], values["verbose"])
    try:
        code = chosen.run(converted(chosen, values), shell)
    except NoInputError as error:
        raise UsageError(error.message, hint=f"usage: {chosen.usage}, as in: {chosen.examples[0]}") from None
    shell.out.flush()
    return code


def guarded(run: Callable[[], int]) -> int:
    """The one place where errors become exit codes."""
    try:
        return run()
    except BrokenPipeError:
        _discard_output()
        return 141
    except ReactcliError as error:
        _explain(error, error.message, error.hint)
        return 1 if isinstance(error, OutputError | FormatError) else 2
    except MemoryError as error:
        _explain(error, "out of memory", "")
    except OSError as error:  # Typer writes help itself
        _discard_output()
        _explain(error, (error.strerror or str(error)).lower(), "")
    except Exception as error:  # noqa: BLE001  # the shell's rim: whatever it is, people get one line
        _explain(error, f"internal error: {type(error).__name__}: {error}", "REACTCLI_DEBUG=1 shows where")
    return 1


def explain(message: str, hint: str) -> None:
    """One error line on stderr. Both texts may quote what nobody has checked."""
    line = show_line(f"{PROGRAM}: {message}" + (f"; {hint}" if hint else ""), LONGEST_ERROR)
    cut = line.encode("utf-8", "replace")[: LONGEST_ERROR - 1].decode("utf-8", "ignore")
    Notes().say(Safe(f"{cut}\n"))


def _run(argv: list[str]) -> int:
    if argv and argv[0] in COMMANDS and COMPLETION not in os.environ:
        chosen = command(argv[0])
        values = read(chosen, argv[1:])
        if values is not None:
            return run_command(chosen, values)
    from reactcli.cli.app import app  # 45 ms, for help, completion and mistakes

    code: int = app(argv, standalone_mode=False) or 0
    return code


def _explain(error: BaseException, message: str, hint: str) -> None:
    if os.environ.get("REACTCLI_DEBUG") == "1":
        import traceback  # 3 ms

        Notes().say(Safe("\n".join(map(show_line, "".join(traceback.format_exception(error)).split("\n")))))
    if isinstance(error, OutputError):
        _discard_output()
    explain(message, hint)


def _discard_output() -> None:
    """Keeps Python from trying again, and failing loudly, when it flushes at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
