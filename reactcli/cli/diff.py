"""`reactcli diff`: where two runs part."""

from __future__ import annotations

from reactcli.cli.input import InputError
from reactcli.cli.options import Argument, Command, Option
from reactcli.cli.replay import DAMAGE, Findings
from reactcli.cli.selection import number, one_episode
from reactcli.cli.tracefile import MAP, MAX_INPUT, TraceFile, asked
from reactcli.comparison import parse_pattern
from reactcli.differences import compare
from reactcli.errors import FormatError
from reactcli.formats import trace_of
from reactcli.render import Safe
from reactcli.render.changes import comparison_text
from reactcli.render.sanitise import show_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from reactcli.cli.shell import Shell
    from reactcli.differences import Change, Comparison, Difference
    from reactcli.trace import Trace

SCHEMA = "reactcli/diff@1"


def run(values: Mapping[str, Any], shell: Shell) -> int:
    try:
        one, damaged = _read(values["first"], values, shell)
        other, also_damaged = _read(values["second"], values, shell)
    except FormatError as error:  # 1 is for differences
        raise InputError(error.message, hint=error.hint) from None
    found = compare(one, other, values["normalize"])
    names = (show_line(values["first"]), show_line(values["second"]))
    if values["format"] == "json":
        shell.write_json(_document(found, names), 2)
        shell.out.write(Safe("\n"))
    else:
        for piece in comparison_text(found, names, coloured=shell.out.is_coloured):
            shell.out.write(piece)
    return 2 if damaged or also_damaged else 0 if found.is_same else 1


def _read(path: str, values: Mapping[str, Any], shell: Shell) -> tuple[Trace, int]:
    with TraceFile(path, limit=values["max_input"], paths=values["map"]) as file:
        findings = Findings(shell, file.name, DAMAGE)
        trace = trace_of(findings.watched(file.events()))
        findings.demand()
        return one_episode(trace, values["episode"]), findings.code()


def _document(found: Comparison, names: tuple[str, str]) -> dict[str, Any]:
    first = found.changes[0] if found.changes else None
    return {
        "schema": SCHEMA,
        "same": found.is_same,
        "files": list(names),
        "steps": list(found.steps),
        "first": (first.one or first.other) if first is not None else None,
        "trace": [_difference(difference) for difference in found.whole],
        "changes": [_change(change) for change in found.changes],
    }


def _change(change: Change) -> dict[str, Any]:
    step = change.step
    return {
        "kind": change.kind,
        "first": change.one or None,
        "second": change.other or None,
        "step": None if step is None else {**step.contract(), "observation": step.observation},
        "fields": [_difference(difference) for difference in change.differences],
    }


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "field": difference.field,
        "path": list(difference.path),
        "first": difference.one,
        "second": difference.other,
    }


COMMAND = Command(
    name="diff",
    summary="Say where two recorded runs differ, step by step.",
    details="Steps are aligned first, so that an inserted step is one difference. The same arguments in another order, "
    "or plain text wrapped in an object, are no difference. Exits with 0 if there is none, 1 if there is any, and 2 if "
    "a file cannot be read, or is damaged.",
    examples=("reactcli diff old.jsonl new.jsonl", "reactcli diff --normalize '[0-9]+ ms=TIME' a.json b.json"),
    run=run,
    arguments=(Argument("first", "A", "A trace."), Argument("second", "B", "The other trace.")),
    options=(
        Option(("--format",), "How to print.", choices=("text", "json"), default="text"),
        Option(("--episode",), "Compare this episode of each.", metavar="N", convert=asked(number)),
        Option(
            ("--normalize",),
            "Take what matches in observations for TEXT.",
            metavar="REGEX=TEXT",
            repeated=True,
            convert=asked(parse_pattern),
        ),
        MAP,
        MAX_INPUT,
    ),
)
