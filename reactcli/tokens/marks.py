"""Read tags and tokens: where each opens a part, and where its body ends.

A body ends at its closing mark; where that is missing, at the next mark that may stand there. Labels of the classic
kind still count between the marks (a `Thought:` before a tag), and prose before the first mark is the thought.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from itertools import chain

from reactcli.dialects.parts import Part
from reactcli.loosejson import balanced_end
from reactcli.patterns import pattern
from reactcli.source import spans_from
from reactcli.tokens.regions import is_within

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from reactcli.dialects import Dialect, Mark
    from reactcli.source import Span
    from reactcli.tokens import Cut, Piece

_BESIDE_MARKS = {Part.QUESTION, Part.THOUGHT, Part.PLAN, Part.REFLECTION, Part.OBSERVATION, Part.FINAL_ANSWER}
"""Labels that count between marks."""
LEFTOVER = pattern(
    r"(?:<\|im_start\|>\w{1,20}\n|<\|start_header_id\|>\w{1,20}<\|end_header_id\|>|\s|</?[\w=|.:-]{1,60}>|<\|[^<>|\n]{1,40}\|>|```\w{0,20})*+"
)
"""White space, closing tags and role tokens around marks: nobody's text."""


class Marks:
    """The mark patterns of one dialect as one pattern, and the index of the mark that a match found."""

    def __init__(self, marks: tuple[Mark, ...]) -> None:
        numbered = (f"(?P<m{number}>{_numbered(mark.opens, number)})" for number, mark in enumerate(marks))
        self.pattern = pattern("|".join(numbered))
        self.marks = marks
        self.named = {f"name{number}" for number, mark in enumerate(marks) if "(?P<name>" in mark.opens}

    def of(self, match: re.Match[str]) -> tuple[Mark, str]:
        """The mark of a match, and the tool or argument it names."""
        number = next(n for n in range(len(self.marks)) if match[f"m{n}"] is not None)
        mark = self.marks[number]
        name = match[f"name{number}"] if f"name{number}" in self.named else ""
        return mark, name or mark.tool


def _numbered(opens: str, number: int) -> str:
    """A mark's pattern with its groups named apart from those of other marks."""
    return opens.replace("(?P<name>", f"(?P<name{number}>").replace("(?P<id>", f"(?P<id{number}>")


_BEFORE_TAG = pattern(r"(?:\A|[\r\n>])[ \t]*\Z")
_LINE = pattern(r"[^\r\n]*+")
_BLANK = pattern(r"\s*+")
_SENTENCE = 200
"""Characters looked at on either side of a tag in a sentence."""
_VALUE = pattern(r"\s*+[{\[]")
_ARGUMENTS_LIMIT = 60
"""Arguments of one call that are looked back over for its action."""
_compiled: dict[str, Marks] = {}


class _Bodies:
    """Where bodies end. Each closing mark is searched for at most once per place, and values that never balance are
    looked at for at most the length of the text, so the whole is linear.
    """

    def __init__(self, text: str, end: int, marks: Marks) -> None:
        self.text = text
        self.marks = marks
        self.end = end
        self.next: dict[str, int] = {}
        self.wasted = 0

    def close(self, mark: Mark, opening: re.Match[str]) -> tuple[int | None, int]:
        """The place of the mark that closes a body, if there is one, and up to where the body is one JSON value."""
        value_end = self._value_end(opening.end())
        if not mark.closes:
            return None, value_end
        return self._after(_closer(mark, opening), value_end), value_end

    def _after(self, closer: str, at: int) -> int | None:
        place = self.next.get(closer, -2)
        if place != -1 and place < at:
            place = self.next[closer] = self.text.find(closer, at, self.end)
        return place if place >= 0 else None

    def _value_end(self, body: int) -> int:
        first = _VALUE.match(self.text, body, self.end)
        if first is None or self.wasted > len(self.text):
            return body
        if self.marks.pattern.match(self.text, first.end() - 1, self.end):  # `[ACTION]` is no list
            return body
        value_end = balanced_end(self.text, first.end() - 1, self.end)
        if value_end is None:
            self.wasted += self.end - body
        return value_end or body


def _closer(mark: Mark, opening: re.Match[str]) -> str:
    """The text that closes what a match opened."""
    return mark.closes.format(tag=opening[0][1:-1])


