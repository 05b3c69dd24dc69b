"""`reactcli explain`: what a diagnostic code means, and what to do."""

from __future__ import annotations

from reactcli.cli.options import Argument, Command, Option, UsageError
from reactcli.render import Safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from reactcli.cli.shell import Shell
    from reactcli.explanations import Entry

SCHEMA = "reactcli/explain@1"


def run(values: Mapping[str, Any], shell: Shell) -> int:
    from reactcli.explanations import entries

    table = entries()
    chosen = [table.get(code) for code in values["codes"]] or list(table)
    if values["severity"] is not None:
        if values["codes"]:
            raise UsageError("--severity chooses codes, and you have named some", hint="leave one of the two away")
        chosen = [entry for entry in chosen if entry.severity == values["severity"]]
    _PRINTERS[values["format"]](chosen, shell, is_list=not values["codes"])
    return 0


def _print_text(chosen: list[Entry], shell: Shell, *, is_list: bool) -> None:
    from reactcli.render.explained import explanation, listing

    coloured = shell.out.is_coloured
    if is_list:
        shell.out.write(listing(chosen, coloured=coloured))
        return
    for number, entry in enumerate(chosen):
        shell.out.write(Safe("\n" if number else ""))
        shell.out.write(explanation(entry, coloured=coloured))


def _print_json(chosen: list[Entry], shell: Shell, *, is_list: bool) -> None:  # noqa: ARG001  # as its brother
    from reactcli.render.explained import fields

    shell.write_json({"schema": SCHEMA, "codes": list(map(fields, chosen))}, 2)
    shell.out.write(Safe("\n"))


_PRINTERS = {"text": _print_text, "json": _print_json}

COMMAND = Command(
    name="explain",
    summary="Say what a diagnostic code means, why it matters, and what to do.",
    details="Without a code, all of them are listed.",
    examples=("reactcli explain trailing-comma", "reactcli explain --severity error"),
    run=run,
    arguments=(Argument("codes", "CODE...", "Codes of diagnostics; none for the list.", repeated=True),),
    options=(
        Option(("--severity",), "List only the codes of this severity.", choices=("error", "warning", "info")),
        Option(("--format",), "How to print.", choices=tuple(_PRINTERS), default="text"),
    ),
)
