"""Home-made traces with our own field names: a record per line, or one object with a list of `steps`.

Any of the five keys of `parse_step`, `observation` and `llm_output`; what `parse --steps`, `parse --full`, `replay` and
`run` print is read too. Beside the steps an object may have `question`, `final_answer` and `status`; everything else is
kept in `meta`. A record of another kind at the head of the lines is taken for a header.
"""

from __future__ import annotations

from reactcli.formats.events import Closing, Opening, Recorded
from reactcli.formats.fields import kind_of, text_at, without
from reactcli.formats.named import is_step, meta_of, step_of
from reactcli.trace import Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from reactcli.formats.events import Event
    from reactcli.formats.loading import Content

_TOP = frozenset({"steps", "question", "final_answer", "answer", "status"})
_HEADS = frozenset({"version", "format", "schema", "question"})
_OTHERS = frozenset(
    {"role", "source", "type", "event", "run_type", "parts", "from", "attributes", "spanId", "messages"}
)
"""Keys of other formats' records, which may share a name with a step's."""
_SAMPLED = 20
OTHER_NAMES = {
    **dict.fromkeys(("thinking", "thoughts", "think", "rationale", "reason"), "thought"),
    **dict.fromkeys(("tool", "tool_name", "toolName", "function", "function_name", "act", "action_name"), "action"),
    **dict.fromkeys(("args", "tool_input", "toolInput", "input", "params", "parameters", "tool_args"), "action_input"),
    **dict.fromkeys(("obs", "result", "output", "tool_output", "tool_result", "tool_response"), "observation"),
    **dict.fromkeys(("answer", "final", "finalAnswer", "final_output"), "final_answer"),
}
"""What home-made files call parts. They are not read so, for nobody said that they mean it, but pointed out."""


def matches(content: Content) -> bool:
    if content.kind == "jsonl":
        return _are_records(content.head[:_SAMPLED])
    if content.kind != "json":
        return False
    document = content.document
    if isinstance(document, list):
        return _are_records(document[:_SAMPLED])
    steps = document.get("steps")
    return _is_list_of_steps(steps) or (is_step(document) and _OTHERS.isdisjoint(document))


def read(content: Content) -> Iterator[Event]:
    document = content.document
    is_one = isinstance(document, dict) and isinstance(document.get("steps"), list)
    unread: dict[str, None] = {}
    for event in _document(document, content) if is_one else _records(content):
        if isinstance(event, Recorded) and event.meta:
            unread.update(dict.fromkeys(_unread_parts(event.step, event.meta)))
        yield event
    if unread:
        content.notice("unread-parts", keys=", ".join(f"'{key}'" for key in unread))


def _unread_parts(step: Step, meta: Mapping[str, Any]) -> Iterator[str]:
    """Keys that other people give to a part which this step lacks; a final answer lacks the parts of a call."""
    for key in meta:
        part = OTHER_NAMES.get(key)
        if part is not None and not getattr(step, part) and (not step.is_final or part == "thought"):
            yield key


def _are_records(rows: list[Any]) -> bool:
    """Most rows are steps, and none is another format's; a header may stand before them."""
    if not all(isinstance(row, dict) and _OTHERS.isdisjoint(row) for row in rows):
        return False
    steps = sum(map(is_step, rows))
    others = sum(bool(row) and not is_step(row) for row in rows)
    is_lone_header = len(rows) == 1 and "version" in rows[0] and {"width", "term"}.isdisjoint(rows[0])
    return (steps > 0 and steps >= others) or is_lone_header


def _is_list_of_steps(steps: object) -> bool:
    return isinstance(steps, list) and (not steps or any(map(is_step, steps)))


def _document(document: dict[str, Any], content: Content) -> Iterator[Event]:
    question = text_at(document, "question")
    _check_version(document, content)
    yield Opening(1, question, without(document, _TOP))
    last: Step | None = None
    for number, record in enumerate(document["steps"], start=1):
        recorded = _recorded(record, content, number, f"step {number}", 0)
        if recorded is None:
            continue
        if last is None and recorded.step.question is None:
            recorded = recorded.replace(step=recorded.step.replace(question=question))
        last = recorded.step
        yield recorded
    answer = text_at(document, "final_answer", "answer")
    if answer is not None and (last is None or not last.is_final):
        asked = question if last is None else None
        yield Recorded(Step(final_answer=answer, is_final=True, question=asked))
    yield Closing(text_at(document, "status"), answer)


def _records(content: Content) -> Iterator[Event]:
    """One record a line; `episode` in a record that differs from the one before begins another episode."""
    number = ordinal = 0
    said: object = None
    head: dict[str, Any] = {}
    for row in content.rows():
        if not ordinal and not is_step(row.value) and isinstance(row.value, dict) and _HEADS & row.value.keys():
            head = row.value
            _check_version(head, content)
            continue
        number += 1
        recorded = _recorded(
            row.value, content, number, f"line {row.line}" if row.line else f"element {number}", row.line
        )
        if recorded is None:
            continue
        episode = row.value.get("episode", said)
        if not ordinal or episode != said:
            if ordinal:
                yield Closing()
            ordinal += 1
            question = recorded.step.question if recorded.step.question is not None else text_at(head, "question")
            recorded = recorded.replace(step=recorded.step.replace(question=question))
            yield Opening(ordinal, question, without(head, _TOP) | _number(episode, ordinal), episode is not None)
            said, head = episode, {}
        yield recorded.replace(step=recorded.step.replace(episode=ordinal)) if ordinal > 1 else recorded
    if not ordinal:
        yield Opening(1, text_at(head, "question"), without(head, _TOP))
    yield Closing()


def _number(episode: object, ordinal: int) -> dict[str, Any]:
    """The number that a file gives an episode, where it is not its place."""
    return {} if episode is None or episode == ordinal else {"episode": episode}


def _recorded(record: object, content: Content, number: int, where: str, line: int) -> Recorded | None:
    if not isinstance(record, dict):
        content.notice("not-a-record", where=where, what="an object", kind=kind_of(record))
        return None

    def note(code: str, **facts: object) -> None:
        content.notice(code, where=where, **facts)

    return Recorded(step_of(record, note), meta_of(record, number), line)


def _check_version(record: dict[str, Any], content: Content) -> None:
    version = record.get("version")
    if version is not None and version != 1:
        content.notice("unknown-version", version=version)
