"""`reactcli parse`: a model's text in, its parts out."""

from __future__ import annotations

from reactcli.cli.input import STDIN, Decoder, decode, display_name, read_blocks, size
from reactcli.cli.options import Argument, Command, Option, UsageError
from reactcli.cli.records import FIELDS, Record, file_records, line_records
from reactcli.cli.shell import explain
from reactcli.cli.verdict import Verdict
from reactcli.diagnostics import in_order
from reactcli.errors import UnknownNameError
from reactcli.render import Safe
from reactcli.render.documents import STEP_FIELDS, diagnostic_objects, field_value, full, step_objects
from reactcli.render.sanitise import json_text, show
from reactcli.source import Source
from reactcli.trace import STEP_KEYS, Step, Trace
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from reactcli.cli.shell import Shell
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


def run(values: Mapping[str, Any], shell: Shell) -> int:
    options = _checked(Options(**{field: values[field] for field in Options._fields}))
    from reactcli.parser import ReActAgentParser

    parser = ReActAgentParser(
        options.dialect,
        on_both=options.on_both,
        pick=options.pick,
        primed=options.primed,
        implicit_final=options.implicit_final,
    )
    verdict = Verdict(shell, is_strict=options.strict, is_explained=options.full, is_counted=options.input == "jsonl")
    printed = _PRINTERS[_printer(options)](options, parser, shell, verdict)
    return max(verdict.code(), printed)


def _printer(options: Options) -> str:
    if options.stream:
        return "stream"
    if options.get is not None:
        return "get"
    return "table" if options.format == "table" else "documents"


def _checked(options: Options) -> Options:
    """The options, files filled in; UsageError if two of them exclude each other."""
    files = options.files or (STDIN,)
    if options.get is not None and options.get not in STEP_FIELDS:
        from reactcli.registry import nearest

        raise UnknownNameError("field", options.get, nearest(options.get, STEP_FIELDS), STEP_FIELDS)
    if options.field is not None and options.input != "jsonl":
        raise UsageError("--field names a field of JSON Lines", hint="add --input jsonl")
    chosen = {
        "--stream": options.stream,
        "--get": options.get is not None,
        "--full": options.full,
        "--format table": options.format == "table",
    }
    clashing = [flag for flag, is_chosen in chosen.items() if is_chosen]
    if len(clashing) > 1:
        raise UsageError(f"{clashing[0]} and {clashing[1]} exclude each other", hint="choose one")
    if options.stream and (options.steps or len(files) > 1 or options.input == "jsonl" or options.format == "json"):
        raise UsageError("--stream reads one text as it arrives, and prints JSON Lines", hint="leave the rest away")
    return options.replace(files=files)


def _readings(options: Options, parser: ReActAgentParser, shell: Shell, verdict: Verdict) -> Iterator[Reading]:
    """Reads record by record; what is printed is flushed before each wait for more input."""
    for record in _records(options):
        if record is None:
            shell.out.flush()
            continue
        reading = _read(record, parser, options)
        yield reading
        if record.error is not None:
            verdict.add_unreadable(record.error)
        else:
            verdict.add(record.name, record.text, reading.diagnostics)


def _records(options: Options) -> Iterator[Record | None]:
    if options.input == "jsonl":
        return line_records(options.files, options.field, options.max_input)
    return file_records(options.files, options.max_input)


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


def _print_documents(options: Options, parser: ReActAgentParser, shell: Shell, verdict: Verdict) -> int:
    """One object, indented; many as JSON Lines, or as an array if JSON was asked for by name."""
    is_many = options.is_bulk or (options.steps and not options.full)
    layout = options.format or ("jsonl" if is_many else "json")
    indent = None if layout == "jsonl" or is_many else 2
    opening, between, closing = ("[\n", ",\n", "\n]\n") if layout == "json" and is_many else ("", "\n", "\n")
    before = opening
    for reading in _readings(options, parser, shell, verdict):
        for document in _documents(reading, options):
            shell.out.write(Safe(before))
            shell.write_json(document, indent)
            before = between
    shell.out.write(Safe(closing if before == between else opening and "[]\n"))
    return 0


