"""The sample tools do what the README shows, and the calculator calculates nothing but arithmetic."""

from __future__ import annotations

import pathlib

import pytest

from reactcli.tools.calls import Call, LocalTools
from reactcli.tools.loading import load

TOOLS = LocalTools(load(str(pathlib.Path(__file__).parent.parent / "sample_traces" / "tools.py")))


def observation(tool, text):
    return TOOLS.call(Call(tool, text)).observation


def test_the_module_offers_three_tools():
    assert TOOLS.names == ("search", "lookup", "calculator")


def test_a_mountain_is_found():
    assert observation("search", "denali") == "Denali: 6190 m, in Alaska, first climbed in 1913"


def test_what_is_not_in_the_table_is_said():
    assert observation("search", "Brocken").startswith("nothing found for 'Brocken'")


def test_a_term_is_looked_up():
    assert observation("lookup", "final answer") == "It goes on until it writes a final answer."


CALCULATED = {
    "8849 - 5895": "2954",
    "(1 + 2) * 3 / 4": "2.25",
    "-2 ** 2": "-4",
    "7 // 2 % 2": "1",
    "2 ** -1": "0.5",
    "2 ** 1000 - 2 ** 1000": "0",
    "1e3": "1000.0",
}


@pytest.mark.parametrize("expression", CALCULATED)
def test_arithmetic_is_calculated(expression):
    assert observation("calculator", expression) == CALCULATED[expression]


TEXT = "is not a number: names, calls, attributes and text are not calculated"
REFUSED = {
    "9**9**9": "9 ** 387420489 is too large",
    "10**10**6": "10 ** 1000000 is too large",
    "2**4000 * 2**4000": "2 ** 4000 is too large",
    "3**2000 * 3**2000": "the result is too large",
    "1e999": "the result is too large",
    "1e308 ** 2": "the result is too large",
    "(-8) ** 0.5": "the result is not a real number",
    "'a'*10**10": f"\"'a'\" {TEXT}",
    "[1]*10**9": f"'[1]' {TEXT}",
    "f'{1:>1000000000}'": f"\"f'{{1:>1000000000}}'\" {TEXT}",
    "().__class__": f"'().__class__' {TEXT}",
    "__import__('os')": f"\"__import__('os')\" {TEXT}",
    "x": f"'x' {TEXT}",
    "True": f"'True' {TEXT}",
    "1,000": f"'(1, 0)' {TEXT}",
    "1 < 2": f"'1 < 2' {TEXT}",
    "two": f"'two' {TEXT}",
    "": "'' is not arithmetic",
    "1 +": "'1 +' is not arithmetic",
    "(" * 150: f"'{'(' * 150}' is not arithmetic",
    "1" * 201: "the expression is longer than 200 characters",
}


@pytest.mark.parametrize("expression", REFUSED)
def test_anything_else_is_refused_with_a_message(expression):
    assert observation("calculator", expression) == f"Error: ValueError: {REFUSED[expression]}"
