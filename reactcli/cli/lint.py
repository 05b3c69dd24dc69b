"""`reactcli lint`: judge recorded runs."""

from __future__ import annotations

from contextlib import ExitStack

from reactcli.cli.exec import seconds
from reactcli.cli.input import InputError, display_name
from reactcli.cli.options import Argument, Command, Option, UsageError
from reactcli.cli.paths import FOLDERS, refuse_folder, trace_paths
from reactcli.cli.shell import explain
from reactcli.cli.tracefile import MAP, MAX_INPUT, TraceFile, asked
from reactcli.diagnostics import CODES
from reactcli.errors import FormatError, UnknownNameError
from reactcli.render import Safe
from reactcli.render.sanitise import json_text, show_line
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from io import BufferedReader
    from typing import Any, BinaryIO

    from reactcli.cli.shell import Shell
    from reactcli.lint import Finding, Rules

SCHEMA = "reactcli/lint@1"
FAILING = {"error": ("error",), "warning": ("error", "warning"), "never": ()}
"""Severities that make the exit code 1, by `--fail-on`."""
MOST_SORTED = 10_000
"""Findings of one file that are put in the order of their places; what is beyond them follows in pieces as large."""


class Options(Value):
    """The values of the options, by their names."""

    traces: tuple[str, ...]
    tools: tuple[str, ...]
    select: tuple[frozenset[str], ...]
    ignore: tuple[frozenset[str], ...]
    fail_on: str
    max_same_tool: int | None
    format: str
    timeout: float | None
    map: Mapping[str, tuple[str, ...]] | None
    max_input: int

    @property
    def codes(self) -> frozenset[str]:
        chosen = frozenset().union(*self.select) if self.select else frozenset(CODES)
        return chosen.difference(*self.ignore)


class Tally:
    """What was found in all files."""

    def __init__(self) -> None:
        self.files = 0
        self.unreadable = 0
        self.counts = {"error": 0, "warning": 0, "info": 0}

    def counted(self, findings: Iterator[tuple[str, Finding]]) -> Iterator[tuple[str, Finding]]:
        for name, finding in findings:
            self.counts[finding.severity] += 1
            yield name, finding

    def code(self, failing: tuple[str, ...]) -> int:
        if self.unreadable:
            return 2
        return 1 if any(self.counts[severity] for severity in failing) else 0

    def summary(self) -> str:
        total = sum(self.counts.values())
        told = ", ".join(_plural(count, severity) for severity, count in self.counts.items() if count)
        files = _plural(self.files, "file")
        return f"{_plural(total, 'finding')} in {files}: {told}" if total else f"no findings in {files}"


def run(values: Mapping[str, Any], shell: Shell) -> int:
    options = Options(**{field: values[field] for field in Options._fields})
    if not options.traces:
        raise UsageError("no traces are given", hint="name files or folders, as in: reactcli lint runs")
    tally = Tally()
    with ExitStack() as stack:
        rules = _rules(options, stack)
        findings = tally.counted(_findings(options, rules, tally))
        for piece in _PRINTERS[options.format](findings, tally, shell):
            shell.out.write(piece)
    shell.out.flush()
    if not shell.quiet:
        shell.note(Safe(tally.summary()))
    return tally.code(FAILING[options.fail_on])


def _rules(options: Options, stack: ExitStack) -> Rules:
    from reactcli.lint import Rules
    from reactcli.loops import Thresholds

    thresholds = Thresholds(same_tool=options.max_same_tool)
    if not options.tools:
        return Rules(options.codes, thresholds)
    from reactcli.isolation import Limits, Toolbox  # 10 ms, only where tools are loaded
    from reactcli.lint.tools import ToolCheck

    toolbox = stack.enter_context(Toolbox(options.tools, Limits(options.timeout or 30.0)))
    return Rules(options.codes, thresholds, ToolCheck(toolbox.names, toolbox.call))


def _findings(options: Options, rules: Rules, tally: Tally) -> Iterator[tuple[str, Finding]]:
    """File by file, each in the order of the places. A file that cannot be read is named on stderr and passed over."""
    for path in trace_paths(options.traces):
        tally.files += 1
        try:
            yield from ((display_name(path), finding) for finding in _sorted(_judged(path, options, rules)))
        except InputError as error:
            tally.unreadable += 1
            explain(error.message, error.hint)


def _judged(path: str, options: Options, rules: Rules) -> Iterator[Finding]:
    from reactcli.lint import Window, judge, refused

    windows: list[Window] = []

    def seen_by(stream: BufferedReader) -> BinaryIO:
        windows.append(Window(stream))
        return windows[0]  # type: ignore[return-value]  # a reader asks only for `read` and `readline`

    refuse_folder(path)
    try:
        with TraceFile(path, limit=options.max_input, paths=options.map, seen_by=seen_by) as file:
            yield from judge(file.recording, windows[0], rules)
    except FormatError as error:
        yield from refused(error, rules)


