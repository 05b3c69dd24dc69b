"""What stands at the end of a value and does not belong to it: end-of-turn tokens, stop words, a stray fence (R5)."""

from __future__ import annotations

import re

from reactcli.patterns import pattern
from reactcli.source import rstripped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reactcli.source import Span

_TOKEN = pattern(
    r"<\|[^<>|\n]{1,40}\|>|<｜[^<>｜\n]{1,40}｜>|</s>|<eoa>|<eos>|<end_of_turn>|<end_(?:code|action)>", re.IGNORECASE
)
_EMPHASIS_BEFORE = pattern(r"[^\w*_`]*+([*_`]{1,3})(?=\w)")
_TOKEN_LIMIT = 48
_STOP_LINES = frozenset({"PAUSE", "End Action"})
_STOP_WORD = "observation:"
_SHORTEST_PREFIX = 3


def value_end(text: str, mark: Span, start: int, end: int, *, last: bool) -> int:
    """Where a value that seems to end at `end` really ends; `last` allows half a stop word behind the last line."""
    while True:
        before = end
        end = _before_token(text, start, end)
        end = _before_stop_line(text, start, end, last=last)
        if end == before:
            return _before_emphasis(text, mark, start, _before_stray_fence(text, start, end))


def _before_stray_fence(text: str, start: int, end: int) -> int:
    """A closing fence as the last line of a value that opens none."""
    line_end = end - 3
    if not text.startswith("```", line_end) or text[line_end - 1 : line_end] not in ("\n", "\r") or line_end <= start:
        return end
    return rstripped(text, start, line_end) if text.count("```", start, end) % 2 else end


def _before_emphasis(text: str, mark: Span, start: int, end: int) -> int:
    """Bold or italics that opened before the label and close behind the value (`**Final Answer: 42**`)."""
    opening = _EMPHASIS_BEFORE.match(text, *mark)
    if opening is None:
        return end
    sign = opening[1]
    closed = text[mark[0] : mark[1]].count(sign) > 1
    if closed or not text.startswith(sign, end - len(sign)) or text.count(sign, start, end) % 2 == 0:
        return end
    return rstripped(text, start, end - len(sign))


def is_token(text: str) -> bool:
    return bool(_TOKEN.fullmatch(text))


def is_stop_line(line: str, *, acting: bool, last: bool) -> bool:
    """A whole line that only says stop: behind an action, or half a stop word as the last line of all."""
    half = last and len(line) >= _SHORTEST_PREFIX and _STOP_WORD.startswith(line.lower())
    return half or (acting and line in _STOP_LINES)


def without_tokens(text: str) -> str:
    """A text without the tokens and white space at its end."""
    return text[: _before_token(text, 0, rstripped(text, 0, len(text)))]


def _before_token(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1] == ">":
        at = text.rfind("<", max(start, end - _TOKEN_LIMIT), end)
        if at < 0 or not _TOKEN.fullmatch(text, at, end):
            return end
        end = rstripped(text, start, at)
    return end


def _before_stop_line(text: str, start: int, end: int, *, last: bool) -> int:
    at = max(text.rfind("\n", max(start, end - 40), end), text.rfind("\r", max(start, end - 40), end))
    if at < start or not is_stop_line(text[at + 1 : end].strip(), acting=True, last=last):
        return end
    return rstripped(text, start, at)
