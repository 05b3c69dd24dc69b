"""The stretches of a text in which no label counts: reasoning blocks and closed code fences.

reasoning = `<think>` … `</think>` (also thinking, reasoning); an opening tag counts only at the start of a line, a
            closing tag pairs with the nearest opening tag before it, and one with none before it closes all the
            text so far (rule R5)
fence     = a line that opens with three backticks or tildes, up to the line that closes it; an opening fence may
            also stand behind a label's colon
"""

from __future__ import annotations

import re
from bisect import bisect_right

from reactcli.diagnostics import diagnose
from reactcli.patterns import pattern
from reactcli.source import BOM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reactcli.diagnostics import Diagnostic
    from reactcli.source import Span

_REASONING_TAG = pattern(r"<(/?)(think|thinking|reasoning)>", re.IGNORECASE)
_FENCE_RUN = pattern(r"`{3,}|~{3,}")
_BEHIND_TAG = pattern(r"(?:</\w{1,40}>|[|｜]>|\[/INST\]|(?:<\|im_start\|>|<start_of_turn>)\w{1,20})\s*\Z")
_LINE_LIMIT = 200
"""How far a fence looks for the start and the end of its line: labels and info words are shorter, and a line with many
fences must not be scanned again for each."""


class Reasoning:
    """What is reasoning: `outer` spans with their tags, and `inner` spans of the text between."""

    __slots__ = ("inner", "outer")

    def __init__(self) -> None:
        self.outer: list[Span] = []
        self.inner: list[Span] = []


def find_reasoning(text: str, notes: list[Diagnostic]) -> Reasoning:
    """The reasoning blocks of a text, in order, never overlapping."""
    found = Reasoning()
    open_tags: list[tuple[int, int, bool]] = []  # start, end, counts
    counting = 0
    for tag in _REASONING_TAG.finditer(text):
        if not tag[1]:
            counts = _starts_line(text, tag.start())
            open_tags.append((tag.start(), tag.end(), counts))
            counting += counts
        elif open_tags:
            start, inner, counts = open_tags.pop()
            counting -= counts
            if counts and not counting:
                found.outer.append((start, tag.end()))
                found.inner.append((inner, tag.start()))
        else:
            notes.append(diagnose("unopened-reasoning", (0, tag.end())))
            inner = found.outer[-1][1] if found.outer else 0
            found.inner.append((inner, tag.start()))
            found.outer = [(0, tag.end())]
    for start, inner, counts in open_tags:
        if counts:
            notes.append(diagnose("unclosed-reasoning", (start, inner)))
            found.outer = [span for span in found.outer if span[0] < start] + [(start, len(text))]
            found.inner = [span for span in found.inner if span[0] < start] + [(inner, len(text))]
            break
    return found


class Fence:
    """A closed fence: `start` to `end` with its marks, `inner_start` to `inner_end` between them, `word` its info."""

    __slots__ = ("end", "inner_end", "inner_start", "start", "word")

    def __init__(self, opening: re.Match[str], inner_start: int, closing: re.Match[str]) -> None:
        self.start = opening.start()
        self.inner_start = inner_start
        self.inner_end = closing.start()
        self.end = closing.end()
        self.word = opening.string[opening.end() : inner_start].strip()


def outer_fence(text: str, start: int, end: int) -> Span | None:
    """The inside of a fence that begins and ends a text, if those within it are opened and closed too."""
    opening = _FENCE_RUN.match(text, start, end)
    inner_start = _line_end(text, opening.end()) if opening else None
    if opening is None or inner_start is None:
        return None
    depth = 1
    for run in _FENCE_RUN.finditer(text, inner_start, end):
        prefix = _line_before(text, run.start())
        if prefix is None or not run[0].startswith(opening[0]):
            continue
        bare = not prefix.strip(" \t>")
        behind_label = prefix.rstrip(" \t*_`").endswith((":", "："))
        if bare and run.end() == end:
            depth -= 1
        elif bare and text[run.end()].isspace():
            before = text[max(0, run.start() - _LINE_LIMIT) : run.start()].rstrip()
            depth += 1 if depth == 1 and before.endswith((":", "：")) else -1
        elif bare or (behind_label and opening[0] not in text[run.end() : _line_end(text, run.end()) or end]):
            depth += 1
        if not depth:
            return (inner_start, run.start()) if run.end() == end else None
    return None


def find_fences(text: str, window: Span, notes: list[Diagnostic]) -> list[Fence]:
    """The closed fences in a window, in order. A fence with an info word inside an open one is content, and so is what
    closes it, unless that leaves the outer one open.
    """
    fences, opening = _paired(text, window, nesting=True)
    if opening is not None:
        fences, opening = _paired(text, window, nesting=False)
    if opening is not None:
        notes.append(diagnose("unclosed-fence", opening.span()))
    return fences


def _paired(text: str, window: Span, *, nesting: bool) -> tuple[list[Fence], re.Match[str] | None]:
    """The closed fences, and the opening of one that nothing closes."""
    fences: list[Fence] = []
    opening: re.Match[str] | None = None
    inner_start, depth = 0, 0
    for run in _FENCE_RUN.finditer(text, *window):
        prefix = _line_before(text, run.start())
        if prefix is None:
            continue
        bare = not prefix.strip(" \t>")
        if opening is None:
            line_end = _line_end(text, run.end())
            if line_end and (bare or prefix.rstrip(" \t*").endswith((":", "："))):
                opening, inner_start = run, line_end
        elif not bare or not run[0].startswith(opening[0]):
            continue
        elif text[run.end() : run.end() + 1] not in " \t\r\n<":
            depth += nesting
        elif depth:
            depth -= 1
        else:
            fences.append(Fence(opening, inner_start, run))
            opening = None
    return fences, opening


def is_within(regions: list[Span], at: int) -> bool:
    """An offset lies in one of some spans, which are in order."""
    index = bisect_right(regions, (at, at))
    return any(start <= at < end for start, end in regions[max(0, index - 1) : index + 1])


def _starts_line(text: str, at: int) -> bool:
    prefix = _line_before(text, at)
    return prefix is not None and (not prefix.strip(f" \t{BOM}") or bool(_BEHIND_TAG.search(prefix)))


def _line_before(text: str, at: int) -> str | None:
    """The line of `at` up to it, or None if the line starts too far away."""
    floor = max(0, at - _LINE_LIMIT)
    start = max(text.rfind("\n", floor, at), text.rfind("\r", floor, at))
    if start < 0 and floor > 0:
        return None
    return text[max(start + 1, floor) : at]


def _line_end(text: str, at: int) -> int | None:
    """The start of the next line, if the rest of this one can stand behind an opening fence; None otherwise."""
    rest = text[at : at + _LINE_LIMIT]
    ends = [end for end in (rest.find("\n"), rest.find("\r")) if end >= 0]
    if not ends or "`" in rest[: min(ends)]:
        return None
    return at + min(ends) + 1
