r"""How an observation stands in a scratchpad: as text that is read back as nothing but this observation.

A tool returns what it found on a web page or in a file. A line of it that looks like `Action:` or opens a code fence
would be read as the model's own when the scratchpad is read again, so such lines get a backslash before them; a token
that counts anywhere in a line gets it behind its first sign.

    escaped line  = indent backslash+ (label | fence | tag | bracket) …
    escaped token = ('<' | '✿') backslash+ …                               `<\/think>`, `✿\FUNCTION✿`

Reading takes one backslash off every such place. Writing therefore adds one to those that are there already, and to the
other places only if the text would be misread without it: most texts stay as they are.
"""

from __future__ import annotations

import re

from reactcli.dialects import DIALECTS
from reactcli.patterns import pattern
from reactcli.tokens.labels import labels_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reactcli.parser import ReActAgentParser

_LINE = pattern(r"(?:\A|[\r\n])\s*+(\\*+)")
"""Group 1 is the backslashes of a line. White space goes too: reading strips it from around a value."""
_OPENING = pattern(r"[ \t>]*+(?:`{3}|~{3}|[<\[{✿【|])")
"""What opens a fence, a tag, a token or a JSON value."""
_TOKEN = pattern(
    r"<(\\*+)(?=[|｜]|/?(?:think|thinking|reasoning|s|eo[as]|end_[a-z_]{1,20})>)"
    r"|✿(\\*+)(?=[A-Z]{4,20}✿)"
    r"|\[(\\*+)(?=TOOL_CALLS\]|\[[ ]\#\#[ ])",
    re.IGNORECASE | re.VERBOSE,
)
"""What counts in the middle of a line; the last group is its backslashes."""
_COLOUR = pattern(r"(?:\s|\x1b\[[\d;]{0,20}m)*\Z")
"""At the end of a value it is nobody's text."""
EMPTY = pattern(r":[ \t]+\r?\n\s*\Z")
"""An empty observation at the end, as it is written: a blank and a line end behind its label. A bare label waits."""
_BEFORE = "Thought: t\nAction: a\nAction Input: i\n"
_BEHIND = "\nThought: u\nAction: b\nAction Input: j\n```\n"
"""A step whose text closes what an observation may have left open."""


def observation_line(text: str) -> str:
    """`Observation: …` without a line end, of text that is safe or has been escaped."""
    return f"Observation: {text}"


def escaped(text: str, parser: ReActAgentParser) -> str:
    """The text as it can stand behind `Observation:`; `unescaped` gives it back."""
    marked = _with_backslashes(text, every=False)
    return marked if _is_read_whole(marked, parser) else _with_backslashes(text, every=True)


def unescaped(text: str) -> str:
    """A value as it was before a backslash was put on its lines."""
    if "\\" not in text:
        return text
    text = _TOKEN.sub(lambda token: token[0][:-1] if token[token.lastindex or 0] else token[0], text)
    return _LINE.sub(lambda line: line[0][:-1] if line[1] and _is_telling(text, line.end()) else line[0], text)


def _with_backslashes(text: str, *, every: bool) -> str:
    """With one backslash more where there are some, or wherever the text may be misread."""
    marked = _LINE.sub(
        lambda line: f"{line[0]}\\" if (line[1] or every) and _is_telling(text, line.end()) else line[0],
        text,
    )
    return _TOKEN.sub(lambda token: f"{token[0]}\\" if every or token[token.lastindex or 0] else token[0], marked)


def _is_telling(text: str, at: int) -> bool:
    labels = labels_of(DIALECTS.get("classic"))
    label = labels.here.match(text, at)
    return bool(_OPENING.match(text, at)) or (label is not None and labels.word(label[2]) is not None)


def _is_read_whole(text: str, parser: ReActAgentParser) -> bool:
    """Whether a parser reads one observation in it, and the step behind it."""
    steps = parser.parse_trace(f"{_BEFORE}{observation_line(text)}{_BEHIND}").steps
    told = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    whole = {told, _COLOUR.sub("", told)}
    return [step.action for step in steps] == ["a", "b"] and steps[0].observation in whole
