"""From an action's input to a call. The law first: what JSON wrote comes back, for any signature."""

from __future__ import annotations

import collections.abc
import contextlib
import dataclasses
import datetime as dt
import decimal
import enum
import inspect
import json
import pathlib
import typing
import uuid

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactcli.tools import as_tool
from reactcli.tools.binding import BindingError, bind, written
from reactcli.tools.coercion import CoercionError, admits, coerce
from reactcli.tools.results import as_json
from reactcli.tools.schema import signature

POSITIONAL_ONLY, EITHER, MORE, NAMED_ONLY, OTHERS = inspect._ParameterKind  # noqa: SLF001  # its members, in order


class Colour(enum.Enum):
    RED = "red"
    TWO = 2


@dataclasses.dataclass
class Point:
    x: int
    y: float = 0.5


class Filters(typing.TypedDict):
    words: list[str]
    deep: typing.NotRequired[bool]


class Pair(typing.NamedTuple):
    left: str
    right: int = 0


# -- the law

texts = st.text(max_size=8)
whole = st.integers(-(2**60), 2**60)
shares = st.floats(allow_nan=False, allow_infinity=False)
plain = st.none() | st.booleans() | whole | shares | texts
anything = st.recursive(plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3))

TYPED: list[tuple[object, st.SearchStrategy]] = [
    (inspect.Parameter.empty, anything),
    (typing.Any, anything),
    (str, texts),
    (int, whole),
    (float, shares),
    (bool, st.booleans()),
    (None, st.none()),
    (dt.date, st.dates()),
    (dt.datetime, st.datetimes(allow_imaginary=False).map(lambda moment: moment.replace(fold=0))),
    (dt.time, st.times().map(lambda moment: moment.replace(fold=0))),
    (uuid.UUID, st.uuids()),
    (decimal.Decimal, st.decimals(allow_nan=False, allow_infinity=False)),
    (pathlib.Path, st.just(pathlib.Path("a/b"))),
    (Colour, st.sampled_from(Colour)),
    (typing.Literal["a", 1], st.sampled_from(["a", 1])),
    (Point, st.builds(Point, whole, shares)),
    (Pair, st.builds(Pair, texts, whole)),
    (Filters, st.fixed_dictionaries({"words": st.lists(texts)}, optional={"deep": st.booleans()})),
]


def widened(pair):
    hint, values = pair
    lists = st.lists(values, max_size=3)
    return st.sampled_from(
        [
            pair,
            (list[hint], lists),
            (collections.abc.Sequence[hint], lists),
            (tuple[hint, ...], lists.map(tuple)),
            (tuple[hint, int], st.tuples(values, whole)),
            (dict[str, hint], st.dictionaries(texts, values, max_size=3)),
            (typing.Annotated[hint, "a note"], values),
        ]
    )


typed = st.sampled_from(TYPED).flatmap(widened)
names = st.sampled_from(["query", "limit", "a", "b", "unit", "größe", "名前", "args", "self"])


@st.composite
def calls(draw):
    """A signature, and values for some of its parameters: all that are required, any of the others."""
    parameters, values = [], {}
    for name in draw(st.lists(names, unique=True, max_size=5)):
        hint, strategy = draw(typed)
        kind = draw(st.sampled_from([POSITIONAL_ONLY, EITHER, NAMED_ONLY]))
        optional = draw(st.booleans())
        default = "the default" if optional else inspect.Parameter.empty
        parameters.append(inspect.Parameter(name, kind, default=default, annotation=hint))
        if not optional or draw(st.booleans()):
            values[name] = draw(strategy)
    # Python's own order: by kind, and of those with positions the ones without default first.
    parameters.sort(key=lambda each: (each.kind == NAMED_ONLY, each.default != inspect.Parameter.empty, each.kind))
    ordered, kinds = [], [each.kind for each in parameters if each.kind != NAMED_ONLY]
    for each, kind in zip(parameters, [*sorted(kinds), *[NAMED_ONLY] * len(parameters)], strict=False):
        ordered.append(each.replace(kind=kind))
    return inspect.Signature(ordered), values


def encoded(value):
    """JSON of a value, by Python's own encoder and the words of the standard library only."""

    def default(inner):
        if isinstance(inner, enum.Enum):
            return inner.value
        return dataclasses.asdict(inner) if isinstance(inner, Point) else getattr(inner, "isoformat", inner.__str__)()

    return json.dumps(value, default=default)


