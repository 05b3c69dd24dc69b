"""JSON as models write it; every relaxation named and reported.

Valid JSON is read by the letter (`strict`) and never changed; everything else by the loose reader (`reader`).
All offsets are code points of the text that is given. Nothing raises, whatever the text holds; nothing is evaluated.
"""

from __future__ import annotations

from reactcli.diagnostics import diagnose
from reactcli.loosejson.reader import Reader, Unreadable
from reactcli.loosejson.strict import scan, scan_items, skip_space
from reactcli.loosejson.strings import CALL_END, CLOSING, Notes, cut_off, invalid
from reactcli.patterns import pattern
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import Any

    from reactcli.diagnostics import Diagnostic
    from reactcli.source import Span

LENGTH_LIMIT = 1 << 20
"""Code points of one input; a longer one is a file by mistake."""
COUNT_LIMIT = 20
"""How many values side by side are counted."""
BRACKET_LIMIT = 100
"""Depth to which brackets are matched in text that is not even loosely JSON."""

FENCE = pattern(r"(`+)[ \t]*(?:[\w+-]{0,20}[ \t]*(?:\r\n?|\n)|(?:json|JSON|python|tool)?)")
CALL_WRAPPER = pattern(r"([^\W\d][\w.]{0,200})[ \t]*\([ \t\n\r]*(?=\{)")
SCALAR = pattern(r"""["'“”„‘’0-9-]|(?:true|false|null|True|False|None|NaN|Infinity)\Z""")
KEYWORD = pattern(r"([^\W\d]\w*)[ \t\n\r]*=(?!=)")
BARE_KEY = pattern(r"\{[ \t\n\r]*[\w-]{1,100}[ \t]*:")
BRACKETS = pattern(r'"(?:[^"\\\n]|\\[^\n])*+"?|[\[\]{}]')
CALL_SPELLING = frozenset(("python-literal", "single-quotes", "escaped-apostrophe"))
"""What is no oddity between the parentheses of a call."""


class Reading(Value):
    value: Any
    end: int
    """Just behind the value; where reading stopped if none was found."""
    diagnostics: tuple[Diagnostic, ...] = ()
    truncated: bool = False
    """The text ended inside the value: not to be executed as it is."""
    found: bool = True
    """False: no value could be read; `value` is None and the diagnostics say why, if it looked like one."""


def read_value(text: str, start: int, end: int) -> Reading:
    """One JSON-like value at `start`, behind white space and comments; what stands behind it is not judged."""
    at = skip_space(text, start, end)
    strict = scan(text, at, end) if at < end else None
    if strict:
        return Reading(strict[0], strict[1])
    reader = Reader(text, at, end)
    try:
        if text.startswith("/", at, end):
            reader.skip()
        value = reader.read()
    except Unreadable as error:
        return Reading(None, error.at, (_explained(error, reader, at),), error.truncated, found=False)
    if reader.truncated:
        reader.notes.kept.append(cut_off(at, end).diagnostic)
    return Reading(value, reader.at, tuple(reader.notes.kept), reader.truncated)


def read_arguments(text: str, start: int, end: int, *, label: bool = True) -> Reading:
    """The arguments of a whole action input. Plain text gives no value and no diagnostics.

    Behind a label models dress a value up: a fence, a call around it, a second encoding. With `label=False` (the input
    was cut out of JSON or a tag) only the value itself is looked for.
    """
    at, stop = _stripped(text, start, end)
    if at == stop:
        return _plain(at)
    if stop - at > LENGTH_LIMIT:
        too_long = diagnose("input-too-long", (at, stop), limit=LENGTH_LIMIT)
        return Reading(None, at, (too_long,) if text[at] in "{[" else (), found=False)
    if text[at] in "{[/":
        return _read_structure(text, at, stop)
    if label and text[at] == "`":
        return _read_fenced(text, at, stop)
    if label and (call := CALL_WRAPPER.match(text, at, stop)):
        return _read_wrapped(text, call, stop)
    return _read_scalar(text, at, stop, label=label) if SCALAR.match(text, at, stop) else _plain(at)


def read_call(text: str, start: int, end: int) -> Reading:
    """The arguments between the parentheses or brackets of a call.

        call = [ argument { ',' argument } [ ',' ] ]        argument = [ name '=' ] value

    Positional arguments give a list, keywords a dict, both a dict with the list under `*`; an object or array alone is
    the value itself. Anything but literals is no call: no value, no diagnostics.
    """
    at, stop = _stripped(text, start, end)
    if at == stop:
        return _plain(at)
    reader = Reader(text, at, stop, Notes(CALL_SPELLING))
    reader.top_end = CALL_END
    try:
        value = _call_value(reader)
    except Unreadable as error:
        known = (error.diagnostic,) if error.diagnostic.code != "invalid-json" else ()
        return Reading(None, error.at, known, error.truncated, found=False)
    if reader.truncated:
        reader.notes.kept.append(cut_off(at, end).diagnostic)
    return Reading(value, reader.at, tuple(reader.notes.kept), reader.truncated)


