"""Which tool calls a text asks for, or what keeps it from asking for any."""

from __future__ import annotations

import re

from reactcli.errors import ReactcliError
from reactcli.loosejson import read_arguments, read_call
from reactcli.observations import EMPTY
from reactcli.patterns import pattern
from reactcli.tools.calls import Call
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

_JSON_TOKEN = pattern(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}()]', re.DOTALL)
_CLOSERS = {"{": "}", "[": "]", "(": ")"}

FORM = "write `Action:` with the name of a tool and `Action Input:` with its input, or `Final Answer:`"


class Order(Value):
    """What is to be done about a text: make calls, take the final answer of its step, or say what is missing."""

    step: Step
    calls: tuple[Call, ...] = ()
    problem: str = ""
    """Why there is neither a call nor a final answer, for the model and for people."""
    used: str = ""
    """The part of a reply that was read; none of a transcript."""
    diagnostics: tuple[Diagnostic, ...] = ()


def ordered(parser: ReActAgentParser, text: str) -> Order:
    """What one reply of a model asks for. Where the model wrote an observation behind an action, the reply ends."""
    step = parser.parse(text)
    invented = invention_in(step)
    if invented is None:
        return order_of(step, step.diagnostics).replace(used=text.rstrip())
    used = text[: invented.span[0]]
    step = parser.parse(used)
    hint = f"what follows it was not read; --step N or --step {PENDING} reads a transcript"
    return order_of(step, (*step.diagnostics, invented.replace(hint=hint))).replace(used=used.rstrip())


def invention_in(step: Step) -> Diagnostic | None:
    """What says where the model wrote an observation itself: a reply ends there."""
    return next((note for note in step.diagnostics if note.code == "hallucinated-observation"), None)


def ordered_at(parser: ReActAgentParser, text: str, which: int | str) -> Order:
    """What one step of a transcript asks for: a number from 1, or `PENDING`, which a final answer at the end is too.

    ReactcliError if there is no such step.
    """
    trace = parser.parse_trace(text)
    if which == PENDING:
        step = _pending(trace.steps, text)
        missing = "no action of the transcript waits for an observation"
    else:
        numbered = dict(enumerate(trace.steps, 1))
        step = numbered.get(int(which))
        missing = f"the transcript has no step {which}, it has {len(numbered)}"
    if step is None:
        raise ReactcliError(missing, hint="`reactcli parse --steps` shows what there is")
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
    *others, last = step.parallel_actions or (Action(step.action, step.action_input, step.arguments),)
    calls = (*(_call(action) for action in others), _call(last, truncated=step.truncated))
    return Order(step, calls, diagnostics=diagnostics)


def _call(action: Action, *, truncated: bool = False) -> Call:
    """Of the last input a step says whether it was cut off, as it ends the text; of others, reading it again does."""
    text = action.action_input or ""
    truncated = truncated or read_arguments(text, 0, len(text)).truncated
    return Call(action.action, action.action_input, action.arguments, truncated=truncated)


def completed(call: Call) -> Call:
    """A call whose input was cut off, with its missing closers added; as it is if that makes no sense."""
    text = call.action_input or ""
    whole = text + _missing_closers(text)
    for reading in (read_arguments(whole, 0, len(whole)), read_call(whole, 0, len(whole))):
        if reading.found and reading.value is not None and not reading.truncated:
            return call.replace(arguments=reading.value, truncated=False)
    is_plain = not any(mark in text for mark in "{[=")
    return call.replace(truncated=False) if is_plain else call


def _missing_closers(text: str) -> str:
    closers: list[str] = []
    for token in _JSON_TOKEN.finditer(text):
        if token[0] in _CLOSERS:
            closers.append(_CLOSERS[token[0]])
        elif token[0] in ("}", "]", ")"):
            del closers[-1:]
        elif token.end() == len(text) and (len(token[0]) == 1 or not token[0].endswith('"')):
            closers.append('"')
    return "".join(reversed(closers))


def _pending(steps: tuple[Step, ...], text: str) -> Step | None:
    """The last action without an observation, or with a label that waits for one; else the final answer, at the end."""
    last = steps[-1] if steps else None
    if last is not None and last.action is not None and last.observation == "" and not EMPTY.search(text):
        return last
    waiting = [step for step in steps if step.action is not None and step.observation is None]
    return waiting[-1] if waiting else last if last is not None and last.is_final else None


def _reason(diagnostics: tuple[Diagnostic, ...]) -> str:
    found = {note.code: note.message for note in diagnostics}
    message = next((found[code] for code in REASONS if code in found), "there is no action")
    return f"{message}: {FORM}"
