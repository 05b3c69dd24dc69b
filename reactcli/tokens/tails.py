"""What stands at the end of a value and does not belong to it: end-of-turn tokens, stop words, a stray fence (R5)."""

from __future__ import annotations

import re

from reactcli.patterns import pattern
from reactcli.source import rstripped
from reactcli.tokens.labels import SGR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reactcli.source import Span

_TOKEN = pattern(
    r"<\|[^<>|\n]{1,40}\|>|<｜[^<>｜\n]{1,40}｜>|</s>|</>|<eoa>|<eos>|<end_of_turn>|<end_(?:code|action)>|" + SGR,
    re.IGNORECASE,
)
_SEPARATOR = pattern(
    r"[^\w\n]{0,8}(?:(?:step|iteration|round|turn|cycle|шаг|paso|passo|schritt|étape|步骤|ステップ|단계)"
    r"[ \t]{0,2}\d{1,4}"
    r"|第[ \t]{0,2}\d{1,4}[ \t]{0,2}步)[^\w\n]{0,8}",
    re.IGNORECASE,
)
_RULE = pattern(r"-{3,}|\*{3,}|_{3,}|={3,}")
_EMPHASIS_BEFORE = pattern(r"[^\w*_`]*+([*_`]{1,3})(?=\w)")
COLOUR = pattern(SGR)
_COLOURS = pattern(rf"(?:{SGR}|\s)*+")
_TOKEN_LIMIT = 48
SHORT_LINE = 40
"""Characters of the longest stop line or separator."""
_STOP_LINES = frozenset({"PAUSE", "End Action", "> Finished chain."})
_STOP_WORD = "observation:"
_SHORTEST_PREFIX = 3


def past_colours(text: str, start: int, end: int) -> int:
    """Where a value begins behind the colours that a terminal log left before it."""
    return _COLOURS.match(text, start, end).end()  # type: ignore[union-attr]  # it matches anywhere


def value_end(text: str, mark: Span, start: int, end: int, *, last: bool) -> int:
    """Where a value that seems to end at `end` really ends; `last` allows half a stop word behind the last line."""
    if last and "\n" in text[mark[1] : start] and is_stop_line(text[start:end][:SHORT_LINE], acting=True, last=True):
        return start  # the label was the last line, and half a stop word came along
    while True:
        before = end
        end = _before_token(text, start, end)
        at = _last_line(text, start, end)
        if at >= start:
            line = COLOUR.sub("", text[at + 1 : end]).strip()
            if is_stop_line(line, acting=True, last=last) or is_separator(line, last=last):
                end = rstripped(text, start, at)
        if end == before:
            return _before_emphasis(text, mark, start, _before_stray_fence(text, start, end))


def is_separator(line: str, *, last: bool) -> bool:
    """A heading that only counts steps (`### Step 2`), or a rule between two of them."""
    return bool(_SEPARATOR.fullmatch(line)) or (not last and bool(_RULE.fullmatch(line)))


def _last_line(text: str, start: int, end: int) -> int:
    """The line end before the last line of a value, or -1 if that line is too long to be looked at."""
    floor = max(start, end - SHORT_LINE)
    return max(text.rfind("\n", floor, end), text.rfind("\r", floor, end))


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


def without_ends(text: str) -> str:
    """A text without the tokens, stop words and white space at its end."""
    end = len(text)
    while True:
        before, end = end, _before_token(text, 0, rstripped(text, 0, end))
        end = _before_stop_line(text, 0, end, last=True)
        if end == before:
            return text[:end]


def _before_token(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1] in ">m":
        opening = "<" if text[end - 1] == ">" else "\x1b"
        at = text.rfind(opening, max(start, end - _TOKEN_LIMIT), end)
        if at < 0 or not _TOKEN.fullmatch(text, at, end):
            return end
        end = rstripped(text, start, at)
    return end


def _before_stop_line(text: str, start: int, end: int, *, last: bool) -> int:
    at = _last_line(text, start, end)
    if at < start or not is_stop_line(text[at + 1 : end].strip(), acting=True, last=last):
        return end
    return rstripped(text, start, at)
