"""What counts as a tool, what is known about it, and what its results become."""

# ruff: noqa: D413  # docstrings here are samples

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import functools
import math
import pathlib
import typing
from unittest.mock import MagicMock

import pytest

from reactcli.errors import ToolError
from reactcli.tools import Tool, as_tool, as_tools, foreign_tool, tool
from reactcli.tools.calls import Call, LocalTools, Outcome
from reactcli.tools.coercion import coerce
from reactcli.tools.descriptions import parameter_lines
from reactcli.tools.loading import load, split
from reactcli.tools.results import as_json, as_text, failure, settled, shortened
from reactcli.tools.schema import parameters_schema, signature, summary


def search(query: str, limit: int = 3) -> str:
    """Search a table.

    Args:
        query: words to look for
        limit: how many at most
    """
    return f"{query} {limit}"


class Unit(enum.Enum):
    METRE = "m"
    FOOT = "ft"


@dataclasses.dataclass
class Place:
    name: str
    height: float = 0.0


class Options(typing.TypedDict, total=False):
    deep: bool
    words: typing.Required[list[str]]


def everything(  # noqa: PLR0913  # every kind of parameter
    text: str,
    /,
    count: int,
    share: float = 0.5,
    *more: int,
    unit: Unit = Unit.METRE,
    when: dt.date | None = None,
    size: typing.Literal["s", "l"] = "s",
    place: Place | None = None,
    options: Options | None = None,
    pair: tuple[int, str] = (1, "a"),
    tags: frozenset[str] = frozenset(),
    note: typing.Annotated[str, "for people"] = "",
    **others: bool,
) -> None:
    raise NotImplementedError


# -- what is a tool


def test_a_function_is_a_tool_named_and_described_by_itself():
    assert as_tool(search) == Tool("search", search.__doc__.replace("\n    ", "\n").strip(), search)


def test_a_name_given_beside_a_tool_beats_its_own():
    assert list(as_tools({"find": search, "seek": Tool("x", "", search)})) == ["find", "seek"]


def test_a_described_mapping_is_a_tool():
    assert as_tools({"find": {"description": "Find.", "function": search}}) == {"find": Tool("find", "Find.", search)}


def test_the_decorator_only_attaches_attributes():
    def plain(q):
        return q

    assert tool(name="find", description="Find.", timeout=2)(plain) is plain
    assert plain("a") == "a"
    assert as_tool(plain) == Tool("find", "Find.", plain, None, 2)


def test_the_decorator_needs_no_brackets():
    def plain(q):
        """Do."""

    assert tool(plain) is plain
    assert as_tool(plain) == Tool("plain", "Do.", plain)


def test_the_decorator_refuses_words_it_does_not_know():
    with pytest.raises(TypeError, match="a tool has no title"):
        tool(title="x")


def test_a_partial_is_named_after_its_function():
    assert as_tool(functools.partial(search, limit=1)).name == "search"


def test_two_tools_of_one_name_are_refused():
    with pytest.raises(ToolError, match="two tools are called 'search'"):
        as_tools([search, Tool("search", "", print)])


@pytest.mark.parametrize("thing", [3, "search", None, Place, {"description": "no function"}])
def test_what_is_no_tool_is_refused(thing):
    with pytest.raises(ToolError, match="is not a tool"):
        as_tools([thing])


def test_a_mock_that_has_every_attribute_is_no_foreign_tool():
    assert foreign_tool(MagicMock()) is None


class LangChainLike:
    name, description, args = "times", "Multiply.", {"a": {"type": "integer"}}
    args_schema = None
    func = print

    def invoke(self, given):
        return given["a"] * 2


class LlamaLike:
    class Output:
        def __init__(self, text, *, is_error=False):
            self.text, self.is_error = text, is_error

        def __str__(self):
            return self.text

    class Metadata:
        name, description = "add", "Add."

        def get_parameters_dict(self):
            return {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}

    metadata = Metadata()

    def call(self, x):
        return self.Output(str(x + 1), is_error=x < 0)

    acall = call


