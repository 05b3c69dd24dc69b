"""Formats that are known by their content and not read yet, so that a file is answered by name and not by a riddle.

A reader for one of them is a module of its own: its row moves from here to the table in `formats`. Predicates look at
the document or at the first rows only, and take nothing for granted: every value may be of any type.
"""

from __future__ import annotations

import re
from io import BytesIO

from reactcli.formats.fields import dict_at, dicts_in
from reactcli.formats.openai_chat import is_chat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from reactcli.formats.loading import Content

    Rows = list[dict[str, Any]]

_DSPY = re.compile(r"(?:thought|tool_name|tool_args|observation)_\d{1,6}\Z")
_CREWAI_TEXT = re.compile(r'(?m)^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d: task_name="')
_RESPONSES = frozenset(
    [
        "function_call",
        "function_call_output",
        "reasoning",
        "custom_tool_call",
        "custom_tool_call_output",
        "web_search_call",
        "local_shell_call",
        "local_shell_call_output",
        "computer_call",
        "file_search_call",
        "mcp_call",
        "code_interpreter_call",
        "item_reference",
    ]
)
_CLAUDE = frozenset(
    ["user", "assistant", "system", "summary", "progress", "file-history-snapshot", "queue-operation", "attachment"]
)
_OUTPUTS = ("output", "completion", "response", "text", "generated_text", "prediction", "content")


def document_rule(test: Callable[[dict[str, Any]], bool]) -> Callable[[Content], bool]:
    """A predicate of a document that is an object."""
    return lambda content: content.kind == "json" and isinstance(content.document, dict) and test(content.document)


def list_rule(test: Callable[[Rows], bool]) -> Callable[[Content], bool]:
    """A predicate of a document that is a list of objects, or of the rows of JSON Lines."""

    def matches(content: Content) -> bool:
        rows = content.document if isinstance(content.document, list) else content.head
        return content.kind in {"json", "jsonl"} and bool(rows) and len(dicts_in(rows)) == len(rows) and test(rows)

    return matches


def lines_rule(test: Callable[[Rows], bool]) -> Callable[[Content], bool]:
    """A predicate of the rows of JSON Lines, or of the one object of a document; other rows are left out."""

    def matches(content: Content) -> bool:
        is_object = content.kind == "json" and isinstance(content.document, dict)
        rows = dicts_in(content.head) if content.kind == "jsonl" or is_object else []
        return bool(rows) and test(rows)

    return matches


def text_rule(test: Callable[[str], bool]) -> Callable[[Content], bool]:
    return lambda content: content.kind == "text" and test(content.text)


def has(record: object, *keys: str) -> bool:
    return isinstance(record, dict) and all(key in record for key in keys)


def _is_inspect_zip(content: Content) -> bool:
    from zipfile import BadZipFile, ZipFile  # 12 ms, for one format

    if content.kind != "zip":
        return False
    try:
        names = ZipFile(BytesIO(content.raw)).namelist()
    except (BadZipFile, ValueError, NotImplementedError, OSError):
        return False
    return any(name == "header.json" or name.startswith("_journal/") for name in names)


def _is_langfuse(document: dict[str, Any]) -> bool:
    observations = dicts_in(document.get("observations"))
    whole = isinstance(document.get("trace"), dict) and isinstance(document.get("observations"), list)
    return whole or (bool(observations) and has(observations[0], "traceId", "startTime"))


def _is_dspy(document: dict[str, Any]) -> bool:
    inner = document.get("trajectory", document)
    return isinstance(inner, dict) and any(_DSPY.match(key) for key in inner)


def _is_run(record: object) -> bool:
    return has(record, "run_type", "name", "inputs") and any(
        has(record, key) for key in ("dotted_order", "trace_id", "child_runs")
    )


def _is_langsmith(document: dict[str, Any]) -> bool:
    return _is_run(document) or any(map(_is_run, dicts_in(document.get("runs"))[:1]))


def _has_spans(record: object) -> bool:
    return has(record, "resourceSpans") or has(record, "resource_spans")


def _is_span(record: dict[str, Any]) -> bool:
    shapes = (("context", "start_time"), ("spanContext",), ("spanId", "traceId"))
    return isinstance(record.get("attributes"), dict) and any(has(record, *keys) for keys in shapes)


def _is_openinference(record: dict[str, Any]) -> bool:
    attributes = dict_at(record, "attributes")
    return "openinference.span.kind" in attributes or (
        "attributes" in record and "span_kind" in record and "span_id" in dict_at(record, "context")
    )


def _is_response(document: dict[str, Any]) -> bool:
    return document.get("object") == "response" and isinstance(document.get("output"), list)


def _are_response_items(rows: Rows) -> bool:
    kinds = [row.get("type") for row in rows]
    known = all(
        _is_word(kind, _RESPONSES | {"message"}) or "role" in row for kind, row in zip(kinds, rows, strict=True)
    )
    return known and any(_is_word(kind, _RESPONSES) for kind in kinds)


