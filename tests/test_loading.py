"""What a module of tools offers: which names, which objects, and what is said where one is no tool."""

from __future__ import annotations

import pytest

from reactcli.errors import ToolError
from reactcli.isolation import Limits, Toolbox
from reactcli.tools import as_tool
from reactcli.tools.calls import Call
from reactcli.tools.loading import load
from reactcli.tools.schema import signature


@pytest.fixture
def module(tmp_path):
    """Writes a module of tools and returns its SPEC."""

    def write(text, name="mine_own.py"):
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return write


def test_all_decides_where_it_is_there(module):
    text = "from functools import partial\nfrom math import sqrt\n"
    text += "__all__ = ['sqrt', 'half', '_own', 'A', 'SIZE', 'gone']\n"
    text += "SIZE = 3\nclass A: pass\ndef hidden(): pass\ndef _own(): pass\nhalf = partial(pow, exp=-1)\n"
    assert list(load(module(text))) == ["sqrt", "half", "_own"]


def test_a_registry_beats_all(module):
    assert list(load(module("__all__ = ['a']\ndef a(): pass\ndef b(): pass\nTOOLS = [b]\n"))) == ["b"]


HOLDS = "may be a dict from names to functions, or a list of functions and tool objects"
CANNOT = "a definition for an API describes a tool and cannot be called: name the function itself"
REGISTRIES = {
    "'hammer'": ("TOOLS is a value of class 'str'", f"it {HOLDS}"),
    "['search']": (
        "in TOOLS, a value of class 'str' is not a tool",
        f"'search' is text: name the function itself, without quotes; TOOLS {HOLDS}",
    ),
    "[{'type': 'function', 'function': {'name': 'search', 'parameters': {}}}]": (
        "in TOOLS, a value of class 'dict' is not a tool",
        f"{CANNOT}; TOOLS {HOLDS}",
    ),
    "{'search': {'fn': print}}": (
        "in TOOLS, 'search' is not a tool",
        f"a described tool is {{'description': …, 'function': …}}, and its function can be called; TOOLS {HOLDS}",
    ),
    "[dict]": (
        "in TOOLS, a value of class 'type' is not a tool",
        f"a class is none: make an object of it; TOOLS {HOLDS}",
    ),
    "[3]": (
        "in TOOLS, a value of class 'int' is not a tool",
        f"a tool is a function, or an object with `name`, `description`, and `run` or `__call__`; TOOLS {HOLDS}",
    ),
}


@pytest.mark.parametrize("registry", REGISTRIES)
def test_a_registry_that_holds_something_else_is_explained(module, registry):
    with pytest.raises(ToolError) as caught:
        load(module(f"TOOLS = {registry}\n"))
    assert (caught.value.message, caught.value.hint) == REGISTRIES[registry]


class Runner:
    name = "runner"
    description = "Run."

    def run(self, distance: int) -> str:
        return f"ran {distance}"


class Caller:
    """Said of the class."""

    def __init__(self, name, description):
        self.name = name
        self.description = description

    def __call__(self, number: int, name: str = "") -> str:
        """Call a number."""
        return f"called {number}{name}"


def test_an_object_with_a_name_a_description_and_a_method_is_a_tool():
    runner, caller = as_tool(Runner()), as_tool(Caller("caller", ""))
    assert (runner.name, runner.description, list(signature(runner).parameters)) == ("runner", "Run.", ["distance"])
    assert (caller.name, caller.description) == ("caller", "Call a number.")
    assert list(signature(caller).parameters) == ["number", "name"]
    assert (runner.execute(distance=3), caller.execute(number=4)) == ("ran 3", "called 4")


def test_such_objects_of_a_module_are_offered(module):
    text = "class T:\n    name = 'seek'\n    description = 'Seek.'\n    def run(self, q): return q\n"
    text += "thing = T()\nplain = 3\n"
    assert list(load(module(text))) == ["seek"]


SPAWNING = """\
import multiprocessing
def square(n): return n * n
def squares(n: int):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.map(square, range(n))
"""


@pytest.mark.parametrize("name", ["squaring.py", "my-squares.py"])
def test_a_tool_may_start_processes_that_import_its_module(module, name):
    with Toolbox([module(SPAWNING, name)]) as tools:
        assert tools.call(Call("squares", "3")).observation == "[0, 1, 4]"


ABSENT = "tools see few variables of the environment; --env REACTCLI_TEST_KEY adds this one"


def test_a_variable_that_tools_do_not_see_is_named(module, monkeypatch):
    monkeypatch.setenv("REACTCLI_TEST_KEY", "x")
    spec = module("import os\ndef key(): return os.environ['REACTCLI_TEST_KEY']\ndef other(): return {}['a']\n")
    with Toolbox([spec]) as tools:
        found = tools.call(Call("key"))
        assert (found.error, found.notes) == ("KeyError: 'REACTCLI_TEST_KEY'", (ABSENT,))
        assert tools.call(Call("other")).notes == ()
    with Toolbox([spec], Limits(environment=("REACTCLI_TEST_KEY",))) as tools:
        assert tools.call(Call("key")).observation == "x"


def test_a_module_that_needs_such_a_variable_is_not_loaded_and_says_so(module):
    with pytest.raises(ToolError) as caught, Toolbox([module("import os\nKEY = os.environ['REACTCLI_TEST_KEY']\n")]):
        pass
    assert caught.value.message.endswith("cannot be loaded: KeyError: 'REACTCLI_TEST_KEY'")
    assert caught.value.hint == ABSENT