class SmolLike:
    name, description = "upper", "Upper case."
    inputs: typing.ClassVar = {
        "text": {"type": "string", "description": "what"},
        "end": {"type": "any", "nullable": True},
    }

    def forward(self, text, end=""):
        return text.upper() + end

    __call__ = forward


@dataclasses.dataclass
class LlmLike:
    name: str
    description: str | None
    input_schema: dict
    implementation: object


FOREIGN = {
    "langchain": (LangChainLike(), '{"a": "4"}', {"a": "4"}, "8"),
    "llamaindex": (LlamaLike(), '{"x": 2}', {"x": 2}, "3"),
    "smolagents": (SmolLike(), "kelp", None, "KELP"),
    "llm": (LlmLike("find", None, {"type": "object"}, search), "kelp", None, "kelp 3"),
}


@pytest.mark.parametrize("framework", FOREIGN)
def test_tool_objects_of_other_frameworks_are_called(framework):
    thing, text, arguments, observation = FOREIGN[framework]
    found = foreign_tool(thing)
    outcome = LocalTools({found.name: found}).call(Call(found.name, text, arguments))
    assert (outcome.status, outcome.observation) == ("ok", observation)


def test_an_error_that_another_framework_returns_is_an_error():
    found = foreign_tool(LlamaLike())
    assert LocalTools({"add": found}).call(Call("add", '{"x": -5}', {"x": -5})).error == "-4"


def test_required_arguments_of_another_framework_are_demanded():
    found = foreign_tool(SmolLike())
    assert parameters_schema(found) == {
        "type": "object",
        "properties": {"text": {"type": "string", "description": "what"}, "end": {}},
        "required": ["text"],
    }
    outcome = LocalTools({"upper": found}).call(Call("upper", "{}", {}))
    assert outcome.error == "'upper' was not run: missing: 'text'; it takes text, end (optional)"


# -- what is known about a tool


def test_the_schema_comes_from_signature_and_docstring():
    assert parameters_schema(as_tool(search)) == {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "words to look for"},
            "limit": {"type": "integer", "description": "how many at most", "default": 3},
        },
        "required": ["query"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    "docstring",
    [
        "Do.\n\nArgs:\n    a: the first\n",
        "Do.\n\nParameters\n----------\na : int\n    the first\n",
        "Do.\n\n:param a: the first\n",
    ],
    ids=["google", "numpy", "rest"],
)
def test_parameters_are_described_in_each_spelling_of_docstrings(docstring):
    def do(a):
        return a

    do.__doc__ = docstring
    assert parameters_schema(as_tool(do))["properties"] == {"a": {"description": "the first"}}
    assert summary(as_tool(do)) == "Do."


def test_every_kind_of_annotation_has_a_schema():
    found = parameters_schema(as_tool(everything))
    assert found["required"] == ["text", "count"]
    assert found["additionalProperties"] == {"type": "boolean"}
    assert found["properties"] == {
        "text": {"type": "string"},
        "count": {"type": "integer"},
        "share": {"type": "number", "default": 0.5},
        "more": {"type": "array", "items": {"type": "integer"}},
        "unit": {"type": "string", "enum": ["m", "ft"], "default": "m"},
        "when": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}], "default": None},
        "size": {"type": "string", "enum": ["s", "l"], "default": "s"},
        "place": {
            "anyOf": [
                {
                    "type": "object",
                    "properties": {"name": {"type": "string"}, "height": {"type": "number"}},
                    "required": ["name"],
                    "additionalProperties": False,
                },
                {"type": "null"},
            ],
            "default": None,
        },
        "options": {
            "anyOf": [
                {
                    "type": "object",
                    "properties": {
                        "deep": {"type": "boolean"},
                        "words": {"type": "array", "items": {"type": "string"}},
                    },
                    "required": ["words"],
                    "additionalProperties": False,
                },
                {"type": "null"},
            ],
            "default": None,
        },
        "pair": {
            "type": "array",
            "prefixItems": [{"type": "integer"}, {"type": "string"}],
            "minItems": 2,
            "maxItems": 2,
            "default": (1, "a"),
        },
        "tags": {"type": "array", "uniqueItems": True, "items": {"type": "string"}},
        "note": {"type": "string", "description": "for people", "default": ""},
    }


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


