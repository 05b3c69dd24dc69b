"""Several actions of one step: calls of their own, or tools and inputs named in two lists (conflicts C8 and C9)."""

from __future__ import annotations

from reactcli.actions import Call
from reactcli.actions.names import clean_name
from reactcli.diagnostics import diagnose
from reactcli.loosejson import elements, read_value
from reactcli.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reactcli.diagnostics import Diagnostic
    from reactcli.parser.readings import Reading
    from reactcli.source import Span

_COMMA = pattern(r"\s{0,20}[,，、]\s{0,20}")
_NAMES = pattern(r"[\w.\-/]{1,200}(?:\s{0,20}[,，、]\s{0,20}[\w.\-/]{1,200})++")
_LIMIT = 1_000


def parallel_calls(reading: Reading, notes: list[Diagnostic]) -> list[Call]:
    """All calls of a step where there are two or more; otherwise nothing."""
    first = reading.calls[0]
    if len(reading.calls) > 1:
        return [call for own in reading.calls for call in (own.calls or [own]) if call.name]
    if first.calls:
        return [call for call in first.calls if call.name]
    names = _names(first.name or "")
    if not names or first.span is None or first.written is not None:
        return []
    inputs = _inputs(reading.found.text, first.span, len(names))
    if len(inputs) != len(names):
        notes.append(diagnose("parallel-mismatch", first.span, tools=len(names), inputs=len(inputs)))
        return []
    return [_listed(name, span, reading) for name, span in zip(names, inputs, strict=True)]


def _listed(name: str, span: Span, reading: Reading) -> Call:
    call = Call(name, "lines", span=span)
    start, end = span
    if reading.found.text.startswith(('"', "'"), start, end):
        value = read_value(reading.found.text, start, end).value
        call.written = value if isinstance(value, str) else None
    return call


def _names(name: str) -> list[str]:
    """The tools of `a, b` or `["a", "b"]`; empty if only one is named."""
    if name.startswith("["):
        spans = elements(name, 0, len(name)) or []
        return [clean_name(name[start:end]) for start, end in spans[:_LIMIT]] if len(spans) > 1 else []
    return _COMMA.split(name) if _NAMES.fullmatch(name) else []


def _inputs(text: str, span: Span, expected: int) -> list[Span]:
    """The inputs side by side in a span: values with commas or line breaks between, or the items of one array."""
    start, end = span
    if text.startswith("[", start, end):
        items = elements(text, start, end)
        if items is not None and len(items) == expected:
            return items
    spans: list[Span] = []
    while start < end and len(spans) < _LIMIT:
        reading = read_value(text, start, end)
        if not reading.found:
            return _plain_inputs(text, span)
        spans.append((start, reading.end))
        start = reading.end
        while start < end and (text[start].isspace() or text[start] in ",，;；"):
            start += 1
    return spans


def _plain_inputs(text: str, span: Span) -> list[Span]:
    """Plain text cut at its commas, a span for each piece."""
    spans: list[Span] = []
    start, end = span
    for comma in _COMMA.finditer(text, start, end):
        spans.append((start, comma.start()))
        start = comma.end()
        if len(spans) >= _LIMIT:
            break
    return [*spans, (start, end)]
