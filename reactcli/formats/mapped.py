"""Home-made JSON read by a map that the user gives: `steps=run.turns,thought=reason,action=call.name`.

    map   = entry *("," entry)
    entry = part "=" path
    path  = key *("." key)          a key of digits counts elements of a list from 0, and may stand in brackets, as in
                                    `calls[0].name`; `.` alone is the value itself

`steps` starts at the document (without it, the document's list or the lines are the steps), as do `question`, `status`
and the `final_answer` that is not found in a step; the other parts start at a step. What is not mapped is kept in meta.
"""

from __future__ import annotations

import re

from reactcli.errors import FormatError, UnknownNameError
from reactcli.formats.events import Closing, Opening, Recorded
from reactcli.formats.fields import kind_of, text_or_json, without
from reactcli.formats.named import step_of
from reactcli.registry import nearest
from reactcli.trace import Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from reactcli.formats.events import Event
    from reactcli.formats.loading import Content

    Path = tuple[str, ...]

_INDEX = re.compile(r"\[(\d{1,9})\]")
ALIASES = {"input": "action_input", "answer": "final_answer"}
STEP_PARTS = ("thought", "action", "action_input", "observation", "final_answer", "llm_output", "reasoning")
PARTS = ("steps", "question", "status", *STEP_PARTS)


def parse_map(text: str) -> dict[str, Path]:
    """The map of an option's text. FormatError for an entry without a path, UnknownNameError for an unknown part."""
    found: dict[str, Path] = {}
    for entry in filter(None, (piece.strip() for piece in text.split(","))):
        name, equals, path = entry.partition("=")
        part = ALIASES.get(name.strip(), name.strip())
        if part not in PARTS:
            raise UnknownNameError("part of a trace", name.strip(), nearest(part, PARTS), PARTS)
        if not equals or not path.strip():
            raise FormatError(f"the map says nothing of '{part}'", hint=f"write {part}=KEY or {part}=KEY.KEY")
        found[part] = tuple(key for key in _INDEX.sub(r".\1", path.strip()).split(".") if key)
    if not found:
        raise FormatError("the map is empty", hint="write, for example, steps=turns,thought=reason,action=call.name")
    return found


def read(content: Content, paths: Mapping[str, Path]) -> Iterator[Event]:
    """The steps that the map finds. FormatError if the file is no JSON, or `steps` is no list."""
    if content.kind not in {"json", "jsonl"}:
        raise FormatError("a map reads JSON, and this file is none", hint="leave --map out")
    document = content.document
    question, answer = _at(document, paths, "question"), _at(document, paths, "final_answer")
    used = frozenset(paths[part][0] for part in ("steps", "question", "status") if paths.get(part))
    yield Opening(1, _text(question), without(document, used) if isinstance(document, dict) else {})
    last: Step | None = None
    missing = {part for part in paths if part != "steps"} - _found(
        document, paths, ("question", "final_answer", "status")
    )
    for number, (line, record) in enumerate(_records(content, paths), start=1):
        missing -= _found(record, paths, STEP_PARTS)
        recorded = _recorded(record, content, paths, line, number)
        if recorded is None:
            continue
        if last is None:
            recorded = recorded.replace(step=recorded.step.replace(question=_text(question)))
        last = recorded.step
        yield recorded
    if answer is not None and (last is None or not last.is_final):
        yield Recorded(Step(final_answer=_text(answer), is_final=True))
    for part in sorted(missing) if last is not None else ():
        content.notice("map-leads-nowhere", entry=f"{part}={'.'.join(paths[part])}")
    yield Closing(_text(_at(document, paths, "status")))


def _found(value: object, paths: Mapping[str, Path], parts: Iterable[str]) -> set[str]:
    """The parts whose paths lead somewhere."""
    return {part for part in parts if part in paths and _at(value, paths, part) is not None}


def _records(content: Content, paths: Mapping[str, Path]) -> Iterator[tuple[int, object]]:
    if "steps" not in paths or content.kind == "jsonl":
        yield from ((row.line, row.value) for row in content.rows())
        return
    steps = _at(content.document, paths, "steps")
    if not isinstance(steps, list):
        where = ".".join(paths["steps"])
        raise FormatError(f"steps={where} leads to {kind_of(steps)}, not to a list", hint="correct the map")
    yield from ((0, step) for step in steps)


def _recorded(record: object, content: Content, paths: Mapping[str, Path], line: int, number: int) -> Recorded | None:
    where = f"line {line}" if line else f"step {number}"
    if not isinstance(record, dict):
        content.notice("not-a-record", where=where, what="an object", kind=kind_of(record))
        return None

    def note(code: str, **facts: object) -> None:
        content.notice(code, where=where, **facts)

    named = {part: value for part in STEP_PARTS if part in paths and (value := _at(record, paths, part)) is not None}
    used = frozenset(paths[part][0] for part in STEP_PARTS if paths.get(part))
    return Recorded(step_of(named, note), without(record, used), line)


def _at(value: object, paths: Mapping[str, Path], part: str) -> object:
    """What stands at the end of a part's path; None if the path leads nowhere."""
    if part not in paths:
        return None
    for key in paths[part]:
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and key.isdecimal() and len(key) < 10 and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def _text(value: object) -> str | None:
    return None if value is None else text_or_json(value)