def planned(  # noqa: PLR0913, PLR0917  # what the words of a prompt have to say
    place: Place,
    options: Options,
    level: Level = Level.LOW,
    units: tuple[Unit, ...] = (),
    day: dt.date = dt.date(2026, 1, 31),
    sizes: dict[str, int] | None = None,
    pair: tuple[int, str] = (1, "a"),
    where: pathlib.Path = pathlib.Path("x"),
    **others: int,
) -> None:
    raise NotImplementedError


def test_a_prompt_says_what_every_parameter_admits():
    (described,) = LocalTools(as_tools([planned])).describe()
    assert list(parameter_lines(described)) == [
        "place ({name: string, height?: number})",
        "options ({deep?: boolean, words: list of string})",
        'level ("LOW" or "HIGH", "LOW" unless given)',
        'units (list of ("m" or "ft"), [] unless given)',
        'day (date string, "2026-01-31" unless given)',
        "sizes (object of integer or null, optional)",
        'pair ([integer, string], [1, "a"] unless given)',
        'where (string, "x" unless given)',
        "further arguments by name (integer, optional)",
    ]


def test_members_of_an_enum_are_named_alike_in_schema_message_and_binding():
    made = LocalTools(as_tools([planned]))
    outcome = made.call(Call("planned", "{}", {"place": {"name": "x"}, "options": {"words": []}, "level": "MID"}))
    assert "'level' has to be one of 'LOW', 'HIGH', not \"MID\"" in outcome.error
    assert [coerce(value, Level, "x") for value in ("HIGH", 2, "2")] == [Level.HIGH] * 3


def test_a_class_that_mentions_itself_has_a_schema_that_ends():
    @dataclasses.dataclass
    class Node:
        children: list[Node]

    Node.__init__.__globals__["Node"] = Node
    try:
        assert parameters_schema(Tool("t", "", Node))["properties"]["children"]["type"] == "array"
    finally:
        del Node.__init__.__globals__["Node"]


def test_annotations_that_cannot_be_resolved_say_nothing():
    def odd(a: NoSuchType, b: int) -> AlsoMissing:  # noqa: F821  # the point
        return a, b

    found = signature(as_tool(odd))
    assert [each.annotation for each in found.parameters.values()] == [found.empty, int]


def test_a_signature_that_lies_is_replaced_by_one_that_takes_all():
    class Lying:
        __signature__ = 5

        def __call__(self, query):
            return query

    assert LocalTools({"bad": as_tool(Lying(), "bad")}).call(Call("bad", "kelp")).observation == "kelp"


# -- loading


def module(folder: pathlib.Path, text: str, name: str = "mine.py") -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


OFFERED = {
    "public functions of the module": ("import os\nfrom os import system\ndef a(): pass\ndef _b(): pass\n", ["a"]),
    "lambdas by the name they were given": ("add = lambda a, b: a + b\n", ["add"]),
    "TOOLS as a mapping": ("def a(): pass\ndef b(): pass\nTOOLS = {'first': a, 'b': b}\n", ["first", "b"]),
    "TOOLS as a list": ("def a(): pass\ndef b(): pass\nTOOLS = [b]\n", ["b"]),
    "cached functions": ("import functools\n@functools.cache\ndef a(x): return x\n", ["a"]),
    "decorated functions": ("from reactcli.tools import tool\n@tool(name='find')\ndef a(): pass\n", ["find"]),
    "tool objects": ("from reactcli.tools import Tool\nx = Tool('find', '', print)\n", ["find"]),
    "no tools": ("", []),
    "no classes": ("class A: pass\nclass B:\n    def __call__(self): pass\nb = B()\n", []),
}


