"""What is wrong with a recorded run, where in its file, and what to do: findings over a whole trace.

    window = Window(stream)
    for finding in judge(open_recording(window), window): …     in the order in which they become known

A finding is a diagnostic (`diagnostics.CODES` has them all) with a step and a place in the file. Judged is what reading
the file told, what `parse` says of each step, and what only the steps together show: loops, missing answers, missing
observations and thoughts, secrets, characters that drive a terminal; with tools, also whether these exist and take what
they were given. Memory is bounded for formats of one record a line, whatever their length; no tool is run.
"""

from __future__ import annotations

from reactcli.diagnostics import CODES, Diagnostic, diagnose
from reactcli.formats import Opening, Recorded
from reactcli.lint.jsonplaces import JsonPlaces
from reactcli.lint.places import Place, TextPlaces
from reactcli.lint.run import Episode
from reactcli.lint.texts import spoken_notes, text_notes
from reactcli.lint.window import Window
from reactcli.loops import Thresholds, Watch
from reactcli.orders import REASONS, invention_in
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from reactcli.errors import FormatError
    from reactcli.formats import Closing, Recording
    from reactcli.lint.tools import ToolCheck
    from reactcli.loops import Loop
    from reactcli.trace import Step

    Places = TextPlaces | JsonPlaces

__all__ = ["Finding", "Rules", "Window", "judge", "refused"]

NOWHERE = Place((0, 0), 1, 1, 1, 1, "", 0)
SPELT = "openai-chat-react"
"""The format of chats that spell ReAct."""
OWN = frozenset({"reactcli", "steps", "map"})
"""Formats in which a reply that stands beside its step is ReAct text."""
DECISIONS = frozenset({*REASONS, "action-and-final-answer"})
"""Codes that say what a reply came to."""


class Finding(Value):
    code: str
    severity: str
    message: str
    hint: str
    place: Place
    step: int | None = None
    """Counted from 1 over the file; None for what is said of the file."""
    episode: int | None = None


class Rules(Value):
    """What is looked for and how."""

    codes: frozenset[str] = frozenset(CODES)
    """Those that are reported."""
    thresholds: Thresholds = Thresholds()
    tools: ToolCheck | None = None


def judge(recording: Recording, window: Window, rules: Rules | None = None) -> Iterator[Finding]:
    """The findings on one recording, which reads from the window."""
    rules = rules or Rules()
    return (finding for finding in _Judge(recording, window, rules).findings() if finding.code in rules.codes)


def refused(error: FormatError, rules: Rules | None = None) -> Iterator[Finding]:
    """The finding on a file that is no trace."""
    if "not-a-trace" in (rules or Rules()).codes:
        why = diagnose("not-a-trace", (0, 0)).replace(message=error.message, hint=error.hint)
        yield _finding(why, NOWHERE)


def _finding(found: Diagnostic, place: Place, step: int | None = None, episode: int | None = None) -> Finding:
    return Finding(found.code, found.severity, found.message, found.hint, place, step, episode)


