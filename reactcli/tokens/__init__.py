"""Cut a text into labelled pieces; joined with what lies between them, they give the text back.

`cut` finds where each part starts and ends, in whatever dialect the text gives evidence of. It decides what *is* a
label (rules R1, R2, R5, R16 to R18, conflict C16); what the parts mean together is the parser's business. `tokens`
shows the same cut as tokens that lie side by side.
"""

from __future__ import annotations

from reactcli.diagnostics import diagnose
from reactcli.dialects import AUTO, DIALECTS, Dialect
from reactcli.dialects.parts import Part
from reactcli.loosejson import balanced_end
from reactcli.source import BOM, merged, plain_lines, rstripped, spans_from, stripped
from reactcli.tokens.labels import labels_of
from reactcli.tokens.lines import STRONG, inline_pieces, label_pieces
from reactcli.tokens.marks import mark_pieces
from reactcli.tokens.objects import json_pieces
from reactcli.tokens.regions import Fence, find_fences, find_reasoning, outer_fence
from reactcli.tokens.tails import past_colours, value_end, without_ends
from reactcli.tokens.turns import Turns, find_turns
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reactcli.diagnostics import Diagnostic
    from reactcli.source import Span

Piece = tuple[Part, int, int, int, str]
"""Part, start of its mark, start and end of its body, and the tool or argument that the mark names."""


_TAIL_ENDS = frozenset(">E*_`nm:：-=)]0123456789.步계")
"""Last characters that a token, a stop word or unpaired emphasis may have; others need no second look."""


class Token(Value):
    part: Part
    start: int
    end: int


class Cut:
    """A text cut into pieces."""

    __slots__ = (
        "_ends",
        "dialect",
        "fences",
        "hidden",
        "notes",
        "pieces",
        "reasoning",
        "regions",
        "text",
        "thinking",
        "turns",
        "window",
    )

    def __init__(self, text: str, dialect: Dialect) -> None:
        self.text = text
        self.dialect = dialect
        self.pieces: list[Piece] = []
        self.window: Span = (len(BOM) if text.startswith(BOM) else 0, len(text))
        """What is left when a byte order mark, and a fence around the whole reply, are taken off."""
        self.regions: list[Span] = []
        """Where no label counts, in order and apart."""
        self.reasoning: list[Span] = []
        """Reasoning blocks with their tags."""
        self.thinking: list[Span] = []
        """The text inside them."""
        self.turns = find_turns(text) if "<" in text or "[" in text else Turns()
        """A value ends where the next of them begins."""
        self.hidden: list[Span] = []
        """Taken out of values, in order and apart: reasoning, and headers of turns."""
        self._ends: dict[Span, int] = {}
        """Where values end whose ends took a second look, by where they seemed to stand."""
        self.fences: list[Fence] = []
        self.notes: list[Diagnostic] = []

    def body(self, piece: Piece) -> Span:
        """The span of a piece's value: white space, end-of-turn tokens and stop words at its ends left out."""
        start, end = piece[2], piece[3]
        raw = self.text[start:end]
        value = raw.strip()
        if not value:
            return start, start
        start += raw.find(value[0])
        end = start + len(value)
        if value[0] == "\x1b":
            start = past_colours(self.text, start, end)
        if self.turns.headers:
            start, end = self._own_turn(start, end)
        last = piece[3] == self.window[1]
        if start < end and (self.text[end - 1] in _TAIL_ENDS or (last and "\n" in raw)):
            found = self._ends.get((start, end))
            if found is None:
                found = self._ends[start, end] = value_end(self.text, (piece[1], piece[2]), start, end, last=last)
            end = found
        return start, end

    def value(self, piece: Piece) -> str:
        """The text of a piece's value."""
        start, end = self.body(piece)
        return plain_lines(self.taken((start, end)) if self.hidden else self.text[start:end])

    def taken(self, span: Span) -> str:
        """The text of a span without what is hidden in it."""
        start, end = span
        outside = []
        for first, last in spans_from(self.hidden, start):
            if first >= end:
                break
            if start < last:
                outside.append(self.text[start : max(start, first)])
                start = max(start, last)
        return "".join([*outside, self.text[start:end]]).strip() if outside else self.text[start:end]

    def past_hidden(self, start: int) -> int:
        """Where the text goes on behind what is hidden at `start`, white space before it included."""
        for first, last in spans_from(self.hidden, start):
            if start < last:
                if self.text[start:first].strip():
                    break
                start = last
        return start

    def _own_turn(self, start: int, end: int) -> Span:
        """The part of a value up to the header of the next turn; a header that it begins with is left out."""
        value_end = start
        for first, last in spans_from(self.turns.headers, start):
            if first >= end:
                break
            if value_end == start and first > start and self.text[start] in "{[":
                value_end = balanced_end(self.text, start, end) or start - 1
            if first < value_end:
                continue
            if first > start:
                return start, rstripped(self.text, start, first)
            if last > start:
                start, end = stripped(self.text, last, end)
        return start, end

    def note(self, code: str, span: Span, **facts: object) -> None:
        self.notes.append(diagnose(code, span, **facts))


def cut(text: str, dialect: Dialect = AUTO) -> Cut:
    """Find the pieces of a text. Never raises; linear in the length of the text."""
    found = Cut(text, dialect)
    if ("<" in text and "</" in text) or "<think" in text:
        reasoning = find_reasoning(text, found.notes)
        found.regions, found.reasoning, found.thinking = list(reasoning.outer), reasoning.outer, reasoning.inner
    found.hidden = found.regions
    if found.turns.headers:
        found.hidden = merged([*found.regions, *found.turns.hidden])
        found.regions = merged([*found.regions, *found.turns.silent])
    if "```" in text or "~~~" in text:
        _set_fences_aside(found)
    if dialect is AUTO:
        _guess(found)
    elif dialect.marks:
        found.pieces = mark_pieces(found, dialect, label_pieces(found))
    else:
        found.pieces = label_pieces(found)
        if not any(piece[0] in STRONG for piece in found.pieces):
            found.pieces = inline_pieces(found, found.pieces)
    return found


