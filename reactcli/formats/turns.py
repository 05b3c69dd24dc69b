"""Turns of a conversation become steps: the shared half of every format that records messages.

A turn of the assistant with calls is a step; results are paired with calls by id, else by name, else by order, and may
come late, twice or never. Text that spells calls, as ReAct or in tags, is parsed where a format asks for it, or where a
result answers it. A turn of text alone is the final answer if it is the assistant's last, else a thought, and what the
user says next is its observation; in a chat it is an answer, and what the user says next another question, which opens
the next episode, unless the chat spells ReAct as text, where only a final answer does.
"""

from __future__ import annotations

import re
from collections import deque

from reactcli.dialects.parts import LABELS, Part
from reactcli.formats.events import Opening, Recorded
from reactcli.formats.fields import Input, text_at
from reactcli.formats.strict import Decoder, JsonError
from reactcli.trace import Action, Step
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from reactcli.diagnostics import Diagnostic
    from reactcli.formats.events import Event

WAITING_LIMIT = 256
"""Steps held back because an earlier call still has no result: results never came later than 40 steps."""
_WORDS = "|".join(sorted({words for labels in LABELS.values() if (words := labels.get(Part.OBSERVATION))}))
_OBSERVED = re.compile(
    rf"\s*+(?:(?:{_WORDS})(?: \d{{1,4}})?[ \t]?[:：]|Execution logs:|The output of the OS:)[ \n]?", re.IGNORECASE
)

_RESPONSE = "<tool_response>"


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
    """`system`, `user`, `assistant` or `result`; `unread` for one that says nothing to us, which is kept as `meta`."""
    text: str | None = None
    thought: str | None = None
    """Reasoning that the assistant recorded beside its text."""
    calls: tuple[Call, ...] = ()
    call_id: str | None = None
    tool: str | None = None
    is_error: bool = False
    meta: Mapping[str, Any] = {}
    line: int = 0


class Manner(Value):
    """How a conversation is held."""

    react: bool = False
    """Every text is parsed; otherwise once a result has answered one that spells a call."""
    chat: bool = False
    """A question may follow an answer, and opens another episode."""
    spells: bool = False
    """The texts are known to spell ReAct, so that one without an action is a thought."""


