"""Group the pieces of a text into rounds: each at most one thought, its actions, and what was observed.

    round = question? (thought | reflection | plan | aside)* (action input? argument*)* observation* | … final answer

A round is what becomes a step. An observation behind an action closes it; so does a thought behind an action (R8).
"""

from __future__ import annotations

from reactcli.diagnostics import diagnose
from reactcli.dialects.parts import Part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reactcli.diagnostics import Diagnostic
    from reactcli.tokens import Piece


class Request:
    """One action as pieces: its own, its input's, and those of named arguments."""

    __slots__ = ("action", "arguments", "input")

    def __init__(self, action: Piece, given: Piece | None = None) -> None:
        self.action = action
        self.input = given
        self.arguments: list[Piece] = []


class Round:
    __slots__ = (
        "answer", "final", "observations", "observed", "others", "pieces", "question", "requests", "stray_input",
        "thoughts",
    )  # fmt: skip

    def __init__(self) -> None:
        self.question: Piece | None = None
        self.thoughts: list[Piece] = []
        self.others: list[Piece] = []
        """Reflections, plans and asides."""
        self.requests: list[Request] = []
        self.stray_input: Piece | None = None
        """An action input with no action before it."""
        self.observations: list[Piece] = []
        self.observed = False
        """An observation stands behind an action; one before any action is the model's own speech (R9)."""
        self.final: Piece | None = None
        self.answer: Piece | None = None
        """A weak `Answer:`."""
        self.pieces: list[Piece] = []
        """All of them, in order."""

    def is_over(self, part: Part, *, is_transcript: bool) -> bool:
        """A piece of this part begins the next round. In a transcript, an observation closes a step without an action
        too: what a loop answers to a reply that it could not read.
        """
        if part is Part.OBSERVATION or part is Part.ACTION_INPUT or part is Part.ARGUMENT:
            return False
        answered = self.final is not None or (self.answer is not None and not self.requests)
        if part is Part.QUESTION:
            return bool(answered or self.requests or self.thoughts or self.observations or self.question)
        if part is Part.ASIDE:
            return False
        if part is Part.ACTION or part is Part.FINAL_ANSWER or part is Part.ANSWER:
            return answered or self.observed
        closed = is_transcript and bool(self.thoughts and self.observations)
        return answered or closed or bool(self.requests)


def rounds_of(pieces: list[Piece], notes: list[Diagnostic], *, is_transcript: bool = False) -> list[Round]:
    """The rounds of a text, in order; at least one."""
    current = Round()
    rounds = [current]
    for piece in pieces:
        part = piece[0]
        if current.is_over(part, is_transcript=is_transcript):
            current = Round()
            rounds.append(current)
        current.pieces.append(piece)
        if part is Part.THOUGHT:
            current.thoughts.append(piece)
        elif part is Part.ACTION:
            current.requests.append(Request(piece, _taken_stray(current, notes)))
        elif part is Part.ACTION_INPUT:
            _add_input(current, piece, notes)
        elif part is Part.OBSERVATION:
            current.observations.append(piece)
            current.observed = bool(current.requests)
        elif part is Part.FINAL_ANSWER:
            current.final = piece
        else:
            _add_other(current, piece)
    return rounds


def _add_other(current: Round, piece: Piece) -> None:
    part = piece[0]
    if part is Part.ANSWER:
        current.answer = current.answer or piece
    elif part is Part.QUESTION:
        current.question = piece
    elif part is Part.ARGUMENT:
        if current.requests:
            current.requests[-1].arguments.append(piece)
    else:
        current.others.append(piece)


def _add_input(current: Round, piece: Piece, notes: list[Diagnostic]) -> None:
    if current.requests and current.requests[-1].input is None and not current.observed:
        current.requests[-1].input = piece
    elif current.requests:
        notes.append(diagnose("repeated-label", (piece[1], piece[3]), part="the action input"))
    elif current.stray_input is None:
        current.stray_input = piece


def _taken_stray(current: Round, notes: list[Diagnostic]) -> Piece | None:
    """The input that stood before its action, if there is one."""
    stray, current.stray_input = current.stray_input, None
    if stray is not None:
        notes.append(diagnose("input-before-action", (stray[1], stray[3])))
    return stray