def mark_pieces(found: Cut, dialect: Dialect, labelled: list[Piece]) -> list[Piece]:
    """The pieces that a dialect's marks open, with the labels and prose between them; empty if no mark is there."""
    if dialect.name not in _compiled:
        _compiled[dialect.name] = Marks(dialect.marks)
    opened, unclosed = _opened(found, _compiled[dialect.name], _labelled_values(found, labelled))
    if not opened and not dialect.fences:
        return []
    if dialect.fences:
        opened = opened or fence_pieces(found, dialect)
    opened = [_with_label(piece, found.text, labelled) for piece in opened]
    between = [piece for piece in labelled if piece[0] in _BESIDE_MARKS and _stands_free(piece, opened, unclosed)]
    return _with_prose(found, opened, between, unclosed)


def _with_label(piece: Piece, text: str, labelled: list[Piece]) -> Piece:
    """An action with the label that stands right before its mark."""
    part, start, body, end, name = piece
    label = labelled[bisect_right(labelled, start, key=lambda label: label[1]) - 1] if labelled else piece
    if part is Part.ACTION is label[0] and label[2] <= start == _BLANK.match(text, label[2], start).end():  # type: ignore[union-attr]  # it matches anywhere
        start = label[1]
    return part, start, body, end, name


def _labelled_values(found: Cut, labelled: list[Piece]) -> list[Span]:
    """The JSON values that open the bodies of labels: what looks like a mark in them is their text (R1)."""
    values: list[Span] = []
    for part, _, body, end, _ in labelled:
        if part in (Part.ACTION, Part.ACTION_INPUT) and (first := _VALUE.match(found.text, body, end)):
            values.append((first.end(), balanced_end(found.text, first.end() - 1, end) or body))
    return values


def _opened(found: Cut, marks: Marks, values: list[Span]) -> tuple[list[Piece], set[int]]:
    """The pieces that marks open, and the starts of those that nothing closes but the next mark."""
    text, (start, end) = found.text, found.window
    bodies = _Bodies(text, end, marks)
    pieces: list[Piece] = []
    unclosed: set[int] = set()
    outer_end = 0  # where the body ends that is open; only arguments may stand in it
    for match in marks.pattern.finditer(text, start, end):
        at, body = match.span()
        mark, name = marks.of(match)
        if name and pieces and _is_around(pieces[-1], mark) and not text[pieces[-1][2] : at].strip():
            at = pieces.pop()[1]  # the mark inside says more: <tool_call> around <function=…>
            outer_end = 0
        nested = at < outer_end
        if is_within(found.regions, at) or is_within(values, at) or (nested and mark.part is not Part.ARGUMENT):
            continue
        if mark.part is Part.ARGUMENT and not _may_argue(pieces, at):
            continue
        close, value_end = bodies.close(mark, match)
        following = marks.pattern.search(text, value_end, end)
        names_itself = "{tag}" in mark.closes  # then a tag inside is not a sign that this one was never closed
        if close is not None and not names_itself and following and following.start() < close:
            close = None if _same(marks, following, mark) else close
        if _is_mentioned(text, match, mark, close):
            continue
        if close is None and not following:
            close = _half_closed(text, body, end, _closer(mark, match))
        stop = close
        if stop is None:
            further = following.start() if following and (not nested or _same(marks, following, mark)) else end
            stop = min(further, outer_end) if nested else further
            unclosed |= set() if nested else {at}
        pieces.append((mark.part, at, body, stop, name))
        if not nested:
            outer_end = stop if close is not None else value_end
    return pieces, unclosed


def _is_mentioned(text: str, match: re.Match[str], mark: Mark, close: int | None) -> bool:
    """A sentence speaks of the tag: it is quoted as code, its body is prose, or the line goes on behind it (where the
    tag alone is the call).
    """
    at, body = match.span()
    quoted = text[at - 1 : at] in ("`", '"') and at > 0
    if mark.part is not Part.ACTION or text[at] != "<" or text.startswith(("<|", "<｜"), at):
        return quoted and text[at] == "<"
    if quoted or (mark.body and not _body_pattern(mark.body).match(text, body)):
        return True
    if close is None or close - body > _SENTENCE or _BEFORE_TAG.search(text, max(0, at - _SENTENCE), at):
        return False
    if not mark.tool and not (mark.body and text[body:close].lstrip()[:1].isalnum()):
        return False
    line = _LINE.match(text, body, close + _SENTENCE)
    behind = close + len(_closer(mark, match))
    rest = text[behind : line.end()] if line else ""
    return not rest.lstrip().startswith("<") and any(character.isalnum() for character in rest)


