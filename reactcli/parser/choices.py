"""Choose the step among the rounds of a text: a final answer beats an action, the first action beats later ones.

Conflicts C1 to C6 are decided here, by the parser's policy. A choice knows the five keys; everything else about the
step is made from it when asked for.
"""

from __future__ import annotations

from reactcli.parser.readings import Reading
from reactcli.source import plain_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from reactcli.actions import Call
    from reactcli.parser.rounds import Round
    from reactcli.tokens import Cut

ON_BOTH = ("final", "action", "error")
PICK = ("first", "last")
NAME_LIMIT = 256
"""Characters of a tool's name; a longer one is prose behind the wrong label."""


class Policy:
    """What the parser's options say; see `ReActAgentParser`."""

    __slots__ = ("implicit_final", "on_both", "pick", "primed")

    def __init__(self, on_both: str, pick: str, *, primed: bool, implicit_final: bool) -> None:
        self.on_both = on_both
        self.pick = pick
        self.primed = primed
        self.implicit_final = implicit_final


class Choice:
    """The round that is the step, and what of it is used."""

    __slots__ = (
        "action_input", "answer", "call", "conflict", "found", "lead_is", "reading", "thinking", "thought", "thoughts"
    )  # fmt: skip

    def __init__(self, found: Cut, reading: Reading, policy: Policy, *, use: str = "both", leads: bool = True) -> None:
        self.found = found
        self.reading = reading
        self.conflict = use == "neither"
        self.answer = None if use in ("action", "neither") else reading.answer
        self.call: Call | None = None
        self.action_input: str | None = None
        self.thought = reading.thought
        if self.answer is None and use != "neither":
            self._take_action(reading)
        self.thoughts = reading.round.thoughts
        self.thinking = found.thinking
        self.lead_is = "preamble"
        if leads and policy.implicit_final and not found.pieces and (lead := preamble_of(found)):
            self.answer, self.thought, self.lead_is = lead, "", "final_answer"
        elif leads and policy.primed:
            self.take_lead()

    def take_lead(self) -> None:
        """Takes the text before the first label for the thought, or for its beginning."""
        if lead := preamble_of(self.found):
            self.thought = f"{lead}\n{self.thought}" if self.thought else lead
            self.lead_is = "thought"

    def _take_action(self, reading: Reading) -> None:
        stray = reading.round.stray_input
        if reading.calls:
            self.call = reading.calls[0]
            self.action_input = reading.input_text(self.call)
            self.thought = reading.thought or self.call.thought
        elif stray is not None:
            self.action_input = self.found.value(stray)

    def contract(self) -> dict[str, Any]:
        return {
            "thought": self.thought,
            "action": self.call.name if self.call else None,
            "action_input": self.action_input,
            "final_answer": self.answer,
            "is_final": self.answer is not None,
        }


def choose(found: Cut, rounds: list[Round], policy: Policy) -> Choice:
    """The step of one reply (R6 to R8, C1 to C3)."""
    finals = [one for one in rounds if one.final is not None]
    if finals and policy.on_both == "final":
        return _answering(found, rounds, finals[-1], policy)
    acting = _first_acting(found, rounds if policy.pick == "first" else rounds[::-1])
    if finals and acting is not None and acting.acts:
        use = "action" if policy.on_both == "action" else "neither"
        return Choice(found, acting, policy, use=use, leads=acting.round is rounds[0])
    if finals:
        return _answering(found, rounds, finals[-1], policy)
    reading = acting or Reading(found, _told(rounds))
    return Choice(found, reading, policy, leads=reading.round is rounds[0])


def _answering(found: Cut, rounds: list[Round], final: Round, policy: Policy) -> Choice:
    """The round of the last final answer, with the last thought before it (R6), from an earlier round if need be."""
    choice = Choice(found, Reading(found, final), policy, leads=final is rounds[0])
    if not choice.thought:
        before = rounds[: rounds.index(final)]
        told = next((one for one in reversed(before) if one.thoughts), None)
        if told is not None:
            choice.thoughts = told.thoughts
            choice.thought = "\n".join(found.value(piece) for piece in told.thoughts)
        if policy.primed and before and told in (None, before[0]):
            choice.take_lead()
    return choice


def choose_whole(found: Cut, one: Round, policy: Policy, *, leads: bool) -> Choice:
    """The step of one round of a transcript."""
    reading = Reading(found, one)
    both = reading.acts and one.final is not None
    use = {"final": "both", "action": "action", "error": "neither"}[policy.on_both] if both else "both"
    return Choice(found, reading, policy, use=use, leads=leads)


def preamble_of(found: Cut) -> str:
    """The text before the first piece, without reasoning."""
    start, end = found.window
    if found.pieces:
        end = found.pieces[0][1]
    text = found.taken((start, end)) if found.hidden else found.text[start:end]
    return plain_lines(text.strip())


def _first_acting(found: Cut, rounds: list[Round]) -> Reading | None:
    """The first round that acts or answers, as a reading."""
    for one in rounds:
        if one.requests or one.answer is not None:
            reading = Reading(found, one)
            if reading.calls or reading.answer is not None:
                return reading
    return None


def _told(rounds: list[Round]) -> Round:
    """Where nothing acts: the first round that says anything."""
    return next((one for one in rounds if one.thoughts or one.stray_input or one.requests), rounds[0])
