"""ReAct text in any dialect, one or many episodes a file: read by the parser, and written in a dialect's spelling.

The parser is the judge of what is ReAct text. Written: `classic` and its languages (`zh`, `ru`, …), `llamaindex`,
`bracket` and `json`. A line of a value that would be read as a label gets a backslash before it, so that what
a tool said is never taken for a step; text has no other way to say so.
"""

from __future__ import annotations

from reactcli.dialects import DIALECTS
from reactcli.dialects.parts import LABELS, Part
from reactcli.errors import FormatError, UnknownNameError
from reactcli.formats.events import episodes_of, events_of
from reactcli.formats.strict import encode, writable
from reactcli.registry import nearest
from reactcli.tokens.labels import labels_of
from reactcli.trace import Action

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from reactcli.formats.events import Event
    from reactcli.formats.loading import Content
    from reactcli.trace import Step, Trace

WRITTEN = ("classic", "llamaindex", "bracket", "json", *LABELS)
"""Dialects and languages that a trace can be written in."""


def matches(content: Content) -> bool:
    return content.kind == "text" and "\0" not in content.text[:4096]


def read(content: Content) -> Iterator[Event]:
    """FormatError if the parser finds no step in the text."""
    from reactcli.parser import ReActAgentParser  # 20 ms, not needed for other formats

    trace = ReActAgentParser().parse_trace(content.text)
    if not any(step.action is not None or step.is_final or step.thought for step in trace.steps):
        why = f": {content.json_error}" if content.json_error else ""
        kind = "not JSON" if content.json_error else "neither JSON nor ReAct text"
        raise FormatError(f"no step was found; this is {kind}{why}", hint="`reactcli dialects` shows what is read")
    yield from events_of(trace)


def write(trace: Trace, dialect: str = "classic") -> Iterator[str]:
    """The transcript, step by step; episodes are divided by a blank line."""
    if dialect not in WRITTEN:
        raise UnknownNameError("written dialect", dialect, nearest(dialect, WRITTEN), WRITTEN)
    spelling = _Spelling(dialect)
    for place, episode in enumerate(episodes_of(trace)):
        question = spelling.line(Part.QUESTION, episode.question) if episode.question is not None else ""
        yield ("\n" if place else "") + question
        for number, step in enumerate(episode.steps, start=1):
            yield spelling.step(step, number)


class _Spelling:
    """How one dialect writes the parts of a step."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        table = LABELS["en"] | LABELS.get(dialect, {})
        self.words = {part: words.split("|")[0] for part, words in table.items()}
        if dialect == "llamaindex":
            self.words[Part.FINAL_ANSWER] = self.words[Part.ANSWER]
        self.labels = labels_of(DIALECTS.get("classic"))

    def step(self, step: Step, number: int) -> str:
        text = self.line(Part.THOUGHT, step.thought, number) if step.thought else ""
        if step.is_final:
            text += self.answer(step.final_answer or "", number)
        for action in step.parallel_actions or self._own(step):
            text += self.action(action, number)
        if step.observation is not None:
            text += self.observation(step.observation, number)
        return text

    def line(self, part: Part, text: str, number: int = 0) -> str:
        numbered = f" {number}" if self.dialect == "bracket" and number else ""
        colon = "：" if self.dialect == "zh" else ":"
        return f"{self.words[part]}{numbered}{colon} {self.harmless(text)}\n"

    def answer(self, text: str, number: int) -> str:
        if self.dialect == "bracket":
            return f"Action {number}: Finish[{self.harmless(text)}]\n"
        return self.line(Part.FINAL_ANSWER, text)

    def action(self, action: Action, number: int) -> str:
        name = writable((action.action or "").replace("\n", " "))
        text = action.action_input
        if self.dialect == "bracket":
            return f"Action {number}: {name}[{self.harmless(text or '')}]\n"
        if self.dialect == "json":
            blob = encode({"action": name, "action_input": self._value(action)})
            return f"{self.line(Part.ACTION, '').rstrip()}\n```json\n{blob}\n```\n"
        given = self.line(Part.ACTION_INPUT, text) if text is not None else ""
        return self.line(Part.ACTION, name) + given

    def observation(self, text: str, number: int) -> str:
        return self.line(Part.OBSERVATION, text, number)

    def harmless(self, text: str) -> str:
        """The text with a backslash before each line that would be read as a label."""
        return self.labels.at_line_or_return.sub(self._marked, f"\n{writable(text)}")[1:]

    def _marked(self, line: re.Match[str]) -> str:
        is_label = self.labels.word(line[2]) is not None
        return f"{line[0][0]}\\{line[0][1:]}" if is_label else line[0]

    def _own(self, step: Step) -> tuple[Action, ...]:
        named = step.action is not None and not step.is_final
        return (Action(step.action, step.action_input, step.arguments),) if named else ()

    def _value(self, action: Action) -> object:
        return action.arguments if isinstance(action.arguments, dict | list) else action.action_input