@settings(max_examples=200, deadline=None)
@given(calls())
def test_what_json_wrote_is_what_the_function_gets(call):
    wanted, values = call
    text = encoded(values)
    bound = bind(wanted, text, json.loads(text))
    got = wanted.bind(*bound.args, **bound.kwargs).arguments
    given = {name: got[name] for name in values}
    assert repr(given) == repr(values)
    assert {name for name in got if got[name] != "the default"} <= values.keys()


@settings(max_examples=100, deadline=None)
@given(calls())
def test_arguments_are_reported_under_their_own_names_as_json(call):
    wanted, values = call
    text = encoded(values)
    assert bind(wanted, text, json.loads(text)).arguments == {name: as_json(value) for name, value in values.items()}


@settings(max_examples=100, deadline=None)
@given(calls(), names)
def test_a_key_that_is_no_parameter_is_refused_by_name(call, extra):
    wanted, values = call
    takes_any_object = any(admits(each.annotation, dict) for each in wanted.parameters.values())
    if extra in wanted.parameters or takes_any_object:
        return
    with pytest.raises(BindingError) as caught:
        bind(wanted, "{}", {**json.loads(encoded(values)), extra: 1})
    assert f"unknown: '{extra}'" in caught.value.message


@settings(max_examples=100, deadline=None)
@given(calls())
def test_every_missing_argument_is_named(call):
    wanted, _values = call
    required = [name for name, each in wanted.parameters.items() if each.default is inspect.Parameter.empty]
    if not required:
        assert bind(wanted, None, None).arguments == {}
        return
    with pytest.raises(BindingError) as caught:
        bind(wanted, None, None)
    assert caught.value.message == f"missing: {', '.join(map(repr, required))}"


@settings(max_examples=200, deadline=None)
@given(st.lists(anything, max_size=4), st.dictionaries(st.sampled_from(["a", "b"]), anything))
def test_call_syntax_gives_what_python_would_give(positional, named):
    def takes(a=1, *more, b=2, **others):
        return a, more, b, others

    if positional and "a" in named:
        return
    bound = bind(signature(as_tool(takes)), "…", {"*": positional, **named})
    assert takes(*bound.args, **bound.kwargs) == takes(*positional, **named)


# -- what goes where


def nothing(): ...
def one(query: str): ...
def untyped(query): ...
def two(query: str, limit: int): ...
def defaulted(query: str = "?", limit: int = 3): ...
def listed(items: list[int]): ...
def mapped(options: dict[str, int]): ...
def record(place: Point): ...
def maybe(query: str | None): ...
def number(n: int): ...
def ordered(a, b=2, /, c=3): ...
def named(*, query: str): ...
def spread(*words: str): ...
def open_ended(**others: int): ...
def choice(unit: typing.Literal["m", "ft"]): ...
def day(when: dt.date): ...


