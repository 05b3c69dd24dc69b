"""What is wrong with a text, whatever it is a part of: secrets, and characters that drive a terminal or hide text."""

from __future__ import annotations

import re

from reactcli.diagnostics import diagnose
from reactcli.secrets import may_hold_secrets, named_secrets, vendor_secrets
from reactcli.secrets_assigned import assigned_secrets, may_be_assigned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from reactcli.diagnostics import Diagnostic
    from reactcli.lint.places import Spoken
    from reactcli.source import Span

MOST_NAMED = 5
"""Kinds of characters that one message names."""

_DRIVING = re.compile(
    "(?P<flag>\U0001f3f4[\U000e0020-\U000e007f]+)"
    "|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Less than what the screen does not get to see: a soft hyphen or a zero-width space does nobody harm in a trace. The
tags behind a flag are its region's."""


def spoken_notes(texts: list[Spoken]) -> Iterator[tuple[Diagnostic, Spoken, Span]]:
    """The findings on the texts of a step, each with its text and its span in it."""
    together = "\n".join([said.text for said in texts])
    may_be_secret = may_hold_secrets(together) or may_be_assigned(together)
    if not (may_be_secret or any(said.part == "action_input" for said in texts)) and together.isprintable():
        return
    for said in texts:
        for note, span in text_notes(said.part, said.text, may_be_secret=may_be_secret):
            yield note, said, span


def text_notes(part: str, text: str, *, may_be_secret: bool = True) -> Iterator[tuple[Diagnostic, Span]]:
    """The findings on one text, each with its span in it."""
    seen: list[Span] = []
    found = [*vendor_secrets(text), *assigned_secrets(text)] if may_be_secret else []
    found += named_secrets(text) if _is_data(part, text) else ()
    for start, end, kind in found:
        if not any(start < last and end > first for first, last in seen):
            seen.append((start, end))
            yield diagnose("secret-like-text", (start, end), kind=kind), (start, end)
    if not text.isprintable():
        yield from _driving(part, text)


def _is_data(part: str, text: str) -> bool:
    """Prose and code may speak of passwords; what stands under their names in data is one."""
    return part == "action_input" or text[:1] in {"{", "["}


def _driving(part: str, text: str) -> Iterator[tuple[Diagnostic, Span]]:
    matches = [match for match in _DRIVING.finditer(text) if match["flag"] is None]
    if not matches:
        return
    kinds = list(dict.fromkeys(match[0] for match in matches))
    named = ", ".join(f"U+{ord(kind):04X}" for kind in kinds[:MOST_NAMED])
    more = ", …" if len(kinds) > MOST_NAMED else ""
    span = matches[0].span()
    words = f"the {part.replace('_', ' ')}"
    yield diagnose("control-characters", span, part=words, characters=f"{named}{more}"), span
