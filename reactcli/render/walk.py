"""A trace as text for people, step by step: the same words on a terminal, in colour there, and in a pipe.

Our own words stand at the start of a line and nothing else does: what a model or a tool wrote is indented below its
first line, so that no value looks like a step. An observation that is missing has no line, an empty one has an empty
line. Values are cut only if `Look.longest` says so, and the cut is named.
"""

from __future__ import annotations

from reactcli.formats.facts import LONGEST_TIMESTAMP, facts, said
from reactcli.render import Safe
from reactcli.render.console import paint
from reactcli.render.sanitise import show, show_line
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from reactcli.trace import Action, Step

LONGEST_VALUE = 1200
"""Characters of a value that a terminal shows; a screen of 80 columns has 1,920."""
MOST_LINES = 16
TITLES = (
    ("preamble", "Text", "frame"),
    ("reasoning", "Reasoning", "literal"),
    ("plan", "Plan", "literal"),
    ("reflection", "Reflection", "literal"),
    ("thought", "Thought", "literal"),
)
ACTION, INPUT, OBSERVATION, ANSWER = "key", "key", "number", "string"


class Look(Value):
    """How steps are shown."""

    coloured: bool = False
    longest: int | None = None
    """Characters of a value; None for all."""
    advice: str = "--full shows them"
    """Where the characters are that are cut off."""


def heading(episode: int, question: str | None, look: Look, *, is_numbered: bool) -> Safe:
    """What stands before the steps of an episode."""
    title = _head(f"Episode {episode}", look) if is_numbered else ""
    asked = _line("Question", question, "bold", look) if question is not None else ""
    return Safe(f"{title}{asked}\n" if title or asked else "")


def step_text(step: Step, number: int, meta: Mapping[str, Any], look: Look) -> Safe:
    """One step and the empty line behind it."""
    told = [show_line(fact, LONGEST_TIMESTAMP) for fact in facts(meta)] if meta else []
    lines = [_head(f"Step {number}" + (f" ({', '.join(told)})" if told else ""), look), *_parts(step, meta, look)]
    if len(lines) == 1:
        lines.append("(nothing was recorded)\n")
    lines.append("\n")
    return Safe("".join(lines))


def result(final_answer: str | None, status: str, look: Look) -> Safe:
    """What stands behind the steps: an answer that no step holds, and how the run ended if not with an answer."""
    answer = _line("Final Answer", final_answer, ANSWER, look) if final_answer is not None else ""
    ended = _line("Status", status, "bold", look) if status != "finished" else ""
    return Safe(answer + ended)


def value_text(text: str, look: Look) -> Safe:
    """A value as it stands behind its label: through the gate, its further lines indented, cut if it is long."""
    note = ""
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if look.longest is not None:
        text, left = _cut(text, look.longest)
        note = f"\n  … {left:,} more characters; {look.advice}" if left else ""
    shown = show(text)
    return Safe((shown.replace("\n", "\n  ") if "\n" in shown else shown) + note)


def _parts(step: Step, meta: Mapping[str, Any], look: Look) -> Iterator[str]:
    for field, title, role in TITLES:
        text = getattr(step, field)
        if text:
            yield _line(title, text, role, look)
    if step.parallel_actions:
        for number, action in enumerate(step.parallel_actions, start=1):
            yield from _action_lines(action, f" {number}", look)
    else:
        yield from _action_lines(step, "", look)
    if step.final_answer is not None:
        yield _line("Final Answer", step.final_answer, ANSWER, look)
    if step.observation is not None and not any(one.observation is not None for one in step.parallel_actions):
        failed = " (error)" if meta.get("is_error") is True else ""
        yield _line(f"Observation{failed}", step.observation, OBSERVATION, look)
    if step.hallucinated_observation is not None:
        yield _line("Observation (made up by the model)", step.hallucinated_observation, "warning", look)
    if meta:
        yield from (_line(title, text, "bold", look) for title, text in said(meta))


def _action_lines(action: Action | Step, number: str, look: Look) -> Iterator[str]:
    if action.action is not None:
        yield _line(f"Action{number}", action.action, ACTION, look)
    if action.action_input is not None:
        yield _line(f"Action Input{number}", action.action_input, INPUT, look)
    if number and action.observation is not None:
        failed = " (error)" if getattr(action, "is_error", False) else ""
        yield _line(f"Observation{number}{failed}", action.observation, OBSERVATION, look)


def _line(title: str, text: str, role: str, look: Look) -> str:
    label = paint(Safe(f"{title}:"), role, coloured=True) if look.coloured else f"{title}:"
    return f"{label} {value_text(text, look)}\n" if text else f"{label}\n"


def _head(title: str, look: Look) -> Safe:
    return Safe(f"{paint(Safe(title), 'bold', coloured=look.coloured)}\n")


def _cut(text: str, longest: int) -> tuple[str, int]:
    """The beginning of a long value, and how many characters are left out."""
    kept = text[:longest]
    lines = kept.split("\n")
    if len(lines) > MOST_LINES:
        kept = "\n".join(lines[:MOST_LINES])
    return kept, len(text) - len(kept)
