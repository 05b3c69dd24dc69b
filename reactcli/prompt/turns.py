"""One turn of a run as the model sees it: what it wrote, what it was told, and what it was told besides."""

from __future__ import annotations

from reactcli.comparison import actions_of
from reactcli.observations import escaped, observation_line
from reactcli.orders import ordered
from reactcli.tools.results import shortened
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from reactcli.orders import Order
    from reactcli.parser import ReActAgentParser
    from reactcli.trace import Step


class Turn(Value):
    number: int
    """Of its step, from 1."""
    reply: str
    """What the model wrote, up to an observation of its own."""
    observations: tuple[str, ...] = ()
    """In the order of the actions, escaped where a line of one would read as something else."""
    note: str = ""
    """What the model is told besides, such as that it goes round in circles."""
    asks_reflection: bool = False
    """The note asks for a reflection, which has to stand before the next thought."""


def cut_reply(reply: str, order: Order) -> str:
    """The reply as a stop sequence would have left it: up to the observation that the model wrote itself."""
    invented = next((note for note in order.diagnostics if note.code == "hallucinated-observation"), None)
    return (reply if invented is None else reply[: invented.span[0]]).rstrip()


def turn_of(step: Step, meta: Mapping[str, Any], number: int, parser: ReActAgentParser, longest: int) -> Turn:
    """The turn of a recorded step: from the model's own words if they were recorded, else from the parts."""
    said = meta.get("llm_output")
    reply = cut_reply(said, ordered(parser, said)) if isinstance(said, str) else written(step)
    note = meta.get("note")
    return Turn(
        number,
        reply,
        told(step, parser, longest),
        note if isinstance(note, str) else "",
        meta.get("asks_reflection") is True,
    )


def told(step: Step, parser: ReActAgentParser, longest: int) -> tuple[str, ...]:
    """The observations of a step as the model sees them: one for each action, the middle of a long one cut out."""
    texts = [action.observation for action in actions_of(step) if action.observation is not None]
    if not texts and step.observation is not None:
        texts = [step.observation]
    return tuple(escaped(shortened(text, longest), parser) for text in texts)


def written(step: Step) -> str:
    """A step as a model could have written it, up to the observation."""
    parts = [("Reflection", step.reflection), ("Thought", step.thought or step.preamble)]
    for action in actions_of(step):
        parts += [("Action", action.action or ""), ("Action Input", action.action_input or "")]
    if step.final_answer is not None:
        parts.append(("Final Answer", step.final_answer))
    return "\n".join(f"{label}: {text}" for label, text in parts if text)


def observation_lines(turn: Turn, label: str) -> str:
    """`Observation: …` for each, under the label of the template, and the note below."""
    lines = [observation_line(text).replace("Observation", label, 1) for text in turn.observations]
    return "\n".join([*lines, turn.note] if turn.note else lines)
