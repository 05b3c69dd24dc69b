"""The Typer app: help, completion, and the explanation of mistakes, made from the same declarations that `read` uses.

Loaded only when `options.read` declines a command line. Plain help: no markup, so that nothing in it is interpreted.
"""

from __future__ import annotations

import enum
import inspect
import os
import sys
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from reactcli import __version__
from reactcli.cli.options import SHARED, Argument, Command, Option, UsageError
from reactcli.cli.output import Notes, Output
from reactcli.cli.shell import COMMANDS, COMPLETION, PROGRAM, command, guarded, run_command
from reactcli.render import Safe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ABOUT = """Parse, execute and replay ReAct agent transcripts.

\b
Examples:
  reactcli parse < out.txt
  reactcli dialects
"""

VERSION = Option(("--version", "-V"), "Print the version and exit.")


class _Group(TyperGroup):
    """Typer's group, but its errors and its exit codes are ours."""

    def main(self, args: Any = None, *, standalone_mode: bool = True, **_named: Any) -> int:  # type: ignore[override]
        # nobody calls it with more than one positional argument
        words = list(sys.argv[1:] if args is None else args)
        code = guarded(lambda: self._main(words))
        if standalone_mode:
            sys.exit(code)
        return code

    def _main(self, words: list[str]) -> int:
        if not words and COMPLETION not in os.environ:
            usage = self.make_context(PROGRAM, [], resilient_parsing=True).get_help()
            Notes().say(Safe(f"{usage}\n"))
            return 2
        try:
            return super().main(words, PROGRAM, standalone_mode=False) or 0
        except Exception as error:
            # the class has moved between modules from release to release; the method has not
            message = getattr(error, "format_message", None)
            if message is None:
                raise
            raise _as_usage_error(message(), getattr(error, "ctx", None)) from None


def build(commands: Iterable[Command]) -> typer.Typer:
    built = typer.Typer(
        name=PROGRAM,
        cls=_Group,
        help=ABOUT,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    built.callback(invoke_without_command=True)(_as_function(_keep_shared, (), (*SHARED, VERSION)))
    for declared in commands:
        built.command(declared.name, help=_help(declared), short_help=declared.summary)(_as_function(*_parts(declared)))
    return built


def _as_usage_error(message: str, context: typer.Context | None) -> UsageError:
    path = context.command_path if context is not None else PROGRAM
    message = message.rstrip(".")
    return UsageError(message[:1].lower() + message[1:], hint=f"`{path} --help` shows what there is")


def _parts(declared: Command) -> tuple[Callable[..., int], tuple[Argument, ...], tuple[Option, ...]]:
    def call(ctx: typer.Context, **values: Any) -> int:
        before = ctx.parent.params if ctx.parent else {}
        for option in SHARED:
            if values[option.name] == option.unset:
                values[option.name] = _plain(before.get(option.name, option.unset))
        return run_command(declared, values)

    return call, declared.arguments, (*SHARED, *declared.options)


def _keep_shared(ctx: typer.Context, *, version: bool, **_shared: Any) -> None:
    """The values stay in the context, where the command finds them."""
    if version:
        out = Output("stdout")
        out.write(Safe(f"{PROGRAM} {__version__}\n"))
        out.flush()
        ctx.exit()
    if ctx.invoked_subcommand is None:
        ctx.fail("missing command")


def _as_function(
    call: Callable[..., Any], arguments: tuple[Argument, ...], options: tuple[Option, ...]
) -> Callable[..., Any]:
    """A function with the signature that Typer reads declarations from."""

    def declared(ctx: typer.Context, **values: Any) -> Any:
        return call(ctx, **{name: _plain(value) for name, value in values.items()})

    types: dict[str, Any] = {"ctx": typer.Context}
    parameters = [inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)]
    for name, kind, default in (*map(_argument, arguments), *map(_option, options)):
        types[name] = kind
        parameters.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind))
    declared.__annotations__ = types
    declared.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # where inspect looks first
    return declared


def _argument(argument: Argument) -> tuple[str, Any, Any]:
    kind = list[str] if argument.repeated else str
    default = [] if argument.repeated else ... if argument.default is None else argument.default
    declared = typer.Argument(default, metavar=argument.metavar, help=argument.help, show_default=False)
    return argument.name, kind, declared


def _option(option: Option) -> tuple[str, Any, Any]:
    kind: Any = bool if option.is_switch else _choice(option) if option.choices else str
    default = kind(option.unset) if option.choices and option.unset is not None else option.unset
    if option.repeated:
        kind, default = list[kind], []
    shown = option.default is not None and not option.is_switch
    declared = typer.Option(
        default, *option.flags, metavar=option.metavar or None, help=option.help, show_default=shown
    )
    return option.name, kind, declared


def _choice(option: Option) -> Any:
    """Typer takes closed sets as enums."""
    choices = {choice: choice for choice in option.choices}
    return enum.Enum("Choice", choices)


def _plain(value: Any) -> Any:
    """What `options.read` would have made of it."""
    if isinstance(value, enum.Enum):
        return value.value
    return tuple(map(_plain, value)) if isinstance(value, list) else value


def _help(declared: Command) -> str:
    examples = "\n".join(f"  {line}" for line in declared.examples)
    return f"{declared.summary}\n\n{declared.details}\n\n\b\nExamples:\n{examples}"


app = build(map(command, COMMANDS))
