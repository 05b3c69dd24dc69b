"""The ReAct loop: ask the model, read its reply, run the tools, tell the model, until there is an answer or a reason.

A generator that touches nothing: it asks for completions and observations and is sent them (`requests.py`), so that a
live run, a replay and a person who steps through it drive the same loop.
"""

from __future__ import annotations

from reactcli.comparison import actions_of
from reactcli.diagnostics import diagnose
from reactcli.engine.requests import Act, Ask, End, StopRun
from reactcli.formats.events import Recorded
from reactcli.loops import Watch
from reactcli.orders import FORM, ordered
from reactcli.prompt import estimated_tokens
from reactcli.prompt.turns import Turn, cut_reply, told, turn_of
from reactcli.tools.calls import failed
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from typing import Any, TypeVar

    from reactcli.engine.requests import Completion
    from reactcli.loops import Loop, Thresholds
    from reactcli.orders import Order
    from reactcli.parser import ReActAgentParser
    from reactcli.prompt import Prompt
    from reactcli.tools.calls import Outcome
    from reactcli.trace import Step

    Result = TypeVar("Result")
    Request = Ask | Act | Recorded
    Requests = Generator[Request, Any, Result]

REPLY_LIMIT, STEP_LIMIT = 1 << 19, 1 << 20
"""Characters of a reply, and of the observations of a step, that are kept: written as JSON, with everything twice and
every character escaped, a step is still a line that is read again."""

NEARLY = 0.8
"""Share of the time or the tokens from which the model is warned."""


class Settings(Value):
    """When a run stops, and what the model is told before."""

    max_steps: int = 10
    max_parse_errors: int = 3
    """Replies in a row that ask for nothing."""
    fatal_errors: frozenset[str] = frozenset()
    """Names of exceptions, or statuses of an outcome, that end the run."""
    deadline: float | None = None
    """Seconds for the whole run."""
    max_tokens: int | None = None
    """Of all prompts and completions together; estimated where the model does not say."""
    reflect: bool = False
    answer_at_limit: bool = False
    thresholds: Thresholds | None = None


