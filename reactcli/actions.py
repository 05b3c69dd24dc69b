"""How an action is spelled: one small reader for each spelling, tried in the order of the dialect.

    blob   = JSON object that names the tool and its input under any known key, bare or fenced; a list of them
    call   = name "[" input "]" | name "(" input ")"        the bracket closes the value (R11, conflict C13)
    pause  = identifier ": " input                           (conflict C7)
    lines  = name line, then the input on further lines
"""

from __future__ import annotations

import re

from reactcli.diagnostics import diagnose
from reactcli.parts import NO_ACTION, TERMINAL, Part
from reactcli.labels import folded
from reactcli.loosejson import balanced_end, elements, members, read_value
from reactcli.patterns import pattern
from reactcli.source import plain_lines, rstripped, stripped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reactcli.diagnostics import Diagnostic
    from reactcli.source import Span

NAME_KEYS = ("action", "tool", "tool_name", "name", "function", "api_name", "command_name", "command", "request")
INPUT_KEYS = (
    "action_input", "tool_input", "arguments", "parameters", "args", "input", "action_variables", "params", "kwargs",
)  # fmt: skip
THOUGHT_KEYS = ("thought", "thoughts", "thought_process", "reasoning")
ANSWER_KEYS = ("final_answer", "conclusion", "answer", "result", "output", "response")
ENVELOPES = ("tool_call", "tool_calls", "tool_calling", "function", "action", "command")
"""Keys whose value may hold the call itself; the aliases are those of public agent frameworks."""
_SURE_ANSWER_KEYS = ("final_answer", "conclusion")
_SURE_NAME_KEYS = ("action", "tool", "tool_name", "api_name", "command_name", "request")
"""Keys that name a tool even where no input stands beside them; `name` alone may be anybody's."""
_KNOWN_KEYS = {*NAME_KEYS, *INPUT_KEYS, *THOUGHT_KEYS, *ENVELOPES, "id", "type", "tag", "path", "call_id", "index"}

_CALL = pattern(r"([\w.\-/]{1,200})([ \t]?)([\[(])")
_PAUSE = pattern(r"([^\W\d][\w.\-]{0,199})[ \t]?:[ \t]++(?=\S)")
_REMARK = pattern(r"([\w.\-/]{1,200})[ \t]?\(.*\)[ \t]*", re.DOTALL)
_CODE = pattern(r"<code>")
_FIRST = pattern(r"[ \t\r\n`]*+[{\[]")
_FENCE = pattern(r"```[\w+#.-]{0,20}[ \t]*(?:\r\n?|\n)?")
_NO_ACTION = pattern(r"(?:none|null|n/a|no action)\s{0,3}[(.].{0,200}", re.IGNORECASE)
_LONGEST_TERMINAL = 16
_CLOSERS = {"[": "]", "(": ")"}
_SPELLING = {"[": "bracket", "(": "call"}
_PAIRS = (("`", "`"), ('"', '"'), ("'", "'"), ("[", "]"), ("“", "”"), ("「", "」"))


class Call:
    """One action as it was spelled. `input` is a span of the text; `written`, where the input is no slice of it."""

    __slots__ = ("answer", "call_id", "calls", "input", "name", "source", "spelling", "syntax", "thought", "truncated", "written")

    def __init__(self, name: str | None, spelling: str, *, input: Span | None = None, written: str | None = None) -> None:  # noqa: A002  # the part's name
        self.name = name
        self.spelling = spelling
        self.input = input
        self.written = written
        self.syntax = spelling in ("call", "bracket")
        self.thought = ""
        self.answer: str | None = None
        self.call_id: str | None = None
        self.truncated = False
        self.source: Span | None = None
        """The whole JSON value, where the call was a blob."""
        self.calls: list[Call] = []
        """All calls of the action, where there are several; the first is this one."""


def spelled(text: str, span: Span, spellings: tuple[str, ...], notes: list[Diagnostic]) -> Call:
    """The call in the body of an action that has no action input of its own."""
    for spelling in spellings:
        call = _READERS[spelling](text, span, notes)
        if call is not None:
            return call
    return Call(clean_name(text[span[0] : span[1]]), "lines")


def named(text: str, span: Span, notes: list[Diagnostic]) -> Call:
    """The call in the body of an action whose input stands behind a label of its own: only the name is read."""
    start, end = span
    line_end = _line_end(text, start, end)
    if line_end < end and text[line_end:end].strip():
        notes.append(diagnose("text-after-action", (line_end, end)))
    body = text[start:line_end].strip()
    remark = _REMARK.fullmatch(body)
    return Call(remark[1] if remark else clean_name(body), "lines")


def clean_name(name: str) -> str:
    """A tool's name without asterisks, one pair of quotes, backticks or brackets, and a full stop (R12)."""
    name = name.strip().strip("*").strip()
    for opening, closing in _PAIRS:
        inside = name[1:-1]
        if len(name) > 2 and name[0] == opening and name[-1] == closing and closing not in inside and '"' not in inside:
            name = inside.strip()
            break
    if name.endswith(".") and name[:-1].replace("_", "a").replace("-", "a").isalnum():
        name = name[:-1]
    return name


