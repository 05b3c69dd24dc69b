"""What is said of tools: to models in a prompt, and to the APIs that take definitions.

A described tool is what `Toolbox.describe` gives: `name`, `description`, and `parameters` as a JSON schema.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any


DEPTH = 5
"""How deep words follow a schema: deeper is read by nobody."""


def openai_definition(tool: Mapping[str, Any]) -> dict[str, Any]:
    """The entry of `tools` in a request for a chat completion."""
    return {"type": "function", "function": {key: tool[key] for key in ("name", "description", "parameters")}}


def prompt_block(tools: Iterable[Mapping[str, Any]]) -> str:
    """The tools for a ReAct prompt: a line with what each does, and below it a line for each parameter."""
    return "\n".join(line for tool in tools for line in _prompt_lines(tool))


def type_words(schema: Mapping[str, Any], depth: int = DEPTH) -> str:
    """What a parameter's schema admits, in few words: `integer`, `list of string`, `"m" or "ft"`, `{x: number}`.

    Optional fields of an object have a question mark.
    """
    if depth == 0:
        return "any"
    if "enum" in schema:
        return " or ".join(json.dumps(choice, ensure_ascii=False) for choice in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(type_words(member, depth - 1) for member in schema["anyOf"])
    named = schema.get("type", "object" if "$ref" in schema else "any")
    if named in ("array", "object"):
        return (_list_words if named == "array" else _object_words)(schema, depth - 1)
    kind = schema.get("format")
    if isinstance(kind, str):
        return f"{kind} {named}"
    return " or ".join(map(str, named)) if isinstance(named, list) else str(named)


def _list_words(schema: Mapping[str, Any], depth: int) -> str:
    first, items = schema.get("prefixItems"), schema.get("items")
    if isinstance(first, list):
        return f"[{', '.join(type_words(item, depth) for item in first)}]"
    if not isinstance(items, dict) or not items:
        return "array"
    words = type_words(items, depth)
    return f"list of ({words})" if " or " in words else f"list of {words}"


def _object_words(schema: Mapping[str, Any], depth: int) -> str:
    fields, others = schema.get("properties"), schema.get("additionalProperties")
    if isinstance(fields, dict) and fields:
        required = schema.get("required") or ()
        marked = (
            f"{name}{'' if name in required else '?'}: {type_words(field, depth)}" for name, field in fields.items()
        )
        return f"{{{', '.join(marked)}}}"
    return f"object of {type_words(others, depth)}" if isinstance(others, dict) and others else "object"


def parameter_lines(tool: Mapping[str, Any]) -> Iterator[str]:
    """`limit (integer, 3 unless given): how many lines to return`, for each parameter, and what else it takes."""
    parameters = tool["parameters"]
    required = parameters.get("required") or ()
    for name, schema in (parameters.get("properties") or {}).items():
        words = [type_words(schema)] if isinstance(schema, dict) else ["any"]
        if name not in required:
            words.append(_default_words(schema))
        about = schema.get("description") if isinstance(schema, dict) else None
        yield f"{name} ({', '.join(words)})" + (f": {' '.join(str(about).split())}" if about else "")
    others = parameters.get("additionalProperties")
    if others is True or (isinstance(others, dict) and tool["parameters"].get("type") == "object"):
        yield f"further arguments by name ({type_words(others) if isinstance(others, dict) else 'any'}, optional)"


def _prompt_lines(tool: Mapping[str, Any]) -> Iterator[str]:
    yield f"{tool['name']}: {' '.join(tool['description'].split())}".rstrip(": ")
    for line in parameter_lines(tool):
        yield f"    {line}"


def _default_words(schema: object) -> str:
    if not isinstance(schema, dict) or schema.get("default") is None:
        return "optional"
    return f"{json.dumps(schema['default'], ensure_ascii=False)} unless given"
