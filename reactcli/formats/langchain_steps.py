"""LangChain's intermediate steps: `[action, observation]` pairs, alone or in an executor's result.

An action has been written in four ways: as an object, as a list of tool, input and log, as a serialised constructor
(`"lc": 1`, read as the data it is and never built), and as the `repr` that `json.dump(default=str)` leaves. The thought
is the log before its action. Read after langchain-core 1.x and files of ToolAlpaca (November 2026).
"""

from __future__ import annotations

import re

from reactcli.formats.events import Closing, Opening, Recorded
from reactcli.formats.fields import input_of, kind_of, text_at, text_or_json, without
from reactcli.loosejson import read_value
from reactcli.trace import Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from reactcli.formats.events import Event
    from reactcli.formats.loading import Content

_ACTION = re.compile(r"(?mi)^[ \t*]*+action(?: \d+)?[ \t]*+:")
_THOUGHT = re.compile(r"(?i)\s*+thought(?: \d+)?[ \t]*+:[ \t]*")
_FIELD = re.compile(r"([a-z_]\w{0,30})=")
_KNOWN = frozenset({"tool", "tool_input", "log", "type"})
_TOP = frozenset({"input", "output", "intermediate_steps"})


def matches(content: Content) -> bool:
    document = content.document
    results = document if _is_list_of_results(document) else [document] if content.kind == "json" else content.head
    return bool(results) and all(_is_pairs(_pairs_of(result)) for result in results[:20])


def read(content: Content) -> Iterator[Event]:
    number = 0
    for result in _results(content):
        pairs = _pairs_of(result)
        if not isinstance(pairs, list):
            content.notice("not-a-record", what="a list of steps", kind=kind_of(pairs))
            continue
        number += 1
        fields = _unwrapped(result) if isinstance(result, dict) else {}
        question = text_at(fields, "input")
        yield Opening(number, question, without(fields, _TOP))
        for place, pair in enumerate(pairs):
            yield _recorded(pair, number, question if place == 0 else None)
        answer = text_at(fields, "output")
        if answer is not None:
            first = question if not pairs else None
            yield Recorded(Step(final_answer=answer, is_final=True, episode=number, question=first))
        yield Closing()


def fields_of(text: str) -> dict[str, Any]:
    """The fields of a `repr` (`tool='x' tool_input={…}`): those whose value is a Python literal."""
    found: dict[str, Any] = {}
    at = 0
    while (match := _FIELD.search(text, at)) is not None:
        reading = read_value(text, match.end(), len(text))
        if reading.found and reading.end > match.end():
            found.setdefault(match[1], reading.value)
            at = reading.end
        else:
            at = match.end()
    return found


def _results(content: Content) -> Iterator[Any]:
    """The executor results of a file: the document, the elements of a list of results, or the rows."""
    if content.kind == "json" and not _is_list_of_results(content.document):
        yield content.document
    else:
        yield from (row.value for row in content.rows())


def _is_list_of_results(document: object) -> bool:
    return isinstance(document, list) and bool(document) and all(isinstance(item, dict) for item in document)


def _unwrapped(value: dict[str, Any]) -> dict[str, Any]:
    kwargs = value.get("kwargs")
    return kwargs if value.get("lc") == 1 and isinstance(kwargs, dict) else value


def _pairs_of(value: object) -> object:
    if not isinstance(value, dict):
        return value
    inner = _unwrapped(value)
    return inner.get("intermediate_steps")


def _is_pairs(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_pair, value[:20]))


def _is_pair(pair: object) -> bool:
    if not isinstance(pair, list) or len(pair) != 2:
        return False
    action = pair[0]
    if isinstance(action, dict):
        return "tool" in action or "lc" in action
    return (isinstance(action, list) and len(action) == 3) or (isinstance(action, str) and "tool=" in action)


def _recorded(pair: object, episode: int, question: str | None) -> Recorded:
    action, observation = pair if isinstance(pair, list) and len(pair) == 2 else (pair, None)
    fields = _fields(action)
    tool = text_at(fields, "tool")
    call = input_of(fields.get("tool_input"))
    step = Step(
        thought=_thought(fields.get("log")),
        action=tool,
        action_input=call.text,
        observation=None if observation is None else text_or_json(observation),
        arguments=call.arguments,
        truncated=call.truncated,
        episode=episode,
        question=question,
        diagnostics=call.diagnostics,
    )
    return Recorded(step, without(fields, _KNOWN))


def _fields(action: object) -> dict[str, Any]:
    if isinstance(action, dict):
        return _unwrapped(action)
    if isinstance(action, list):
        return dict(zip(("tool", "tool_input", "log"), action, strict=False))
    return fields_of(action) if isinstance(action, str) else {}


def _thought(log: object) -> str:
    if not isinstance(log, str):
        return ""
    action = _ACTION.search(log)
    before = log[: action.start()] if action else log
    label = _THOUGHT.match(before)
    return (before[label.end() :] if label else before).strip()
