"""Tools as a prompt describes them: what each does, its parameters, what it returns, its limit, and a call of it.

A described tool is what `Toolbox.describe` gives: `name`, `description`, `parameters` as a JSON schema, and perhaps
`returns` and `timeout`. A description may come from anywhere: it is indented, so that no line of it reads as a label.
"""

from __future__ import annotations

import json

from reactcli.tools.descriptions import type_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from reactcli.prompt.styles import Style
    from reactcli.prompt.words import Words

_VALUES: dict[str, Any] = {"integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}, "null": None}


def described(tools: Iterable[Mapping[str, Any]], words: Words, style: Style) -> str:
    return "\n\n".join("\n".join(_lines(tool, words, style)) for tool in tools) or words.no_tools


def _lines(tool: Mapping[str, Any], words: Words, style: Style) -> Iterator[str]:
    first, *others = str(tool.get("description") or "").splitlines() or [""]
    yield f"{tool['name']}: {first}".rstrip(": ")
    yield from (f"  {line}".rstrip() for line in others if line.strip())
    parameters = _mapping(tool.get("parameters"))
    required = _list(parameters.get("required"))
    properties = _mapping(parameters.get("properties"))
    for name, schema in properties.items():
        yield f"  - {_parameter(name, _mapping(schema), words, is_required=name in required)}"
    if tool.get("returns"):
        yield f"  {words.returns.format(text=' '.join(str(tool['returns']).split()))}"
    if isinstance(tool.get("timeout"), int | float):
        yield f"  {words.limit.format(seconds=tool['timeout'])}"
    yield f"  {words.example}"
    call = style.call(str(tool["name"]), _sample(properties, required))
    yield from (f"    {line}" for line in call.splitlines())


def _parameter(name: str, schema: Mapping[str, Any], words: Words, *, is_required: bool) -> str:
    need = words.required if is_required else words.optional
    if not is_required and schema.get("default") is not None:
        need = words.default.format(value=json.dumps(schema["default"], ensure_ascii=False))
    about = " ".join(str(schema.get("description") or "").split())
    return f"{name} ({_type(schema)}, {need})" + (f": {about}" if about else "")


def _sample(properties: Mapping[str, Any], required: Iterable[str]) -> dict[str, Any]:
    """Arguments of the right types: all that are required, or the first if none is."""
    names = [name for name in properties if name in required] or list(properties)[:1]
    return {name: _value(_mapping(properties[name])) for name in names}


def _value(schema: Mapping[str, Any]) -> Any:
    if schema.get("default") is not None:
        return schema["default"]
    for key in ("examples", "enum"):
        if values := _list(schema.get(key)):
            return values[0]
    members = _list(schema.get("anyOf"))
    if members:
        return _value(_mapping(members[0]))
    return _VALUES.get(str(schema.get("type")), "…")


def _type(schema: Mapping[str, Any]) -> str:
    try:
        return type_words(schema)
    except (TypeError, AttributeError):  # no schema at all, which a recording may hold
        return "any"


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _mapping(value: object) -> Mapping[str, Any]:
    """Schemas come from tools, and a recording's from anywhere."""
    return value if isinstance(value, dict) else {}
