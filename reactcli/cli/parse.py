"""`reactcli parse`: a model's text in, its parts out."""

from __future__ import annotations

from functools import partial

from reactcli.cli.input import STDIN, Decoder, decode, display_name, lines_of, read_blocks, size
from reactcli.cli.options import Argument, Command, Option, UsageError
from reactcli.cli.output import Kept, Notes
from reactcli.cli.parsed import Options, Parsing, print_documents, print_table, print_values
from reactcli.cli.records import FIELDS, Form, file_records, line_records, records_of
from reactcli.cli.shell import Shell, explain
from reactcli.cli.verdict import Verdict
from reactcli.errors import UnknownNameError
from reactcli.render import Safe
from reactcli.render.documents import STEP_FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from reactcli.cli.records import Record
    from reactcli.cli.shares import Share

    Printed = tuple[tuple[int, int, int], bool]
    """Of a share: what its verdict counts, and whether anything that was asked for is in it."""

MANY = 1000
"""Lines behind which it is worth 20 ms to make plain ones quicker."""


def run(values: Mapping[str, Any], shell: Shell) -> int:
    options = _checked(Options(**{field: values[field] for field in Options._fields}))
    verdict = Verdict(shell, is_strict=options.strict, is_explained=options.full, is_counted=options.is_told_inside)
    parsing = Parsing(options, options.parser(), shell, verdict)
    is_printed = _print_events(parsing) if options.stream else _print_records(parsing)
    if not is_printed:
        explain(f"there is no {options.get} in the text", "")
    return max(verdict.code(), 0 if is_printed else 1)


def _print_records(parsing: Parsing) -> bool:
    options = parsing.options
    if options.input == "text":
        return _printer(options)(file_records(options.files, options.max_input), parsing)
    if parsing.is_shareable:
        from reactcli.cli import shares

        long_file = shares.open_long(options.files[0])
        if long_file is not None:
            return _print_shares(shares.worked_off(partial(_printed_share, options), long_file), parsing)
    form = Form(options.field, options.max_input, parsing.plain_taker, MANY)
    return _printer(options)(line_records(options.files, form), parsing)


def _print_shares(printed: Iterator[Printed], parsing: Parsing) -> bool:
    """Prints what other processes made of the shares of a long file."""
    is_printed = False
    for counts, is_share_printed in printed:
        parsing.verdict.add_counts(*counts)
        is_printed = is_printed or is_share_printed
    return is_printed


def _printed_share(options: Options, share: Share) -> tuple[bytes, Printed]:
    out = Kept()
    shell = Shell(out, Notes(), quiet=True)
    verdict = Verdict(shell, is_strict=options.strict, is_explained=False, is_counted=True)
    parsing = Parsing(options, options.parser(), shell, verdict)
    lines = lines_of(share.blocks(), options.max_input, share.number)
    form = Form(options.field, options.max_input, parsing.plain_taker, 0)
    is_printed = _printer(options)(records_of(lines, display_name(options.files[0]), {}, form), parsing)
    return out.content(), (verdict.counts(), is_printed)


def _printer(options: Options) -> Callable[[Iterator[Record | None], Parsing], bool]:
    """Prints records; False if what was asked for is in none of them."""
    if options.get is not None:
        return print_values
    return print_table if options.format == "table" else print_documents


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


def _print_events(parsing: Parsing) -> bool:
    """The parts of one text as they arrive, and the step when it is complete."""
    options, shell = parsing.options, parsing.shell
    stream, decoder = parsing.parser.stream(), Decoder()
    blocks: list[bytes] = []
    for block in _arriving(options, shell, blocks):
        _print_texts(stream.feed(decoder.feed(block, is_last=not block)), shell)
    step = stream.close()
    _print_texts(stream.rest, shell)
    shell.write_json({"event": "step", **step.contract()})
    shell.out.write(Safe("\n"))
    whole = decode(b"".join(blocks), display_name(options.files[0]))
    parsing.verdict.add(whole.name, whole.text, (*whole.diagnostics, *step.diagnostics))
    return True


def _print_texts(events: list[tuple[str, str]], shell: Shell) -> None:
    for part, text in events:
        shell.write_json({"event": "text", "part": part, "text": text})
        shell.out.write(Safe("\n"))


def _arriving(options: Options, shell: Shell, blocks: list[bytes]) -> Iterator[bytes]:
    """The blocks of the file, kept in `blocks`, and an empty one; events are flushed before each wait for the next."""
    for block in read_blocks(options.files[0], options.max_input):
        blocks.append(block)
        yield block
        shell.out.flush()
    yield b""


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
        Option(("--get",), "Print only this field, bare; as JSON with --format jsonl.", metavar="FIELD"),
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
