"""Two traces side by side: which steps were added, removed or changed, and in what, down to the argument.

Steps are aligned before they are compared, so that one inserted step is one difference. What only one side says of
the trace as a whole (its question, its dialect) is no difference. Cost: linear in equal beginnings and ends; in between
at most the square of `LONGEST_ALIGNED`, beyond which steps are compared place by place.
"""

from __future__ import annotations

from difflib import SequenceMatcher

from reactcli.comparison import canonical, meaning, same_observation
from reactcli.formats.events import answered, episodes_of
from reactcli.trace import Action, Step, Trace
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from reactcli.comparison import Pattern

LONGEST_ALIGNED = 2000
PLAIN_FIELDS = (
    *("thought", "final_answer", "is_final", "reasoning", "preamble", "reflection", "plan", "truncated"),
    *("hallucinated_observation", "episode"),
)
QUIET_FIELDS = ("question",)
"""Compared only where both sides say something. A dialect is spelling, and no difference."""
FORMED_STATUSES = ("finished", "unfinished")
"""What a format that knows no status comes to; that differs only from each other."""


class Difference(Value):
    """One field of a step that differs."""

    field: str
    """`thought`, `action_input`, `parallel_actions.2.observation`, …"""
    path: tuple[str, ...]
    """The keys that lead to the argument within an input; empty for the whole field."""
    one: Any
    """None where the side has nothing."""
    other: Any


class Change(Value):
    """One step that was `added`, `removed` or `changed`. Numbers count from 1; 0 where a side lacks the step."""

    kind: str
    one: int
    other: int
    step: Step | None = None
    """The step that only one side has."""
    differences: tuple[Difference, ...] = ()


class Comparison(Value):
    changes: tuple[Change, ...]
    whole: tuple[Difference, ...]
    """What differs in the traces as a whole: question, final answer, status."""
    steps: tuple[int, int]
    """How many steps each side has."""

    @property
    def is_same(self) -> bool:
        return not self.changes and not self.whole


def compare(one: Trace, other: Trace, patterns: Iterable[Pattern] = ()) -> Comparison:
    """All differences, in the order of the steps; observations are compared behind `patterns`."""
    kept = tuple(patterns)
    one, other = _answered(one), _answered(other)
    changes = tuple(_changes(one.steps, other.steps, kept))
    return Comparison(changes, tuple(_whole(one, other)), (len(one.steps), len(other.steps)))


def differences(one: Step, other: Step, patterns: tuple[Pattern, ...] = ()) -> Iterator[Difference]:
    """Each field in which two steps differ by meaning."""
    for field in PLAIN_FIELDS:
        if getattr(one, field) != getattr(other, field):
            yield Difference(field, (), getattr(one, field), getattr(other, field))
    for field in QUIET_FIELDS:
        first, second = getattr(one, field), getattr(other, field)
        if first != second and first not in {None, ""} and second not in {None, ""}:
            yield Difference(field, (), first, second)
    if one.parallel_actions or other.parallel_actions:
        yield from _parallel_differences(one, other, patterns)
    else:
        yield from _call_differences(one, other, patterns)
    if one.shadowed != other.shadowed:
        yield Difference("shadowed", (), _told(one.shadowed), _told(other.shadowed))


def _whole(one: Trace, other: Trace) -> Iterator[Difference]:
    for field in ("question", "final_answer"):
        first, second = getattr(one, field), getattr(other, field)
        stands_in_step = field == "final_answer" and _is_in_steps(one) and _is_in_steps(other)
        if first != second and first is not None and second is not None and not stands_in_step:
            yield Difference(field, (), first, second)
    told = not {one.status, other.status} & set(FORMED_STATUSES)
    if one.status != other.status and told:
        yield Difference("status", (), one.status, other.status)


def _answered(trace: Trace) -> Trace:
    """Answers that stand apart become steps, as most formats have them."""
    parts = episodes_of(trace)
    return answered(trace) if len(parts) == 1 else trace.replace(steps=_joined_steps(parts))


def _joined_steps(parts: list[Trace]) -> tuple[Step, ...]:
    numbered = ((number, step) for number, part in enumerate(parts, 1) for step in answered(part).steps)
    return tuple(step.replace(episode=number) for number, step in numbered)


def _is_in_steps(trace: Trace) -> bool:
    """The final answer is a step's, and so compared with it."""
    return bool(trace.steps) and trace.steps[-1].final_answer is not None


def _changes(one: tuple[Step, ...], other: tuple[Step, ...], patterns: tuple[Pattern, ...]) -> Iterator[Change]:
    for kind, first, first_end, second, second_end in _blocks(one, other, patterns):
        if kind == "equal":
            continue
        for left, right in _pairs(one[first:first_end], other[second:second_end]):
            yield from _change(one, other, (first, left), (second, right), patterns)


def _change(
    one: tuple[Step, ...],
    other: tuple[Step, ...],
    left: tuple[int, int | None],
    right: tuple[int, int | None],
    patterns: tuple[Pattern, ...],
) -> Iterator[Change]:
    """What a pair comes to; each side is the start of its block and the place in it, None for none."""
    if left[1] is None and right[1] is not None:
        number = right[0] + right[1]
        yield Change("added", 0, number + 1, other[number])
    elif right[1] is None and left[1] is not None:
        number = left[0] + left[1]
        yield Change("removed", number + 1, 0, one[number])
    elif left[1] is not None and right[1] is not None:
        first, second = left[0] + left[1], right[0] + right[1]
        found = tuple(differences(one[first], other[second], patterns))
        if found:
            yield Change("changed", first + 1, second + 1, None, found)


Block = tuple[str, int, int, int, int]


