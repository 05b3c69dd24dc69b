"""The readers of an action behind a label, tried in the order of the dialect.

blob   = a call object, bare or fenced (see blobs)
call   = name "[" input "]" | name "(" input ")"        the bracket closes the value (R11, conflict C13)
pause  = identifier ": " input                           (conflict C7)
code   = lines of code, for an interpreter
lines  = name line, then the input on further lines
"""

from __future__ import annotations

import re

from reactcli.actions import Call
from reactcli.actions.blobs import FENCE, call_object, unfenced
from reactcli.actions.names import clean_name
from reactcli.diagnostics import diagnose
from reactcli.loosejson import read_value
from reactcli.patterns import pattern
from reactcli.source import rstripped, stripped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from reactcli.diagnostics import Diagnostic
    from reactcli.source import Span

_CALL = pattern(r"([\w.\-/]{1,200})([ \t]?)([\[(（［【])")
_NAME_OF_WORDS = pattern(r"([^\W\d][\w-]{0,40}(?:[ ][\w-]{1,40}){1,3}+)()(\[)(?=[^\[\]\n]{0,1000}\]\s*\Z)")
_CALL_WITH_OBJECT = pattern(r"([^\W\d][\w.\-/]{0,199})(?:[ \t]{1,3}(?=\{)|(?=\{\s{0,20}[\"'}]))")
_NEXT_CALL = pattern(r"[ \t]{0,3}(?:[;,，；、]|(?:and|&)(?=[ \t]))[ \t]{0,3}(?=[\w.\-/]{1,200}[ \t]?[\[(（［【])")
_PAUSE = pattern(r"([^\W\d][\w.\-]{0,199}|(?i:final answer))[ \t]?[:：][ \t]*+(?<=[ \t：])(?=\S)")
_REMARK = pattern(r"([\w.\-/]{1,200})[ \t]?\(.*\)[ \t]*", re.DOTALL)
_CLOSERS = {"[": "]", "(": ")", "（": "）", "［": "］", "【": "】"}
_SPELLING = {"[": "bracket", "(": "call", "（": "call", "［": "bracket", "【": "bracket"}
_BRACKETS = {opens: pattern(f"[{re.escape(opens + closes)}]") for opens, closes in _CLOSERS.items()}
_INVENTED = pattern(r"[ \t]{1,8}(?:Observation|Obs)[ \t]{0,3}\d{0,4}[:：]")
"""An observation on the line of the call that it would answer."""
_DATA = {"", "json", "json5", "text", "txt", "plaintext", "yaml", "xml"}
"""Languages of fences that name no tool."""
_NAME_ALONE = pattern(r"[`*]*+[\w.\-/]{1,200}[`*]*+[ \t]{0,3}[:：(\[（]?\s*+")
_MEANT_AS_JSON = pattern(r"\{\s{0,20}(?:[\"“'}]|\Z)")
_FENCES_LIMIT = 20
"""Fences looked at for a call behind one label."""


def spelled(text: str, span: Span, spellings: tuple[str, ...], notes: list[Diagnostic]) -> Call:
    """The call in the body of an action that has no action input of its own."""
    for spelling in spellings:
        call = _READERS[spelling](text, span, notes)
        if call is not None:
            return call
    return Call(clean_name(text[span[0] : span[1]]), "lines")


def named(text: str, span: Span, notes: list[Diagnostic]) -> Call:
    """The call in the body of an action whose input stands behind a label of its own: only the name is read."""
    if text[span[0]] == "{" and (call := call_object(text, span, [], labelled=True)) and call.name:
        return Call(call.name, "lines")
    if fenced := _fenced(text, span, notes):
        language, inside = fenced
        if inside[0] == inside[1]:
            return Call(language, "lines")
        span = inside
    start, end = span
    line_end = _line_end(text, start, end)
    if line_end < end and text[line_end:end].strip():
        notes.append(diagnose("text-after-action", (line_end, end)))
    body = text[start:line_end].strip()
    remark = _REMARK.fullmatch(body)
    if remark and body[len(remark[1]) :].strip() != "()":
        notes.append(diagnose("remark-after-action", (start, line_end)))
    return Call(clean_name(remark[1] if remark else body), "lines")


def _fenced(text: str, span: Span, notes: list[Diagnostic]) -> tuple[str, Span] | None:
    """The language of the code fence that a body begins with, and its inside; None if there is no such fence."""
    opening = FENCE.match(text, *span)
    inside = unfenced(text, span) if opening else None
    if opening is None or inside is None or text.startswith("```", inside[0], inside[1]):
        return None
    close = text.find("```", inside[1], span[1])
    if close >= 0 and text[close + 3 : span[1]].strip():
        notes.append(diagnose("text-after-action", (close + 3, span[1])))
    return opening[0].strip("` \t\r\n"), inside


def _lines(text: str, span: Span, notes: list[Diagnostic]) -> Call | None:
    """A name, and the rest as its input; of fenced code the language is the name."""
    fenced = _fenced(text, span, notes)
    if fenced is not None:
        language, inside = fenced
        if language.lower() not in _DATA:
            return Call(language, "lines", span=inside if inside[0] < inside[1] else None)
        if inside[0] < inside[1]:
            return _call(text, inside, notes) or _lines(text, inside, notes)
    start, end = span
    line_end = _line_end(text, start, end)
    name = clean_name(text[start:line_end])
    rest = stripped(text, line_end, end)
    if rest[0] == rest[1]:
        return Call(name, "lines")
    return Call(name, "lines", span=unfenced(text, rest) or rest)


