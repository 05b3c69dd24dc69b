"""What the loop asks for, and what it is sent: completions, outcomes of calls, and an end.

The loop yields an `Ask`, an `Act`, or a `Recorded` step that is done, and is sent a `Completion`, the outcomes in the
order of the calls, or nothing. Who cannot answer throws a `StopRun` into it.
"""

from __future__ import annotations

from reactcli.errors import ReactcliError
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from reactcli.parser import ReActAgentParser
    from reactcli.tools.calls import Call
    from reactcli.trace import Step

    Listen = Callable[[str | None], None]

STATUSES = ("finished", "max_steps", "loop", "parse_error", "llm_error", "tool_error", "stopped")

STOP = ("\nObservation",)
"""Where a model is told to stop, if it can be; the reply is cut there in any case."""


class Ask(Value):
    """A completion is asked for."""

    prompt: str | list[dict[str, str]]
    number: int
    """Of the step that it will be, from 1."""
    steps: Sequence[Step]
    """The steps so far; only to be read."""
    parser: ReActAgentParser
    question: str = ""
    stop: tuple[str, ...] = STOP
    seconds: float | None = None
    """Time that is left; None for any."""

    @property
    def prompt_text(self) -> str:
        if isinstance(self.prompt, str):
            return self.prompt
        return "\n".join(message["content"] for message in self.prompt)


class Act(Value):
    """The calls of a step are to be made."""

    step: Step
    calls: tuple[Call, ...]
    seconds: float | None = None


class Completion(Value):
    """What a model returned."""

    text: str
    usage: Mapping[str, int] | None = None
    """`input_tokens` and `output_tokens`; None if nobody said."""
    is_cut_off: bool = False
    """The model stopped at its token limit."""


class End(Value):
    """How a run ended."""

    status: str
    """One of `STATUSES`."""
    reason: str = ""
    answer: str | None = None


class ModelError(ReactcliError):
    """A model gave no completion."""


class StopRun(Exception):  # noqa: N818  # a reason to stop, and mostly no error
    """Thrown into the loop: there will be no answer to its request, and the run ends."""

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.end = End(status, reason)


class Model:
    """Where completions come from. ModelError if there is none."""

    name = "model"

    def complete(self, ask: Ask, listen: Listen | None = None) -> Completion:
        """The completion. `listen` is told its text as it comes, and None if what it was told is void."""
        raise NotImplementedError

    def settings(self) -> dict[str, Any]:
        """What a recording should say of it, beside the name."""
        return {}
