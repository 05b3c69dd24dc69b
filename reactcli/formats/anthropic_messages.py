"""Anthropic's messages: `{"model", "system", "messages"}` or the bare list, told from others by their blocks.

Read and written after the Messages reference (November 2026): `thinking`, `text` and `tool_use` blocks of the
assistant, `tool_result` blocks of the user. A signature cannot be made up, so that a written one is empty.
"""

from __future__ import annotations

from reactcli.formats.events import answered, episodes_of, metas_of
from reactcli.formats.fields import content_text, input_of, kind_of, text_at, text_or_json, without
from reactcli.formats.openai_chat import (
    MANNERS,
    ROLES,
    actions_of,
    conversations_in,
    is_chat,
    kind_of_chat,
    object_of,
    unread,
)
from reactcli.formats.strict import encode
from reactcli.formats.turns import Call, Turn, steps_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from reactcli.formats.events import Event
    from reactcli.formats.loading import Content
    from reactcli.trace import Action, Step, Trace

_KNOWN = frozenset({"role", "content"})


def matches(content: Content) -> bool:
    messages = conversations_in(content)
    return messages is not None and kind_of_chat(messages) == "anthropic"


def read(content: Content) -> Iterator[Event]:
    if content.kind == "json" and (isinstance(content.document, dict) or is_chat(content.document)):
        yield from _conversation(content.document, content)
    elif content.kind == "jsonl" and "messages" not in content.head[0]:
        turns = (turn for row in content.rows() for turn in turns_of(row.value, content, row.line))
        yield from steps_of(turns, content.notice, MANNERS["tools"])
    else:
        for row in content.rows():
            yield from _conversation(row.value, content)


def turns_of(message: object, content: Content, line: int = 0, place: int = 0) -> Iterator[Turn]:
    """The results and texts of a user's message, in their order, or the one turn of an assistant's."""
    role = ROLES.get(str(message.get("role"))) if isinstance(message, dict) else None
    if not isinstance(message, dict) or role is None:
        yield unread(message, content, line, place)
    elif role == "assistant":
        yield _assistant(message, line)
    elif isinstance(message.get("content"), list):
        yield from _user(message, role, line)
    else:
        yield Turn(role, content_text(message.get("content")), meta=without(message, _KNOWN), line=line)


def write(trace: Trace) -> Iterator[str]:
    """One document for one episode, a line each for several."""
    for episode in map(answered, episodes_of(trace)):
        system = episode.meta.get("system")
        texts = system if isinstance(system, list) else [] if system is None else [system]
        document: dict[str, Any] = {"system": "\n\n".join(map(text_or_json, texts))} if texts else {}
        document["messages"] = list(_messages(episode))
        yield f"{encode(document)}\n"


def _conversation(value: Any, content: Content) -> Iterator[Event]:
    messages = value.get("messages") if isinstance(value, dict) else value
    if not isinstance(messages, list):
        content.notice("not-a-record", what="a conversation", kind=kind_of(value))
        return
    meta = without(value, frozenset({"messages", "system"})) if isinstance(value, dict) else {}
    if isinstance(value, dict) and value.get("system") is not None:
        meta["system"] = [content_text(value["system"])]
    turns = (turn for place, message in enumerate(messages, 1) for turn in turns_of(message, content, 0, place))
    yield from steps_of(turns, content.notice, MANNERS["tools"], meta=meta)


def _assistant(message: dict[str, Any], line: int) -> Turn:
    blocks = message.get("content")
    if not isinstance(blocks, list):
        return Turn("assistant", content_text(blocks), meta=without(message, _KNOWN), line=line)
    thoughts, texts, calls, others = [], [], [], []
    for block in blocks:
        kind = str(block.get("type")) if isinstance(block, dict) else ""
        if kind == "thinking":
            thoughts.append(text_at(block, "thinking") or "")
        elif kind in {"tool_use", "server_tool_use"}:
            calls.append(Call(text_at(block, "name"), input_of(block.get("input")), text_at(block, "id")))
        elif kind == "text" or isinstance(block, str):
            texts.append(content_text([block]) or "")
        else:
            others.append(block)
    meta = without(message, _KNOWN) | ({"blocks": others} if others else {})
    thought = "\n".join(thoughts) if thoughts else None
    return Turn(
        "assistant", "\n".join(texts) if texts else None, thought=thought, calls=tuple(calls), meta=meta, line=line
    )


def _user(message: dict[str, Any], role: str, line: int) -> Iterator[Turn]:
    texts: list[object] = []
    for block in message["content"]:
        if isinstance(block, dict) and block.get("type") == "tool_result":
            call_id = text_at(block, "tool_use_id")
            is_error = block.get("is_error") is True
            yield Turn("result", content_text(block.get("content")), call_id=call_id, is_error=is_error, line=line)
        else:
            texts.append(block)
    if texts:
        yield Turn(role, content_text(texts), meta=without(message, _KNOWN), line=line)


def _messages(trace: Trace) -> Iterator[dict[str, Any]]:
    if trace.question is not None:
        yield {"role": "user", "content": [{"type": "text", "text": trace.question}]}
    for number, (step, meta) in enumerate(zip(trace.steps, metas_of(trace), strict=True), start=1):
        actions = [] if step.is_final else actions_of(step, meta, number)
        if blocks := _assistant_blocks(step, actions):
            yield {"role": "assistant", "content": blocks}
        results = [_result(action) for action in actions if action.observation is not None]
        said = [text for text in meta.get("user", []) if isinstance(text, str)]
        if not actions and step.observation is not None:
            said.append(step.observation)
        if results or said:
            yield {"role": "user", "content": [*results, *({"type": "text", "text": text} for text in said)]}


def _assistant_blocks(step: Step, actions: list[Action]) -> list[dict[str, Any]]:
    thinks = step.is_final or bool(step.preamble)
    blocks: list[dict[str, Any]] = []
    if step.thought and thinks:
        blocks.append({"type": "thinking", "thinking": step.thought, "signature": ""})
    text = step.final_answer if step.is_final else step.preamble or step.thought
    if text:
        blocks.append({"type": "text", "text": text})
    for action in actions:
        use = {"type": "tool_use", "id": action.call_id, "name": action.action or "", "input": object_of(action)}
        blocks.append(use)
    return blocks


def _result(action: Action) -> dict[str, Any]:
    result = {"type": "tool_result", "tool_use_id": action.call_id, "content": action.observation}
    return result | ({"is_error": True} if action.is_error else {})
