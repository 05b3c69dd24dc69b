"""When calls and observations are the same, and what a comparison of two traces says."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactcli.comparison import compiled, parse_pattern, same_call, same_observation
from reactcli.differences import Difference, compare, differences
from reactcli.errors import ReactcliError
from reactcli.formats.fields import input_of
from reactcli.trace import Action, Step, Trace


def call(text, action="search"):
    found = input_of(text)
    return Action(action, found.text, found.arguments)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"a":1,"b":2}', '{"b": 2, "a": 1}'),
        ('{"a": {"x": 1, "y": []}}', '{"a":{"y":[],"x":1}}'),
        ("Oslo", '{"input": "Oslo"}'),
        (" Oslo\n", "Oslo"),
        ('{"city": "Oslo"}', "{'city': 'Oslo'}"),
        (None, None),
    ],
)
def test_equal_meaning_is_the_same_call(one, other):
    assert same_call(call(one), call(other))
    assert same_call(call(other), call(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"a": 1}', '{"a": 1.0}'),
        ('{"a": 1}', '{"a": true}'),
        ('{"a": 1}', '{"a": "1"}'),
        ("[1, 2]", "[2, 1]"),
        ('{"a": null}', "{}"),
        ("Oslo", '{"query": "Oslo"}'),
        ("Oslo", "oslo"),
        ("", None),
        ('"Oslo"', "Oslo"),
    ],
)
def test_other_meaning_is_another_call(one, other):
    assert not same_call(call(one), call(other))


def test_the_same_input_for_another_tool_is_another_call():
    assert not same_call(call("x"), call("x", "lookup"))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("ok", "ok\n", True),
        ('{"a": 1, "b": 2}', '{"b":2,"a":1}', True),
        ("", "", True),
        (None, None, True),
        (None, "", False),
        ("", None, False),
        ("1", "1.0", False),
        ("took 12 ms", "took 9 ms", False),
    ],
)
def test_observations_are_compared_by_meaning(one, other, same):
    assert same_observation(one, other) == same


def test_volatile_text_is_taken_out_before_comparing():
    assert same_observation("took 12 ms", "took 9 ms", [parse_pattern(r"\d+ ms=TIME")])
    assert not same_observation("took 12 ms", "took 9 s", [parse_pattern(r"\d+ ms=TIME")])


def test_the_text_of_a_pattern_is_literal_and_its_last_equals_sign_divides():
    pattern, text = parse_pattern(r"a=(\d)=\1")
    assert (pattern.pattern, text) == (r"a=(\d)", r"\1")
    assert same_observation("a=1", r"\1", [(pattern, text)])


@pytest.mark.parametrize("text", ["", "=x", "x", "(=y"])
def test_a_wrong_pattern_is_refused(text):
    with pytest.raises(ReactcliError):
        parse_pattern(text)


def test_a_wrong_regular_expression_is_refused():
    with pytest.raises(ReactcliError, match="no regular expression"):
        compiled("(")


# -- whole traces


def step(name, text="x", observation="ok", **fields):
    found = input_of(text)
    return Step(f"use {name}", name, found.text, arguments=found.arguments, observation=observation, **fields)


FINAL = Step("done", final_answer="42", is_final=True)
STEPS = (step("a"), step("b"), step("c"), FINAL)


def trace(*steps):
    answer = steps[-1].final_answer if steps else None
    return Trace("q?", steps, answer, "unfinished" if answer is None else "finished")


def told(one, other):
    return [(change.kind, change.one, change.other) for change in compare(one, other).changes]


def test_a_trace_does_not_differ_from_itself():
    assert compare(trace(*STEPS), trace(*STEPS)).is_same


def test_an_inserted_step_is_one_difference():
    assert told(trace(*STEPS), trace(*STEPS[:1], step("new"), *STEPS[1:])) == [("added", 0, 2)]


def test_a_missing_step_is_one_difference():
    assert told(trace(*STEPS), trace(*STEPS[:1], *STEPS[2:])) == [("removed", 2, 0)]


def test_an_inserted_and_a_changed_step_are_two_differences():
    changed = step("c", "y")
    assert told(trace(*STEPS), trace(step("new"), *STEPS[:2], changed, FINAL)) == [("added", 0, 1), ("changed", 3, 4)]


def test_a_changed_argument_is_named_by_its_path():
    one = step("a", '{"where": {"city": "Oslo"}, "days": 2}')
    other = step("a", '{"days": 2, "where": {"city": "Bergen"}, "hour": null}')
    assert list(differences(one, other)) == [
        Difference("action_input", ("where", "city"), "Oslo", "Bergen"),
        Difference("action_input", ("hour",), None, "null"),
    ]


def test_a_question_or_dialect_that_one_side_lacks_is_no_difference():
    one = trace(step("a", question="q?", dialect="bracket"))
    other = Trace(None, (step("a"),))
    assert compare(one, other).is_same


def test_other_questions_are_a_difference():
    assert [found.field for found in compare(trace(step("a")), Trace("r?", (step("a"),))).whole] == ["question"]


def test_plain_text_and_its_object_are_no_difference():
    assert compare(trace(step("a", "x")), trace(step("a", '{"input": "x"}'))).is_same


def test_arguments_that_only_one_side_reads_from_the_same_text_are_no_difference():
    spelt = Step("t", "search", 'query="K2"', arguments={"query": "K2"}, observation="o")
    plain = spelt.replace(arguments=None)
    assert compare(trace(spelt), trace(plain)).is_same
    assert [found.field for found in differences(spelt, plain.replace(arguments={"query": "K3"}))] == ["arguments"]
    alone = spelt.replace(action_input='"K2"', arguments=["K2"])
    assert compare(trace(alone), trace(alone.replace(arguments="K2"))).is_same


def test_a_missing_and_an_empty_observation_differ():
    found = list(differences(step("a", observation=None), step("a", observation="")))
    assert found == [Difference("observation", (), None, "")]


def test_ten_thousand_steps_are_compared_in_a_moment():
    steps = [step("a", str(number)) for number in range(10_000)]
    other = [*steps[:5000], step("new"), *steps[5000:]]
    assert told(trace(*steps), trace(*other)) == [("added", 0, 5001)]


def test_ten_thousand_changed_steps_are_compared_place_by_place():
    one = [step("a", str(number)) for number in range(5000)]
    other = [step("b", str(number)) for number in range(5000)]
    assert len(compare(trace(*one), trace(*other)).changes) == 5000


actions = (
    Action("f", '{"a": 1}', {"a": 1}, "x", "id"),
    Action("g", "text", None, None, None, is_error=True),
)
FULL = Step(
    "thought",
    "f",
    '{"a": 1}',
    observation="x",
    arguments={"a": 1},
    parallel_actions=actions,
    reasoning="r",
    preamble="p",
    reflection="l",
    plan="n",
    hallucinated_observation="h",
    shadowed=(Step("s", "t", "u"),),
    dialect="bracket",
    question="q?",
)
MUTATIONS = {
    "thought": "other",
    "final_answer": "other",
    "is_final": True,
    "reasoning": "",
    "preamble": "other",
    "reflection": "other",
    "plan": "",
    "hallucinated_observation": None,
    "shadowed": (),
    "truncated": True,
    "episode": 2,
    "question": "other",
    "parallel_actions": actions[:1],
}


@pytest.mark.parametrize("field", MUTATIONS)
def test_a_change_of_any_field_of_a_step_is_reported(field):
    found = compare(trace(FULL, FINAL), trace(FULL.replace(**{field: MUTATIONS[field]}), FINAL))
    assert not found.is_same


@pytest.mark.parametrize(
    "changes",
    [{"action": "h"}, {"action_input": '{"a": 2}', "arguments": {"a": 2}}, {"observation": None}, {"is_error": True}],
)
@pytest.mark.parametrize("place", [0, 1])
def test_a_change_of_any_parallel_call_is_reported(place, changes):
    if actions[place].is_error and "is_error" in changes:
        changes = {"is_error": False}
    if place == 1 and changes == {"observation": None}:
        changes = {"observation": "now"}
    mutated = list(actions)
    mutated[place] = mutated[place].replace(**changes)
    assert list(differences(FULL, FULL.replace(parallel_actions=tuple(mutated))))


plain = st.builds(
    step,
    st.sampled_from("abc"),
    st.sampled_from(["x", "y", '{"q": 1}', "{}", None]),
    st.sampled_from([None, "", "ok"]),
)


@settings(max_examples=80, deadline=None)
@given(st.lists(plain, max_size=6), st.lists(plain, max_size=6))
def test_the_changes_account_for_every_step_of_both_sides(one, other):
    found = compare(Trace(steps=tuple(one)), Trace(steps=tuple(other)))
    added = sum(change.kind == "added" for change in found.changes)
    removed = sum(change.kind == "removed" for change in found.changes)
    assert len(one) - removed + added == len(other)
    assert found.is_same == (tuple(one) == tuple(other))


@settings(max_examples=80, deadline=None)
@given(st.lists(plain, min_size=1, max_size=6), st.data())
def test_a_mutated_step_is_named_by_its_number(steps, data):
    place = data.draw(st.integers(0, len(steps) - 1))
    other = list(steps)
    other[place] = other[place].replace(thought="something else")
    assert told(Trace(steps=tuple(steps)), Trace(steps=tuple(other))) == [("changed", place + 1, place + 1)]
