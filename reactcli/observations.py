"""How an observation stands in a scratchpad: as text that is read back as nothing but this observation.

A tool returns what it found on a web page or in a file. A line of it that looks like `Action:` or `Final Answer:`
would be read as the model's own when the scratchpad is read again, so such text is put in a code fence, where no label
counts.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reactcli.parser import ReActAgentParser

_TICKS = re.compile(r"`{3,}")
_BEFORE = "Thought: t\nAction: a\nAction Input: i\n"


def observation_line(text: str) -> str:
    """`Observation: …` without a line end, of text that is safe or has been fenced."""
    return f"Observation: {text}"


def fenced(text: str, parser: ReActAgentParser) -> str:
    """The text as it is, or in a fence if the parser would read more than an observation in it."""
    if "\n" not in text and "\r" not in text:
        return text  # labels count at the start of a line only
    trace = parser.parse_trace(f"{_BEFORE}{observation_line(text)}\n")
    if len(trace.steps) == 1 and trace.question is None and trace.steps[0].action == "a":
        return text
    fence = "`" * max((len(run[0]) + 1 for run in _TICKS.finditer(text)), default=3)
    return f"\n{fence}\n{text}\n{fence}"