@pytest.mark.parametrize("claim", OFFERED)
def test_a_module_offers(claim, tmp_path):
    text, names = OFFERED[claim]
    assert list(load(module(tmp_path, text))) == names


def test_a_name_behind_a_colon_picks_a_tool_or_a_registry(tmp_path):
    spec = module(tmp_path, "def a(): pass\ndef b(): pass\nBOTH = [a, b]\nONE = {'x': a}\n")
    picked = {name: list(load(f"{spec}:{name}")) for name in ("a", "BOTH", "ONE")}
    assert picked == {"a": ["a"], "BOTH": ["a", "b"], "ONE": ["x"]}


def test_a_name_behind_a_colon_may_be_one_of_the_registry(tmp_path):
    assert list(load(module(tmp_path, "def _a(): pass\nTOOLS = {'search': _a}\n") + ":search")) == ["search"]


def test_a_name_that_is_not_there_is_suggested(tmp_path):
    with pytest.raises(ToolError) as caught:
        load(module(tmp_path, "def search(): pass\n") + ":serch")
    assert caught.value.hint == "did you mean 'search'? there are: search"


def test_a_file_whose_name_has_a_colon_is_a_file(tmp_path):
    spec = module(tmp_path, "def a(): pass\n", "odd:name")
    assert split(spec) == (spec, None)
    assert list(load(spec)) == ["a"]


def test_a_file_named_like_a_module_of_python_does_not_replace_it(tmp_path):
    import random

    load(module(tmp_path, "def a(): pass\n", "random.py"))
    assert __import__("sys").modules["random"] is random


def test_a_file_can_import_what_lies_beside_it(tmp_path):
    module(tmp_path, "value = 7\n", "beside_it_for_a_test.py")
    tools = load(module(tmp_path, "import beside_it_for_a_test\ndef a(): return beside_it_for_a_test.value\n"))
    assert tools["a"].execute() == "7"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("no/such.py", "there is no file 'no/such.py'"),
        ("/dev/null", "'/dev/null' is not a file"),
        ("no_such_module_here", "there is no module 'no_such_module_here'"),
        ("not a module", "'not a module' is neither a file nor a module"),
    ],
)
def test_a_spec_that_names_nothing_is_refused(spec, message):
    with pytest.raises(ToolError) as caught:
        load(spec)
    assert caught.value.message == message


# -- results


class Shy:
    pass


class Broken:
    def __str__(self):
        raise RuntimeError("no text")

    __repr__ = __str__


class Sly(str):
    __slots__ = ()

    def __str__(self):
        return "sly"

    def __len__(self):
        return -1  # noqa: PLE0303  # a lie


RESULTS = [
    ("text", "text"),
    ("", ""),
    (Sly("true"), "true"),
    (b"caf\xc3\xa9 \xff", "café \ufffd"),
    (None, "null"),
    (True, "true"),
    (7, "7"),
    (2.5, "2.5"),
    (math.nan, "nan"),
    ({"é": [1, None]}, '{"é": [1, null]}'),
    ((1, 2), "[1, 2]"),
    ({3, 1, 2}, "[1, 2, 3]"),
    (Place("Denali", 6190.0), '{"name": "Denali", "height": 6190.0}'),
    ({"unit": Unit.FOOT}, '{"unit": "ft"}'),
    ([dt.date(2026, 1, 31)], '["2026-01-31"]'),
    ([decimal.Decimal("1.10"), pathlib.PurePosixPath("/a")], '["1.10", "/a"]'),
    (range(3), "[0, 1, 2]"),
    ({(1, 2): 3}, "{(1, 2): 3}"),
    ("\ud835", "\ud835"),
]


