"""Where a run begins: anew, behind the last step of a recording that was cut off, or at an earlier step of any trace.

The first two write to the file they are told; the third is a fork, which needs a file of its own and says in its header
where it comes from. What tools did in the steps before is not done again; only where the last step that a fork keeps
has an action and no observation, as behind Ctrl-C, the run begins with that action.
"""

from __future__ import annotations

import os

from reactcli.cli.options import UsageError
from reactcli.comparison import actions_of
from reactcli.errors import FormatError
from reactcli.formats.events import Recorded, metas_of
from reactcli.render.sanitise import show_line
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from reactcli.engine.requests import Model
    from reactcli.recorder import Recorder
    from reactcli.trace import Step, Trace


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
    pending: Trace | None = None
    """Where the step behind `earlier` is, whose action is to be run; None if there is none."""

    def recorder(self) -> Recorder:
        from reactcli.recorder import Recorder

        return Recorder(str(self.path), goes_on=self.goes_on)

    def model(self, model: Model) -> Model:
        """The model of the run, which does not have to say again what it said in a pending step."""
        if self.pending is None:
            return model
        from reactcli.models import TakenUpModel
        from reactcli.recorded import RecordedModel

        return TakenUpModel(RecordedModel(self.pending), model)


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
    start = Resumed(path if goes_on else record, goes_on, trace.question, earlier, trace.meta.get("prompt"), about)
    if goes_on or not earlier or not _is_pending(earlier[-1].step):
        return start
    return start.replace(earlier=earlier[:-1], pending=trace)


def _kept(trace: Trace, last: int | None) -> tuple[Recorded, ...]:
    """The steps up to the one that is gone on from; a final answer can be dropped, but not gone on from."""
    if last is not None and last > len(trace.steps):
        raise FormatError(f"the recording has no step {last}, it has {len(trace.steps)}")
    recorded = [Recorded(step, meta) for step, meta in zip(trace.steps, metas_of(trace), strict=True)]
    kept = tuple(recorded[: len(recorded) if last is None else last])
    if kept and kept[-1].step.is_final:
        raise UsageError("the last step that is kept has the final answer", hint=f"--from {len(kept) - 1} drops it")
    return kept


def _is_pending(step: Step) -> bool:
    actions = actions_of(step)
    return bool(actions) and step.observation is None and all(action.observation is None for action in actions)