def members(text: str, start: int, end: int) -> dict[str, Span] | None:
    """The span of each value of the object at `start`; the first of a key that is given twice. None if it is no object.

    If the text ends inside the object, the value it ends in is the last, up to the end.
    """
    spans: dict[str, Span] = {}
    items = _items(text, start, end, "{")
    for key, span in items or ():
        spans.setdefault(key, span)
    return spans if items is not None else None


def elements(text: str, start: int, end: int) -> list[Span] | None:
    """The span of each value of the array at `start`, likewise."""
    items = _items(text, start, end, "[")
    return [span for _, span in items] if items is not None else None


def balanced_end(text: str, start: int, end: int) -> int | None:
    """The offset behind the `{` or `[` value at `start`, loosely spelt or merely balanced; None if never balanced."""
    strict = scan(text, start, end)
    if strict:
        return strict[1]
    reader = Reader(text, start, end)
    try:
        reader.read()
    except Unreadable:
        return _matching_bracket(text, start, end)
    return None if reader.truncated else reader.at


def _matching_bracket(text: str, start: int, end: int) -> int | None:
    open_brackets: list[str] = []
    for token in BRACKETS.finditer(text, start, end):
        bracket = token[0]
        if bracket in "[{":
            open_brackets.append("]" if bracket == "[" else "}")
        elif bracket in "]}" and (not open_brackets or open_brackets.pop() != bracket):
            return None
        if not open_brackets:
            return token.end()
        if len(open_brackets) > BRACKET_LIMIT:
            return None
    return None


def _explained(error: Unreadable, reader: Reader, at: int) -> Diagnostic:
    """Brackets that hold no JSON at all are a way of writing; JSON that goes wrong is a mistake."""
    nothing_read = error.diagnostic.code == "invalid-json" and not reader.items_read and len(reader.frames) == 1
    if nothing_read and not BARE_KEY.match(reader.text, at, reader.end):
        first = skip_space(reader.text, at + 1, reader.end)
        if reader.text[first : first + 1] not in (*CLOSING, "\\"):
            return diagnose("not-json", (at, at + 1))
    return error.diagnostic


