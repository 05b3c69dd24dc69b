"""Has the agent stopped making progress? A question about calls and their results, never about calls alone.

A loop is the same call with the same result again and again, a cycle of a few calls, three calls that were made before
in the same way, one error whatever is called, or a tool that is not there called again. Polling whose results change is
no loop, and a call without a recorded result is compared with nothing. The same call is the same tool with arguments
that mean the same (`comparison.meaning`); a step that runs several calls side by side is compared as one. What neither
calls nor hears anything, a thought, is passed over; a new episode begins anew.
"""

from __future__ import annotations

import re
from collections import deque
from hashlib import blake2b

from reactcli.comparison import actions_of, meaning
from reactcli.patterns import pattern
from reactcli.trace import Action
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from reactcli.trace import Step

KINDS = ("repeated-call", "repeated-unknown-tool", "repeated-error", "call-cycle", "repeated-steps", "same-tool")
"""The most telling first: of several that hold at once, it is the one that is named. They are diagnostic codes too."""

SHORTEST_CYCLE, LONGEST_CYCLE = 2, 4
STRETCH = 3
"""Calls in a row that are looked for further back."""

_ERROR = pattern(
    r"\s*+(?:error:|traceback \(most recent call last\)|invalid action\b|unknown tool\b|\[error\]"
    r"|[\w.]{1,80}(?:error|exception)\b ?:|tool '[^'\n]{0,300}' not found|\S{1,80} is not a valid tool\b)",
    re.IGNORECASE,
)
_UNKNOWN = pattern(
    r"\s*+(?:error: )?(?:tool '[^'\n]{0,300}' not found|\S{1,80} is not a valid tool\b|unknown tool\b)", re.IGNORECASE
)


class Thresholds(Value):
    """From when on it is a loop."""

    repeats: int = 3
    """Times of one call with one result, in a row."""
    cycle: int = 6
    """Calls that a cycle of two to four fills; it has run twice at least."""
    errors: int = 3
    """Times of one error in a row, whatever was called."""
    unknown: int = 3
    """Calls of one unknown tool in a row, whatever the arguments."""
    same_tool: int | None = None
    """Calls of one tool in a row that are still fine, whatever comes back; None for any number."""
    memory: int = 1000
    """Steps back in which the last three calls are looked for."""


class Loop(Value):
    kind: str
    """One of `KINDS`."""
    first: int
    """The step it begins with, counted from 1 over all steps."""
    last: int
    """The step up to which it goes, inclusive."""
    length: int = 1
    """Calls of one round."""
    times: int = 1
    """Rounds, whole ones."""
    tool: str | None = None
    """The first call's tool; None if a step without an action is repeated."""

    def facts(self) -> dict[str, object]:
        """What the message of its diagnostic is filled with."""
        return {"tool": self.tool or "(no action)", "times": self.times, "length": self.length, "first": self.first}


def find_loop(
    steps: Iterable[Step], thresholds: Thresholds | None = None, *, tools: Container[str] | None = None
) -> Loop | None:
    """The loop that the last step is in, or None. Linear; `tools` are the names that there are, if that is known."""
    watch = Watch(thresholds, tools=tools)
    found = None
    for step in steps:
        found = watch.add(step)
    return found


def find_loops(
    steps: Iterable[Step], thresholds: Thresholds | None = None, *, tools: Container[str] | None = None
) -> Iterator[Loop]:
    """Every loop of a trace, each once and in its whole length, as soon as it is over."""
    watch = Watch(thresholds, tools=tools)
    for step in steps:
        watch.add(step)
        yield from watch.ended()
    yield from watch.close()


class Watch:
    """The same questions of steps that come one by one. Memory is bounded, whatever the number of steps."""

    def __init__(self, thresholds: Thresholds | None = None, *, tools: Container[str] | None = None) -> None:
        self._thresholds = thresholds or Thresholds()
        self._tools = tools
        self._number = 0
        self._episode = 1
        self._open: Loop | None = None
        self._over: list[Loop] = []
        self._history = _History(self._thresholds)

    def add(self, step: Step, *, is_error: bool = False) -> Loop | None:
        """The loop that this step is in; `is_error` if a recording calls its observation an error."""
        self._number += 1
        if step.episode != self._episode:
            self._episode = step.episode
            self._history = _History(self._thresholds)
            self._end()
        if step.is_final or (step.action is None and not step.parallel_actions and step.observation is None):
            return None
        found = self._history.add(_Turn(step, self._number, self._tools, is_error=is_error))
        if found is None or (self._open is not None and found.first > self._open.last):
            self._end()
        if found is not None:
            self._open = found if self._open is None else _joined(self._open, found)
        return self._open

    def ended(self) -> list[Loop]:
        """The loops that have come to an end since the last question."""
        over, self._over = self._over, []
        return over

    def close(self) -> list[Loop]:
        """The same, there being no more steps."""
        self._end()
        return self.ended()

    def _end(self) -> None:
        if self._open is not None:
            self._over.append(self._open)
            self._open = None


def is_error_text(observation: str) -> bool:
    """It begins as tools and frameworks begin their errors."""
    return _ERROR.match(observation) is not None


class _Turn:
    """What a step does, as keys that are equal for equal things. Made for every step of a long file, so no `Value`."""

    __slots__ = ("error", "key", "name", "number", "tool", "unknown")

    def __init__(self, step: Step, number: int, tools: Container[str] | None, *, is_error: bool) -> None:
        actions = actions_of(step)
        names = tuple(action.action for action in actions)
        observed = step.observation or ""
        is_error = is_error or is_error_text(observed) or (bool(actions) and all(each.is_error for each in actions))
        self.number = number
        self.tool = names[0] if names else None
        self.key = _key(step, actions)
        """Of call and result together; None if no result is known."""
        self.error = _digest(observed.strip()) if is_error and step.observation is not None else None
        self.unknown = _digest(names) if _is_missing(names, step.observation, tools) else None
        self.name = _digest(names) if names else None


