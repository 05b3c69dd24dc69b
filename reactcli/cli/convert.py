"""`reactcli convert`: a trace in one format, written in another."""

from __future__ import annotations

from reactcli.cli.options import Argument, Command, Option, UsageError
from reactcli.cli.outfile import STDOUT, check_target, write_file
from reactcli.cli.redaction import REDACT, SECRET, redactor, say_redacted
from reactcli.cli.replay import DAMAGE, Findings
from reactcli.cli.selection import number, one_episode
from reactcli.cli.tracefile import MAP, MAX_INPUT, TraceFile, asked
from reactcli.formats import WRITERS, react_text, trace_of
from reactcli.render.sanitise import show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from reactcli.cli.shell import Shell
    from reactcli.trace import Trace


def run(values: Mapping[str, Any], shell: Shell) -> int:
    if values["to"] is None:
        raise UsageError("--to is missing", hint=f"it is one of: {', '.join(WRITERS.names)}")
    write = WRITERS.get(values["to"])
    dialect = values["dialect"]
    if dialect is not None and write is not react_text.write:
        raise UsageError("--dialect says how ReAct text is written", hint="add --to react")
    if values["output"] is not None:
        check_target(values["output"], force=values["force"])
    wanted = redactor(values)
    with TraceFile(values["trace"], limit=values["max_input"], paths=values["map"]) as file:
        file.changed = wanted.events if wanted is not None else None
        findings = Findings(shell, file.name, DAMAGE)
        trace = trace_of(findings.watched(file.events()))
        findings.demand()
        trace = one_episode(trace, values["episode"])
    if wanted is not None:  # once more: what a later step told is a secret in the earlier ones too
        trace = wanted.trace(trace)
    _put(_written(trace, write, dialect), values, shell)
    say_redacted(wanted, shell)
    return findings.code()


def _written(trace: Trace, write: Any, dialect: str | None) -> Iterator[str]:
    return react_text.write(trace, dialect) if dialect is not None else write(trace)


def _put(pieces: Iterator[str], values: Mapping[str, Any], shell: Shell) -> None:
    """As it is into a file or a pipe, through the gate on a terminal."""
    if values["output"] not in {None, STDOUT}:
        write_file(values["output"], pieces, force=values["force"])
        return
    for piece in pieces:
        if shell.out.is_terminal:
            shell.out.write(show(piece))
        else:
            shell.out.write_raw(piece)


COMMAND = Command(
    name="convert",
    summary="Write a recorded run in another format.",
    details="Reads whatever `reactcli replay` reads. What the other format cannot hold is left out, but for our own, "
    'which holds everything. Where it demands an object as input, plain text becomes {"input": TEXT}. '
    "Exits with 0; with 1 if nothing was read or a record is damaged; and with 2 if the file cannot be read.",
    examples=(
        "reactcli convert trace.traj --to atif -o trajectory.json",
        "reactcli convert chat.json --to react --dialect zh",
        "reactcli convert trace.jsonl --to md > trace.md",
    ),
    run=run,
    arguments=(Argument("trace", "TRACE", "The trace; - for stdin."),),
    options=(
        Option(("--to",), f"One of {', '.join(WRITERS.names)}.", metavar="FORMAT"),
        Option(("--dialect",), f"Write ReAct text like this: {', '.join(react_text.WRITTEN)}.", metavar="NAME"),
        Option(("--output", "-o"), "Write to this file.", metavar="FILE"),
        Option(("--force",), "Replace a file that is there."),
        Option(("--episode",), "Convert this episode of several.", metavar="N", convert=asked(number)),
        REDACT,
        SECRET,
        MAP,
        MAX_INPUT,
    ),
)
