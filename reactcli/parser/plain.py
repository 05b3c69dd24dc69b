"""A fast lane for the plainest replies: Thought, Action and Action Input, or Thought and Final Answer.

Most replies are of this shape, and for them the general reader's questions all have the same answer. The lane asks only
whether they have; if not, it gives None and the general reader decides. A property test holds the two together: on
every text the lane's step is the general reader's (measured: 4 us where the general reader takes 16).
"""

from __future__ import annotations

from reactcli.dialects import AUTO
from reactcli.dialects.parts import NO_ACTION, TERMINAL
from reactcli.tokens.labels import labels_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SHAPES = (["\nAction:", "\nAction Input:"], ["\nFinal Answer:"])
_RESERVED = {*TERMINAL, *NO_ACTION}
_ELSEWHERE = ("<", "`", "\r", "✿", "\n[")
"""What only the general reader knows: tags, fences, other line ends, tokens, bracketed headers."""
_ODD_ENDS = frozenset(">*_")
_STOP_BEGINS = ("obs", "pau", "end")
"""How the stop words begin that may be the last line of a value."""


def plain_step(text: str) -> dict[str, Any] | None:
    """The five keys of a reply of the plainest shape, or None."""
    if not text.startswith("Thought:") or any(sign in text for sign in _ELSEWHERE):
        return None
    labels = [label for label in labels_of(AUTO).at_line.finditer(text) if label[0][-1] in ":：" or label[1]]
    spelt = [label[0] for label in labels]
    if spelt not in _SHAPES:
        return None
    thought = text[8 : labels[0].start()].strip()
    last = text[labels[-1].end() :].strip()
    if thought[:1] in ("{", "[") or _is_odd(thought) or _is_odd(last):
        return None
    if len(labels) == 1:
        return {"thought": thought, "action": None, "action_input": None, "final_answer": last, "is_final": True}
    action = text[labels[0].end() : labels[1].start()].strip()
    if not action.isidentifier() or action.lower().replace("_", "") in _RESERVED:
        return None
    return {"thought": thought, "action": action, "action_input": last, "final_answer": None, "is_final": False}


def _is_odd(value: str) -> bool:
    """The value may end in a token, a stop word or unpaired emphasis."""
    if not value:
        return False
    if value[-1] in _ODD_ENDS:
        return True
    at = value.rfind("\n")
    return at >= 0 and value[at + 1 :].lstrip()[:3].lower() in _STOP_BEGINS
