"""A trace as Markdown, complete, for reading and sharing. Written only.

Every value stands in a code fence longer than any run of backticks in it, so that nothing a model or a tool wrote is
markup: no heading, no link, no HTML.
"""

from __future__ import annotations

import re

from reactcli.formats.events import episodes_of, metas_of
from reactcli.formats.facts import facts, said
from reactcli.formats.strict import writable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from reactcli.trace import Action, Step, Trace

_BACKTICKS = re.compile("`+")
_FIELDS = (
    ("Text", "preamble"),
    ("Plan", "plan"),
    ("Reflection", "reflection"),
    ("Reasoning", "reasoning"),
    ("Thought", "thought"),
)


def write(trace: Trace) -> Iterator[str]:
    """Section by section: the question, then each step."""
    for number, episode in enumerate(episodes_of(trace), start=1):
        yield heading(number, episode.question)
        for place, (step, meta) in enumerate(zip(episode.steps, metas_of(episode), strict=True), start=1):
            yield section(step, place, meta)
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


def section(step: Step, number: int, meta: Mapping[str, Any]) -> str:
    """One step, with its heading."""
    parts = [f"## Step {number}\n\n"]
    if told := facts(meta):
        parts.append(_value("Recorded", ", ".join(told)))
    parts += [_value(title, getattr(step, field)) for title, field in _FIELDS if getattr(step, field)]
    if step.parallel_actions:
        parts += [_action(action, f" {place}") for place, action in enumerate(step.parallel_actions, start=1)]
    else:
        parts.append(_call(step, ""))
    if step.final_answer is not None:
        parts.append(_value("Final answer", step.final_answer))
    if step.observation is not None and not any(one.observation is not None for one in step.parallel_actions):
        parts.append(_value(_observation("", is_error=meta.get("is_error") is True), step.observation))
    if step.hallucinated_observation is not None:
        parts.append(_value("Observation (made up by the model)", step.hallucinated_observation))
    return "".join(parts + [_value(title, text) for title, text in said(meta)])


def _action(action: Action, suffix: str) -> str:
    title = _observation(suffix, is_error=action.is_error)
    return _call(action, suffix) + (_value(title, action.observation) if action.observation is not None else "")


def _observation(suffix: str, *, is_error: bool) -> str:
    return f"Observation{suffix}" + (" (error)" if is_error else "")


def _call(action: Action | Step, suffix: str) -> str:
    named = _value(f"Action{suffix}", action.action) if action.action is not None else ""
    return named + (_value(f"Action input{suffix}", action.action_input) if action.action_input is not None else "")


def _value(title: str, text: str) -> str:
    longest = max(map(len, _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"**{title}**\n\n{fence}text\n{writable(text)}\n{fence}\n\n"
