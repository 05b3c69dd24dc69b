"""A template: the text of a prompt with named slots, checked before any model is asked.

    slot     = "{" name "}"         one of `SLOTS`, or an alias; every other brace is text, so JSON needs no doubling
    literal  = "{{" name "}}"       the text "{name}"

`{question}` must be there; what else is missing is left out, but the scratchpad, which then goes to the end. A template
that ends in a thought label (`Thought 1:`, `思:`) is *primed*: the label is the model's cue, stands behind the
scratchpad, and counts up if it has a number. The label of observations is the one that the template shows.
"""

from __future__ import annotations

import re

from reactcli.dialects.parts import IN_CONTEXT, LABELS, Part
from reactcli.errors import ReactcliError
from reactcli.patterns import pattern
from reactcli.registry import nearest
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from reactcli.prompt.styles import Style
    from reactcli.prompt.words import Words

SLOTS = {
    "question": "the question",
    "tools": "the description of every tool",
    "tool_names": "their names, separated by commas",
    "format": "the lines of the format",
    "max_steps": "the limit of steps",
    "scratchpad": "the steps so far",
}
ALIASES = {
    "tools_description": "tools",
    "tool_descriptions": "tools",
    "tool_description": "tools",
    "tools_names": "tool_names",
    "max_iterations": "max_steps",
    "max_iter": "max_steps",
    "agent_scratchpad": "scratchpad",
    "history": "scratchpad",
    "input": "question",
}
"""What other programs call the same thing."""

LONGEST = 1 << 20
"""Characters of a template; more is another file."""

_SLOT = pattern(r"\{\{([A-Za-z_]\w{0,60})\}\}|\{([A-Za-z_]\w{0,60})\}")


class PromptError(ReactcliError):
    """A template cannot be used."""


class Template(Value):
    """A template that has been checked. Its pieces are still with slots."""

    before: str
    """What stands before the scratchpad."""
    after: str = ""
    """What stands between scratchpad and cue."""
    cue: str = ""
    """The thought label that the prompt ends in, without number and colon."""
    cue_mark: str = ""
    """The colon behind it."""
    is_counted: bool = False
    """The cue has a number."""
    observation: str = "Observation"
    counts_observations: bool = False

    @property
    def is_primed(self) -> bool:
        return bool(self.cue)

    def cue_of(self, number: int) -> str:
        """The cue of a step, such as `Thought 3:`."""
        count = f" {number}" if self.is_counted else ""
        return f"{self.cue}{count}{self.cue_mark}" if self.cue else ""

    def observation_label(self, number: int) -> str:
        return f"{self.observation} {number}" if self.counts_observations else self.observation

    def starts_with_thought(self, reply: str) -> bool:
        """The model wrote the label itself, though it stood there already."""
        return _THOUGHT_FIRST.match(reply) is not None


def checked(text: str) -> Template:
    """PromptError if a slot is unknown, the question is missing, or the scratchpad is there twice."""
    if len(text) > LONGEST:
        raise PromptError(f"the template is longer than {LONGEST} characters")
    names = [_name(match) for match in _SLOT.finditer(text)]
    if "question" not in names:
        raise PromptError("the template has no slot for the question", hint="write {question} where it belongs")
    if names.count("scratchpad") > 1:
        raise PromptError("the template has two slots for the scratchpad", hint="keep one {scratchpad}")
    before, tail = _halves(text)
    after, cue = _cue_apart(tail if tail is not None else before)
    if tail is None:
        before, after = _ended(after), ""
    observation = _OBSERVATION.search(f"\n{text}")
    return Template(
        before,
        after,
        cue[1] if cue else "",
        cue[0].rstrip()[-1] if cue else "",
        bool(cue and cue[2]),
        observation[1] if observation else "Observation",
        bool(observation and observation[2]),
    )


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with its slots filled, in one pass: what is put in is never searched for slots."""
    return _SLOT.sub(lambda match: "{" + match[1] + "}" if match[1] else values.get(_name(match), ""), text)


def default_text(words: Words, style: Style) -> str:
    """The template of a language and a style."""
    return (
        f"{words.task}\n\n{words.tools}\n\n{{tools}}\n\n{words.form}\n\n{style.lines(words)}\n\n"
        f"{words.rules}\n{words.choosing}\n\n{words.question} {{question}}\n{{scratchpad}}"
    )


def _name(match: re.Match[str]) -> str:
    """The slot of a match, or "" for a literal. PromptError if there is no such slot."""
    if match[1]:
        return ""
    name = ALIASES.get(match[2].lower(), match[2].lower())
    if name not in SLOTS:
        meant = nearest(match[2], (*SLOTS, *ALIASES))
        guess = f"did you mean {{{meant}}}? " if meant else ""
        there = ", ".join(f"{{{slot}}}" for slot in SLOTS)
        hint = f"{guess}there are: {there}; text in braces is written {{{{{match[2]}}}}}"
        raise PromptError(f"the template has no slot called '{match[2]}'", hint=hint)
    return name


def _halves(text: str) -> tuple[str, str | None]:
    """What stands before the scratchpad and behind it; None if the template has no scratchpad."""
    for match in _SLOT.finditer(text):
        if _name(match) == "scratchpad":
            return text[: match.start()], text[match.end() :]
    return text, None


def _cue_apart(text: str) -> tuple[str, re.Match[str] | None]:
    cue = _CUE.search(f"\n{text}")
    return (text[: max(cue.start(1) - 1, 0)], cue) if cue else (text, None)


def _ended(text: str) -> str:
    """A scratchpad begins on a line of its own."""
    return text if text.endswith("\n") or not text else f"{text}\n"


def _words(part: Part) -> Iterator[str]:
    for labels in LABELS.values():
        for word in labels.get(part, "").split("|"):
            if word and word.lower() not in IN_CONTEXT:
                yield re.escape(word)


def _any(part: Part) -> str:
    """The label words of all languages, the longest first."""
    return "|".join(sorted(_words(part), key=len, reverse=True))


_NUMBER = r"[ \t]{0,3}(\d{0,4})[ \t]{0,3}[:：]"
# Repeats are bounded, and neighbours have no character in common, so no text makes these go back far.
_CUE = pattern(rf"\n[ \t]{{0,20}}({_any(Part.THOUGHT)}){_NUMBER}\s{{0,20}}\Z", re.IGNORECASE)
_OBSERVATION = pattern(rf"\n[ \t]{{0,20}}({_any(Part.OBSERVATION)}){_NUMBER}", re.IGNORECASE)
_THOUGHT_FIRST = pattern(rf"\s{{0,20}}(?:{_any(Part.THOUGHT)}){_NUMBER}", re.IGNORECASE)
