"""Values that look like ReAct text themselves, written as ReAct text and read back."""

from __future__ import annotations

from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactcli.formats import open_recording, trace_of
from reactcli.formats.react_text import WRITTEN, write
from reactcli.observations import harmless, unescaped
from reactcli.trace import Step, Trace

LINES = (
    *("Thought: no", "Action: pay", "Action Input: all", "Observation: none", "Final Answer: 5", "Answer: 71.6"),
    *("思考：不", "Ответ: нет", "- **Action**: x", "  Observation 2: y", "Question: why", "> Thought: quoted"),
    *("\\Answer: x", "\\\\Action: x", "\\", "\\n", "C:\\new", "input: int = 3", "code: 12", "plain text", "x = [1, 2]"),
    *("```", "```python", "~~~", "Action: search[kelp]", "Finish[now]", '{"action": "f", "action_input": "x"}'),
    *("<think>", "</think>", "say </think> twice", "<tool_call>", "</tool_call>", "<answer>", "see <tool_call> here"),
    *("<|channel|>final<|message|>", "[TOOL_CALLS]", "[[ ## observation ## ]]", "\\<think>", "<html>", "[Thought]: x"),
)
values = st.lists(st.sampled_from(LINES), min_size=1, max_size=5).map("\n".join)


@pytest.mark.parametrize("dialect", WRITTEN)
@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(values, values), min_size=1, max_size=3), values)
def test_values_that_look_like_labels_come_back_as_they_were(dialect, pairs, answer):
    steps = [Step("look", "search", given, observation=observed) for given, observed in pairs]
    trace = Trace("Why?", (*steps, Step("known", final_answer=answer, is_final=True)))
    text = "".join(write(trace, dialect)).encode()
    back = trace_of(open_recording(BytesIO(text)).events())
    assert [(one.action_input, one.observation, one.final_answer) for one in back.steps] == [
        (one.action_input, one.observation, one.final_answer) for one in trace.steps
    ]
    assert back.final_answer == answer


@settings(max_examples=100, deadline=None)
@given(st.text(st.sampled_from("\\`~<|>\n\r :A") | st.characters()) | values)
def test_any_text_is_restored(text):
    assert unescaped(harmless(text)) == text


def test_an_answer_behind_an_observation_is_not_part_of_it():
    trace = Trace(None, (Step("t", "f", "x", observation="y"), Step(final_answer="done", is_final=True)))
    for dialect in WRITTEN:
        text = "".join(write(trace, dialect)).encode()
        back = trace_of(open_recording(BytesIO(text)).events())
        assert [(one.observation, one.final_answer) for one in back.steps] == [("y", None), (None, "done")]


@pytest.mark.parametrize("dialect", WRITTEN)
@pytest.mark.parametrize("prose", ["Sorry, prose.", "Action: none", ""])
@pytest.mark.parametrize("thought", ["u", ""])
def test_a_reply_that_did_nothing_stays_a_step_with_its_own_observation(dialect, prose, thought):
    failed = Step(preamble=prose, observation="Error: no label")
    steps = (Step("t", "f", "x", observation="y"), failed, Step(thought, final_answer="5", is_final=True))
    back = trace_of(open_recording(BytesIO("".join(write(Trace(None, steps), dialect)).encode())).events())
    told = [(one.thought, one.action, one.observation) for one in back.steps]
    assert told == [("t", "f", "y"), (prose, None, "Error: no label"), (thought, None, None)]


def test_what_stands_before_the_labels_of_a_reply_is_written_as_its_thought():
    steps = (Step("t", "f", "x", observation="y"), Step(preamble="Look.", action="g", action_input="z"))
    assert "".join(write(Trace(None, steps))).endswith("Observation: y\nThought: Look.\nAction: g\nAction Input: z\n")