@cache
def _body_pattern(source: str) -> re.Pattern[str]:
    return pattern(source)


def _half_closed(text: str, start: int, end: int, closer: str) -> int | None:
    """Where a closing tag begins that the end of the text cuts off."""
    at = text.rfind("</", max(start, end - len(closer)), end) if closer.startswith("</") else -1
    return at if at >= 0 and closer.startswith(text[at:end]) else None


def _is_around(piece: Piece, mark: Mark) -> bool:
    return piece[0] is mark.part and not piece[4]


def _may_argue(pieces: list[Piece], at: int) -> bool:
    """An argument needs an action before it, and does not stand in the value of another one."""
    is_inside = bool(pieces) and pieces[-1][0] is Part.ARGUMENT and at < pieces[-1][3]
    return not is_inside and any(piece[0] is Part.ACTION for piece in pieces[-_ARGUMENTS_LIMIT:])


def _same(marks: Marks, following: re.Match[str], mark: Mark) -> bool:
    """The next mark opens the same part again: the one before it was never closed. In the middle of a line, an argument
    is part of the text of another.
    """
    if marks.of(following)[0].part is not mark.part:
        return False
    at = following.start()
    return mark.part is not Part.ARGUMENT or bool(_BEFORE_TAG.search(following.string, max(0, at - _SENTENCE), at))


def fence_pieces(found: Cut, dialect: Dialect) -> list[Piece]:
    """Fenced code as the action: the last block, or the only one (none if there are several)."""
    fences = [fence for fence in found.fences if not dialect.fence_words or fence.word in dialect.fence_words]
    if dialect.fences == "only" and len(fences) != 1:
        found.note("several-actions", (fences[0].start, fences[-1].end) if fences else found.window, count=len(fences))
        return []
    if not fences:
        return []
    fence = fences[-1]
    found.regions = [region for region in found.regions if region != (fence.start, fence.end)]
    return [(Part.ACTION, fence.start, fence.inner_start, fence.inner_end, "bash")]


def _stands_free(label: Piece, opened: list[Piece], unclosed: set[int]) -> bool:
    """A label outside the bodies of marks, or an observation that ends an action which nothing closed (R9)."""
    index = bisect_right(opened, label[1], key=lambda piece: piece[1]) - 1
    if index < 0 or label[1] >= opened[index][3] or label[1] < opened[index][1]:
        return True
    ends = label[0] is Part.OBSERVATION and opened[index][0] in (Part.ACTION, Part.ACTION_INPUT, Part.ASIDE)
    return ends and opened[index][1] in unclosed


def _with_prose(found: Cut, opened: list[Piece], between: list[Piece], unclosed: set[int]) -> list[Piece]:
    """The marks' pieces, the labels that stand between them, and the prose before a mark as its thought."""
    open_ended = {piece[1] for piece in between} | unclosed
    pieces = sorted([*opened, *between], key=lambda piece: piece[1])
    told: list[Piece] = []
    at = found.window[0]
    for number, piece in enumerate(pieces):
        part, start, body, end, name = piece
        if start in open_ended:
            end = pieces[number + 1][1] if number + 1 < len(pieces) else found.window[1]
        if number or piece not in between:  # text before the first label is the preamble (R10)
            told += _prose(found, at, start, told)
        told.append((part, start, body, end, name))
        at = max(at, end)
    return [*told, *_prose(found, at, found.window[1], told)] if told[-1:] and told[-1][0] is Part.OBSERVATION else told


def _prose(found: Cut, start: int, end: int, told: list[Piece]) -> list[Piece]:
    """The text between two marks as a thought, where a thought can stand: at the start, or behind an observation."""
    if told and told[-1][0] not in (Part.OBSERVATION, Part.QUESTION):
        return []
    header, role = found.turns.last(start, end)
    if role not in ("model", ""):
        return []
    start = max(start, header)
    for first, last in chain(spans_from(found.hidden, start), ((end, end),)):
        leftover = LEFTOVER.match(found.text, start, max(start, min(first, end)))
        start = leftover.end() if leftover else start
        if start < first or start >= end:
            break
        start = max(start, last)
    if not found.text[start:end].strip():
        return []
    return [(Part.THOUGHT, start, start, end, "")]
