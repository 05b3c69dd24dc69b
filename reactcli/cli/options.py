"""Commands and options as data: declared once, read by two readers.

`read` here understands every well-formed command line and loads nothing. What it does not understand (help, completion,
a mistake of any kind) goes to Typer in `app.py`, which is built from the same declarations and knows how to explain.
Importing Typer costs five times what Python itself takes to start; a test holds the two readers together.
"""

from __future__ import annotations

from reactcli.errors import ReactcliError
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from reactcli.cli.shell import Shell


class UsageError(ReactcliError):
    """The command line is wrong: exit 2."""


class NoInputError(UsageError):
    """There is no file, and nobody pipes anything in; the answer is the usage of the command."""


class Option(Value):
    """A switch if it has neither a metavar nor choices, else it takes a value."""

    flags: tuple[str, ...]
    """The long spelling first: its words are the name of the value."""
    help: str
    metavar: str = ""
    choices: tuple[str, ...] = ()
    default: Any = None
    """Shown in help; a switch is False unless given, whatever stands here."""
    repeated: bool = False
    """Given any number of times; the value is a tuple."""
    convert: Callable[[str], object] | None = None
    """Makes a value of the text; UsageError if it cannot."""

    @property
    def name(self) -> str:
        words = self.flags[0].removeprefix("--").replace("-", "_")
        return f"{words}_" if words == "from" else words  # Typer makes a parameter of it

    @property
    def is_switch(self) -> bool:
        return not self.metavar and not self.choices

    @property
    def unset(self) -> object:
        """The value when the option is not given."""
        if self.is_switch:
            return False
        return () if self.repeated else self.default


class Argument(Value):
    name: str
    metavar: str
    help: str
    repeated: bool = False
    """Takes all that is left, none included; otherwise exactly one."""
    default: Any = None
    """None means that it must be given."""


class Command(Value):
    """One command. `run` is given the values of all arguments and options by name, and returns the exit code."""

    name: str
    summary: str
    """Starts with a verb; one line."""
    details: str
    examples: tuple[str, ...]
    """Lines to paste."""
    run: Callable[[Mapping[str, Any], Shell], int]
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()

    @property
    def usage(self) -> str:
        return " ".join(("reactcli", self.name, "[OPTIONS]", *(argument.metavar for argument in self.arguments)))


SHARED = (
    Option(("--color",), "Colour the output.", choices=("auto", "always", "never"), default="auto"),
    Option(("--quiet", "-q"), "Print no diagnostics."),
    Option(("--verbose", "-v"), "Say more on stderr."),
)
"""Options of every command, accepted before and after its name."""


def read(command: Command, argv: list[str]) -> dict[str, Any] | None:
    """The values of a well-formed command line, defaults filled in; None if it takes Typer to deal with it."""
    options = (*SHARED, *command.options)
    by_flag = {flag: option for option in options for flag in option.flags}
    values: dict[str, Any] = {option.name: option.unset for option in options}
    rest = _read_options(argv, by_flag, values)
    if rest is None or not _place(command.arguments, rest, values):
        return None
    return values


def converted(command: Command, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with each option's text converted; UsageError names the option that has a wrong one."""
    ready = dict(values)
    for option in command.options:
        text = values[option.name]
        if option.convert is None or not isinstance(text, str | tuple):
            continue
        try:
            ready[option.name] = option.convert(text) if isinstance(text, str) else tuple(map(option.convert, text))
        except UsageError as error:
            raise UsageError(f"{option.flags[0]}: {error.message}", hint=error.hint) from None
    return ready


def _read_options(argv: list[str], by_flag: dict[str, Option], values: dict[str, Any]) -> list[str] | None:
    """Sets what the options say, returns the arguments between them."""
    rest: list[str] = []
    words = iter(argv)
    for word in words:
        if word == "--":
            return [*rest, *words]
        if word == "-" or not word.startswith("-"):
            rest.append(word)
            continue
        flag, equals, text = word.partition("=") if word.startswith("--") else (word, "", "")
        option = by_flag.get(flag)
        if option is None or (option.is_switch and equals):
            return None
        if option.is_switch:
            values[option.name] = True
        elif not _set(option, text if equals else next(words, None), values):
            return None
    return rest


def _set(option: Option, text: str | None, values: dict[str, Any]) -> bool:
    if text is None or (option.choices and text not in option.choices):
        return False
    values[option.name] = (*values[option.name], text) if option.repeated else text
    return True


def _place(arguments: tuple[Argument, ...], words: list[str], values: dict[str, Any]) -> bool:
    """Gives each argument its word or words; whether that came out even."""
    for i, argument in enumerate(arguments):
        if argument.repeated:
            behind = len(arguments) - i - 1
            values[argument.name] = tuple(words[: len(words) - behind])
            words = words[len(words) - behind :]
        elif words:
            values[argument.name], *words = words
        elif argument.default is None:
            return False
        else:
            values[argument.name] = argument.default
    return not words
