"""A run as it goes, for people: on a terminal the model's words as they come, elsewhere each step when it is done.

The text is that of `replay`. What a model or a tool wrote passes the gate piece by piece, and every line but the first
of a value is indented, so that nothing in it looks like a step of ours.
"""

from __future__ import annotations

from reactcli.cli.report import LONGEST_NAME, tell_asides
from reactcli.engine import Listener
from reactcli.render import Safe
from reactcli.render.console import paint
from reactcli.render.sanitise import show, show_line
from reactcli.render.walk import LONGEST_VALUE, TITLES, Look, step_text, value_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from reactcli.cli.shell import Shell
    from reactcli.engine import Ask
    from reactcli.engine.requests import Act
    from reactcli.formats.events import Recorded
    from reactcli.parser.stream import Event, StepStream
    from reactcli.tools.calls import Outcome

_SPOKEN = {
    **{part: (title, role) for part, title, role in TITLES},
    "action": ("Action", "key"),
    "action_input": ("Action Input", "key"),
    "final_answer": ("Final Answer", "string"),
    "answer": ("Final Answer", "string"),
}
UNTOLD = frozenset({"duration_ms"})
"""Facts that differ from run to run: shown with -v."""


class Silent(Listener):
    """For programs, which get one document in the end; people see on stderr what the tools print."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    def acted(self, outcomes: Sequence[Outcome]) -> None:
        for outcome in outcomes:
            tell_asides(self._shell, outcome)

    def close(self) -> None:
        """End what was begun, such as a spinner."""


class Plain(Silent):
    """For pipes and files: steps as they are done."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._look = Look(shell.out.is_coloured)

    def recorded(self, number: int, recorded: Recorded) -> None:
        meta = dict(recorded.meta)
        if not self._shell.verbose:
            meta = {key: value for key, value in meta.items() if key not in UNTOLD}
        self._shell.out.write(step_text(recorded.step, number, meta, self._look))
        self._shell.out.flush()
        self._tell_note(recorded)

    def _tell_note(self, recorded: Recorded) -> None:
        note = recorded.meta.get("note")
        if isinstance(note, str) and self._shell.verbose:
            self._shell.note(Safe(f"told to the model: {show_line(note, 500)}"))


class Live(Plain):
    """For terminals: a spinner while waiting, then the words as they come."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._look = Look(shell.out.is_coloured, LONGEST_VALUE, "a recording (--record) keeps them")
        self._spinner: AbstractContextManager[object] | None = None
        self._stream: StepStream | None = None
        self._part = ""
        self._ask: Ask | None = None

    def asked(self, ask: Ask) -> None:
        self._ask = ask
        self._stream = ask.parser.stream()
        self._part = ""
        self._write(paint(Safe(f"Step {ask.number}"), "bold", coloured=self._look.coloured) + "\n")
        self._spin(Safe("waiting for the model"))

    def heard(self, text: str | None) -> None:
        self._rest()
        if text is None:
            self._end_line()
            self._shell.note(Safe("the reply broke off, and is asked for again"))
            self._stream = self._ask.parser.stream() if self._ask else None
        elif self._stream is not None:
            self._tell(self._stream.feed(text))

    def confirming(self, act: Act) -> None:  # noqa: ARG002  # the question names the calls
        self._finish_reply()

    def acting(self, act: Act) -> None:
        self._finish_reply()
        names = ", ".join(show_line(str(call.tool), LONGEST_NAME) for call in act.calls)
        self._spin(Safe(f"running {names}"))

    def acted(self, outcomes: Sequence[Outcome]) -> None:
        self._rest()
        super().acted(outcomes)

    def recorded(self, number: int, recorded: Recorded) -> None:  # noqa: ARG002  # the number stands there already
        self._finish_reply()
        step = recorded.step
        failed = " (error)" if recorded.meta.get("is_error") is True else ""
        if step.parallel_actions:
            for place, action in enumerate(step.parallel_actions, 1):
                self._observation(f"Observation {place}{' (error)' if action.is_error else ''}", action.observation)
        else:
            self._observation(f"Observation{failed}", step.observation)
        self._write("\n")
        self._tell_note(recorded)

    def close(self) -> None:
        self._rest()
        self._end_line()

    def _observation(self, title: str, text: str | None) -> None:
        if text is not None:
            label = paint(Safe(f"{title}:"), "number", coloured=self._look.coloured)
            self._write(f"{label} {value_text(text, self._look)}\n")

    def _finish_reply(self) -> None:
        self._rest()
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close()
            self._tell(stream.rest)
        self._end_line()

    def _tell(self, events: list[Event]) -> None:
        for part, text in events:
            if part not in _SPOKEN:
                continue  # what a model invents as an observation is cut off
            if part != self._part:
                self._end_line()
                title, role = _SPOKEN[part]
                self._write(paint(Safe(f"{title}:"), role, coloured=self._look.coloured) + " ")
                self._part = part
            self._write(show(text).replace("\n", "\n  "))

    def _end_line(self) -> None:
        if self._part:
            self._write("\n")
        self._part = ""

    def _spin(self, text: Safe) -> None:
        self._rest()
        self._spinner = self._shell.notes.busy(text)
        self._spinner.__enter__()

    def _rest(self) -> None:
        spinner, self._spinner = self._spinner, None
        if spinner is not None:
            spinner.__exit__(None, None, None)

    def _write(self, text: str) -> None:
        self._shell.out.write(Safe(text))
        self._shell.out.flush()