@pytest.mark.parametrize(("result", "text"), RESULTS, ids=[repr(text) for _result, text in RESULTS])
def test_a_result_becomes_text(result, text):
    found = as_text(result)
    assert (type(found), found) == (str, text)


@pytest.mark.parametrize(
    "result",
    [Shy(), [Shy()], (n for n in "ab"), lambda: 3, iter([1])],
    ids=["object", "list of one", "generator", "function", "iterator"],
)
def test_a_result_that_has_no_text_is_refused(result):
    with pytest.raises(ToolError, match="the tool returned a value of class"):
        as_text(result)


def test_a_list_that_holds_itself_is_text_that_ends():
    endless: list = []
    endless.append(endless)
    assert as_text(endless) == "[[...]]"


def test_a_report_holds_any_value():
    assert as_json({"a": Unit.METRE, "b": {1}}) == {"a": "m", "b": [1]}
    assert as_json(Shy()) == "<test_tools.Shy>"


def test_an_exception_that_cannot_be_printed_has_its_name():
    class UnprintableError(Exception):
        __str__ = Broken.__str__

    assert failure(UnprintableError()) == "UnprintableError"


def test_text_is_shortened_from_the_middle_and_says_so():
    assert shortened("abcdefgh", 5) == "abc\n… 3 characters omitted …\ngh"
    assert shortened("abcde", 5) == "abcde"
    assert shortened("abc", 0) == "\n… 3 characters omitted …\n"


async def later(value):
    return value


def test_a_coroutine_is_awaited():
    assert settled(later(3)) == 3


def test_a_coroutine_is_awaited_inside_a_running_loop():
    import asyncio

    async def inside():
        return settled(later(4))

    assert asyncio.run(inside()) == 4


# -- calls in this process


@pytest.mark.parametrize(
    ("func", "text"),
    [
        (lambda **_: 1 / 0, "Error: ZeroDivisionError: division by zero"),
        (lambda **_: Broken(), "Error: RuntimeError: no text"),
        (lambda **given: given, '{"a": 1}'),
        (later, "Error: TypeError: later() got an unexpected keyword argument 'a'"),
    ],
)
def test_execute_never_raises(func, text):
    assert Tool("t", "", func).execute(a=1) == text


def test_an_unknown_tool_is_suggested_and_never_guessed():
    error = "Tool 'serch' not found; did you mean 'search'? there are: search"
    assert LocalTools(as_tools([search])).call(Call("serch", "kelp")) == Outcome(
        "unknown_tool", "serch", observation=f"Error: {error}", error=error
    )


def test_an_action_without_a_name_is_an_unknown_tool():
    assert LocalTools({}).call(Call(None)).error == "Tool 'None' not found; there are no tools"


def test_input_that_was_cut_off_is_not_run():
    outcome = LocalTools(as_tools([search])).call(Call("search", '{"query": "ke', truncated=True))
    assert (outcome.status, outcome.arguments) == ("bad_arguments", None)


def test_a_dry_call_binds_and_does_not_run():
    called = []
    tools = LocalTools({"t": Tool("t", "", called.append)})
    assert tools.call(Call("t", "kelp", dry=True)) == Outcome("ok", "t", {"object": "kelp"})
    assert called == []


def test_arguments_are_reported_as_they_were_before_the_call():
    outcome = LocalTools({"t": Tool("t", "", lambda a: a.clear())}).call(Call("t", '{"a": {"b": 1}}', {"a": {"b": 1}}))
    assert outcome.arguments == {"a": {"b": 1}}


def test_a_failure_keeps_the_traceback_of_the_tool_only():
    def fails():
        raise ValueError("inside")

    outcome = LocalTools({"t": Tool("t", "", fails)}).call(Call("t"))
    assert outcome.observation == "Error: ValueError: inside"
    assert "in fails" in outcome.traceback
    assert "calls.py" not in outcome.traceback
