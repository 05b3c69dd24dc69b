"""What is known of diagnostic codes, as text for people and as objects. The texts are ours; examples pass the gate."""

from __future__ import annotations

from textwrap import fill, indent

from reactcli.render import Safe
from reactcli.render.console import paint
from reactcli.render.sanitise import show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from reactcli.explanations import Entry

WIDTH = 96
LONGEST_EXAMPLE = 1500
"""Characters of an example that are shown."""


def explanation(entry: Entry, *, coloured: bool = False) -> Safe:
    """`warning[trailing-comma]`, and below it the meaning, the reason, the way out and an example."""
    claim = paint(Safe(f"{entry.severity}[{entry.code}]"), entry.severity, coloured=coloured)
    parts = (("", entry.meaning), ("Why it matters: ", entry.why), ("What to do: ", entry.way_out))
    told = "\n\n".join(fill(f"{title}{text}", WIDTH, break_on_hyphens=False) for title, text in parts)
    example = indent(_shown(entry), "    ", lambda _: True)
    return Safe(f"{claim}\n\n{told}\n\nAn example, for `{entry.command}`:\n\n{example}\n")


def listing(entries: Iterable[Entry], *, coloured: bool = False) -> Safe:
    """A line for each code."""
    listed = list(entries)
    width = max((len(entry.code) for entry in listed), default=0)
    return Safe("".join(_line(entry, width, coloured=coloured) for entry in listed))


def fields(entry: Entry) -> dict[str, Any]:
    return {
        "code": entry.code,
        "severity": entry.severity,
        "meaning": entry.meaning,
        "why": entry.why,
        "way_out": entry.way_out,
        "command": entry.command,
        "example": entry.content().decode("utf-8", "replace")[:LONGEST_EXAMPLE],
    }


def _line(entry: Entry, width: int, *, coloured: bool) -> str:
    severity = paint(Safe(f"{entry.severity:7}"), entry.severity, coloured=coloured)
    return f"{entry.code:{width}}  {severity}  {entry.meaning}\n"


def _shown(entry: Entry) -> Safe:
    if entry.times == 1:
        return show(f"{entry.before}{entry.example}{entry.behind}".strip("\n"))
    note = f"… {entry.times} times …"
    return show(f"{entry.before}{entry.example} {note} {entry.behind}".strip("\n"))
