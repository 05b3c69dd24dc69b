"""`reactcli exec`: run the action of one step, and print the observation."""

from __future__ import annotations

import contextlib
import json
import math

from reactcli.cli.input import STDIN, display_name, read_text, size, size_text
from reactcli.cli.options import Argument, Command, Option, UsageError
from reactcli.cli.verdict import Verdict
from reactcli.errors import ToolError
from reactcli.orders import PENDING, Order, completed, ordered, ordered_at, ordered_by_name
from reactcli.render.sanitise import show, show_line
from reactcli.tools.calls import RESULT_LIMIT, Call, LocalTools, Outcome, failed
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager
    from typing import Any

    from reactcli.cli.report import Scratchpad
    from reactcli.cli.shell import Shell
    from reactcli.isolation import Toolbox
    from reactcli.parser import ReActAgentParser
    from reactcli.tools import Tool


UNCOMPLETED = "the end of its input is missing, and cannot be told from the rest"
DEFAULT_MEMORY = 1 << 30
"""Bytes."""


class Options(Value):
    """The values of the options, by their names."""

    file: str
    tools: tuple[str, ...]
    step: int | str | None
    tool: str | None
    input: str | None
    set: tuple[tuple[str, Any], ...]
    dry_run: bool
    confirm: bool
    timeout: float | None
    max_output: int
    memory: int | None
    env: tuple[str, ...]
    format: str
    append: str | None
    append_reply: str | None
    allow_truncated: bool
    in_process: bool
    dialect: str
    max_input: int


def run(values: Mapping[str, Any], shell: Shell) -> int:
    from reactcli.cli.report import Manner, Report
    from reactcli.parser import ReActAgentParser

    options = _checked(Options(**{field: values[field] for field in Options._fields}))
    parser = ReActAgentParser(options.dialect)
    order = _order(options, parser, shell)
    layout = "jsonl" if options.format == "json" and len(order.calls) > 1 else options.format
    report = Report(shell, order.step, parser, Manner(layout, options.dry_run))
    with contextlib.ExitStack() as stack:
        scratchpad = stack.enter_context(_scratchpad(options, order, parser))
        if order.step.is_final:
            return report.final(scratchpad)
        if order.problem:
            return report.add(failed("parse_error", None, order.problem), scratchpad)
        tools = stack.enter_context(_tools(options, shell))
        return max(report.add(_outcome(call, tools, options), scratchpad) for call in order.calls)


def seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 < found < math.inf:
        raise UsageError(f"'{show_line(text)}' is no time", hint="write seconds, such as 30 or 0.5")
    return found


def variable(text: str) -> str:
    """The name of an environment variable; UsageError if it is none."""
    if not text or "=" in text or "\0" in text:
        raise UsageError(f"'{show_line(text)}' is no name of a variable", hint="its value is taken from this process")
    return text


def _longest(text: str) -> int:
    found = size(text)
    if found > RESULT_LIMIT:
        raise UsageError(f"'{show_line(text)}' is too much", hint=f"no result has more than {size_text(RESULT_LIMIT)}")
    return found


def _checked(options: Options) -> Options:
    """UsageError if options are missing, or exclude each other."""
    if not options.tools:
        raise UsageError("no tools are given", hint="--tools FILE.py, or --tools package.module, says where they are")
    if options.tool is None and options.input is not None:
        raise UsageError("--input is the input of --tool", hint="add --tool NAME")
    if options.tool is not None and (options.file != STDIN or options.step is not None):
        raise UsageError("--tool calls a tool without any transcript", hint="leave the file and --step away")
    if options.dry_run and options.confirm:
        raise UsageError("--dry-run and --confirm exclude each other", hint="choose one")
    if options.append_reply is not None and options.append is not None:
        raise UsageError("--append and --append-reply exclude each other", hint="choose one")
    if options.append_reply is not None and (options.tool is not None or options.step is not None):
        raise UsageError("--append-reply needs a reply", hint="--append appends the observation only")
    limits = {"--timeout": options.timeout, "--memory": options.memory, "--env": options.env}
    if options.in_process and (given := [name for name, value in limits.items() if value]):
        raise UsageError(f"{given[0]} has no effect with --in-process", hint="leave one of them away")
    return options


def _order(options: Options, parser: ReActAgentParser, shell: Shell) -> Order:
    """What is to be done; what was noticed on the way is printed."""
    if options.tool is not None:
        order = ordered_by_name(options.tool, options.input)
        name, text, noticed = "--input", options.input or "", order.diagnostics
    else:
        read = read_text(options.file, options.max_input)
        order = ordered(parser, read.text) if options.step is None else ordered_at(parser, read.text, options.step)
        name, text, noticed = display_name(options.file), read.text, (*read.diagnostics, *order.diagnostics)
    Verdict(shell, is_strict=False, is_explained=False, is_counted=False).add(name, text, noticed)
    return order


def _scratchpad(options: Options, order: Order, parser: ReActAgentParser) -> AbstractContextManager[Scratchpad | None]:
    """The file to append to, opened before anything runs; a dry run leaves it alone."""
    from reactcli.cli.report import Scratchpad

    if options.append_reply is not None and not options.dry_run:
        from reactcli.replies import is_idle_at_end, readable

        def reply(cue: str, tail: str) -> str:
            is_behind_idle = is_idle_at_end(tail, parser)
            return readable(order.used, order.step, parser, cue, is_behind_idle=is_behind_idle)

        return Scratchpad(options.append_reply, reply)
    if options.append is None or options.dry_run or order.step.is_final:
        return contextlib.nullcontext()
    return Scratchpad(options.append)


