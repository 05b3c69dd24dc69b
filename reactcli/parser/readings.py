"""What a round says: thought, calls and answer as values, before a policy chooses between rounds.

A reading is cheap: it slices and strips. Arguments, spans and the checks of spelling are made from it only when a
whole `Step` is asked for.
"""

from __future__ import annotations

import json

from reactcli.actions import Call
from reactcli.actions.blobs import answer_of
from reactcli.actions.names import is_terminal, says_no_action
from reactcli.actions.spelling import named, spelled
from reactcli.diagnostics import diagnose
from reactcli.loosejson import read_value
from reactcli.patterns import pattern
from reactcli.source import plain_lines, stripped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from reactcli.diagnostics import Diagnostic
    from reactcli.parser.rounds import Request, Round
    from reactcli.source import Span
    from reactcli.tokens import Cut, Piece

_BESIDE_TAGS = pattern(r"\A[ \t]{0,80}\n|\n[ \t]{0,80}\Z")
_SEPARATORS = ((", ", ": "), (",", ":"))
_DIALECT_OF = {"blob": "json", "bracket": "bracket", "call": "call", "pause": "pause", "lines": "classic"}


class Reading:
    """One round as values. `calls` are those of its own requests, in order."""

    __slots__ = ("answer", "answer_span", "calls", "found", "notes", "round", "spelling", "terminal", "thought")

    def __init__(self, found: Cut, of: Round) -> None:
        self.found = found
        self.round = of
        self.notes: list[Diagnostic] = []
        self.thought = "\n".join([found.value(piece) for piece in of.thoughts]) if of.thoughts else ""
        self.calls: list[Call] = [call for request in of.requests if (call := _call(self, request))]
        self.answer: str | None = None
        self.answer_span: Span | None = None
        self.terminal = False
        """The answer comes from an action that ends the run, not from a label."""
        self.spelling = self.calls[0].spelling if self.calls else "lines"
        if of.final is not None:
            self._answer_from(of.final)
        elif self.calls and (self.calls[0].answer is not None or is_terminal(self.calls[0].name or "")):
            self._answer_from_call(self.calls[0])
        elif of.answer is not None and not self.calls and found.dialect.weak_answer:
            self.spelling = "answer"
            self._answer_from(of.answer)

    @property
    def dialect(self) -> str:
        name = self.found.dialect.name
        if name != "auto":
            return name
        return "llamaindex" if self.spelling == "answer" else _DIALECT_OF[self.spelling]

    @property
    def acts(self) -> bool:
        """There is an action that does not end the run."""
        return bool(self.calls) and not (self.calls[0].answer is not None or is_terminal(self.calls[0].name or ""))

    @property
    def recognised(self) -> bool:
        of = self.round
        return bool(of.thoughts or of.requests or of.others or of.question) or self.answer is not None

    def input_text(self, call: Call) -> str | None:
        if call.written is not None:
            return call.written
        if call.span is None:
            return None
        return plain_lines(self.found.taken(call.span))

    def _answer_from(self, piece: Piece) -> None:
        self.answer_span = self.found.body(piece)
        self.answer = self.found.value(piece)

    def _answer_from_call(self, call: Call) -> None:
        self.terminal = True
        weak = self.round.answer
        if call.answer is not None:
            self.answer = plain_lines(call.answer)
        elif (call.span is None or call.span[0] == call.span[1]) and weak is not None:
            self._answer_from(weak)
        else:
            self.answer_span = call.span
            self.answer = answer_of(self.found.text, call.span, call.written)
        self.thought = self.thought or call.thought


def _call(reading: Reading, request: Request) -> Call | None:
    """The call of one request, or None where the model says that there is no action."""
    found, notes = reading.found, reading.notes
    span = found.body(request.action)
    call = _spelled(found, request, span, notes)
    if request.input is not None and call.answer is None:
        call.span, call.written = found.body(request.input), None
    elif request.arguments:
        call.span = (request.arguments[0][2], request.arguments[-1][3])
        call.written = _arguments_text(found, request.arguments)
        notes += _unclosed(found, request.arguments[:-1])
        _, opens, _, stop, _ = request.arguments[-1]
        if found.text[opens] == "<" and stop == found.window[1]:  # its tag is never closed
            call.truncated = True
            notes.append(diagnose("truncated-input", found.body(request.arguments[-1])))
    if call.name and says_no_action(call.name):
        notes.append(diagnose("no-action-named", span, name=call.name))
        return None
    if call.name == "":
        notes.append(diagnose("empty-action", (request.action[1], request.action[3])))
        call.name = None
    return call


def _spelled(found: Cut, request: Request, span: Span, notes: list[Diagnostic]) -> Call:
    tool = request.action[4]
    if request.arguments:  # those inside the action's own tag are none of its name
        inner = request.arguments[0][1]
        span = stripped(found.text, span[0], inner) if span[0] <= inner < span[1] else span
    body = found.text[span[0] : span[1]]
    if tool:
        return Call(tool, "lines", span=span)
    if body.isidentifier() or not body:
        return Call(body, "lines")
    if request.input is not None or request.arguments:
        return named(found.text, span, notes)
    return spelled(found.text, span, found.dialect.spellings, notes)


def _unclosed(found: Cut, arguments: list[Piece]) -> Iterator[Diagnostic]:
    """Arguments that end only because the next begins: it may be part of their text."""
    for _, opens, body, stop, _ in arguments:
        if found.text[opens] == "<" and not found.text.startswith("</", stop):
            yield diagnose("missing-closer", (stop, stop), text=f"tag of {found.text[opens:body]}")


def _arguments_text(found: Cut, arguments: list[Piece]) -> str:
    """Arguments that have a tag each, as a JSON object that we write; a value is JSON where it can be."""
    values: dict[str, object] = {}
    for piece in arguments:
        start, end = found.body(piece)
        reading = read_value(found.text, start, end)
        whole = reading.found and reading.end == end and not reading.diagnostics
        told = found.value(piece) if found.text[piece[1]] != "<" else _inside_tag(found, piece)
        # what JSON would write in other letters stays text: 3.10 is a version and not 3.1, and a file has its layout
        spelt = (json.dumps(reading.value, ensure_ascii=False, separators=signs) for signs in _SEPARATORS)
        same = whole and told.strip() in spelt
        values[piece[4]] = reading.value if same else told
    return json.dumps(values, ensure_ascii=False)


def _inside_tag(found: Cut, piece: Piece) -> str:
    """A value as it is meant: indentation counts in code, and the line breaks beside the tags do not."""
    return _BESIDE_TAGS.sub("", plain_lines(found.taken((piece[2], piece[3]))))
