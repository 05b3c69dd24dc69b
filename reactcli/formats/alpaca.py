"""Alpaca records: `{"instruction", "input", "output"}` in a list or one a line, the transcript in `output`.

The question is the instruction, and the input below it where there is one. Read after the files of FireAct and of
Stanford Alpaca (November 2026).
"""

from __future__ import annotations

from reactcli.formats.events import Closing, Opening, Recorded
from reactcli.formats.fields import kind_of, text_at, without
from reactcli.formats.turns import transcript
from reactcli.trace import Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from reactcli.formats.events import Event
    from reactcli.formats.loading import Content

_KNOWN = frozenset({"instruction", "input", "output"})


def matches(content: Content) -> bool:
    rows = content.document if isinstance(content.document, list) else content.head
    return bool(rows) and all(isinstance(row, dict) and "instruction" in row and "output" in row for row in rows[:20])


def read(content: Content) -> Iterator[Event]:
    for number, row in enumerate(content.rows(), start=1):
        if not isinstance(row.value, dict):
            where = f"line {row.line}" if row.line else f"element {number}"
            content.notice("not-a-record", where=where, what="an object", kind=kind_of(row.value))
            continue
        asked = [text for key in ("instruction", "input") if (text := text_at(row.value, key))]
        question = "\n".join(asked) if asked else None
        yield Opening(number, question, without(row.value, _KNOWN))
        output = text_at(row.value, "output") or ""
        steps = transcript(output) or (Step(final_answer=output, is_final=True),)
        for place, step in enumerate(steps):
            yield Recorded(step.replace(episode=number, question=None if place else question), {}, row.line)
        yield Closing()
