"""Who answers in a run, by the words of the command line: `script:FILE`, `trace:FILE`, `openai:NAME`; tools by SPEC."""

from __future__ import annotations

from reactcli.cli.input import read_text
from reactcli.cli.options import UsageError
from reactcli.cli.tracefile import TraceFile
from reactcli.errors import FormatError
from reactcli.render.sanitise import show_line
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import ExitStack
    from typing import Any

    from reactcli.engine.callers import Tools
    from reactcli.engine.requests import Model
    from reactcli.isolation import Limits
    from reactcli.trace import Trace

KINDS = "script:FILE, trace:FILE or openai:NAME"
RECORDED = "trace:"


class Endpoint(Value):
    """What an endpoint needs to be told."""

    base_url: str | None
    key_env: str
    temperature: float | None
    seconds: float
    retries: int
    max_reply: int | None

    def fields(self) -> dict[str, Any]:
        return dict(self._items())


class Manner(Value):
    """How tools are called."""

    seconds: float | None
    """For a call; None: what the tool itself says."""
    side_by_side: int


def model_of(spec: str, endpoint: Endpoint, limit: int) -> Model:
    """UsageError if the words name no model, or it cannot be used; the errors of reading if its file cannot be read."""
    kind, _, name = spec.partition(":")
    make = _MAKERS.get(kind)
    if make is None or not name:
        raise UsageError(f"'{show_line(spec)}' is no model", hint=f"write {KINDS}")
    return make(name, endpoint, limit)


def recorded_trace(path: str, limit: int, episode: int | None = None) -> Trace:
    """One episode of a trace, the last if it is not said which. FormatError if it has no steps."""
    from reactcli.formats import episodes_of, trace_of

    with TraceFile(path, limit=limit) as file:
        episodes = episodes_of(trace_of(file.events()))
    number = episode or len(episodes)
    if not episodes or number > len(episodes):
        raise FormatError(f"'{show_line(path)}' has {len(episodes)} episodes, and none of the number {number}")
    return episodes[number - 1]


def tools_of(specs: tuple[str, ...], stack: ExitStack, limits: Limits, manner: Manner, limit: int) -> Tools:
    """The tools of modules, in processes that the stack ends, or those of a recording."""
    recorded = [spec.removeprefix(RECORDED) for spec in specs if spec.startswith(RECORDED)]
    if recorded and len(specs) > 1:
        raise UsageError("recorded tools answer for all tools", hint="name one recording and no module")
    if recorded:
        from reactcli.recorded import RecordedTools

        return RecordedTools(recorded_trace(recorded[0], limit))
    from reactcli.engine.callers import IsolatedCalls
    from reactcli.isolation import Toolbox

    return IsolatedCalls(
        stack.enter_context(Toolbox(specs, limits)), seconds=manner.seconds, side_by_side=manner.side_by_side
    )


def _script(path: str, _endpoint: Endpoint, limit: int) -> Model:
    from reactcli.models import ScriptModel, replies_of

    return ScriptModel(replies_of(read_text(path, limit).text))


def _recording(path: str, _endpoint: Endpoint, limit: int) -> Model:
    from reactcli.recorded import RecordedModel

    return RecordedModel(recorded_trace(path, limit))


def _openai(name: str, endpoint: Endpoint, _limit: int) -> Model:
    from reactcli.models.endpoint import open_endpoint

    return open_endpoint(name, **endpoint.fields())


_MAKERS: dict[str, Callable[[str, Endpoint, int], Model]] = {
    "script": _script,
    "trace": _recording,
    "openai": _openai,
}
