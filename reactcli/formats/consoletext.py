r"""Text that was copied from a console or a log file, without what consoles and loggers add to it.

Colours and other terminal sequences; the banners of LlamaIndex (`> Running step …`), of which the first may hold the
question; CrewAI's headings, which are labels in other words; and what a logger writes before each line, if several
lines are labels behind it. What is left is text as the model and the tools wrote it.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]{0,40}[ -/]{0,4}[@-~]|\][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\)|[@-Z\\^_])")
_RUNNING = re.compile(r"(?m)^> Running step [^\n.]{1,80}\. Step input: ([^\n]*)\n?")
_CREW = re.compile(r"(?m)^## (Using tool|Tool Input|Tool Output):[ \t]*+\n?")
_CREW_AGENT = re.compile(r"(?m)^# Agent:[^\n]*\n?")
_CREW_WORDS = {"Using tool": "Action: ", "Tool Input": "Action Input: ", "Tool Output": "Observation: "}
_STAMP = re.compile(
    r"""(?mx)^[\[(]?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,+:Z]{0,16}[\])]?[ \t]+  # when
    (?:-[ \t]+)?
    (?:[\w.:-]{1,60}[ \t]+-[ \t]+)?                                               # who, before the level
    (?:[\[(]?(?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|TRACE)[\])]?[ \t:|-]{1,8})?
    (?:[\w.:-]{1,60}[ \t]+[-|][ \t]+)?                                            # or behind it
    """
)
_LEAST_LABELS = 2
"""Labels behind a time stamp that make it a log: one may stand in anything that a tool says."""


def without_escapes(text: str) -> str:
    return _ESCAPE.sub("", text) if "\x1b" in text else text


def cleaned(text: str, is_label: Callable[[str], bool], notice: Callable[..., None]) -> str:
    """The text alone; `is_label` says whether a line begins with a label. What is left out is noticed."""
    text = without_escapes(text)
    if "> Running step " in text:
        text = _RUNNING.sub(_question, text)
    if "## Using tool:" in text:
        text = _CREW.sub(lambda heading: _CREW_WORDS[heading[1]], _CREW_AGENT.sub("", text))
    stamps = list(_STAMP.finditer(text))
    if sum(is_label(text[stamp.end() : stamp.end() + 80]) for stamp in stamps) >= _LEAST_LABELS:
        notice("unused-text")
        text = _STAMP.sub("", text)
    return text


def _question(banner: re.Match[str]) -> str:
    """The first step of LlamaIndex is given the question, the others nothing."""
    return "" if banner[1] in {"", "None"} else f"Question: {banner[1]}\n"
