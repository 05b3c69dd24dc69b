"""From a SPEC to tools: a file or a module, and optionally one name in it.

    spec = ( file | module ) [ ':' name ]          a file has a '/' in it or ends in '.py'; a module is dotted

If the module has `TOOLS`, that is what it offers; else the tools that its `__all__` names; else every public function
defined in the module itself, and tool objects. What a module merely imported is no tool unless one of the two says so,
and nothing is found by a name with dots. A function that makes decorators or tools looks like any other: `TOOLS` or
`__all__` leaves it out.
This is the one place where code named by the user is run; it belongs in the tools' own process.
"""

# ruff: noqa: PTH100, PTH110, PTH113, PTH119, PTH120, PTH122  # pathlib costs every call 6 ms

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader

from reactcli.errors import ToolError
from reactcli.registry import nearest
from reactcli.tools import MARK, Tool, as_tool, as_tools, foreign_tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType


TOOLS_HOLDS = "may be a dict from names to functions, or a list of functions and tool objects"


def load(spec: str) -> dict[str, Tool]:
    """The tools of a SPEC, by name. ToolError if it names nothing; whatever the module raises, as it is."""
    place, name = split(spec)
    module = _module_of_file(place) if is_file_spec(place) else _named_module(place)
    return _offered(module) if name is None else _single(module, name, place)


def split(spec: str) -> tuple[str, str | None]:
    """The file or module of a SPEC, and the name behind its colon. A file whose own name has the colon stays whole."""
    place, colon, name = spec.rpartition(":")
    if not colon or not name.isidentifier() or (is_file_spec(spec) and os.path.exists(spec)):
        return spec, None
    return place, name


def is_file_spec(place: str) -> bool:
    return "/" in place or place.endswith(".py")


def check_file(spec: str) -> None:
    """ToolError if a SPEC names a file that is not there, or is none: a device would be read for ever."""
    place, _name = split(spec)
    if not is_file_spec(place):
        return
    if not os.path.exists(place):
        raise ToolError(f"there is no file '{place}'", hint="--tools takes a Python file or a dotted module name")
    if not os.path.isfile(place):
        raise ToolError(f"'{place}' is not a file", hint="--tools takes a Python file or a dotted module name")


def _module_of_file(path: str) -> ModuleType:
    """Run a file as a module."""
    from importlib.util import module_from_spec  # loaded by inspect anyway

    check_file(path)
    full = os.path.abspath(path)
    sys.path.append(os.path.dirname(full))  # last: what stands beside the file must not shadow anything
    name = _module_name(full)
    loader = SourceFileLoader(name, full)
    module = module_from_spec(ModuleSpec(name, loader, origin=full))
    module.__file__ = full
    sys.modules[name] = module
    loader.exec_module(module)
    return module


def _module_name(path: str) -> str:
    """The name by which Python finds the file, as processes do that a tool starts with `multiprocessing`. Where the
    name is another module's, one of its own, so that random.py does not become `random`.
    """
    from importlib.util import find_spec  # loaded by inspect anyway

    stem = os.path.splitext(os.path.basename(path))[0]
    try:
        found = find_spec(stem) if "." not in stem and stem not in sys.modules else None
    except (ImportError, ValueError):
        found = None
    origin = found.origin if found is not None else None
    is_this = origin is not None and os.path.realpath(origin) == os.path.realpath(path)
    return stem if is_this else f"reactcli_tools_{stem}"


def _named_module(name: str) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        raise ToolError(f"'{name}' is neither a file nor a module", hint="a file has a '/' in it or ends in '.py'")
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
            raise  # something that the module itself imports
        hint = "modules of the current folder are not looked for: name the file instead"
        raise ToolError(f"there is no module '{name}'", hint=hint) from None


def _offered(module: ModuleType) -> dict[str, Tool]:
    if hasattr(module, "TOOLS"):
        return _registered(module.TOOLS)
    tools: dict[str, Tool] = {}
    for name, thing in _candidates(module):
        # A name given in the decorator counts, else the name in the module: a lambda has no other.
        found = as_tool(thing, None if isinstance(thing, Tool) or hasattr(thing, MARK) else _public_name(thing, name))
        if found is not None and tools.setdefault(found.name, found).func is not found.func:
            raise ToolError(f"two tools are called '{found.name}'", hint="rename one of them")
    return tools


def _registered(registry: object) -> dict[str, Tool]:
    """The tools of `TOOLS`; ToolError, naming it and what it may hold, if that is something else."""
    if not isinstance(registry, dict | list | tuple) and as_tool(registry) is None:
        raise ToolError(f"TOOLS is a value of class '{type(registry).__name__}'", hint=f"it {TOOLS_HOLDS}")
    try:
        return as_tools(registry)
    except ToolError as error:
        raise ToolError(f"in TOOLS, {error.message}", hint=f"{error.hint}; TOOLS {TOOLS_HOLDS}") from None


def _candidates(module: ModuleType) -> Iterator[tuple[str, object]]:
    """What may be a tool, by its name in the module: what `__all__` lists, else what is defined there."""
    listed = getattr(module, "__all__", None)
    if isinstance(listed, list | tuple):
        for name in listed:
            thing = getattr(module, name, None) if isinstance(name, str) else None
            if callable(thing) or foreign_tool(thing) is not None or isinstance(thing, Tool):
                yield name, thing
        return
    for name, thing in vars(module).items():
        if not name.startswith("_") and _is_offered(thing, module):
            yield name, thing


def _is_offered(thing: object, module: ModuleType) -> bool:
    if isinstance(thing, Tool) or foreign_tool(thing) is not None:
        return True
    inner = getattr(thing, "__wrapped__", thing)  # behind lru_cache and its like
    return type(inner).__name__ == "function" and getattr(thing, "__module__", None) == module.__name__


def _public_name(thing: object, name: str) -> str | None:
    return None if foreign_tool(thing) is not None else name


def _single(module: ModuleType, name: str, place: str) -> dict[str, Tool]:
    """What one name stands for: an attribute of the module that is a tool or holds tools, else one of its tools."""
    if hasattr(module, name):
        thing = getattr(module, name)
        return as_tools({name: thing} if _is_plain_callable(thing) else thing)
    tools = _offered(module)
    if name in tools:
        return {name: tools[name]}
    meant = nearest(name, tools)
    guess = f"did you mean '{meant}'? " if meant else ""
    raise ToolError(f"'{place}' has no '{name}'", hint=f"{guess}there are: {', '.join(tools) or 'no tools'}")


def _is_plain_callable(thing: object) -> bool:
    return callable(thing) and not hasattr(thing, MARK) and foreign_tool(thing) is None
