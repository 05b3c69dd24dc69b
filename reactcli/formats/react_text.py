"""ReAct text in any dialect, one or many episodes a file: read by the parser, and written in a dialect's spelling.

The parser is the judge of what is ReAct text. Written: `classic` and its languages (`zh`, `ru`, …), `llamaindex`,
`bracket` and `json`. A line of a value that would be read as a label gets a backslash before it, so that what
a tool said is never taken for a step; text has no other way to say so.
"""

from __future__ import annotations

import re

from reactcli.dialects import DIALECTS
from reactcli.dialects.parts import LABELS, Part
from reactcli.errors import FormatError, UnknownNameError
from reactcli.formats.consoletext import cleaned
from reactcli.formats.events import answered, episodes_of, events_of
from reactcli.formats.fields import input_of
from reactcli.formats.strict import encode, writable
from reactcli.observations import INSIDE, harmless, unescaped
from reactcli.registry import nearest
from reactcli.tokens.labels import labels_of
from reactcli.trace import Action

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from reactcli.formats.events import Event
    from reactcli.formats.loading import Content
    from reactcli.trace import Step, Trace

_BRACKETS = re.compile(r"[\[\]\r\n]")
_FENCE = re.compile(r"`{3,}|~{3,}")
_WRITTEN_FIELDS = ("thought", "observation", "final_answer", "question")
WRITTEN = ("classic", "llamaindex", "bracket", "json", *LABELS)
"""Dialects and languages that a trace can be written in."""


def matches(content: Content) -> bool:
    if content.kind != "text":
        return False
    head = content.text[:4096]
    return "\0" not in head or any(map(_starts_with_label, head.splitlines()))  # else it is no text at all


def read(content: Content) -> Iterator[Event]:
    """FormatError if the parser finds no step in the text."""
    from reactcli.parser import ReActAgentParser  # 20 ms, not needed for other formats

    text = cleaned(content.text, _starts_with_label, content.notice)
    trace = ReActAgentParser().parse_trace(text)
    if not any(step.action is not None or step.is_final or step.thought for step in trace.steps):
        why = f": {content.json_error}" if content.json_error else ""
        kind = "not JSON" if content.json_error else "neither JSON nor ReAct text"
        raise FormatError(f"no step was found; this is {kind}{why}", hint="`reactcli dialects` shows what is read")
    steps = tuple(map(_restored, trace.steps))
    whole = {"question": _plain(trace.question), "final_answer": _plain(trace.final_answer)}
    yield from events_of(trace.replace(steps=steps, **whole))


def write(trace: Trace, dialect: str = "classic") -> Iterator[str]:
    """The transcript, step by step; episodes are divided by a blank line."""
    if dialect not in WRITTEN:
        raise UnknownNameError("written dialect", dialect, nearest(dialect, WRITTEN), WRITTEN)
    spelling = _Spelling(dialect)
    for place, episode in enumerate(map(answered, episodes_of(trace))):
        question = spelling.line(Part.QUESTION, episode.question) if episode.question is not None else ""
        yield ("\n" if place else "") + question
        before: Step | None = None
        for number, step in enumerate(episode.steps, start=1):
            yield spelling.step(step, number, is_begun=before is None or not _does_nothing(before))
            before = step


def _restored(step: Step) -> Step:
    changes = {field: _plain(getattr(step, field)) for field in _WRITTEN_FIELDS}
    actions = tuple(action.replace(**_input(action)) for action in step.parallel_actions)
    return step.replace(**changes, **_input(step), parallel_actions=actions)


def _input(action: Action | Step) -> dict[str, Any]:
    """The input, and its arguments read again if they held a backslash of ours."""
    text = _plain(action.action_input)
    if text == action.action_input:
        return {}
    return {"action_input": text, "arguments": input_of(text).arguments}


def _plain(text: str | None) -> str | None:
    return None if text is None else unescaped(text)


def _does_nothing(step: Step) -> bool:
    return step.action is None and not step.is_final and not step.parallel_actions


def _starts_with_label(line: str) -> bool:
    labels = labels_of(DIALECTS.get("classic"))
    found = labels.here.match(line)
    return found is not None and labels.word(found[2]) is not None


class _Spelling:
    """How one dialect writes the parts of a step."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        table = LABELS["en"] | LABELS.get(dialect, {})
        self.words = {part: words.split("|")[0] for part, words in table.items()}
        if dialect == "llamaindex":
            self.words[Part.FINAL_ANSWER] = self.words[Part.ANSWER]

    def step(self, step: Step, number: int, *, is_begun: bool = True) -> str:
        """With a thought, if only its label, where nothing else tells that a step begins."""
        thought = step.thought or step.preamble
        is_labelled = bool(thought) or not is_begun or _does_nothing(step)
        text = self.line(Part.THOUGHT, thought, number) if is_labelled else ""
        if step.is_final:
            text += self.answer(step.final_answer or "", number, is_alone=not is_labelled)
        for action in step.parallel_actions or self._own(step):
            text += self.action(action, number)
        if step.observation is not None:
            text += self.observation(step.observation, number)
        return text

    def line(self, part: Part, text: str, number: int = 0) -> str:
        numbered = f" {number}" if self.dialect == "bracket" and number else ""
        colon = "：" if self.dialect == "zh" else ":"
        return f"{self.words[part]}{numbered}{colon} {self.harmless(text)}\n"

    def answer(self, text: str, number: int, *, is_alone: bool) -> str:
        if self._fits_brackets(text):
            return f"Action {number}: Finish[{self.harmless(text)}]\n"
        blank = "\n" if is_alone and self.dialect == "llamaindex" else ""  # or it belongs to the observation before it
        return blank + self.line(Part.FINAL_ANSWER, text)

    def action(self, action: Action, number: int) -> str:
        name = writable((action.action or "").replace("\n", " "))
        text = action.action_input
        if self._fits_brackets(text or ""):
            return f"Action {number}: {name}[{self.harmless(text or '')}]\n"
        if self.dialect == "json":
            blob = _unmarked(encode({"action": name, "action_input": self._value(action)}))
            return f"{self.line(Part.ACTION, '').rstrip()}\n```json\n{blob}\n```\n"
        given = self.line(Part.ACTION_INPUT, text) if text is not None else ""
        return self.line(Part.ACTION, name) + given

    def _fits_brackets(self, text: str) -> bool:
        """Other texts get lines of their own, as in `classic`: nothing says where a bracket of theirs ends."""
        return self.dialect == "bracket" and not _BRACKETS.search(text)

    def observation(self, text: str, number: int) -> str:
        return self.line(Part.OBSERVATION, text, number)

    def harmless(self, text: str) -> str:
        return harmless(writable(text))

    def _own(self, step: Step) -> tuple[Action, ...]:
        named = step.action is not None and not step.is_final
        return (Action(step.action, step.action_input, step.arguments),) if named else ()

    def _value(self, action: Action) -> object:
        if isinstance(action.arguments, dict | list):
            return action.arguments
        return None if action.action_input is None else self.harmless(action.action_input)


def _unmarked(json: str) -> str:
    """JSON text in whose strings no fence and no mark counts: they are escaped as JSON does it."""
    json = INSIDE.sub(lambda mark: f"\\u{ord(mark[1]):04x}{mark[2]}", json)
    return _FENCE.sub(lambda run: "".join(f"\\u{ord(mark):04x}" for mark in run[0]), json)