def _is_missing(names: tuple[str | None, ...], observation: str | None, tools: Container[str] | None) -> bool:
    if not names:
        return False
    if tools is not None:
        return any(name is None or name not in tools for name in names)
    return observation is not None and _UNKNOWN.match(observation) is not None


def _key(step: Step, actions: tuple[Action, ...]) -> bytes | None:
    if not actions:
        return _digest((step.thought or step.preamble, step.observation))
    told = [action.observation for action in actions if action.observation is not None]
    results = told if len(told) == len(actions) else [step.observation] if step.observation is not None else []
    if not results:
        return None
    calls = [(action.action, meaning(action)) for action in actions]
    return _digest((calls, [meaning(Action(None, result)) for result in results]))


def _digest(value: object) -> bytes:
    """Values stand for themselves however long they are: an observation may be a megabyte."""
    return blake2b(repr(value).encode(), digest_size=16).digest()


class _Run:
    """How many turns in a row have the same key, and the first of them."""

    __slots__ = ("_key", "count", "first")

    def __init__(self) -> None:
        self._key: bytes | None = None
        self.count = 0
        self.first = 0

    def add(self, key: bytes | None, number: int) -> int:
        if key is None or key != self._key:
            self._key, self.count, self.first = key, 0, number
        self.count += key is not None
        return self.count


class _History:
    """The turns of one episode, as far as they matter for what comes."""

    def __init__(self, thresholds: Thresholds) -> None:
        self._thresholds = thresholds
        self._runs = {kind: _Run() for kind in ("repeated-call", "repeated-unknown-tool", "repeated-error")}
        self._same_tool = _Run()
        self._cycles = {length: _Cycle(length) for length in range(SHORTEST_CYCLE, LONGEST_CYCLE + 1)}
        self._recent: deque[_Turn] = deque(maxlen=LONGEST_CYCLE)
        self._stretches = _Stretches(thresholds.memory)

    def add(self, turn: _Turn) -> Loop | None:
        found = [
            *self._found_runs(turn),
            *self._found_cycles(turn),
            self._stretches.add(turn),
            self._found_same_tool(turn),
        ]
        self._recent.append(turn)
        return next((loop for loop in found if loop is not None), None)

    def _found_runs(self, turn: _Turn) -> Iterator[Loop | None]:
        """In the order of `KINDS`. Every run takes the turn, whatever the others found."""
        thresholds = self._thresholds
        limits = (thresholds.repeats, thresholds.unknown, thresholds.errors)
        keys = (turn.key, turn.unknown, turn.error)
        for (kind, run), key, limit in zip(self._runs.items(), keys, limits, strict=True):
            count = run.add(key, turn.number)
            yield Loop(kind, run.first, turn.number, 1, count, turn.tool) if count >= max(limit, 2) else None

    def _found_cycles(self, turn: _Turn) -> Iterator[Loop | None]:
        recent = list(self._recent)
        for length, cycle in self._cycles.items():
            before = recent[-length] if len(recent) >= length else None
            filled = cycle.add(before, turn)
            is_long = filled >= max(self._thresholds.cycle, 2 * length)
            yield (
                Loop("call-cycle", cycle.first, turn.number, length, filled // length, cycle.tool) if is_long else None
            )

    def _found_same_tool(self, turn: _Turn) -> Loop | None:
        count = self._same_tool.add(turn.name, turn.number)
        most = self._thresholds.same_tool
        if most is None or count <= most:
            return None
        return Loop("same-tool", self._same_tool.first, turn.number, 1, count, turn.tool)


class _Cycle:
    """How far back every turn equals the one that stands `length` before it."""

    __slots__ = ("_length", "_matches", "first", "tool")

    def __init__(self, length: int) -> None:
        self._length = length
        self._matches = 0
        self.first = 0
        self.tool: str | None = None

    def add(self, before: _Turn | None, turn: _Turn) -> int:
        """The calls that the cycle fills; 0 if there is none."""
        if before is None or turn.key is None or turn.key != before.key:
            self._matches = 0
            return 0
        if not self._matches:
            self.first, self.tool = before.number, before.tool
        self._matches += 1
        return self._matches + self._length


class _Stretches:
    """Where each three calls in a row were first made, as far back as memory goes."""

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self._last: deque[_Turn] = deque(maxlen=STRETCH)
        self._count = 0
        self._known: dict[tuple[bytes, ...], int] = {}
        self._order: deque[tuple[tuple[bytes, ...], int]] = deque()

    def add(self, turn: _Turn) -> Loop | None:
        self._count += 1
        self._last.append(turn)
        keys = tuple(each.key for each in self._last if each.key is not None)
        while self._order and self._order[0][1] < self._count - self._memory:
            del self._known[self._order.popleft()[0]]
        if len(keys) < STRETCH:
            return None
        earlier = self._known.get(keys)
        if earlier is None:
            self._known[keys] = self._count
            self._order.append((keys, self._count))
        if earlier is None or earlier > self._count - STRETCH:
            return None
        first = self._last[0]
        return Loop("repeated-steps", first.number, turn.number, STRETCH, 2, first.tool)


def _joined(open_loop: Loop, found: Loop) -> Loop:
    """Two that overlap are one; the more telling of the two names it, at the length it has now."""
    named = min(open_loop, found, key=lambda loop: KINDS.index(loop.kind))
    if named.kind == found.kind:
        named = found
    first = min(open_loop.first, found.first)
    return named.replace(first=first, last=found.last)
