"""A step as an object of named fields: the keys of `parse --steps`, and what else `Step` has, where it says something.

Any of them may be missing, and `null` is missing too: an observation that is `""` was empty, one that is not there was
never made. Text stays text; an object as input is kept as its JSON text; unknown keys, and values where a field cannot
hold them, are the step's meta. A record that has only `llm_output` is parsed.
"""

from __future__ import annotations

from reactcli.formats.fields import dicts_in, input_of, kind_of
from reactcli.formats.strict import encode
from reactcli.formats.turns import parsed
from reactcli.trace import STEP_KEYS, Action, Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

SPOKEN = frozenset({*STEP_KEYS, "observation", "llm_output"})
"""A record with one of these keys is a step."""
TEXTS = ("reasoning", "preamble", "reflection", "plan", "hallucinated_observation", "dialect")
KNOWN = frozenset({*STEP_KEYS, "observation", "step", "episode", "question", "arguments", "parallel_actions"}) | {
    "shadowed",
    "truncated",
    "meta",
    *TEXTS,
}
USUAL = frozenset({*STEP_KEYS, "observation", "step", "episode"})
"""Keys of nearly every record: one that has no others is read without looking for the rare fields."""
SHADOWED_LIMIT = 8
"""Steps inside steps that are read; the parser makes one level."""


def is_step(record: object) -> bool:
    return isinstance(record, dict) and not SPOKEN.isdisjoint(record)


def step_of(record: dict[str, Any], note: Callable[..., None], *, episode: int = 1, depth: int = 0) -> Step:
    """The step of a record. `note(code, **facts)` is told what did not fit."""
    if "llm_output" in record and STEP_KEYS_SET.isdisjoint(record):
        text = record["llm_output"]
        answered = record.get("observation") is not None
        step = parsed(text if isinstance(text, str) else "", was_answered=answered)
        return step.replace(observation=_text(record, "observation", note), episode=episode)
    recorded = input_of(record.get("action_input"))
    answer = _text(record, "final_answer", note)
    action = _text(record, "action", note)
    step = Step(
        thought=_text(record, "thought", note) or "",
        action=action,
        action_input=recorded.text,
        final_answer=answer,
        is_final=answer is not None or (record.get("is_final") is True and action is None),
        observation=_observation(record.get("observation")),
        arguments=record.get("arguments", recorded.arguments),
        truncated=recorded.truncated,
        episode=episode,
        diagnostics=recorded.diagnostics,
    )
    if not record.keys() <= USUAL:
        step = _with_rare_fields(step, record, note, depth)
    return _without_beaten_action(step, note) if answer is not None and action is not None else step


def meta_of(record: dict[str, Any], number: int) -> dict[str, Any]:
    """What a record says beside its step; its own number only if that is not its place."""
    meta = {} if record.keys() <= KNOWN else {key: value for key, value in record.items() if key not in KNOWN}
    said = record.get("step", number)
    if said != number:
        meta["number"] = said
    if isinstance(record.get("meta"), dict):
        meta |= record["meta"]
    return meta


def fields_of(step: Step, meta: Mapping[str, Any], number: int, question: str | None = None) -> dict[str, Any]:
    """The record of a step. `question` is what the file says of the episode: it is not repeated."""
    record: dict[str, Any] = {"step": number, **step.contract(), "observation": step.observation}
    derived = input_of(step.action_input)
    if step.arguments != derived.arguments or type(step.arguments) is not type(derived.arguments):
        record["arguments"] = step.arguments
    if step.question != question:
        record["question"] = step.question
    for name in TEXTS:
        if getattr(step, name) not in {"", None}:
            record[name] = getattr(step, name)
    if step.hallucinated_observation == "":
        record["hallucinated_observation"] = ""
    if step.truncated != derived.truncated:
        record["truncated"] = step.truncated
    if step.parallel_actions:
        record["parallel_actions"] = [_action_fields(action) for action in step.parallel_actions]
    if step.shadowed:
        record["shadowed"] = [fields_of(other, {}, place) for place, other in enumerate(step.shadowed, start=1)]
    hidden = {key: value for key, value in meta.items() if key in KNOWN or key in {"seq", "hash", "schema", "end"}}
    record |= {key: value for key, value in meta.items() if key not in hidden}
    return record | ({"meta": hidden} if hidden else {})


STEP_KEYS_SET = frozenset(STEP_KEYS)


def _text(record: dict[str, Any], key: str, note: Callable[..., None]) -> str | None:
    value = record.get(key)
    if value is None or type(value) is str:
        return value
    note("wrong-type", part=key, kind=kind_of(value))
    return encode(value)


def _observation(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else encode(value)


def _with_rare_fields(step: Step, record: dict[str, Any], note: Callable[..., None], depth: int) -> Step:
    changes: dict[str, Any] = {}
    for name in TEXTS:
        if record.get(name) is not None:
            changes[name] = _text(record, name, note)
    if isinstance(record.get("question"), str):
        changes["question"] = record["question"]
    if isinstance(record.get("truncated"), bool):
        changes["truncated"] = record["truncated"]
    if actions := dicts_in(record.get("parallel_actions")):
        changes["parallel_actions"] = tuple(_action(action, note) for action in actions)
        inputs = (input_of(action.get("action_input")) for action in actions)
        changes["diagnostics"] = tuple(found for each in inputs for found in each.diagnostics)
    if depth < SHADOWED_LIMIT and (others := dicts_in(record.get("shadowed"))):
        changes["shadowed"] = tuple(step_of(other, note, depth=depth + 1) for other in others)
    return step.replace(**changes) if changes else step


def _without_beaten_action(step: Step, note: Callable[..., None]) -> Step:
    """A final answer beats an action, as in a transcript."""
    note("action-and-final-answer")
    beaten = Step(
        step.thought,
        step.action,
        step.action_input,
        arguments=step.arguments,
        parallel_actions=step.parallel_actions,
        truncated=step.truncated,
    )
    left = {"action": None, "action_input": None, "arguments": None, "parallel_actions": (), "truncated": False}
    return step.replace(**left, shadowed=(beaten, *step.shadowed))


def _action(record: dict[str, Any], note: Callable[..., None]) -> Action:
    recorded = input_of(record.get("action_input"))
    return Action(
        _text(record, "action", note),
        recorded.text,
        record.get("arguments", recorded.arguments),
        _observation(record.get("observation")),
        _text(record, "call_id", note),
        record.get("is_error") is True,
    )


def _action_fields(action: Action) -> dict[str, Any]:
    record: dict[str, Any] = {"action": action.action, "action_input": action.action_input}
    derived = input_of(action.action_input).arguments
    if action.arguments != derived or type(action.arguments) is not type(derived):
        record["arguments"] = action.arguments
    record["observation"] = action.observation
    record |= {"call_id": action.call_id} if action.call_id is not None else {}
    return record | ({"is_error": True} if action.is_error else {})
