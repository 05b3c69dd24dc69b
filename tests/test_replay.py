"""Recorded calls put to live tools: verdicts, what is run and what is not, and the trace with new observations."""

from __future__ import annotations

import pytest

from reactcli.comparison import parse_pattern
from reactcli.replay import DIFFERS, IGNORED, MISSING, SAME, UNRECORDED, Checked, Rules, check, tally
from reactcli.tools import as_tools
from reactcli.tools.calls import LocalTools, Outcome
from reactcli.trace import Action, Step


def weather(city: str) -> str:
    """Made-up weather."""
    return f"{city}: 4 °C"


def fail() -> str:
    """Always fails."""
    raise ValueError("no luck")


TOOLS = LocalTools(as_tools({"weather": weather, "fail": fail}))


def one(text, observation, action="weather", arguments=None, **rules):
    checked, updated = check(
        Step("t", action, text, arguments=arguments, observation=observation), TOOLS.call, Rules(**rules)
    )
    return checked[0], updated


def test_the_same_observation_is_the_same():
    checked, updated = one("Oslo", "Oslo: 4 °C")
    assert checked == Checked(SAME, "weather", "Oslo", "Oslo: 4 °C", "Oslo: 4 °C")
    assert updated.observation == "Oslo: 4 °C"


def test_another_observation_differs_and_is_taken_over():
    checked, updated = one("Oslo", "Oslo: 5 °C")
    assert checked.verdict == DIFFERS
    assert updated.observation == "Oslo: 4 °C"


def test_a_missing_tool_is_a_finding_and_keeps_the_recording():
    checked, updated = one("x", "y", "wether")
    assert checked.verdict == MISSING
    assert "did you mean 'weather'?" in checked.error
    assert updated.observation == "y"


def test_a_recorded_failure_is_the_same_as_the_live_one():
    assert one(None, "Error: ValueError: no luck", "fail")[0].verdict == SAME


def test_without_a_recorded_observation_there_is_nothing_to_compare():
    checked, updated = one("Oslo", None)
    assert checked.verdict == UNRECORDED
    assert updated.observation == "Oslo: 4 °C"


def test_an_empty_observation_is_compared():
    assert one("Oslo", "")[0].verdict == DIFFERS


def test_an_ignored_tool_is_not_run():
    checked, updated = one("Oslo", "Oslo: 5 °C", ignored=frozenset({"weather"}))
    assert (checked.verdict, checked.live) == (IGNORED, None)
    assert updated.observation == "Oslo: 5 °C"


def test_volatile_text_is_no_divergence():
    assert one("Oslo", "Oslo: 9 °C", patterns=(parse_pattern(r"\d+=N"),))[0].verdict == SAME


def test_text_that_was_wrapped_for_another_format_is_given_as_text():
    assert one('{"input": "Oslo"}', "Oslo: 4 °C", arguments={"input": "Oslo"})[0].verdict == SAME


def test_a_final_answer_runs_nothing():
    final = Step(final_answer="x", is_final=True)
    assert check(final, TOOLS.call) == ((), final)


def test_an_input_that_was_cut_off_is_not_run():
    checked, _ = check(Step("t", "weather", '{"city": "Os', truncated=True, observation="x"), TOOLS.call)
    assert "cut off" in checked[0].error


def test_parallel_calls_are_compared_each():
    actions = (Action("weather", "Oslo", observation="Oslo: 4 °C"), Action("weather", "Bergen", observation="rain"))
    step = Step("t", "weather", "Oslo", parallel_actions=actions, observation="Oslo: 4 °C\nrain")
    checked, updated = check(step, TOOLS.call)
    assert [found.verdict for found in checked] == [SAME, DIFFERS]
    assert updated.observation == "Oslo: 4 °C\nBergen: 4 °C"


def test_parallel_calls_with_one_observation_are_compared_together():
    actions = (Action("weather", "Oslo"), Action("weather", "Bergen"))
    step = Step("t", "weather", "Oslo", parallel_actions=actions, observation="Oslo: 4 °C\nBergen: 4 °C")
    checked, _ = check(step, TOOLS.call)
    assert [(found.verdict, found.action) for found in checked] == [(SAME, "weather, weather")]


def test_calls_are_made_in_order_and_once_each():
    asked = []

    def call(one):
        asked.append(one.action_input)
        return Outcome("ok", one.tool, {}, "")

    actions = tuple(Action("f", str(number)) for number in range(3))
    check(Step("t", "f", "0", parallel_actions=actions), call)
    assert asked == ["0", "1", "2"]


@pytest.mark.parametrize("verdicts", [[SAME, DIFFERS, SAME], []])
def test_verdicts_are_counted(verdicts):
    found = [Checked(verdict, "a", None, None, None) for verdict in verdicts]
    assert tally(found) == {verdict: verdicts.count(verdict) for verdict in (SAME, DIFFERS) if verdict in verdicts}
