"""A loop is calls and results that come again; nothing else is one, whatever it looks like."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from reactcli import Action, ReActAgentParser, Step
from reactcli.loops import KINDS, Loop, Thresholds, Watch, find_loop, find_loops, is_error_text


def call(tool: str, given_input: str = "x", observation: str | None = "r", **fields) -> Step:
    return Step(action=tool, action_input=given_input, observation=observation, **fields)


def calls(names: str) -> list[Step]:
    """A call for each letter; the same letter is the same call with the same result."""
    return [call(name) for name in names]


def test_the_same_call_with_the_same_result_is_a_loop_the_third_time():
    assert find_loop(calls("zaa")) is None
    assert find_loop(calls("zaaa")) == Loop("repeated-call", 2, 4, 1, 3, "a")


def test_polling_whose_result_changes_is_no_loop():
    assert find_loop([call("status", observation=f"{done} %") for done in range(50)]) is None


def test_a_call_without_a_recorded_result_is_compared_with_nothing():
    assert find_loop([call("a", observation=None)] * 20) is None


def test_an_empty_result_is_a_result():
    assert find_loop([call("a", observation="")] * 3) == Loop("repeated-call", 1, 3, 1, 3, "a")


def test_arguments_in_another_order_or_spelling_are_the_same_call():
    inputs = ['{"b": 2,   "a": 1}', '{"a":1,"b":2}', "{'a': 1, 'b': 2}"]
    texts = [f"Thought: t{n}\nAction: f\nAction Input: {given}\nObservation: r\n" for n, given in enumerate(inputs)]
    steps = ReActAgentParser().parse_trace("".join(texts)).steps
    assert find_loop(steps) == Loop("repeated-call", 1, 3, 1, 3, "f")


def test_a_result_in_another_order_of_keys_is_the_same_result():
    steps = [call("a", observation=text) for text in ('{"a": 1, "b": 2}', '{"b":2,"a":1}', ' {"a":1, "b":2}\n')]
    assert find_loop(steps).kind == "repeated-call"


def test_thoughts_between_calls_are_passed_over():
    steps = [call("a"), Step("hm"), call("a"), Step("hm, hm"), call("a")]
    assert find_loop(steps) == Loop("repeated-call", 1, 5, 1, 3, "a")


def test_saying_the_same_and_hearing_the_same_is_a_loop_too():
    assert find_loop([Step("shall I go on?", observation="yes")] * 3) == Loop("repeated-call", 1, 3, 1, 3, None)


def test_cycles_of_two_to_four_calls_are_found_when_they_fill_six():
    assert find_loop(calls("abab")) is None
    assert find_loop(calls("ababab")) == Loop("call-cycle", 1, 6, 2, 3, "a")
    assert find_loop(calls("zabcabc")) == Loop("call-cycle", 2, 7, 3, 2, "a")
    assert find_loop(calls("abcdabcd")) == Loop("call-cycle", 1, 8, 4, 2, "a")


def test_three_calls_that_were_made_before_are_found_but_not_if_they_overlap():
    assert find_loop(calls("abcxyzabc")) == Loop("repeated-steps", 7, 9, 3, 2, "a")
    assert find_loop(calls("ababa")) is None


def test_the_same_error_for_different_calls_is_a_loop():
    steps = [call("f", str(n), "Error: not connected") for n in range(3)]
    assert find_loop(steps) == Loop("repeated-error", 1, 3, 1, 3, "f")
    assert find_loop([call("f", str(n), "not found") for n in range(9)]) is None


def test_an_error_is_known_by_its_flag_too():
    watch = Watch()
    found = [watch.add(call("f", str(n), "no such row"), is_error=True) for n in range(3)]
    assert found[-1].kind == "repeated-error"


def test_an_unknown_tool_is_known_by_the_names_or_by_what_it_answered():
    told = [call("browse", str(n), f"Error: Tool 'browse' not found; try {n}") for n in range(3)]
    silent = [call("browse", str(n), f"nothing {n}") for n in range(3)]
    assert find_loop(told).kind == "repeated-unknown-tool"
    assert find_loop(silent) is None
    assert find_loop(silent, tools={"search"}).kind == "repeated-unknown-tool"
    assert find_loop(silent, tools={"browse"}) is None


def test_the_same_tool_in_a_row_counts_only_if_it_is_asked_for():
    steps = [call("search", str(n), str(n)) for n in range(5)]
    assert find_loop(steps) is None
    assert find_loop(steps, Thresholds(same_tool=5)) is None
    assert find_loop(steps, Thresholds(same_tool=4)) == Loop("same-tool", 1, 5, 1, 5, "search")


def test_thresholds_are_arguments():
    assert find_loop(calls("aa"), Thresholds(repeats=2)).times == 2
    assert find_loop(calls("aaaa"), Thresholds(repeats=5, cycle=10, memory=0)) is None
    assert find_loop(calls("abab"), Thresholds(cycle=4)).kind == "call-cycle"


def test_parallel_calls_are_compared_as_one():
    def both(second: str) -> Step:
        actions = (Action("a", "x", observation="r"), Action("b", "y", observation=second))
        return Step(action="a", action_input="x", parallel_actions=actions, observation=f"r\n{second}")

    assert find_loop([both("s")] * 3).kind == "repeated-call"
    assert find_loop([both(str(n)) for n in range(9)]) is None


def test_a_new_episode_begins_anew():
    steps = [call("a", episode=episode) for episode in (1, 1, 2, 2)]
    assert list(find_loops(steps)) == []


def test_a_loop_in_the_middle_is_reported_once_and_whole():
    assert list(find_loops(calls("zaaaaay"))) == [Loop("repeated-call", 2, 6, 1, 5, "a")]
    assert find_loop(calls("zaaaaay")) is None


def test_what_begins_like_an_error_is_one_and_prose_about_errors_is_none():
    errors = ["Error: no", "error: no", "ValueError: bad", "urllib.error.HTTPError: 404", "Invalid action!"]
    errors += [
        "Traceback (most recent call last):\n",
        "Tool 'x' not found",
        "foo is not a valid tool, try one of [bar]",
    ]
    prose = ["Errors are human", "An error: how to deal with it", "the Exception proves the rule", "", "0 errors"]
    assert [is_error_text(text) for text in errors] == [True] * len(errors)
    assert [is_error_text(text) for text in prose] == [False] * len(prose)


steps_of_letters = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("rs")), max_size=40).map(
    lambda pairs: [call(tool, observation=result) for tool, result in pairs]
)


@settings(max_examples=100, deadline=None)
@given(steps_of_letters)
def test_asking_after_each_step_and_asking_of_all_steps_agree(steps):
    watch = Watch()
    for number, step in enumerate(steps, 1):
        assert (watch.add(step) is None) == (find_loop(steps[:number]) is None)


@settings(max_examples=100, deadline=None)
@given(steps_of_letters)
def test_loops_end_in_order_within_the_trace(steps):
    last = 0
    for loop in find_loops(steps):
        assert 1 <= loop.first <= loop.last <= len(steps)
        assert last < loop.last
        assert loop.kind in KINDS
        assert loop.tool is not None
        last = loop.last


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from("abc"), max_size=40))
def test_no_loop_is_found_where_every_result_is_another(names):
    steps = [call(name, observation=f"result {number}") for number, name in enumerate(names)]
    assert list(find_loops(steps)) == []


@settings(max_examples=100, deadline=None)
@given(steps_of_letters, st.sampled_from("abc"), st.integers(3, 6))
def test_a_call_repeated_at_the_end_is_always_found(steps, name, times):
    found = find_loop([*steps, *[call(name, observation="t")] * times])
    assert (found.kind, found.last, found.times) == ("repeated-call", len(steps) + times, times)


def test_memory_does_not_grow_with_the_number_of_steps():
    watch = Watch()
    for number in range(5000):
        watch.add(call("a", str(number), str(number)))
    assert len(watch._history._stretches._known) <= Thresholds().memory + 1  # noqa: SLF001  # what memory holds
