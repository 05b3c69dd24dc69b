"""Replies of the plainest shape about which there is nothing to say: for who reads many, and wants the five keys.

Needs orjson, which takes 18 ms to import and validates three times as fast as the scanner of the standard library.
"""

from __future__ import annotations

import orjson

from reactcli.dialects import AUTO
from reactcli.loosejson import LENGTH_LIMIT, read_arguments
from reactcli.loosejson.strict import DEPTH_LIMIT
from reactcli.parser.checks import lookalikes
from reactcli.parser.plain import plain_step
from reactcli.source import is_plain_ascii

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def unremarkable_step(text: str) -> dict[str, Any] | None:
    """The five keys, if there is nothing else that `ReActAgentParser.parse` would say of the text; or None."""
    step = plain_step(text)
    if step is None or not (is_plain_ascii(text) or not any(lookalikes(text, AUTO))):
        return None
    given = step["action_input"]
    return step if not given or is_unremarkable(given) else None


def is_unremarkable(given: str) -> bool:
    """An action input is read without a diagnostic. May be False without cause, where finding out takes longer."""
    if given[0] not in "{[":
        return not read_arguments(given, 0, len(given)).diagnostics
    braces, colons = given.count("{"), given.count('":')
    if len(given) > LENGTH_LIMIT or braces + given.count("[") > DEPTH_LIMIT:
        return False
    if given.count(":") > colons and (" :" in given or "\t:" in given or "\n:" in given or "\r:" in given):
        return False
    try:
        value = orjson.loads(given)
    except orjson.JSONDecodeError:
        return False
    # every key has its `":`: if there are no more of them than keys were read, none was given twice
    return _count_keys(value, braces) == colons


def _count_keys(value: dict[str, Any] | list[Any], braces: int = 0) -> int:
    """The keys of all objects in a value; quick where they are as many as the braces that are written, and near."""
    count, inside = (len(value), value.values()) if isinstance(value, dict) else (0, value)
    if count and braces == 1:
        return count
    objects = [child for child in inside if isinstance(child, dict)]
    if count and braces == len(objects) + 1:
        return count + sum(map(len, objects))
    return count + sum(_count_keys(child) for child in inside if isinstance(child, dict | list))
