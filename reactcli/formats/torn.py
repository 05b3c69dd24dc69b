"""A JSON document that was cut off in the middle, as far as it is whole.

Everything up to the last list or object that is closed counts; what is open around it is closed there. Linear: one scan
over strings and brackets.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|["\[\]{}]', re.DOTALL)
_CLOSERS = {"[": "]", "{": "}"}


def mended(text: str) -> str | None:
    """The whole part of a document, its open brackets closed; None if it is not cut off, or nothing in it is whole."""
    is_open: list[str] = []
    end = depth = 0
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in _CLOSERS:
            is_open.append(_CLOSERS[mark])
        elif mark in {"]", "}"}:
            if not is_open or is_open.pop() != mark:
                return None
            end, depth = token.end(), len(is_open)
            if not is_open:
                return None
        elif mark == '"':
            break  # a string that is never closed
    if not end:
        return None
    return text[:end] + "".join(reversed(is_open[:depth]))