def _is_word(value: object, words: frozenset[str]) -> bool:
    return isinstance(value, str) and value in words


def _are_contents(value: object) -> bool:
    rows = dicts_in(value)
    return bool(rows) and all(
        isinstance(row.get("parts"), list)
        and row.get("role") in ("user", "model", "function", None)
        and "kind" not in row
        for row in rows
    )


def _are_openhands(rows: Rows) -> bool:
    events = all("source" in row and ("action" in row or "observation" in row) for row in rows)
    return events and any("args" in row or "cause" in row or "extras" in row for row in rows)


def _are_smolagents(rows: Rows) -> bool:
    return any(has(row, "step_number") and ("is_final_answer" in row or "model_output" in row) for row in rows)


def _are_agentbench(rows: Rows) -> bool:
    return all("index" in row and "history" in dict_at(row, "output") for row in rows)


def _are_codex(rows: Rows) -> bool:
    enveloped = sum(has(row, "timestamp", "type", "payload") for row in rows)
    return any(row.get("type") == "session_meta" for row in rows) or 2 * enveloped > len(rows)


def _are_codex_items(rows: Rows) -> bool:
    kinds = [row.get("type") for row in rows]
    items = sum(_is_word(kind, _RESPONSES | {"message"}) for kind in kinds)
    states = sum(row.get("record_type") == "state" for row in rows)
    return any(_is_word(kind, _RESPONSES) for kind in kinds) and 2 * (items + states) > len(rows)


def _are_claude_code(rows: Rows) -> bool:
    said = [row for row in rows if row.get("type") in ("user", "assistant")]
    if any(has(row, "sessionId", "uuid", "message") for row in said):
        return True
    bare = all(_is_word(row.get("type"), _CLAUDE) and "content" in dict_at(row, "message") for row in rows)
    return bare and any(row.get("type") == "assistant" for row in rows)


def _are_claude_stream(rows: Rows) -> bool:
    kinds = {"system", "assistant", "user", "result"}
    typed = any("session_id" in row and row.get("type") in kinds for row in rows if isinstance(row.get("type"), str))
    return typed and any(isinstance(row.get("message"), dict) for row in rows)


def _are_gemini(rows: Rows) -> bool:
    return has(rows[0], "sessionId", "projectHash") or any(
        "$set" in row or "$rewindTo" in row or row.get("type") == "gemini" for row in rows
    )


def _typed(*kinds: str) -> Callable[[Rows], bool]:
    return lambda rows: any(_is_word(row.get("type"), frozenset(kinds)) for row in rows)


def _is_cast(rows: list[Any]) -> bool:
    return has(rows[0], "version") and rows[0]["version"] in (1, 2, 3) and ("width" in rows[0] or "term" in rows[0])


def _is_cassette(text: str) -> bool:
    return bool(re.search(r"(?m)^interactions:[ \t]*$", text) and re.search(r"(?m)^version: ?1\b", text))


def _are_outputs(rows: Rows) -> bool:
    return all(any(key in row and isinstance(row[key], str | None) for key in _OUTPUTS) for row in rows)


def _is_fireact(document: dict[str, Any]) -> bool:
    runs = list(document.values())
    return bool(runs) and all(
        has(run, "traj") and (is_chat(run["traj"]) or isinstance(run["traj"], str)) for run in runs
    )


def _every(*keys: str) -> Callable[[Rows], bool]:
    return lambda rows: all(has(row, *keys) for row in rows)


def _keyed(*keys: str) -> Callable[[dict[str, Any]], bool]:
    return lambda document: has(document, *keys)


DOCUMENTS: tuple[tuple[str, str, Callable[[Content], bool]], ...] = (
    ("inspect-eval", "an Inspect log", _is_inspect_zip),
    ("inspect-log", "an Inspect log", document_rule(lambda top: has(top, "eval", "status", "version"))),
    ("langfuse", "a Langfuse trace", document_rule(_is_langfuse)),
    ("gemini-cli", "a Gemini CLI session", document_rule(_keyed("sessionId", "projectHash", "messages"))),
    ("toolbench", "a ToolBench answer", document_rule(_keyed("answer_generation", "tree"))),
    ("tau2", "a tau2 result", document_rule(_keyed("simulations", "tasks"))),
    ("tau-bench", "a tau-bench result", document_rule(_keyed("traj", "reward", "task_id"))),
    ("otlp", "an OpenTelemetry export", lines_rule(lambda rows: all(map(_has_spans, rows)))),
    ("otlp", "an OpenTelemetry export", list_rule(lambda rows: all(map(_has_spans, rows)))),
    ("dspy", "a DSPy trajectory", document_rule(_is_dspy)),
    ("langsmith-run", "a LangSmith run", document_rule(_is_langsmith)),
    ("openai-responses", "an OpenAI response", document_rule(_is_response)),
    (
        "openai-completion",
        "an OpenAI completion",
        document_rule(lambda top: top.get("object") == "chat.completion"),
    ),
    ("gemini-contents", "Gemini contents", document_rule(lambda top: _are_contents(top.get("contents")))),
    ("fireact-trajs", "a FireAct result", document_rule(_is_fireact)),
    (
        "llamaindex-output",
        "a LlamaIndex output",
        document_rule(_keyed("response", "tool_calls", "current_agent_name")),
    ),
)
"""Name, what such a file is called, and its predicate: those that a document's own keys tell."""

