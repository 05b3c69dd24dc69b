"""Tables for people, as rich renderables. Every cell is a `Text` of what the gate has passed: nothing is markup."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from reactcli.render.sanitise import json_text, show
from reactcli.tools.descriptions import parameter_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from reactcli.dialects import Dialect

LONGEST_CELL = 2000
"""Characters of a cell; what is cut off is counted in its place."""

_ROW = ("thought", "action", "action_input", "observation", "final_answer")


def one_step(step: Mapping[str, Any]) -> Table:
    """A step as a table of its parts."""
    table = Table(box=SIMPLE_HEAD, show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for key, value in step.items():
        table.add_row(Text(key), _cell(value))
    return table


def steps(rows: Iterable[Mapping[str, Any]]) -> Table:
    """Steps one below the other; what comes before the thought in the first of them says which step it is."""
    listed = list(rows)
    labels = [key for key in listed[0] if key in {"file", "line", "id", "episode", "step"}] if listed else []
    columns = [*labels, *(key for key in _ROW if any(row.get(key) for row in listed))]
    table = Table(box=SIMPLE_HEAD, show_lines=True)
    for key in columns:
        table.add_column(Text(key), overflow="fold", style="bold" if key == "action" else "")
    for row in listed:
        table.add_row(*(_cell(row.get(key)) for key in columns))
    return table


def dialects(listed: Iterable[Dialect]) -> Table:
    table = Table(box=SIMPLE_HEAD, show_lines=True)
    table.add_column("dialect", style="bold", no_wrap=True)
    table.add_column("what it is", overflow="fold")
    table.add_column("example", overflow="fold")
    for dialect in listed:
        named = "\nnever guessed: name it with --dialect" if dialect.explicit else ""
        also = f"\nalso called {', '.join(dialect.aliases)}" if dialect.aliases else ""
        table.add_row(Text(show(dialect.name)), Text(show(dialect.title + also + named)), _cell(dialect.example))
    return table


def tools(described: Iterable[Mapping[str, Any]]) -> Table:
    """What `Toolbox.describe` gives."""
    table = Table(box=SIMPLE_HEAD, show_lines=True)
    table.add_column("tool", style="bold", no_wrap=True)
    table.add_column("what it does", overflow="fold")
    table.add_column("parameters", overflow="fold")
    for tool in described:
        parameters = "\n".join(parameter_lines(tool))
        table.add_row(Text(show(tool["name"])), _cell(tool["description"]), _cell(parameters))
    return table


def _cell(value: object) -> Text:
    text = "" if value is None else value if isinstance(value, str) else json_text(value)
    over = len(text) - LONGEST_CELL
    return Text(show(f"{text[:LONGEST_CELL]}… ({over} characters more)" if over > 0 else text))
