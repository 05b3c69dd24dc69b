"""Where a run begins: anew, behind the last step of a recording that was cut off, or at an earlier step of any trace.

The first two write to the file they are told; the third is a fork, which needs a file of its own and says in its header
where it comes from. What tools did in the steps before is not done again.
"""

from __future__ import annotations

import os

from reactcli.cli.options import UsageError
from reactcli.errors import FormatError
from reactcli.formats.events import Recorded, metas_of
from reactcli.render.sanitise import show_line
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from reactcli.recorder import Recorder
    from reactcli.trace import Trace


class Resumed(Value):
    """What a run goes on from."""

    path: str | None = None
    """Where it is recorded."""
    goes_on: bool = False
    """The recording itself is gone on with."""
    question: str | None = None
    earlier: tuple[Recorded, ...] = ()
    prompt: object = None
    """What the recording says of its prompts."""
    about: Mapping[str, Any] = {}  # a default that nothing writes to

    def recorder(self) -> Recorder:
        from reactcli.recorder import Recorder

        return Recorder(str(self.path), goes_on=self.goes_on)


def resumed(path: str | None, last: int | None, record: str | None, limit: int) -> Resumed:
    """UsageError if there is nothing to go on with, or a fork has no file to go to."""
    if path is None:
        return Resumed(record)
    from reactcli.cli.sources import recorded_trace

    trace = recorded_trace(path, limit)
    is_over = trace.status not in {"unfinished", ""}
    goes_on = last is None and record in (None, path)
    if goes_on and is_over:
        hint = "--from N --record NEW.jsonl goes on from one of its steps"
        raise UsageError(f"'{show_line(path)}' has ended as '{show_line(trace.status)}'", hint=hint)
    if record is None and not goes_on:
        raise UsageError("going on from an earlier step makes another run", hint="--record NEW.jsonl says where to")
    if not goes_on and record is not None and os.path.realpath(record) == os.path.realpath(path):
        raise UsageError("a fork cannot be recorded over what it comes from", hint="--record names another file")
    earlier = _kept(trace, last)
    about = {} if goes_on else {"resumed": {"file": os.path.basename(path), "step": len(earlier)}}  # noqa: PTH119
    return Resumed(path if goes_on else record, goes_on, trace.question, earlier, trace.meta.get("prompt"), about)


def _kept(trace: Trace, last: int | None) -> tuple[Recorded, ...]:
    """The steps up to the one that is gone on from; a final answer can be dropped, but not gone on from."""
    if last is not None and last > len(trace.steps):
        raise FormatError(f"the recording has no step {last}, it has {len(trace.steps)}")
    recorded = [Recorded(step, meta) for step, meta in zip(trace.steps, metas_of(trace), strict=True)]
    kept = tuple(recorded[: len(recorded) if last is None else last])
    if kept and kept[-1].step.is_final:
        raise UsageError("the last step that is kept has the final answer", hint=f"--from {len(kept) - 1} drops it")
    return kept
