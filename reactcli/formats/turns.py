"""Turns of a conversation become steps: the shared half of every format that records messages.

A turn of the assistant with calls is a step; results are paired with calls by id, else by name, else by order, and may
come late, twice or never. A turn of text alone is the final answer if it is the assistant's last, else a thought, and
what the user says next is its observation. In a conversation that spells ReAct as text, the assistant's text is parsed
and the user's next turn is the observation.
"""

from __future__ import annotations

import re
from collections import deque

from reactcli.dialects.parts import LABELS, Part
from reactcli.formats.events import Opening, Recorded
from reactcli.trace import Action, Step
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from reactcli.diagnostics import Diagnostic
    from reactcli.formats.events import Event
    from reactcli.formats.fields import Input

WAITING_LIMIT = 256
"""Steps held back because an earlier call still has no result: results never came later than 40 steps."""
_WORDS = "|".join(sorted({words for labels in LABELS.values() if (words := labels.get(Part.OBSERVATION))}))
_OBSERVED = re.compile(
    rf"\s*+(?:(?:{_WORDS})(?: \d{{1,4}})?[ \t]?[:：]|Execution logs:|The output of the OS:)[ \n]?", re.IGNORECASE
)


class Call:
    """One call of a turn; its observation comes with a later turn."""

    __slots__ = ("action", "call_id", "input", "is_error", "observation")

    def __init__(self, action: str | None, call_input: Input, call_id: str | None = None) -> None:
        self.action = action
        self.input = call_input
        self.call_id = call_id
        self.observation: str | None = None
        self.is_error = False


class Turn(Value):
    """One message, whatever its format."""

    role: str
    """`system`, `user`, `assistant` or `result`."""
    text: str | None = None
    thought: str | None = None
    """Reasoning that the assistant recorded beside its text."""
    calls: tuple[Call, ...] = ()
    call_id: str | None = None
    tool: str | None = None
    is_error: bool = False
    meta: Mapping[str, Any] = {}
    line: int = 0


class _Builder:
    """Holds the turns whose results may still come, and gives their steps in order."""

    def __init__(self, notice: Callable[..., None], episode: int, *, react: bool) -> None:
        self.question: str | None = None
        self.meta: dict[str, Any] = {}
        self._notice = notice
        self._episode = episode
        self._react = react
        self._waiting: deque[_Waiting] = deque()
        self._seen: set[str] = set()
        self._is_open = False
        self._first = True

    def take(self, turn: Turn) -> Iterator[Event]:
        if turn.role == "assistant":
            yield from self._take_assistant(turn)
        elif turn.role == "result":
            self._take_result(turn)
        elif self._waiting:
            self._waiting[-1].say(turn)
        elif turn.role == "user":
            self.question = turn.text if self.question is None else f"{self.question}\n\n{turn.text}"
        else:
            self.meta.setdefault("system", []).append(turn.text)

    def close(self) -> Iterator[Event]:
        if not self._is_open:
            yield self._opening()
        while self._waiting:
            waiting = self._waiting.popleft()
            for step in waiting.steps(last=not self._waiting, episode=self._episode):
                yield self._recorded(step, waiting)

    def _take_assistant(self, turn: Turn) -> Iterator[Event]:
        if not self._is_open:
            yield self._opening()
        spelt = parsed(turn.text) if self._react and turn.text is not None and not turn.calls else None
        while self._waiting and (self._waiting[0].is_complete() or len(self._waiting) > WAITING_LIMIT):
            waiting = self._waiting.popleft()
            for step in waiting.steps(last=False, episode=self._episode):
                yield self._recorded(step, waiting)
        self._waiting.append(_Waiting(turn, spelt))

    def _take_result(self, turn: Turn) -> None:
        call = self._call_for(turn)
        if call is not None:
            call.observation = turn.text if turn.text is not None else ""
            call.is_error = turn.is_error
            self._seen.add(turn.call_id or "")
            if self._waiting and turn.meta:
                self._waiting[-1].add("results", turn.meta)
            return
        repeated = turn.call_id is not None and turn.call_id in self._seen
        code = "repeated-result" if repeated else "result-without-call"
        self._notice(code, where=f"line {turn.line}" if turn.line else "", call=turn.call_id or turn.tool or "?")
        unpaired = {"call_id": turn.call_id, "tool": turn.tool, "text": turn.text}
        if self._waiting:
            self._waiting[-1].add("unpaired_results", unpaired)
        else:
            self.meta.setdefault("unpaired_results", []).append(unpaired)

    def _call_for(self, turn: Turn) -> Call | None:
        unanswered = [call for waiting in self._waiting for call in waiting.turn.calls if call.observation is None]
        if turn.call_id is not None:
            found = next((call for call in unanswered if call.call_id == turn.call_id), None)
            if found is not None or any(call.call_id is not None for call in unanswered) or not unanswered:
                return found
        named = (call for call in unanswered if turn.tool is not None and call.action == turn.tool)
        return next(named, None) or (unanswered[0] if unanswered and turn.tool is None else None)

    def _opening(self) -> Opening:
        self._is_open = True
        systems = self.meta.get("system")
        if systems is not None and len(systems) == 1:
            self.meta["system"] = systems[0]
        return Opening(self._episode, self.question, self.meta)

    def _recorded(self, step: Step, waiting: _Waiting) -> Recorded:
        if self._first:
            self._first = False
            step = step.replace(question=self.question)
        return Recorded(step, waiting.meta(), waiting.turn.line)


