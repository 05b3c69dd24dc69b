"""Keeping the scratchpad within a number of tokens: old observations are shortened, then early steps become a digest.

What is never touched: the template with its question and format, and the last turns. Tokens are an estimate, four
bytes of UTF-8 to each, which is near enough for prose, code and Chinese alike; the endpoint has the last word.
"""

from __future__ import annotations

from reactcli.tools.results import shortened
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reactcli.prompt.turns import Turn

    Summarise = Callable[[Sequence[Turn]], str]

KEPT_TURNS = 2
"""The last turns, which stay whole."""
SHORT_OBSERVATION = 200
"""Characters of an old observation that are left of it."""
DIGEST_LINE, DIGEST_LINES = 160, 20
"""Characters of a line of the digest, and lines."""

BYTES_PER_TOKEN = 4


class Fitted(Value):
    """The turns that go into a prompt, and what stands for those before them."""

    turns: tuple[Turn, ...]
    digest: str = ""
    digested: int = 0
    """Turns that the digest stands for."""


def estimated_tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)


def fitted(turns: tuple[Turn, ...], room: int, summarise: Summarise | None = None) -> Fitted:
    """The turns within `room` tokens, or as near to it as can be. Linear in their text."""
    sizes = [_size(turn) for turn in turns]
    over = sum(sizes) - room
    old = max(len(turns) - KEPT_TURNS, 0)
    kept = list(turns)
    for i in range(old):
        if over <= 0:
            return Fitted(tuple(kept))
        kept[i] = _shortened(turns[i])
        size = _size(kept[i])
        over -= sizes[i] - size
        sizes[i] = size
    digested = 0
    while over > 0 and digested < old:
        over -= sizes[digested] - (estimated_tokens(_line(turns[digested])) if digested < DIGEST_LINES else 0)
        digested += 1
    if not digested:
        return Fitted(tuple(kept))
    return Fitted(tuple(kept[digested:]), (summarise or summary)(turns[:digested]), digested)


def summary(turns: Sequence[Turn]) -> str:
    """A line for each of the last turns: the end of what was written, and the beginning of what came back."""
    lines = [f"Step {turn.number}: {_line(turn)}" for turn in turns[-DIGEST_LINES:]]
    left_out = len(turns) - len(lines)
    return "\n".join(([f"({left_out} steps before these are left out)"] if left_out else []) + lines)


def _line(turn: Turn) -> str:
    did = " ".join(turn.reply.split())
    came = " ".join(" ".join(turn.observations).split())
    half = DIGEST_LINE // 2
    # what was done stands at the end of a reply, what came of it at the start of an observation
    return f"{did if len(did) <= half else '…' + did[-half:]} → {came if len(came) <= half else came[:half] + '…'}"


def _shortened(turn: Turn) -> Turn:
    return turn.replace(observations=tuple(shortened(text, SHORT_OBSERVATION) for text in turn.observations), note="")


def _size(turn: Turn) -> int:
    return estimated_tokens("\n".join((turn.reply, *turn.observations, turn.note)))
