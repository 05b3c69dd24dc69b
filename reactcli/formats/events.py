"""What reading a file gives, piece by piece (openings, recorded steps, closings, diagnostics) and their sum, a trace.

A reader yields an `Opening` before the steps of an episode and a `Closing` after them; most files hold one episode.
What a format knows about a step and `Step` does not model is the step's `meta`; in a `Trace` the metas of all steps are
`meta["steps"]`, and what several episodes say of themselves is `meta["episodes"]`, each there only if it says anything.
"""

from __future__ import annotations

from reactcli.diagnostics import Diagnostic
from reactcli.trace import Step, Trace
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any


class Opening(Value):
    """An episode begins. Its question stands in its first step too."""

    episode: int = 1
    question: str | None = None
    meta: Mapping[str, Any] = {}
    is_numbered: bool = False
    """The file numbers its episodes, so that there may be more."""


class Recorded(Value):
    """A step and where it stands."""

    step: Step
    meta: Mapping[str, Any] = {}
    line: int = 0
    """Line of the file, from 1; 0 where the format is one document or a text."""


class Closing(Value):
    """An episode ends."""

    status: str | None = None
    """What the file says; None if it says nothing."""
    final_answer: str | None = None
    """The answer, where no step of the episode holds it."""
    meta: Mapping[str, Any] = {}


Event = Opening | Recorded | Closing | Diagnostic


def trace_of(events: Iterable[Event]) -> Trace:
    """All that was read, as one value. The question is the first episode's, the final answer the last one's."""
    episodes: list[Trace] = []
    diagnostics: list[Diagnostic] = []
    pieces: list[Event] = []
    for event in events:
        if isinstance(event, Diagnostic):
            diagnostics.append(event)
        elif isinstance(event, Opening) and pieces:
            episodes.append(_episode(pieces))
            pieces = [event]
        else:
            pieces.append(event)
    if pieces:
        episodes.append(_episode(pieces))
    return joined(episodes).replace(diagnostics=tuple(diagnostics))


def joined(episodes: list[Trace]) -> Trace:
    """Several traces as one, their steps numbered by episode as they are."""
    if not episodes:
        return Trace()
    if len(episodes) == 1:
        return episodes[0]
    metas = [episode_meta(trace) for trace in episodes]
    step_metas = [meta for trace in episodes for meta in metas_of(trace)]
    is_told = any(metas) or not all(trace.steps for trace in episodes)
    meta: dict[str, Any] = {"episodes": metas} if is_told else {}
    if any(step_metas):
        meta["steps"] = step_metas
    statuses = {trace.status for trace in episodes}
    return Trace(
        question=episodes[0].question,
        steps=tuple(step for trace in episodes for step in trace.steps),
        final_answer=episodes[-1].final_answer,
        status=statuses.pop() if len(statuses) == 1 else "unfinished",
        dialect=_common(trace.dialect for trace in episodes),
        meta=meta,
    )


def episodes_of(trace: Trace) -> list[Trace]:
    """The episodes of a trace, each a trace of its own whose steps are of episode 1."""
    told = trace.meta.get("episodes")
    metas = told if isinstance(told, list) else []
    places: dict[int, list[int]] = {number: [] for number in range(1, len(metas) + 1)}
    for index, step in enumerate(trace.steps):
        places.setdefault(step.episode, []).append(index)
    if len(places) < 2:
        return [trace]
    step_metas = metas_of(trace)
    episodes = []
    for number, here in places.items():
        meta = dict(metas[number - 1]) if 0 < number <= len(metas) else {}
        closing = Closing(meta.pop("status", None), meta.pop("final_answer", None))
        recorded = [Recorded(trace.steps[index].replace(episode=1), step_metas[index]) for index in here]
        episodes.append(_episode([Opening(1, meta.pop("question", None), meta), *recorded, closing]))
    return episodes


def answered(trace: Trace) -> Trace:
    """One episode, its final answer a step even where the file keeps it apart (a submission, an end record)."""
    answer = trace.final_answer
    if answer is None or answer == _answer(trace.steps):
        return trace
    episode = trace.steps[-1].episode if trace.steps else 1
    asked = None if trace.steps else trace.question
    final = Step(final_answer=answer, is_final=True, episode=episode, question=asked)
    meta = {**trace.meta, "steps": [*metas_of(trace), {}]} if "steps" in trace.meta else trace.meta
    return trace.replace(steps=(*trace.steps, final), meta=meta)


def metas_of(trace: Trace) -> list[dict[str, Any]]:
    """One meta for each step, empty where the trace says nothing of it."""
    metas = trace.meta.get("steps")
    known = [meta if isinstance(meta, dict) else {} for meta in metas] if isinstance(metas, list) else []
    return [*known, *({} for _ in trace.steps)][: len(trace.steps)]


def episode_meta(trace: Trace) -> dict[str, Any]:
    """What an episode says of itself beside its steps: nothing that its steps say already."""
    meta = {key: value for key, value in trace.meta.items() if key != "steps"}
    if trace.question is not None and not (trace.steps and trace.steps[0].question == trace.question):
        meta["question"] = trace.question
    if trace.final_answer != _answer(trace.steps):
        meta["final_answer"] = trace.final_answer
    if trace.status != _status(trace.final_answer):
        meta["status"] = trace.status
    return meta


def events_of(trace: Trace) -> Iterator[Event]:
    """The pieces of a trace, as reading it would give them."""
    for number, episode in enumerate(episodes_of(trace), start=1):
        yield Opening(number, episode.question, {key: value for key, value in episode.meta.items() if key != "steps"})
        for step, meta in zip(episode.steps, metas_of(episode), strict=True):
            yield Recorded(step.replace(episode=number), meta)
        yield Closing(episode.status, episode.final_answer)
    yield from trace.diagnostics


def _episode(pieces: list[Event]) -> Trace:
    opening = next((piece for piece in pieces if isinstance(piece, Opening)), Opening())
    closing = next((piece for piece in pieces if isinstance(piece, Closing)), Closing())
    recorded = [piece for piece in pieces if isinstance(piece, Recorded)]
    steps = tuple(piece.step for piece in recorded)
    answer = closing.final_answer if closing.final_answer is not None else _answer(steps)
    meta = {**opening.meta, **closing.meta}
    if any(piece.meta for piece in recorded):
        meta["steps"] = [piece.meta for piece in recorded]
    question = opening.question
    if question is None and steps:
        question = steps[0].question
    status = closing.status if closing.status is not None else _status(answer)
    return Trace(question, steps, answer, status, _common(step.dialect for step in steps), meta)


def _answer(steps: tuple[Step, ...]) -> str | None:
    return steps[-1].final_answer if steps else None


def _status(answer: str | None) -> str:
    return "unfinished" if answer is None else "finished"


def _common(dialects: Iterable[str]) -> str:
    """The dialect of all, those left out that have none; empty if they differ."""
    named = {dialect for dialect in dialects if dialect}
    return named.pop() if len(named) == 1 else ""
