"""`reactcli explain`: one code, several, or the list."""

from __future__ import annotations

import json

from reactcli.cli.shell import main
from reactcli.diagnostics import CODES


def explain(capfd, *argv: str) -> tuple[int, str, str]:
    code = main(["explain", *argv])
    told = capfd.readouterr()
    return code, told.out, told.err


EXPLANATION = """\
warning[trailing-comma]

A comma stands before a closing bracket.

Why it matters: JSON does not allow it; it was ignored.

What to do: Remove it.

An example, for `reactcli parse FILE`:

    Action: t
    Action Input: {"a": 1, "b": [1, 2,]}
"""


def test_a_code_is_explained_with_its_reason_its_way_out_and_an_example(capfd):
    assert explain(capfd, "trailing-comma") == (0, EXPLANATION, "")


def test_several_codes_are_explained_one_below_the_other(capfd):
    _, out, _ = explain(capfd, "trailing-comma", "json-comment")
    assert "\n\nwarning[json-comment]\n" in out


def test_without_a_code_all_are_listed(capfd):
    code, out, _ = explain(capfd)
    assert code == 0
    assert [line.split()[:2] for line in out.splitlines()] == [[name, CODES[name][0]] for name in CODES]


def test_the_list_can_be_of_one_severity(capfd):
    _, out, _ = explain(capfd, "--severity", "info")
    assert [line.split()[0] for line in out.splitlines()] == [name for name in CODES if CODES[name][0] == "info"]


def test_json_has_the_same_in_fields(capfd):
    _, out, _ = explain(capfd, "--format", "json", "trailing-comma")
    assert json.loads(out) == {
        "schema": "reactcli/explain@1",
        "codes": [
            {
                "code": "trailing-comma",
                "severity": "warning",
                "meaning": "A comma stands before a closing bracket.",
                "why": "JSON does not allow it; it was ignored.",
                "way_out": "Remove it.",
                "command": "reactcli parse FILE",
                "example": 'Action: t\nAction Input: {"a": 1, "b": [1, 2,]}\n',
            }
        ],
    }


def test_an_unknown_code_is_wrong_usage_with_a_suggestion(capfd):
    code, out, err = explain(capfd, "trailing-commas")
    assert (code, out) == (2, "")
    assert err.startswith("reactcli: no code is called 'trailing-commas'; did you mean 'trailing-comma'?")


def test_an_example_too_long_to_be_shown_says_how_often_it_is_repeated(capfd):
    _, out, _ = explain(capfd, "number-too-long")
    assert out.endswith('    Action Input: {"n": 9 … 5000 times … }\n')


def test_an_example_with_an_escape_sequence_does_not_reach_the_terminal(capfd):
    for layout in ("text", "json"):
        assert "\x1b" not in explain(capfd, "--format", layout, "control-characters")[1]
