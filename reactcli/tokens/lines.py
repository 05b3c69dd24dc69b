"""Read label lines: which of the lines that spell a label open a part, and where its body ends.

What a tool or a person wrote may hold lines that look like labels, so a label counts by where it stands: the table
`ENDED_BY` says which labels end which body, words of everyday prose need their context (conflict C16), and nothing
inside a balanced JSON value that opens a body counts (R1).
"""

from __future__ import annotations

import re
from itertools import pairwise

from reactcli.actions.names import is_terminal, says_no_action
from reactcli.diagnostics import diagnose
from reactcli.dialects.parts import Part, folded
from reactcli.loosejson import balanced_end
from reactcli.patterns import pattern
from reactcli.tokens.labels import BULLETS, EMPHASIS, SENTENCE_ENDS, labels_of
from reactcli.tokens.regions import is_within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from reactcli.tokens import Cut, Piece
    from reactcli.tokens.labels import Labels, Word

STRONG = {Part.ACTION, Part.FINAL_ANSWER}
_STARTS = {Part.QUESTION, Part.THOUGHT, Part.PLAN, Part.REFLECTION, Part.ASIDE, Part.ACTION, Part.ACTION_INPUT} | {
    Part.OBSERVATION,
    Part.FINAL_ANSWER,
    Part.ANSWER,
}
_ANSWER_ENDS = {Part.QUESTION, Part.THOUGHT, Part.OBSERVATION, Part.FINAL_ANSWER}
ENDED_BY = {
    Part.PREAMBLE: _STARTS,
    Part.QUESTION: _STARTS,
    Part.THOUGHT: _STARTS,
    Part.PLAN: _STARTS,
    Part.REFLECTION: _STARTS,
    Part.ASIDE: _STARTS,
    Part.ACTION: _STARTS,
    Part.ACTION_INPUT: _ANSWER_ENDS | {Part.ACTION, Part.ACTION_INPUT, Part.REFLECTION},
    Part.OBSERVATION: {Part.THOUGHT, Part.ACTION, Part.FINAL_ANSWER, Part.REFLECTION, Part.OBSERVATION},
    Part.FINAL_ANSWER: _ANSWER_ENDS,
    Part.ANSWER: _ANSWER_ENDS,
}
"""Which labels end the body of a part (R6, R8, R9)."""
_BEHIND_BLANK_LINE = {Part.QUESTION, Part.ANSWER, Part.PLAN}
"""What ends an observation only behind a blank line."""
RAW = {Part.ACTION_INPUT, Part.OBSERVATION, Part.FINAL_ANSWER, Part.ANSWER}
"""Parts in whose text a list item that looks like a label is a list item."""

_ITEM_SIGNS = BULLETS + "#"
"""Signs of an item, a quotation, a heading, or a comment in code."""
_REPORTED = 20
"""Labels in mid-line that are reported: a text that lost its line breaks may have thousands."""
_SHORT = 40
"""Characters of the longest action that is none."""
_NOT_SPACE = pattern(r"\S")
_BLANK_LINE_BEFORE = pattern(r"(?:\n|\r)[ \t\r]*\Z")
_STEP_AHEAD = pattern(r"[ \t*]*+(?:\r\n?|\n)?+[ \t*]*+(?:```|`?[\[{]|`?[\w.\-/]{1,100}[ \t]?[\[(])")
_GLUED_INPUT = pattern(
    r"[ \t]*+[^\s{\[`:：][^\r\n:：]{0,200}?[ \t]([*_]{0,3}(?:Action|Tool)[ _]?Input[*_]{0,3}[ \t]{0,3}[:：][*_]{0,3})",
    re.IGNORECASE,
)
EMPHASIS_HERE = pattern(rf"[ \t]*+([{re.escape(EMPHASIS)}]{{1,3}})[ \t]*+")


