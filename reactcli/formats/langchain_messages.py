"""LangChain messages: `messages_to_dict`, `model_dump`, serialised constructors and `repr` texts; LangGraph's streams.

A container is a list, `{"messages": […]}`, or a line of a LangGraph stream: `{node: {"messages": […]}}` of
`stream_mode="updates"`, or the whole state of `"values"`, of which the last line counts. Constructors (`"lc": 1`) are
read as the data they are and never built. Read after langchain-core 1.x and langgraph 1.x (November 2026).
"""

from __future__ import annotations

from reactcli.formats.fields import content_text, dict_at, dicts_in, input_of, kind_of, text_at, without
from reactcli.formats.langchain_steps import fields_of
from reactcli.formats.turns import Call, Manner, Turn, steps_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from reactcli.formats.events import Event
    from reactcli.formats.loading import Content

_ROLES = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant", "tool": "result", "system": "system"}
_ROLES |= {"function": "result", "chat": "assistant", "developer": "system"}
_CLASSES = {"HumanMessage": "human", "AIMessage": "ai", "AIMessageChunk": "ai", "ToolMessage": "tool"}
_CLASSES |= {"SystemMessage": "system", "FunctionMessage": "function", "ChatMessage": "chat"}
_REPEATED = frozenset({"tool_use", "tool_call", "function_call", "input_json_delta", "thinking", "reasoning"})
"""Types of parts that say what `tool_calls` say, or are the thought."""
_EMPTY = frozenset({"additional_kwargs", "response_metadata", "example", "name", "artifact"})
_KNOWN = frozenset({"content", "type", "tool_calls", "invalid_tool_calls", "tool_call_id", "status"})


def matches(content: Content) -> bool:
    if content.kind == "json":
        document = content.document
        return _is_messages(document.get("messages") if isinstance(document, dict) else document)
    return content.kind == "jsonl" and (_is_messages(content.head) or all(map(_holds_messages, content.head)))


def matches_updates(content: Content) -> bool:
    return content.kind == "jsonl" and all(map(_is_update, content.head))


def read(content: Content) -> Iterator[Event]:
    document = content.document
    if content.kind == "jsonl" and all(map(_holds_messages, content.head)):
        for row in content.rows():  # LangGraph's `stream_mode="values"`: each line repeats all that was said before
            document = row.value if _holds_messages(row.value) else document
    elif content.kind == "jsonl":
        turns = (turn for row in content.rows() for turn in turns_of(row.value, content, row.line))
        yield from steps_of(turns, content.notice, Manner(chat=True))
        return
    messages = document["messages"] if isinstance(document, dict) else document
    if all(isinstance(message, str) for message in messages):
        messages = _with_roles([fields_of(message) for message in messages])
    meta = without(document, frozenset({"messages"})) if isinstance(document, dict) else {}
    turns = (turn for message in messages for turn in turns_of(message, content))
    yield from steps_of(turns, content.notice, Manner(chat=True), meta=meta)


def read_updates(content: Content) -> Iterator[Event]:
    yield from steps_of(_updated_turns(content), content.notice, Manner(chat=True))


def turns_of(message: object, content: Content, line: int = 0) -> Iterator[Turn]:
    """The turn of one message, whichever way it was written."""
    fields = _fields(message)
    role = _ROLES.get(str(fields.get("type")))
    if role is None:
        content.notice("not-a-record", where=f"line {line}" if line else "", what="a message", kind=kind_of(message))
        return
    content_parts, reasoning = _content(fields.get("content"))
    text = content_text(content_parts)
    meta = {key: value for key, value in without(fields, _KNOWN).items() if value or key not in _EMPTY}
    if role == "assistant":
        calls = [_call(call) for call in dicts_in(fields.get("tool_calls"))]
        calls += [_call(call) for call in dicts_in(fields.get("invalid_tool_calls"))]
        thought = reasoning or text_at(dict_at(fields, "additional_kwargs"), "reasoning_content")
        yield Turn(role, text or None, thought=thought, calls=tuple(calls), meta=meta, line=line)
    elif role == "result":
        is_error = fields.get("status") == "error"
        call_id, tool = text_at(fields, "tool_call_id"), text_at(fields, "name")
        yield Turn(role, text, call_id=call_id, tool=tool, is_error=is_error, line=line)
    else:
        yield Turn(role, text, line=line)


def _is_messages(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_message, value[:50]))


def _is_message(value: object) -> bool:
    if isinstance(value, str):
        return value.startswith("content=")
    if not isinstance(value, dict):
        return False
    if value.get("lc") == 1:
        return str(value.get("type")) in {"constructor", "not_implemented"} and _class_of(value) in _CLASSES
    return str(value.get("type")) in _ROLES and (isinstance(value.get("data"), dict) or "content" in value)


def _is_update(row: object) -> bool:
    return isinstance(row, dict) and 0 < len(row) <= 3 and any(map(_holds_messages, row.values()))


def _holds_messages(state: object) -> bool:
    return isinstance(state, dict) and _is_messages(state.get("messages"))


def _class_of(value: dict[str, Any]) -> str:
    path = value.get("id")
    return str(path[-1]) if isinstance(path, list) and path else ""


def _fields(message: object) -> dict[str, Any]:
    """One flat object for all ways."""
    if not isinstance(message, dict):
        return {}
    if message.get("lc") == 1:
        return {"type": _CLASSES.get(_class_of(message))} | dict_at(message, "kwargs")
    return {"type": message.get("type")} | message["data"] if isinstance(message.get("data"), dict) else message


def _content(content: object) -> tuple[object, str | None]:
    """The content without parts that repeat the calls, and the reasoning among its parts."""
    if not isinstance(content, list):
        return content, None
    reasoning = [text_at(part, "thinking", "reasoning") for part in dicts_in(content)]
    told = [text for text in reasoning if text is not None]
    kept = [part for part in content if not isinstance(part, dict) or str(part.get("type")) not in _REPEATED]
    return kept, "\n".join(told) if told else None


def _with_roles(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A `repr` does not name its class: told by fields that only one has, else by what stands before."""
    kinds = [_kind_of_repr(fields) for fields in messages]
    first_reply = kinds.index("ai") if "ai" in kinds else 1
    for place, kind in enumerate(kinds):
        if not kind:
            is_reply = place >= first_reply and kinds[place - 1] in {"human", "tool"}
            kinds[place] = "ai" if is_reply else "human"
    return [{"type": kind} | fields for kind, fields in zip(kinds, messages, strict=True)]


def _kind_of_repr(fields: dict[str, Any]) -> str:
    if "tool_call_id" in fields:
        return "tool"
    run = str(fields.get("id", "")).startswith(("run-", "lc_run-"))
    return (
        "ai" if run or "usage_metadata" in fields or fields.get("tool_calls") or fields.get("response_metadata") else ""
    )


def _call(call: dict[str, Any]) -> Call:
    return Call(text_at(call, "name"), input_of(call.get("args")), text_at(call, "id"))


def _updated_turns(content: Content) -> Iterator[Turn]:
    for row in content.rows():
        states = row.value.values() if isinstance(row.value, dict) else []
        for state in states:
            messages = state.get("messages") if isinstance(state, dict) else None
            for message in messages if isinstance(messages, list) else []:
                yield from turns_of(message, content, row.line)
