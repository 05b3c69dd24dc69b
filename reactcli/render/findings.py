"""Findings as lines, as source excerpts with carets, as objects and as annotations for GitHub. No secret is shown."""

from __future__ import annotations

from reactcli.diagnostics import Diagnostic
from reactcli.render import Safe
from reactcli.render.console import concise, explained
from reactcli.render.sanitise import show_line
from reactcli.secrets_assigned import all_secrets
from reactcli.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from reactcli.lint import Finding

LONGEST_MESSAGE = 400
MASK = "*"
SECRET = "secret-like-text"  # noqa: S105  # the name of a code

GITHUB = {"error": "error", "warning": "warning", "info": "notice"}
"""What GitHub calls a severity."""


class _Excerpt(Source):
    """A piece of a line that knows where in its file it stands."""

    __slots__ = ("_at", "_column", "_line")

    def __init__(self, name: str, finding: Finding) -> None:
        super().__init__(_masked(finding), name)
        self._line = finding.place.line
        self._column = finding.place.column
        self._at = finding.place.excerpt_at

    def line_column(self, offset: int) -> tuple[int, int]:
        return self._line, self._column + offset - self._at


def line(name: str, finding: Finding, *, coloured: bool = False) -> Safe:
    """`run.jsonl:3:15: warning[repeated-call] …`, with the hint behind it."""
    return concise([_diagnostic(finding)], _Excerpt(name, finding), coloured=coloured)


def passage(name: str, finding: Finding, *, coloured: bool = False, columns: int | None = None) -> Safe:
    """The finding with the line it is about, a caret under the place, and the way out."""
    source = _Excerpt(name, finding)
    return Safe(f"{explained([_diagnostic(finding)], source, coloured=coloured, columns=columns)}\n")


def fields(name: str, finding: Finding) -> dict[str, Any]:
    """The object of `lint --format json`."""
    place = finding.place
    return {
        "file": name,
        "code": finding.code,
        "severity": finding.severity,
        "message": finding.message,
        "hint": finding.hint,
        "step": finding.step,
        "episode": finding.episode,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
        "span": list(place.span),
    }


def annotation(name: str, finding: Finding) -> Safe:
    """A workflow command of GitHub Actions, after its documentation of November 2026: a line."""
    place = finding.place
    properties = {"file": name, "line": place.line, "col": place.column}
    if place.end_line == place.line and place.end_column > place.column:
        properties["endColumn"] = place.end_column
    given = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    hint = f" ({finding.hint})" if finding.hint else ""
    message = _escaped(show_line(f"{finding.message}{hint}", LONGEST_MESSAGE))
    return Safe(f"::{GITHUB[finding.severity]} {given},title={_property(f'reactcli[{finding.code}]')}::{message}\n")


def _diagnostic(finding: Finding) -> Diagnostic:
    at = finding.place.excerpt_at
    start, end = finding.place.span
    return Diagnostic(finding.code, finding.severity, finding.message, (at, at + end - start), finding.hint)


def _masked(finding: Finding) -> str:
    """The excerpt, its secrets as stars: it may end in a log that anybody reads."""
    text, at = finding.place.excerpt, finding.place.excerpt_at
    found = [(start, end) for start, end, _ in all_secrets(text, is_data=True)]
    if finding.code == SECRET:
        start, end = finding.place.span
        found.append((at, min(at + end - start, len(text))))
    for start, end in found:
        shown = min(4, (end - start) // 4)
        text = text[: start + shown] + MASK * (end - start - shown) + text[end:]
    return text


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(show_line(text)).replace(":", "%3A").replace(",", "%2C")