def _sorted(findings: Iterator[Finding]) -> Iterator[Finding]:
    held: list[Finding] = []
    for finding in findings:
        held.append(finding)
        if len(held) == MOST_SORTED:
            yield from sorted(held, key=_by_place)
            held = []
    yield from sorted(held, key=_by_place)


def _by_place(finding: Finding) -> tuple[int, int]:
    return finding.place.line, finding.place.column


def _as_passages(findings: Iterable[tuple[str, Finding]], _tally: Tally, shell: Shell) -> Iterator[Safe]:
    from reactcli.render.findings import passage

    for name, finding in findings:
        yield passage(name, finding, coloured=shell.out.is_coloured, columns=shell.out.columns)


def _as_lines(findings: Iterable[tuple[str, Finding]], _tally: Tally, shell: Shell) -> Iterator[Safe]:
    from reactcli.render.findings import line

    for name, finding in findings:
        yield line(name, finding, coloured=shell.out.is_coloured)


def _as_json(findings: Iterable[tuple[str, Finding]], tally: Tally, _shell: Shell) -> Iterator[Safe]:
    """One document, written as it comes: a finding on each line, the counts last."""
    from reactcli.render.findings import fields

    yield Safe(f'{{"schema": {json_text(SCHEMA)}, "findings": [')
    between = "\n"
    for name, finding in findings:
        yield Safe(f"{between}{json_text(fields(name, finding))}")
        between = ",\n"
    yield Safe(
        f'\n], "files": {tally.files}, "unreadable": {tally.unreadable}, "counts": {json_text(tally.counts)}}}\n'
    )


def _as_annotations(findings: Iterable[tuple[str, Finding]], _tally: Tally, _shell: Shell) -> Iterator[Safe]:
    from reactcli.render.findings import annotation

    for name, finding in findings:
        yield annotation(name, finding)


def _as_sarif(findings: Iterable[tuple[str, Finding]], _tally: Tally, _shell: Shell) -> Iterator[Safe]:
    from reactcli.render.sarif import log

    yield from log(findings)


_PRINTERS = {
    "full": _as_passages,
    "concise": _as_lines,
    "json": _as_json,
    "github": _as_annotations,
    "sarif": _as_sarif,
}


def codes(text: str) -> frozenset[str]:
    """Codes or severities with commas between them."""
    chosen: set[str] = set()
    for name in (piece.strip() for piece in text.split(",")):
        by_severity = {code for code, (severity, _, _) in CODES.items() if severity == name}
        if name not in CODES and not by_severity:
            from reactcli.registry import nearest

            suggestion = nearest(name, CODES)
            raise UnknownNameError("code", name, suggestion, ("error", "warning", "info", "and what `explain` lists"))
        chosen |= by_severity or {name}
    return frozenset(chosen)


def count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
        raise UsageError(f"'{show_line(text)}' is no number from 1")
    return int(text)


def _plural(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 or word == "info" else f"{number} {word}s"


COMMAND = Command(
    name="lint",
    summary="Judge recorded runs: what went wrong, where in the file, and what to do.",
    details="Reads traces of every format that `replay` reads, folders of them too, and reports loops, repaired and "
    "cut-off input, missing answers and observations, secrets and control characters, each with its place in the file. "
    f"{FOLDERS} With --tools, calls are checked against the tools; none is run. `reactcli explain CODE` says more of "
    "each.",
    examples=(
        "reactcli lint runs",
        "reactcli lint --format concise --ignore info trace.jsonl",
        "reactcli lint --tools tools.py trace.jsonl",
        "reactcli lint --format sarif runs > lint.sarif",
    ),
    run=run,
    arguments=(Argument("traces", "TRACE...", "Traces, and folders of them; - for stdin.", repeated=True),),
    options=(
        Option(("--tools",), "Check names and arguments of calls against these.", "SPEC", repeated=True),
        Option(("--select",), "Report only these codes or severities.", "CODE,…", repeated=True, convert=asked(codes)),
        Option(("--ignore",), "Do not report these.", metavar="CODE,…", repeated=True, convert=asked(codes)),
        Option(
            ("--fail-on",), "The least severity that makes the exit code 1.", choices=tuple(FAILING), default="warning"
        ),
        Option(("--max-same-tool",), "Report more calls of one tool in a row.", metavar="N", convert=count),
        Option(("--format",), "How to print.", choices=tuple(_PRINTERS), default="full"),
        Option(("--timeout",), "Seconds for loading the tools; 30 if not given.", metavar="S", convert=seconds),
        MAP,
        MAX_INPUT,
    ),
)