def _tools(options: Options, shell: Shell) -> AbstractContextManager[Toolbox | LocalTools]:
    if options.in_process:
        shell.note(show("--in-process: nothing limits or contains the tools, and what they print is mixed in"))
        return contextlib.nullcontext(LocalTools(_loaded(options.tools)))
    from reactcli.isolation import Limits, Toolbox

    return Toolbox(options.tools, Limits(options.timeout or 30.0, options.memory or DEFAULT_MEMORY, options.env))


def _loaded(specs: tuple[str, ...]) -> dict[str, Tool]:
    from reactcli.tools.loading import load
    from reactcli.tools.results import failure

    tools: dict[str, Tool] = {}
    for spec in specs:
        try:
            found = load(spec)
        except ToolError:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001  # a module may raise anything
            raise ToolError(f"'{spec}' cannot be loaded: {failure(error)}") from None
        if twice := tools.keys() & found.keys():
            raise ToolError(f"two modules have a tool '{min(twice)}'", hint="rename one of them")
        tools |= found
    return tools


def _outcome(call: Call, tools: Toolbox | LocalTools, options: Options) -> Outcome:
    is_dry = options.dry_run or options.confirm
    call = call.replace(changes=dict(options.set), dry=is_dry, longest=options.max_output)
    if call.truncated and options.allow_truncated:
        call = completed(call)
        if call.truncated:
            return failed("bad_arguments", call.tool, f"'{call.tool}' was not run: {UNCOMPLETED}")
    outcome = tools.call(call, seconds=options.timeout)
    if not options.confirm or outcome.status != "ok":
        return outcome
    from reactcli.cli.terminal import is_confirmed
    from reactcli.tools.binding import written

    if is_confirmed(show(f"run {written(str(call.tool), outcome.arguments or {})}?")):
        return tools.call(call.replace(dry=False), seconds=options.timeout)
    return failed("denied", call.tool, "the user did not allow this call").replace(arguments=outcome.arguments)


def _change(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    try:
        if equals and key:
            return key, json.loads(value)
    except (ValueError, RecursionError):
        pass
    raise UsageError(f"'{show_line(text)}' is not KEY=JSON", hint="text is quoted, as in --set 'query=\"kelp\"'")


def _which_step(text: str) -> int | str:
    if text == PENDING:
        return text
    if text.isascii() and text.isdigit() and len(text) < 10 and int(text):
        return int(text)
    raise UsageError(f"'{show_line(text)}' is no step", hint=f"write a number from 1, or {PENDING}")


COMMAND = Command(
    name="exec",
    summary="Run the action of one step, and print the observation.",
    details="Reads one reply of a model, or with --step a transcript, finds the tool that its action names, and calls "
    "it in a process of its own. Prints `Observation: …`, ready to be appended, also when the tool fails: it exits "
    "with 1, or with 2 if there is no such step or no tools: then nothing is printed or appended. For "
    "a final answer prints `Final Answer: …`. A tool can do whatever you can do: its time and memory are "
    "limited, and nothing that it starts is left running, but this is no sandbox.",
    examples=(
        "reactcli exec --tools tools.py < out.txt",
        "reactcli exec --tools tools.py --step pending --append scratchpad.txt scratchpad.txt",
        "reactcli exec --tools tools.py --append-reply scratchpad.txt out.txt",
        "reactcli exec --tools tools.py --tool search --input 'Denali' --dry-run",
    ),
    run=run,
    arguments=(Argument("file", "[FILE]", "The text with the action; stdin if there is none.", default=STDIN),),
    options=(
        Option(("--tools",), "Where the tools are: FILE.py or package.module, :NAME for one.", "SPEC", repeated=True),
        Option(("--step",), f"Run this step of a transcript: a number, or {PENDING}.", "N", convert=_which_step),
        Option(("--tool",), "Call this tool, without any transcript.", metavar="NAME"),
        Option(("--input",), "The input for --tool.", metavar="TEXT"),
        Option(("--set",), "Set an argument over the input's.", "KEY=JSON", repeated=True, convert=_change),
        Option(("--dry-run",), "Print the call with its arguments, and do not make it."),
        Option(("--confirm",), "Ask on the terminal before the call."),
        Option(("--timeout",), "Seconds for a call; 30, or what the tool sets, if not given.", "S", convert=seconds),
        Option(("--max-output",), "The longest observation; its middle is cut.", "SIZE", (), "100K", convert=_longest),
        Option(("--memory",), "Memory that a tool may use; 1G if not given.", metavar="SIZE", convert=size),
        Option(("--env",), "Let tools see this environment variable.", "NAME", repeated=True, convert=variable),
        Option(("--format",), "How to print.", choices=("text", "json"), default="text"),
        Option(("--append",), "Append the observation to this file as well.", metavar="FILE"),
        Option(("--append-reply",), "Append the reply, as far as it was read, and the observation.", "FILE"),
        Option(("--allow-truncated",), "Run an action whose input was cut off, as far as it can be completed."),
        Option(("--in-process",), "Call tools in this process, for a debugger; nothing contains them."),
        Option(("--dialect",), "Read this dialect; `reactcli dialects` lists them.", metavar="NAME", default="auto"),
        Option(("--max-input",), "The longest text that is read.", metavar="SIZE", default="64M", convert=size),
    ),
)
