"""A tool's input that is no JSON: what models wrap around text, and arguments that they spell out in it.

    pairs = pair { (',' | ';' | line end) pair }       pair = name '=' value       value = literal | bare text
    call  = tool '(' [ pairs | literals ] ')'

Text is taken for pairs or a call only where nothing else can be meant: every name is a parameter, and none comes twice.
"""

from __future__ import annotations

import re

from reactcli.loosejson import read_call, read_value
from reactcli.patterns import pattern
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_KEY = pattern(r"\s*+([^\W\d]\w{0,99}+)[ \t]*+=(?!=)[ \t]*+")
_NEXT = pattern(r"[ \t]{0,20}+[,;\r\n]\s{0,200}+(?=[^\W\d]\w{0,99}+[ \t]*+=(?!=))")
_FENCE = pattern(r"(`{3,}|~{3,})[^`\r\n]{0,100}(?:\r\n?|\n)")
_NUMBER = pattern(r"""(?<![\w."'])-?[0-9]{1,400}(?:\.[0-9]{1,4300})?(?:[eE][+-]?[0-9]{1,4})?(?![\w."'])""")
_LITERAL = "\"'[{0123456789-"


class Spelt(Value):
    """What an input spells out, or why it was kept as text."""

    arguments: dict[str, Any] | list[Any] | None = None
    note: str = ""


def spelt(text: str, tool: str, names: Iterable[str]) -> Spelt:
    """The arguments in an input, by name or position; none if it is plain text, with a note if it looks like a call."""
    known = frozenset(names)
    body = text.strip()
    inner = _within_call(body, tool)
    if inner is not None and not inner.strip():
        return Spelt({}, "a call without arguments was read as no input")
    if inner is not None:
        reading = read_call(inner, 0, len(inner))
        value = reading.value
        whole = reading.found and not reading.truncated
        if whole and (isinstance(value, list) or (isinstance(value, dict) and value.keys() - {"*"} <= known)):
            return Spelt(value, "a call in the input was read as its arguments")
    pairs = _pairs(body if inner is None else inner, known)
    if pairs:
        return Spelt(pairs, "name=value pairs in the input were read as arguments")
    first = _KEY.match(body)
    if inner is not None or (first is not None and first[1] in known):
        return Spelt(note="the input looks like a call, and is ambiguous: it was taken as text")
    return Spelt()


def unwrapped(text: str) -> Spelt:
    """Text without the code fence, or the one pair of backticks or quotes, that encloses it: the list has one item."""
    body = text.strip()
    fence = _FENCE.match(body)
    if fence is not None and body.endswith(fence[1]) and len(body) >= fence.end() + len(fence[1]):
        inner = body[fence.end() : -len(fence[1])]
        if fence[1][:3] not in inner and (not inner or inner[-1] in "\r\n"):
            return Spelt([inner.removesuffix("\n").removesuffix("\r")], "the code fence around the input was taken off")
    if len(body) > 2 and body[0] == body[-1] == "`" and "`" not in body[1:-1]:
        return Spelt([body[1:-1]], "the backticks around the input were taken off")
    if len(body) >= 2 and body[0] == body[-1] and body[0] in "\"'" and body[0] not in body[1:-1]:
        return Spelt([body[1:-1]])
    return Spelt([text])


def exact(arguments: Any, text: str) -> Any:
    """The arguments, their numbers with the digits that the text has for them: none if it does not tell."""
    spellings: dict[float, set[str]] = {}
    for number in _NUMBER.finditer(text):
        spellings.setdefault(float(number[0]), set()).add(number[0])
    return _respelt(arguments, spellings)


class Exact(float):
    """A number with the digits that it was written with; none if they are not known."""

    __slots__ = ("digits",)
    digits: str


def _respelt(value: Any, spellings: dict[float, set[str]]) -> Any:
    if isinstance(value, dict):
        return {key: _respelt(each, spellings) for key, each in value.items()}
    if isinstance(value, list):
        return [_respelt(each, spellings) for each in value]
    if type(value) is not float:
        return value
    found = spellings.get(value, set())
    number = Exact(value)
    number.digits = next(iter(found)) if len(found) == 1 else ""
    return number


def _within_call(text: str, tool: str) -> str | None:
    """What stands between the parentheses of a call of the tool that is the whole text."""
    if not tool or not text.startswith(tool):
        return None
    rest = text[len(tool) :].lstrip(" \t").rstrip(";")
    return rest[1:-1] if len(rest) >= 2 and rest[0] == "(" and rest[-1] == ")" else None


def _pairs(text: str, known: frozenset[str]) -> dict[str, Any]:
    """All pairs of a text; empty if it is not made of pairs, or not of these names, each once."""
    pairs: dict[str, Any] = {}
    at = 0
    while at < len(text):
        key = _KEY.match(text, at)
        if key is None or key[1] not in known or key[1] in pairs:
            return {}
        value, at = _pair_value(text, key.end())
        if isinstance(value, str) and _is_ambiguous(value, known):
            return {}
        pairs[key[1]] = value
    return pairs


def _pair_value(text: str, at: int) -> tuple[Any, int]:
    """The value at `at`, and where the next pair begins."""
    if text[at : at + 1] in _LITERAL:
        reading = read_value(text, at, len(text))
        following = _NEXT.match(text, reading.end)
        if reading.found and not reading.truncated and (following or not text[reading.end :].strip(" \t\r\n,;")):
            return reading.value, following.end() if following else len(text)
    following = _NEXT.search(text, at)
    return text[at : following.start() if following else len(text)].strip(), following.end() if following else len(text)


def _is_ambiguous(value: str, known: frozenset[str]) -> bool:
    """Bare text over several lines, or with another pair in it behind a blank, may be meant as a whole."""
    return "\n" in value or any(re.search(rf"\b{re.escape(name)}[ \t]*=", value) for name in known)
