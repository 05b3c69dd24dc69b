"""Calling a tool by name: look it up, bind the input, run it, turn what comes back into an outcome.

Nothing a call can do raises but a KeyboardInterrupt and its like; what went wrong is the outcome's status, and the
observation says it to the model. This runs tools in the caller's own process: see isolation for a way that survives.
"""

from __future__ import annotations

from reactcli.errors import ToolError
from reactcli.registry import nearest
from reactcli.tools.results import ERROR_LIMIT, as_text, failure, missing_variable, settled, shortened
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from typing import Any

    from reactcli.tools import Tool
    from reactcli.tools.binding import Bound

STATUSES = ("ok", "unknown_tool", "bad_arguments", "tool_error", "timeout")

RESULT_LIMIT = 16 << 20
"""Characters of a result that are kept at most; a call may ask for less."""

LONGEST_NAME = 256
"""Characters of a name that no tool has, in a message: what a model wrote there may be a whole essay."""


class Call(Value):
    """What an action asks for."""

    tool: str | None
    action_input: str | None = None
    arguments: Any = None
    """The parsed input, as a step has it."""
    truncated: bool = False
    """The input was cut off in the middle of a value: refused."""
    changes: Mapping[str, Any] = {}  # a default that nothing writes to
    """Arguments set over those of the input."""
    dry: bool = False
    """Bind and report, but do not call."""
    longest: int = RESULT_LIMIT
    """Characters of the result that are kept; its middle is cut out."""

    def fields(self) -> dict[str, Any]:
        """By name, for another process."""
        return dict(self._items())


class Outcome(Value):
    """What became of a call."""

    status: str
    """One of `STATUSES`."""
    tool: str | None
    arguments: dict[str, Any] | None = None
    """As they were bound, by parameter, as JSON holds them; None if they were not."""
    observation: str = ""
    """For the model: the result as text, or `Error: …`."""
    error: str | None = None
    traceback: str = ""
    """Of the tool's own frames, for people."""
    printed: str = ""
    """What the tool wrote to standard output and error, where that is captured."""
    duration_ms: float = 0.0
    notes: tuple[str, ...] = ()
    """How the input was understood where that was not plain, and what may mend an error: for people."""


class LocalTools:
    """Tools of this process. A call that hangs, hangs its caller."""

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self.tools = tools
        self.wait: Callable[[Awaitable[object]], object] | None = None
        """How coroutines are awaited, where tools share an event loop."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.tools)

    def describe(self) -> list[dict[str, Any]]:
        """What every tool is, in order; see `schema.described`."""
        from reactcli.tools.schema import described  # with inspect, typing and the docstring parser 50 ms

        return [described(tool) for tool in self.tools.values()]

    def call(self, call: Call, *, seconds: float | None = None) -> Outcome:  # noqa: ARG002  # as a Toolbox is called
        tool = self.tools.get(call.tool) if call.tool is not None else None
        if tool is None:
            return unknown_tool(call.tool, self.names)
        if call.truncated:
            return failed("bad_arguments", tool.name, f"'{tool.name}' was not run: its input was cut off")
        from reactcli.tools.binding import bind, demands  # with inspect and typing 30 ms
        from reactcli.tools.schema import signature

        wanted = signature(tool)
        try:
            bound = bind(wanted, call.action_input, call.arguments, changes=call.changes, tool=tool.name)
        except ToolError as error:
            return failed("bad_arguments", tool.name, f"'{tool.name}' was not run: {error.message}; {demands(wanted)}")
        if call.dry:
            return Outcome("ok", tool.name, bound.arguments, notes=bound.notes)
        outcome = self._run(tool, bound, min(call.longest, RESULT_LIMIT))
        return outcome.replace(arguments=bound.arguments, notes=(*bound.notes, *outcome.notes))

    def _run(self, tool: Tool, bound: Bound, longest: int) -> Outcome:
        try:
            text = as_text(settled(tool.func(*bound.args, **bound.kwargs), self.wait))
        except ToolError as error:
            return failed("tool_error", tool.name, f"{error.message}{_hint(error)}")
        except (Exception, SystemExit, GeneratorExit) as error:  # noqa: BLE001  # a tool may raise anything
            return raised(tool.name, error)
        return Outcome("ok", tool.name, observation=shortened(text, longest))


def unknown_tool(name: str | None, names: tuple[str, ...]) -> Outcome:
    """The outcome of naming a tool that is not there. It is never guessed which was meant."""
    meant = nearest(name, names) if name else None
    there = f"there are: {', '.join(names)}" if names else "there are no tools"
    guess = f"did you mean '{meant}'? " if meant else ""
    shown = name if name is None or len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"
    return failed("unknown_tool", name, f"Tool '{shown}' not found; {guess}{there}")


def failed(status: str, tool: str | None, error: str) -> Outcome:
    error = shortened(error, ERROR_LIMIT)
    return Outcome(status, tool, observation=f"Error: {error}", error=error)


def raised(tool: str | None, error: BaseException) -> Outcome:
    """The outcome of a tool that raised."""
    name = missing_variable(error)
    notes = (f"tools see few variables of the environment; --env {name} adds this one",) if name else ()
    return failed("tool_error", tool, failure(error)).replace(traceback=_traceback(error), notes=notes)


def _traceback(error: BaseException) -> str:
    from traceback import TracebackException  # 12 ms, only where a tool failed

    frames = error.__traceback__
    while frames is not None and frames.tb_next is not None and frames.tb_frame.f_globals.get("__name__") in _OURS:
        frames = frames.tb_next
    try:
        lines = TracebackException(type(error), error, frames, limit=-20, compact=True).format(chain=True)
        return shortened("".join(lines), RESULT_LIMIT >> 8)
    except Exception:  # noqa: BLE001  # the tool's own exception class broke the printing of it
        return ""


def _hint(error: ToolError) -> str:
    return f" ({error.hint})" if error.hint else ""


_OURS = (__name__, "reactcli.tools.results", "reactcli.isolation.worker", "asyncio.runners", "asyncio.base_events")
