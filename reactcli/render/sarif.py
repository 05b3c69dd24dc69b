"""Findings as SARIF 2.1.0 (OASIS standard of March 2020, with errata of August 2023): one log of one run.

Written piece by piece: the rules first, which are all the codes that there are, then a result for each finding.
Columns are counted in code points, which the log says. Secrets are not shown: no source text is in it.
"""

from __future__ import annotations

from urllib.parse import quote

from reactcli import __version__
from reactcli.explanations import entries
from reactcli.render import Safe
from reactcli.render.sanitise import json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from reactcli.lint import Finding

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {"error": "error", "warning": "warning", "info": "note"}
"""What SARIF calls a severity."""


def log(findings: Iterable[tuple[str, Finding]]) -> Iterator[Safe]:
    """The log, piece by piece. Each finding comes with the name of its file."""
    places = {entry.code: place for place, entry in enumerate(entries())}
    run = json_text({"tool": {"driver": _driver()}, "columnKind": "unicodeCodePoints"})
    yield Safe(f'{{"$schema": {json_text(SCHEMA)}, "version": "2.1.0", "runs": [{run[:-1]}, "results": [')
    between = "\n"
    for name, finding in findings:
        yield Safe(f"{between}{json_text(_result(name, finding, places[finding.code]))}")
        between = ",\n"
    yield Safe("\n]}]}\n")


def _driver() -> dict[str, Any]:
    rules = [
        {
            "id": entry.code,
            "shortDescription": {"text": entry.meaning},
            "fullDescription": {"text": entry.why},
            "help": {"text": entry.way_out},
            "defaultConfiguration": {"level": LEVELS[entry.severity]},
        }
        for entry in entries()
    ]
    return {"name": "reactcli", "version": __version__, "rules": rules}


def _result(name: str, finding: Finding, rule: int) -> dict[str, Any]:
    place = finding.place
    region = {"startLine": place.line, "startColumn": place.column}
    if (place.end_line, place.end_column) > (place.line, place.column):
        region |= {"endLine": place.end_line, "endColumn": place.end_column}
    properties = {key: value for key, value in (("step", finding.step), ("episode", finding.episode)) if value}
    hint = f" ({finding.hint})" if finding.hint else ""
    return {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": LEVELS[finding.severity],
        "message": {"text": f"{finding.message}{hint}"},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": _address(name)}, "region": region}}],
        **({"properties": properties} if properties else {}),
    }


def _address(name: str) -> str:
    """A relative path as a relative reference, an absolute one as a file address."""
    path = quote(name.encode("utf-8", "surrogateescape"))
    return f"file://{path}" if path.startswith("/") else path
