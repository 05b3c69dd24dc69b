"""Every case file is read as it says, and goes through every law of the parser."""

from __future__ import annotations

import pytest
from cases import Case, load
from laws import check_laws

from reactcli import ReActAgentParser, Step

CASES = load("steps")
KEYS = ("thought", "action", "action_input", "final_answer", "is_final")
FIELDS = ("reasoning", "preamble", "reflection", "plan", "hallucinated_observation", "truncated", "dialect")


def described(step: Step) -> dict:
    """A step as case files write it: the five keys, and what else is not empty."""
    told = {key: getattr(step, key) for key in KEYS}
    if step.arguments is not None:
        told["arguments"] = step.arguments
    told |= {field: getattr(step, field) for field in FIELDS if getattr(step, field)}
    if step.parallel_actions:
        told["parallel_actions"] = [
            {"action": action.action, "action_input": action.action_input, "arguments": action.arguments}
            for action in step.parallel_actions
        ]
    if step.diagnostics:
        told["codes"] = sorted({diagnostic.code for diagnostic in step.diagnostics})
    return told


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_a_case_is_read_as_its_file_says(case: Case, update_cases: bool) -> None:
    found = described(ReActAgentParser(**case.options).parse(case.text))
    if update_cases and found != case.expect:
        case.write(found)
    else:
        assert found == case.expect


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_a_case_keeps_every_law(case: Case) -> None:
    check_laws(case.text, ReActAgentParser(**case.options))
