"""ShareGPT conversations: `{"conversations": [{"from", "value"}]}`, in a list, alone, or one a line.

Read after LLaMA-Factory's data documentation and AgentInstruct's files (November 2026). `function_call` holds JSON of a
name and arguments; `observation` and `tool` answer it; other replies may spell ReAct as text (`Think:`, `Act:`). An
opening exchange that training leaves out (`"loss": false`) is the agent's setting, not its first step.
"""

from __future__ import annotations

from reactcli.formats.fields import dicts_in, input_of, kind_of, text_at, text_or_json, without
from reactcli.formats.strict import Decoder, JsonError
from reactcli.formats.turns import Call, Manner, Turn, steps_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from reactcli.formats.events import Event
    from reactcli.formats.loading import Content

_ROLES = {"human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant", "function_call": "assistant"}
_ROLES |= {"system": "system", **dict.fromkeys(("model", "chatgpt", "bing", "bard"), "assistant")}
_ROLES |= dict.fromkeys(("observation", "tool", "tool_response", "function_response"), "result")
_KNOWN = frozenset({"from", "value"})


def matches(content: Content) -> bool:
    rows = content.document if isinstance(content.document, list) else content.head
    return bool(rows) and all(map(_is_sharegpt, rows[:20]))


def read(content: Content) -> Iterator[Event]:
    for number, row in enumerate(content.rows(), start=1):
        if not _is_sharegpt(row.value):
            where = f"line {row.line}" if row.line else f"element {number}"
            content.notice("not-a-record", where=where, what="a conversation", kind=kind_of(row.value))
            continue
        said = row.value["conversations"]
        meta = without(row.value, frozenset({"conversations"}))
        if row.value.get("system") is not None:
            meta["system"] = [text_or_json(meta["system"])]
        setting = _setting(said)
        if setting:
            meta["setting"] = said[:setting]
        turns = [_turn(message, row.line) for message in said[setting:]]
        calls = any(turn.calls for turn in turns)
        yield from steps_of(turns, content.notice, Manner(react=not calls, chat=True), meta=meta)


def _is_sharegpt(row: object) -> bool:
    said = row.get("conversations") if isinstance(row, dict) else None
    return isinstance(said, list) and all(isinstance(turn, dict) and {"from", "value"} <= turn.keys() for turn in said)


def _setting(said: list[dict[str, Any]]) -> int:
    """2 if the first exchange is only the agent's setting."""
    replies = said[:4]
    is_setting = len(replies) > 3 and replies[1]["from"] == "gpt" and replies[1].get("loss") is False
    return 2 if is_setting and replies[2]["from"] == "human" else 0


def _turn(message: dict[str, Any], line: int) -> Turn:
    role = _ROLES.get(str(message["from"]), "user")
    text = text_or_json(message["value"]) if message["value"] is not None else None
    meta = without(message, _KNOWN)
    if message["from"] == "function_call":
        return Turn(role, calls=tuple(_calls(text or "")), meta=meta, line=line)
    return Turn(role, text, meta=meta, line=line)


def _calls(text: str) -> list[Call]:
    """The calls of a `function_call`: one object or a list of them; a text that is neither is a call without a name."""
    try:
        value = Decoder().decode(text)
    except JsonError:
        return [Call(None, input_of(text))]
    return [
        Call(text_at(call, "name", "action"), input_of(call.get("arguments", call.get("parameters"))))
        for call in dicts_in(value if isinstance(value, list) else [value])
    ]