class _Reader:
    """The pieces found so far in one text, and what the next label is judged by."""

    def __init__(self, found: Cut) -> None:
        self.text = found.text
        self.end = found.window[1]
        self.labels = labels_of(found.dialect)
        self.pieces: list[Piece] = []
        self.part = Part.PREAMBLE
        self.listed = False
        """The mark of the current body is itself a list item."""
        self.thought = False
        """There is a thought since the last action."""
        self.value_end: int | None = None
        """Where the JSON value that opens the current body ends; None until it is asked for."""
        self.pauses = "\nPAUSE" in found.text
        """A PAUSE loop: its answer follows an observation directly."""
        self.plain_action: bool | None = None
        self.wasted = 0
        """Characters looked at for values that never balanced: bounded by the length of the text."""

    def take(self, label: re.Match[str]) -> None:
        """Judge one line that spells a label, and open a piece if it is one."""
        word = self.labels.word(label[2])
        if word is None or label.start(1) < self._protected():
            return
        before, after = label[1], label[3]
        body = label.end()
        if (before or after) and self._is_item(before):
            return
        if self.text[body - 1] not in ":：" and not may_lack_colon(before, after):
            return
        if not self._counts(word, label):
            return
        if before and not after.strip("】#"):
            body = past_closing_emphasis(self.text, before, body, self.end)
        self._open(word, label.start(1), body)

    def _open(self, word: Word, start: int, body: int) -> None:
        part = Part.ACTION_INPUT if word.tool else word.part
        if word.tool:
            self.pieces.append((Part.ACTION, start, start, start, word.tool))
        self.pieces.append((part, start, body, self.end, ""))
        self.part = part
        self.value_end = None
        if part is Part.THOUGHT:
            self.thought = True
        elif part is Part.ACTION:
            self.thought = False

    def _protected(self) -> int:
        """Up to where labels belong to the JSON value that opens the current body."""
        if self.value_end is None:
            self.value_end = 0
            if self.pieces and self.wasted <= len(self.text):
                first = _NOT_SPACE.search(self.text, self.pieces[-1][2], self.end)
                if first and first[0] in "{[":
                    self.value_end = balanced_end(self.text, first.start(), self.end) or 0
                    if not self.value_end:
                        self.wasted += self.end - first.start()
        return self.value_end

    def _is_item(self, before: str) -> bool:
        """A list item inside a body whose own label was none; sets `listed` for the piece that may open otherwise."""
        item = is_item(before)
        if item and not self.listed and (self.part in RAW or (self.part is Part.THOUGHT and self._acts_plainly())):
            return True
        if item:
            self.listed = True
        return False

    def _acts_plainly(self) -> bool:
        """Some action of the text is no list item, so that a list of actions in its thought is a plan."""
        if self.plain_action is None:
            lines = self.labels.at_line.finditer(self.text)
            found = (self.labels.word(line[2]) for line in lines if not line[1] and line[0][-1] in ":：")
            self.plain_action = any(word is not None and word.part is Part.ACTION for word in found)
        return self.plain_action

    def _counts(self, word: Word, label: re.Match[str]) -> bool:
        part = Part.ACTION if word.tool else word.part
        if word.in_context:
            return self._fits(part, label)
        if part in ENDED_BY[self.part]:
            return True
        if self.part is Part.ACTION_INPUT:
            return part is Part.ANSWER and self._asks_nothing(label.start())
        if self.part is Part.OBSERVATION:
            follows = part in _BEHIND_BLANK_LINE and _behind_blank_line(self.text, label.start())
            return follows or (part is Part.ANSWER and self.pauses)
        return self.part in (Part.FINAL_ANSWER, Part.ANSWER) and self._ends_answer(part, label)

    def _ends_answer(self, part: Part, label: re.Match[str]) -> bool:
        """A step behind it does, and Cohere's second answer."""
        if part is Part.ACTION:
            return self._starts_step(label.end())
        return folded(label[2]) in ("grounded answer", "groundedanswer")

    def _asks_nothing(self, at: int) -> bool:
        """The input before `at` is empty or none, and its action ends the run or is none (R7)."""
        if len(self.pieces) < 2 or at - self.pieces[-1][2] > _SHORT:
            return False
        action, given = self.pieces[-2:]
        name, told = self.text[action[2] : given[1]].strip(), self.text[given[2] : at].strip()
        if action[0] is not Part.ACTION or len(name) > _SHORT or not (is_terminal(name) or says_no_action(name)):
            return False
        return not told or says_no_action(told)

    def _fits(self, part: Part, label: re.Match[str]) -> bool:
        """Conflict C16: `Tool:` needs a thought or a `Tool Input:`, `Input:` an action, `Response:` an action."""
        if part is Part.ACTION:
            if self.part in RAW or self.part is Part.ACTION:
                return False
            return self.thought or self._next_part(label.end()) is Part.ACTION_INPUT
        if part is Part.ACTION_INPUT:
            return self.part is Part.ACTION
        if part is Part.OBSERVATION:
            return self.part in (Part.ACTION, Part.ACTION_INPUT)
        return self.part not in (Part.THOUGHT, *RAW) or _behind_blank_line(self.text, label.start())

    def _starts_step(self, body: int) -> bool:
        """An action inside an answer is a step if its value is a call or blob, or an action input follows (R6)."""
        return bool(_STEP_AHEAD.match(self.text, body)) or self._next_part(body) is Part.ACTION_INPUT

    def _next_part(self, at: int) -> Part | None:
        ahead = self.labels.at_line.search(self.text, at, self.end)
        word = ahead and self.labels.word(ahead[2])
        return word.part if word else None


