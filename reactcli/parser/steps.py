"""Make the whole step, or the trace, from what was chosen: arguments, spans, what was set aside, diagnostics."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from reactcli.actions.names import is_terminal, says_no_action
from reactcli.actions.parallel import parallel_calls
from reactcli.diagnostics import diagnose, in_order
from reactcli.dialects.parts import Part
from reactcli.loosejson import read_arguments, read_call, read_value
from reactcli.parser.checks import text_checks
from reactcli.parser.choices import NAME_LIMIT, preamble_of
from reactcli.source import plain_lines
from reactcli.trace import Action, Step, Trace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from reactcli.actions import Call
    from reactcli.diagnostics import Diagnostic
    from reactcli.parser.choices import Choice, Policy
    from reactcli.parser.readings import Reading
    from reactcli.parser.rounds import Round
    from reactcli.source import Span
    from reactcli.tokens import Cut, Piece


def step_of(choice: Choice, rounds: list[Round], policy: Policy) -> Step:
    """The step of one reply, with what the other rounds say set aside."""
    found = choice.found
    says = _recognised(choice)
    notes = [*found.notes, *text_checks(found, recognised=says)]
    acts = choice.call is not None or choice.answer is not None or choice.conflict
    if found.text.strip() and not acts and (says or found.reasoning):
        notes.append(diagnose("no-action-or-answer", (0, len(found.text))))
    fields = _fields(choice, notes)
    fields["shadowed"] = _shadowed(choice, rounds, policy, notes)
    _add_invented(found, rounds, fields, notes)
    if (
        acts
        and fields["preamble"]
        and not choice.thought
        and found.dialect.family == "label"
        and not found.dialect.explicit
    ):
        notes.append(diagnose("text-before-labels", fields["spans"]["preamble"]))
    if not choice.conflict:
        notes += _untold(choice, fields, notes)
    return Step(**fields, diagnostics=in_order(notes))


def _untold(choice: Choice, fields: dict[str, Any], notes: list[Diagnostic]) -> Iterator[Diagnostic]:
    """What neither the step nor a diagnostic tells: labelled text before it, and the first behind it."""
    found, of = choice.found, choice.reading.round
    acts = choice.call is not None or choice.reading.terminal
    names = [found.value(request.action).partition("\n")[0] for request in of.requests]
    requests = [request for request, name in zip(of.requests, names, strict=True) if not says_no_action(name)]
    requests = requests if fields["shadowed"] or fields["parallel_actions"] else requests[:acts]
    used = [piece for request in requests for piece in (request.action, request.input, *request.arguments) if piece]
    used += [of.final] if of.final is not None else []
    told = sorted(
        [*fields["spans"].values(), *(note.span for note in notes), *((piece[1], piece[3]) for piece in used)]
    )
    starts = [start for start, _ in told]
    ends = list(accumulate((end for _, end in told), max))
    step_at = min(start for start, _ in fields["spans"].values()) if fields["spans"] else len(found.text)
    for piece in of.pieces if fields["shadowed"] else found.pieces:
        start, end = found.body(piece)
        index = bisect_right(starts, start) - 1
        if start == end or (index >= 0 and ends[index] > start) or _says_nothing(found.text[start:end]):
            continue
        if start < step_at or piece[0] is Part.ASIDE:
            yield diagnose("unused-text", (start, end))
        else:
            yield diagnose("text-after-step", (start, end), text=f"'{found.value(piece)}'")
            return


def _says_nothing(name: str) -> bool:
    return says_no_action(name) or is_terminal(name)


def _add_invented(found: Cut, rounds: list[Round], fields: dict[str, Any], notes: list[Diagnostic]) -> None:
    """What the model wrote behind its own `Observation:`; a bare label at the end is a stop word that came along."""
    acted = next((one for one in rounds if one.observed), None)
    if acted is None:
        return
    piece = next(piece for piece in acted.observations if piece[1] >= acted.requests[0].action[1])
    fields["hallucinated_observation"] = found.value(piece)
    fields["spans"]["hallucinated_observation"] = found.body(piece)
    if fields["hallucinated_observation"] or piece is not found.pieces[-1]:
        notes.append(diagnose("hallucinated-observation", (piece[1], piece[2])))
    else:
        notes.append(diagnose("dropped-tokens", (piece[1], piece[2]), text=f"'{found.text[piece[1] : piece[2]]}'"))


def trace_of(found: Cut, choices: list[Choice]) -> Trace:
    """The trace of a transcript: a step for each round that says anything, episodes told apart by their questions.

    The trace's own diagnostics are about the text as a whole; each step carries those of its own.
    """
    _divide_thinking(found.thinking, choices)
    steps: list[Step] = []
    episode = 1
    for number, choice in enumerate(choices):
        if steps and choice.reading.round.question is not None:
            episode += 1
        step = _transcribed(choice, episode, first=number == 0)
        if step.observation is not None or step.contract() != _NOTHING:
            steps.append(step)
    notes = [*found.notes, *text_checks(found, recognised=(says := any(map(_recognised, choices))))]
    if found.text.strip() and (says or found.reasoning) and not any(step.action or step.is_final for step in steps):
        notes.append(diagnose("no-action-or-answer", (0, len(found.text))))
    answered = bool(steps) and steps[-1].is_final
    return Trace(
        question=next((step.question for step in steps if step.question is not None), None),
        steps=tuple(steps),
        final_answer=steps[-1].final_answer if answered else None,
        status="finished" if answered else "unfinished",
        dialect=_commonest([step.dialect for step in steps]),
        diagnostics=in_order(notes),
    )


def _recognised(choice: Choice) -> bool:
    return choice.reading.recognised or choice.answer is not None or choice.action_input is not None


_NOTHING = Step().contract()


def _transcribed(choice: Choice, episode: int, *, first: bool) -> Step:
    found, of = choice.found, choice.reading.round
    notes: list[Diagnostic] = []
    fields = _fields(choice, notes)
    fields["episode"] = episode
    if not first:
        fields["preamble"] = ""
        fields["spans"].pop("preamble", None)
    if of.question is not None:
        fields["question"] = found.value(of.question)
        fields["spans"]["question"] = found.body(of.question)
    if of.observations:
        texts = [found.value(piece) for piece in of.observations]
        fields["observation"] = "\n".join(texts)
        fields["spans"]["observation"] = (found.body(of.observations[0])[0], found.body(of.observations[-1])[1])
        actions = fields["parallel_actions"]
        if len(actions) == len(texts):
            fields["parallel_actions"] = tuple(
                action.replace(observation=text) for action, text in zip(actions, texts, strict=True)
            )
    if choice.answer is not None and choice.reading.acts:
        fields["shadowed"] = (_set_aside(choice.reading),)
        notes.append(_both(choice))
    return Step(**fields, diagnostics=in_order(notes))


def _fields(choice: Choice, notes: list[Diagnostic]) -> dict[str, Any]:
    """The fields that a step of a reply and one of a transcript share."""
    found, reading = choice.found, choice.reading
    of = reading.round
    notes += reading.notes
    lead = preamble_of(found)
    spans = _spans(choice, has_lead=bool(lead))
    fields: dict[str, Any] = {
        **choice.contract(),
        "dialect": reading.dialect if reading.recognised or choice.answer is not None else "",
        "reasoning": _reasoning(choice),
        "preamble": lead if choice.lead_is == "preamble" else "",
        "spans": spans,
        "parallel_actions": (),
    }
    for part, name in ((Part.REFLECTION, "reflection"), (Part.PLAN, "plan")):
        pieces = [piece for piece in of.others if piece[0] is part]
        if pieces:
            fields[name] = "\n".join(found.value(piece) for piece in pieces)
            spans[name] = (found.body(pieces[0])[0], found.body(pieces[-1])[1])
    if choice.call is not None:
        fields |= _call_fields(choice.call, reading, spans, notes)
    elif of.stray_input is not None:
        notes.append(diagnose("input-without-action", (of.stray_input[1], of.stray_input[2])))
    elif reading.terminal and reading.calls[0].source is not None:
        fields["truncated"] = _read_source(reading.calls[0], reading, notes)
    return fields


def _call_fields(call: Call, reading: Reading, spans: dict[str, Span], notes: list[Diagnostic]) -> dict[str, Any]:
    """What a call adds to a step: its arguments, or all calls where there are several."""
    if len(call.name or "") > NAME_LIMIT:
        notes.append(diagnose("name-too-long", spans["action"], length=len(call.name or ""), limit=NAME_LIMIT))
    calls = parallel_calls(reading, notes)
    if len(calls) < 2:
        arguments, truncated = _arguments(call, reading, notes)
        return {"arguments": arguments, "truncated": truncated}
    notes.append(diagnose("parallel-actions", spans.get("action", (0, 0)), count=len(calls)))
    read = [_arguments(each, reading, notes) for each in calls]
    actions = tuple(
        Action(each.name, reading.input_text(each), arguments, call_id=each.call_id)
        for each, (arguments, _) in zip(calls, read, strict=True)
    )
    return {
        "parallel_actions": actions,
        "arguments": actions[0].arguments if calls[0] is call else None,
        "truncated": any(truncated for _, truncated in read),
    }


def _read_source(call: Call, reading: Reading, notes: list[Diagnostic]) -> bool:
    """Report how the JSON of a blob is spelt; whether it was cut off."""
    if call.source is None:
        return False
    blob = read_value(reading.found.text, *call.source)
    notes += blob.diagnostics
    return blob.truncated


def _arguments(call: Call, reading: Reading, notes: list[Diagnostic]) -> tuple[Any, bool]:
    """The parsed input of a call, and whether it was cut off. Findings in decoded text point at its whole source."""
    text = reading.found.text
    truncated = call.truncated or _read_source(call, reading, notes)
    if call.span is None:
        return None, truncated
    if call.written is None:
        read = read_call if call.syntax else read_arguments
        got = read(text, *call.span)
        notes += got.diagnostics if call.source is None else ()
    else:
        got = read_arguments(call.written, 0, len(call.written), label=False)
        notes += (finding.replace(span=call.span) for finding in got.diagnostics)
    return got.value, got.truncated or truncated


def _spans(choice: Choice, *, has_lead: bool) -> dict[str, Span]:
    found, of = choice.found, choice.reading.round
    spans: dict[str, Span] = {}
    if choice.thought and choice.thoughts:
        spans["thought"] = (found.body(choice.thoughts[0])[0], found.body(choice.thoughts[-1])[1])
    if choice.call is not None and choice.call.name:
        spans["action"] = _name_span(found, of.requests[0].action, choice.call.name)
    if choice.action_input is not None:
        given = choice.call.span if choice.call is not None else of.stray_input and found.body(of.stray_input)
        if given is not None:
            spans["action_input"] = given
    if choice.answer is not None and choice.reading.answer_span is not None:
        spans["final_answer"] = choice.reading.answer_span
    if has_lead:
        end = found.pieces[0][1] if found.pieces else found.window[1]
        start, end = found.body((Part.PREAMBLE, 0, found.window[0], end, ""))
        spans[choice.lead_is] = (start, spans.get(choice.lead_is, (start, end))[1])
    if choice.thinking:
        spans["reasoning"] = (choice.thinking[0][0], choice.thinking[-1][1])
    return spans


def _name_span(found: Cut, piece: Piece, name: str) -> Span:
    """Where the name stands in its action; in JSON, where it stands as a string."""
    start, end = piece[1], piece[3]
    quoted = found.text.find(f'"{name}"', start, end)
    at = quoted + 1 if quoted >= 0 else found.text.find(name, start if piece[4] else piece[2], end)
    return (at, at + len(name)) if at >= 0 else found.body(piece)


def _reasoning(choice: Choice) -> str:
    text = choice.found.text
    return plain_lines("\n".join(part for start, end in choice.thinking if (part := text[start:end].strip())))


def _divide_thinking(thinking: list[Span], choices: list[Choice]) -> None:
    """Gives each stretch of reasoning to the step it leads to: the first with a piece behind it, or else the last."""
    ends = [max((piece[1] for piece in choice.reading.round.pieces), default=0) for choice in choices]
    shares: list[list[Span]] = [[] for _ in choices]
    for span in thinking:
        shares[min(bisect_right(ends, span[0]), len(ends) - 1)].append(span)
    for choice, share in zip(choices, shares, strict=True):
        choice.thinking = share


def _shadowed(choice: Choice, rounds: list[Round], policy: Policy, notes: list[Diagnostic]) -> tuple[Step, ...]:
    """The action that the answer beat, and the steps of the other rounds, in order."""
    from reactcli.parser.readings import Reading

    found, own = choice.found, choice.reading.round
    aside: list[Step] = []
    ahead = 0
    finals = sum(one.final is not None for one in rounds)
    for one in rounds:
        reading = choice.reading if one is own else Reading(found, one)
        if one is own and not (reading.acts and (choice.conflict or choice.answer is not None)):
            continue
        if reading.calls or reading.answer is not None:
            aside.append(_set_aside(reading))
            ahead += one is not own
        if choice.conflict and reading.acts and reading.answer is not None:
            aside.append(Step(thought=reading.thought, final_answer=reading.answer, is_final=True))
    if choice.conflict:
        notes.append(diagnose("conflict", _both_span(rounds)))
    elif choice.answer is not None and any(step.action is not None for step in aside):
        notes.append(diagnose("action-and-final-answer", _both_span(rounds)))
    elif ahead:
        place = next((one.requests[0].action for one in rounds if one.requests and one is not own), None)
        at = (place[1], place[2]) if place else (0, 0)
        used = "the last" if policy.pick == "last" else "the first"
        notes.append(diagnose("steps-written-ahead", at, count=ahead, used=used))
    if finals > 1:
        notes.append(diagnose("repeated-answer", choice.reading.answer_span or (0, 0)))
    return tuple(aside)


def _set_aside(reading: Reading) -> Step:
    """A step that is reported and not used: its five keys and its span."""
    call = reading.calls[0] if reading.calls else None
    answer = None if call is not None and reading.acts else reading.answer
    return Step(
        thought=reading.thought,
        action=call.name if call and answer is None else None,
        action_input=reading.input_text(call) if call and answer is None else None,
        final_answer=answer,
        is_final=answer is not None,
        dialect=reading.dialect,
    )


def _both(choice: Choice) -> Diagnostic:
    action = choice.reading.round.requests[0].action
    return diagnose("action-and-final-answer", (action[1], action[2]))


def _both_span(rounds: list[Round]) -> Span:
    action = next(one.requests[0].action for one in rounds if one.requests)
    return action[1], action[2]


def _commonest(dialects: list[str]) -> str:
    return max(dialects, key=dialects.count, default="") if len(set(dialects)) > 1 else next(iter(dialects), "")
