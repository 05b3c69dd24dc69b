"""What a transcript becomes: actions, steps and traces, all frozen.

A step is one triple of thought, action and observation, or the final answer. Values only: nothing here reads or prints.
"""

from __future__ import annotations

from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar

    from reactcli.diagnostics import Diagnostic
    from reactcli.source import Span

STEP_KEYS = ("thought", "action", "action_input", "final_answer", "is_final")
"""The keys of `parse_step`, in their order."""


class Action(Value):
    """One call that a step asks for. A step has more than one only when it runs them side by side."""

    action: str | None
    action_input: str | None = None
    arguments: Any = None
    observation: str | None = None
    call_id: str | None = None
    is_error: bool = False


class Step(Value):
    """Everything known about one step. The first five fields are `parse_step`'s."""

    _uncompared: ClassVar[tuple[str, ...]] = ("spans", "diagnostics")

    thought: str = ""
    action: str | None = None
    action_input: str | None = None
    """Raw text of the input; `''` if its label is there and empty, None if it is absent."""
    final_answer: str | None = None
    is_final: bool = False
    observation: str | None = None
    """What the tool answered: None if there is no answer, `''` if the answer is empty."""
    dialect: str = ""
    arguments: Any = None
    """The parsed input, or None if it is plain text (then `action_input` is the argument)."""
    parallel_actions: tuple[Action, ...] = ()
    """All actions, when there are two or more; the first is usually the step's own."""
    reasoning: str = ""
    preamble: str = ""
    reflection: str = ""
    plan: str = ""
    hallucinated_observation: str | None = None
    """What the model wrote behind its own `Observation:`, in a single reply."""
    shadowed: tuple[Step, ...] = ()
    """What was read and not used: the action that a final answer beat, and steps written ahead."""
    truncated: bool = False
    """The input was cut off in the middle of a value: not to be run as it is."""
    episode: int = 1
    """Which episode of the transcript the step belongs to, from 1."""
    question: str | None = None
    """The question that stands before the step and opens its episode."""
    spans: Mapping[str, Span] = {}  # a default that nothing writes to: values are frozen
    diagnostics: tuple[Diagnostic, ...] = ()

    def contract(self) -> dict[str, Any]:
        """The dict of `parse_step`: exactly five keys, in order."""
        return {
            "thought": self.thought,
            "action": self.action,
            "action_input": self.action_input,
            "final_answer": self.final_answer,
            "is_final": self.is_final,
        }


class Trace(Value):
    """A whole run. A step that is the final answer is the last of `steps`, with `action` None."""

    _uncompared: ClassVar[tuple[str, ...]] = ("diagnostics",)

    question: str | None = None
    steps: tuple[Step, ...] = ()
    final_answer: str | None = None
    status: str = "unfinished"
    """`finished` when a final answer ends it, `unfinished` otherwise, or what a recording says."""
    dialect: str = ""
    meta: Mapping[str, Any] = {}  # as in Step
    """What the file's format knows and this model does not."""
    diagnostics: tuple[Diagnostic, ...] = ()
