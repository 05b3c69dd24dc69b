"""A trace as Markdown, complete, for reading and sharing. Written only.

Every value stands in a code fence longer than any run of backticks in it, so that nothing a model or a tool wrote is
markup: no heading, no link, no HTML.
"""

from __future__ import annotations

import re

from reactcli.formats.events import episodes_of
from reactcli.formats.strict import writable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from reactcli.trace import Action, Step, Trace

_BACKTICKS = re.compile("`+")
_FIELDS = (("Plan", "plan"), ("Reflection", "reflection"), ("Reasoning", "reasoning"), ("Thought", "thought"))


def write(trace: Trace) -> Iterator[str]:
    """Section by section: the question, then each step."""
    for number, episode in enumerate(episodes_of(trace), start=1):
        yield heading(number, episode.question)
        for place, step in enumerate(episode.steps, start=1):
            yield section(step, place)
        answered = episode.steps[-1].final_answer if episode.steps else None
        if episode.final_answer is not None and episode.final_answer != answered:
            yield result(episode.final_answer)


def heading(episode: int, question: str | None) -> str:
    """What stands before the steps of an episode."""
    title = f"# Episode {episode}\n\n" if episode > 1 else "# Trace\n\n"
    return title + (_value("Question", question) if question is not None else "")


def result(final_answer: str) -> str:
    """The answer that no step holds."""
    return "## Result\n\n" + _value("Final answer", final_answer)


def section(step: Step, number: int) -> str:
    """One step, with its heading."""
    parts = [f"## Step {number}\n\n"]
    parts += [_value(title, getattr(step, field)) for title, field in _FIELDS if getattr(step, field)]
    if step.parallel_actions:
        parts += [_action(action, f" {place}") for place, action in enumerate(step.parallel_actions, start=1)]
    else:
        if step.action is not None:
            parts.append(_call(step.action, step.action_input, ""))
        if step.observation is not None:
            parts.append(_value("Observation", step.observation))
    if step.final_answer is not None:
        parts.append(_value("Final answer", step.final_answer))
    return "".join(parts)


def _action(action: Action, suffix: str) -> str:
    observed = "" if action.observation is None else _value(f"Observation{suffix}", action.observation)
    return _call(action.action or "", action.action_input, suffix) + observed


def _call(name: str, text: str | None, suffix: str) -> str:
    given = _value(f"Action input{suffix}", text) if text is not None else ""
    return _value(f"Action{suffix}", name) + given


def _value(title: str, text: str) -> str:
    longest = max(map(len, _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"**{title}**\n\n{fence}text\n{writable(text)}\n{fence}\n\n"
