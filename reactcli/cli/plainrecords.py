"""A fast lane for JSON Lines whose texts are of the plainest shape: read with orjson, printed without a detour.

The lane gives None wherever it is not sure, and the line goes the general way: a property test holds both together.
Measured on records of 2 kB: 14 us where the general way takes 60.
"""

from __future__ import annotations

import orjson

from reactcli.cli.records import FIELDS
from reactcli.parser.unremarkable import unremarkable_step
from reactcli.render.sanitise import json_text, visible_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from reactcli.render import Safe

    Lane = Callable[[int, bytes], Safe | None]
    """From number and content of a line to what is printed of it."""

MOST_BRACKETS = 200
"""Readers differ in how deep they go, but not below this."""


def lane(field: str | None, labels: dict[str, Any]) -> Lane:
    """The lane for records with their text in `field`, or in the first of `FIELDS` that is there."""
    names = (field,) if field is not None else FIELDS
    opening = json_text({**labels, "line": 0})[:-2]

    def printed(number: int, content: bytes) -> Safe | None:
        try:
            record = orjson.loads(content)
        except orjson.JSONDecodeError:
            return None
        if not isinstance(record, dict):
            return None
        id_ = record.get("id")
        for name in names:
            text = record.get(name)
            if text is not None:
                break
        else:
            return None
        # a number with a fraction may have been an integer of many digits
        if not isinstance(text, str) or not (id_ is None or isinstance(id_, str | int)) or _is_deep(content, text):
            return None
        step = unremarkable_step(text)
        if step is None:
            return None
        thought = _json(step["thought"])
        if step["is_final"]:
            rest = f'null, "action_input": null, "final_answer": {_json(step["final_answer"])}, "is_final": true'
        else:
            action, given = _json(step["action"]), _json(step["action_input"])
            rest = f'{action}, "action_input": {given}, "final_answer": null, "is_final": false'
        id_json = "null" if id_ is None else _json(id_)
        return visible_json(
            f'{opening}{number}, "id": {id_json}, "thought": {thought}, "action": {rest}, "diagnostics": []}}\n'
        )

    return printed


def _is_deep(content: bytes, text: str) -> bool:
    """There may be more brackets beside the text than every reader follows."""
    return len(content) > len(text) + MOST_BRACKETS and content.count(b"[") + content.count(b"{") > MOST_BRACKETS


def _json(value: str | int) -> str:
    return orjson.dumps(value).decode()
