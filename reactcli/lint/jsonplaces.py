"""Places in JSON: the texts of a step looked for among the strings of the lines that have been read."""

from __future__ import annotations

import re
from itertools import islice

from reactcli.comparison import actions_of
from reactcli.lint.places import EXCERPT, EXCERPT_BEFORE, Place, Spoken, spoken, telling
from reactcli.loosejson import read_arguments
from reactcli.parser import ReActAgentParser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from reactcli.diagnostics import Diagnostic
    from reactcli.formats import Recorded
    from reactcli.lint.window import Line, Token, Window
    from reactcli.trace import Step

REACH = 2000
"""Strings in which the beginning of a step is looked for."""
AHEAD = 80
"""Strings behind its beginning in which its parts are looked for."""
TELLING = 40
"""Characters of a step by which its string is known without reading it."""
SHORTEST_PART = 4
"""Characters of a text that is looked for inside of strings; shorter ones are in too many."""

_QUOTED = re.compile(r"'([^'\n]{1,200})'|(\"[^\"\n]{1,200}\")")
_PREFIX = re.compile(r"(line|step|element) (\d{1,12})(?:: )")


class JsonPlaces:
    """Places in JSON, of one document or of a record a line, while it is read."""

    def __init__(self, window: Window, *, is_document: bool = False) -> None:
        """The lines of a document are kept: its reader holds it whole, and may speak of its beginning at the end."""
        self._window = window
        self._is_document = is_document
        self._line = 1
        self._at = 0
        """Where in the line the next step is looked for: at a string or behind one."""
        self._inside = 0
        """Offset in the string that holds several steps."""
        self._found: dict[tuple[str, int], tuple[Token, int]] = {}
        self._step: Step | None = None
        self.texts: list[Spoken] = []
        """What the step says that is asked about."""
        self._record: Line | None = None
        """The line of the step, where the format has one record a line."""
        self._read: tuple[str, list[Step]] | None = None
        """The text that was parsed last, and its readings."""
        self._spelt: Token | None = None
        """The string that holds the whole step as ReAct text."""

    def enter(self, recorded: Recorded) -> None:
        """As for a text. Where records have lines, those before the step are forgotten."""
        self._found, self._spelt = {}, None
        if recorded.line > self._line:
            self._line, self._at, self._inside = recorded.line, 0, 0
        self._record = self._window.line(recorded.line) if recorded.line else None
        if not self._is_document:
            self._window.forget_before(self._line)
        self.texts = spoken(recorded.step)
        self._step = recorded.step
        if not recorded.line:
            self._look()

    def _look(self) -> None:
        """Find the texts, unless that was done. Where steps have lines, it is done only when places are asked for."""
        step, self._step = self._step, None
        if step is not None and not (step.dialect and self._enter_spelt(self.texts, step)):
            self._enter_fields(self.texts)

    def part(self, said: Spoken, start: int = 0, end: int | None = None) -> Place:
        self._look()
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

    def opened(self, question: str) -> None:
        """The steps of an episode begin behind its question, which may look like one."""
        for token in self._tokens(self._line, self._at, REACH):
            if token.value == question or question.endswith(f"\n\n{token.value}"):
                self._line, self._at, self._inside = token.line.number, token.behind, 0
                return

    def noted(self, found: Diagnostic, step: Step) -> Place:
        """The place of what the parser said of a step: of a call's input, or of the whole reply."""
        self._look()
        for number, action in enumerate(actions_of(step)):
            text = action.action_input or ""
            if ("action_input", number) in self._found and found in read_arguments(text, 0, len(text)).diagnostics:
                return self.part(Spoken("action_input", text, number), *found.span)
        tokens = [self._spelt] if self._spelt is not None else self._following(AHEAD)
        reply = next((token for token in tokens if self._is_said_of(token.value, found)), self._spelt)
        return self._of_token(reply, *found.span) if reply is not None else self.step()

    def in_reply(self, found: Diagnostic, reply: str) -> Place:
        """The place of what the parser said of the text of a reply that is recorded beside the step."""
        self._look()
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
        lines = self._window.since(1)
        named = (place for line in lines if (place := self._named_in(line, message)) is not None)
        return next(named, None) or (self._whole(self._record) if self._record is not None else self.step()), message

    def outside(self, text: str, start: int = 0, end: int | None = None) -> Place:
        target = text[start:end]
        for token in self._following(REACH):
            at = token.value.find(target)
            if at >= 0:
                return self._of_token(token, at, at + len(target))
        return self.step()

    def step(self) -> Place:
        self._look()
        said = telling(self.texts, self._found)
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
            number, at = first.line.number, first.start - 1
        else:
            number, at = self._line, self._at
        if self._record is not None and self._record.number == number:
            at = 0
        yield from self._tokens(number, at, most)

    def _tokens(self, number: int, at: int, most: int) -> Iterator[Token]:
        """Strings from an offset of a line on."""
        lines = self._window.since(number)
        tokens = (token for line in lines for token in line.tokens(at if line.number == number else 0))
        return islice(tokens, most)

    def _enter_fields(self, texts: list[Spoken]) -> None:
        """A string for each text."""
        wanted = {said.key: said.text for said in texts}
        left = REACH
        for token in self._tokens(self._line, self._at, REACH):
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
        for token in self._tokens(self._line, self._at, REACH):
            at = token.value.find(longest.text)
            if at >= 0:
                self._found = {
                    said.key: (token, inside) for said in texts if (inside := token.value.find(said.text)) >= 0
                }
                return

    def _enter_spelt(self, texts: list[Spoken], step: Step) -> bool:
        """One string for all that the model said, and another for what it was told."""
        said = [each for each in texts if each.part not in {"observation", "reasoning"}]
        token = self._spelling(said, step)
        if token is None:
            return False
        inside = self._inside if (token.line.number, token.start - 1) == (self._line, self._at) else 0
        self._spelt = token
        self._locate(token, said, inside)
        self._go_on()
        observed = [each for each in texts if each.part == "observation"]
        self._locate_observation(token, observed, whole=step.observation or "")
        return True

    def _spelling(self, said: list[Spoken], step: Step) -> Token | None:
        """The string that holds all that is said, but for an input, which may have been decoded.

        Short texts are in many strings: then it is the first that reads as this step, if there is one.
        """
        sure = [each.text for each in said if each.part != "action_input"]
        if not sure:
            return None
        is_telling = sum(map(len, sure)) >= TELLING
        inside, likely = self._inside, None
        for token in self._tokens(self._line, self._at, REACH):
            if all(token.value.find(text, inside) >= 0 for text in sure):
                if is_telling or any(_is_same(step, reading) for reading in self._readings(token.value)):
                    return token
                likely = likely or token
            inside = 0
        return likely

    def _readings(self, text: str) -> list[Step]:
        """How a reply may have been read."""
        if self._read is None or self._read[0] != text:
            plain = ReActAgentParser().parse(text)
            beaten = ReActAgentParser(on_both="action").parse(text) if plain.is_final and plain.shadowed else plain
            self._read = text, [plain, beaten]
        return self._read[1]

    def _is_said_of(self, text: str, found: Diagnostic) -> bool:
        return any(found in reading.diagnostics for reading in self._readings(text))

    def _locate(self, token: Token, said: list[Spoken], at: int) -> None:
        for each in said:
            found = token.value.find(each.text, at)
            found = found if found >= 0 else token.value.find(each.text)
            if found >= 0:
                self._found[each.key] = token, found
                at = max(at, found + len(each.text))
        self._inside = at

    def _locate_observation(self, spelt: Token, observed: list[Spoken], *, whole: str) -> None:
        for token in self._tokens(spelt.line.number, spelt.start - 1, AHEAD):
            start = self._inside if token is spelt else 0
            at = token.value.find(whole, start) if whole else -1
            if at >= 0:
                for each in observed:
                    self._found[each.key] = token, max(token.value.find(each.text, at), at)
                if token is spelt:
                    self._inside = at + len(whole)
                else:  # what answers a reply follows it
                    self._line, self._at, self._inside = token.line.number, token.behind, 0
                return

    def _go_on(self) -> None:
        """The next step begins behind what this one says, not behind what it was told: that may come late."""
        said = [token for (part, _), (token, _) in self._found.items() if part != "observation"]
        last = max(said, key=_order, default=None)
        if last is None:
            return
        self._line, self._at = last.line.number, last.start - 1 if self._spelt is not None else last.behind
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


def _is_same(step: Step, reading: Step) -> bool:
    """The parts that the text of a reply decides are the same."""
    return step.contract() == reading.contract()


def _order(token: Token) -> tuple[int, int]:
    return token.line.number, token.start
