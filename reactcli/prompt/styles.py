"""How a model is asked to write: the lines of the format, and a call in it, for each dialect that can be asked for.

A dialect that is only read has no style; a template of one's own asks for whatever it likes.
"""

from __future__ import annotations

import json

from reactcli.dialects import DIALECTS
from reactcli.errors import ReactcliError
from reactcli.orders import FORM
from reactcli.registry import nearest
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from reactcli.prompt.words import Words


class Style(Value):
    dialect: str
    """The dialect that it asks for."""
    form: str
    """The lines of the format; `%field%` is a field of `Words`."""
    call: Callable[[str, Mapping[str, Any]], str]
    """A call as the model should write it."""
    way_out: str = FORM
    """What to write, for a reply without an action or an answer."""

    def lines(self, words: Words) -> str:
        fields = ("thought", "tool", "tool_input", "plain_input", "observation", "again", "enough", "answer")
        text = self.form
        for field in fields:
            text = text.replace(f"%{field}%", getattr(words, field))
        return text


def style_of(dialect: str, *, is_own: bool = False) -> Style:
    """The style of a dialect or alias; `auto` is the classic one. Where it has none: the classic one too if a template
    of one's own says what to write, else ReactcliError.
    """
    name = "classic" if dialect.lower() == "auto" else DIALECTS.get(dialect).name
    if name in STYLES or is_own:
        return STYLES.get(name, STYLES["classic"])
    meant = nearest(name, STYLES)
    guess = f"did you mean '{meant}'? " if meant else ""
    hint = f"{guess}there are: {', '.join(STYLES)}; a template of your own asks for any other"
    raise ReactcliError(f"there is no prompt for the dialect '{name}'", hint=hint)


def _object(arguments: Mapping[str, Any]) -> str:
    return json.dumps(arguments, ensure_ascii=False)


def _plain(arguments: Mapping[str, Any]) -> str:
    """A single text as it is, anything else as JSON."""
    values = list(arguments.values())
    return values[0] if len(values) == 1 and isinstance(values[0], str) else _object(arguments) if values else ""


def _classic(name: str, arguments: Mapping[str, Any]) -> str:
    return f"Action: {name}\nAction Input: {_object(arguments)}"


def _bracket(name: str, arguments: Mapping[str, Any]) -> str:
    return f"Action: {name}[{_plain(arguments)}]"


def _function(name: str, arguments: Mapping[str, Any]) -> str:
    given = (f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in arguments.items())
    return f"Action: {name}({', '.join(given)})"


def _blob(name: str, arguments: Mapping[str, Any]) -> str:
    return f"Action:\n```json\n{_object({'action': name, 'action_input': arguments})}\n```"


def _hermes(name: str, arguments: Mapping[str, Any]) -> str:
    return f"<tool_call>\n{_object({'name': name, 'arguments': arguments})}\n</tool_call>"


def _xml(name: str, arguments: Mapping[str, Any]) -> str:
    return f"<tool>{name}</tool><tool_input>{_object(arguments)}</tool_input>"


_TURN = "Observation: %observation%\n%again%\n"
_LABELS = "Thought: %thought%\nAction: %tool%\nAction Input: %tool_input%\n"

_STYLES = (
    Style("classic", f"{_LABELS}{_TURN}Thought: %enough%\nFinal Answer: %answer%", _classic),
    Style(
        "llamaindex",
        f"{_LABELS}{_TURN}Thought: %enough%\nAnswer: %answer%",
        _classic,
        "write `Action:` with the name of a tool and `Action Input:` with its input, or `Answer:`",
    ),
    Style(
        "bracket",
        f"Thought: %thought%\nAction: %tool%[%plain_input%]\n{_TURN}Thought: %enough%\nAction: Finish[%answer%]",
        _bracket,
        "write `Action: TOOL[INPUT]`, or `Action: Finish[ANSWER]`",
    ),
    Style(
        "call",
        f"Thought: %thought%\nAction: %tool%(%plain_input%)\n{_TURN}Thought: %enough%\nFinal Answer: %answer%",
        _function,
        "write `Action: TOOL(INPUT)`, or `Final Answer:`",
    ),
    Style(
        "json",
        'Thought: %thought%\nAction:\n```json\n{"action": "%tool%", "action_input": %tool_input%}\n```\n'
        f'{_TURN}Thought: %enough%\nAction:\n```json\n{{"action": "Final Answer", "action_input": "%answer%"}}\n```',
        _blob,
        'write `Action:` and JSON with "action" and "action_input"; for the answer the action is "Final Answer"',
    ),
    Style(
        "hermes",
        '<think>%thought%</think>\n<tool_call>\n{"name": "%tool%", "arguments": %tool_input%}\n</tool_call>\n'
        f"{_TURN}<answer>%answer%</answer>",
        _hermes,
        "write a <tool_call> block with JSON inside, or <answer>",
    ),
    Style(
        "xml",
        "Thought: %thought%\n<tool>%tool%</tool><tool_input>%tool_input%</tool_input>\n"
        f"{_TURN}Thought: %enough%\n<final_answer>%answer%</final_answer>",
        _xml,
        "write <tool> and <tool_input>, or <final_answer>",
    ),
)

STYLES = {style.dialect: style for style in _STYLES}
