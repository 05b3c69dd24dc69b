"""Where in the user's file a thing stands that was found in a trace: line, column and offsets, in any format.

A reader of a format says what was recorded and not where. So the file is looked at again while it is read: the texts of
a step (`spoken`) are looked for among the strings of the JSON from where the step before was found, and offsets inside
them are counted through their escapes; in text, the parser's spans say it. What is not found there as it is (an object
that became an action's input) has the place of what belongs to it.
"""

from __future__ import annotations

import re

from reactcli.comparison import actions_of
from reactcli.source import Source
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from reactcli.diagnostics import Diagnostic
    from reactcli.formats import Recorded
    from reactcli.lint.window import Line, Token, Window
    from reactcli.source import Span
    from reactcli.trace import Step

REACH = 2000
"""Strings of JSON in which the beginning of a step is looked for."""
AHEAD = 80
"""Strings behind its beginning in which its parts are looked for."""
SHORTEST_PART = 4
"""Characters of a text that is looked for inside of strings; shorter ones are in too many."""
EXCERPT_BEFORE, EXCERPT = 80, 240
"""Characters of a line that are kept with a place: before it and in all."""

_QUOTED = re.compile(r"'([^'\n]{1,200})'|(\"[^\"\n]{1,200}\")")
_PREFIX = re.compile(r"(line|step|element) (\d{1,12})(?:: )")


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


class Spoken(Value):
    """A text of a step, and which: of several calls, the call's number from 0."""

    part: str
    text: str
    call: int = 0

    @property
    def key(self) -> tuple[str, int]:
        return self.part, self.call


def spoken(step: Step) -> list[Spoken]:
    """What a step says, in the order in which it is said; nothing twice."""
    before = ("reasoning", "preamble", "thought", "reflection", "plan")
    found = [Spoken(part, text) for part in before if (text := getattr(step, part))]
    actions = actions_of(step)
    for number, action in enumerate(actions):
        of_call = (("action", action.action), ("action_input", action.action_input))
        found += (Spoken(part, text, number) for part, text in of_call if text)
    told = [Spoken("observation", action.observation, k) for k, action in enumerate(actions) if action.observation]
    if len(actions) < 2 or not told:
        told = [Spoken("observation", step.observation)] if step.observation else []
    found += told
    behind = (("final_answer", step.final_answer), ("hallucinated_observation", step.hallucinated_observation))
    return [*found, *(Spoken(part, text) for part, text in behind if text)]


def _telling(texts: list[Spoken], known: Mapping[tuple[str, int], object]) -> Spoken | None:
    """What stands for the whole step: its action, or else its thought or whatever has a place."""
    there = [said for said in texts if said.key in known]
    by_part = {said.part: said for said in reversed(there)}
    return by_part.get("action") or by_part.get("thought") or next(iter(there), None)


