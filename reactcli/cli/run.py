"""`reactcli run`: ask a model a question, run the tools that it calls, and go on until there is an answer."""

from __future__ import annotations

from contextlib import ExitStack

from reactcli.cli.exec import seconds
from reactcli.cli.input import STDIN, read_text, size
from reactcli.cli.options import Argument, Command, Option, UsageError
from reactcli.cli.output import OutputError
from reactcli.cli.prompt import PROMPT_OPTIONS, TOOLS, count, wanted
from reactcli.cli.shell import explain
from reactcli.cli.tracefile import MAX_INPUT
from reactcli.render import Safe
from reactcli.render.sanitise import show, show_line
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from reactcli.cli.live import Silent
    from reactcli.cli.resuming import Resumed
    from reactcli.cli.shell import Shell
    from reactcli.engine import Run
    from reactcli.engine.callers import Tools
    from reactcli.engine.requests import Model
    from reactcli.tools.calls import Call, Outcome

SCHEMA = "reactcli/run@1"


class Options(Value):
    """The values of the options, by their names."""

    question: str
    tools: tuple[str, ...]
    model: str | None
    base_url: str | None
    key_env: str
    temperature: float | None
    model_timeout: float
    retries: int
    max_reply: int | None
    timeout: float | None
    deadline: float | None
    max_tokens: int | None
    max_parse_errors: int
    max_same_tool: int | None
    fatal_errors: tuple[str, ...]
    on_both: str
    implicit_final: bool
    reflect: bool
    answer_at_limit: bool
    parallel: int
    confirm: bool
    record: str | None
    resume: str | None
    from_: int | None
    memory: int
    env: tuple[str, ...]
    format: str
    max_input: int


def run(values: Mapping[str, Any], shell: Shell) -> int:
    from reactcli.cli.interrupts import Interrupts
    from reactcli.cli.resuming import resumed
    from reactcli.cli.sources import Manner, tools_of
    from reactcli.isolation import Limits

    options = _checked(Options(**{field: values[field] for field in Options._fields}))
    with ExitStack() as stack:
        start = resumed(options.resume, options.from_, options.record, options.max_input)
        model = _model(options)
        limits = Limits(max(options.timeout or 0.0, 30.0), options.memory, options.env)
        tools = tools_of(options.tools, stack, limits, Manner(options.timeout, options.parallel), options.max_input)
        question = _question(options, model, start)
        settings = wanted(values).over(start.prompt)
        recorder = stack.enter_context(start.recorder()) if start.path is not None else None
        if recorder is not None and recorder.torn:
            shell.note(Safe(f"{recorder.torn} bytes of a torn record were moved to '{show_line(recorder.path)}.torn'"))
        listener = _listener(options, shell)
        stack.callback(listener.close)
        engine = _engine(
            start.model(model), tools, options, settings, recorder=recorder, listener=listener, about=start.about
        )
        interrupts = stack.enter_context(Interrupts(engine))
        _print_question(question, options, shell)
        found = _finished(engine, question, start)
        listener.close()
        _print_end(found, options, shell)
        if interrupts.number is not None:
            shell.out.flush()
            return 128 + interrupts.number
        return 0 if found.answer is not None else 1


def _checked(options: Options) -> Options:
    """UsageError if options are missing, or exclude each other."""
    from reactcli.cli.sources import KINDS

    if not options.tools:
        raise UsageError("no tools are given", hint="--tools FILE.py, or --tools package.module, says where they are")
    if options.model is None:
        raise UsageError("no model is given", hint=f"--model says who answers: {KINDS}")
    if options.from_ is not None and options.resume is None:
        raise UsageError("--from is a step of --resume FILE", hint="add --resume FILE")
    return options


def _model(options: Options) -> Model:
    from reactcli.cli.sources import Endpoint, model_of

    endpoint = Endpoint(
        options.base_url,
        options.key_env,
        options.temperature,
        options.model_timeout,
        options.retries,
        options.max_reply,
    )
    return model_of(str(options.model), endpoint, options.max_input)


def _question(options: Options, model: Model, start: Resumed) -> str:
    """The question of the command line, or else of the recording that is gone on with or answers."""
    known = start.question or getattr(model, "question", None)
    if not options.question:
        if not known:
            raise UsageError("no question is given", hint="write it in quotes, or - to read it from stdin")
        return str(known)
    asked = read_text(STDIN, options.max_input).text.strip() if options.question == STDIN else options.question
    if start.question is not None and asked != start.question:
        raise UsageError("the recording that is gone on with answers another question", hint="leave the question away")
    return asked


def _engine(model: Model, tools: Tools, options: Options, settings: dict[str, Any], **rest: Any) -> Any:
    from reactcli.engine import ReActEngine

    return ReActEngine(
        model,
        tools,
        settings.pop("max_steps"),
        **settings,
        **rest,
        on_both=options.on_both,
        implicit_final=options.implicit_final,
        max_parse_errors=options.max_parse_errors,
        fatal_errors=options.fatal_errors,
        deadline=options.deadline,
        max_tokens=options.max_tokens,
        max_same_tool=options.max_same_tool,
        reflect=options.reflect,
        answer_at_limit=options.answer_at_limit,
        confirm=_confirm if options.confirm else None,
        now=_now,
    )


def _finished(engine: Any, question: str, start: Resumed) -> Run:
    from reactcli.recorder import RecordingError

    try:
        found: Run = engine.run(question, earlier=start.earlier)
    except RecordingError as error:
        raise OutputError(error.message, hint=error.hint) from None
    return found


def _confirm(call: Call, planned: Outcome) -> bool:
    from reactcli.cli.terminal import is_confirmed
    from reactcli.tools.binding import written

    return is_confirmed(show(f"run {written(str(call.tool), planned.arguments or {})}?"))