class _Waiting:
    """An assistant's turn and what has been said since."""

    __slots__ = ("_later", "_spelt", "turn", "user")

    def __init__(self, turn: Turn, spelt: Step | None) -> None:
        self.turn = turn
        self._spelt = spelt
        """The assistant's text as ReAct, in a conversation that spells it so."""
        self.user: str | None = None
        self._later: dict[str, list[Any]] = {}

    def is_complete(self) -> bool:
        return all(call.observation is not None for call in self.turn.calls)

    def say(self, turn: Turn) -> None:
        """The user or the system speaks after the assistant."""
        if turn.role == "user" and not self.turn.calls and self.user is None:
            self.user = turn.text
        else:
            self.add(turn.role, turn.text)

    def add(self, key: str, value: object) -> None:
        self._later.setdefault(key, []).append(value)

    def meta(self) -> dict[str, Any]:
        meta = {**self.turn.meta, **self._later}
        if len(self.turn.calls) == 1:
            call = self.turn.calls[0]
            meta |= {"call_id": call.call_id} if call.call_id is not None else {}
            meta |= {"is_error": True} if call.is_error else {}
        return meta

    def steps(self, *, last: bool, episode: int) -> tuple[Step, ...]:
        if self.turn.calls:
            return (_calling_step(self.turn, episode),)
        if self._spelt is not None and (self._spelt.action is not None or self._spelt.is_final):
            return tuple(step.replace(episode=episode) for step in self._spelt_steps(self._spelt))
        text, thought = self.turn.text or "", self.turn.thought or ""
        if last and text:
            return (Step(thought, final_answer=text, is_final=True, observation=self._observed(), episode=episode),)
        if thought and text:
            return (Step(thought, preamble=text, observation=self._observed(), episode=episode),)
        return (Step(thought or text, observation=self._observed(), episode=episode),)

    def _spelt_steps(self, step: Step) -> tuple[Step, ...]:
        if self.user is None and step.hallucinated_observation is not None:  # a whole transcript in one message
            return transcript(self.turn.text or "")
        if self.user is not None and _OBSERVED.match(self.user) and step.is_final and step.shadowed:
            step = parsed(self.turn.text or "", was_answered=True)
        reasoning = self.turn.thought or step.reasoning
        return (step.replace(observation=self._observed(), reasoning=reasoning),)

    def _observed(self) -> str | None:
        if self.user is None:
            return None
        label = _OBSERVED.match(self.user)
        return self.user[label.end() :] if label else self.user


def steps_of(
    turns: Iterable[Turn],
    notice: Callable[..., None],
    *,
    episode: int = 1,
    meta: dict[str, Any] | None = None,
    react: bool = False,
) -> Iterator[Event]:
    """The steps of one conversation, as they become known; `meta` is what is known of it beside its turns."""
    builder = _Builder(notice, episode, react=react)
    builder.meta |= meta or {}
    for turn in turns:
        yield from builder.take(turn)
    yield from builder.close()


def parsed(text: str, *, was_answered: bool = False) -> Step:
    """One reply of a model, read as ReAct text; its offsets say nothing about the file it stands in.

    Where a tool answered the reply, its action was run, even if the model wrote a final answer behind it.
    """
    from reactcli.parser import ReActAgentParser  # 20 ms, and most files hold no ReAct text

    step = ReActAgentParser().parse(text)
    if was_answered and step.is_final and step.shadowed:
        step = ReActAgentParser(on_both="action").parse(text)
    return step.replace(spans={})


def transcript(text: str) -> tuple[Step, ...]:
    """The steps of a text that holds several, with their observations; none if it is no ReAct text."""
    from reactcli.parser import ReActAgentParser  # as above

    return tuple(step.replace(spans={}) for step in ReActAgentParser().parse_trace(text).steps)


def _calling_step(turn: Turn, episode: int) -> Step:
    thought, preamble = (turn.thought, turn.text or "") if turn.thought else (turn.text or "", "")
    first = turn.calls[0]
    observed = [call.observation for call in turn.calls if call.observation is not None]
    several = len(turn.calls) > 1
    diagnostics: list[Diagnostic] = [found for call in turn.calls for found in call.input.diagnostics]
    return Step(
        thought=thought,
        action=first.action,
        action_input=first.input.text,
        observation="\n".join(observed) if observed else None,
        arguments=first.input.arguments,
        parallel_actions=tuple(map(_action, turn.calls)) if several else (),
        preamble=preamble,
        truncated=any(call.input.truncated for call in turn.calls),
        episode=episode,
        diagnostics=tuple(diagnostics),
    )


def _action(call: Call) -> Action:
    return Action(call.action, call.input.text, call.input.arguments, call.observation, call.call_id, call.is_error)
