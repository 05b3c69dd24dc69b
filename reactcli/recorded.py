"""Answers from a recording: its replies in the model's place, its observations in the tools' place.

Replay is the same loop with one or both of these. What is asked has to be what was asked then: where it is not, that is
an error which says how, and never a reason to fall back on a live model or tool, or on another recorded answer.
"""

from __future__ import annotations

from reactcli.comparison import actions_of, same_call, same_observation
from reactcli.engine.requests import Ask, Completion, Model, ModelError
from reactcli.formats.events import metas_of
from reactcli.prompt.turns import written
from reactcli.tools.calls import Outcome
from reactcli.tools.results import shortened
from reactcli.trace import Action

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from reactcli.engine.requests import Listen
    from reactcli.tools.calls import Call
    from reactcli.trace import Step, Trace

QUOTED = 120
"""Characters of a text that an error shows."""


class DivergedError(ModelError):
    """What is asked is not what was asked when the recording was made."""


class RecordedModel(Model):
    """Gives the replies of one episode, as long as everything else is as recorded."""

    def __init__(self, trace: Trace) -> None:
        name = trace.meta.get("model")
        self.name = name if isinstance(name, str) else "trace"
        self.question = trace.question
        self._trace = trace
        self._metas = metas_of(trace)

    def complete(self, ask: Ask, listen: Listen | None = None) -> Completion:
        self._check(ask)
        if ask.number > len(self._trace.steps):
            raise ModelError(
                f"the recording has no reply for step {ask.number}: it ends after {len(self._trace.steps)} as "
                f"'{self._trace.status}'"
            )
        step, meta = self._trace.steps[ask.number - 1], self._metas[ask.number - 1]
        said, usage = meta.get("llm_output"), meta.get("usage")
        text = said if isinstance(said, str) else written(step)
        if listen is not None:
            listen(text)
        return Completion(text, usage if isinstance(usage, dict) else None)

    def _check(self, ask: Ask) -> None:
        """The step before is as recorded; those before that were, when they were the last."""
        if ask.number == 1 or ask.number > len(self._trace.steps) + 1:
            _same_question(self._trace.question, ask.question)
            return
        recorded, live = self._trace.steps[ask.number - 2], ask.steps[-1]
        if not same_observation(recorded.observation, live.observation):
            raise DivergedError(
                f"step {ask.number - 1} diverges from the recording, so its next reply does not fit: the observation "
                f"was {_quoted(recorded.observation)} and is {_quoted(live.observation)}",
                hint="`reactcli replay --tools SPEC --check` names every difference",
            )


class RecordedTools:
    """Gives the observations of one episode, to the calls that were recorded, in their order."""

    def __init__(self, trace: Trace) -> None:
        self._calls = [
            (number, action, is_error)
            for number, (step, meta) in enumerate(zip(trace.steps, metas_of(trace), strict=True), 1)
            for action, is_error in _answered(step, meta)
        ]
        self._made = 0
        described = trace.meta.get("tools")
        self._described = [tool for tool in described if _is_described(tool)] if isinstance(described, list) else []
        if not self._described:
            used = dict.fromkeys(action.action or "" for _, action, _ in self._calls)
            self._described = [{"name": name, "description": "", "parameters": {}} for name in used]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(str(tool["name"]) for tool in self._described)

    def describe(self) -> list[dict[str, Any]]:
        return self._described

    def call(self, call: Call, *, seconds: float | None = None) -> Outcome:  # noqa: ARG002  # as tools are called
        if self._made == len(self._calls):
            times = sum(action.action == call.tool for _, action, _ in self._calls)
            raise DivergedError(
                f"the recording is exhausted: '{call.tool}' was recorded {times} {'time' if times == 1 else 'times'}, "
                "and is called once more"
            )
        number, recorded, is_error = self._calls[self._made]
        if not same_call(recorded, Action(call.tool, call.action_input, call.arguments)):
            raise DivergedError(
                f"the call diverges from step {number} of the recording: it was {_spelt(recorded)} and is "
                f"{_spelt(Action(call.tool, call.action_input))}"
            )
        if call.dry:
            return Outcome("ok", call.tool)
        self._made += 1
        if recorded.observation is None:
            raise DivergedError(f"the recording has no observation for the call of '{call.tool}' in step {number}")
        error = recorded.observation.removeprefix("Error: ") if is_error else None
        return Outcome("tool_error" if is_error else "ok", call.tool, observation=recorded.observation, error=error)


def _same_question(recorded: str | None, asked: str) -> None:
    if recorded is not None and recorded.strip() != asked.strip():
        raise DivergedError(
            f"the recording answers another question: {_quoted(recorded)}, and asked is {_quoted(asked)}"
        )


def _answered(step: Step, meta: Any) -> list[tuple[Action, bool]]:
    """The calls of a step that were made, each with its observation, and whether that is an error."""
    actions = actions_of(step)
    if len(actions) == 1:
        return [(actions[0], meta.get("is_error") is True)]
    return [(action, action.is_error) for action in actions]


def _is_described(tool: object) -> bool:
    return isinstance(tool, dict) and isinstance(tool.get("name"), str)


def _spelt(action: Action) -> str:
    return f"{action.action}[{shortened(action.action_input or '', QUOTED)}]"


def _quoted(text: str | None) -> str:
    return "nothing" if text is None else f"'{shortened(text, QUOTED)}'"