def is_item(before: str) -> bool:
    """The decoration before a label makes its line an item of a list, a quotation or a heading."""
    return "* " in before or any(mark.isdigit() or mark in _ITEM_SIGNS for mark in before)


def past_closing_emphasis(text: str, before: str, body: int, end: int) -> int:
    """Where the body starts when bold or italics opened before the label and close behind its colon (R2)."""
    closing = EMPHASIS_HERE.match(text, body, end)
    if closing is None:
        return body
    last = max(before.rfind(mark) for mark in EMPHASIS)
    opening, behind = before[: last + 1], before[last + 1 :]  # an emoji or a number may stand in the bold
    is_bullet = behind[:1].isspace() and (closing[1] == "*" or bool(behind.strip()))
    return closing.end() if opening.endswith(closing[1][::-1]) and not is_bullet else body


def label_pieces(found: Cut) -> list[Piece]:
    """The pieces that label lines open, in order; each body ends where the next piece starts."""
    reader = _Reader(found)
    for label in _candidates(found, reader.labels):
        reader.take(label)
    return _with_glued_inputs(found, _closed(reader.pieces))


def _with_glued_inputs(found: Cut, pieces: list[Piece]) -> list[Piece]:
    """`Action: x Action Input: y` on one line: the input is taken out of the action."""
    text = found.text
    whole: list[Piece] = []
    for piece, following in zip(pieces, [*pieces[1:], None], strict=False):
        part, start, body, end, name = piece
        glued = None
        if part is Part.ACTION and not (following and following[0] is Part.ACTION_INPUT):
            glued = _GLUED_INPUT.match(text, body, end)
        if glued is None or text.count('"', body, glued.start(1)) % 2:
            whole.append(piece)
            continue
        found.note("label-in-mid-line", glued.span(1), label=glued[1].strip(" :：*_"))
        whole += [(part, start, body, glued.start(1), name), (Part.ACTION_INPUT, glued.start(1), glued.end(), end, "")]
    return whole


