"""`reactcli replay`: walk a recorded run, or run its tools again."""

from __future__ import annotations

from reactcli.cli.exec import seconds
from reactcli.cli.options import Argument, Command, Option, UsageError
from reactcli.cli.outfile import STDOUT, check_target, write_file
from reactcli.cli.redaction import REDACT, SECRET, redactor, say_redacted
from reactcli.cli.selection import (
    OTHERS,
    PARTS,
    Numbered,
    Selection,
    number,
    one_episode,
    parts,
    says_nothing,
    steps_range,
)
from reactcli.cli.tracefile import MAP, MAX_INPUT, TraceFile, asked
from reactcli.comparison import compiled, parse_pattern
from reactcli.diagnostics import Diagnostic
from reactcli.errors import FormatError
from reactcli.formats import Closing, Opening, Recorded, markdown, trace_of
from reactcli.formats.facts import TOLD
from reactcli.patterns import pattern
from reactcli.render import Safe
from reactcli.render.documents import field_value
from reactcli.render.sanitise import json_text, show, show_line
from reactcli.render.walk import LONGEST_VALUE, Look, heading, result, step_text
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from reactcli.cli.shell import Shell
    from reactcli.formats import Event

SCHEMA = "reactcli/replay@1"
DAMAGE = frozenset(
    {"torn-record", "bad-record", "record-too-long", "not-a-record", "sequence-gap", "hash-mismatch"}
    | {"record-behind-end"}
)
"""Codes of what is lost or was changed: exit 1."""
UNFINISHED = frozenset({"no-end-record"})
"""Of a run that was stopped: damage only where the recording itself is checked."""
_FOREIGN = pattern(r"--(?!map\b|max-input\b)[a-z]")
"""An option in a hint that these commands lack, or that means something else here: the hint is for `parse`."""
LONGEST_LIST = 16
"""Diagnostics that are printed before the rest is only counted."""


class Options(Value):
    """The values of the options, by their names."""

    trace: str
    steps: tuple[int, int | None] | None
    only: frozenset[str] | None
    episode: int | None
    grep: Any
    interactive: bool
    full: bool
    format: str
    output: str | None
    force: bool
    tools: tuple[str, ...]
    check: bool
    normalize: tuple[Any, ...]
    ignore_tool: tuple[str, ...]
    update: str | None
    timeout: float | None
    map: Mapping[str, tuple[str, ...]] | None
    max_input: int

    @property
    def selection(self) -> Selection:
        first, last = self.steps or (1, None)
        return Selection(first, last, self.episode, self.only, self.grep)


class Findings:
    """What was noticed in reading one trace, and what that comes to."""

    def __init__(self, shell: Shell, name: str, damage: frozenset[str]) -> None:
        self.all: list[Diagnostic] = []
        self.steps = 0
        self.answer: str | None = None
        """The final answer of the last step."""
        self._shell = shell
        self._name = name
        self._damage = damage
        self._printed = 0

    def watched(self, events: Iterator[Event]) -> Iterator[Event]:
        """The events; diagnostics are printed when they come, behind what was written before them."""
        for event in events:
            if isinstance(event, Diagnostic):
                self.all.append(event)
                self._print(event)
                continue
            if isinstance(event, Recorded):
                self.steps += 1
                self.answer = event.step.final_answer
            yield event
        if len(self.all) > self._printed and not self._shell.quiet:
            self._shell.note(Safe(f"… and {len(self.all) - self._printed} more; -v shows them"))

    def demand(self) -> None:
        """FormatError if nothing was read: then there is nothing to write."""
        if not self.steps:
            raise FormatError(f"{self._name}: no step was read")

    @property
    def is_damaged(self) -> bool:
        return any(found.code in self._damage for found in self.all)

    def code(self) -> int:
        if not self.steps:
            self._shell.note(Safe(f"{show_line(self._name)}: no step was read"))
        return 1 if not self.steps or self.is_damaged else 0

    def _print(self, found: Diagnostic) -> None:
        if self._shell.quiet or (self._printed >= LONGEST_LIST and not self._shell.verbose):
            return
        self._printed += 1
        hint = f" ({show_line(found.hint)})" if found.hint and not _FOREIGN.search(found.hint) else ""
        place = f"{show_line(self._name)}: {found.severity}[{found.code}]"
        self._shell.note(Safe(f"{place} {show_line(found.message, 300)}{hint}"))


def run(values: Mapping[str, Any], shell: Shell) -> int:
    options = _checked(Options(**{field: values[field] for field in Options._fields}))
    if options.output == STDOUT:
        options = options.replace(output=None)
    wanted = redactor(values)
    if wanted is not None and options.check:
        raise UsageError("--check compares what was recorded, and --redact changes it", hint="leave one of them away")
    with TraceFile(options.trace, limit=options.max_input, paths=options.map) as file:
        file.changed = wanted.events if wanted is not None else None
        if options.check:
            from reactcli.cli.checking import run_check

            return run_check(file, options, shell)
        if options.interactive:
            from reactcli.cli.interactive import walk

            return walk(file, options.selection, shell)
        findings = Findings(shell, file.name, DAMAGE)
        pieces = _PRINTERS[options.format](file, findings, options, shell)
        if options.output is not None:
            write_file(options.output, _unless_empty(pieces, findings), force=options.force)
        else:
            _print(pieces, file, shell)
        say_redacted(wanted, shell)
        return findings.code()


