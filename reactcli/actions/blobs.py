"""One JSON object that names the tool and its input, under any key that public agent frameworks use.

call    = object with a name and perhaps an input | envelope around a call | list of calls
answer  = object with a final answer, or the input of an action that ends the run
"""

from __future__ import annotations

from reactcli.actions import Call
from reactcli.actions.names import clean_name, is_terminal, says_no_action
from reactcli.diagnostics import diagnose
from reactcli.loosejson import balanced_end, elements, members, read_value
from reactcli.patterns import pattern
from reactcli.source import plain_lines, stripped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reactcli.diagnostics import Diagnostic
    from reactcli.source import Span

NAME_KEYS = (
    "action", "tool", "tool_name", "name", "function", "api_name", "command_name", "command", "request",
    "next_tool_name",
)  # fmt: skip
INPUT_KEYS = (
    "action_input", "tool_input", "arguments", "parameters", "args", "input", "action_variables", "params", "kwargs",
    "next_tool_args",
)  # fmt: skip
THOUGHT_KEYS = ("thought", "thoughts", "thought_process", "reasoning", "next_thought")
ANSWER_KEYS = ("final_answer", "conclusion", "answer", "result", "output", "response")
ENVELOPES = ("tool_call", "tool_calls", "tool_calling", "function_call", "function", "action", "command")
"""Keys whose value may hold the call itself; the aliases are those of public agent frameworks."""
_SURE_ANSWER_KEYS = ("final_answer", "conclusion")
_SURE_NAME_KEYS = ("action", "tool", "tool_name", "api_name", "command_name", "request", "next_tool_name")
"""Keys that name a tool even where no input stands beside them; `name` alone may be anybody's."""
_KNOWN_KEYS = {*NAME_KEYS, *INPUT_KEYS, *THOUGHT_KEYS, *ENVELOPES, "id", "type", "tag", "path", "call_id", "index"}
_KEYS = {*_KNOWN_KEYS, *ANSWER_KEYS}
_ARGUMENT_ANSWER_KEYS = ("answer", "final_answer", "result", "output", "response", "content")
_DEEPEST_ENVELOPE = 3
_CALLS_LIMIT = 1_000
"""Calls read from one list: no model asks for more at once."""

_CODE = pattern(r"<code>")
_FIRST = pattern(r"[ \t\r\n`~]*+[{\[]")
FENCE = pattern(r"(?:```|~~~)[\w+#.-]{0,20}[ \t]*(?:\r\n?|\n)?")
_BETWEEN = pattern(r"[\s,;，；]{0,20}(?=\{)")
_KEYWORD_ANSWER = pattern(rf"(?:{'|'.join(_ARGUMENT_ANSWER_KEYS)})[ \t]{{0,3}}=[ \t]{{0,3}}(?=[\"'])")


def call_object(text: str, span: Span, notes: list[Diagnostic], *, labelled: bool) -> Call | None:
    """The call that a JSON object (or a list of them) in `span` makes, or None if it makes none.

    Without a label before it, an object is a call only if its keys say so: `{"name": "Bob", "age": 3}` is data.
    """
    start, end = unfenced(text, span) or span
    first = _FIRST.match(text, start, end)
    if first is None:
        return None
    start = first.end() - 1
    read = _listed if text[start] == "[" else _object
    found = read(text, (start, end), notes, labelled=labelled)
    if found is not None:
        value_end = balanced_end(text, start, end) or end
        found.source = (start, value_end)
        if read is _object and found.answer is None:
            value_end = _take_further(text, found, (value_end, end), notes)
        _take_rest(text, found, stripped(text, value_end, end), notes)
    return found


def _listed(text: str, span: Span, notes: list[Diagnostic], *, labelled: bool, depth: int = 0) -> Call | None:
    """The first call of a list of them, which has all."""
    calls = [
        call
        for first, last in (elements(text, *span) or ())[:_CALLS_LIMIT]
        if text[first] == "{" and (call := _object(text, (first, last), notes, labelled=labelled, depth=depth))
    ]
    if len(calls) > 1:
        calls[0].calls = calls
    return calls[0] if calls else None


def _take_further(text: str, first: Call, rest: Span, notes: list[Diagnostic]) -> int:
    """Call objects that follow the first, with nothing but a comma or semicolon between, run beside it (Llama 3)."""
    at, end = rest
    calls = first.calls or [first]
    while len(calls) < _CALLS_LIMIT and (gap := _BETWEEN.match(text, at, end)):
        close = balanced_end(text, gap.end(), end)
        own: list[Diagnostic] = []
        call = close and _object(text, (gap.end(), close), own, labelled=False)
        if not close or not call or not call.name:
            break
        calls.append(call)
        notes += own
        at = close
    if len(calls) > 1:
        first.calls = calls
    return at


def _take_rest(text: str, call: Call, rest: Span, notes: list[Diagnostic]) -> None:
    """What stands behind a blob is not used, but for code in a tag of its own (Tongyi DeepResearch)."""
    code = _CODE.match(text, *rest)
    if code and (call.span is None or text[slice(*call.span)].replace(" ", "") == "{}"):
        close = text.find("</code>", code.end(), rest[1])
        call.span, call.written = stripped(text, code.end(), close if close >= 0 else rest[1]), None
    elif text[slice(*rest)].strip("` \t\r\n"):
        notes.append(diagnose("text-after-action", rest))