def says_no_action(name: str) -> bool:
    return name.lower() in NO_ACTION or (name[:1] in "nN" and bool(_NO_ACTION.fullmatch(name)))


def is_terminal(name: str) -> bool:
    return len(name) <= _LONGEST_TERMINAL and folded(name).replace(" ", "") in TERMINAL


def _lines(text: str, span: Span, notes: list[Diagnostic]) -> Call | None:
    start, end = span
    line_end = _line_end(text, start, end)
    name = clean_name(text[start:line_end])
    rest = stripped(text, line_end, end)
    if rest[0] == rest[1]:
        return Call(name, "lines")
    return Call(name, "lines", input=_unfenced(text, rest) or rest)


def _call(text: str, span: Span, notes: list[Diagnostic]) -> Call | None:
    start, end = _without_ticks(text, span)
    opening = _CALL.match(text, start, end)
    if opening is None:
        return None
    line_end = _line_end(text, start, end)
    first = _closed_call(text, opening, rstripped(text, start, line_end))
    if first is not None and line_end < end:
        return _with_further_calls(text, first, (line_end, end), notes)
    whole = first or _closed_call(text, opening, end)
    if whole is None and text.find(_CLOSERS[opening[3]], opening.end(), end) < 0:
        whole = Call(opening[1], _SPELLING[opening[3]], input=stripped(text, opening.end(), end))
        whole.truncated = True
        notes.append(diagnose("unclosed-call", (opening.start(), end)))
    return whole


def _closed_call(text: str, opening: re.Match[str], end: int) -> Call | None:
    """The call that `opening` begins, if its bracket closes what ends at `end` (a full stop may follow)."""
    if text[end - 1 : end] in ".;" and end - 2 > opening.end():
        end -= 1
    if end <= opening.end() or text[end - 1] != _CLOSERS[opening[3]]:
        return None
    return Call(opening[1], _SPELLING[opening[3]], input=stripped(text, opening.end(), end - 1))


def _with_further_calls(text: str, first: Call, rest: Span, notes: list[Diagnostic]) -> Call:
    """Further calls on lines of their own run side by side (UI-TARS); any other text behind a call is not used."""
    calls = [first]
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


def _pause(text: str, span: Span, notes: list[Diagnostic]) -> Call | None:
    start, end = span
    named = _PAUSE.match(text, start, end)
    return Call(named[1], "pause", input=stripped(text, named.end(), end)) if named else None


def _blob(text: str, span: Span, notes: list[Diagnostic]) -> Call | None:
    """A call object behind a label: `name` alone names the tool, and the JSON may be loose or followed by text."""
    return call_object(text, span, notes, labelled=True)


_READERS: dict[str, Callable[[str, Span, list[Diagnostic]], Call | None]] = {
    "blob": _blob,
    "call": _call,
    "pause": _pause,
    "lines": _lines,
}


def call_object(text: str, span: Span, notes: list[Diagnostic], *, labelled: bool) -> Call | None:
    """The call that a JSON object (or a list of them) in `span` makes, or None if it makes none.

    Without a label before it, an object is a call only if its keys say so: `{"name": "Bob", "age": 3}` is data.
    """
    start, end = _unfenced(text, span) or span
    first = _FIRST.match(text, start, end)
    if first is None:
        return None
    start = first.end() - 1
    if text[start] == "[":
        calls = [
            call
            for first, last in (elements(text, start, end) or ())[:_CALLS_LIMIT]
            if text[first] == "{" and (call := _object(text, (first, last), notes, labelled=labelled))
        ]
        if not calls:
            return None
        if len(calls) > 1:
            calls[0].calls = calls
        found: Call | None = calls[0]
    else:
        found = _object(text, (start, end), notes, labelled=labelled)
    if found is not None:
        value_end = balanced_end(text, start, end) or end
        found.source = (start, value_end)
        _take_rest(text, found, stripped(text, value_end, end), notes)
    return found


def _take_rest(text: str, call: Call, rest: Span, notes: list[Diagnostic]) -> None:
    """What stands behind a blob is not used, but for code in a tag of its own (Tongyi DeepResearch)."""
    code = _CODE.match(text, *rest)
    if code and (call.input is None or text[slice(*call.input)].replace(" ", "") == "{}"):
        close = text.find("</code>", code.end(), rest[1])
        call.input, call.written = stripped(text, code.end(), close if close >= 0 else rest[1]), None
    elif text[slice(*rest)].strip("` \t\r\n"):
        notes.append(diagnose("text-after-action", rest))


_CALLS_LIMIT = 1_000
"""Calls read from one list: no model asks for more at once."""