class _Builder:
    """Holds the turns whose results may still come, and gives their steps in order."""

    def __init__(self, notice: Callable[..., None], manner: Manner) -> None:
        self.meta: dict[str, Any] = {}
        self._notice = notice
        self._chat = manner.chat
        self._react = manner.react
        self._spells = manner.spells
        self._episode = 0
        self._question: str | None = None
        self._begin(None)

    def take(self, turn: Turn) -> Iterator[Event]:
        if turn.role == "assistant":
            yield from self._take_assistant(turn)
        elif turn.role == "result":
            self._take_result(turn)
        elif turn.role == "unread":
            self._keep("unread", dict(turn.meta))
        elif self._asked or (self._waiting and turn.role == "user" and self._is_asked_again(turn)):
            self._asked.append(turn)
        elif self._waiting:
            self._waiting[-1].say(turn)
            self._spells = self._spells or (self._waiting[-1].speaks and not self._waiting[-1].answers)
        elif turn.role == "user":
            self._question = turn.text if self._question is None else f"{self._question}\n\n{turn.text}"
        else:
            self.meta.setdefault("system", []).append(turn.text)

    def close(self) -> Iterator[Event]:
        for turn in self._asked:  # nobody answered
            self._waiting[-1].add(turn.role, turn.text)
        yield from self._rest()

    def _begin(self, question: str | None) -> None:
        self._episode += 1
        self._question = question
        self._asked: list[Turn] = []
        """What was asked behind an answer: the next question, once the assistant speaks again."""
        self._waiting: deque[_Waiting] = deque()
        self._seen: set[str] = set()
        self._is_open = False
        self._first = True

    def _rest(self) -> Iterator[Event]:
        if not self._is_open:
            yield self._opening()
        while self._waiting:
            waiting = self._waiting.popleft()
            for step in waiting.steps(last=not self._waiting, episode=self._episode):
                yield self._recorded(step, waiting)

    def _is_asked_again(self, turn: Turn) -> bool:
        """The user speaks behind an answer, and not for a tool."""
        waiting = self._waiting[-1]
        if not self._chat or (turn.text is not None and _OBSERVED.match(turn.text)):
            return False
        return waiting.answers if self._spells or waiting.speaks else bool(waiting.turn.text) and not waiting.calls

    def _take_assistant(self, turn: Turn) -> Iterator[Event]:
        if self._asked:
            asked = [asked.text for asked in self._asked if asked.text is not None]
            yield from self._rest()
            self.meta = {}
            self._begin("\n\n".join(asked) if asked else None)
        if not self._is_open:
            yield self._opening()
        spelt = parsed(turn.text) if self._react and turn.text is not None and not turn.calls else None
        while self._waiting and (self._waiting[0].is_complete() or len(self._waiting) > WAITING_LIMIT):
            waiting = self._waiting.popleft()
            for step in waiting.steps(last=False, episode=self._episode):
                yield self._recorded(step, waiting)
        self._waiting.append(_Waiting(turn, spelt))

    def _take_result(self, turn: Turn) -> None:
        for result in _results(turn):
            self._take_one_result(result)

    def _take_one_result(self, turn: Turn) -> None:
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
        self._keep("unpaired_results", unpaired)

    def _keep(self, key: str, value: object) -> None:
        if self._waiting:
            self._waiting[-1].add(key, value)
        else:
            self.meta.setdefault(key, []).append(value)

    def _call_for(self, turn: Turn) -> Call | None:
        if self._waiting:
            self._waiting[-1].spell()
            self._react = self._react or self._waiting[-1].speaks
        unanswered = [call for waiting in self._waiting for call in waiting.calls if call.observation is None]
        if turn.call_id is not None:
            found = next((call for call in unanswered if call.call_id == turn.call_id), None)
            if found is not None or any(call.call_id is not None for call in unanswered) or not unanswered:
                return found
        named = next((call for call in unanswered if turn.tool is not None and call.action == turn.tool), None)
        if named is not None or not unanswered:
            return named
        return unanswered[0] if turn.tool is None or self._waiting[-1].speaks else None

    def _opening(self) -> Opening:
        self._is_open = True
        systems = self.meta.get("system")
        if systems is not None and len(systems) == 1:
            self.meta["system"] = systems[0]
        return Opening(self._episode, self._question, self.meta)

    def _recorded(self, step: Step, waiting: _Waiting) -> Recorded:
        if self._first:
            self._first = False
            step = step.replace(question=self._question)
        return Recorded(step, waiting.meta(), waiting.turn.line)


