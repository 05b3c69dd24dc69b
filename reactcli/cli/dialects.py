"""`reactcli dialects`: what can be read, with an example of each."""

from __future__ import annotations

from reactcli.cli.options import Command, Option
from reactcli.render import Safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from reactcli.cli.shell import Shell
    from reactcli.dialects import Dialect

SCHEMA = "reactcli/dialects@1"


def run(values: Mapping[str, Any], shell: Shell) -> int:
    from reactcli.dialects import DIALECTS

    if values["format"] == "json":
        document = {"schema": SCHEMA, "dialects": [_document(dialect) for dialect in DIALECTS]}
        shell.write_json(document, 2)
        shell.out.write(Safe("\n"))
    else:
        from reactcli.render.tables import dialects  # 40 ms: rich

        shell.out.write(shell.out.rendered(dialects(DIALECTS)))
    return 0


def _document(dialect: Dialect) -> dict[str, Any]:
    return {
        "name": dialect.name,
        "title": dialect.title,
        "aliases": dialect.aliases,
        "family": "mark" if dialect.marks else "label",
        "explicit": dialect.explicit,
        "example": dialect.example,
    }


COMMAND = Command(
    name="dialects",
    summary="List the dialects that are read, with an example of each.",
    details="A dialect is how transcripts spell thoughts, actions and answers. `reactcli parse` finds out by itself "
    "which one a text is in, except for those that are never guessed: name them with --dialect.",
    examples=("reactcli dialects", "reactcli dialects --format json"),
    run=run,
    options=(Option(("--format",), "How to print them.", choices=("table", "json"), default="table"),),
)