def _checked(options: Options) -> Options:
    """UsageError if options exclude or need each other."""
    if options.tools and not options.check:
        raise UsageError("--tools runs the recorded actions again", hint="add --check")
    for flag, given in (("--update", options.update), ("--normalize", options.normalize)):
        if given and not options.tools:
            raise UsageError(f"{flag} is for observations of live tools", hint="add --tools SPEC --check")
    for target in (options.output, options.update):
        if target is not None:
            check_target(target, force=options.force)
    if options.check and (options.only is not None or options.interactive or options.format == "md"):
        raise UsageError("--check prints a report", hint="leave --only, -i and --format md away")
    if options.check and not options.tools and not options.selection.is_whole:
        raise UsageError("--check alone verifies the whole file", hint="leave --steps, --episode and --grep away")
    if options.interactive and (options.output is not None or options.check or options.format != "text"):
        raise UsageError("--interactive shows steps on a terminal", hint="leave -o, --format and --check away")
    return options


def _unless_empty(pieces: Iterator[Safe], findings: Findings) -> Iterator[Safe]:
    yield from pieces
    findings.demand()


def _print(pieces: Iterator[Safe], file: TraceFile, shell: Shell) -> None:
    """What is read from a pipe is shown as it comes, as is everything on a terminal."""
    at_once = shell.out.is_terminal or not file.is_regular
    for piece in pieces:
        shell.out.write(piece)
        if at_once:
            shell.out.flush()


def _as_text(file: TraceFile, findings: Findings, options: Options, shell: Shell) -> Iterator[Safe]:
    to_terminal = shell.out.is_terminal and options.output is None
    coloured = shell.out.is_coloured and options.output is None
    look = Look(coloured, LONGEST_VALUE if to_terminal and not options.full else None)
    selection = options.selection
    title = Safe("")
    for event in selection.numbered(findings.watched(file.events())):
        if isinstance(event, Opening):
            title = heading(event.episode, event.question, look, is_numbered=event.episode > 1)
            continue
        if isinstance(event, Numbered):
            step, meta = selection.kept(event.recorded.step), event.recorded.meta
            if selection.parts is None or not says_nothing(step):
                yield Safe(title + step_text(step, event.number, meta if selection.parts is None else {}, look))
                title = Safe("")
        elif isinstance(event, Closing) and selection.parts is None:
            ending = _ending(event, findings, look)
            if selection.is_whole or not title:
                yield Safe(title + ending)
            title = Safe("")


def _ending(closing: Closing, findings: Findings, look: Look) -> Safe:
    """Nothing behind a trace without steps, of which an error tells."""
    if not findings.steps:
        return Safe("")
    answer = closing.final_answer if closing.final_answer != findings.answer else None
    return result(answer, closing.status or "finished", look)


def _as_lines(file: TraceFile, findings: Findings, options: Options, shell: Shell) -> Iterator[Safe]:
    paint = _painter(options, shell)
    for record in _records(file, findings, options.selection):
        yield Safe(f"{paint(json_text(record))}\n")


def _records(file: TraceFile, findings: Findings, selection: Selection) -> Iterator[dict[str, Any]]:
    """The objects of `parse --steps`. The first episode is held until there is another, or is known not to be."""
    held: list[dict[str, Any]] | None = [] if file.recording.may_hold_episodes else None
    episode, is_numbered = 1, False
    for event in selection.numbered(findings.watched(file.events())):
        if isinstance(event, Opening):
            episode, is_numbered = event.episode, is_numbered or event.is_numbered or event.episode > 1
            if is_numbered and held is not None:
                yield from ({**record, "episode": 1} for record in held)
                held = None
        elif isinstance(event, Numbered):
            record = _record(event, selection) | ({"episode": episode} if is_numbered else {})
            if held is not None:
                held.append(record)
            else:
                yield record
    yield from held or ()


def _record(event: Numbered, selection: Selection) -> dict[str, Any]:
    """The object of `parse --steps`, and whatever else a text shows, where there is any."""
    step = event.recorded.step
    record = {"step": event.number, **step.contract(), "observation": step.observation}
    if selection.parts is not None:
        step = selection.kept(step)
        record = {key: value for key, value in record.items() if key == "step" or key in selection.parts}
    else:
        record |= {key: value for key in OTHERS if (value := getattr(step, key)) not in {"", None}}
        told = {key: value for key, value in event.recorded.meta.items() if key in TOLD}
        record |= {"meta": told} if told else {}
    asks = selection.parts is None or not selection.parts.isdisjoint({"action", "action_input"})
    if asks and any(one.call_id is not None or one.observation is not None for one in step.parallel_actions):
        record["parallel_actions"] = field_value(step, "parallel_actions")
    return record


