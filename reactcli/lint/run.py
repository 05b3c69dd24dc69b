"""What only the steps of an episode together show: an answer, observations or thoughts that are missing."""

from __future__ import annotations

from reactcli.comparison import actions_of
from reactcli.diagnostics import diagnose
from reactcli.lint.places import Spoken
from reactcli.loops import is_error_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from reactcli.diagnostics import Diagnostic
    from reactcli.formats import Closing
    from reactcli.lint.jsonplaces import JsonPlaces
    from reactcli.lint.places import Place, TextPlaces
    from reactcli.trace import Action, Step

    Places = TextPlaces | JsonPlaces
    Note = tuple[Diagnostic, Place, int]
    """A finding, its place and its step."""

WRITTEN_AS_STEPS = frozenset({"react-text", "langchain-verbose", "steps", "reactcli", "map"})
"""Formats that write thoughts and observations of their own; in a chat an observation may be what the user said."""
NATIVE_CALLS = frozenset({"openai-chat-tools", "anthropic-messages", "langchain-messages", "langgraph-updates", "atif"})
"""Formats of calls that a model makes through its API, mostly without a word."""
WITHOUT_ANSWERS = frozenset({"langchain-steps"})
"""Formats that hold the steps before the answer."""
ENDING = frozenset(
    {"finish", "submit", "answer", "final_answer", "done", "exit", "terminate", "complete_task", "task_complete"}
    | {"mark_task_complete", "attempt_completion", "Finish", "Submit", "Answer"}
)
ENDING_COMMAND = "_FINAL_OUTPUT"
THINKING = frozenset({"think", "Think"})
"""Tools that only hold a thought."""
MOST_HELD = 1000
"""Findings that wait for the end of the run, which shows whether most of it lacks the same."""


class Episode:
    """What is known of one, step by step."""

    def __init__(self, number: int, format_name: str) -> None:
        self.number = number
        self._is_written = format_name in WRITTEN_AS_STEPS
        self._may_lack_thoughts = format_name in NATIVE_CALLS
        self._may_lack_answer = format_name in WITHOUT_ANSWERS
        self._thoughts = _Lacking("as most actions of this run were")
        self._observations = _Lacking("and so it is with most actions of this run")
        self._unanswered: Note | None = None
        self._last = 0
        self._observed: Spoken | None = None
        self._is_done = False

    def add(self, step: Step, number: int, places: Places) -> Iterator[Note]:
        """What is now sure. The places are those of the step."""
        if self._unanswered is not None:
            self._observations.lack(self._unanswered)
            self._unanswered = None
        yield from self._judge(step, number, places)
        self._last = number
        self._is_done = step.is_final or any(map(_ends, actions_of(step)))

    def close(self, closing: Closing, places: Places) -> Iterator[Note]:
        """What the end shows. The places are still those of the last step."""
        yield from self._observations.notes()
        if not self._may_lack_thoughts:
            yield from self._thoughts.notes()
        is_done = self._is_done or closing.final_answer is not None or closing.status == "finished"
        if self._last and not is_done and not self._may_lack_answer:
            yield diagnose("no-final-answer", (0, 0)), places.step(), self._last

    def place_of(self, kind: str, places: Places) -> Place:
        """Where a loop is seen: at the error that comes again, else at the call."""
        if kind == "repeated-error" and self._observed is not None:
            return places.part(_first_line(self._observed))
        return places.step()

    def _judge(self, step: Step, number: int, places: Places) -> Iterator[Note]:
        actions = actions_of(step)
        self._observed = next((said for said in places.texts if said.part == "observation"), None)
        if actions:
            self._judge_thought(step, actions, number, places)
            yield from self._judge_observation(step, actions, number, places)
        elif self._observed is not None and not step.is_final and self._is_written:
            yield from _orphan(self._observed, number, places)

    def _judge_thought(self, step: Step, actions: tuple[Action, ...], number: int, places: Places) -> None:
        if step.thought or step.reasoning or step.preamble or step.plan or step.reflection:
            self._thoughts.have()
        elif actions[0].action not in THINKING:
            place = places.step()
            self._thoughts.lack((diagnose("action-without-thought", (0, 0), tool=actions[0].action), place, number))

    def _judge_observation(
        self, step: Step, actions: tuple[Action, ...], number: int, places: Places
    ) -> Iterator[Note]:
        """A step without one is a finding when another follows; some calls of several without, at once."""
        told = [action for action in actions if action.observation is not None]
        lacking = next((action for action in actions if action.observation is None), None)
        if step.observation is None and not told:
            self._unanswered = self._silent(actions[0], 0, number, places)
            return
        self._observations.have()
        if lacking is not None and told:
            yield self._silent(lacking, actions.index(lacking), number, places)

    def _silent(self, action: Action, call: int, number: int, places: Places) -> Note:
        place = places.part(Spoken("action", action.action or "", call))
        return diagnose("action-without-observation", (0, 0), tool=action.action or ""), place, number


class _Lacking:
    """Findings about what some steps lack: each for itself, or one for all if most steps lack it."""

    def __init__(self, most_of_them: str) -> None:
        self._most_of_them = most_of_them
        self._held: list[Note] = []
        self._lacking = 0
        self._having = 0

    def lack(self, note: Note) -> None:
        self._lacking += 1
        if self._lacking <= max(self._having, MOST_HELD):
            self._held.append(note)

    def have(self) -> None:
        self._having += 1

    def notes(self) -> Iterator[Note]:
        if len(self._held) < 2 or self._lacking <= self._having:
            yield from self._held
            return
        note, place, number = self._held[0]
        yield note.replace(message=f"{note.message}, {self._most_of_them}"), place, number


def _orphan(observed: Spoken, number: int, places: Places) -> Iterator[Note]:
    """An error is what the loop says of a reply that it could not read."""
    if not is_error_text(observed.text):
        yield diagnose("observation-without-action", (0, 0)), places.part(_first_line(observed)), number


def _ends(action: Action) -> bool:
    """Agents without a label for the answer call a tool, or run a command, that ends the run."""
    return action.action in ENDING or ENDING_COMMAND in (action.action_input or "")


def _first_line(said: Spoken) -> Spoken:
    return Spoken(said.part, said.text.lstrip().split("\n", 1)[0], said.call) if "\n" in said.text else said