class _Fields:
    """The fields of one JSON object: where each value stands, and what it says."""

    __slots__ = ("spans", "text", "values")

    def __init__(self, text: str, span: Span, spans: dict[str, Span]) -> None:
        self.text = text
        self.spans: dict[str, Span] = {}
        for key, place in spans.items():
            self.spans.setdefault(_usual(key), place)
        value = read_value(text, *span).value
        self.values = {_usual(key): item for key, item in value.items()} if isinstance(value, dict) else {}

    def string(self, key: str) -> str | None:
        """A string, decoded; None if the value is of another kind. One that is cut off is what there is of it."""
        if key in self.values:
            value = self.values[key]
            return value if isinstance(value, str) else None
        start, end = self.spans[key]
        if not self.text.startswith(('"', "'", "“"), start, end):
            return None
        value = read_value(self.text, start, end).value
        return value if isinstance(value, str) else self.text[start + 1 : end]

    def first_text(self, keys: tuple[str, ...]) -> str | None:
        """The value of the first of some keys that is not null, as text: strings decoded, others as written."""
        for key in keys:
            if key in self.spans and self.values.get(key, "") is not None:
                string = self.string(key)
                return self.text[slice(*self.spans[key])] if string is None else string
        return None


def _usual(key: str) -> str:
    """A key as the tables above spell it: `Action Input` is `action_input`, if nothing else."""
    if key in _KEYS:
        return key
    usual = key.strip().lower().replace(" ", "_")
    return usual if usual in _KEYS else key


def _object(text: str, span: Span, notes: list[Diagnostic], *, labelled: bool, depth: int = 0) -> Call | None:
    spans = members(text, *span)
    if spans is None:
        return None
    fields = _Fields(text, span, spans)
    spans = fields.spans
    call = _enveloped(text, spans, notes, depth) or _named_call(fields, labelled=labelled)
    thought = fields.first_text(THOUGHT_KEYS)
    answer = fields.first_text(_SURE_ANSWER_KEYS)
    if answer and call is not None and call.name and not says_no_action(call.name):
        if not is_terminal(call.name):
            notes.append(diagnose("action-and-final-answer", span))
        call = Call(None, "blob")
        call.answer = answer
    elif call is None or not call.name or says_no_action(call.name):
        answer = fields.first_text(ANSWER_KEYS if thought is not None else _SURE_ANSWER_KEYS)
        if answer is not None:
            call = Call(None, "blob")
            call.answer = answer
    elif unused := [key for key in spans if key not in _KNOWN_KEYS and key not in _SURE_ANSWER_KEYS]:
        notes.append(diagnose("unused-keys", span, keys=", ".join(unused)))
    if call is not None:
        call.thought = call.thought or thought or ""
        call.call_id = call.call_id or (fields.string("id") if "id" in spans else None)
    return call


def _enveloped(text: str, fields: dict[str, Span], notes: list[Diagnostic], depth: int) -> Call | None:
    """The call inside an envelope such as `{"function": {"name": …}}`; envelopes nest at most three deep."""
    if depth == _DEEPEST_ENVELOPE:
        return None
    for key in ENVELOPES:
        if key not in fields:
            continue
        start, end = fields[key]
        if text.startswith("[", start, end):
            return _listed(text, (start, end), notes, labelled=True, depth=depth + 1)
        if text.startswith("{", start, end):
            call = _object(text, (start, end), notes, labelled=True, depth=depth + 1)
            if call is not None and call.name is not None:
                return call
    return None


def _named_call(fields: _Fields, *, labelled: bool) -> Call | None:
    has_input = next((key for key in INPUT_KEYS if key in fields.spans), None)
    for key in NAME_KEYS:
        if key not in fields.spans or not (labelled or has_input or key in _SURE_NAME_KEYS):
            continue
        name = fields.string(key)
        if name is not None:
            call = Call(clean_name(name), "blob")
            if has_input is not None and fields.values.get(has_input, "") is not None:
                call.span, call.written = fields.spans[has_input], fields.string(has_input)
            return call
    return None


def answer_of(text: str, span: Span | None, written: str | None) -> str:
    """The answer that the input of a terminal action holds: under a known key, in quotes, or as it is (R13)."""
    if span is None:
        return ""
    raw = text[span[0] : span[1]] if written is None else written
    source, place = (text, span) if written is None else (written, (0, len(written)))
    if raw[:1] == "{":
        fields = members(source, *place)
        if fields is not None:
            found = _Fields(source, place, fields).first_text(_ARGUMENT_ANSWER_KEYS)
            return plain_lines(found if found is not None else raw if fields else "")
    keyword = _KEYWORD_ANSWER.match(raw)
    if keyword:
        raw = raw[keyword.end() :].strip()
    is_quoted = written is None and len(raw) > 1 and raw[0] == raw[-1] and raw[0] in "\"'"
    if is_quoted and raw[0] not in raw[1:-1].replace(f"\\{raw[0]}", ""):
        decoded = read_value(raw, 0, len(raw)).value
        raw = decoded if isinstance(decoded, str) else raw[1:-1]
    return plain_lines(raw)


def unfenced(text: str, span: Span) -> Span | None:
    """The inside of one code fence around a whole value, or None if there is none."""
    start, end = span
    opening = FENCE.match(text, start, end)
    if opening is None:
        return None
    close = text.rfind(text[start : start + 3], opening.end(), end)
    return stripped(text, opening.end(), close if close >= 0 else end)