def _as_json(file: TraceFile, findings: Findings, options: Options, shell: Shell) -> Iterator[Safe]:
    selection = options.selection
    events = list(findings.watched(file.events()))
    trace = trace_of(events)
    chosen = [event for event in selection.numbered(iter(events)) if isinstance(event, Numbered)]
    has_episodes = len({step.episode for step in trace.steps}) > 1
    trace = one_episode(trace, selection.episode)
    document = {
        "schema": SCHEMA,
        "question": trace.question,
        "format": file.recording.format.name,
        "status": trace.status,
        "final_answer": trace.final_answer,
        "steps": [
            _record(event, selection) | ({"episode": event.recorded.step.episode} if has_episodes else {})
            for event in chosen
        ],
        "diagnostics": [diagnostic_object(found) for found in findings.all],
    }
    yield Safe(f"{_painter(options, shell)(json_text(document, 2))}\n")


def diagnostic_object(found: Diagnostic) -> dict[str, Any]:
    return {"code": found.code, "severity": found.severity, "message": found.message, "hint": found.hint}


def _as_markdown(file: TraceFile, findings: Findings, options: Options, _shell: Shell) -> Iterator[Safe]:
    selection = options.selection
    title = ""
    for event in selection.numbered(findings.watched(file.events())):
        if isinstance(event, Opening):
            title = markdown.heading(event.episode, event.question)
        elif isinstance(event, Numbered):
            step, meta = selection.kept(event.recorded.step), event.recorded.meta
            if selection.parts is None or not says_nothing(step):
                yield show(title + markdown.section(step, event.number, meta if selection.parts is None else {}))
                title = ""
        elif isinstance(event, Closing) and selection.parts is None and (selection.is_whole or not title):
            answer = event.final_answer if event.final_answer != findings.answer else None
            yield show(title + (markdown.result(answer) if answer is not None else ""))


def _painter(options: Options, shell: Shell) -> Callable[[Safe], Safe]:
    if options.output is not None or not shell.out.is_coloured:
        return lambda text: text
    from reactcli.render.console import paint_json

    return paint_json


_PRINTERS = {"text": _as_text, "json": _as_json, "jsonl": _as_lines, "md": _as_markdown}

COMMAND = Command(
    name="replay",
    summary="Walk a recorded run, step by step, whatever format it has.",
    details="Reads transcripts and the trace files of many agents, known by their content, and shows every step. "
    "No tool is run, unless --tools and --check ask for it: then each recorded action runs again, the tools starting "
    "in whatever state they are in, and what they answer is compared with the recording. --check alone verifies the "
    "bytes of the file. Exits with 0; with 1 if nothing was read or chosen, a record is damaged or a call diverges; "
    "and with 2 if the file or the tools cannot be read.",
    examples=(
        "reactcli replay trace.jsonl",
        "reactcli replay --steps 3..5 --only action,observation trace.jsonl",
        "reactcli replay --format jsonl trace.json | jq -r .action",
        "reactcli replay --tools tools.py --check trace.jsonl",
    ),
    run=run,
    arguments=(Argument("trace", "TRACE", "The trace; - for stdin."),),
    options=(
        Option(("--steps",), "Show these steps; both ends are included.", "A..B", convert=asked(steps_range)),
        Option(("--only",), f"Show these parts: {', '.join(PARTS)}.", "PARTS", convert=asked(parts)),
        Option(
            ("--episode",),
            "Show this episode of several; --steps then counts in it.",
            metavar="N",
            convert=asked(number),
        ),
        Option(("--grep",), "Show steps that this pattern is found in.", "RE", convert=asked(compiled)),
        Option(("--interactive", "-i"), "Step through the trace with keys; ? lists them."),
        Option(("--full",), "Cut no long values on a terminal; explain every divergence."),
        Option(("--format",), "How to print.", choices=tuple(_PRINTERS), default="text"),
        Option(("--output", "-o"), "Write to this file, or the report of --check.", metavar="FILE"),
        Option(("--force",), "Replace a file that is there."),
        Option(("--tools",), "Where the tools are: FILE.py or package.module, :NAME for one.", "SPEC", repeated=True),
        Option(("--check",), "Compare with live tools, or verify the recording."),
        Option(
            ("--normalize",),
            "Take what matches for TEXT before comparing.",
            metavar="REGEX=TEXT",
            repeated=True,
            convert=asked(parse_pattern),
        ),
        Option(("--ignore-tool",), "Do not run this tool.", metavar="NAME", repeated=True),
        Option(("--update",), "Write the trace with what the tools answer now.", metavar="FILE"),
        Option(("--timeout",), "Seconds for a call; 30, or what the tool sets, if not given.", "S", convert=seconds),
        REDACT,
        SECRET,
        MAP,
        MAX_INPUT,
    ),
)