class Course:
    """One run of the loop, as far as it has come."""

    def __init__(
        self, prompt: Prompt, parser: ReActAgentParser, settings: Settings, clock: Callable[[], float]
    ) -> None:
        self.iterations = 0
        """Completions that were asked for."""
        self.steps: list[Step] = []
        self.usage: dict[str, int] | None = None
        """Tokens that the model counted itself."""
        self._prompt = prompt
        self._parser = parser
        self._settings = settings
        self._clock = clock
        self._began = clock()
        self._turns: list[Turn] = []
        self._watch = Watch(settings.thresholds, tools=prompt.tool_names or None)
        self._parse_errors = 0
        self._tokens = 0
        self._warned: set[str] = set()

    def go_on_from(self, recorded: Iterable[Recorded]) -> None:
        """Take steps as if they had been made here. What the tools did in them is not done again."""
        for one in recorded:
            turn = turn_of(one.step, one.meta, len(self._turns) + 1, self._parser, self._prompt.max_output)
            if actions_of(one.step) and not turn.observations:
                turn = turn.replace(observations=("Error: the run was stopped before this action had a result",))
            self._turns.append(turn)
            self._watch.add(one.step, is_error=one.meta.get("is_error") is True)
            self.steps.append(one.step)

    def requests(self) -> Requests[End]:
        """The loop itself. Its value is how it ended."""
        while True:
            end = self._used_up()
            if end is not None and end.status == "max_steps" and self._settings.answer_at_limit:
                return (yield from self._last_words(end))
            if end is None:
                end = yield from self._step()
            if end is not None:
                return end

    def _used_up(self) -> End | None:
        """Why no further completion is asked for."""
        settings = self._settings
        if len(self._turns) >= settings.max_steps:
            return End("max_steps", f"there is no final answer after {_count(settings.max_steps, 'step')}")
        if settings.max_tokens is not None and self._tokens >= settings.max_tokens:
            return End("stopped", f"the limit of {settings.max_tokens} tokens is used up")
        return self._too_late()

    def _too_late(self) -> End | None:
        deadline = self._settings.deadline
        if deadline is None or self._clock() - self._began < deadline:
            return None
        return End("stopped", f"the deadline of {deadline:g} s has passed")

    def _step(self, *, at_limit: bool = False) -> Requests[End | None]:
        """One step; None if the run goes on. At the limit no tool is run any more."""
        began = self._clock()
        self.iterations += 1
        ask = self._ask()
        try:
            completion: Completion = yield ask
        except StopRun as stop:
            return (stop.end.status == "llm_error" and self._too_late()) or stop.end
        if len(completion.text) > REPLY_LIMIT:
            completion = completion.replace(text=completion.text[:REPLY_LIMIT], is_cut_off=True)
        self._count_tokens(ask, completion)
        order = ordered(self._parser, completion.text)
        outcomes, end = (yield from self._made(order)) if not at_limit else ((), None)
        step = _observed(order, outcomes, problem=self._problem(order, completion))
        if ask.number == 1:
            step = step.replace(question=self._prompt.question)
        turn = Turn(ask.number, cut_reply(completion.text, order), told(step, self._parser, self._prompt.max_output))
        end = end or self._judged(order, step, outcomes)
        is_error = _is_error(order, step, outcomes)
        if end is None and not at_limit:
            end, turn = self._watched(turn, step, is_error=is_error)
        self._turns.append(turn)
        self.steps.append(step)
        yield Recorded(step, _meta(completion, turn, self._clock() - began, is_error=is_error, at_limit=at_limit))
        return end

    def _ask(self) -> Ask:
        question = self._prompt.question
        prompt = self._prompt.of(self._turns)
        return Ask(prompt, len(self._turns) + 1, self.steps, self._parser, question, seconds=self._left())

    def _last_words(self, end: End) -> Requests[End]:
        """One call more, for the best answer so far."""
        if self._turns:
            self._turns[-1] = self._turns[-1].replace(note=self._prompt.words.at_limit, asks_reflection=False)
        last = yield from self._step(at_limit=True)
        if last is None or last.status != "finished":
            return end
        return last.replace(
            reason=f"the answer was asked for at the limit of {_count(self._settings.max_steps, 'step')}"
        )

    def _made(self, order: Order) -> Requests[tuple[tuple[Outcome, ...], End | None]]:
        """What became of the calls; nothing, and an end, if the run is stopped meanwhile."""
        if not order.calls:
            return (), None
        calls = tuple(call.replace(longest=STEP_LIMIT // len(order.calls)) for call in order.calls)
        try:
            outcomes = yield Act(order.step, calls, self._left())
        except StopRun as stop:
            return (), stop.end
        return tuple(outcomes), None

    def _problem(self, order: Order, completion: Completion) -> str:
        """What is missing from the reply, in the words of the format that was asked for; "" if nothing is."""
        if order.problem and order.step.reflection and self._turns and self._turns[-1].asks_reflection:
            return ""  # it did what it was asked to
        cut = "the reply was cut off at the token limit; " if order.problem and completion.is_cut_off else ""
        return cut + order.problem.replace(FORM, self._prompt.style.way_out)

    def _judged(self, order: Order, step: Step, outcomes: tuple[Outcome, ...]) -> End | None:
        """Whether the step ends the run."""
        if step.is_final:
            return End("finished", answer=step.final_answer)
        if not order.problem or step.observation is None:
            self._parse_errors = 0
            return next(filter(None, map(self._fatal, outcomes)), None)
        self._parse_errors += 1
        if self._parse_errors < self._settings.max_parse_errors:
            return None
        replies = _count(self._parse_errors, "reply", "replies")
        last = order.problem.removesuffix(f": {FORM}")
        return End("parse_error", f"{replies} in a row had no action and no answer; the last: {last}")

    def _fatal(self, outcome: Outcome) -> End | None:
        if outcome.status == "denied":
            return End("stopped", f"the user did not allow the call of '{outcome.tool}'")
        error = outcome.error or ""
        kinds = {outcome.status, error.partition(":")[0]} if outcome.status != "ok" else set()
        if kinds.isdisjoint(self._settings.fatal_errors):
            return None
        return End("tool_error", f"'{outcome.tool}' failed: {error}")

    def _watched(self, turn: Turn, step: Step, *, is_error: bool) -> tuple[End | None, Turn]:
        """The end if the warning has been given before, else the turn with what the model is to be told."""
        words = self._prompt.words
        notes = []
        loop = self._watch.add(step, is_error=is_error)
        if loop is None:
            self._warned.discard("loop")
        elif "loop" in self._warned:
            return End("loop", _what(loop)), turn
        else:
            self._warned.add("loop")
            notes.append(words.loop.format(what=_what(loop)))
        notes += [words.short.format(what=what) for what in self._nearly_used_up() if what not in self._warned]
        self._warned.update(self._nearly_used_up())
        if turn.number == self._settings.max_steps - 1:
            notes.append(words.last_step)
        asks_reflection = self._settings.reflect and (is_error or loop is not None)
        if asks_reflection:
            notes.append(words.reflect)
        return None, turn.replace(note="\n".join(notes), asks_reflection=asks_reflection)

    def _nearly_used_up(self) -> Iterator[str]:
        settings = self._settings
        if settings.deadline is not None and self._clock() - self._began >= settings.deadline * NEARLY:
            yield "time"
        if settings.max_tokens is not None and self._tokens >= settings.max_tokens * NEARLY:
            yield "token budget"

    def _left(self) -> float | None:
        if self._settings.deadline is None:
            return None
        return max(self._settings.deadline - (self._clock() - self._began), 0.0)

    def _count_tokens(self, ask: Ask, completion: Completion) -> None:
        if completion.usage is None:
            if self._settings.max_tokens is not None:
                self._tokens += estimated_tokens(ask.prompt_text) + estimated_tokens(completion.text)
            return
        self._tokens += sum(completion.usage.values())
        counted = self.usage or {}
        self.usage = {key: counted.get(key, 0) + count for key, count in completion.usage.items()}


def _observed(order: Order, outcomes: tuple[Outcome, ...], *, problem: str) -> Step:
    """The step with what came of it: the outcomes of its calls, or what is missing from it."""
    step = order.step
    if problem:
        return step.replace(observation=failed("parse_error", None, problem).observation)
    if not outcomes:
        return step
    if len(outcomes) == 1:
        return step.replace(observation=outcomes[0].observation)
    actions = tuple(
        action.replace(observation=outcome.observation, is_error=outcome.status != "ok")
        for action, outcome in zip(step.parallel_actions, outcomes, strict=True)
    )
    return step.replace(parallel_actions=actions, observation="\n".join(outcome.observation for outcome in outcomes))


def _is_error(order: Order, step: Step, outcomes: tuple[Outcome, ...]) -> bool:
    if order.problem:
        return step.observation is not None
    return bool(outcomes) and all(outcome.status != "ok" for outcome in outcomes)


def _meta(completion: Completion, turn: Turn, seconds: float, *, is_error: bool, at_limit: bool) -> dict[str, Any]:
    """What a recording says of a step beside its parts."""
    meta: dict[str, Any] = {"llm_output": completion.text}
    claims = {"is_error": is_error, "at_limit": at_limit, "asks_reflection": turn.asks_reflection}
    meta |= {claim: True for claim, holds in claims.items() if holds}
    meta |= {"note": turn.note} if turn.note else {}
    meta["duration_ms"] = round(seconds * 1000, 3)
    return meta | ({"usage": dict(completion.usage)} if completion.usage is not None else {})


def _what(loop: Loop) -> str:
    return diagnose(loop.kind, (0, 0), **loop.facts()).message


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one}" if number == 1 else f"{number} {many or one + 's'}"