def _stripped(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end


def _plain(at: int) -> Reading:
    return Reading(None, at, found=False)


def _read_structure(text: str, at: int, stop: int) -> Reading:
    """An object or array and what stands behind it."""
    reading = read_value(text, at, stop)
    if text[at] == "/" and not isinstance(reading.value, dict | list):
        return _plain(at)
    if not reading.found or reading.end == stop:
        return reading
    return _judge_rest(text, at, stop, reading)


def _judge_rest(text: str, at: int, stop: int, reading: Reading) -> Reading:
    reader = Reader(text, reading.end, stop)
    try:
        following = reader.skip()
    except Unreadable:
        following = "/"
    kept = [*reading.diagnostics, *reader.notes.kept]
    if following == "":
        return reading.replace(diagnostics=tuple(kept))
    several = _several_values(text, at, reader.at, stop)
    if several:
        return Reading(None, reading.end, (several,), found=False)
    stray = text[reader.at : stop].strip("`") == ""
    code = "stray-fence" if stray else "text-after-input"
    return reading.replace(diagnostics=(*kept, diagnose(code, (reader.at, stop))))


def _several_values(text: str, at: int, here: int, stop: int) -> Diagnostic | None:
    """A diagnostic if more objects or arrays follow the first, side by side or behind commas."""
    count, last = 1, here
    while count <= COUNT_LIMIT:
        here = skip_space(text, here, stop)
        if text.startswith(",", here, stop):
            here = skip_space(text, here + 1, stop)
        if not text.startswith(("{", "["), here, stop):
            break
        following = read_value(text, here, stop)
        if not following.found:
            break
        here = last = following.end
        count += 1
    if count == 1:
        return None
    return diagnose("several-values", (at, last), count=count if count <= COUNT_LIMIT else f"more than {COUNT_LIMIT}")


def _read_fenced(text: str, at: int, stop: int) -> Reading:
    """A value in a code fence, on its own lines or on one; the closing fence may be missing."""
    fence = FENCE.match(text, at, stop)
    marks = fence[1] if fence else "`"
    inner = fence.end() if fence else at + 1
    close = text.rfind(marks, inner, stop)
    inside, inner_stop = _stripped(text, inner, close if close >= inner else stop)
    if inside == inner_stop or text[inside] == "`":
        return _plain(at)
    reading = read_value(text, inside, inner_stop)
    removed = diagnose("input-fence", (at, inner))
    if not isinstance(reading.value, dict | list) or reading.end < inner_stop:
        reading = read_arguments(text, inside, inner_stop, label=False)
    if not reading.found and not reading.diagnostics:
        return _plain(at)
    rest, _ = _stripped(text, close + len(marks), stop) if close >= inner else (stop, stop)
    after = (diagnose("text-after-input", (rest, stop)),) if rest < stop else ()
    return reading.replace(diagnostics=(removed, *reading.diagnostics, *after))


def _read_wrapped(text: str, call: re.Match[str], stop: int) -> Reading:
    """`NAME({…})`: the object, if nothing else stands between the parentheses."""
    reading = read_value(text, call.end(), stop)
    if not reading.found:
        return reading if reading.truncated else _plain(call.start())
    wrapper = diagnose("call-wrapper", call.span(), name=call[1])
    close = skip_space(text, reading.end, stop)
    if close == stop:
        missing = diagnose("missing-closer", (stop, stop), text=")")
        cut = () if reading.truncated else (cut_off(call.start(), stop).diagnostic,)
        return reading.replace(truncated=True, diagnostics=(wrapper, *reading.diagnostics, missing, *cut))
    if text[close] != ")":
        return _plain(call.start())
    rest, _ = _stripped(text, close + 1, stop)
    after = (diagnose("text-after-input", (rest, stop)),) if rest < stop else ()
    return reading.replace(end=close + 1, diagnostics=(wrapper, *reading.diagnostics, *after))


def _read_scalar(text: str, at: int, stop: int, *, label: bool) -> Reading:
    """A string, number or word that is the whole input; otherwise the input is plain text."""
    reading = read_value(text, at, stop)
    if reading.found and reading.end == stop:
        return _decoded_again(reading, (at, stop)) if label and isinstance(reading.value, str) else reading
    if reading.found or any(d.code not in ("invalid-json", "not-json", "truncated-input") for d in reading.diagnostics):
        return _plain(at) if reading.found else reading
    return reading if reading.truncated and text[at] == '"' else _plain(at)


def _decoded_again(reading: Reading, span: Span) -> Reading:
    """A string that holds an object or array, and nothing else, gives that."""
    inner = reading.value
    at, stop = _stripped(inner, 0, len(inner))
    if inner[at : at + 1] not in ("{", "["):
        return reading
    decoded = read_value(inner, at, stop)
    if not decoded.found or decoded.truncated or decoded.end < stop:
        return reading
    inside = tuple(diagnostic.replace(span=span) for diagnostic in decoded.diagnostics)
    again = diagnose("double-encoded", span)
    return reading.replace(value=decoded.value, diagnostics=(*reading.diagnostics, again, *inside))


def _call_value(reader: Reader) -> Any:
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    first = reader.text[reader.at]
    while True:
        _read_argument(reader, positional, keywords)
        following = reader.skip(comments=False)
        if following == "":
            break
        if following != ",":
            raise invalid(reader.at, "a comma should stand between arguments")
        reader.at += 1
        if reader.skip(comments=False) == "":
            break
    if keywords:
        return {"*": positional, **keywords} if positional else keywords
    return positional[0] if len(positional) == 1 and first in "{[" else positional


def _read_argument(reader: Reader, positional: list[Any], keywords: dict[str, Any]) -> None:
    reader.skip(comments=False)
    keyword = KEYWORD.match(reader.text, reader.at, reader.end)
    if not keyword:
        positional.append(reader.read())
        return
    if keyword[1] in keywords:
        reader.notes.add("duplicate-key", *keyword.span(1), key=keyword[1])
    reader.at = keyword.end()
    keywords[keyword[1]] = reader.read()


def _items(text: str, start: int, end: int, opener: str) -> list[tuple[str, Span]] | None:
    at = skip_space(text, start, end)
    if not text.startswith(opener, at, end):
        return None
    strict = scan_items(text, at, end)
    if strict is not None:
        return strict
    reader = Reader(text, at, end)
    try:
        reader.read()
    except Unreadable as error:
        if not error.truncated:
            return None
        if reader.frames and reader.frames[0].value_at >= 0:
            reader.spans.append((reader.frames[0].key, (reader.frames[0].value_at, end)))
    return reader.spans