class TextPlaces:
    """Places in a text that was read as one."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._source = Source(text)
        self._texts: list[Spoken] = []
        self._offsets: dict[tuple[str, int], int] = {}
        self._begin = 0
        self._end = 0

    def enter(self, recorded: Recorded) -> None:
        """The step that is asked about from now on. Steps come in order."""
        step = recorded.step
        self._texts = spoken(step)
        spans = {part: span[0] for part, span in step.spans.items() if part != "question"}
        self._begin = min(spans.values(), default=self._end)
        at = self._begin
        self._offsets = {}
        for said in self._texts:
            start = spans.get(said.part, at) if not said.call else at
            found = self._text.find(said.text, start, start + 2 * len(said.text) + 4000)
            if found >= 0 or said.part in spans:
                self._offsets[said.key] = max(found, start)
                at = self._offsets[said.key] + (len(said.text) if found >= 0 else 0)
        self._end = max(self._end, at)

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
        return self._place(*found.span)

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
        said = _telling(self._texts, self._offsets)
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


class JsonPlaces:
    """Places in JSON, of one document or of a record a line, while it is read."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._line = 1
        self._token = 0
        self._inside = 0
        """Offset in the string that holds several steps."""
        self._found: dict[tuple[str, int], tuple[Token, int]] = {}
        self._texts: list[Spoken] = []
        self._record: Line | None = None
        """The line of the step, where the format has one record a line."""
        self._spelt: Token | None = None
        """The string that holds the whole step as ReAct text."""

    def enter(self, recorded: Recorded) -> None:
        """As for a text. Lines before the step are forgotten."""
        self._found, self._spelt = {}, None
        if recorded.line > self._line:
            self._line, self._token, self._inside = recorded.line, 0, 0
        self._record = self._window.line(recorded.line) if recorded.line else None
        self._window.forget_before(self._line)
        self._texts = texts = spoken(recorded.step)
        if recorded.step.dialect and self._enter_spelt(texts, recorded.step):
            return
        self._enter_fields(texts)

    def part(self, said: Spoken, start: int = 0, end: int | None = None) -> Place:
        end = len(said.text) if end is None else end
        if said.key in self._found:
            token, at = self._found[said.key]
            return self._of_token(token, at + start, at + end)
        target = said.text[start:end]
        for token in self._following(AHEAD):
            at = token.value.find(target)
            if at >= 0:
                return self._of_token(token, at, at + len(target))
        return self.step()

    def noted(self, found: Diagnostic, step: Step) -> Place:
        """The place of what the parser said of a step: of a call's input, or of the whole reply."""
        from reactcli.loosejson import read_arguments

        for number, action in enumerate(actions_of(step)):
            text = action.action_input or ""
            if ("action_input", number) in self._found and found in read_arguments(text, 0, len(text)).diagnostics:
                return self.part(Spoken("action_input", text, number), *found.span)
        if self._spelt is not None and found.span[1] <= len(self._spelt.value):
            return self._of_token(self._spelt, *found.span)
        return self.step()

    def in_reply(self, found: Diagnostic, reply: str) -> Place:
        """The place of what the parser said of the text of a reply that is recorded beside the step."""
        token = next((token for token in self._following(AHEAD) if token.value == reply), None)
        return self._of_token(token, *found.span) if token is not None else self.step()

    def noticed(self, found: Diagnostic) -> tuple[Place, str]:
        prefix = _PREFIX.match(found.message)
        message = found.message[prefix.end() :] if prefix else found.message
        if prefix and prefix[1] == "line":
            line = self._window.line(int(prefix[2]))
            if line is None:
                return Place((0, 0), int(prefix[2]), 1, int(prefix[2]), 1, "", 0), message
            return self._named_in(line, message) or self._whole(line), message
        lines = self._window.since(self._line)
        named = (place for line in lines if (place := self._named_in(line, message)) is not None)
        return next(named, None) or self.step(), message

    def outside(self, text: str, start: int = 0, end: int | None = None) -> Place:
        target = text[start:end]
        for token in self._following(REACH):
            at = token.value.find(target)
            if at >= 0:
                return self._of_token(token, at, at + len(target))
        return self.step()

    def step(self) -> Place:
        said = _telling(self._texts, self._found)
        if said is not None:
            token, at = self._found[said.key]
            return self._of_token(token, at, at + len(said.text))
        if self._record is not None:
            return self._whole(self._record)
        line = next(self._window.since(self._line), None)
        return self._whole(line) if line is not None else Place((0, 0), 1, 1, 1, 1, "", 0)

    # -- finding the texts of a step

    def _following(self, most: int) -> Iterator[Token]:
        """The strings from the step's beginning on."""
        first = min((place[0] for place in self._found.values()), key=_order, default=None)
        if first is not None:
            number, skipped = first.line.number, first.number
        else:
            number, skipped = self._line, self._token
        if self._record is not None and self._record.number == number:
            skipped = 0
        yield from self._tokens(number, skipped, most)

    def _tokens(self, number: int, skipped: int, most: int) -> Iterator[Token]:
        for line in self._window.since(number):
            tokens = line.tokens()
            for i in range(skipped, len(tokens)):
                yield tokens[i]
                most -= 1
                if not most:
                    return
            skipped = 0

    def _enter_fields(self, texts: list[Spoken]) -> None:
        """A string for each text."""
        wanted = {said.key: said.text for said in texts}
        left = REACH
        for token in self._tokens(self._line, self._token, REACH):
            key = next((key for key, text in wanted.items() if text == token.value), None)
            if key is not None:
                left = AHEAD if not self._found else left
                self._found[key] = token, 0
                del wanted[key]
            left -= 1
            if not wanted or not left:
                break
        if not self._found:
            self._enter_part_of_string(texts)
        self._go_on()

    def _enter_part_of_string(self, texts: list[Spoken]) -> None:
        """The string that holds the longest text, where a reader took parts out of one: a command out of a fence."""
        longest = max(texts, key=lambda said: len(said.text), default=None)
        if longest is None or len(longest.text) < SHORTEST_PART:
            return
        for token in self._tokens(self._line, self._token, REACH):
            at = token.value.find(longest.text)
            if at >= 0:
                self._found = {
                    said.key: (token, inside) for said in texts if (inside := token.value.find(said.text)) >= 0
                }
                return

    def _enter_spelt(self, texts: list[Spoken], step: Step) -> bool:
        """One string for all that the model said, and another for what it was told."""
        said = [each for each in texts if each.part not in {"observation", "reasoning"}]
        sure = [each for each in said if each.part != "action_input"]  # which may have been decoded
        if not sure:
            return False
        inside = self._inside
        for token in self._tokens(self._line, self._token, REACH):
            if all(token.value.find(each.text, inside) >= 0 for each in sure):
                self._spelt = token
                self._locate(token, said, inside)
                self._go_on()
                observed = [each for each in texts if each.part == "observation"]
                self._locate_observation(token, observed, whole=step.observation or "")
                return True
            inside = 0
        return False

    def _locate(self, token: Token, said: list[Spoken], at: int) -> None:
        for each in said:
            found = token.value.find(each.text, at)
            found = found if found >= 0 else token.value.find(each.text)
            if found >= 0:
                self._found[each.key] = token, found
                at = max(at, found + len(each.text))
        self._inside = at

    def _locate_observation(self, spelt: Token, observed: list[Spoken], *, whole: str) -> None:
        for token in self._tokens(spelt.line.number, spelt.number, AHEAD):
            start = self._inside if token is spelt else 0
            at = token.value.find(whole, start) if whole else -1
            if at >= 0:
                for each in observed:
                    self._found[each.key] = token, max(token.value.find(each.text, at), at)
                if token is spelt:
                    self._inside = at + len(whole)
                return

    def _go_on(self) -> None:
        """The next step begins behind what this one says, not behind what it was told: that may come late."""
        said = [token for (part, _), (token, _) in self._found.items() if part != "observation"]
        last = max(said, key=_order, default=None)
        if last is None:
            return
        self._line, self._token = last.line.number, last.number if self._spelt is not None else last.number + 1
        if self._spelt is None:
            self._inside = 0

    # -- places

    def _of_token(self, token: Token, start: int, end: int) -> Place:
        return self._in_line(token.line, token.offset(start), token.offset(end))

    def _whole(self, line: Line) -> Place:
        text = line.text.rstrip()
        return self._in_line(line, len(text) - len(text.lstrip()), len(text))

    def _named_in(self, line: Line, message: str) -> Place | None:
        """What the message quotes, where it stands last."""
        for quoted in _QUOTED.finditer(message):
            name = quoted[1] or quoted[2]
            at = line.text.rfind(name)
            if at >= 0:
                return self._in_line(line, at, at + len(name))
        return None

    def _in_line(self, line: Line, start: int, end: int) -> Place:
        first = max(start - EXCERPT_BEFORE, 0)
        excerpt = line.text[first : first + EXCERPT]
        span = (line.start + start, line.start + end)
        return Place(span, line.number, start + 1, line.number, end + 1, excerpt, start - first)


def _order(token: Token) -> tuple[int, int]:
    return token.line.number, token.number
