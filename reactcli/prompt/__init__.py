"""What a model is shown: a template filled with tools, question and the steps so far, as one text or as messages.

    prompt = Prompt(checked(text), tools=described_tools, question="How high is K2?", max_steps=10)
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

Message = dict[str, str]


class Prompt(Value):
    template: Template
    question: str
    tools: tuple[Mapping[str, Any], ...] = ()
    """As `Toolbox.describe` describes them."""
    max_steps: int = 10
    words: Words = LANGUAGES.get("en")
    style: Style = STYLES["classic"]
    history: str = "scratchpad"
    context: int | None = None
    """Tokens that the prompt may have, as estimated; None for any number."""
    summarise: Summarise | None = None
    """Makes the digest of early turns."""

    def of(self, turns: Sequence[Turn]) -> str | list[Message]:
        """What the model is asked behind these turns."""
        return self.messages(turns) if self.history == "messages" else self.text(turns)

    def text(self, turns: Sequence[Turn]) -> str:
        before, after = self._frame()
        held = self._fitted(turns, before, after)
        pad = "".join((self._digest(held), *map(self._turn_text, held.turns)))
        return f"{before}{pad}{after}{self._cue(turns)}"

    def messages(self, turns: Sequence[Turn]) -> list[Message]:
        """Template and digest as the user's first turn, then replies and observations by turns."""
        before, after = self._frame()
        held = self._fitted(turns, before, after)
        messages = [_message("user", f"{before}{self._digest(held)}{after}{self.template.cue_of(1)}".rstrip(" \n"))]
        for turn in held.turns:
            told = observation_lines(turn, self.template.observation_label(turn.number))
            messages += [_message("assistant", turn.reply), _message("user", told or self.words.go_on)]
        return messages

    def _frame(self) -> tuple[str, str]:
        values = {
            "question": self.question,
            "tools": described(self.tools, self.words, self.style),
            "tool_names": ", ".join(str(tool["name"]) for tool in self.tools),
            "format": self.style.lines(self.words),
            "max_steps": str(self.max_steps),
        }
        return filled(self.template.before, values), filled(self.template.after, values)

    def _fitted(self, turns: Sequence[Turn], before: str, after: str) -> Fitted:
        if self.context is None:
            return Fitted(tuple(turns))
        return fitted(tuple(turns), self.context - estimated_tokens(before + after), self.summarise)

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
    text = default_text(words, style) if template is None else template
    return Prompt(checked(text), question, tuple(tools), words=words, style=style, **rest)


def _message(role: str, content: str) -> Message:
    return {"role": role, "content": content}


def _reflects(reply: str) -> bool:
    return reply.lstrip().lower().startswith(("reflection:", "reflection："))
