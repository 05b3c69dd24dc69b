"""Which tool calls a text asks for, or what keeps it from asking for any."""

from __future__ import annotations

from reactcli.calls import Call
from reactcli.loosejson import read_arguments
from reactcli.trace import Action, Step
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reactcli.diagnostics import Diagnostic
    from reactcli.parser import ReActAgentParser

PENDING = "pending"
"""The last action of a transcript that has no observation."""

REASONS = (
    "empty-input", "nothing-recognised", "unclosed-reasoning", "conflict", "several-actions", "blob-without-name",
    "empty-action", "input-without-action", "no-action-named", "no-action-or-answer",
)  # fmt: skip
"""Codes that say why there is no action, the most telling first."""

FORM = "write `Action:` with the name of a tool and `Action Input:` with its input, or `Final Answer:`"


class Order(Value):
    """What is to be done about a text: make calls, take the final answer of its step, or say what is missing."""

    step: Step
    calls: tuple[Call, ...] = ()
    problem: str = ""
    """Why there is neither a call nor a final answer, for the model and for people."""
    diagnostics: tuple[Diagnostic, ...] = ()


def ordered(parser: ReActAgentParser, text: str) -> Order:
    """What one reply of a model asks for. Where the model wrote an observation behind an action, the reply ends."""
    step = parser.parse(text)
    invented = next((note for note in step.diagnostics if note.code == "hallucinated-observation"), None)
    if invented is None:
        return order_of(step, step.diagnostics)
    step = parser.parse(text[: invented.span[0]])
    hint = f"what follows it was not read; --step N or --step {PENDING} reads a transcript"
    return order_of(step, (*step.diagnostics, invented.replace(hint=hint)))


def ordered_at(parser: ReActAgentParser, text: str, which: int | str) -> Order:
    """What one step of a transcript asks for: a number from 1, or `PENDING`."""
    trace = parser.parse_trace(text)
    if which == PENDING:
        waiting = [step for step in trace.steps if step.action is not None and step.observation is None]
        step = waiting[-1] if waiting else None
        missing = "no action of the transcript waits for an observation"
    else:
        numbered = dict(enumerate(trace.steps, 1))
        step = numbered.get(int(which))
        missing = f"the transcript has no step {which}, it has {len(numbered)}"
    if step is None:
        return Order(Step(), problem=missing, diagnostics=trace.diagnostics)
    return order_of(step, (*trace.diagnostics, *step.diagnostics))


def ordered_by_name(tool: str, text: str | None) -> Order:
    """The call of a tool with an input, without any text around it."""
    reading = read_arguments(text or "", 0, len(text or ""))
    step = Step(action=tool, action_input=text, arguments=reading.value, truncated=reading.truncated)
    return order_of(step, reading.diagnostics)


def order_of(step: Step, diagnostics: tuple[Diagnostic, ...]) -> Order:
    if step.is_final:
        return Order(step, diagnostics=diagnostics)
    if step.action is None:
        return Order(step, problem=_reason(diagnostics), diagnostics=diagnostics)
    single = Action(step.action, step.action_input, step.arguments)
    calls = tuple(_call(action, step) for action in step.parallel_actions or (single,))
    return Order(step, calls, diagnostics=diagnostics)


def _call(action: Action, step: Step) -> Call:
    """A step says only of its own input whether that was cut off; of the others, reading it again does."""
    text = action.action_input or ""
    is_own = text == (step.action_input or "")
    truncated = (is_own and step.truncated) or read_arguments(text, 0, len(text)).truncated
    return Call(action.action, action.action_input, action.arguments, truncated=truncated)


def _reason(diagnostics: tuple[Diagnostic, ...]) -> str:
    found = {note.code: note.message for note in diagnostics}
    message = next((found[code] for code in REASONS if code in found), "there is no action")
    return f"{message}: {FORM}"