class _Waiting:
    """An assistant's turn and what has been said since."""

    __slots__ = ("_later", "_spelt", "calls", "turn", "user")

    def __init__(self, turn: Turn, spelt: Step | None) -> None:
        self.turn = turn
        self.calls: tuple[Call, ...] = turn.calls
        self._spelt: Step | None = None
        """The assistant's text as ReAct, if it is."""
        self.user: str | None = None
        self._later: dict[str, list[Any]] = {}
        if spelt is not None:
            self._take_spelt(spelt)

    @property
    def speaks(self) -> bool:
        """The text spells an action or an answer."""
        return self._spelt is not None

    @property
    def answers(self) -> bool:
        return self._spelt is not None and self._spelt.is_final

    def spell(self) -> None:
        """A result follows: a text without calls must have spelt some."""
        if not self.calls and self._spelt is None and self.turn.text and self.user is None:
            self._take_spelt(parsed(self.turn.text))

    def is_complete(self) -> bool:
        return all(call.observation is not None for call in self.turn.calls)

    def say(self, turn: Turn) -> None:
        """The user or the system speaks after the assistant."""
        if turn.role == "user" and not any(call.observation is not None for call in self.calls) and self.user is None:
            self._take_user(turn)
        else:
            self.add(turn.role, turn.text)

    def add(self, key: str, value: object) -> None:
        self._later.setdefault(key, []).append(value)

    def meta(self) -> dict[str, Any]:
        meta = {**self.turn.meta, **self._later}
        if len(self.calls) == 1:
            call = self.calls[0]
            meta |= {"call_id": call.call_id} if call.call_id is not None else {}
            meta |= {"is_error": True} if call.is_error else {}
        return meta

    def steps(self, *, last: bool, episode: int) -> tuple[Step, ...]:
        if self.turn.calls:
            return (_calling_step(self.turn, episode),)
        if self._spelt is not None:
            return tuple(step.replace(episode=episode) for step in self._spelt_steps(self._spelt))
        text, thought = self.turn.text or "", self.turn.thought or ""
        if last and text:
            return (Step(thought, final_answer=text, is_final=True, observation=self._observed(), episode=episode),)
        if thought and text:
            return (Step(thought, preamble=text, observation=self._observed(), episode=episode),)
        return (Step(thought or text, observation=self._observed(), episode=episode),)

    def _take_spelt(self, spelt: Step) -> None:
        if spelt.action is None and not spelt.is_final:
            return
        self._spelt = spelt
        if not spelt.is_final:
            self.calls = tuple(Call(one.action, Input(one.action_input)) for one in spelt.parallel_actions or (spelt,))

    def _take_user(self, turn: Turn) -> None:
        if self.turn.calls:
            self.add(turn.role, turn.text)
        else:
            self.user = turn.text

    def _spelt_steps(self, step: Step) -> tuple[Step, ...]:
        answered = [call for call in self.calls if call.observation is not None]
        if self.user is None and not answered and step.hallucinated_observation is not None:
            return transcript(self.turn.text or "")  # a whole transcript in one message
        if self.user is not None and _OBSERVED.match(self.user) and step.is_final and step.shadowed:
            step = parsed(self.turn.text or "", was_answered=True)
        step = step.replace(reasoning=self.turn.thought or step.reasoning)
        if not answered:
            return (step.replace(observation=self._observed()),)
        observed = [_unlabelled(call.observation or "") for call in answered]
        if len(answered) == len(self.calls) > 1:
            pairs = zip(step.parallel_actions, observed, self.calls, strict=True)
            actions = tuple(one.replace(observation=text, is_error=call.is_error) for one, text, call in pairs)
            step = step.replace(parallel_actions=actions)
        return (step.replace(observation="\n".join(observed)),)

    def _observed(self) -> str | None:
        return None if self.user is None else _unlabelled(self.user)


def _unlabelled(text: str) -> str:
    label = _OBSERVED.match(text)
    return text[label.end() :] if label else text


def _results(turn: Turn) -> Iterator[Turn]:
    """One result for each `<tool_response>` of a text, which may name its call; the result itself if there is none."""
    text = turn.text
    if text is None or not text.lstrip().startswith(_RESPONSE):
        yield turn
        return
    for piece in text.split(_RESPONSE)[1:]:
        inner = piece.replace("</tool_response>", "", 1).strip()
        try:
            named = Decoder().decode(inner)
        except JsonError:
            named = None
        if isinstance(named, dict) and "content" in named and named.keys() <= {"name", "content", "tool_call_id"}:
            call_id = text_at(named, "tool_call_id") or turn.call_id
            yield turn.replace(text=text_at(named, "content"), tool=text_at(named, "name"), call_id=call_id)
        else:
            yield turn.replace(text=inner)


def steps_of(
    turns: Iterable[Turn],
    notice: Callable[..., None],
    manner: Manner | None = None,
    *,
    meta: dict[str, Any] | None = None,
) -> Iterator[Event]:
    """The steps of one conversation, as they become known; `meta` is what is known of it beside its turns.

    Episodes are numbered from 1.
    """
    builder = _Builder(notice, manner or Manner())
    builder.meta |= meta or {}
    for turn in turns:
        is_response = turn.role == "user" and turn.text is not None and turn.text.lstrip().startswith(_RESPONSE)
        yield from builder.take(turn.replace(role="result") if is_response else turn)
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
