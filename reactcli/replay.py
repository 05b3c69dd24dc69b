"""A recording run again: recorded calls are put to live tools, and what these say now is compared with what they said.

Nothing falls back in silence: a call whose tool is not there is a finding, a call without a recorded observation is
counted as such, and the recorded observation is never served in place of the live one. The tools start in whatever
state they are in; only what they do from the first recorded call on is replayed.
"""

from __future__ import annotations

from reactcli.comparison import PLAIN_KEY, actions_of, same_observation
from reactcli.tools.calls import Call
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from reactcli.comparison import Pattern
    from reactcli.tools.calls import Outcome
    from reactcli.trace import Action, Step

    Caller = Callable[[Call], Outcome]

SAME, DIFFERS, MISSING, UNRECORDED, IGNORED = "same", "differs", "no tool", "unrecorded", "ignored"
"""Verdicts: as recorded; otherwise; its tool is not there; nothing recorded to compare with; not run at all."""
DIVERGENT = (DIFFERS, MISSING)


class Checked(Value):
    """One call, or the calls of a step that recorded one observation for all of them."""

    verdict: str
    action: str
    action_input: str | None
    recorded: str | None
    live: str | None
    """None if it was not run."""
    error: str | None = None
    """Why the tool failed, if it did."""


class Rules(Value):
    """How a recording is checked."""

    patterns: tuple[Pattern, ...] = ()
    """Volatile text, taken out of both observations before they are compared."""
    ignored: frozenset[str] = frozenset()
    """Tools that are not run."""


def check(step: Step, call: Caller, rules: Rules | None = None) -> tuple[tuple[Checked, ...], Step]:
    """Run each action of a step: what came of it, and the step with the observations that the tools gave now.

    An ignored tool, and one that is not there, leave what was recorded.
    """
    rules = rules or Rules()
    actions = actions_of(step)
    if not actions:
        return (), step
    outcomes = [None if action.action in rules.ignored else _run(action, step, call) for action in actions]
    shared = len(actions) > 1 and all(action.observation is None for action in actions)
    if shared:
        checked: tuple[Checked, ...] = (_checked_together(step, actions, outcomes, rules),)
    else:
        checked = tuple(_checked(action, outcome, rules) for action, outcome in zip(actions, outcomes, strict=True))
    return checked, _updated(step, actions, outcomes)


def _run(action: Action, step: Step, call: Caller) -> Outcome:
    """Arguments that are only wrapped text are given as text too, if the tool does not take them as they are."""
    outcome = call(Call(action.action, action.action_input, action.arguments, truncated=step.truncated))
    wrapped = isinstance(action.arguments, dict) and action.arguments.keys() == {PLAIN_KEY}
    if outcome.status == "bad_arguments" and wrapped and isinstance(action.arguments[PLAIN_KEY], str):
        return call(Call(action.action, action.arguments[PLAIN_KEY], truncated=step.truncated))
    return outcome


def _checked(action: Action, outcome: Outcome | None, rules: Rules) -> Checked:
    if outcome is None:
        return Checked(IGNORED, action.action or "", action.action_input, action.observation, None)
    verdict = _verdict(action.observation, outcome.observation, outcome.status, rules)
    return Checked(
        verdict, action.action or "", action.action_input, action.observation, outcome.observation, outcome.error
    )


def _checked_together(step: Step, actions: tuple[Action, ...], outcomes: list[Outcome | None], rules: Rules) -> Checked:
    names = ", ".join(action.action or "" for action in actions)
    run = [outcome for outcome in outcomes if outcome is not None]
    if len(run) < len(actions):
        return Checked(IGNORED, names, step.action_input, step.observation, None)
    live = "\n".join(outcome.observation for outcome in run)
    status = next((outcome.status for outcome in run if outcome.status == "unknown_tool"), "ok")
    error = next((outcome.error for outcome in run if outcome.error), None)
    verdict = _verdict(step.observation, live, status, rules)
    return Checked(verdict, names, step.action_input, step.observation, live, error)


def _verdict(recorded: str | None, live: str, status: str, rules: Rules) -> str:
    if recorded is not None and same_observation(recorded, live, rules.patterns):
        return SAME
    if status == "unknown_tool":
        return MISSING
    return UNRECORDED if recorded is None else DIFFERS


def _updated(step: Step, actions: tuple[Action, ...], outcomes: list[Outcome | None]) -> Step:
    renewed = tuple(
        action
        if outcome is None or outcome.status == "unknown_tool"
        else action.replace(observation=outcome.observation)
        for action, outcome in zip(actions, outcomes, strict=True)
    )
    observed = [action.observation for action in renewed if action.observation is not None]
    if not observed:
        return step
    parallel = renewed if step.parallel_actions else ()
    return step.replace(observation="\n".join(observed), parallel_actions=parallel)


def tally(checked: Iterable[Checked]) -> dict[str, int]:
    """How many calls came to each verdict, in the order of the verdicts, those left out that none came to."""
    counts = dict.fromkeys((SAME, DIFFERS, MISSING, UNRECORDED, IGNORED), 0)
    for one in checked:
        counts[one.verdict] += 1
    return {verdict: count for verdict, count in counts.items() if count}
