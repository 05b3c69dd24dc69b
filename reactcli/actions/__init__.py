"""How an action is spelled: one small reader for each spelling, and what they read.

names      a tool's name as it is meant, and the names that are no tools
blobs      one JSON object that names the tool and its input
spelling   the readers behind a label, tried in the order of the dialect
parallel   several actions of one step
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reactcli.source import Span


class Call:
    """One action as it was spelled. `span` is where its input stands; `written` its text, where that is no slice."""

    __slots__ = (
        "answer",
        "call_id",
        "calls",
        "name",
        "source",
        "span",
        "spelling",
        "syntax",
        "thought",
        "truncated",
        "written",
    )

    def __init__(
        self, name: str | None, spelling: str, *, span: Span | None = None, written: str | None = None
    ) -> None:
        self.name = name
        self.spelling = spelling
        self.span = span
        self.written = written
        self.syntax = spelling in ("call", "bracket")
        self.thought = ""
        self.answer: str | None = None
        self.call_id: str | None = None
        self.truncated = False
        self.source: Span | None = None
        """The whole JSON value, where the call is a blob."""
        self.calls: list[Call] = []
        """All calls of the action, where there are several; the first is this one."""
