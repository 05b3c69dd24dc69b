"""Inputs that are no JSON: what is taken off them, and when they are read as a call."""

from __future__ import annotations

from decimal import Decimal  # noqa: TC003  # annotations are read at run time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactcli import ReActAgentParser
from reactcli.tools import as_tools
from reactcli.tools.binding import BindingError, bind
from reactcli.tools.schema import signature

PARSER = ReActAgentParser()


def search(query: str, limit: int = 3): ...


def pay(amount: Decimal, note: str = ""): ...


def now(): ...


def many(*names: str): ...


def opt(x: int = None, y: int = 3): ...  # noqa: RUF013  # as people write it


TOOLS = as_tools([search, pay, now, many, opt])


def bound(tool, text):
    step = PARSER.parse(f"Action: {tool}\nAction Input: {text}")
    return bind(signature(TOOLS[tool]), step.action_input, step.arguments, tool=tool)


CALL = ("a call in the input was read as its arguments",)
PAIRS = ("name=value pairs in the input were read as arguments",)
SPELT = {
    "query=kelp, limit=5": ({"query": "kelp", "limit": 5}, PAIRS),
    'query="kelp, x=1"; limit=5': ({"query": "kelp, x=1", "limit": 5}, PAIRS),
    "query=kelp\nlimit=5": ({"query": "kelp", "limit": 5}, PAIRS),
    "query=a, b, limit=2": ({"query": "a, b", "limit": 2}, PAIRS),
    "query=Bob's boat, limit=2": ({"query": "Bob's boat", "limit": 2}, PAIRS),
    "search(query=kelp, limit=5)": ({"query": "kelp", "limit": 5}, PAIRS),
    'search(query="x")': ({"query": "x"}, CALL),
    'search("x", 2);': ({"query": "x", "limit": 2}, CALL),
    'search("x", limit=2)': ({"query": "x", "limit": 2}, CALL),
}


@pytest.mark.parametrize("text", SPELT)
def test_a_call_that_the_input_spells_out_is_bound(text):
    arguments, notes = SPELT[text]
    found = bound("search", text)
    assert (found.arguments, found.notes) == (arguments, notes)


AMBIGUOUS = (
    "search(kelp)", "query=kelp limit=5", "query=a, foo=3, limit=5", "query=x, query=y", "query=if x:\n  y",
    'search("a") and search("b")',
)  # fmt: skip
PLAIN = ("kelp = x", "a==b", "query: kelp", "where query=5", "sin(x)", "f(query=5)", "x=3, y=2", "search", "```kelp```")


@pytest.mark.parametrize("text", AMBIGUOUS)
def test_text_that_may_be_meant_as_a_whole_stays_text_with_a_note(text):
    found = bound("search", text)
    note = "the input looks like a call, and is ambiguous: it was taken as text"
    assert (found.arguments, found.notes) == ({"query": text}, (note,))


@pytest.mark.parametrize("text", PLAIN)
def test_text_that_is_no_call_of_the_tool_stays_text(text):
    assert (bound("search", text).arguments, bound("search", text).notes) == ({"query": text}, ())


words = st.text("abc xyz'éß-", min_size=1, max_size=12).map(str.strip).filter(bool)


@given(words, st.integers(), st.booleans())
@settings(max_examples=100, deadline=None)
def test_pairs_are_bound_as_they_were_written(query, limit, wrapped):
    pairs = f"query={query}, limit={limit}"
    found = bound("search", f"search({pairs})" if wrapped else pairs)
    quotes = query[0] == query[-1] == "'" and len(query) > 1 and "'" not in query[1:-1]
    assert found.arguments == {"query": query[1:-1] if quotes else query, "limit": limit}


FENCE, TICKS = ("the code fence around the input was taken off",), ("the backticks around the input were taken off",)
WRAPPED = {
    "```python\nx = 1\nprint(x)\n```": ("x = 1\nprint(x)", FENCE),
    "~~~\nkelp\n~~~": ("kelp", FENCE),
    "`kelp`": ("kelp", TICKS),
    "'kelp'": ("kelp", ()),
    "```\na\n```\nand\n```\nb\n```": ("```\na\n```\nand\n```\nb\n```", ()),
    "`a` or `b`": ("`a` or `b`", ()),
    "``kelp``": ("``kelp``", ()),
}


@pytest.mark.parametrize("text", WRAPPED)
def test_what_encloses_a_text_is_taken_off_once(text):
    query, notes = WRAPPED[text]
    assert (bound("search", text).arguments, bound("search", text).notes) == ({"query": query}, notes)


@pytest.mark.parametrize("text", ["", '""', "''", "``", "N/A", "none", "None", "null", "{}", "[]", "()", "now()"])
def test_a_tool_without_parameters_is_given_nothing_in_many_words(text):
    assert bound("now", text).arguments == {}


DIGITS = {
    "1.10": "1.10",
    '"1.10"': "1.10",
    '{"amount": 1.10}': "1.10",
    "{'amount': 0.10,}": "0.10",
    '{"amount": 1.10, "note": "1.1"}': "1.10",
    "0.1000000000000000055": "0.1000000000000000055",
    "pay(1.10)": "1.10",
    "amount=1.10": "1.10",
    "1e3": "1E+3",
    "100": "100",
}


@pytest.mark.parametrize("text", DIGITS)
def test_a_decimal_keeps_its_digits(text):
    assert str(bound("pay", text).kwargs.get("amount", *bound("pay", text).args)) == DIGITS[text]


@given(st.decimals(allow_nan=False, allow_infinity=False, places=12, min_value=-(10**12), max_value=10**12))
@settings(max_examples=60, deadline=None)
def test_every_decimal_is_bound_as_it_was_written(amount):
    assert repr(bound("pay", f'{{"amount": {amount:f}}}').kwargs["amount"]) == repr(amount)


def test_a_number_that_is_spelt_in_two_ways_is_no_decimal():
    with pytest.raises(BindingError, match=r"^'amount' has to be a number in quotes: 1\.1 may have lost digits$"):
        bind(signature(TOOLS["pay"]), '{"amount": 1.1, "other": 1.10}', {"amount": 1.1})


def test_null_is_what_a_parameter_has_that_may_be_none():
    assert bound("opt", '{"x": null, "y": 4}').arguments == {"x": None, "y": 4}
    assert bound("opt", "null").arguments == {"x": None}
    with pytest.raises(BindingError, match=r"^'y' has to be a whole number, not null \(leave it out for 3\)$"):
        bound("opt", '{"y": null}')


def test_names_of_further_positions_are_no_pairs():
    assert bound("many", "names=a").args == ("names=a",)
    assert bound("many", 'many("a", "b")').args == ("a", "b")