def tokens(text: str, dialect: Dialect = AUTO) -> list[Token]:
    """The tokens of a text, side by side: joined, they give it back to the last character."""
    found = cut(text, dialect)
    marked = [(start, end, Part.REASONING) for start, end in found.reasoning]
    for part, start, body, end, _ in found.pieces:
        marked += [(start, body, Part.MARK), (body, end, part)]
    return list(_tiled(sorted(marked), found))


def _tiled(marked: list[tuple[int, int, Part]], found: Cut) -> Iterator[Token]:
    at = 0
    start, end = found.window
    for first, last, part in [*marked, (len(found.text), len(found.text), Part.DROPPED)]:
        if first > at:
            gap = Part.PREAMBLE if at >= start and first <= end else Part.DROPPED
            yield Token(gap, at, first)
            at = first
        if last > at:
            yield Token(part, at, last)
            at = last


def _set_fences_aside(found: Cut) -> None:
    """Labels inside a closed fence do not count, unless the fence is around the whole reply (R5)."""
    text = found.text
    start = stripped(text, found.past_hidden(found.window[0]), len(text))[0]
    inside = outer_fence(text, start, len(without_ends(text)))
    if inside and _holds_label(found, inside):
        found.window = inside
    found.fences = find_fences(text, found.window if found.window == inside else (start, len(text)), found.notes)
    if found.fences:
        found.regions = merged([*found.regions, *((fence.start, fence.end) for fence in found.fences)])


def _holds_label(found: Cut, inside: Span) -> bool:
    """A line of a fence spells a label, or begins with a tag that stands for one."""
    text, (start, end) = found.text, inside
    labels = labels_of(found.dialect)
    first = labels.here.match(text, start, end)
    lines = labels.at_line.finditer(text, start, end)
    if any(labels.word(line[2]) for line in ([first, *lines] if first else lines)):
        return True
    return _opens_with_tag(text, found.past_hidden(start)) or any(
        text.find(f"\n{sign}", start, end) >= 0 for sign in _MARK_SIGNS
    )


def _opens_with_tag(text: str, start: int) -> bool:
    first = text[start : start + _TAG_LIMIT].lstrip()
    return first.startswith(_MARK_SIGNS)


def _guess(found: Cut) -> None:
    """Weigh the evidence in the order of R17: tokens, labels, tags, one JSON object, labels in mid-line."""
    text = found.text
    evident = _evident(text)
    found.pieces = labelled = label_pieces(found)
    strong = next((piece for piece in labelled if piece[0] in STRONG), None)
    beside = [dialect for dialect in evident if dialect.beside_labels]
    if _marked(found, beside, labelled, lambda dialect, piece: piece[0] in STRONG or (dialect.sure and not strong)):
        return
    if strong is not None and not (strong[0] is Part.ACTION and text.startswith("<", found.body(strong)[0])):
        return
    is_object = strong is None and text.startswith("{", found.past_hidden(found.window[0]))
    if is_object and (pieces := json_pieces(found, labelled)):  # what looks like a tag is in its strings
        found.pieces = pieces
        return
    others = [dialect for dialect in evident if not dialect.beside_labels]
    # `Action: <tool_call>{…}` is what the tag says; a tag further on does not count beside labels
    if _marked(
        found, others, labelled, lambda _, piece: piece[0] in STRONG and (strong is None or piece[1] == strong[1])
    ):
        return
    if strong is None:
        found.pieces = (not is_object and json_pieces(found, labelled)) or inline_pieces(found, labelled)


def _marked(found: Cut, fitting: list[Dialect], labelled: list[Piece], tells: Callable[[Dialect, Piece], bool]) -> bool:
    """Takes the pieces of the first dialect of which one tells that it is spoken here."""
    for dialect in fitting:
        pieces = mark_pieces(found, dialect, labelled)
        if any(tells(dialect, piece) for piece in pieces):
            found.dialect, found.pieces = dialect, pieces
            _report_tie(found, fitting)
            return True
    return False


def _report_tie(found: Cut, fitting: list[Dialect]) -> None:
    others = [dialect for dialect in fitting if dialect is not found.dialect and mark_pieces(found, dialect, [])]
    if others:
        start = found.pieces[0][1]
        found.notes.append(diagnose("dialect-tie", (start, start), first=found.dialect.name, second=others[0].name))


def _by_first_character() -> dict[str, list[tuple[str, Dialect]]]:
    table: dict[str, list[tuple[str, Dialect]]] = {}
    for dialect in DIALECTS:
        for literal in dialect.evidence:
            table.setdefault(literal[0], []).append((literal, dialect))
    return table


_EVIDENCE = _by_first_character()
_MARK_SIGNS = tuple(literal.strip() for pairs in _EVIDENCE.values() for literal, _ in pairs if len(literal) > 2)
_TAG_LIMIT = 200
"""Characters of a fence in which its first tag is looked for."""


def _evident(text: str) -> list[Dialect]:
    """The dialects whose evidence is in a text, in the order of the table."""
    names = {
        dialect.name
        for first, pairs in _EVIDENCE.items()
        if first in text or first == "\n"
        for literal, dialect in pairs
        if literal in text or (first == "\n" and text.startswith(literal[1:]))
    }
    return [dialect for dialect in DIALECTS if dialect.name in names] if names else []
