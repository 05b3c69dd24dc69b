"""Where in the user's file a thing stands that was found in a trace: line, column and offsets, in any format.

A reader of a format says what was recorded and not where. So the file is looked at again while it is read: the texts of
a step (`spoken`) are looked for among the strings of the JSON from where the step before was found, and offsets inside
them are counted through their escapes; in text, the parser's spans say it. What is not found there as it is (an object
that became an action's input) has the place of what belongs to it.
"""

from __future__ import annotations

from reactcli.source import Source
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from reactcli.diagnostics import Diagnostic
    from reactcli.formats import Recorded
    from reactcli.source import Span
    from reactcli.trace import Step

SURE = 40
"""Characters of a text that are compared to know that it stands at an offset."""
EXCERPT_BEFORE, EXCERPT = 80, 240
"""Characters of a line that are kept with a place: before it and in all."""

_BEFORE = ("reasoning", "preamble", "thought", "reflection", "plan")
_CALLING = ("action", "action_input")
_BEHIND = ("final_answer", "hallucinated_observation")


class Place(Value):
    span: Span
    """Offsets in the text of the file (in code points, without a byte order mark); the end is exclusive."""
    line: int
    column: int
    """Both from 1, in code points."""
    end_line: int
    end_column: int
    excerpt: str
    """Of the line, around the place."""
    excerpt_at: int
    """Where in the excerpt the place begins."""


class Spoken:
    """A text of a step, and which: of several calls, the call's number from 0. Several a step, so no `Value`."""

    __slots__ = ("call", "key", "part", "text")

    def __init__(self, part: str, text: str, call: int = 0) -> None:
        self.part = part
        self.text = text
        self.call = call
        self.key = part, call


def spoken(step: Step) -> list[Spoken]:
    """What a step says, in the order in which it is said; nothing twice."""
    found = [Spoken(part, text) for part in _BEFORE if (text := getattr(step, part))]
    if step.parallel_actions:
        found += _spoken_calls(step)
    else:
        found += [Spoken(part, text) for part in _CALLING if (text := getattr(step, part))]
        if step.observation:
            found.append(Spoken("observation", step.observation))
    if step.is_final or step.hallucinated_observation:
        found += [Spoken(part, text) for part in _BEHIND if (text := getattr(step, part))]
    return found


def _spoken_calls(step: Step) -> Iterator[Spoken]:
    for number, action in enumerate(step.parallel_actions):
        for part, text in (("action", action.action), ("action_input", action.action_input)):
            if text:
                yield Spoken(part, text, number)
    told = [action.observation for action in step.parallel_actions]
    if not any(told):
        told = [step.observation]
    for number, text in enumerate(told):
        if text:
            yield Spoken("observation", text, number)


def telling(texts: list[Spoken], known: Mapping[tuple[str, int], object]) -> Spoken | None:
    """What stands for the whole step: its action, or else its thought or whatever has a place."""
    there = [said for said in texts if said.key in known]
    by_part = {said.part: said for said in reversed(there)}
    return by_part.get("action") or by_part.get("thought") or next(iter(there), None)


class TextPlaces:
    """Places in a text that was read as one."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._source = Source(text)
        self.texts: list[Spoken] = []
        """What the step says that is asked about."""
        self._offsets: dict[tuple[str, int], int] = {}
        self._shifts: list[tuple[int, int]] = []
        """Where the parser says that a text stands, and where it stands."""
        self._begin = 0
        self._end = 0

    def enter(self, recorded: Recorded) -> None:
        """The step that is asked about from now on. Steps come in order."""
        self.texts = spoken(recorded.step)
        spans = {part: span[0] for part, span in recorded.step.spans.items() if part != "question"}
        is_exact = all(self._says(said, spans.get(said.part)) for said in self.texts)
        self._begin = min(spans.values()) if spans and is_exact else self._end
        self._offsets, self._shifts = {}, []
        at = self._begin
        for said in self.texts:
            start = spans[said.part] if is_exact and said.part in spans and not said.call else at
            found = self._text.find(said.text, start, start + 2 * len(said.text) + 4000)
            if found >= 0 or (is_exact and said.part in spans):
                self._offsets[said.key] = max(found, start)
                at = self._offsets[said.key] + (len(said.text) if found >= 0 else 0)
                self._shifts.append((spans.get(said.part, start), self._offsets[said.key]))
        self._end = max(self._end, at)

    def _says(self, said: Spoken, start: int | None) -> bool:
        """The text stands where the parser says; without colours and time stamps it read another one than the file's.

        A value differs from its source in line ends, and by what was cut out of it: then its beginning is there.
        """
        if start is None or said.call:
            return True
        return self._text.startswith(said.text[:SURE].split("\n", 1)[0], start)

    def opened(self, question: str) -> None:
        """An episode begins with a question; the parser's spans know where its steps are."""

    def part(self, said: Spoken, start: int = 0, end: int | None = None) -> Place:
        """A range of one of the step's texts; where the text is not in the file as it is, of its beginning."""
        target = said.text[start:end]
        at = self._offsets.get(said.key)
        if at is None:
            return self.step()
        if not self._text.startswith(target, at + start):
            found = self._text.find(target, at, at + 2 * len(said.text) + 1000)
            return self._place(found, found + len(target)) if found >= 0 else self._place(at, self._line_end(at))
        return self._place(at + start, at + start + len(target))

    def noted(self, found: Diagnostic, _step: Step) -> Place:
        """The place of what the parser said of a step, as far from one of its texts as in the text that it read."""
        start, end = found.span
        if not self._shifts:
            return self._place(start, end)
        said_at, stands_at = max((shift for shift in self._shifts if shift[0] <= start), default=min(self._shifts))
        moved = max(stands_at - said_at + start, 0)
        return self._place(min(moved, len(self._text)), min(moved + end - start, len(self._text)))

    def noticed(self, found: Diagnostic) -> tuple[Place, str]:
        """The place of what reading the file told, and its message without that place."""
        if found.span == (0, 0) and found.code == "replaced-bytes":
            at = max(self._text.find("\ufffd"), 0)
            return self._place(at, at + 1), found.message
        return self._place(*found.span), found.message

    def outside(self, text: str, start: int = 0, end: int | None = None) -> Place:
        """A range of a text that belongs to no step, such as the question."""
        target = text[start:end]
        at = self._text.find(target, self._end)
        return self._place(at, at + len(target)) if at >= 0 else self._place(self._end, self._end)

    def step(self) -> Place:
        """The step's action, or else its thought or whatever there is."""
        said = telling(self.texts, self._offsets)
        return self.part(said) if said is not None else self._place(self._begin, self._begin)

    def _line_end(self, at: int) -> int:
        ends = [end for end in (self._text.find("\n", at), self._text.find("\r", at)) if end >= 0]
        return min(ends, default=len(self._text))

    def _place(self, start: int, end: int) -> Place:
        line, column = self._source.line_column(start)
        end_line, end_column = self._source.line_column(end)
        first = start - min(column - 1, EXCERPT_BEFORE)
        excerpt = self._text[first : first + EXCERPT]
        return Place((start, end), line, column, end_line, end_column, excerpt, start - first)
