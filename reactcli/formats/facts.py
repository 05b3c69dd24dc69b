"""What a recording knows about a step beside its parts: time, tokens, and who else spoke after it.

Formats name these differently; the names here are those of the formats that are read. Values may be anything.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

SPEAKERS = (("user", "User"), ("system", "System"), ("unpaired_results", "Unpaired result"))
TIMES = (("duration_ms", 1), ("execution_time", 1000))
USAGES = ("usage", "usage_metadata", "metrics")
TOLD = frozenset({"is_error", "timestamp", *(key for key, _ in (*SPEAKERS, *TIMES)), *USAGES})
"""Keys of a step's meta that a view of the step shows."""
LONGEST_TIMESTAMP = 40
_TOKENS = (("input_tokens", "output_tokens"), ("prompt_tokens", "completion_tokens"))
_LONGEST_TIME = 1e12
"""Milliseconds beyond which a duration is a mistake."""


def facts(meta: Mapping[str, Any]) -> tuple[str, ...]:
    """Time and tokens, where a recording has them, as words. What a file says of them has passed no gate."""
    return tuple(fact for fact in (_duration(meta), _tokens(meta), _timestamp(meta)) if fact)


def said(meta: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Title and text of what others said behind the step."""
    for key, title in SPEAKERS:
        texts = meta.get(key)
        for text in texts if isinstance(texts, list) else ():
            yield title, _text(text)


def _text(value: object) -> str:
    if isinstance(value, dict):
        return f"{value.get('call_id') or value.get('tool') or '?'}: {value.get('text')}"
    return str(value)


def _duration(meta: Mapping[str, Any]) -> str:
    for key, scale in TIMES:
        value = meta.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value * scale < _LONGEST_TIME:
            milliseconds = value * scale
            return f"{milliseconds:.0f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"
    return ""


def _tokens(meta: Mapping[str, Any]) -> str:
    for usage in (meta.get(key) for key in USAGES):
        for keys in _TOKENS:
            counts = [usage.get(key) for key in keys] if isinstance(usage, dict) else []
            if counts and all(isinstance(count, int) and 0 <= count < _LONGEST_TIME for count in counts):
                return f"{counts[0]} + {counts[1]} tokens"
    return ""


def _timestamp(meta: Mapping[str, Any]) -> str:
    value = meta.get("timestamp")
    return value[:LONGEST_TIMESTAMP] if isinstance(value, str) else ""