def _object(text: str, span: Span, notes: list[Diagnostic], *, labelled: bool, depth: int = 0) -> Call | None:
    fields = members(text, *span)
    if fields is None:
        return None
    call = _enveloped(text, fields, notes, depth) or _named_call(text, fields, labelled=labelled)
    thought = _first_text(text, fields, THOUGHT_KEYS)
    if call is None:
        sure = ANSWER_KEYS if thought is not None else _SURE_ANSWER_KEYS
        answer = _first_text(text, fields, sure)
        if answer is None:
            return None
        call = Call(None, "blob")
        call.answer = answer
    else:
        unused = [key for key in fields if key not in _KNOWN_KEYS]
        if unused:
            notes.append(diagnose("unused-keys", span, keys=", ".join(unused)))
    call.thought = call.thought or thought or ""
    if "id" in fields:
        call.call_id = _text_at(text, fields["id"])
    return call


def _enveloped(text: str, fields: dict[str, Span], notes: list[Diagnostic], depth: int) -> Call | None:
    """The call inside an envelope such as `{"function": {"name": …}}`; envelopes nest at most three deep."""
    if depth == 3:
        return None
    for key in ENVELOPES:
        if key not in fields:
            continue
        start, end = fields[key]
        if text[start] == "[":
            inner = elements(text, start, end) or []
            start, end = inner[0] if len(inner) == 1 else (end, end)
        if start < end and text[start] == "{":
            call = _object(text, (start, end), notes, labelled=True, depth=depth + 1)
            if call is not None and call.name is not None:
                return call
    return None


def _named_call(text: str, fields: dict[str, Span], *, labelled: bool) -> Call | None:
    has_input = next((key for key in INPUT_KEYS if key in fields), None)
    for key in NAME_KEYS:
        if key not in fields or not (labelled or has_input or key in _SURE_NAME_KEYS):
            continue
        name = _text_at(text, fields[key])
        if name is not None:
            call = Call(clean_name(name), "blob")
            if has_input is not None:
                call.input, call.written = _input_of(text, fields[has_input])
            return call
    return None


def _input_of(text: str, span: Span) -> tuple[Span | None, str | None]:
    """A blob's input: the decoded text of a JSON string, the source of any other value, nothing for null."""
    start, end = span
    if text.startswith("null", start) or text.startswith("None", start):
        return None, None
    decoded = _text_at(text, span)
    return (span, decoded)


def _first_text(text: str, fields: dict[str, Span], keys: tuple[str, ...]) -> str | None:
    """The value of the first of some keys as text: strings decoded, other values as they are written."""
    for key in keys:
        if key in fields:
            start, end = fields[key]
            decoded = _text_at(text, fields[key])
            return text[start:end] if decoded is None else decoded
    return None


def _text_at(text: str, span: Span) -> str | None:
    """The decoded string of a span, or None if it holds another kind of value."""
    if text[span[0]] not in "\"'“":
        return None
    value = read_value(text, *span).value
    return value if isinstance(value, str) else None


def answer_of(text: str, span: Span | None, written: str | None) -> str:
    """The answer that the input of a terminal action holds: under a known key, in quotes, or as it is (R13)."""
    if span is None:
        return ""
    raw = text[span[0] : span[1]] if written is None else written
    source, place = (text, span) if written is None else (written, (0, len(written)))
    if raw[:1] == "{":
        fields = members(source, *place)
        if fields is not None:
            found = _first_text(source, fields, _ARGUMENT_ANSWER_KEYS)
            return plain_lines(found) if found is not None else "" if not fields else raw
    keyword = _KEYWORD_ANSWER.match(raw)
    if keyword:
        raw = raw[keyword.end() :].strip()
    if len(raw) > 1 and raw[0] == raw[-1] and raw[0] in "\"'" and raw[0] not in raw[1:-1].replace(f"\\{raw[0]}", ""):
        decoded = _text_at(raw, (0, len(raw)))
        raw = raw[1:-1] if decoded is None else decoded
    return plain_lines(raw)


_ARGUMENT_ANSWER_KEYS = ("answer", "final_answer", "result", "output", "response", "content")
_KEYWORD_ANSWER = pattern(rf"(?:{'|'.join(_ARGUMENT_ANSWER_KEYS)})[ \t]{{0,3}}=[ \t]{{0,3}}(?=[\"'])")


def _unfenced(text: str, span: Span) -> Span | None:
    """The inside of one code fence around a whole value, or None if there is none."""
    start, end = span
    opening = _FENCE.match(text, start, end)
    if opening is None:
        return None
    close = text.rfind("```", opening.end(), end)
    return stripped(text, opening.end(), close if close >= 0 else end)


def _without_ticks(text: str, span: Span) -> Span:
    start, end = span
    while end - start > 2 and text[start] == text[end - 1] and text[start] in "`*":
        start, end = start + 1, end - 1
    return start, end


def _line_end(text: str, start: int, end: int) -> int:
    ends = [at for at in (text.find("\n", start, end), text.find("\r", start, end)) if at >= 0]
    return min(ends, default=end)


