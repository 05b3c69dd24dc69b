"""What `reactcli parse` makes of each record: it is read, and printed as a document, a bare value or a row."""

from __future__ import annotations

from reactcli.diagnostics import in_order
from reactcli.render import Safe
from reactcli.render.documents import diagnostic_objects, field_value, full, step_objects
from reactcli.render.sanitise import json_text, show
from reactcli.source import Source
from reactcli.trace import STEP_KEYS, Step, Trace
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from reactcli.cli.records import Record, Take
    from reactcli.cli.shell import Shell
    from reactcli.cli.verdict import Verdict
    from reactcli.diagnostics import Diagnostic
    from reactcli.parser import ReActAgentParser


class Options(Value):
    """The values of the options, by their names."""

    files: tuple[str, ...]
    dialect: str
    steps: bool
    full: bool
    get: str | None
    format: str | None
    input: str
    field: str | None
    stream: bool
    strict: bool
    on_both: str
    pick: str
    primed: bool
    implicit_final: bool
    max_input: int

    @property
    def is_bulk(self) -> bool:
        """Each record says where it comes from, and carries its own diagnostics."""
        return self.input == "jsonl" or len(self.files) > 1

    @property
    def is_told_inside(self) -> bool:
        """The diagnostics are in the records that are printed; otherwise they have to be said on stderr."""
        return self.input == "jsonl" and self.get is None and self.format != "table" and (self.full or not self.steps)

    def parser(self) -> ReActAgentParser:
        from reactcli.parser import ReActAgentParser

        return ReActAgentParser(
            self.dialect,
            on_both=self.on_both,
            pick=self.pick,
            primed=self.primed,
            implicit_final=self.implicit_final,
        )


class Reading(Value):
    """A record as it was read: as one step, as a trace, or both."""

    record: Record
    step: Step | None
    trace: Trace | None
    diagnostics: tuple[Diagnostic, ...]

    @property
    def steps(self) -> tuple[Step, ...]:
        return (self.step,) if self.step is not None else self.trace.steps if self.trace is not None else ()

    @property
    def source(self) -> Source:
        return Source(self.record.text or "", self.record.name)


class Parsing(Value):
    """What reading and printing the records of one run need."""

    options: Options
    parser: ReActAgentParser
    shell: Shell
    verdict: Verdict

    @property
    def is_shareable(self) -> bool:
        """The records may be read by several processes: each is printed on its own, and nothing else is said."""
        options, shell = self.options, self.shell
        is_silent = shell.quiet or (options.is_told_inside and not shell.verbose)
        one_by_one = options.input == "jsonl" and len(options.files) == 1 and options.format not in {"json", "table"}
        return one_by_one and is_silent and not shell.out.is_terminal and not shell.out.is_coloured

    def readings(self, records: Iterable[Record | None]) -> Iterator[Reading]:
        """Reads record by record; what is printed is flushed before each wait for more input."""
        for record in records:
            if record is None:
                self.shell.out.flush()
                continue
            reading = _read(record, self.parser, self.options)
            yield reading
            if record.error is not None:
                self.verdict.add_unreadable(record.error)
            else:
                self.verdict.add(record.name, record.text, reading.diagnostics)

    def plain_taker(self, labels: dict[str, Any]) -> Take:
        """Prints the lines that are read at a glance, in a file whose records begin with `labels`."""
        options, out, verdict = self.options, self.shell.out, self.verdict
        if options.get is not None or options.format in {"json", "table"} or options.steps or options.full:
            return _take_none
        if options.dialect != "auto" or out.is_coloured:
            return _take_none
        try:
            from reactcli.cli.plainrecords import lane  # 20 ms: orjson
        except ImportError:  # there is no orjson for this Python
            return _take_none
        plain = lane(options.field, labels)

        def take(number: int, content: bytes) -> bool:
            printed = plain(number, content)
            if printed is None:
                return False
            out.write(printed)
            verdict.add_unremarkable()
            return True

        return take


