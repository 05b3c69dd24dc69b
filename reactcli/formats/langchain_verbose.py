"""What LangChain's `verbose=True` prints: text between `> Entering new … chain...` and `> Finished chain.`

The model's text is green; what a tool answered has another colour and, in many versions, no label. Without colours (a
copied terminal) what stands between the banners is read as any ReAct text. Agents that call tools natively print
"Invoking: `NAME` with `INPUT`" instead. Each outer chain is an episode; what a program prints behind it is mostly the
answer once more, and kept only where it says something else. Read after langchain 0.0.200 to 1.x (November 2026).
"""

from __future__ import annotations

import re

from reactcli.formats.consoletext import without_escapes
from reactcli.formats.events import Closing, Opening, Recorded
from reactcli.formats.fields import input_of
from reactcli.formats.turns import parsed, transcript
from reactcli.trace import Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from reactcli.formats.events import Event
    from reactcli.formats.loading import Content

_ESCAPE = re.compile(r"\x1b\[([0-9;?]{0,20})[ -/]?[@-~]")
_BANNER = re.compile(r"(?m)^[ \t]*> (?:Entering new ([^\n]{0,80}) chain\.\.\.|Finished chain\.)[ \t]*$\n?")
_INVOKING = re.compile(r"(?m)^Invoking: `([^`\n]{1,200})` with `([^\n]*)`[ \t]*$\n?(?:responded: ([^\n]*)\n?)?")
_GREEN = "32;1"
_PLAIN = ("", "0", "1", "3")


def matches(content: Content) -> bool:
    text = content.text
    return content.kind == "text" and "> Entering new" in text and _BANNER.search(without_escapes(text)) is not None


def read(content: Content) -> Iterator[Event]:
    chains = [chain for chain in _chains(content.text) if chain]
    if not any(colour == _GREEN for chain in chains for colour, _ in chain):
        yield from _uncoloured(without_escapes(content.text))
        return
    for episode, chain in enumerate(chains, start=1):
        yield Opening(episode)
        for step in _steps(chain):
            yield Recorded(step.replace(episode=episode))
        yield Closing()


def _uncoloured(text: str) -> Iterator[Event]:
    """Chain after chain; what is printed outside of them is kept."""
    episode, at = 0, 0
    for start, end in _outer_chains(text):
        before = text[at : text.find("> Entering new", start, end)].strip()
        at = end
        said, inner = _divided(text[start:end])
        behind = text[end:].lstrip()
        steps = _invocations(said, behind) if _INVOKING.search(said) else transcript(said)
        answer = steps[-1].final_answer if steps else None
        if answer and behind.startswith(answer):
            at = len(text) - len(behind) + len(answer)
        # a text may hold several episodes, for a question opens one
        for place, step in enumerate(steps):
            if not place or step.episode != steps[place - 1].episode:
                episode += 1
                printed = [before, *inner] if before and not place else inner if not place else []
                yield Opening(episode, step.question, {"printed": printed} if printed else {})
            yield Recorded(_begun(step).replace(episode=episode))
    rest = text[at:].strip()
    yield Closing(meta={"printed_last": rest} if rest else {})


def _outer_chains(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each chain that is not inside another; one of the same name begins where the other broke off."""
    is_open: list[str] = []
    start = 0
    for banner in _BANNER.finditer(text):
        name = banner[1]
        if name is not None and name in is_open:
            yield start, banner.start()
            is_open.clear()
        if name is not None:
            start = start if is_open else banner.start()
            is_open.append(name)
        elif is_open:
            is_open.pop()
            if not is_open:
                yield start, banner.end()
    if is_open:
        yield start, len(text)


def _divided(chain: str) -> tuple[str, list[str]]:
    """What the outer chain says, and what the chains inside it say, which a tool ran: no part of any step."""
    depth, at = 0, 0
    said: list[str] = []
    inner: list[str] = []
    for banner in _BANNER.finditer(chain):
        (said if depth < 2 else inner).append(chain[at : banner.start()])
        depth += 1 if banner[1] is not None else -1
        at = banner.end()
    said.append(chain[at:])
    return "".join(said), [text.strip() for text in inner]


def _invocations(text: str, behind: str) -> tuple[Step, ...]:
    """Calls, each followed by its result. Without colours only the answer printed again shows where the last ends."""
    found = list(_INVOKING.finditer(text))
    steps = []
    for call, following in zip(found, [*found[1:], None], strict=True):
        observed = text[call.end() : following.start() if following else len(text)].strip("\n")
        steps.append(_invoked(call).replace(observation=observed))
    lines = (steps[-1].observation or "").split("\n")
    for place in range(1, len(lines)):
        answer = "\n".join(lines[place:]).strip()
        if answer and behind.startswith(answer):
            steps[-1] = steps[-1].replace(observation="\n".join(lines[:place]).strip("\n"))
            return (*steps, Step(final_answer=answer, is_final=True))
    return tuple(steps)


def _invoked(call: re.Match[str]) -> Step:
    given = input_of(call[2])
    thought = (call[3] or "").strip()
    return Step(thought, call[1], given.text, arguments=given.arguments, diagnostics=given.diagnostics)


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
    invokes = any(colour == _GREEN and _INVOKING.search(piece) for colour, piece in chain)
    waiting: Step | None = None
    for colour, piece in chain:
        if colour == _GREEN:
            if waiting is not None:
                yield waiting
            waiting = _reply(piece, invokes=invokes)
        elif waiting is not None:
            before = waiting.observation
            observed = piece.strip("\n")
            waiting = waiting.replace(observation=observed if before is None else f"{before}\n{observed}")
    if waiting is not None:
        yield waiting


def _reply(text: str, *, invokes: bool) -> Step:
    """A reply as a step; the prompt ends in `Thought:`, so that its first text is the thought."""
    call = _INVOKING.search(text)
    if call is not None:
        return _invoked(call)
    if invokes and text.strip():
        return Step(final_answer=text.strip(), is_final=True)
    return _begun(parsed(text))


def _begun(step: Step) -> Step:
    return step if step.thought or not step.preamble else step.replace(thought=step.preamble, preamble="")