def _call(text: str, span: Span, notes: list[Diagnostic]) -> Call | None:
    start, end = _without_ticks(text, span)
    named = _CALL_WITH_OBJECT.match(text, start, end)
    if named and text[end - 1] == "}":
        return Call(named[1], "call", span=(named.end(), end))
    opening = _CALL.match(text, start, end) or _NAME_OF_WORDS.match(text, start, end)
    if opening is None:
        return None
    line_end = _line_end(text, start, end)
    close = _own_close(text, opening, line_end)
    if close is not None and _INVENTED.match(text, close + 1, line_end):
        line_end = close + 1
    line = rstripped(text, start, line_end)
    first = _side_by_side(text, opening, line) or _closed_call(text, opening, line)
    if first is not None and line_end < end:
        return _with_further_calls(text, first, (line_end, end), notes)
    whole = first or _closed_call(text, opening, end)
    if whole is None and text.find(_CLOSERS[opening[3]], opening.end(), end) < 0:
        whole = Call(opening[1], _SPELLING[opening[3]], span=stripped(text, opening.end(), end))
        whole.truncated = True
        notes.append(diagnose("unclosed-call", (opening.start(), end)))
    return whole


def _closed_call(text: str, opening: re.Match[str], end: int) -> Call | None:
    """The call that `opening` begins, if its bracket closes what ends at `end` (a full stop may follow)."""
    if text[end - 1 : end] in ".;" and end - 2 > opening.end():
        end -= 1
    if end <= opening.end() or text[end - 1] != _CLOSERS[opening[3]]:
        return None
    return Call(opening[1], _SPELLING[opening[3]], span=stripped(text, opening.end(), end - 1))


def _side_by_side(text: str, opening: re.Match[str] | None, end: int) -> Call | None:
    """The first of several calls on one line, `a(1); b(2)`: each closes its own bracket before the next begins."""
    calls: list[Call] = []
    while opening is not None:
        close = _own_close(text, opening, end)
        if close is None:
            return None
        calls.append(Call(opening[1], _SPELLING[opening[3]], span=stripped(text, opening.end(), close)))
        further = _NEXT_CALL.match(text, close + 1, end)
        if further is None and (len(calls) < 2 or text[close + 1 : end].strip(" \t.;")):
            return None
        opening = further and _CALL.match(text, further.end(), end)
    calls[0].calls = calls
    return calls[0]


def _own_close(text: str, opening: re.Match[str], end: int) -> int | None:
    """Where the bracket of a call closes, with those inside it counted; None if that is within a quoted text."""
    depth = 1
    for bracket in _BRACKETS[opening[3]].finditer(text, opening.end(), end):
        depth += 1 if bracket[0] == opening[3] else -1
        if not depth:
            is_quoted = text.count('"', opening.end(), bracket.start()) % 2
            return None if is_quoted else bracket.start()
    return None


def _with_further_calls(text: str, first: Call, rest: Span, notes: list[Diagnostic]) -> Call:
    """Further calls on lines of their own run side by side (UI-TARS); any other text behind a call is not used."""
    calls = first.calls or [first]
    at, end = stripped(text, *rest)
    while at < end:
        line_end = _line_end(text, at, end)
        opening = _CALL.match(text, at, line_end)
        call = opening and _closed_call(text, opening, rstripped(text, at, line_end))
        if not call:
            notes.append(diagnose("text-after-action", (at, end)))
            break
        calls.append(call)
        at = stripped(text, line_end, end)[0]
    if len(calls) > 1:
        first.calls = calls
    return first


def _pause(text: str, span: Span, _: list[Diagnostic]) -> Call | None:
    start, end = span
    named = _PAUSE.match(text, start, end)
    return Call(named[1], "pause", span=stripped(text, named.end(), end)) if named else None


def _code(text: str, span: Span, _: list[Diagnostic]) -> Call | None:
    """Bare code: anything but one call on one line."""
    one_line = _line_end(text, *span) == span[1]
    return None if one_line and _CALL.match(text, *span) else Call("python_interpreter", "lines", span=span)


def _blob(text: str, span: Span, notes: list[Diagnostic]) -> Call | None:
    """A call object behind a label: `name` alone names the tool, and the JSON may be loose or followed by text."""
    start, end = span
    limit = 0 if text.startswith(("{", "["), start, end) else _FENCES_LIMIT
    for _, fence in zip(range(limit), FENCE.finditer(text, start, end), strict=False):
        if text[fence.end() : fence.end() + 1] in ("{", "["):  # code may stand before the fence that holds the call
            is_named = _NAME_ALONE.fullmatch(text, start, fence.start())
            if is_named and not call_object(text, (fence.start(), end), [], labelled=False):
                return None  # the name of a tool: the fence is its input
            start = fence.start()
            break
    call = call_object(text, (start, end), notes, labelled=True)
    own = (unfenced(text, span) or span)[0]
    if call is None and _MEANT_AS_JSON.match(text, own, end):
        read = read_value(text, own, end)
        notes += read.diagnostics if not read.found or read.truncated else [diagnose("blob-without-name", (own, end))]
        return Call(None, "blob")
    return call


_READERS: dict[str, Callable[[str, Span, list[Diagnostic]], Call | None]] = {
    "blob": _blob,
    "call": _call,
    "pause": _pause,
    "code": _code,
    "lines": _lines,
}


def _without_ticks(text: str, span: Span) -> Span:
    start, end = span
    while end - start > 2 and text[start] == text[end - 1] and text[start] in "`*":
        start, end = start + 1, end - 1
    return start, end


def _line_end(text: str, start: int, end: int) -> int:
    ends = [at for at in (text.find("\n", start, end), text.find("\r", start, end)) if at >= 0]
    return min(ends, default=end)
