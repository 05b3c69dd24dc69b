"""Laws of the trace formats: what is written reads back equal, nothing makes a reader raise, damage is seen."""

from __future__ import annotations

import json
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactcli.errors import FormatError, ReactcliError
from reactcli.formats import WRITERS, episodes_of, events_of, open_recording, trace_of
from reactcli.formats.events import joined
from reactcli.formats.fields import input_of
from reactcli.trace import Action, Step, Trace

LABELLED = ("Final Answer: pay 5!", "Action: pay 5!", "Observation: none 5!", "Thought: no 5!", "Question: why 5!")


def read(data: bytes) -> Trace:
    return trace_of(open_recording(BytesIO(data)).events())


def written(trace: Trace, name: str) -> bytes:
    return "".join(WRITERS.get(name)(trace)).encode()


def bare(trace: Trace) -> Trace:
    return trace.replace(diagnostics=())


# -- traces to try

words = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=20)
somes = words.filter(bool)
names = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(words, values, max_size=3)
object_texts = objects.map(lambda value: json.dumps(value, ensure_ascii=False))


def called(text):
    """An action's input and the arguments that reading it gives."""
    found = input_of(text)
    return {"action_input": found.text, "arguments": found.arguments, "truncated": found.truncated}


@st.composite
def actions(draw, inputs):
    given_input = called(draw(inputs))
    del given_input["truncated"]
    observation = draw(st.none() | words)
    is_error = observation is not None and draw(st.booleans())
    call_id = draw(st.uuids().map(str))
    return Action(draw(names), observation=observation, call_id=call_id, is_error=is_error, **given_input)


@st.composite
def acting_steps(draw, inputs, thoughts=words):
    several = tuple(draw(st.lists(actions(inputs), min_size=2, max_size=3))) if draw(st.booleans()) else ()
    thought = draw(thoughts)
    if not several:
        return Step(thought, draw(names), observation=draw(st.none() | words), **called(draw(inputs)))
    observed = [action.observation for action in several if action.observation is not None]
    first = several[0]
    return Step(
        thought,
        first.action,
        first.action_input,
        arguments=first.arguments,
        observation="\n".join(observed) if observed else None,
        parallel_actions=several,
    )


answers = st.builds(lambda thought, answer: Step(thought, final_answer=answer, is_final=True), words, somes)


@st.composite
def episodes(draw, steps):
    asked = draw(st.none() | somes)
    found = draw(st.lists(steps, min_size=1, max_size=4))
    if draw(st.booleans()):
        found.append(draw(answers))
    found[0] = found[0].replace(question=asked)
    answer = found[-1].final_answer
    return Trace(asked, tuple(found), answer, "unfinished" if answer is None else "finished")


def chat_traces():
    """What tool calls can say: objects as input, and each call with an id."""
    return episodes(acting_steps(object_texts)).map(with_metas)


def with_metas(trace):
    """The calls of steps that have one are numbered as the writers number them."""
    metas = [
        {"call_id": f"call_{number}_1"} if step.action is not None and not step.parallel_actions else {}
        for number, step in enumerate(trace.steps, start=1)
    ]
    return trace.replace(meta={"steps": metas} if any(metas) else {})


any_inputs = st.none() | words | object_texts | values.map(lambda value: json.dumps(value, ensure_ascii=False))


@st.composite
def full_steps(draw):
    step = draw(acting_steps(any_inputs) | answers | words.map(Step))
    extra = {
        name: draw(words)
        for name in draw(st.sets(st.sampled_from(["reasoning", "preamble", "reflection", "plan", "dialect"])))
    }
    if draw(st.booleans()):
        extra["hallucinated_observation"] = draw(words)
    if step.is_final and draw(st.booleans()):
        extra["shadowed"] = (Step("was", "beaten", **called(draw(any_inputs))),)
    return step.replace(**extra)


metas = st.dictionaries(st.sampled_from(["model", "usage", "seq", "hash", "step", "thought", "meta", "été"]), objects)


@st.composite
def own_traces(draw):
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        trace = draw(episodes(full_steps()))
        dialects = {step.dialect for step in trace.steps if step.dialect}
        step_metas = [draw(metas) for _ in trace.steps]
        meta = draw(metas) | ({"steps": step_metas} if any(step_metas) else {})
        dialect = dialects.pop() if len(dialects) == 1 else ""
        parts.append(trace.replace(meta=meta, dialect=dialect, status=draw(st.sampled_from([trace.status, "loop"]))))
    numbered = [
        trace.replace(steps=tuple(step.replace(episode=number) for step in trace.steps))
        for number, trace in enumerate(parts, start=1)
    ]
    return joined(numbered)


