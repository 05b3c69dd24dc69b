"""Where completions come from: replies in a file, and any endpoint that speaks OpenAI's protocol.

A function of one's own is a model too (`engine/callers.py`), and so is a recording (`recorded.py`).
"""

from __future__ import annotations

import json

from reactcli.engine.requests import Ask, Completion, Model, ModelError
from reactcli.errors import FormatError
from reactcli.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reactcli.engine.requests import Listen

__all__ = ["Ask", "Completion", "Model", "ModelError", "ScriptModel", "TakenUpModel", "replies_of"]

_SEPARATOR = pattern(r"(?:^|\n)---[ \t]{0,20}\r?(?:\n|$)")


class ScriptModel(Model):
    """Gives replies in their order, whatever it is asked."""

    name = "script"

    def __init__(self, replies: Iterable[str]) -> None:
        self._replies = tuple(replies)
        self._given = 0

    def complete(self, ask: Ask, listen: Listen | None = None) -> Completion:  # noqa: ARG002  # what it is asked
        if self._given == len(self._replies):
            raise ModelError(
                f"the script has no more replies after {self._given}", hint="add one, or lower --max-steps"
            )
        reply = self._replies[self._given]
        self._given += 1
        if listen is not None:
            listen(reply)
        return Completion(reply)


class TakenUpModel(Model):
    """Another model, whose first reply is there already."""

    def __init__(self, first: Model, others: Model) -> None:
        self.name = others.name
        self._next = first
        self._others = others

    def complete(self, ask: Ask, listen: Listen | None = None) -> Completion:
        model, self._next = self._next, self._others
        return model.complete(ask, listen)


def replies_of(text: str) -> list[str]:
    """The replies of a script: JSON Lines with `llm_output`, or texts with lines of `---` between them. FormatError if
    a line of JSON is damaged or has no such text.
    """
    if text.lstrip().startswith(("{", '"')) and _is_json(text.lstrip().split("\n", 1)[0]):
        return list(_from_lines(text))
    pieces = [piece.strip("\r\n") for piece in _SEPARATOR.split(text)]
    return pieces if pieces[-1].strip() else pieces[:-1]


def _from_lines(text: str) -> Iterator[str]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            raise FormatError(f"line {number} of the script is no JSON") from None
        reply = record.get("llm_output") if isinstance(record, dict) else record
        if not isinstance(reply, str):
            raise FormatError(f"line {number} of the script has no text", hint='write {"llm_output": "…"}')
        yield reply


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