def _print_values(options: Options, parser: ReActAgentParser, shell: Shell, verdict: Verdict) -> int:
    """The bare values of one field, raw unless a terminal shows them; 1 if there is none. Where there may be several,
    an absent one is an empty line, so that lines and steps stay side by side.
    """
    field = options.get or ""
    is_many = options.is_bulk or options.steps
    is_found = False
    for reading in _readings(options, parser, shell, verdict):
        for step in reading.steps:
            value = field_value(step, field)
            if value is None and not is_many:
                continue
            is_found = is_found or value is not None
            text = "" if value is None else value if isinstance(value, str) else json_text(value)
            if shell.out.is_terminal:
                shell.out.write(show(f"{text}\n"))
            else:
                shell.out.write_raw(f"{text}\n")
    if is_found:
        return 0
    explain(f"there is no {field} in the text", "")
    return 1


def _print_table(options: Options, parser: ReActAgentParser, shell: Shell, verdict: Verdict) -> int:
    from reactcli.render import tables  # 40 ms: rich

    read = list(_readings(options, parser, shell, verdict))
    rows = [document for reading in read for document in _documents(reading, options)]
    is_one = len(rows) == 1 and not options.is_bulk and not options.steps
    shell.out.write(shell.out.rendered(tables.one_step(rows[0]) if is_one else tables.steps(rows)))
    return 0


def _print_events(options: Options, parser: ReActAgentParser, shell: Shell, verdict: Verdict) -> int:
    """The parts of one text as they arrive, and the step when it is complete."""
    stream, decoder = parser.stream(), Decoder()
    blocks: list[bytes] = []
    for block in _arriving(options, shell, blocks):
        for part, text in stream.feed(decoder.feed(block, is_last=not block)):
            shell.write_json({"event": "text", "part": part, "text": text})
            shell.out.write(Safe("\n"))
    step = stream.close()
    shell.write_json({"event": "step", **step.contract()})
    shell.out.write(Safe("\n"))
    whole = decode(b"".join(blocks), display_name(options.files[0]))
    verdict.add(whole.name, whole.text, (*whole.diagnostics, *step.diagnostics))
    return 0


def _arriving(options: Options, shell: Shell, blocks: list[bytes]) -> Iterator[bytes]:
    """The blocks of the file, kept in `blocks`, and an empty one; events are flushed before each wait for the next."""
    for block in read_blocks(options.files[0], options.max_input):
        blocks.append(block)
        yield block
        shell.out.flush()
    yield b""


_PRINTERS = {"documents": _print_documents, "get": _print_values, "table": _print_table, "stream": _print_events}

COMMAND = Command(
    name="parse",
    summary="Print what a model wrote as structured JSON.",
    details="Reads one reply of a model in any ReAct dialect and prints thought, action, action input and final "
    "answer. What is odd about it is said on stderr. Several files, or --input jsonl, give a line of JSON for each.",
    examples=(
        "reactcli parse < out.txt",
        "reactcli parse --steps transcript.txt | jq -r .action",
        "reactcli parse --get action_input out.txt",
        "reactcli parse --input jsonl --field output replies.jsonl",
    ),
    run=run,
    arguments=(Argument("files", "[FILE]...", "Texts to parse; stdin if there is none, or for -.", repeated=True),),
    options=(
        Option(("--dialect",), "Read this dialect; `reactcli dialects` lists them.", metavar="NAME", default="auto"),
        Option(("--steps",), "The text is a transcript: print every step of it, as JSON Lines."),
        Option(("--full",), "Print everything that is known: spans, arguments, all steps, diagnostics."),
        Option(("--get",), "Print only this field, bare.", metavar="FIELD"),
        Option(("--format",), "How to print.", choices=("json", "jsonl", "table")),
        Option(("--input",), "What the files hold.", choices=("text", "jsonl"), default="text"),
        Option(("--field",), f"The field with the text; else the first of {', '.join(FIELDS)}.", metavar="NAME"),
        Option(("--stream",), "Print the parts as they arrive, as JSON Lines."),
        Option(("--strict",), "Exit with 1 if there is an error or a warning."),
        Option(
            ("--on-both",),
            "What to read if there is both an action and a final answer.",
            choices=("final", "action", "error"),
            default="final",
        ),
        Option(("--pick",), "Which of several actions to read.", choices=("first", "last"), default="first"),
        Option(("--primed",), "The prompt ended in `Thought:`, so the text begins with the thought itself."),
        Option(("--implicit-final",), "Take text without any label as the final answer."),
        Option(
            ("--max-input",),
            "The longest text (or line of JSON Lines) that is read.",
            metavar="SIZE",
            default="64M",
            convert=size,
        ),
    ),
)