def _now() -> str:
    from datetime import UTC, datetime  # 3 ms

    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _listener(options: Options, shell: Shell) -> Silent:
    from reactcli.cli.live import Live, Plain, Silent

    if options.format == "json":
        return Silent(shell)
    return Live(shell) if shell.out.is_terminal else Plain(shell)


def _print_question(question: str, options: Options, shell: Shell) -> None:
    if options.format == "text":
        from reactcli.render.walk import Look, heading

        shell.out.write(heading(1, question, Look(shell.out.is_coloured), is_numbered=False))
        shell.out.flush()


def _print_end(found: Run, options: Options, shell: Shell) -> None:
    if options.format == "json":
        shell.write_json(_document(found), 2)
        shell.out.write(Safe("\n"))
    else:
        from reactcli.render.walk import Look, result

        shell.out.write(result(None, found.status, Look(shell.out.is_coloured)))
    shell.out.flush()
    if found.status != "finished":
        explain(f"no answer: {found.reason}", "")
    elif found.reason:
        shell.note(show_line(found.reason, 300))


def _document(found: Run) -> dict[str, Any]:
    from reactcli.formats.events import metas_of
    from reactcli.formats.named import fields_of

    trace = found.trace
    pairs = zip(trace.steps, metas_of(trace), strict=True)
    return {
        "schema": SCHEMA,
        "question": trace.question,
        "status": found.status,
        "reason": found.reason or None,
        "answer": found.answer,
        "iterations": found.iterations,
        "steps": [fields_of(step, meta, number, step.question) for number, (step, meta) in enumerate(pairs, 1)],
        "usage": None if found.usage is None else dict(found.usage),
    }


def _number(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    raise UsageError(f"'{show_line(text)}' is no number", hint="write a whole number from 0")


def _temperature(text: str) -> float | None:
    if text == "none":
        return None
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found <= 10:
        raise UsageError(f"'{show_line(text)}' is no temperature", hint="write a number from 0 to 10, or none")
    return found


COMMAND = Command(
    name="run",
    summary="Ask a model a question, and run the tools that it calls, until there is an answer.",
    details="Asks the model, reads its reply in any dialect, runs its action in a process of its own, tells it the "
    "observation, and goes on until there is a final answer or a reason to stop. Errors of tools and replies that "
    "cannot be read are told to the model. Prints each step as it is done. Exits with 0 if there is an answer, with 1 "
    "if not. Tools can do whatever you can do: --confirm asks before each call. --resume does nothing again that has "
    "an observation; an action of the last step without one, as after Ctrl-C, is run first if the run goes on in a new "
    "recording. A script is replies with lines of `---` between them, or JSON Lines with `llm_output`.",
    examples=(
        "reactcli run 'How high is K2?' --tools tools.py --model openai:gpt-4o-mini --record run.jsonl",
        "reactcli run --tools tools.py --model trace:run.jsonl",
        "reactcli run --resume run.jsonl --from 3 --record fork.jsonl --tools tools.py --model openai:gpt-4o",
    ),
    run=run,
    arguments=(Argument("question", "[QUESTION]", "The question; - reads it from stdin.", default=""),),
    options=(
        TOOLS,
        Option(("--model",), "Who answers: script:FILE, trace:FILE or openai:NAME.", metavar="MODEL"),
        *PROMPT_OPTIONS,
        Option(("--record",), "Record the run, step by step, behind what the file holds.", metavar="FILE"),
        Option(("--resume",), "Go on with a recording, or from a step of it.", metavar="FILE"),
        Option(("--from",), "The last step of --resume that is kept; 0 keeps none.", metavar="N", convert=_number),
        Option(("--confirm",), "Ask on the terminal before each step's calls."),
        Option(("--timeout",), "Seconds for a call; 30, or what the tool sets, if not given.", "S", convert=seconds),
        Option(("--deadline",), "Seconds for the whole run.", metavar="S", convert=seconds),
        Option(("--max-tokens",), "Tokens for all prompts and replies together.", metavar="N", convert=count),
        Option(("--max-parse-errors",), "Unreadable replies in a row.", metavar="N", default="3", convert=count),
        Option(("--max-same-tool",), "Calls of one tool in a row.", metavar="N", convert=count),
        Option(("--fatal-errors",), "An exception of a tool that ends the run.", metavar="TYPE", repeated=True),
        Option(("--on-both",), "Where there is an action and an answer.", choices=("final", "action"), default="final"),
        Option(("--implicit-final",), "Take plain prose as the answer."),
        Option(("--reflect",), "Ask for a reflection after an error or a repeat."),
        Option(("--answer-at-limit",), "At the limit of steps, ask once for the best answer."),
        Option(("--parallel",), "Calls of one reply that run at once.", metavar="N", default="4", convert=count),
        Option(("--base-url",), "Where the endpoint is; OPENAI_BASE_URL if not given.", metavar="URL"),
        Option(("--key-env",), "The variable that holds its key.", metavar="NAME", default="OPENAI_API_KEY"),
        Option(("--temperature",), "Sent to the model; none sends nothing.", "T", (), "0", convert=_temperature),
        Option(("--model-timeout",), "Seconds for a reply.", metavar="S", default="120", convert=seconds),
        Option(("--retries",), "Further tries when the endpoint fails.", metavar="N", default="3", convert=_number),
        Option(("--max-reply",), "Tokens of a reply.", metavar="N", convert=count),
        Option(("--memory",), "Memory that a tool may use.", metavar="SIZE", default="1G", convert=size),
        Option(("--env",), "Let tools see this environment variable.", metavar="NAME", repeated=True),
        Option(("--format",), "How to print.", choices=("text", "json"), default="text"),
        MAX_INPUT,
    ),
)
