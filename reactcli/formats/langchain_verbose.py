"""What LangChain's `verbose=True` prints: coloured text between `> Entering new … chain...` and `> Finished chain.`

The model's text is green; what a tool answered has another colour and, in many versions, no label. Without colours (a
copied terminal) the text is read as any ReAct text, its banners taken out. Read after langchain 0.0.200 to 1.x
(November 2026).
"""

from __future__ import annotations

import re

from reactcli.formats.events import Closing, Opening, Recorded, events_of
from reactcli.formats.turns import parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from reactcli.formats.events import Event
    from reactcli.formats.loading import Content
    from reactcli.trace import Step, Trace

_ESCAPE = re.compile(r"\x1b\[([0-9;?]{0,20})[ -/]?[@-~]")
_BANNER = re.compile(r"(?m)^[ \t]*> (?:Entering new [^\n]{0,80} chain\.\.\.|Finished chain\.)[ \t]*$\n?")
_GREEN = "32;1"
_PLAIN = ("", "0", "1", "3")


def matches(content: Content) -> bool:
    text = content.text
    return content.kind == "text" and "> Entering new" in text and _BANNER.search(_ESCAPE.sub("", text)) is not None


def read(content: Content) -> Iterator[Event]:
    chains = [chain for chain in _chains(content.text) if chain]
    if not any(colour == _GREEN for chain in chains for colour, _ in chain):
        yield from events_of(_uncoloured(content.text))
        return
    for episode, chain in enumerate(chains, start=1):
        yield Opening(episode)
        for step in _steps(chain):
            yield Recorded(step.replace(episode=episode))
        yield Closing()


def _uncoloured(text: str) -> Trace:
    from reactcli.parser import ReActAgentParser  # 20 ms, not needed for coloured logs

    return ReActAgentParser().parse_trace(_BANNER.sub("", _ESCAPE.sub("", text)))


def _chains(text: str) -> Iterator[list[tuple[str, str]]]:
    """For each chain, its pieces of text with the colour of each; what has no colour is left out."""
    colour, at = "", 0
    chain: list[tuple[str, str]] = []
    for escape in [*_ESCAPE.finditer(text), None]:
        piece = text[at : escape.start() if escape else len(text)]
        if "> Entering new" in piece:
            yield chain
            chain = []
        elif colour not in _PLAIN and piece.strip():
            joins = bool(chain) and chain[-1][0] == colour
            chain[-1:] = [(colour, chain[-1][1] + piece)] if joins else [*chain[-1:], (colour, piece)]
        if escape is None:
            break
        at = escape.end()
        colour = _next_colour(colour, escape[1]) if escape[0].endswith("m") else colour
    yield chain


def _next_colour(colour: str, code: str) -> str:
    """`1;3` only adds emphasis to a colour; `0` ends it."""
    if code in {"", "0"}:
        return ""
    return colour if code == "1;3" else code


def _steps(chain: list[tuple[str, str]]) -> Iterator[Step]:
    """Each green piece is a reply, and what follows it in another colour its observation."""
    waiting: Step | None = None
    for colour, piece in chain:
        if colour == _GREEN:
            if waiting is not None:
                yield waiting
            waiting = _reply(piece)
        elif waiting is not None:
            before = waiting.observation
            observed = piece.strip("\n")
            waiting = waiting.replace(observation=observed if before is None else f"{before}\n{observed}")
    if waiting is not None:
        yield waiting


def _reply(text: str) -> Step:
    """A reply as a step; the prompt ends in `Thought:`, so that its first text is the thought."""
    step = parsed(text)
    return step if step.thought or not step.preamble else step.replace(thought=step.preamble, preamble="")
