"""Turns of a chat template: the role headers between them are nobody's text, and only the model's own labels act.

    turn = (end of turn? begin of text?) header        header = `<|im_start|>user`, `[INST]`, `<｜Assistant｜>`, …

A text may speak of a template. A header counts where a turn ends before it or the text begins with it; one of the
model also behind a turn of the user, which some templates do not end.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from reactcli.dialects import AUTO
from reactcli.dialects.parts import Part
from reactcli.patterns import pattern
from reactcli.source import stripped
from reactcli.tokens.labels import labels_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reactcli.source import Span

_SIGNS = ("<|im_start|>", "<|start_header_id|>", "<start_of_turn>", "<|user|>", "<|assistant|>", "<｜", "[INST]")
_TURN = pattern(
    r"(?P<end>(?:<\|(?:im_end|eot_id|eom_id|end|endoftext)\|>|<end_of_turn>|</s>|<｜end▁of▁sentence｜>)\s{0,4})?"
    r"(?P<begin>(?:<s>|<bos>|<\|begin_of_text\|>|<｜begin▁of▁sentence｜>)\s{0,4})?"
    r"(?:<\|im_start\|>(?P<im>\w{1,20})(?:<\|im_sep\|>)?|<\|start_header_id\|>(?P<id>\w{1,20})<\|end_header_id\|>"
    r"|<start_of_turn>(?P<of>\w{1,20})|<\|(?P<bar>user|assistant|system)\|>|<｜(?P<wide>User|Assistant)｜>"
    r"|\[(?P<inst>/?INST)\])"
)
_RESULT = pattern(
    r"\s*(?:<(?:tool_response|observation|information|function_results?)>|\[OBSERVATION\]|\[TOOL_RESULTS\])"
)
_SHOWS_LABELS = pattern(r"\n[^\w\n]{0,8}(?:Action|Final Answer)[ \t]{0,3}:", re.IGNORECASE)
_ROLES = {"assistant": "model", "model": "model", "/inst": "model", "system": "system", "developer": "system"}


class Turns:
    __slots__ = ("headers", "hidden", "roles", "silent")

    def __init__(self) -> None:
        self.headers: list[Span] = []
        """With the token that ends the turn before."""
        self.roles: list[str] = []
        """Of each header: `model`, `system` or `user` (anybody else)."""
        self.hidden: list[Span] = []
        """What is nobody's value: the headers, and what a system says."""
        self.silent: list[Span] = []
        """Where no label counts: the headers, and what anybody but the model says, unless it is a result."""

    def reply_start(self, start: int) -> int:
        """Where the model's last turn begins; `start` if the model has none."""
        ends = (end for (_, end), role in zip(self.headers[::-1], self.roles[::-1], strict=True) if role == "model")
        return next(ends, start)

    def last(self, start: int, end: int) -> tuple[int, str]:
        """The end of the last header in a span, and its role; no role if there is none."""
        index = bisect_left(self.headers, (end, end)) - 1
        if index < 0 or self.headers[index][0] < start:
            return start, ""
        return self.headers[index][1], self.roles[index]


def find_turns(text: str) -> Turns:
    """The turns of a text, in order; none where it follows no template."""
    found = Turns()
    if not any(sign in text for sign in _SIGNS):
        return found
    begin = stripped(text, 0, len(text))[0]
    for turn in _TURN.finditer(text):
        role = _role(turn)
        answers = role == "model" and found.roles[-1:] == ["user"]
        if turn["end"] or turn["begin"] or answers or turn.start() == begin:
            found.headers.append(turn.span())
            found.roles.append(role)
    stops = [*(start for start, _ in found.headers[1:]), len(text)]
    for (start, end), role, stop in zip(found.headers, found.roles, stops, strict=False):
        found.silent.append((start, end if role == "model" or _observes(text, end, stop) else stop))
        found.hidden.append((start, stop if role == "system" else end))
    return found


def _observes(text: str, start: int, end: int) -> bool:
    """What a turn says is a result, or a question that shows no labels: then its labels count."""
    if _RESULT.match(text, start, end):
        return True
    labels = labels_of(AUTO)
    label = labels.here.match(text, stripped(text, start, end)[0], end)
    word = label and labels.word(label[2])
    if word and word.part is Part.QUESTION:
        return _SHOWS_LABELS.search(text, start, end) is None
    return bool(word and word.part is Part.OBSERVATION)


def _role(turn: re.Match[str]) -> str:
    name = next(name for name in turn.groups()[2:] if name)
    return _ROLES.get(name.lower(), "user")
