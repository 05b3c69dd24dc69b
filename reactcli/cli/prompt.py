"""`reactcli prompt`: what a model is shown at the start of a run, or was shown at a step of a recording."""

from __future__ import annotations

from reactcli.cli.exec import seconds
from reactcli.cli.input import read_text, size
from reactcli.cli.options import Argument, Command, Option, UsageError
from reactcli.cli.tracefile import MAX_INPUT, TraceFile
from reactcli.errors import FormatError
from reactcli.render import Safe
from reactcli.render.sanitise import show, show_line
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from reactcli.cli.shell import Shell
    from reactcli.prompt import Prompt, Turn
    from reactcli.trace import Trace

SCHEMA = "reactcli/prompt@1"
TEMPLATE_LIMIT = 1 << 20

_SAID: dict[str, tuple[type, Any]] = {
    "template": (str, None),
    "dialect": (str, "auto"),
    "language": (str, "en"),
    "history": (str, "scratchpad"),
    "max_steps": (int, 10),
    "context": (int, None),
    "max_output": (int, 100 << 10),
}
"""What a recording says of its prompts: kinds and defaults."""


class Wanted(Value):
    """What the options say of the prompt; None where they say nothing."""

    template: str | None = None
    """The text itself."""
    dialect: str | None = None
    language: str | None = None
    history: str | None = None
    max_steps: int | None = None
    context: int | None = None
    max_output: int | None = None

    def over(self, recorded: object) -> dict[str, Any]:
        """These over what a recording says, and that over the defaults."""
        said = recorded if isinstance(recorded, dict) else {}
        found = {
            name: said[name] if isinstance(said.get(name), kind) and not isinstance(said[name], bool) else default
            for name, (kind, default) in _SAID.items()
        }
        if self.dialect is not None or self.language is not None:
            found["template"] = None  # the recorded one is in another
        return found | {name: value for name, value in self._items() if value is not None}


def wanted(values: Mapping[str, Any]) -> Wanted:
    template = values["template"]
    text = None if template is None else read_text(template, TEMPLATE_LIMIT).text
    return Wanted(
        text, *(values[name] for name in ("dialect", "language", "history", "max_steps", "context", "max_output"))
    )


def run(values: Mapping[str, Any], shell: Shell) -> int:
    if values["step"] is None:
        prompt, turns = _first_prompt(values)
    else:
        prompt, turns = _recorded_prompt(values)
    asked = prompt.of(turns)
    if values["format"] == "json" or not isinstance(asked, str):
        text = asked if isinstance(asked, str) else "\n".join(message["content"] for message in asked)
        from reactcli.prompt import estimated_tokens

        shell.write_json({"schema": SCHEMA, "prompt": asked, "estimated_tokens": estimated_tokens(text)}, 2)
        shell.out.write(Safe("\n"))
    elif shell.out.is_terminal:
        shell.out.write(show(f"{asked}\n"))
    else:
        shell.out.write_raw(f"{asked}\n")
    return 0


def count(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 10 and int(text):
        return int(text)
    raise UsageError(f"'{show_line(text)}' is no number", hint="write a whole number from 1")


def _first_prompt(values: Mapping[str, Any]) -> tuple[Prompt, list[Turn]]:
    from reactcli.prompt import prompt_of

    return prompt_of(values["subject"], _tools(values), **wanted(values).over({})), []


def _recorded_prompt(values: Mapping[str, Any]) -> tuple[Prompt, list[Turn]]:
    """The prompt of a step: from what the recording says of it, as far as it says anything."""
    from reactcli.formats.events import metas_of
    from reactcli.parser import ReActAgentParser
    from reactcli.prompt import prompt_of, turn_of

    trace = _trace(values)
    step: int = values["step"]
    if not trace.steps or step > len(trace.steps) + 1:
        raise FormatError(f"the trace has no step {step}, it has {len(trace.steps)}")
    described = trace.meta.get("tools")
    tools = _tools(values) if values["tools"] or not isinstance(described, list) else described
    settings = wanted(values).over(trace.meta.get("prompt"))
    prompt = prompt_of(
        trace.question or "",
        [tool for tool in tools if isinstance(tool, dict) and isinstance(tool.get("name"), str)],
        **settings,
    )
    parser = ReActAgentParser(settings["dialect"], primed=prompt.template.is_primed)
    done = list(zip(trace.steps, metas_of(trace), strict=True))[: step - 1]
    return prompt, [turn_of(one, meta, number, parser, prompt.max_output) for number, (one, meta) in enumerate(done, 1)]


def _trace(values: Mapping[str, Any]) -> Trace:
    from reactcli.formats import episodes_of, trace_of

    with TraceFile(values["subject"], limit=values["max_input"]) as file:
        episodes = episodes_of(trace_of(file.events()))
    number = values["episode"] or 1
    if number > len(episodes):
        raise FormatError(f"the trace has no episode {number}, it has {len(episodes)}")
    return episodes[number - 1]


def _tools(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    if not values["tools"]:
        return []
    from reactcli.isolation import Limits, Toolbox

    with Toolbox(values["tools"], Limits(values["timeout"] or 30.0, environment=values["env"])) as toolbox:
        return toolbox.describe()


PROMPT_OPTIONS = (
    Option(("--template",), "A file with the prompt, with slots such as {question}.", metavar="FILE"),
    Option(("--dialect",), "The dialect that the model is asked for, and read in.", metavar="NAME"),
    Option(("--language",), "The language of the prompt: en, zh, ru or vi; en if not given.", metavar="NAME"),
    Option(("--history",), "One growing text, or messages.", choices=("scratchpad", "messages")),
    Option(("--max-steps",), "The limit of steps; 10 if not given.", metavar="N", convert=count),
    Option(("--context",), "Tokens that a prompt may have (an estimate).", metavar="N", convert=count),
    Option(("--max-output",), "The longest observation that is shown; 100K if not given.", "SIZE", convert=size),
)
"""Shared with `run`."""

TOOLS = Option(("--tools",), "Where the tools are: FILE.py or package.module, :NAME for one.", "SPEC", repeated=True)

COMMAND = Command(
    name="prompt",
    summary="Print what a model is shown: at the start, or at a step of a recording.",
    details="Without --step prints the first prompt for a question. With --step N prints what the model saw before it "
    "wrote step N of a trace; a recording of ours says how its prompts were made, for another trace the options say "
    "it. Messages are printed as JSON.",
    examples=(
        "reactcli prompt --tools tools.py 'How high is K2?'",
        "reactcli prompt run.jsonl --step 3",
    ),
    run=run,
    arguments=(Argument("subject", "QUESTION|TRACE", "The question, or with --step a trace."),),
    options=(
        TOOLS,
        Option(("--step",), "Print what was shown before this step of the trace.", metavar="N", convert=count),
        Option(("--episode",), "The episode of the trace; the first if not given.", metavar="N", convert=count),
        *PROMPT_OPTIONS,
        Option(("--format",), "How to print.", choices=("text", "json"), default="text"),
        Option(("--timeout",), "Seconds for loading a module; 30 if not given.", metavar="S", convert=seconds),
        Option(("--env",), "Let tools see this environment variable.", metavar="NAME", repeated=True),
        MAX_INPUT,
    ),
)
