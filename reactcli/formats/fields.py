"""Strangers' JSON turned into our types: the text of a content, the input of a call, one step of named fields.

What does not fit is kept as JSON text and reported; nothing raises.
"""

from __future__ import annotations

from reactcli.formats.strict import Decoder, JsonError, encode
from reactcli.loosejson import read_arguments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from reactcli.diagnostics import Diagnostic

KINDS = {dict: "an object", list: "a list", str: "a text", bool: "a truth value", int: "a number", float: "a number"}
_LITERALS = "tfnTFNIiuUrRbB"
"""First letters of the words and prefixes that may begin a value."""
_strict = Decoder()


def kind_of(value: object) -> str:
    return KINDS.get(type(value), "null")


def content_text(content: object) -> str | None:
    """The text of a message or result: a string, a list of parts, or null. A part that is no text is named only."""
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(part for part in map(_part_text, content) if part is not None)
    return encode(content)


def text_or_json(value: object) -> str:
    return value if isinstance(value, str) else encode(value)


def text_at(record: dict[str, Any], *keys: str) -> str | None:
    """The first of some fields that is there, as text."""
    for key in keys:
        if record.get(key) is not None:
            return text_or_json(record[key])
    return None


def dict_at(record: object, *path: str) -> dict[str, Any]:
    """The object at the end of a path of keys, or an empty one."""
    for key in path:
        record = record.get(key) if isinstance(record, dict) else None
    return record if isinstance(record, dict) else {}


def dicts_in(value: object) -> list[dict[str, Any]]:
    """The objects of a list; an empty list for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def without(record: dict[str, Any], known: frozenset[str]) -> dict[str, Any]:
    """What a record says beside the fields that are read: for `meta`."""
    return {key: value for key, value in record.items() if key not in known}


class Input:
    """An action's input as it was recorded: its text, its parsed arguments, and what was odd."""

    __slots__ = ("arguments", "diagnostics", "text", "truncated")

    def __init__(
        self,
        text: str | None,
        arguments: Any = None,
        diagnostics: tuple[Diagnostic, ...] = (),
        *,
        truncated: bool = False,
    ) -> None:
        self.text = text
        self.arguments = arguments
        self.diagnostics = diagnostics
        self.truncated = truncated


def input_of(value: object) -> Input:
    """An object is kept as its JSON text; text is read for arguments, as the parser reads an action's input."""
    if value is None:
        return Input(None)
    if not isinstance(value, str):
        return Input(encode(value), value)
    if value[:1].isalpha() and value[0] not in _LITERALS and "(" not in value and "`" not in value:
        return Input(value)  # plain words are the most frequent input, and spell no value
    return _read(value)


def is_object_text(text: str) -> bool:
    """True if a text is strict JSON of an object, with nothing odd about it."""
    if not text.lstrip().startswith("{"):
        return False
    try:
        return isinstance(_strict.decode(text), dict) and not _strict.notes
    except JsonError:
        return False


def _read(text: str) -> Input:
    if text[:1] in {"{", "["}:
        try:
            value = _strict.decode(text)
        except JsonError:
            pass
        else:
            if not _strict.notes:
                return Input(text, value)
    reading = read_arguments(text, 0, len(text))
    value = reading.value if reading.found else None
    return Input(text, value, reading.diagnostics, truncated=reading.truncated)


def _part_text(part: object) -> str | None:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return encode(part)
    for key in ("text", "content"):
        if isinstance(part.get(key), str):
            return str(part[key])
    kind = part.get("type")
    return f"[{kind if isinstance(kind, str) else 'part'}]"
