"""Turns of a chat template: the role headers between them are nobody's text, and a system's turn is the prompt.

    turn = (end of turn? begin of text?) header        header = `<|im_start|>user`, `[INST]`, `<｜Assistant｜>`, …

A text may speak of a template. A header counts where a turn ends before it or the text begins with it; one of the
model also behind a turn of the user, which some templates do not end.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from reactcli.patterns import pattern

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
_SHOWS_LABELS = pattern(r"\n[^\w\n]{0,8}(?:Action|Final Answer)[ \t]{0,3}:", re.IGNORECASE)
_ROLES = {"assistant": "model", "model": "model", "/inst": "model", "system": "system", "developer": "system"}


class Turns:
    __slots__ = ("answers", "headers", "roles", "silent")

    def __init__(self) -> None:
        self.headers: list[Span] = []
        """With the token that ends the turn before."""
        self.roles: list[str] = []
        """Of each header: `model`, `system` or `user` (anybody else)."""
        self.silent: list[Span] = []
        """Where no label counts: the headers, and what a prompt says."""
        self.answers = False
        """The model has had a turn."""

    def is_prompt(self, text: str, end: int) -> bool:
        """The turn before `end` is the user's first, and shows the model which labels to write."""
        if self.answers or self.roles[-1:] != ["user"]:
            return False
        return _SHOWS_LABELS.search(text, self.headers[-1][1], end) is not None

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
    begin = len(text) - len(text.lstrip())
    for turn in _TURN.finditer(text):
        role = _role(turn)
        answers = role == "model" and found.roles[-1:] == ["user"]
        if turn["end"] or turn["begin"] or answers or turn.start() == begin:
            if found.roles[-1:] == ["system"] or found.is_prompt(text, turn.start()):
                found.silent[-1] = (found.silent[-1][0], turn.end())
            else:
                found.silent.append(turn.span())
            found.headers.append(turn.span())
            found.roles.append(role)
            found.answers = found.answers or role == "model"
    return found


def _role(turn: re.Match[str]) -> str:
    name = next(name for name in turn.groups()[2:] if name)
    return _ROLES.get(name.lower(), "user")
