"""`ReActEngine`: drives a model through thought, action and observation until there is an answer or a reason to stop.

    engine = ReActEngine(llm, tools, max_steps=10)
    run = engine.run("How high is K2?")         a Run: answer, status, reason, iterations, trace, usage
    for recorded in engine.walk(question): …    the same step by step

The loop itself is in `loop.py`; here it is driven: by a model, by tools, and by whoever interrupts it.
"""

from __future__ import annotations

from time import monotonic

from reactcli.engine.callers import SIDE_BY_SIDE, CallableModel, LocalCalls
from reactcli.engine.loop import Course, Settings
from reactcli.engine.requests import Act, Ask, Completion, End, Model, ModelError, StopRun
from reactcli.errors import ReactcliError
from reactcli.formats.events import Closing, Opening, Recorded, trace_of
from reactcli.loops import Thresholds
from reactcli.parser import ReActAgentParser
from reactcli.prompt import HISTORIES, LANGUAGES, Prompt, default_text, prompt_of, style_of
from reactcli.tools import as_tools
from reactcli.tools.calls import LocalTools, failed
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
    from typing import Any, Protocol

    from reactcli.engine.callers import Tools
    from reactcli.engine.loop import Request
    from reactcli.prompt.budget import Summarise
    from reactcli.tools.calls import Call, Outcome
    from reactcli.trace import Trace

    Confirm = Callable[[Call, Outcome], bool]

    class Recorder(Protocol):
        """Keeps a run as it goes; see `recorder.py`."""

        def begin(self, question: str, about: Mapping[str, Any], earlier: Iterable[Recorded]) -> None: ...
        def add(self, recorded: Recorded) -> None: ...
        def finish(self, end: End, iterations: int) -> None: ...


__all__ = [
    "Ask",
    "Completion",
    "Listener",
    "Model",
    "ModelError",
    "Options",
    "ReActEngine",
    "Run",
]

INTERRUPTED = "interrupted"


class Run(Value):
    """What became of a question."""

    answer: str | None
    status: str
    """`finished`, `max_steps`, `loop`, `parse_error`, `llm_error`, `tool_error` or `stopped`."""
    reason: str
    """Why it ended without an answer, or what is special about the answer."""
    iterations: int
    """Completions that were asked for."""
    trace: Trace
    usage: Mapping[str, int] | None = None
    """`input_tokens` and `output_tokens`; None if the model does not count them."""


class Listener:
    """Is told how a run goes, while it goes. All of it does nothing here."""

    def asked(self, ask: Ask) -> None:
        """A completion is about to be asked for."""

    def heard(self, text: str | None) -> None:
        """Text of the completion has come; None: what has come of it so far is void."""

    def confirming(self, act: Act) -> None:
        """Whether calls may be made is about to be asked."""

    def acting(self, act: Act) -> None:
        """Calls are about to be made."""

    def acted(self, outcomes: Sequence[Outcome]) -> None:
        """They were made: what tools printed and where they failed is here, and in no recording."""

    def recorded(self, number: int, recorded: Recorded) -> None:
        """A step is done, and recorded if anything is."""


class Options(Value):
    """What an engine can be told beside its model and its tools; each is a keyword of `ReActEngine`."""

    history: str = "scratchpad"
    """`scratchpad`: the model is given one growing text. `messages`: a list of `{"role", "content"}`."""
    template: str | None = None
    """See `prompt/template.py`; None: that of dialect and language."""
    dialect: str = "auto"
    language: str = "en"
    on_both: str = "final"
    implicit_final: bool = False
    """A reply without any label is the final answer."""
    max_parse_errors: int = 3
    fatal_errors: Collection[str | type[BaseException]] = ()
    """Exceptions of tools, or statuses of outcomes, that end the run."""
    timeout: float | None = None
    """Seconds for a call, where the tool itself sets no limit."""
    deadline: float | None = None
    max_tokens: int | None = None
    max_output: int = 100 << 10
    """Characters of an observation that the model is shown; the trace keeps a million."""
    max_same_tool: int | None = None
    thresholds: Thresholds | None = None
    context: int | None = None
    """Tokens that a prompt may have, as estimated."""
    summarise: Summarise | None = None
    """Makes text of the turns that no longer fit."""
    reflect: bool = False
    answer_at_limit: bool = False
    side_by_side: int = SIDE_BY_SIDE
    temperature: float | None = 0.0
    confirm: Confirm | None = None
    """Whether a call may be made; asked before each, with the arguments as they were bound."""
    recorder: Recorder | None = None
    listener: Listener | None = None
    about: Mapping[str, Any] = {}  # a default that nothing writes to
    """What a recording should say of the run besides."""
    clock: Callable[[], float] = monotonic
    now: Callable[[], str] | None = None
    """The time of day, for a recording."""