def inline_pieces(found: Cut, pieces: list[Piece]) -> list[Piece]:
    """The pieces of label lines, and those of labels in mid-line, for texts that lost their line breaks (R16): a final
    answer, or an action with its input.
    """
    if any(piece[0] is Part.ANSWER for piece in pieces):
        return pieces
    marks = list(_inline_marks(found, pieces))
    finals = [mark for mark in marks if mark[0] is Part.FINAL_ANSWER]
    begins = bool(pieces) and not found.text[found.window[0] : pieces[0][1]].strip()
    inputs = [
        piece
        for before, piece in pairwise(sorted([*pieces, *marks], key=lambda one: one[1]))
        if piece[0] is Part.ACTION_INPUT and (begins or _ends_sentence(found.text, before[1]))
    ]
    acts = sorted({*marks, *inputs}, key=lambda mark: mark[1])
    pair = next((one for one, two in pairwise(acts) if one[0] is Part.ACTION and two[0] is Part.ACTION_INPUT), None)
    if finals:
        chosen = finals[-1:]
    elif pair:
        chosen = [mark for mark in marks if mark[1] >= pair[1]]
    else:
        return pieces
    for part, at, body, _, _ in chosen[:_REPORTED]:
        label = found.text[at:body].strip(f" :：{EMPHASIS}")
        found.notes.append(diagnose("label-in-mid-line", (at, body), label=label or part))
    return _closed(sorted([*pieces, *chosen], key=lambda piece: piece[1]))


def _ends_sentence(text: str, at: int) -> bool:
    return text[max(0, at - _SHORT) : at].rstrip()[-1:] in (*".!?:;：", *SENTENCE_ENDS)


def _inline_marks(found: Cut, pieces: list[Piece]) -> Iterator[Piece]:
    """What spells a label in mid-line, outside regions and the JSON value that a label opens. In bold it may be what a
    sentence speaks of: it counts behind the end of one, or where the labels of the text are bold.
    """
    labels = labels_of(found.dialect)
    start, end = found.window
    is_bold = bool(pieces) and found.text[pieces[0][1]] in EMPHASIS
    value_end = start
    wasted = 0  # characters looked at for values that never balanced: bounded by the length of the text
    for mark in labels.inside.finditer(found.text, start, end):
        at, body = mark.start(1), mark.end()
        word = labels.word(mark[2])
        if not word or at < value_end or is_within(found.regions, at):
            continue
        if mark[1] and not is_bold and not _ends_sentence(found.text, at):
            continue
        if mark[1]:
            body = past_closing_emphasis(found.text, mark[1], body, end)
        opening = _NOT_SPACE.search(found.text, body, end)
        if opening and opening[0] in "{[" and wasted <= len(found.text):
            value_end = balanced_end(found.text, opening.start(), end) or body
            wasted += end - body if value_end == body else 0
        yield word.part, at, body, end, word.tool


def _candidates(found: Cut, labels: Labels) -> Iterator[re.Match[str]]:
    """Every line that spells a label, outside the regions where none counts; behind reasoning and the header of a turn,
    in mid-line too.
    """
    text = found.text
    start, end = found.window
    lines = labels.at_line_or_return if "\r" in text else labels.at_line
    at_line_start = True
    for first, last in [*found.regions, (end, end)]:
        if start < first:
            if at_line_start and (head := labels.here.match(text, start, first)):
                yield head
                start = head.start(2)
            yield from lines.finditer(text, start, first)
        if last > start:
            start = last
            at_line_start = text[last - 1 : last] in (">", "]")


def _closed(pieces: list[Piece]) -> list[Piece]:
    """The pieces with each body ended where the next piece starts."""
    closed = [(part, start, body, following[1], name) for (part, start, body, _, name), following in pairwise(pieces)]
    return closed + pieces[-1:]


def may_lack_colon(before: str, after: str) -> bool:
    """A heading, a word in `【】`, or a word in bold on a line of its own needs no colon."""
    return "#" in before or "】" in after or bool(after and before.endswith(after))


def _behind_blank_line(text: str, at: int) -> bool:
    """The line end at `at`, which may be CRLF, has an empty line before it."""
    at -= text.startswith("\r\n", at - 1)
    return bool(_BLANK_LINE_BEFORE.search(text, max(0, at - 40), at))
