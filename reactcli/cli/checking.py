"""`replay --check`: the recording verified, or each of its actions run again and compared."""

from __future__ import annotations

from reactcli.cli.outfile import STDOUT, write_file
from reactcli.cli.replay import DAMAGE, LONGEST_LIST, UNFINISHED, Findings, Options
from reactcli.cli.selection import Numbered
from reactcli.formats import WRITERS, trace_of
from reactcli.render import Safe
from reactcli.render.changes import text_difference
from reactcli.render.sanitise import json_text, show, show_line
from reactcli.render.walk import Look, value_text
from reactcli.replay import DIFFERS, DIVERGENT, MISSING, Rules, check, tally
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from reactcli.cli.shell import Shell
    from reactcli.cli.tracefile import TraceFile
    from reactcli.formats import Event
    from reactcli.replay import Checked
    from reactcli.tools.calls import Call, Outcome

SCHEMA = "reactcli/check@1"
READABLE = "readable: nothing is torn or skipped, and there are no hashes that could tell more"


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
        _report(options, shell, _verified(file, findings, options))
        return findings.code()
    from reactcli.isolation import Limits, Toolbox  # 10 ms, only where tools run

    with Toolbox(options.tools, Limits()) as toolbox:

        def call(one: Call) -> Outcome:
            return toolbox.call(one, seconds=options.timeout)

        events, checked, divergences = _run_again(file, findings, options, call)
    counts = tally(checked)
    if options.update == STDOUT:
        for piece in WRITERS.get("reactcli")(trace_of(events)):
            shell.out.write(show(piece) if shell.out.is_terminal else Safe(piece))
    elif options.update is not None:
        write_file(options.update, WRITERS.get("reactcli")(trace_of(events)), force=options.force)
    if options.format == "text":
        look = Look(shell.out.is_coloured and options.output is None)
        report = _as_text(file, counts, divergences, look, every=options.full or shell.verbose)
    else:
        report = _as_json(findings, counts, divergences)
    _report(options, shell, report)
    return max(findings.code(), 1 if divergences else 0)


def _report(options: Options, shell: Shell, report: Iterator[Safe]) -> None:
    """Where it was asked for; beside a trace on stdout it goes to stderr."""
    if options.output is not None:
        write_file(options.output, report, force=options.force)
    else:
        stream = shell.notes if options.update == STDOUT else shell.out
        for piece in report:
            stream.write(piece)
        stream.flush()


def _verified(file: TraceFile, findings: Findings, options: Options) -> Iterator[Safe]:
    """Only what reading the file says."""
    for _ in findings.watched(file.events()):
        pass
    if options.format != "text":
        yield from _as_json(findings, {}, [])
    elif findings.steps:
        verdict = "damaged" if findings.is_damaged else "sound" if file.recording.is_sealed else READABLE
        yield Safe(f"{show_line(file.name)}: {_plural(findings.steps, 'step')}, {verdict}\n")


def _run_again(
    file: TraceFile, findings: Findings, options: Options, call: Any
) -> tuple[list[Event], list[Checked], list[Divergence]]:
    """All events, those that were chosen with the live observations; what came of each call; the divergences."""
    rules = Rules(tuple(options.normalize), frozenset(options.ignore_tool))
    events: list[Event] = []
    checked: list[Checked] = []
    divergences: list[Divergence] = []

    def kept() -> Iterator[Event]:
        for event in findings.watched(file.events()):
            events.append(event)
            yield event

    for event in options.selection.numbered(kept()):
        if not isinstance(event, Numbered):
            continue
        results, updated = check(event.recorded.step, call, rules)
        events[-1] = event.recorded.replace(step=updated)
        checked += results
        divergences += (
            Divergence(event.number, event.recorded.line, one) for one in results if one.verdict in DIVERGENT
        )
    return events, checked, divergences


def _as_json(findings: Findings, counts: dict[str, int], divergences: list[Divergence]) -> Iterator[Safe]:
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
    yield Safe(f"{json_text(document, 2)}\n")


def _as_text(
    file: TraceFile, counts: dict[str, int], divergences: list[Divergence], look: Look, *, every: bool
) -> Iterator[Safe]:
    """The first divergence in full, or every one; the others named; and the count of all."""
    explained = divergences if every else divergences[:1]
    for divergence in explained:
        yield from _explained(file, divergence, look)
    others = divergences[len(explained) :]
    for divergence in others[: LONGEST_LIST - 1]:
        yield Safe(f"{_named(file, divergence)}\n")
    if len(others) >= LONGEST_LIST:
        yield Safe(f"… and {len(others) - LONGEST_LIST + 1} more; --full shows them\n")
    total = _plural(sum(counts.values()), "call")
    told = ", ".join(f"{count} {_VERDICTS.get(verdict, verdict)}" for verdict, count in counts.items())
    yield Safe(f"{total} checked: {told or 'there is nothing to run'}\n")


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
