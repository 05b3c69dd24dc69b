r"""The gate: the only way from a stranger's text to a screen, and the only writer of JSON.

`show` makes every character visible that could drive a terminal, reorder a line or hide in it; `unshow` undoes it.
`json_text` writes strict JSON in which the same characters are `\uXXXX`. Neither knows of colours or streams.

Hidden are C0 without tab and line feed, DEL, C1, surrogates, U+2028 and U+2029, the tag characters, and every format
character (category Cf) but three kinds: ZWJ and ZWNJ, which emoji, Persian and Indic scripts need; number signs and the
like that have a glyph of their own; and the joiners of Egyptian hieroglyphs.
"""

from __future__ import annotations

import re
from functools import cache
from json.encoder import JSONEncoder, encode_basestring

from reactcli.render import Safe

HIDDEN = (
    *range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0),  # C0, DEL, C1
    0x00AD, 0x180E, 0x200B, 0xFEFF,  # soft hyphen, Mongolian vowel separator, zero-width space, byte order mark
    0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A),  # bidi controls
    0x2028, 0x2029,  # line and paragraph separator
    *range(0x2060, 0x2066), *range(0x206A, 0x2070),  # word joiner, invisible operators, deprecated format characters
    *range(0xD800, 0xE000),  # surrogates
    *range(0xFFF9, 0xFFFC), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B),  # annotation, shorthand, music
    *range(0xE0000, 0xE0080),  # tags
)  # fmt: skip
"""Code points that no screen gets to see."""

DEEPEST_INDENT = 200
"""Below this depth JSON is written without line breaks: indentation would make its size quadratic."""

_Container = dict[object, object] | list[object] | tuple[object, ...]
_Part = tuple[object, int]
"""A value to be written and its depth, ready text, or a container that is left."""
_READY, _LEFT = -1, -2

_BACKSLASH = r"\x5c"
_READS_LIKE_AN_ESCAPE = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")
_INFINITY = float("inf")
_WORDS = {None: "null", True: "true", False: "false"}
_ENCODER = JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=True)


def show(text: str) -> Safe:
    r"""The text with each hidden character written as `\x1b`, `\u202e` or `\U000e0041` and nothing else changed, except
    that a backslash which would read as such an escape becomes `\x5c`: no two texts look the same.
    """
    if "\\" in text:
        text = _READS_LIKE_AN_ESCAPE.sub(_literal, text)
    return Safe(text if _is_clean(text) else text.translate(_shown()))


def show_line(text: str, longest: int = 200) -> Safe:
    """The text on one line and cut, to be quoted in a message: line ends and tabs are visible too."""
    shown = show(text if len(text) <= longest else f"{text[: longest - 1]}…")
    return Safe(shown.replace("\n", r"\n").replace("\t", r"\t"))


def unshow(text: str) -> str:
    """The text that `show` was given."""
    return _READS_LIKE_AN_ESCAPE.sub(lambda match: _hidden_by_escape().get(match[0], match[0]), text)


def json_text(value: object, indent: int | None = None) -> Safe:
    """Strict JSON of dicts, lists, tuples, strings, numbers, booleans and None; readable text stays readable.

    A number that JSON lacks (NaN, the infinities) becomes null; integers of any length and values of any depth are
    written. A key that is no string is written as the text of its JSON. TypeError for any other value, ValueError for
    one that holds itself.
    """
    text = _quick_json(value) if indent is None else None
    if text is None:
        text = _careful_json(value, indent)
    return visible_json(text)


def visible_json(text: str) -> Safe:
    """JSON with an escape for each hidden character: they stand only inside strings. C0 is escaped already."""
    is_clean = "\x7f" not in text if text.isascii() else _is_clean(text)
    return Safe(text if is_clean else text.translate(_shown_in_json()))


def _is_clean(text: str) -> bool:
    """Nothing hidden: found at 230 million characters a second (`translate`: 20). May be False without cause."""
    return text.replace("\n", "").replace("\t", "").isprintable()


@cache
def _shown() -> dict[int, str]:
    """Built when something needs it: that takes longer than importing the module."""
    return {code: _escape(code) for code in HIDDEN}


@cache
def _hidden_by_escape() -> dict[str, str]:
    return {escape: chr(code) for code, escape in _shown().items()} | {_BACKSLASH: "\\"}


@cache
def _shown_in_json() -> dict[int, str]:
    return {code: _json_escape(code) for code in HIDDEN}


def _escape(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(code: int) -> str:
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


def _literal(match: re.Match[str]) -> str:
    """Text that looks like an escape: its backslash is escaped if `unshow` would take it for one."""
    return _BACKSLASH + match[0][1:] if match[0] in _hidden_by_escape() else match[0]


def _quick_json(value: object) -> str | None:
    """What the library's encoder makes of it, at twice the speed; None if that is not JSON, or too much for it."""
    try:
        return _ENCODER.encode(value)
    except (ValueError, RecursionError):
        return None


def _careful_json(value: object, indent: int | None) -> str:
    written: list[str] = []
    inside: set[int] = set()
    todo: list[_Part] = [(value, 0)]
    while todo:
        item, depth = todo.pop()
        if depth == _READY:
            written.append(str(item))
        elif depth == _LEFT:
            inside.discard(id(item))
        elif isinstance(item, dict | list | tuple):
            if id(item) in inside:
                raise ValueError("a value that holds itself has no JSON")
            inside.add(id(item))
            todo += ((item, _LEFT), *reversed(_parts(item, depth, indent)))
        else:
            written.append(_scalar(item))
    return "".join(written)


def _parts(item: _Container, depth: int, indent: int | None) -> list[_Part]:
    """A container as what stands in it one level down: ready text, and values that are yet to be written."""
    opening, closing = "{}" if isinstance(item, dict) else "[]"
    if not item:
        return [(opening + closing, _READY)]
    if indent is None or depth >= DEEPEST_INDENT:
        first, between, last = "", ", ", ""
    else:
        margin = " " * indent * depth
        first, last = f"\n{margin}{' ' * indent}", f"\n{margin}"
        between = f",{first}"
    parts: list[_Part] = []
    for key, child in item.items() if isinstance(item, dict) else enumerate(item):
        label = f"{_key(key)}: " if isinstance(item, dict) else ""
        parts += (((between if parts else opening + first) + label, _READY), (child, depth + 1))
    return [*parts, (last + closing, _READY)]


def _key(key: object) -> str:
    return _scalar(key if isinstance(key, str) else _scalar(key))


def _scalar(item: object) -> str:
    if isinstance(item, str):
        return encode_basestring(item)
    if item is None or isinstance(item, bool):
        return _WORDS[item]
    if isinstance(item, int):
        return _digits(item)
    if isinstance(item, float):
        return float.__repr__(item) if -_INFINITY < item < _INFINITY else "null"
    raise TypeError(f"a {type(item).__name__} has no JSON")


def _digits(number: int) -> str:
    try:
        return int.__repr__(number)
    except ValueError:  # Python refuses to write more than 4,300 digits
        from decimal import Decimal  # 2 ms

        return str(Decimal(number))
