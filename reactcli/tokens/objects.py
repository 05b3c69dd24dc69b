"""Replies that are JSON objects, without a label: the whole reply, its only fence, or one after each observation (R15).

    reply       = prose? call object | prose? "```" call object "```" prose?
    transcript  = (reply, observation line)*

What is a call object is decided in `actions.blobs`; an object that names no tool and no answer is text.
"""

from __future__ import annotations

from bisect import bisect_left

from reactcli.actions.blobs import call_object
from reactcli.dialects import DIALECTS
from reactcli.dialects.parts import Part
from reactcli.loosejson import balanced_end
from reactcli.patterns import pattern
from reactcli.source import stripped
from reactcli.tokens.regions import is_within
from reactcli.tokens.tails import without_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reactcli.diagnostics import Diagnostic
    from reactcli.source import Span
    from reactcli.tokens import Cut, Piece

_WHOLE = pattern(r"(?:```\w{0,20}\s*+)?+(?=[{\[])")
_MOST_BEHIND_A_THOUGHT = 100
"""Objects that one thought leads to; more are data."""
_OBJECT = pattern(r"(?:\A|[\r\n])[ \t]*+(?=\{)")


def json_pieces(found: Cut, labelled: list[Piece]) -> list[Piece]:
    """The call objects of a text as actions, with the labels and prose between them; empty if there is none."""
    parts = {piece[0] for piece in labelled}
    spans = _calls(found, is_transcript=Part.OBSERVATION in parts, is_thought_first=parts == {Part.THOUGHT})
    if not spans:
        return []
    found.dialect = DIALECTS.get("json")
    pieces = [_shortened(piece, spans) for piece in labelled if not is_within(spans, piece[1])]
    pieces += [(Part.ACTION, start, start, end, "") for start, end in spans]
    pieces.sort(key=lambda piece: piece[1])
    start = found.past_hidden(found.turns.reply_start(found.window[0]))
    if pieces[0][0] is Part.ACTION and found.text[start : pieces[0][1]].strip():
        pieces.insert(0, (Part.THOUGHT, start, start, pieces[0][1], ""))
    return pieces


def _calls(found: Cut, *, is_transcript: bool, is_thought_first: bool) -> list[Span]:
    """Where call objects stand: in fences, or bare at the start of a line; one only, unless observations part them.
    Behind a thought, objects may end the reply.
    """
    fences = [(fence.start, fence.end) for fence in found.fences]
    whole = _whole_value(found) if fences and not is_transcript else None
    if whole is not None:
        spans = [whole]
    elif fences:
        spans = fences if is_transcript or len(fences) == 1 else []
    elif is_transcript or is_thought_first:
        spans = _bare_objects(found)
        if not is_transcript and len(spans) > _MOST_BEHIND_A_THOUGHT:
            spans = []
        if not is_transcript and spans and without_tokens(found.text[spans[-1][1] : found.window[1]]).strip():
            spans = []
    else:
        spans = [(found.past_hidden(found.turns.reply_start(found.window[0])), found.window[1])]
    notes: list[Diagnostic] = []
    spans = [span for span in spans if not is_within(found.turns.silent, span[0])]
    return [span for span in spans if call_object(found.text, span, notes, labelled=False) is not None]


def _whole_value(found: Cut) -> Span | None:
    """The JSON value that is the whole reply, or is alone in a fence: what looks like a fence in it is its text."""
    start, end = stripped(found.text, found.past_hidden(found.window[0]), found.window[1])
    opening = _WHOLE.match(found.text, start, end)
    if opening is None:  # prose before the fence
        start = found.fences[0].start
        opening = _WHOLE.match(found.text, start, end)
    close = opening and balanced_end(found.text, opening.end(), end)
    if opening is None or close is None or without_tokens(found.text[close:end]).strip("` \t\r\n"):
        return None
    return start, end if opening[0] else close


def _bare_objects(found: Cut) -> list[Span]:
    """The objects that begin a line, side by side. Looking at what never closes is bounded by the text's length."""
    spans: list[Span] = []
    at, end = found.window
    wasted = 0
    while wasted <= len(found.text) and (opening := _OBJECT.search(found.text, at, end)):
        close = balanced_end(found.text, opening.end(), end)
        if close is None:
            wasted += end - opening.end()
            at = opening.end()
        else:
            spans.append((opening.end(), close))
            at = close
    return spans


def _shortened(piece: Piece, spans: list[Span]) -> Piece:
    """A labelled piece up to the call object in its body."""
    part, start, body, end, name = piece
    index = bisect_left(spans, (body, 0))
    return part, start, body, min(end, spans[index][0]) if index < len(spans) else end, name
