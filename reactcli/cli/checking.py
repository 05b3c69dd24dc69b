"""`replay --check`: the recording verified, or each of its actions run again and compared."""

from __future__ import annotations

from reactcli.cli.outfile import write_file
from reactcli.cli.replay import DAMAGE, LONGEST_LIST, UNFINISHED, Findings, Options
from reactcli.cli.selection import Numbered
from reactcli.formats import WRITERS, Recorded, trace_of
from reactcli.render import Safe
from reactcli.render.changes import text_difference
from reactcli.render.sanitise import show_line
from reactcli.render.walk import Look, value_text
from reactcli.replay import DIFFERS, DIVERGENT, MISSING, Rules, check, tally
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from reactcli.calls import Call, Outcome
    from reactcli.cli.shell import Shell
    from reactcli.cli.tracefile import TraceFile
    from reactcli.formats import Event
    from reactcli.replay import Checked

SCHEMA = "reactcli/check@1"


class Divergence(Value):
    """A call that did not come out as recorded, and where it stands."""

    step: int
    line: int
    """0 where the format has no lines."""
    checked: Checked

    def fields(self) -> dict[str, Any]:
        checked = self.checked
        return {
            "step": self.step,
            "line": self.line or None,
            "verdict": checked.verdict,
            "action": checked.action,
            "action_input": checked.action_input,
            "recorded": checked.recorded,
            "live": checked.live,
            "error": checked.error,
        }


def run_check(file: TraceFile, options: Options, shell: Shell) -> int:
    findings = Findings(shell, file.name, DAMAGE | UNFINISHED)
    if not options.tools:
        return _verify(file, findings, options, shell)
    from reactcli.isolation import Limits, Toolbox  # 10 ms, only where tools run

    with Toolbox(options.tools, Limits()) as toolbox:

        def call(one: Call) -> Outcome:
            return toolbox.call(one, seconds=options.timeout)

        events, checked, divergences = _run_again(file, findings, options, call)
    counts = tally(checked)
    if options.update is not None:
        pieces = WRITERS.get("reactcli")(trace_of(events))
        write_file(options.update, pieces, force=options.force)
    if options.format in {"json", "jsonl"}:
        _print_json(findings, counts, divergences, shell)
    else:
        _print_text(file, counts, divergences, shell)
    return max(findings.code(), 1 if divergences else 0)


def _verify(file: TraceFile, findings: Findings, options: Options, shell: Shell) -> int:
    """Only what reading the file says."""
    for _ in findings.watched(file.events()):
        pass
    code = findings.code()
    if options.format in {"json", "jsonl"}:
        _print_json(findings, {}, [], shell)
    elif findings.steps:
        verdict = "damaged" if code else "sound"
        shell.out.write(Safe(f"{show_line(file.name)}: {_plural(findings.steps, 'step')}, {verdict}\n"))
    return code


def _run_again(
    file: TraceFile, findings: Findings, options: Options, call: Any
) -> tuple[list[Event], list[Checked], list[Divergence]]:
    """The events with the live observations, what came of each call, and the divergences in order."""
    rules = Rules(tuple(options.normalize), frozenset(options.ignore_tool))
    events: list[Event] = []
    checked: list[Checked] = []
    divergences: list[Divergence] = []
    for event in options.selection.numbered(findings.watched(file.events())):
        if not isinstance(event, Numbered):
            events.append(event)
            continue
        results, updated = check(event.recorded.step, call, rules)
        events.append(Recorded(updated, event.recorded.meta, event.recorded.line))
        checked += results
        divergences += (
            Divergence(event.number, event.recorded.line, one) for one in results if one.verdict in DIVERGENT
        )
    return events, checked, divergences


def _print_json(findings: Findings, counts: dict[str, int], divergences: list[Divergence], shell: Shell) -> None:
    from reactcli.cli.replay import diagnostic_object

    document = {
        "schema": SCHEMA,
        "steps": findings.steps,
        "calls": sum(counts.values()),
        "verdicts": {verdict.replace(" ", "_"): count for verdict, count in counts.items()},
        "first": divergences[0].fields() if divergences else None,
        "divergences": [divergence.fields() for divergence in divergences],
        "diagnostics": [diagnostic_object(found) for found in findings.all],
    }
    shell.write_json(document, 2)
    shell.out.write(Safe("\n"))


def _print_text(file: TraceFile, counts: dict[str, int], divergences: list[Divergence], shell: Shell) -> None:
    """The first divergence in full, the others named, and the count of all."""
    look = Look(shell.out.is_coloured)
    for divergence in divergences[:1]:
        for piece in _explained(file, divergence, look):
            shell.out.write(piece)
    for divergence in divergences[1:LONGEST_LIST]:
        shell.out.write(Safe(f"{_named(file, divergence)}\n"))
    if len(divergences) > LONGEST_LIST:
        shell.out.write(Safe(f"… and {len(divergences) - LONGEST_LIST} more\n"))
    total = _plural(sum(counts.values()), "call")
    told = ", ".join(f"{count} {_VERDICTS.get(verdict, verdict)}" for verdict, count in counts.items())
    shell.out.write(Safe(f"{total} checked: {told or 'there is nothing to run'}\n"))


_VERDICTS = {DIFFERS: "diverged", MISSING: "without a tool", "unrecorded": "without a recorded observation"}


def _named(file: TraceFile, divergence: Divergence) -> str:
    place = f" ({show_line(file.name)}:{divergence.line})" if divergence.line else ""
    why = "no such tool" if divergence.checked.verdict == MISSING else "the observation differs"
    return f"step {divergence.step}: {why}: {show_line(divergence.checked.action)}{place}"


def _explained(file: TraceFile, divergence: Divergence, look: Look) -> Iterator[Safe]:
    checked = divergence.checked
    yield Safe(f"{_named(file, divergence)}\n")
    if checked.action_input is not None:
        yield Safe(f"Action Input: {value_text(checked.action_input, look)}\n")
    recorded = "(none)" if checked.recorded is None else value_text(checked.recorded, look)
    yield Safe(f"Recorded: {recorded}\n")
    yield Safe(f"Live: {value_text(checked.live or '', look)}\n")
    if checked.recorded is not None and checked.live is not None and checked.verdict == DIFFERS:
        yield text_difference(checked.recorded, checked.live, coloured=look.coloured)
    yield Safe("\n")


def _plural(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
