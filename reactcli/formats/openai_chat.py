"""Chat messages in OpenAI's shape: a list, `{"messages": […]}`, one conversation a line, or one message a line.

Read after the Chat Completions reference (November 2026) and real files: `tool_calls` with arguments as text or object,
the older `function_call`, `reasoning_content` and `reasoning` of other servers, tool messages without ids. In a
conversation without tool calls, ReAct text in `content` is parsed. Written: native tool calls, whose arguments must
be an object (plain text becomes `{"input": TEXT}`).
"""

from __future__ import annotations

import re

from reactcli.formats.events import answered, episodes_of, metas_of
from reactcli.formats.fields import (
    content_text,
    dict_at,
    dicts_in,
    input_of,
    is_object_text,
    kind_of,
    text_at,
    text_or_json,
    without,
)
from reactcli.formats.strict import encode
from reactcli.formats.turns import Call, Manner, Turn, steps_of
from reactcli.trace import Action

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from reactcli.formats.events import Event
    from reactcli.formats.loading import Content
    from reactcli.trace import Step, Trace

ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant", "tool": "result"}
ROLES |= dict.fromkeys(("observation", "tool_result", "tool_response", "ipython"), "result")
ROLES |= {"function": "result", "human": "user", "model": "assistant", "agent": "assistant", "exit": "user"}
ANTHROPIC_BLOCKS = {"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use"}
_REACT = re.compile(r"(?m)^[ \t]*+(?:Thought|Action|Observation|Final Answer)(?: \d+)?[ \t]*+:")
"""Tells the name of the format only: a chat without these labels is tried as ReAct text too."""
_KNOWN = frozenset({"role", "content", "tool_calls", "function_call", "tool_call_id", "name", "is_error"}) | {
    "reasoning_content",
    "reasoning",
    "refusal",
}
MANNERS = {
    "tools": Manner(chat=True),
    "chat": Manner(react=True, chat=True),
    "react": Manner(react=True, chat=True, spells=True),
}
_SAMPLED = 200
"""Messages that detection looks at; the first call of a long conversation comes early."""


def matches_tools(content: Content) -> bool:
    return _kind(content) == "tools"


def matches_react(content: Content) -> bool:
    return _kind(content) == "react"


def matches_chat(content: Content) -> bool:
    return _kind(content) == "chat"


def is_chat(messages: object) -> bool:
    """True for a list of messages, Anthropic's included: their blocks tell them apart. A few may be damaged."""
    return isinstance(messages, list) and sum(map(is_message, messages)) > len(messages) // 2


def is_message(message: object) -> bool:
    return (
        isinstance(message, dict)
        and str(message.get("role")) in ROLES
        and ("content" in message or "tool_calls" in message or "function_call" in message)
    )


def kind_of_chat(messages: list[dict[str, Any]]) -> str:
    """`anthropic`, `tools`, `react` or `chat`. Results alone are no calls: the texts that they answer spell them."""
    blocks = [block for message in messages for block in dicts_in(message.get("content"))]
    if any(block.get("type") in ANTHROPIC_BLOCKS for block in blocks if isinstance(block.get("type"), str)):
        return "anthropic"
    if any(_has_tools(message) for message in messages):
        return "tools"
    texts = (content_text(message.get("content")) for message in messages if ROLES.get(message["role"]) != "system")
    return "react" if any(text and _REACT.search(text) for text in texts) else "chat"


def conversations_in(content: Content) -> list[dict[str, Any]] | None:
    """The messages that detection may look at; None if this is no chat."""
    document = content.document
    if content.kind == "json":
        messages = document.get("messages") if isinstance(document, dict) else document
        if isinstance(messages, list) and is_chat(messages):
            return list(filter(is_message, messages[:_SAMPLED]))
        rows = document if isinstance(document, list) else []
    else:
        rows = content.head if content.kind == "jsonl" else []
    if is_chat(rows):
        return list(filter(is_message, rows))
    chats = [row["messages"] for row in rows if isinstance(row, dict) and is_chat(row.get("messages"))]
    if len(chats) > len(rows) // 2:
        return [message for chat in chats[:20] for message in chat if is_message(message)][:_SAMPLED]
    return None


def read(content: Content) -> Iterator[Event]:
    kind = _kind(content)
    if content.kind == "json" and isinstance(content.document, dict):
        yield from _conversation(content.document, content, kind)
    elif is_chat(content.head if content.kind == "jsonl" else content.document):
        turns = (turn for row in content.rows() for turn in turns_of(row.value, content, row.line))
        yield from steps_of(turns, content.notice, MANNERS[kind])
    else:
        for row in content.rows():
            yield from _conversation(row.value, content, kind, row.line)


def turns_of(message: object, content: Content, line: int = 0, place: int = 0) -> Iterator[Turn]:
    """The turn of one message; a finding, and a turn that is not read, if it is no message."""
    if not isinstance(message, dict) or ROLES.get(str(message.get("role"))) is None:
        yield unread(message, content, line, place)
        return
    role = ROLES[str(message["role"])]
    meta = without(message, _KNOWN)
    text = content_text(message.get("content"))
    if role == "assistant":
        thought = text_at(message, "reasoning_content", "reasoning")
        calls = list(_calls(message))
        if text is None and isinstance(message.get("refusal"), str):
            text = message["refusal"]
        yield Turn(role, text, thought=thought, calls=tuple(calls), meta=meta, line=line)
    elif role == "result":
        call_id = text_at(message, "tool_call_id")
        is_error = message.get("is_error") is True
        yield Turn(role, text, call_id=call_id, tool=text_at(message, "name"), is_error=is_error, meta=meta, line=line)
    else:
        yield Turn(role, text, meta=meta, line=line)