def _blocks(one: tuple[Step, ...], other: tuple[Step, ...], patterns: tuple[Pattern, ...]) -> list[Block]:
    """As `difflib` has them: kind, start and end in the first, start and end in the second."""
    shorter = min(len(one), len(other))
    start = 0
    while start < shorter and not any(differences(one[start], other[start], patterns)):
        start += 1
    end = 0
    while end < shorter - start and not any(differences(one[-1 - end], other[-1 - end], patterns)):
        end += 1
    middle, others = one[start : len(one) - end], other[start : len(other) - end]
    if max(len(middle), len(others)) > LONGEST_ALIGNED:
        return [("replace", start, len(one) - end, start, len(other) - end)]
    matcher = SequenceMatcher(None, [_key(step) for step in middle], [_key(step) for step in others], autojunk=False)
    blocks: list[Block] = []
    for kind, first, first_end, second, second_end in matcher.get_opcodes():
        # equal keys are the same calls, whose thoughts and observations may differ
        name = "same" if kind == "equal" else kind
        blocks.append((name, first + start, first_end + start, second + start, second_end + start))
    return blocks


def _key(step: Step) -> str:
    """What a step does: steps that do the same belong together even if they say it otherwise."""
    if step.is_final:
        return "final"
    calls = step.parallel_actions or ((step,) if step.action is not None else ())
    return canonical([[call.action, meaning(call)] for call in calls]) if calls else f"said {step.thought}"


def _pairs(one: tuple[Step, ...], other: tuple[Step, ...]) -> Iterator[tuple[int | None, int | None]]:
    """Which steps of a block belong together: those of equal tools first, what is left place by place."""
    if len(one) == len(other):
        yield from ((place, place) for place in range(len(one)))
        return
    if max(len(one), len(other)) > LONGEST_ALIGNED:
        opcodes = [("replace", 0, len(one), 0, len(other))]
    else:
        matcher = SequenceMatcher(None, [str(s.action) for s in one], [str(s.action) for s in other], autojunk=False)
        opcodes = list(matcher.get_opcodes())
    for _, first, first_end, second, second_end in opcodes:
        common = min(first_end - first, second_end - second)
        yield from ((first + place, second + place) for place in range(common))
        yield from ((place, None) for place in range(first + common, first_end))
        yield from ((None, place) for place in range(second + common, second_end))


def _call_differences(one: Step, other: Step, patterns: tuple[Pattern, ...]) -> Iterator[Difference]:
    yield from _input_differences(one, other, "")
    if not same_observation(one.observation, other.observation, patterns):
        yield Difference("observation", (), one.observation, other.observation)


def _parallel_differences(one: Step, other: Step, patterns: tuple[Pattern, ...]) -> Iterator[Difference]:
    left, right = one.parallel_actions or _as_actions(one), other.parallel_actions or _as_actions(other)
    if len(left) != len(right):
        yield Difference("parallel_actions", (), _told(left), _told(right))
        return
    each = not _share(left) and not _share(right)
    for number, (first, second) in enumerate(zip(left, right, strict=True), start=1):
        name = f"parallel_actions.{number}."
        yield from _input_differences(first, second, name)
        if each and not same_observation(first.observation, second.observation, patterns):
            yield Difference(f"{name}observation", (), first.observation, second.observation)
        if first.is_error != second.is_error:
            yield Difference(f"{name}is_error", (), first.is_error, second.is_error)
    if not each and not same_observation(one.observation, other.observation, patterns):
        yield Difference("observation", (), one.observation, other.observation)


def _share(actions: tuple[Action, ...]) -> bool:
    """Calls that were read from text share the step's observation; native ones have ids and their own."""
    return all(action.observation is None and action.call_id is None for action in actions)


def _as_actions(step: Step) -> tuple[Action, ...]:
    if step.action is None:
        return ()
    return (Action(step.action, step.action_input, step.arguments, step.observation),)


def _input_differences(one: Action | Step, other: Action | Step, name: str) -> Iterator[Difference]:
    if one.action != other.action:
        yield Difference(f"{name}action", (), one.action, other.action)
    is_same_text = one.action_input is not None and one.action_input == other.action_input
    if is_same_text or meaning(one) == meaning(other):  # a call's own spelling is plain text behind a label
        told = one.arguments is not None and other.arguments is not None
        if told and one.action_input == other.action_input and _positional(one) != _positional(other):
            yield Difference(f"{name}arguments", (), one.arguments, other.arguments)
        return
    if isinstance(one.arguments, dict) and isinstance(other.arguments, dict):
        found = list(_value_differences(f"{name}action_input", (), one.arguments, other.arguments))
        if found:
            yield from found
            return
    yield Difference(f"{name}action_input", (), one.action_input, other.action_input)


def _positional(call: Action | Step) -> str:
    """The arguments as canonical text, a lone value as the list of one that it is where a call spells it."""
    return canonical(call.arguments if isinstance(call.arguments, dict | list) else [call.arguments])


def _value_differences(field: str, path: tuple[str, ...], one: Any, other: Any) -> Iterator[Difference]:
    if canonical(one) == canonical(other):
        return
    if isinstance(one, dict) and isinstance(other, dict):
        for key in [*one, *(key for key in other if key not in one)]:
            yield from _value_differences(field, (*path, str(key)), one.get(key), other.get(key))
            if (key in one) != (key in other) and one.get(key) is None and other.get(key) is None:
                yield Difference(
                    field, (*path, str(key)), "null" if key in one else None, "null" if key in other else None
                )
    else:
        yield Difference(field, path, one, other)


def _told(values: tuple[Action | Step, ...]) -> list[dict[str, Any]]:
    return [{"action": value.action, "action_input": value.action_input} for value in values]
