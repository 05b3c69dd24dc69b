"""What is said of tools: to models in a prompt, and to the APIs that take definitions.

A described tool is what `Toolbox.describe` gives: `name`, `description`, and `parameters` as a JSON schema.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any


def openai_definition(tool: Mapping[str, Any]) -> dict[str, Any]:
    """The entry of `tools` in a request for a chat completion."""
    return {"type": "function", "function": {key: tool[key] for key in ("name", "description", "parameters")}}


def prompt_block(tools: Iterable[Mapping[str, Any]]) -> str:
    """The tools for a ReAct prompt: a line with what each does, and below it a line for each parameter."""
    return "\n".join(line for tool in tools for line in _prompt_lines(tool))


def type_words(schema: Mapping[str, Any]) -> str:
    """What a parameter's schema admits, in few words: `integer`, `list of string`, `'m' or 'ft'`."""
    if "enum" in schema:
        return " or ".join(json.dumps(choice, ensure_ascii=False) for choice in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(type_words(member) for member in schema["anyOf"])
    items = schema.get("items")
    if schema.get("type") == "array" and isinstance(items, dict) and items:
        return f"list of {type_words(items)}"
    named = schema.get("type", "any")
    return " or ".join(map(str, named)) if isinstance(named, list) else str(named)


def parameter_lines(tool: Mapping[str, Any]) -> Iterator[str]:
    """`limit (integer, 3 unless given): how many lines to return`, for each parameter."""
    parameters = tool["parameters"]
    required = parameters.get("required") or ()
    for name, schema in (parameters.get("properties") or {}).items():
        words = [type_words(schema)] if isinstance(schema, dict) else ["any"]
        if name not in required:
            words.append(_default_words(schema))
        about = schema.get("description") if isinstance(schema, dict) else None
        yield f"{name} ({', '.join(words)})" + (f": {' '.join(str(about).split())}" if about else "")


def _prompt_lines(tool: Mapping[str, Any]) -> Iterator[str]:
    yield f"{tool['name']}: {' '.join(tool['description'].split())}".rstrip(": ")
    for line in parameter_lines(tool):
        yield f"    {line}"


def _default_words(schema: object) -> str:
    if not isinstance(schema, dict) or schema.get("default") is None:
        return "optional"
    return f"{json.dumps(schema['default'], ensure_ascii=False)} unless given"
