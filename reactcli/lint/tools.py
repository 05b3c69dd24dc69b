"""Whether the tools that a run calls exist, and take what they are given. Nothing is called."""

from __future__ import annotations

from reactcli.comparison import PLAIN_KEY, actions_of, meaning
from reactcli.diagnostics import diagnose
from reactcli.lint.places import Spoken
from reactcli.tools.calls import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reactcli.diagnostics import Diagnostic
    from reactcli.tools.calls import Outcome
    from reactcli.trace import Action, Step

REMEMBERED = 10_000
"""Calls whose verdict is kept: a run makes many of them more than once."""


class ToolCheck:
    """Binds each call to its tool's parameters, and remembers what came of it."""

    def __init__(self, names: tuple[str, ...], bind: Callable[[Call], Outcome]) -> None:
        self.names = names
        self._bind = bind
        self._known: dict[tuple[str | None, str | None], Outcome] = {}

    def notes(self, step: Step) -> Iterator[tuple[Diagnostic, Spoken]]:
        """The findings on a step's calls, and the text that each is about. Input that was cut off is judged already."""
        for number, action in enumerate(actions_of(step)):
            outcome = self._outcome(action)
            name = action.action or ""
            if outcome.status == "unknown_tool":
                way_out = (outcome.error or "").partition("not found; ")[2]
                note = diagnose("unknown-tool", (0, 0), tool=name, way_out="")
                yield note.replace(hint=way_out), Spoken("action", name, number)
            elif outcome.status == "bad_arguments" and not step.truncated:
                why = (outcome.error or "").removeprefix(f"'{name}' was not run: ")
                said = Spoken("action_input", action.action_input, number) if action.action_input else None
                note = diagnose("bad-arguments", (0, 0), tool=name, why="{why}")
                yield note.replace(message=note.message.replace("{why}", why)), said or Spoken("action", name, number)

    def _outcome(self, action: Action) -> Outcome:
        key = action.action, meaning(action)
        if key not in self._known:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[key] = self._bound(action)
        return self._known[key]

    def _bound(self, action: Action) -> Outcome:
        """Text that a format wrapped in an object is taken as text too, as when it is run again."""
        outcome = self._bind(Call(action.action, action.action_input, action.arguments, dry=True))
        wrapped = isinstance(action.arguments, dict) and action.arguments.keys() == {PLAIN_KEY}
        if outcome.status == "bad_arguments" and wrapped and isinstance(action.arguments[PLAIN_KEY], str):
            return self._bind(Call(action.action, action.arguments[PLAIN_KEY], dry=True))
        return outcome
