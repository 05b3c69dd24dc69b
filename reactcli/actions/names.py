"""A tool's name as it is meant, and names that are no tools: they end the run or say none (R12 to R14)."""

from __future__ import annotations

import re

from reactcli.dialects.parts import NO_ACTION, TERMINAL
from reactcli.patterns import pattern

_NO_ACTION = pattern(
    r"(?:none|null|n/a|no (?:further |more )?(?:action|tool)s?)"
    r"(?: (?:is |are )?(?:required|needed|necessary|to take))?(?:\s{0,3}[(.].{0,200})?",
    re.IGNORECASE,
)
_LONGEST_TERMINAL = 16
_PAIRS = (("`", "`"), ('"', '"'), ("'", "'"), ("[", "]"), ("“", "”"), ("「", "」"))


def clean_name(name: str) -> str:
    """A tool's name without asterisks, one pair of quotes, backticks or brackets, and a sign behind it (R12)."""
    name = name.strip().strip("*").strip().replace("\\_", "_")  # Markdown escapes that models write
    for opening, closing in _PAIRS:
        inside = name[1:-1]
        if opening == "[" and "'" in inside:
            continue  # a list of names
        if len(name) > 2 and name[0] == opening and name[-1] == closing and closing not in inside and '"' not in inside:
            name = inside.strip()
            break
    if name.endswith((".", ":", ",")) and name[:-1].replace("_", "a").replace("-", "a").isalnum():
        name = name[:-1]
    return name


def says_no_action(name: str) -> bool:
    return name.lower() in NO_ACTION or (name[:1] in "nN" and bool(_NO_ACTION.fullmatch(name)))


def is_terminal(name: str) -> bool:
    return len(name) <= _LONGEST_TERMINAL and name.lower().replace(" ", "").replace("_", "") in TERMINAL
