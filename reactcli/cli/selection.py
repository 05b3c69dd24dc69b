"""Which steps of a trace are shown, and which parts of them."""

from __future__ import annotations

from reactcli.cli.options import UsageError
from reactcli.errors import FormatError, UnknownNameError
from reactcli.formats import Closing, Opening, Recorded, episodes_of
from reactcli.render.sanitise import show_line
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

    from reactcli.diagnostics import Diagnostic
    from reactcli.formats import Event
    from reactcli.trace import Step, Trace

PARTS = ("thought", "action", "action_input", "observation", "final_answer")
BLANK = {"thought": "", "action": None, "action_input": None, "observation": None, "final_answer": None}
OTHERS = {"reasoning": "", "preamble": "", "reflection": "", "plan": "", "hallucinated_observation": None}
"""Parts that only the whole step shows."""


class Numbered(Value):
    """A recorded step and its number, from 1: in the file, or in the episode that was asked for."""

    recorded: Recorded
    number: int


class Selection(Value):
    first: int = 1
    last: int | None = None
    """Inclusive; None for all."""
    episode: int | None = None
    parts: frozenset[str] | None = None
    """None for all."""
    pattern: re.Pattern[str] | None = None
    """Steps in one of whose values it is found."""

    @property
    def is_whole(self) -> bool:
        """Every step is wanted."""
        return self.episode is None and self.pattern is None and (self.first, self.last) == (1, None)

    def numbered(self, events: Iterable[Event]) -> Iterator[Opening | Numbered | Closing | Diagnostic]:
        """The events with their steps numbered, without those that are not wanted.

        FormatError behind the last event if there were steps and none was wanted: what was asked for is not there.
        """
        number = count = chosen = 0
        episode = episodes = 1
        for event in events:
            if isinstance(event, Recorded):
                count += 1
                number += self.episode in {None, event.step.episode}
                if self.wants(event.step, number):
                    chosen += 1
                    yield Numbered(event, number)
            elif isinstance(event, Opening):
                episode = event.episode
                episodes = max(episodes, episode)
                if self.episode in {None, episode}:
                    yield event
            elif not isinstance(event, Closing) or self.episode in {None, episode}:
                yield event
        if count and not chosen:
            raise self._nothing(count, number, episodes)

    def _nothing(self, count: int, number: int, episodes: int) -> FormatError:
        """Why no step was wanted."""
        if self.episode is not None and self.episode > episodes:
            return FormatError(f"there is no episode {self.episode}", hint=f"there are {episodes}")
        steps = number if self.episode is not None else count
        if self.first > steps:
            where = "" if self.episode is None else f" in episode {self.episode}"
            return FormatError(f"there is no step {self.first}{where}", hint=f"there are {steps}")
        return FormatError("--grep finds nothing in these steps")

    def kept(self, step: Step) -> Step:
        """The step with only the parts that are wanted."""
        if self.parts is None:
            return step
        blanks = {part: blank for part, blank in BLANK.items() if part not in self.parts} | OTHERS
        actions = tuple(
            action.replace(
                action=action.action if "action" in self.parts else None,
                action_input=action.action_input if "action_input" in self.parts else None,
                arguments=action.arguments if "action_input" in self.parts else None,
                observation=action.observation if "observation" in self.parts else None,
            )
            for action in step.parallel_actions
        )
        return step.replace(**blanks, parallel_actions=actions if any(map(_says_something, actions)) else ())

    def wants(self, step: Step, number: int) -> bool:
        if number < self.first or (self.last is not None and number > self.last):
            return False
        if self.episode is not None and step.episode != self.episode:
            return False
        return self.pattern is None or any(self.pattern.search(text) for text in _texts(step))


def one_episode(trace: Trace, episode: int | None) -> Trace:
    """The trace, or the episode that was asked for; FormatError if it has none of that number."""
    if episode is None:
        return trace
    episodes = episodes_of(trace)
    if episode > len(episodes):
        raise FormatError(f"there is no episode {episode}", hint=f"there are {len(episodes)}")
    return episodes[episode - 1]


def steps_range(text: str) -> tuple[int, int | None]:
    """`A..B`, both inclusive and either left out, or one number."""
    first, dots, last = text.partition("..")
    ends = [first, last] if dots else [first, first]
    numbers = [_number(end) if end else None for end in ends]
    start, stop = numbers[0] if numbers[0] is not None else 1, numbers[1]
    if (not first and not last) or (stop is not None and stop < start):
        raise UsageError(f"'{show_line(text)}' is no range of steps", hint="write A..B, A.. or one number, from 1")
    return start, stop


def parts(text: str) -> frozenset[str]:
    """Names of parts with commas between them."""
    names = [name.strip().replace("-", "_") for name in text.split(",")]
    for name in names:
        if name not in PARTS:
            from reactcli.registry import nearest

            raise UnknownNameError("part of a step", name, nearest(name, PARTS), PARTS)
    return frozenset(names)


def number(text: str) -> int:
    return _number(text)


def says_nothing(step: Step) -> bool:
    """All that was kept of the step is blank."""
    return all(getattr(step, part) == blank for part, blank in BLANK.items()) and not step.parallel_actions


def _says_something(action: object) -> bool:
    return any(getattr(action, name) is not None for name in ("action", "action_input", "observation"))


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
        raise UsageError(f"'{show_line(text)}' is no number from 1")
    return int(text)


def _texts(step: Step) -> Iterator[str]:
    for name in (*BLANK, *OTHERS):
        text = getattr(step, name)
        if text is not None:
            yield text
    for action in step.parallel_actions:
        yield from (text for text in (action.action, action.action_input, action.observation) if text is not None)
