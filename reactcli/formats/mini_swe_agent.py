"""mini-swe-agent's `.traj.json`: chat messages with an `extra`; before version 1 the bare list.

Each reply runs one or more shell commands: those of `extra.actions`, else the fenced block of the reply. The tool is
always `bash`. The output's exit code makes it an error; the last message, of the role `exit`, holds the submission,
which is the final answer of the trace, not a step. Read after mini-swe-agent 0.x to 2.3 (November 2026).
"""

from __future__ import annotations

import re

from reactcli.formats.events import Closing
from reactcli.formats.fields import Input, content_text, dict_at, dicts_in, input_of, text_at, without
from reactcli.formats.openai_chat import is_chat
from reactcli.formats.turns import Call, Turn, steps_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from reactcli.formats.events import Event
    from reactcli.formats.loading import Content

_FENCE = re.compile(r"```(?:mswea_bash_command|bash)[ \t]*\n(.*?)\n?```", re.DOTALL)
_CODE = re.compile(r"\s*<returncode>(-?\d{1,9})</returncode>\s*")
_KNOWN = frozenset({"role", "content", "extra", "tool_calls", "tool_call_id"})
_SEEN = 6


def matches(content: Content) -> bool:
    document = content.document
    if content.kind != "json":
        return False
    if isinstance(document, dict):
        return str(document.get("trajectory_format", "")).startswith("mini-swe-agent")
    if not is_chat(document):
        return False
    texts = (content_text(message.get("content")) or "" for message in dicts_in(document[:_SEEN]))
    return any("mswea_bash_command" in text or "<returncode>" in text for text in texts)


def read(content: Content) -> Iterator[Event]:
    document = content.document
    messages = dicts_in(document.get("messages") if isinstance(document, dict) else document)
    meta = without(document, frozenset({"messages"})) if isinstance(document, dict) else {}
    turns = (turn for message in messages if message.get("role") != "exit" for turn in _turns(message))
    yield from steps_of(turns, content.notice, meta=meta)
    info = dict_at(meta, "info")
    left = next((message for message in messages if message.get("role") == "exit"), {})
    exit_status = text_at(info, "exit_status") or text_at(dict_at(left, "extra"), "exit_status")
    status = "finished" if exit_status is not None and exit_status.lower() == "submitted" else exit_status
    yield Closing(status, text_at(info, "submission") or content_text(left.get("content")))


def _turns(message: dict[str, Any]) -> Iterator[Turn]:
    role, text = message.get("role"), content_text(message.get("content"))
    extra = dict_at(message, "extra")
    meta = without(message, _KNOWN) | without(extra, frozenset({"actions", "response", "raw_output"}))
    if role == "assistant":
        yield _assistant(message, text, extra, meta)
    elif role == "tool" or (role == "user" and text is not None and _CODE.match(text)):
        yield _result(message, text or "", meta)
    else:
        yield Turn("system" if role == "system" else "user", text, meta=meta)


def _assistant(message: dict[str, Any], text: str | None, extra: dict[str, Any], meta: dict[str, Any]) -> Turn:
    fence = _FENCE.search(text or "")
    calls = [
        Call("bash", _command(action), text_at(action, "tool_call_id")) for action in dicts_in(extra.get("actions"))
    ]
    if not calls:
        calls = [
            Call("bash", input_of(dict_at(call, "function").get("arguments")), text_at(call, "id"))
            for call in dicts_in(message.get("tool_calls"))
        ]
    if not calls and fence:
        calls = [Call("bash", Input(fence[1]))]
    before = text[: fence.start()].strip() if text is not None and fence else text
    return Turn("assistant", before, thought=text_at(message, "reasoning_content"), calls=tuple(calls), meta=meta)


def _command(action: dict[str, Any]) -> Input:
    """A command is shell text, whatever it looks like."""
    command = action.get("command", action)
    return Input(command) if isinstance(command, str) else input_of(command)


def _result(message: dict[str, Any], text: str, meta: dict[str, Any]) -> Turn:
    """The output of a command, with the tags around it: they are what the model saw."""
    code = _CODE.match(text)
    failed = code is not None and code[1] != "0"
    return Turn("result", text, call_id=text_at(message, "tool_call_id"), tool="bash", is_error=failed, meta=meta)
