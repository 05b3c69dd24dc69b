"""SWE-agent's `.traj`: one object with `trajectory`, `history`, `info` and `replay_config`.

An action is a line of shell text: the tool is its first word, the input the rest. The submission is the final answer
of the trace, not a step. A demonstration has only `history`, where calls are recorded natively too. The prompts that
some versions repeat at each step (`query`, `messages`) are left out: they are the largest part of such a file. Read
after SWE-agent 0.7 to 1.1 (November 2026).
"""

from __future__ import annotations

from reactcli.formats.events import Closing, Opening, Recorded
from reactcli.formats.fields import Input, content_text, dict_at, dicts_in, kind_of, text_at, without
from reactcli.formats.openai_chat import turns_of
from reactcli.formats.turns import Call, Turn, steps_of
from reactcli.trace import Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from reactcli.formats.events import Event
    from reactcli.formats.loading import Content

_STEP = frozenset({"action", "observation", "thought", "response", "query", "messages"})
_TOP = frozenset({"trajectory", "history", "info"})
_MESSAGE = frozenset({"role", "content", "tool_calls", "tool_call_ids", "name", "reasoning_content"})


def matches(content: Content) -> bool:
    document = content.document
    if content.kind != "json" or not isinstance(document, dict):
        return False
    steps = dicts_in(document.get("trajectory"))
    if steps and {"action", "observation", "response"} <= steps[0].keys():
        return True
    return any("message_type" in message or "agent" in message for message in dicts_in(document.get("history")))


def read(content: Content) -> Iterator[Event]:
    document = content.document
    info = dict_at(document, "info")
    meta = without(document, _TOP) | ({"info": info} if info else {})
    closing = _closing(info)
    if isinstance(document.get("trajectory"), list):
        question = _question(document)
        yield Opening(1, question, meta)
        for place, record in enumerate(document["trajectory"]):
            if isinstance(record, dict):
                yield _recorded(record, question if place == 0 else None)
            else:
                content.notice("not-a-record", where=f"step {place + 1}", what="an object", kind=kind_of(record))
    else:
        turns = (turn for message in dicts_in(document.get("history")) for turn in _turns(message, content))
        yield from steps_of(turns, content.notice, meta=meta)
    yield closing


def command_of(command: str) -> tuple[str | None, str | None]:
    """Tool and input of a shell command: its first word and the rest. No action for an empty command."""
    name, *rest = command.strip().split(None, 1)[:2] or [""]
    return (name, rest[0] if rest else "") if name else (None, None)


def _closing(info: dict[str, Any]) -> Closing:
    exit_status = text_at(info, "exit_status")
    status = "finished" if exit_status is not None and exit_status.startswith("submitted") else exit_status
    return Closing(status, text_at(info, "submission"))


def _recorded(record: dict[str, Any], question: str | None) -> Recorded:
    name, text = command_of(text_at(record, "action") or "")
    step = Step(
        thought=text_at(record, "thought") or "",
        action=name,
        action_input=text,
        observation=content_text(record.get("observation")),
        question=question,
    )
    meta = without(record, _STEP)
    response = text_at(record, "response")
    return Recorded(step, meta | ({"llm_output": response} if response not in {None, step.thought} else {}))


def _question(document: dict[str, Any]) -> str | None:
    """The first thing that a user said, in the history or in the first step's prompt."""
    first = next(iter(dicts_in(document.get("trajectory"))), {})
    for messages in (document.get("history"), first.get("query"), first.get("messages")):
        for message in dicts_in(messages):
            if message.get("role") == "user" and message.get("is_demo") is not True:
                return content_text(message.get("content"))
    return None


def _turns(message: dict[str, Any], content: Content) -> Iterator[Turn]:
    """The turn of a message; an `action` says in the same words as a trajectory what the native call does."""
    for turn in turns_of(_plain(message), content):
        name, text = command_of(text_at(message, "action") or "")
        if turn.role == "assistant" and name is not None:
            call_id = turn.calls[0].call_id if turn.calls else None
            yield turn.replace(calls=(Call(name, Input(text), call_id),))
        else:
            yield turn


def _plain(message: dict[str, Any]) -> dict[str, Any]:
    """A message of a demonstration as a chat message: its results name their call in a list."""
    ids = message.get("tool_call_ids")
    plain = {key: value for key, value in message.items() if key in _MESSAGE}
    answers = isinstance(ids, list) and bool(ids) and plain.get("role") == "tool"
    plain.pop("tool_call_ids", None)
    return plain | {"tool_call_id": ids[0]} if answers and isinstance(ids, list) else plain
