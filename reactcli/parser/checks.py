"""What is odd about a text as a whole: nothing recognised, a label without its colon, letters that only look alike.

These checks look at the text once more, so only `parse` makes them; `parse_step` answers without.
"""

from __future__ import annotations

from itertools import chain

from reactcli.diagnostics import diagnose
from reactcli.dialects.parts import folded
from reactcli.parser.lookalikes import skeleton
from reactcli.patterns import pattern
from reactcli.source import BOM, is_plain_ascii, spans_from
from reactcli.tokens.labels import BULLETS, EMPHASIS, labels_of
from reactcli.tokens.lines import STRONG
from reactcli.tokens.marks import LEFTOVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from reactcli.diagnostics import Diagnostic
    from reactcli.dialects import Dialect
    from reactcli.tokens import Cut
    from reactcli.tokens.labels import Labels

_COLONS = ":：∶꞉﹕︓ː׃"
_BREAKS = "\\n\\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
_HEAD = pattern(rf"[{_BREAKS}]([^{_BREAKS}{_COLONS}]{{1,60}}+)[{_COLONS}]")
_BARE_LABELS_LIMIT = 20
_FENCES_LIMIT = 20
_BARE_LABEL = pattern(
    r"(?:\A|\n)[ \t]*+(Thought|Action Input|Action|Observation|Final Answer)[ \t]++(?=[^\s:：])(?!Input[ \t]*+[:：])"
)


def text_checks(found: Cut, *, recognised: bool) -> list[Diagnostic]:
    """Diagnostics about the text itself, in no order."""
    text = found.text
    notes = [*lookalikes(text, found.dialect), *_unused(found)]
    if not text.strip():
        return [*notes, diagnose("empty-input", (0, len(text)))]
    notes += _fenced_labels(found)
    if recognised:
        return notes
    for _, bare in zip(range(_BARE_LABELS_LIMIT), _BARE_LABEL.finditer(text), strict=False):
        notes.append(diagnose("label-without-colon", bare.span(1), label=bare[1]))
    return notes if found.reasoning else [*notes, diagnose("nothing-recognised", (0, len(text)))]


def _fenced_labels(found: Cut) -> Iterator[Diagnostic]:
    """A whole step inside a code fence, where there is none outside."""
    if any(piece[0] in STRONG for piece in found.pieces):
        return
    labels = labels_of(found.dialect)
    for fence in found.fences[:_FENCES_LIMIT]:
        spelt = (labels.word(line[2]) for line in labels.at_line.finditer(found.text, fence.start, fence.inner_end))
        if any(word is not None and word.part in STRONG for word in spelt):
            yield diagnose("labels-in-fence", (fence.start, fence.end))


def _unused(found: Cut) -> Iterator[Diagnostic]:
    """What of the text belongs to no part: fences around it, stop words, text between and behind marks."""
    text = found.text
    if found.window[0] > len(BOM) or found.window[1] < len(text):
        yield diagnose("reply-fence", (0, found.window[0]))
    at = found.pieces[0][1] if found.pieces else len(text)
    for piece in found.pieces:
        if piece[1] > at:
            yield from _between(found, at, piece[1])
        value_end = found.body(piece)[1]
        rest = text[value_end : piece[3]].strip() if value_end < piece[3] else ""
        if rest:
            code = "stray-fence" if rest == "```" else "dropped-tokens"
            yield diagnose(code, (value_end, piece[3]), text=f"'{rest}'")
        at = max(at, piece[3])
    yield from _between(found, at, found.window[1])


def _between(found: Cut, start: int, end: int) -> Iterator[Diagnostic]:
    for first, last in chain(spans_from(found.reasoning, start), ((end, end),)):
        stop = min(first, end)
        if start < stop:
            leftover = LEFTOVER.match(found.text, start, stop)
            start = leftover.end() if leftover else start
            if found.text[start:stop].strip():
                yield diagnose("unused-text", (start, stop))
        start = max(start, last)
        if start >= end:
            return


def lookalikes(text: str, dialect: Dialect) -> Iterator[Diagnostic]:
    """Lines that a reader takes for a label and the parser does not (SECURITY: they never act in silence)."""
    if is_plain_ascii(text):
        return
    labels = labels_of(dialect)
    for head in _HEAD.finditer(f"\n{text}"):  # a pattern with `\A` in it would be tried at every character
        start, end = head.start(1) - 1, head.end(1) - 1
        if start == 0 and text.startswith(BOM):
            start = len(BOM)
        if head[0][0] in "\n\r":
            plain = text[start:end].isascii() and head[0][-1] in ":：" and text[start:end].isprintable()
            real = labels.here.match(text, start)
            if plain or (real and labels.word(real[2])):
                continue
        label = _likeness(labels).get(skeleton(text[start:end].strip(f" \t#【】{EMPHASIS}{BULLETS}")))
        if label is not None:
            yield diagnose("lookalike-label", (start, end), label=label)


def _likeness(labels: Labels) -> dict[str, str]:
    if not labels.likeness:
        labels.likeness.update({skeleton(folded(word)): word for word in labels.words})
    return labels.likeness