BOUND = [
    # function, input, arguments as a step has them, what the function gets
    (nothing, None, None, {}),
    (nothing, "", None, {}),
    (nothing, "None", None, {}),
    (nothing, "null", None, {}),
    (nothing, "{}", {}, {}),
    (one, "tides today", None, {"query": "tides today"}),
    (one, "", None, {"query": ""}),
    (one, '"kelp"', "kelp", {"query": "kelp"}),
    (one, "'kelp'", None, {"query": "kelp"}),
    (one, 'notify "Build" "all done"', None, {"query": 'notify "Build" "all done"'}),
    (one, '"a" and "b"', None, {"query": '"a" and "b"'}),
    (one, "  two  blanks ", None, {"query": "  two  blanks "}),
    (one, "42", 42, {"query": "42"}),
    (one, "[1, 2]", [1, 2], {"query": "[1, 2]"}),
    (one, "null", None, {"query": "null"}),
    (one, '"a b"', ["a b"], {"query": "a b"}),
    (one, '{"query": 7}', {"query": 7}, {"query": "7"}),
    (one, '{"query": "{\\"a\\": 1}"}', {"query": '{"a": 1}'}, {"query": '{"a": 1}'}),
    (one, '{"query": "0007"}', {"query": "0007"}, {"query": "0007"}),
    (one, '[{"query": "x"}]', [{"query": "x"}], {"query": "x"}),
    (untyped, "42", 42, {"query": "42"}),
    (untyped, '{"query": 42}', {"query": 42}, {"query": 42}),
    (two, '{"query": "x", "limit": "4"}', {"query": "x", "limit": "4"}, {"query": "x", "limit": 4}),
    (two, '"x", 4', ["x", 4], {"query": "x", "limit": 4}),
    (two, '"x", limit=4', {"*": ["x"], "limit": 4}, {"query": "x", "limit": 4}),
    (defaulted, None, None, {}),
    (defaulted, "", None, {}),
    (defaulted, "{}", {}, {}),
    (defaulted, "kelp", None, {"query": "kelp"}),
    (listed, "[1, 2]", [1, 2], {"items": [1, 2]}),
    (listed, "[1, '2']", [1, "2"], {"items": [1, 2]}),
    (listed, "```json\n[1]\n```", [1], {"items": [1]}),
    (listed, '{"items": "[1, 2]"}', {"items": "[1, 2]"}, {"items": [1, 2]}),
    (mapped, '{"a": 1}', {"a": 1}, {"options": {"a": 1}}),
    (mapped, "{}", {}, {"options": {}}),
    (mapped, '{"options": {"a": 1}}', {"options": {"a": 1}}, {"options": {"a": 1}}),
    (record, '{"x": 1}', {"x": 1}, {"place": {"x": 1, "y": 0.5}}),
    (maybe, "null", None, {"query": None}),
    (maybe, "kelp", None, {"query": "kelp"}),
    (number, "4", 4, {"n": 4}),
    (number, '"4"', "4", {"n": 4}),
    (number, "4.0", 4.0, {"n": 4}),
    (ordered, '{"a": 1, "c": 9}', {"a": 1, "c": 9}, {"a": 1, "c": 9}),
    (named, "kelp", None, {"query": "kelp"}),
    (spread, "kelp", None, {"words": ["kelp"]}),
    (spread, '"a", "b"', ["a", "b"], {"words": ["a", "b"]}),
    (spread, '{"words": ["a", "b"]}', {"words": ["a", "b"]}, {"words": ["a", "b"]}),
    (open_ended, '{"a": "1"}', {"a": "1"}, {"a": 1}),
    (open_ended, None, None, {}),
    (choice, "ft", None, {"unit": "ft"}),
    (choice, '"ft"', "ft", {"unit": "ft"}),
    (day, "2026-01-31", None, {"when": "2026-01-31"}),
]


@pytest.mark.parametrize(("function", "text", "arguments", "got"), BOUND)
def test_an_input_is_bound(function, text, arguments, got):
    assert bind(signature(as_tool(function)), text, arguments).arguments == got


REFUSED = [
    (nothing, "now please", None, 'it takes no input, but was given "now please"'),
    (nothing, '{"a": 1}', {"a": 1}, "unknown: 'a'"),
    (one, None, None, "missing: 'query'"),
    (one, "{}", {}, "missing: 'query'"),
    (one, '{"qery": "x"}', {"qery": "x"}, "unknown: 'qery' (did you mean 'query'?); missing: 'query'"),
    (one, '{"query": "x", "evil": 1}', {"query": "x", "evil": 1}, "unknown: 'evil'"),
    (one, '{"query": 1.10}', {"query": 1.1}, "'query' has to be text, not 1.1"),
    (one, '{"query": null}', {"query": None}, "'query' has to be text, not null"),
    (one, '"a", "b"', ["a", "b"], "it takes 1 values by position, and 2 were given"),
    (two, "kelp", None, "missing: 'limit'"),
    (two, '"x", query="y"', {"*": ["x"], "query": "y"}, "'query' is given twice; missing: 'limit'"),
    (two, '{"limit": 4.7}', {"limit": 4.7}, "'limit' has to be a whole number, not 4.7; missing: 'query'"),
    (two, '{"query": "x", "limit": true}', {"query": "x", "limit": True}, "'limit' has to be a whole number, not true"),
    (listed, "kelp", None, "'items' has to be a list, not \"kelp\""),
    (listed, '[1, "x"]', [1, "x"], "'items[1]' has to be a whole number, not \"x\""),
    (mapped, '{"options": {"a": "x"}}', {"options": {"a": "x"}}, "'options.a' has to be a whole number, not \"x\""),
    (record, '{"x": 1, "z": 2}', {"x": 1, "z": 2}, "'place' has no 'z'"),
    (record, '{"y": 1}', {"y": 1}, "'place' needs 'x'"),
    (number, "", None, "missing: 'n'"),
    (number, "four", None, "'n' has to be a whole number, not \"four\""),
    (open_ended, "kelp", None, 'it takes no text, but was given "kelp"'),
    (choice, "yd", None, "'unit' has to be one of 'm', 'ft', not \"yd\""),
    (day, "soon", None, "'when' has to be a date like 2026-01-31, not \"soon\""),
]