def unread(message: object, content: Content, line: int, place: int) -> Turn:
    """What stands for a damaged message, or one of an unknown role; it is kept."""
    where = f"line {line}" if line else f"message {place}" if place else ""
    kind = kind_of(message)
    if isinstance(message, dict):
        kind = f"one of the role '{message['role']}'" if "role" in message else "an object without a role"
    content.notice("not-a-record", where=where, what="a message", kind=kind)
    return Turn("unread", meta=message if isinstance(message, dict) else {"value": message}, line=line)


def write(trace: Trace) -> Iterator[str]:
    """One document for one episode, a line each for several."""
    for episode in map(answered, episodes_of(trace)):
        text = encode({"messages": list(messages_of(episode))})
        yield f"{text}\n"


def messages_of(trace: Trace) -> Iterator[dict[str, Any]]:
    """The messages of one episode."""
    system = trace.meta.get("system")
    for text in system if isinstance(system, list) else [] if system is None else [system]:
        yield {"role": "system", "content": text_or_json(text)}
    if trace.question is not None:
        yield {"role": "user", "content": trace.question}
    for number, (step, meta) in enumerate(zip(trace.steps, metas_of(trace), strict=True), start=1):
        yield from _step_messages(step, meta, number)


def actions_of(step: Step, meta: Any, number: int) -> list[Action]:
    """The calls of a step, each with an id: its own, or one made of the numbers of step and call.

    An observation that calls share, as text leaves open whose it is, is the last one's.
    """
    actions = list(step.parallel_actions)
    if actions and all(action.observation is None for action in actions):
        actions[-1] = actions[-1].replace(observation=step.observation)
    if not actions and step.action is not None:
        call_id = meta.get("call_id")
        is_error = meta.get("is_error") is True
        actions = [Action(step.action, step.action_input, step.arguments, step.observation, call_id, is_error)]
    return [
        action if isinstance(action.call_id, str) else action.replace(call_id=f"call_{number}_{place}")
        for place, action in enumerate(actions, start=1)
    ]


def object_of(action: Action) -> dict[str, Any]:
    """A call's input where a format demands an object: plain text becomes `{"input": TEXT}`, no input an empty one."""
    if isinstance(action.arguments, dict):
        return action.arguments
    return {} if action.action_input is None else {"input": action.action_input}


def _kind(content: Content) -> str:
    messages = conversations_in(content)
    return "" if messages is None else kind_of_chat(messages)


def _has_tools(message: dict[str, Any]) -> bool:
    return bool(message.get("tool_calls") or message.get("function_call")) or ROLES[message["role"]] == "result"


def _conversation(value: object, content: Content, kind: str, line: int = 0) -> Iterator[Event]:
    messages = value.get("messages") if isinstance(value, dict) else value
    if not isinstance(messages, list):
        kind_here = "no conversation" if isinstance(value, dict) else kind_of(value)
        content.notice("not-a-record", where=f"line {line}", what="a conversation", kind=kind_here)
        return
    turns = (turn for place, message in enumerate(messages, 1) for turn in turns_of(message, content, 0, place))
    meta = without(value, frozenset({"messages"})) if isinstance(value, dict) else {}
    yield from steps_of(turns, content.notice, MANNERS[kind], meta=meta)


def _calls(message: dict[str, Any]) -> Iterator[Call]:
    older = message.get("function_call")
    for call in [*dicts_in(message.get("tool_calls")), *([{"function": older}] if isinstance(older, dict) else [])]:
        function = dict_at(call, "function") or call
        yield Call(text_at(function, "name"), input_of(function.get("arguments")), text_at(call, "id"))


def _step_messages(step: Step, meta: Any, number: int) -> Iterator[dict[str, Any]]:
    actions = actions_of(step, meta, number)
    if step.is_final:
        message: dict[str, Any] = {"role": "assistant", "content": step.final_answer}
        if step.thought:
            message["reasoning_content"] = step.thought
    elif step.preamble:
        message = {"role": "assistant", "content": step.preamble, "reasoning_content": step.thought}
    else:
        message = {"role": "assistant", "content": step.thought if step.thought or not actions else None}
    if actions and not step.is_final:
        message["tool_calls"] = [_tool_call(action) for action in actions]
    yield message
    if step.is_final or not actions:
        yield from [] if step.observation is None else [{"role": "user", "content": step.observation}]
        return
    for action in actions:
        if action.observation is not None:
            result = {"role": "tool", "tool_call_id": action.call_id, "content": action.observation}
            yield result | ({"is_error": True} if action.is_error else {})
    yield from ({"role": "user", "content": text} for text in meta.get("user", []) if isinstance(text, str))


def _tool_call(action: Action) -> dict[str, Any]:
    text = action.action_input
    arguments = text if text is not None and is_object_text(text) else encode(object_of(action))
    return {"id": action.call_id, "type": "function", "function": {"name": action.action or "", "arguments": arguments}}
