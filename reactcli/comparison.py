"""When two calls, two observations or two steps are the same, by meaning and not by spelling.

The same arguments in another order of keys are the same call, and so are plain text and `{"input": TEXT}`, which is
what it becomes where a format demands an object. Observations are the same if they are the same text but for white
space around them, or the same JSON; volatile text is taken out by patterns first. `1`, `1.0` and `true` differ.
"""

from __future__ import annotations

import json
import re

from reactcli.errors import ReactcliError
from reactcli.loosejson.strict import is_shallow
from reactcli.trace import Action

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from reactcli.trace import Step

PLAIN_KEY = "input"
"""The key under which plain text goes where a format demands an object."""

Pattern = tuple[re.Pattern[str], str]


def actions_of(step: Step) -> tuple[Action, ...]:
    """The calls of a step, in order; none for a final answer."""
    if step.parallel_actions or step.action is None or step.is_final:
        return step.parallel_actions
    return (Action(step.action, step.action_input, step.arguments, step.observation),)


def same_call(one: Action | Step, other: Action | Step) -> bool:
    return one.action == other.action and meaning(one) == meaning(other)


def meaning(call: Action | Step) -> str | None:
    """A call's input as canonical text: equal for inputs that mean the same. None for no input."""
    text = call.action_input
    value = _value(text) if text is not None else call.arguments
    if value is None and isinstance(call.arguments, dict | list):  # JSON, loosely spelt
        value = call.arguments
    if isinstance(value, dict) and value.keys() == {PLAIN_KEY} and isinstance(value[PLAIN_KEY], str):
        return canonical(value[PLAIN_KEY].strip())
    if value is not None:
        return canonical(value)
    return None if text is None else canonical(text.strip())


def same_observation(one: str | None, other: str | None, patterns: Iterable[Pattern] = ()) -> bool:
    """None, no result, is the same only as None."""
    if one is None or other is None:
        return one is other
    patterns = tuple(patterns)
    one, other = normalized(one, patterns).strip(), normalized(other, patterns).strip()
    if one == other:
        return True
    value = _value(one)
    return value is not None and canonical(value) == canonical(_value(other))


def normalized(text: str, patterns: Iterable[Pattern]) -> str:
    for pattern, replacement in patterns:
        text = pattern.sub(replacement.replace("\\", r"\\"), text)
    return text


def parse_pattern(text: str) -> Pattern:
    """`REGEX=TEXT`, divided at the last `=`; ReactcliError if it is none. The text is taken literally."""
    expression, equals, replacement = text.rpartition("=")
    if not equals or not expression:
        raise ReactcliError(f"'{text}' is no REGEX=TEXT", hint=r"for example: \d+ ms=TIME")
    return compiled(expression), replacement


def compiled(expression: str) -> re.Pattern[str]:
    try:
        return re.compile(expression)
    except re.error as error:
        raise ReactcliError(f"'{expression}' is no regular expression: {error}") from None


def canonical(value: Any) -> str:
    """Text that is equal for equal JSON, whatever the order of keys."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def _value(text: str) -> Any:
    """The object or list that a text is the JSON of, or None."""
    if text.lstrip()[:1] not in {"{", "["} or not is_shallow(text):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