class _Judge:
    """Walks one recording and remembers what is needed of the steps before."""

    def __init__(self, recording: Recording, window: Window, rules: Rules) -> None:
        self._recording = recording
        self._rules = rules
        self._places: Places = _places(recording, window)
        self._watch = Watch(rules.thresholds, tools=rules.tools.names if rules.tools else None)
        self._loop_seen: tuple[Place, int] | None = None
        self._episode = Episode(1, recording.format.name)
        self._number = 0

    def findings(self) -> Iterator[Finding]:
        for event in self._recording.events():
            if isinstance(event, Diagnostic):
                place, message = self._places.noticed(event)
                yield _finding(event.replace(message=message), place)
            elif isinstance(event, Opening):
                yield from self._opened(event)
            elif isinstance(event, Recorded):
                yield from self._recorded(event)
            else:
                yield from self._closed(event)
        yield from map(self._looped, self._watch.close())

    def _opened(self, opening: Opening) -> Iterator[Finding]:
        self._episode = Episode(opening.episode, self._recording.format.name)
        if opening.question:
            for note, (start, end) in text_notes("question", opening.question):
                yield _finding(note, self._places.outside(opening.question, start, end), episode=opening.episode)
            self._places.opened(opening.question)

    def _recorded(self, recorded: Recorded) -> Iterator[Finding]:
        self._number += 1
        step, number, episode = recorded.step, self._number, self._episode.number
        self._places.enter(recorded)
        for note, place in self._step_notes(recorded):
            yield _finding(note, place, number, episode)
        for note, place, where in self._episode.add(step, number, self._places):
            yield _finding(note, place, where, episode)
        is_error = recorded.meta.get("is_error") is True
        yield from self._looping(self._watch.add(step, is_error=is_error))

    def _closed(self, closing: Closing) -> Iterator[Finding]:
        for note, place, where in self._episode.close(closing, self._places):
            yield _finding(note, place, where, self._episode.number)

    def _step_notes(self, recorded: Recorded) -> Iterator[tuple[Diagnostic, Place]]:
        step, places = recorded.step, self._places
        for note in step.diagnostics:
            if note.code != "text-before-labels" or step.preamble:  # else the reader knew that it is the thought
                yield note, places.noted(note, step)
        if self._recording.format.name == SPELT and not step.dialect:
            yield from _said_of_unread(places)
        reply = recorded.meta.get("llm_output")
        if isinstance(reply, str) and isinstance(places, JsonPlaces) and self._recording.format.name in OWN:
            for note in _said_of_reply(reply, step):
                yield note, places.in_reply(note, reply)
        for note, said, (start, end) in spoken_notes(places.texts):
            yield note, places.part(said, start, end)
        if self._rules.tools is not None:
            for note, said in self._rules.tools.notes(step):
                yield note, places.part(said)

    def _looping(self, loop: Loop | None) -> Iterator[Finding]:
        """Loops that are over; where one begins to be a loop is remembered as its place."""
        for ended in self._watch.ended():
            yield self._looped(ended)
            self._loop_seen = None
        if loop is not None and self._loop_seen is None:
            self._loop_seen = self._episode.place_of(loop.kind, self._places), self._number

    def _looped(self, loop: Loop) -> Finding:
        found = diagnose(loop.kind, (0, 0), **loop.facts())
        steps = f"steps {loop.first} to {loop.last}"
        place, number = self._loop_seen or (NOWHERE, loop.first)
        return _finding(found.replace(message=f"{found.message} ({steps})"), place, number, self._episode.number)


def _places(recording: Recording, window: Window) -> Places:
    content = recording.content
    if content.kind != "text":
        return JsonPlaces(window, is_document=content.kind == "json")
    window.is_kept = False
    window.forget_before(1 << 62)
    return TextPlaces(content.text)


def _said_of_unread(places: Places) -> Iterator[tuple[Diagnostic, Place]]:
    """What is odd about a reply that became a thought or an answer as a whole, because it holds no action."""
    from reactcli.parser import ReActAgentParser  # loaded by the reader of the format

    for said in places.texts:
        if said.part in {"thought", "final_answer"}:
            for note in ReActAgentParser().parse(said.text).diagnostics:
                if note.code != "nothing-recognised":  # prose
                    yield note, places.part(said, *note.span)


def _said_of_reply(reply: str, step: Step) -> list[Diagnostic]:
    """What is odd about a recorded reply, read as the step beside it was; nothing that the step shows to be wrong."""
    known = {note.code for note in step.diagnostics}
    same = next((notes for reading, notes in _readings(reply) if reading.contract() == step.contract()), None)
    if same is None:
        (_, same), known = next(_readings(reply)), known | DECISIONS
    return [note for note in same if note.code not in known]


def _readings(reply: str) -> Iterator[tuple[Step, tuple[Diagnostic, ...]]]:
    """As a whole, and up to the observation that the model wrote itself, where a run ends it."""
    from reactcli.parser import ReActAgentParser  # 20 ms, and few recordings hold the replies too

    for parser in (ReActAgentParser(), ReActAgentParser(on_both="action")):
        whole = parser.parse(reply)
        yield whole, whole.diagnostics
        invented = invention_in(whole)
        if invented is not None:
            used = parser.parse(reply[: invented.span[0]])
            yield used, (*used.diagnostics, invented)
