"""Who answers for plain callables: a model that is a function, tools that are functions of this process.

A tool with a time limit runs in a thread of its own, which is left alone when the limit has passed: Python cannot stop
it, but the run goes on, and the program can end. Without a limit it runs in the caller's thread. Isolation is the
business of `isolation.Toolbox`, which is called in the same way.
"""

from __future__ import annotations

from threading import Thread

from reactcli.engine.requests import Completion, Model, ModelError
from reactcli.tools.calls import failed
from reactcli.tools.results import failure, settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol

    from reactcli.engine.requests import Ask, Listen
    from reactcli.isolation import Toolbox
    from reactcli.tools.calls import Call, LocalTools, Outcome

    class Tools(Protocol):
        """`LocalTools`, `Toolbox` and recorded tools."""

        @property
        def names(self) -> tuple[str, ...]: ...
        def call(self, call: Call, *, seconds: float | None = None) -> Outcome: ...
        def describe(self) -> list[dict[str, Any]]: ...


SIDE_BY_SIDE = 4
"""Calls of one step that run at once."""


class CallableModel(Model):
    """A function from prompt to text, or an object with `generate`. It is given `temperature` and `stop` if it takes
    them by name, and the prompt positionally.
    """

    def __init__(self, llm: Any, *, temperature: float | None = 0.0) -> None:
        generate = getattr(llm, "generate", None)
        self._call: Callable[..., Any] = generate if callable(generate) else llm
        if not callable(self._call):
            raise TypeError(f"a model is a callable or has generate, and a {type(llm).__name__} is neither")
        inner = llm if generate is None else type(llm)
        self.name = f"callable:{getattr(inner, '__name__', type(inner).__name__)}"
        self._accepted = _named_parameters(self._call)
        self._temperature = temperature

    def complete(self, ask: Ask, listen: Listen | None = None) -> Completion:
        options = {"temperature": self._temperature, "stop": list(ask.stop)}
        given = {name: value for name, value in options.items() if name in self._accepted and value is not None}
        try:
            reply = settled(self._call(ask.prompt, **given))
        except ModelError:
            raise
        except Exception as error:  # a model may raise anything
            raise ModelError(f"the model failed: {failure(error)}") from error
        if isinstance(reply, Completion):
            return reply
        if not isinstance(reply, str):
            raise ModelError(f"the model returned a value of class '{type(reply).__name__}' and no text")
        if listen is not None:
            listen(reply)
        return Completion(reply)


class LocalCalls:
    """Tools of this process, several of one step side by side."""

    def __init__(self, tools: LocalTools, *, seconds: float | None = None, side_by_side: int = SIDE_BY_SIDE) -> None:
        self._tools = tools
        self._seconds = seconds
        self._side_by_side = max(side_by_side, 1)

    @property
    def names(self) -> tuple[str, ...]:
        return self._tools.names

    def describe(self) -> list[dict[str, Any]]:
        return self._tools.describe()

    def call(self, call: Call, *, seconds: float | None = None) -> Outcome:
        return self.call_all((call,), seconds=seconds)[0]

    def call_all(self, calls: Sequence[Call], *, seconds: float | None = None) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for start in range(0, len(calls), self._side_by_side):
            outcomes += self._at_once(calls[start : start + self._side_by_side], seconds)
        return outcomes

    def _at_once(self, calls: Sequence[Call], seconds: float | None) -> list[Outcome]:
        limits = [self._limit(call, seconds) for call in calls]
        if len(calls) == 1 and limits[0] is None:
            return [self._tools.call(calls[0])]
        jobs = [_Job(self._tools, call) for call in calls]
        for job in jobs:
            job.start()
        return [job.outcome_within(limit) for job, limit in zip(jobs, limits, strict=True)]

    def _limit(self, call: Call, seconds: float | None) -> float | None:
        """The tool's own limit beats that of the engine; no limit is longer than the time that is left."""
        tool = self._tools.tools.get(call.tool or "")
        own = tool.timeout if tool is not None and tool.timeout is not None else self._seconds
        return min((limit for limit in (own, seconds) if limit is not None), default=None)


class IsolatedCalls:
    """Tools in processes of their own, with limits that no call exceeds."""

    def __init__(
        self,
        toolbox: Toolbox,
        *,
        seconds: float | None = None,
        default: float = 30.0,
        side_by_side: int = SIDE_BY_SIDE,
    ) -> None:
        self._toolbox = toolbox
        self._side_by_side = max(side_by_side, 1)
        self._described = toolbox.describe()
        self._seconds = seconds
        self._limits = {tool["name"]: tool.get("timeout") or default for tool in self._described}
        self._default = default

    @property
    def names(self) -> tuple[str, ...]:
        return self._toolbox.names

    def describe(self) -> list[dict[str, Any]]:
        return self._described

    def call(self, call: Call, *, seconds: float | None = None) -> Outcome:
        return self._toolbox.call(call, seconds=self._limit(call, seconds))

    def call_all(self, calls: Sequence[Call], *, seconds: float | None = None) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for start in range(0, len(calls), self._side_by_side):
            some = calls[start : start + self._side_by_side]
            outcomes += self._toolbox.call_all(some, [self._limit(call, seconds) for call in some])
        return outcomes

    def _limit(self, call: Call, seconds: float | None) -> float:
        """What the user said beats what the tool says; the time that is left beats both."""
        own = self._seconds or self._limits.get(call.tool or "", self._default)
        return own if seconds is None else max(min(own, seconds), 0.001)


class _Job(Thread):
    """One call in a thread that nothing waits for at the end of the program."""

    def __init__(self, tools: LocalTools, call: Call) -> None:
        super().__init__(daemon=True)
        self._tools = tools
        self._call = call
        self._outcome: Outcome | None = None

    def run(self) -> None:
        self._outcome = self._tools.call(self._call)

    def outcome_within(self, seconds: float | None) -> Outcome:
        self.join(seconds)
        if self._outcome is not None:
            return self._outcome
        if seconds is None or not self.is_alive():
            return failed("tool_error", self._call.tool, f"'{self._call.tool}' gave no result")
        name = self._call.tool
        return failed("timeout", name, f"TimeoutError: '{name}' ran out of its time of {seconds:g} s")


def _named_parameters(function: Callable[..., Any]) -> frozenset[str]:
    """Names of parameters that can be given by name; those of a function that takes any are the ones we have."""
    from inspect import Parameter, signature  # 20 ms, which tools need as well

    try:
        parameters = signature(function).parameters.values()
    except (TypeError, ValueError):
        return frozenset()
    if any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters):
        return frozenset({"temperature", "stop"})
    by_name = (Parameter.KEYWORD_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return frozenset(parameter.name for parameter in parameters if parameter.kind in by_name)