class ReActEngine:
    """`llm` is a function from prompt to text, an object with `generate`, or a `Model`. `tools` are a mapping from name
    to function, a list of tools, or a toolbox. PromptError if the template cannot be used.
    """

    def __init__(self, llm: Any, tools: Any, max_steps: int = 10, **options: Any) -> None:
        self.options = options_ = Options(**options)
        self.is_waiting = False
        """True while a model or a tool is at work: only then does an interrupt end the run at once."""
        self.interruption = ""
        """Set from outside, it ends the run before the next request, as its reason."""
        self.model: Model = llm if isinstance(llm, Model) else CallableModel(llm, temperature=options_.temperature)
        self.tools: Tools = _as_callers(tools, options_)
        self._described = self.tools.describe()
        self._max_steps = _positive("max_steps", max_steps)
        self._template = self._template_text()
        self._prompt("")  # a template is checked before anything is asked
        self._settings = self._as_settings()

    def run(self, question: str, *, earlier: Iterable[Recorded] = ()) -> Run:
        """Go all the way. Whatever the model and the tools do is in the `Run`; only a recorder raises."""
        steps = self.walk(question, earlier=earlier)
        while True:
            try:
                next(steps)
            except StopIteration as stop:
                found: Run = stop.value
                return found

    def walk(self, question: str, *, earlier: Iterable[Recorded] = ()) -> Generator[Recorded, None, Run]:
        """The steps as they are done; the generator's value is the `Run`. It goes on from `earlier` steps."""
        prompt = self._prompt(question)
        parser = ReActAgentParser(
            self.options.dialect,
            primed=prompt.template.is_primed,
            on_both=self.options.on_both,
            implicit_final=self.options.implicit_final,
        )
        course = Course(prompt, parser, self._settings, self.options.clock)
        done = list(earlier)
        course.go_on_from(done)
        about = self._about()
        if self.options.recorder is not None:
            self.options.recorder.begin(question, about, done)
        end = yield from self._driven(course, done)
        if self.options.recorder is not None:
            self.options.recorder.finish(end, course.iterations)
        told = {"reason": end.reason} if end.reason else {}
        trace = trace_of([Opening(1, question, about), *done, Closing(end.status, end.answer, told)])
        return Run(end.answer, end.status, end.reason, course.iterations, trace, course.usage)

    def _driven(self, course: Course, done: list[Recorded]) -> Generator[Recorded, None, End]:
        """Answers the loop's requests until it ends."""
        requests = course.requests()
        try:
            request = next(requests)
            while True:
                if isinstance(request, Recorded):
                    done.append(request)
                    self._keep(len(done), request)
                    yield request
                    request = requests.send(None)
                else:
                    request = self._answered(requests, request)
        except StopIteration as stop:
            end: End = stop.value
            return end

    def _answered(self, requests: Generator[Request, Any, End], request: Ask | Act) -> Request:
        """The next request, behind the answer to this one."""
        try:
            answer = self._answer(request)
        except ModelError as error:
            hint = f" ({error.hint})" if error.hint else ""
            status = "llm_error" if isinstance(request, Ask) else "tool_error"
            return requests.throw(StopRun(status, f"{error.message}{hint}"))
        except KeyboardInterrupt as interrupt:
            return requests.throw(StopRun("stopped", str(interrupt) or INTERRUPTED))
        return requests.send(answer)

    def _answer(self, request: Ask | Act) -> Completion | list[Outcome]:
        if self.interruption:
            raise KeyboardInterrupt(self.interruption)
        listener = self.options.listener or Listener()
        self.is_waiting = True
        try:
            if isinstance(request, Ask):
                listener.asked(request)
                return self.model.complete(request, listener.heard)
            outcomes = self._outcomes(request, listener)
        finally:
            self.is_waiting = False
        listener.acted(outcomes)
        return outcomes

    def _outcomes(self, act: Act, listener: Listener) -> list[Outcome]:
        if self.options.confirm is not None:
            listener.confirming(act)
            if not all(self._is_allowed(call) for call in act.calls):
                return [failed("denied", call.tool, "the user did not allow this step") for call in act.calls]
        listener.acting(act)
        limit = act.seconds
        call_all = getattr(self.tools, "call_all", None)
        if call_all is not None and len(act.calls) > 1:
            found: list[Outcome] = call_all(act.calls, seconds=limit)
            return found
        return [self.tools.call(call, seconds=limit) for call in act.calls]

    def _is_allowed(self, call: Call) -> bool:
        """A call that cannot be made needs no permission: it fails of itself."""
        planned = self.tools.call(call.replace(dry=True))
        return planned.status != "ok" or (self.options.confirm is not None and self.options.confirm(call, planned))

    def _keep(self, number: int, recorded: Recorded) -> None:
        if self.options.recorder is not None:
            self.options.recorder.add(recorded)
        if self.options.listener is not None:
            self.options.listener.recorded(number, recorded)

    def _about(self) -> dict[str, Any]:
        """The header of a recording, without the question: enough to build every prompt again."""
        options = self.options
        started = {"started": options.now()} if options.now is not None else {}
        prompt = {
            "template": self._template,
            "dialect": options.dialect,
            "language": options.language,
            "history": options.history,
            "max_steps": self._max_steps,
            "context": options.context,
            "max_output": options.max_output,
        }
        return {"model": self.model.name, "tools": self._described, **started, "prompt": prompt, **options.about}

    def _prompt(self, question: str) -> Prompt:
        options = self.options
        return prompt_of(
            question,
            self._described,
            template=self._template,
            dialect=options.dialect,
            language=options.language,
            max_steps=self._max_steps,
            history=_one_of("history", options.history, HISTORIES),
            max_output=options.max_output,
            context=options.context,
            summarise=options.summarise,
        )

    def _template_text(self) -> str:
        if self.options.template is not None:
            return self.options.template
        return default_text(LANGUAGES.get(self.options.language), style_of(self.options.dialect))

    def _as_settings(self) -> Settings:
        options = self.options
        names = (error if isinstance(error, str) else error.__name__ for error in options.fatal_errors)
        thresholds = options.thresholds or Thresholds()
        if options.max_same_tool is not None:
            thresholds = thresholds.replace(same_tool=options.max_same_tool)
        return Settings(
            self._max_steps,
            _positive("max_parse_errors", options.max_parse_errors),
            frozenset(names),
            options.deadline,
            options.max_tokens,
            options.reflect,
            options.answer_at_limit,
            thresholds,
        )


def _as_callers(tools: Any, options: Options) -> Tools:
    if all(hasattr(tools, name) for name in ("names", "call", "describe")):
        found: Tools = tools
        return found
    return LocalCalls(LocalTools(as_tools(tools)), seconds=options.timeout, side_by_side=options.side_by_side)


def _positive(name: str, count: int) -> int:
    if count < 1:
        raise ReactcliError(f"{name} cannot be {count}", hint="it is at least 1")
    return count


def _one_of(name: str, value: str, values: tuple[str, ...]) -> str:
    if value not in values:
        raise ReactcliError(f"{name} cannot be '{value}'", hint=f"it is one of: {', '.join(values)}")
    return value
