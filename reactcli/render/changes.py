"""Differences as text for people: two values line by line, two traces step by step. All of it has passed the gate."""

from __future__ import annotations

from difflib import unified_diff

from reactcli.render import Safe
from reactcli.render.console import paint
from reactcli.render.sanitise import json_text, show, show_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from reactcli.differences import Change, Comparison, Difference

SHORT = 60
"""Characters of a value that is shown in line; longer ones, and those of several lines, are shown line by line."""
MOST_LINES = 2000
"""Lines of a value that are compared; `difflib` takes the square of them."""


def text_difference(one: str, other: str, *, coloured: bool = False) -> Safe:
    """The lines in which two texts differ, with one line around them, as `diff -u` has them; indented by two."""
    left, right = one.split("\n")[:MOST_LINES], other.split("\n")[:MOST_LINES]
    lines = list(unified_diff(left, right, n=1, lineterm=""))[2:]
    return Safe("".join(_diff_line(line, coloured=coloured) for line in lines if not line.startswith("@@")))


def comparison_text(found: Comparison, names: tuple[str, str], *, coloured: bool = False) -> Iterator[Safe]:
    """All differences of two traces, the first one named at the end."""
    if not found.is_same:
        yield _diff_line(f"--- {names[0]}", coloured=coloured, margin="")
        yield _diff_line(f"+++ {names[1]}", coloured=coloured, margin="")
    for difference in found.whole:
        yield from _difference(difference, "", coloured=coloured)
    for change in found.changes:
        yield paint(Safe(f"{title(change)}\n"), "bold", coloured=coloured)
        yield from _step(change, coloured=coloured)
        for difference in change.differences:
            yield from _difference(difference, "  ", coloured=coloured)
    yield Safe(f"{summary(found)}\n")


def title(change: Change) -> str:
    """`step 2: changed`; where the sides count differently, both numbers."""
    if change.kind == "added":
        return f"step {change.other} of the second: added"
    if change.kind == "removed":
        return f"step {change.one} of the first: removed"
    number = str(change.one) if change.one == change.other else f"{change.one} (now {change.other})"
    return f"step {number}: changed"


def summary(found: Comparison) -> str:
    if found.is_same:
        return f"no difference in {found.steps[0]} steps"
    kinds = [change.kind for change in found.changes]
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in ("changed", "added", "removed"))
    first = f"first divergence: {title(found.changes[0])}; " if found.changes else ""
    return f"{first}steps: {counts}"


def _step(change: Change, *, coloured: bool) -> Iterator[Safe]:
    """What a step does that only one side has."""
    if change.step is None:
        return
    sign = "+" if change.kind == "added" else "-"
    shown = change.step.contract() | {"observation": change.step.observation}
    for field, value in shown.items():
        if value not in {None, "", False, True}:
            yield _diff_line(f"{sign}{field}: {_short(value)}", coloured=coloured)


def _difference(difference: Difference, margin: str, *, coloured: bool) -> Iterator[Safe]:
    name = ".".join((difference.field, *map(show_line, difference.path)))
    one, other = difference.one, difference.other
    texts = isinstance(one, str) and isinstance(other, str)
    if texts and (max(len(one), len(other)) > SHORT or "\n" in one + other):
        yield Safe(f"{margin}{name}:\n")
        yield Safe("".join(f"{margin}{line}\n" for line in text_difference(one, other, coloured=coloured).splitlines()))
    else:
        yield Safe(f"{margin}{name}: {_short(one)} → {_short(other)}\n")


def _short(value: Any) -> Safe:
    if value is None:
        return Safe("(none)")
    text = json_text(value)
    return text if len(text) <= 2 * SHORT else Safe(f"{text[: 2 * SHORT]}…")


def _diff_line(line: str, *, coloured: bool, margin: str = "  ") -> Safe:
    role = {"+": "string", "-": "error"}.get(line[:1], "")
    shown = show(line)
    return Safe(f"{margin}{paint(shown, role, coloured=coloured and bool(role))}\n")
