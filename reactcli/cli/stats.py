"""`reactcli stats`: count what many recorded runs did."""

from __future__ import annotations

from reactcli.bulk import Counts, count
from reactcli.cli.input import InputError, display_name
from reactcli.cli.options import Argument, Command, Option, UsageError
from reactcli.cli.paths import FOLDERS, refuse_folder, trace_paths
from reactcli.cli.redaction import REDACT, SECRET, redactor, say_redacted
from reactcli.cli.tracefile import MAP, MAX_INPUT, TraceFile
from reactcli.errors import FormatError
from reactcli.render import Safe
from reactcli.render.sanitise import json_text, show_line
from reactcli.render.statistics import COLUMNS, csv_line, csv_row, fields
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from reactcli.cli.shell import Shell
    from reactcli.redact import Redactor

SCHEMA = "reactcli/stats@1"


class Row(Value):
    """What became of one file."""

    name: str
    format: str | None = None
    counts: Counts | None = None
    """None if it could not be read."""
    error: str | None = None
    is_readable: bool = True
    """False if the file could not even be opened."""


class Totals:
    """What all rows come to."""

    def __init__(self) -> None:
        self.counts = Counts()
        self.traces = 0
        self.unread = 0
        self.unreadable = 0

    def counted(self, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            if row.counts is not None:
                self.traces += 1
                self.counts.add(row.counts)
            else:
                self.unread += 1
                self.unreadable += not row.is_readable
            yield row

    def code(self) -> int:
        if self.unreadable:
            return 2
        return 1 if self.unread or self.counts.lost else 0


def run(values: Mapping[str, Any], shell: Shell) -> int:
    if not values["paths"]:
        raise UsageError("no traces are given", hint="name files or folders, as in: reactcli stats runs")
    wanted = redactor(values)
    totals = Totals()
    rows = totals.counted(_rows(values, shell))
    _PRINTERS[values["format"]](rows, totals, shell, wanted)
    shell.out.flush()
    say_redacted(wanted, shell)
    return totals.code()


def _rows(values: Mapping[str, Any], shell: Shell) -> Iterator[Row]:
    """File by file, in order. Names are asked for twice rather than held: a folder may hold a million."""
    from reactcli.cli.progress import Progress

    total = sum(1 for _ in trace_paths(values["paths"])) if shell.notes.is_terminal else 0
    with Progress(shell, total) as progress:
        for path in trace_paths(values["paths"]):
            yield _row(path, values)
            progress.step()


def _row(path: str, values: Mapping[str, Any]) -> Row:
    name = display_name(path)
    try:
        refuse_folder(path)
        with TraceFile(path, limit=values["max_input"], paths=values["map"]) as file:
            return Row(name, file.recording.format.name, count(file.events()))
    except InputError as error:
        return Row(name, error=error.message, is_readable=False)
    except FormatError as error:
        return Row(name, error=error.message)


def _print_table(rows: Iterable[Row], totals: Totals, shell: Shell, wanted: Redactor | None) -> None:
    """Files that could not be read are named on stderr, the others only counted."""
    for row in rows:
        if row.error is not None and not shell.quiet:
            shell.note(Safe(f"{show_line(_clean(row.name, wanted))}: {show_line(_clean(row.error, wanted))}"))
    tools, totals.counts.tools = totals.counts.tools, {}
    for tool, (calls, errors) in tools.items():
        totals.counts.count_tool(_clean(tool, wanted), calls, errors)
    from reactcli.render.statistics import summary

    shell.out.write(shell.out.rendered(summary(totals.counts, totals.traces, totals.unread)))


def _print_json(rows: Iterable[Row], totals: Totals, shell: Shell, wanted: Redactor | None) -> None:
    """One document, written as it comes: a row on each line, the sums last."""

    def text(value: object) -> Safe:
        return json_text(value if wanted is None else wanted.value(value))

    out = shell.out
    out.write(Safe(f'{{"schema": {json_text(SCHEMA)}, "rows": ['))
    between = "\n"
    for row in rows:
        counts = fields(row.counts) if row.counts is not None else None
        told = {"file": row.name, "format": row.format, "error": row.error, "counts": counts}
        out.write(Safe(f"{between}{text(told)}"))
        between = ",\n"
    out.write(
        Safe(f'\n], "traces": {totals.traces}, "unread": {totals.unread}, "total": {text(fields(totals.counts))}}}\n')
    )


def _print_csv(rows: Iterable[Row], _totals: Totals, shell: Shell, wanted: Redactor | None) -> None:
    shell.out.write(csv_line(COLUMNS))
    for row in rows:
        error = None if row.error is None else _clean(row.error, wanted)
        shell.out.write(csv_row(_clean(row.name, wanted), row.format, row.counts, error))


def _clean(text: str, wanted: Redactor | None) -> str:
    return text if wanted is None else wanted.text(text)


_PRINTERS = {"table": _print_table, "json": _print_json, "csv": _print_csv}

COMMAND = Command(
    name="stats",
    summary="Count what recorded runs did: steps, tools, errors, repairs, loops, answers.",
    details=f"Reads files and folders of traces in every format that `replay` reads. {FOLDERS} A file that cannot be "
    "read is a row with an error, and never the end. Tokens and seconds are counted where they were recorded, and are "
    "unknown otherwise. --redact works with every format. Exits with 1 if a file is no trace or a record was skipped, "
    "and with 2 if a file cannot be opened.",
    examples=("reactcli stats runs", "reactcli stats --format csv runs > runs.csv"),
    run=run,
    arguments=(Argument("paths", "PATH...", "Traces, and folders of them; - for stdin.", repeated=True),),
    options=(
        Option(("--format",), "How to print.", choices=tuple(_PRINTERS), default="table"),
        REDACT,
        SECRET,
        MAP,
        MAX_INPUT,
    ),
)
