"""What a model is shown: a template filled with tools, question and the steps so far, as one text or as messages.

    prompt = prompt_of("How high is K2?", described_tools, language="en", max_steps=10)
    prompt.text(turns)          one growing text, as `history="scratchpad"` has it
    prompt.messages(turns)      a list of {"role", "content"}, as `history="messages"` has it

The same turns give the same prompt, so that what a model saw at a step of a recording can be shown again.
"""

from __future__ import annotations

from reactcli.prompt.budget import Fitted, estimated_tokens, fitted
from reactcli.prompt.described import described
from reactcli.prompt.styles import STYLES, Style, style_of
from reactcli.prompt.template import SLOTS, PromptError, Template, checked, default_text, filled
from reactcli.prompt.turns import Turn, observation_lines, turn_of
from reactcli.prompt.words import LANGUAGES, Words
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from reactcli.prompt.budget import Summarise

__all__ = [
    "LANGUAGES",
    "SLOTS",
    "STYLES",
    "Fitted",
    "Prompt",
    "PromptError",
    "Style",
    "Template",
    "Turn",
    "Words",
    "checked",
    "default_text",
    "estimated_tokens",
    "prompt_of",
    "style_of",
    "turn_of",
]

HISTORIES = ("scratchpad", "messages")
MAX_OUTPUT = 100 << 10

Message = dict[str, str]


class Prompt(Value):
    template: Template
    question: str
    before: str
    """What stands before the scratchpad, its slots filled."""
    after: str = ""
    """What stands between the scratchpad and the cue."""
    tool_names: tuple[str, ...] = ()
    max_steps: int = 10
    words: Words = LANGUAGES.get("en")
    style: Style = STYLES["classic"]
    history: str = "scratchpad"
    max_output: int = MAX_OUTPUT
    """Characters of an observation that the model is shown."""
    context: int | None = None
    """Tokens that the prompt may have, as estimated; None for any number."""
    summarise: Summarise | None = None
    """Makes the digest of early turns."""

    def of(self, turns: Sequence[Turn]) -> str | list[Message]:
        """What the model is asked behind these turns."""
        return self.messages(turns) if self.history == "messages" else self.text(turns)

    def text(self, turns: Sequence[Turn]) -> str:
        held = self._fitted(turns)
        pad = "".join((self._digest(held), *map(self._turn_text, held.turns)))
        return f"{self.before}{pad}{self.after}{self._cue(turns)}"

    def messages(self, turns: Sequence[Turn]) -> list[Message]:
        """Template and digest as the user's first turn, then replies and observations by turns."""
        held = self._fitted(turns)
        first = f"{self.before}{self._digest(held)}{self.after}{self.template.cue_of(1)}"
        messages = [_message("user", first.rstrip(" \n"))]
        for turn in held.turns:
            told = observation_lines(turn, self.template.observation_label(turn.number))
            messages += [_message("assistant", turn.reply), _message("user", told or self.words.go_on)]
        return messages

    def _fitted(self, turns: Sequence[Turn]) -> Fitted:
        if self.context is None:
            return Fitted(tuple(turns))
        return fitted(tuple(turns), self.context - estimated_tokens(self.before + self.after), self.summarise)

    def _digest(self, held: Fitted) -> str:
        return f"{self.words.digest.format(last=held.digested)}\n{held.digest}\n\n" if held.digested else ""

    def _turn_text(self, turn: Turn) -> str:
        told = observation_lines(turn, self.template.observation_label(turn.number))
        return f"{self._cued(turn)}\n{told}\n" if told else f"{self._cued(turn)}\n"

    def _cued(self, turn: Turn) -> str:
        """The reply behind the label that it was written behind."""
        cue = self.template.cue_of(turn.number)
        if not cue or self.template.starts_with_thought(turn.reply) or _reflects(turn.reply):
            return turn.reply.lstrip("\n")
        return f"{cue} {turn.reply.lstrip()}"

    def _cue(self, turns: Sequence[Turn]) -> str:
        """Nothing where a reflection is asked for, which stands before the thought."""
        if turns and turns[-1].asks_reflection:
            return ""
        return self.template.cue_of(turns[-1].number + 1 if turns else 1)


def prompt_of(
    question: str,
    tools: Sequence[Mapping[str, Any]],
    *,
    template: str | None = None,
    dialect: str = "auto",
    language: str = "en",
    **rest: Any,
) -> Prompt:
    """A prompt from plain values. PromptError if the template cannot be used, UnknownNameError for a name."""
    words = LANGUAGES.get(language)
    style = style_of(dialect, is_own=template is not None)
    shape = checked(default_text(words, style) if template is None else template)
    names = tuple(str(tool["name"]) for tool in tools)
    values = {
        "question": question,
        "tools": described(tools, words, style),
        "tool_names": ", ".join(names),
        "format": style.lines(words),
        "max_steps": str(rest.setdefault("max_steps", 10)),
    }
    before, after = filled(shape.before, values), filled(shape.after, values)
    return Prompt(shape, question, before, after, names, words=words, style=style, **rest)


def _message(role: str, content: str) -> Message:
    return {"role": role, "content": content}


def _reflects(reply: str) -> bool:
    return reply.lstrip().lower().startswith(("reflection:", "reflection："))