LISTS: tuple[tuple[str, str, Callable[[Content], bool]], ...] = (
    ("openhands", "an OpenHands event list", list_rule(_are_openhands)),
    ("smolagents", "a smolagents memory", list_rule(_are_smolagents)),
    ("langsmith-run", "a LangSmith export", list_rule(lambda rows: all(map(_is_run, rows)))),
    (
        "pydantic-ai",
        "a Pydantic AI history",
        list_rule(lambda rows: all(has(row, "parts") and row.get("kind") in ("request", "response") for row in rows)),
    ),
    ("gemini-contents", "Gemini contents", list_rule(_are_contents)),
    ("codex-rollout", "a Codex session", lines_rule(_are_codex)),
    (
        "pi-session",
        "a Pi session",
        lines_rule(lambda rows: rows[0].get("type") == "session" and _typed("message")(rows)),
    ),
    ("copilot-cli", "a Copilot CLI session", lines_rule(_typed("session.start", "tool.execution_start"))),
    ("codex-exec", "a Codex event stream", lines_rule(_typed("thread.started", "item.completed", "turn.completed"))),
    ("gemini-cli", "a Gemini CLI session", lines_rule(_are_gemini)),
    ("claude-code", "a Claude Code session", lines_rule(_are_claude_code)),
    ("claude-stream", "a Claude Code event stream", lines_rule(_are_claude_stream)),
    (
        "openai-agents-trace",
        "an OpenAI Agents trace",
        list_rule(lambda rows: all(row.get("object") in ("trace", "trace.span") for row in rows)),
    ),
    ("openinference", "an OpenInference export", list_rule(lambda rows: all(map(_is_openinference, rows)))),
    ("otel-spans", "OpenTelemetry spans", list_rule(lambda rows: all(map(_is_span, rows)))),
    (
        "llamaindex-events",
        "a LlamaIndex event stream",
        lines_rule(lambda rows: any(row.get("event") in ("ToolCallResult", "AgentOutput") for row in rows)),
    ),
    ("agentbench", "an AgentBench result", lines_rule(_are_agentbench)),
    ("openhands-output", "an OpenHands result", lines_rule(_every("history", "instance_id"))),
    ("codex-legacy", "an older Codex session", lambda content: content.kind == "jsonl" and _codex_items(content)),
    ("openai-responses", "OpenAI response items", list_rule(_are_response_items)),
    (
        "llm-batch",
        "a batch of completions",
        lines_rule(lambda rows: all("custom_id" in row and ("response" in row or "result" in row) for row in rows)),
    ),
    ("tau-bench", "tau-bench results", list_rule(_every("traj", "reward"))),
    ("crewai-log", "a CrewAI log", list_rule(_every("timestamp", "task", "agent", "status"))),
    (
        "llamaindex-messages",
        "a LlamaIndex memory",
        list_rule(lambda rows: all("block_type" in block for row in rows for block in _blocks(row))),
    ),
    ("tau-fewshot", "tau-bench examples", lines_rule(_every("messages_display"))),
    (
        "asciicast",
        "an asciinema recording",
        lambda content: content.kind in {"json", "jsonl"} and _is_cast(content.head),
    ),
)
"""Those that the elements of a list or the rows tell."""

TEXTS: tuple[tuple[str, str, Callable[[Content], bool]], ...] = (
    ("vcr-cassette", "a VCR cassette", text_rule(_is_cassette)),
    ("crewai-log-txt", "a CrewAI log", text_rule(lambda text: bool(_CREWAI_TEXT.search(text)))),
    ("llm-outputs", "a list of completions", lines_rule(_are_outputs)),
)
"""Those that are looked for last."""
WAYS_OUT = {"llm-outputs": "`reactcli parse --input jsonl` reads it, a completion a line"}
"""What to do with a format that is not read, where --map is not all that can be done."""


def _codex_items(content: Content) -> bool:
    rows = dicts_in(content.head)
    return bool(rows) and _are_codex_items(rows)


def _blocks(row: dict[str, Any]) -> list[dict[str, Any]]:
    return dicts_in(row.get("blocks")) or [{}]