@pytest.mark.parametrize(("function", "text", "arguments", "message"), REFUSED)
def test_an_input_that_does_not_fit_is_refused_and_says_why(function, text, arguments, message):
    with pytest.raises(BindingError) as caught:
        bind(signature(as_tool(function)), text, arguments)
    assert caught.value.message == message


def test_changes_are_set_over_the_input():
    bound = bind(signature(as_tool(two)), '"kelp", 3', ["kelp", 3], changes={"limit": 5})
    assert bound.arguments == {"query": "kelp", "limit": 5}


def test_a_bound_call_is_written_for_people():
    assert written("search", {"query": "kelp", "limit": 5}) == 'search(query="kelp", limit=5)'


# -- one value

KEPT = [
    (int, "-7", -7),
    (int, 4.0, 4),
    (float, 4, 4.0),
    (float, "1e3", 1000.0),
    (bool, "True", True),
    (bool, 0, False),
    (bytes, "é", b"\xc3\xa9"),
    (decimal.Decimal, 0.1, decimal.Decimal("0.1")),
    (int | str, "4", "4"),
    (int | None, "4", 4),
    (int | None, None, None),
    (float | int, 4, 4),
    (dt.date | str, "2026-01-31", "2026-01-31"),
    (list[int] | list[str], ["4"], ["4"]),
    (Colour, "red", Colour.RED),
    (Colour, "RED", Colour.RED),
    (Colour, "2", Colour.TWO),
    (typing.Literal[1, "a"], "1", 1),
    (set[int], [1, 2, 2], {1, 2}),
    (frozenset[str], ["a"], frozenset("a")),
    (tuple[int, str], [1, "a"], (1, "a")),
    (dict[int, str], {"1": "a"}, {1: "a"}),
    (typing.NewType("Id", int), "7", 7),
    (typing.TypeVar("T"), {"a": [1]}, {"a": [1]}),
    (Pair, {"left": "a"}, Pair("a")),
    (Filters, {"words": ["a"]}, {"words": ["a"]}),
    (dt.datetime, "2026-01-31T12:00:00Z", dt.datetime(2026, 1, 31, 12, tzinfo=dt.UTC)),
]


@pytest.mark.parametrize(("hint", "value", "found"), KEPT)
def test_a_value_that_loses_nothing_fits(hint, value, found):
    assert repr(coerce(value, hint, "x")) == repr(found)


LOST = [
    (int, 4.7), (int, "4.7"), (int, True), (int, "٤"), (int, "1_000"), (int, None), (int, 1e300), (int, "9" * 5000),
    (float, 2**53 + 1), (float, "nan"), (float, "1e999"), (float, 10**400), (float, True), (float, ""),
    (bool, 2), (bool, "yes"), (str, True), (str, 1.5), (str, ["a"]), (str, {}), (None, "null"),
    (dt.date, 20260131), (dt.date, "2026-02-30"), (uuid.UUID, "x"), (Colour, 2.0), (Colour, True), (complex, 1),
    (list[int], "4"), (list[int], {"a": 1}), (tuple[int, str], [1]), (set[int], [[1]]), (Point, [1, 2]),
    (dict[int, str], {"1": "a", "01": "b"}), (Filters, {"deep": True}), (Filters, {"words": [], "x": 1}),
    (Pair, ["a", 1, 2]), (typing.Literal[1], True),
]  # fmt: skip


@pytest.mark.parametrize(("hint", "value"), LOST)
def test_a_value_that_would_lose_something_is_refused(hint, value):
    with pytest.raises(CoercionError):
        coerce(value, hint, "x")


@settings(max_examples=200, deadline=None)
@given(anything, st.sampled_from(TYPED).flatmap(widened))
def test_any_value_for_any_annotation_fits_or_is_refused(value, pair):
    with contextlib.suppress(CoercionError):
        coerce(value, pair[0], "x")