def _take_none(_number: int, _content: bytes) -> bool:
    return False


def _read(record: Record, parser: ReActAgentParser, options: Options) -> Reading:
    if record.text is None:
        return Reading(record, None if options.steps else Step(), None, record.diagnostics)
    step = parser.parse(record.text) if options.full or not options.steps else None
    trace = parser.parse_trace(record.text) if options.full or options.steps else None
    noticed = step.diagnostics if step is not None else _all_diagnostics(trace)
    return Reading(record, step, trace, (*record.diagnostics, *noticed))


def _all_diagnostics(trace: Trace | None) -> tuple[Diagnostic, ...]:
    """Those of the text as a whole and of each step, in the order of the text."""
    if trace is None:
        return ()
    steps = (diagnostic for step in trace.steps for diagnostic in step.diagnostics)
    return in_order([*trace.diagnostics, *steps])


def print_documents(records: Iterable[Record | None], parsing: Parsing) -> bool:
    """One object, indented; many as JSON Lines, or as an array if JSON was asked for by name."""
    options, out = parsing.options, parsing.shell.out
    is_many = options.is_bulk or (options.steps and not options.full)
    is_array = is_many and options.format == "json"
    indent = None if is_many or options.format == "jsonl" else 2
    is_first = True
    for document in (document for reading in parsing.readings(records) for document in _documents(reading, options)):
        if is_array:
            out.write(Safe("[\n" if is_first else ",\n"))
        is_first = False
        parsing.shell.write_json(document, indent)
        out.write(Safe("" if is_array else "\n"))
    if is_array:
        out.write(Safe("[]\n" if is_first else "\n]\n"))
    return True


def print_values(records: Iterable[Record | None], parsing: Parsing) -> bool:
    """The bare values of one field, raw unless a terminal shows them; False if there is none. Where there may be
    several, an absent one is an empty line, so that lines and steps stay side by side. With `--format json` or `jsonl`,
    each is JSON on one line.
    """
    options, out = parsing.options, parsing.shell.out
    is_many = options.is_bulk or options.steps
    is_found = False
    for step in (step for reading in parsing.readings(records) for step in reading.steps):
        value = field_value(step, options.get or "")
        if value is None and not is_many:
            continue
        is_found = is_found or value is not None
        if options.format is not None or not isinstance(value, str | None):
            text: str = json_text(value)
        else:
            text = value or ""
        if out.is_terminal:
            out.write(show(f"{text}\n"))
        else:
            out.write_raw(f"{text}\n")
    return is_found


def print_table(records: Iterable[Record | None], parsing: Parsing) -> bool:
    from reactcli.render import tables  # 40 ms: rich

    options, out = parsing.options, parsing.shell.out
    read = list(parsing.readings(records))
    rows = [document for reading in read for document in _documents(reading, options)]
    is_one = len(rows) == 1 and not options.is_bulk and not options.steps
    out.write(out.rendered(tables.one_step(rows[0]) if is_one else tables.steps(rows)))
    return True


def _documents(reading: Reading, options: Options) -> Iterator[dict[str, Any]]:
    """What is printed of a record: an object, or one per step."""
    labels, step, trace = reading.record.labels, reading.step, reading.trace
    if step is None:
        found = list(step_objects(trace)) if trace is not None else []
        for document in found:
            yield {**labels, **document}
        if not found and options.is_bulk:  # a record without steps is a record all the same
            yield {**labels, **_no_step(), "diagnostics": diagnostic_objects(reading.diagnostics, reading.source)}
    elif options.full:
        document = full(step, trace or Trace(), reading.diagnostics, reading.source)
        yield {"schema": document.pop("schema"), **labels, **document}
    else:
        own = {"diagnostics": diagnostic_objects(reading.diagnostics, reading.source)} if options.is_bulk else {}
        yield {**labels, **step.contract(), **own}


def _no_step() -> dict[str, Any]:
    return {"step": None, **dict.fromkeys(STEP_KEYS), "observation": None}
