"""Counts over traces, as a table with bars for a terminal, as objects, and as rows of CSV."""

from __future__ import annotations

from reactcli.bulk import COUNTS, MEASURES
from reactcli.render import Safe
from reactcli.render.sanitise import show_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from rich.console import RenderableType

    from reactcli.bulk import Counts

BAR = 24
"""Cells of the longest bar."""
EIGHTHS = " ▏▎▍▌▋▊▉"
COLUMNS = ("file", "format", "error", *COUNTS, *MEASURES)
"""Of CSV."""
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a cell must not begin with, or a spreadsheet runs it."""

_WORDS = {
    "traces": "traces",
    "unread": "files that could not be read",
    "episodes": "episodes",
    "answers": "… with a final answer",
    "steps": "steps",
    "parse_failures": "… that could not be read",
    "calls": "calls",
    "errors": "… that failed",
    "repeats": "… made before, with the same result",
    "loops": "loops",
    "repairs": "repairs of inputs",
    "lost": "records skipped",
    "input_tokens": "input tokens",
    "output_tokens": "output tokens",
    "seconds": "seconds",
}
_OF = {"answers": "episodes", "parse_failures": "steps", "errors": "calls", "repeats": "calls"}
"""Of what a count is a share."""


def fields(counts: Counts) -> dict[str, Any]:
    """Counts as an object; null is unknown."""
    told = {name: getattr(counts, name) for name in (*COUNTS, *MEASURES)}
    if told["seconds"] is not None:
        told["seconds"] = round(told["seconds"], 3)
    tools = [
        {"tool": tool, "calls": calls, "errors": errors, "share": _share(calls, counts.calls)}
        for tool, calls, errors in counts.by_use()
    ]
    return {**told, "tools": tools}


def csv_row(name: str, format_name: str | None, counts: Counts | None, error: str | None) -> Safe:
    """A line of CSV (RFC 4180), its columns `COLUMNS`. Counts of a file that could not be read are empty."""
    told = [getattr(counts, column) if counts is not None else None for column in (*COUNTS, *MEASURES)]
    return csv_line([name, format_name, error, *told])


def csv_line(values: Iterable[object]) -> Safe:
    return Safe(",".join(map(_cell, values)) + "\r\n")


def summary(total: Counts, traces: int, unread: int) -> RenderableType:
    """What all of it comes to: the counts, and below them the tools with their shares as bars."""
    from rich.console import Group  # 40 ms, for people only

    return Group(_counts_table(total, traces, unread), _tools_table(total))


def bar(share: float, cells: int = BAR) -> str:
    """A share of `cells`, in eighths of a cell; something that is there is never shown as nothing."""
    eighths = max(round(share * cells * 8), 1) if share > 0 else 0
    full, rest = divmod(eighths, 8)
    return "█" * full + (EIGHTHS[rest] if rest else "")


def _counts_table(total: Counts, traces: int, unread: int) -> RenderableType:
    from rich.table import Table

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column()
    table.add_column(justify="right")
    table.add_column(justify="right")
    told = {"traces": traces, "unread": unread, **{name: getattr(total, name) for name in (*COUNTS, *MEASURES)}}
    for name, words in _WORDS.items():
        value = told[name]
        if value or name not in {"unread", "lost"}:
            table.add_row(words, _number(value), _percent(value, told.get(_OF.get(name, ""))))
    return table


def _tools_table(total: Counts) -> RenderableType:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD)
    table.add_column("tool", overflow="fold", style="bold")
    for title in ("calls", "errors", "share"):
        table.add_column(title, justify="right")
    table.add_column("", no_wrap=True, style="cyan")
    rows = total.by_use()
    most = rows[0][1] if rows else 1
    for tool, calls, errors in rows:
        percent = _percent(calls, total.calls)
        table.add_row(Text(show_line(tool)), _number(calls), _number(errors), percent, bar(calls / most))
    return table


def _number(value: float | None) -> str:
    if value is None:
        return "unknown"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def _percent(part: float | None, whole: float | None) -> str:
    return f"{100 * part / whole:.0f} %" if part is not None and whole else ""


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


def _cell(value: object) -> str:
    text = "" if value is None else str(round(value, 3)) if isinstance(value, float) else str(value)
    text = show_line(text, 4000)
    if isinstance(value, str) and text.startswith(FORMULA):
        text = f"'{text}"
    return f'"{text.replace(chr(34), chr(34) * 2)}"' if any(mark in text for mark in ',"\r\n') else text