# -- writing and reading back


@settings(max_examples=60, deadline=None)
@given(own_traces())
def test_our_own_format_gives_back_every_trace(trace):
    assert read(written(trace, "reactcli")) == trace


@settings(max_examples=60, deadline=None)
@given(own_traces())
def test_our_own_format_is_read_without_a_finding(trace):
    found = read(written(trace, "reactcli")).diagnostics
    assert [finding for finding in found if finding.severity == "error"] == []


@pytest.mark.parametrize("name", ["openai", "anthropic", "atif"])
@settings(max_examples=40, deadline=None)
@given(trace=chat_traces())
def test_a_format_of_native_calls_gives_back_what_calls_can_say(name, trace):
    assert told(read(written(trace, name))) == told(trace)


def told(trace):
    """What any of the formats can hold: spelling of equal JSON aside, errors of single calls aside."""
    steps = tuple(
        step.replace(
            action_input=None, parallel_actions=tuple(a.replace(action_input=None) for a in step.parallel_actions)
        )
        for step in trace.steps
    )
    return trace.replace(steps=steps, meta={})


@settings(max_examples=40, deadline=None)
@given(episodes(acting_steps(any_inputs)))
def test_atif_keeps_inputs_that_are_no_objects(trace):
    back = read(written(trace, "atif"))
    kept = [[a.action_input for a in step.parallel_actions] or [step.action_input] for step in back.steps]
    assert kept == [[a.action_input for a in step.parallel_actions] or [step.action_input] for step in trace.steps]


@settings(max_examples=40, deadline=None)
@given(episodes(acting_steps(any_inputs)))
def test_plain_text_input_becomes_an_object_where_one_is_needed(trace):
    for message in json.loads(written(trace, "openai"))["messages"]:
        for call in message.get("tool_calls", []):
            assert isinstance(json.loads(call["function"]["arguments"]), dict)


@settings(max_examples=40, deadline=None)
@given(own_traces())
def test_the_pieces_of_a_trace_are_the_trace_again(trace):
    assert trace_of(events_of(trace)) == trace


@settings(max_examples=60, deadline=None)
@given(own_traces())
def test_a_line_of_a_value_is_never_written_as_a_label(trace):
    steps = [step.replace(observation="\n".join(LABELLED)) for step in trace.steps if step.action is not None]
    text = written(trace.replace(steps=tuple(steps)), "react").decode()
    assert not any(line in text.split("\n") for line in LABELLED)


# -- anything at all


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_trace_or_a_format_error(data):
    attempt(data)


KEYS = """
steps thought action action_input observation final_answer role content messages tool_calls function
arguments id type schema_version source message tool_call_id results trajectory history info extra
conversations from value instruction output intermediate_steps input lc kwargs data model schema seq hash
end question version episode parallel_actions shadowed llm_output trace observations attributes context
parts kind event parallel text
"""
keys = st.sampled_from(KEYS.split())
leaves = (st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=4)) | st.sampled_from(
    ["assistant", "user", "tool", "system", "agent", "ATIF-v1.7", "human", "ai", "text", "tool_use", "gpt"]
)
odd = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=5), max_leaves=25
)


@settings(max_examples=200, deadline=None)
@given(st.lists(odd, min_size=1, max_size=3))
def test_any_json_is_a_trace_or_a_format_error(values):
    attempt("\n".join(map(json.dumps, values)).encode())


def mutated(value, draw):
    """A copy of a real document with some values replaced by odd ones."""
    if draw(st.integers(0, 12)) == 0:
        return draw(odd)
    if isinstance(value, dict):
        return {key: mutated(item, draw) for key, item in value.items() if draw(st.integers(0, 15))}
    if isinstance(value, list):
        return [mutated(item, draw) for item in value]
    return value


def attempt(data: bytes) -> None:
    """Read and write again; only our own errors may come out."""
    try:
        trace = read(data)
    except ReactcliError:
        return
    assert trace_of(events_of(trace)) == bare(trace)
    for name in WRITERS.names:
        try:
            "".join(WRITERS.get(name)(trace)).encode()
        except FormatError:
            assert name == "atif"
    assert sum(len(episode.steps) for episode in episodes_of(trace)) == len(trace.steps)
