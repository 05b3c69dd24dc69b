"""A tool is a described function: what counts as one, and how it comes to be called so.

A tool may be a plain function, a `Tool`, a `{"description": …, "function": …}` mapping, or an object of LangChain,
LlamaIndex, smolagents or llm, known by its shape: none of those packages is imported. Any other object is a tool if it
has a `name`, a `description`, and a method `run` or `__call__`, whose signature counts. Nothing here loads a file or
calls a tool, but for `Tool.execute`.
"""

from __future__ import annotations

from reactcli.errors import ToolError
from reactcli.tools.results import as_text, failure, settled
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar, overload

    Function = TypeVar("Function", bound=Callable[..., Any])
else:

    def overload(function: Any) -> Any:
        return function


MARK = "__reactcli_tool__"
"""The attribute that `tool` attaches to a function."""


_DESCRIBED = frozenset(("name", "description", "parameters", "timeout", "function"))


class Tool(Value):
    """What an action can name. `Tool.execute` is for programs that want text whatever happens."""

    name: str
    description: str
    func: Callable[..., Any]
    parameters: Mapping[str, Any] | None = None
    """A JSON schema of the arguments, or None: then the function's signature says it."""
    timeout: float | None = None
    """Seconds that a call may take, or None: the caller's limit."""

    def execute(self, **arguments: Any) -> str:
        """What the function returns, as text; a failure is `Error: <Type>: <message>` and never raises."""
        try:
            return as_text(settled(self.func(**arguments)))
        except Exception as error:  # noqa: BLE001  # a tool may raise anything
            return f"Error: {failure(error)}"


@overload
def tool(function: Function, /) -> Function: ...
@overload
def tool(  # noqa: F811  # overloads, whose decorator ruff cannot see
    *,
    name: str | None = None,
    description: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    timeout: float | None = None,
) -> Callable[[Function], Function]: ...
def tool(function: Any = None, /, **described: Any) -> Any:  # noqa: F811  # as above
    """Describe a function as a tool. It stays the function it was: only an attribute is attached."""
    unknown = described.keys() - (_DESCRIBED - {"function"})
    if unknown:
        raise TypeError(f"a tool has no {', '.join(sorted(unknown))}")

    def attach(func: Function) -> Function:
        setattr(func, MARK, described)
        return func

    return attach if function is None else attach(function)


def as_tools(source: object) -> dict[str, Tool]:
    """The tools of a mapping from name to tool, of a list of tools, or of one tool, in their order.

    ToolError if something is no tool or a name is given twice.
    """
    named: list[tuple[str | None, object]] = [(None, source)]
    if isinstance(source, dict) and not (source.keys() <= _DESCRIBED and callable(source.get("function"))):
        named = [(str(name), thing) for name, thing in source.items()]
    elif isinstance(source, list | tuple):
        named = [(None, thing) for thing in source]
    tools: dict[str, Tool] = {}
    for name, thing in named:
        found = as_tool(thing, name)
        if found is None:
            raise ToolError(f"{_called(thing, name)} is not a tool", hint=_way_out(thing))
        if found.name in tools:
            raise ToolError(f"two tools are called '{found.name}'", hint="rename one of them")
        tools[found.name] = found
    return tools


def as_tool(thing: object, name: str | None = None) -> Tool | None:
    """The tool that a thing is, or None. A name given here, as a mapping's key is, beats the thing's own."""
    found = thing if isinstance(thing, Tool) else foreign_tool(thing)
    if found is None and isinstance(thing, dict):
        found = _from_mapping(thing, name)
    elif found is None and callable(thing) and not isinstance(thing, type):
        found = _from_function(thing, name)
    if found is None or name in (None, found.name):
        return found
    return found.replace(name=name)


def foreign_tool(thing: object) -> Tool | None:
    """A tool object of another framework, as a `Tool`; None if it is none, as a proxy that has every name is."""
    if isinstance(thing, type):
        return None
    for names, read in _SHAPES:
        if all(_holds(thing, name) for name in names):
            found = read(thing)
            return found if isinstance(found.name, str) and found.name else None
    return None


def _from_mapping(described: dict[str, Any], name: str | None) -> Tool | None:
    function = described.get("function")
    if not callable(function):
        return None
    found = _from_function(function, name or described.get("name"))
    given = described.keys() & {"description", "parameters", "timeout"}
    return found.replace(**{key: described[key] for key in given})


def _from_function(function: Callable[..., Any], name: str | None) -> Tool:
    described = getattr(function, MARK, None)
    if not isinstance(described, dict):
        described = {}
    return Tool(
        name=name or described.get("name") or _function_name(function),
        description=described.get("description") or _docstring(function),
        func=function,
        parameters=described.get("parameters"),
        timeout=described.get("timeout"),
    )


def _function_name(function: object) -> str:
    inner = getattr(function, "func", function)  # functools.partial has no name of its own
    own = getattr(inner, "name", None)  # what an object that can be called says of itself
    return str(getattr(inner, "__name__", None) or (own if isinstance(own, str) and own else type(function).__name__))


def _docstring(function: Callable[..., Any]) -> str:
    if type(function).__name__ == "partial":  # its docstring is that of functools.partial
        function = getattr(function, "func", function)
    text = getattr(function, "__doc__", None)
    if not isinstance(text, str):
        return ""
    from inspect import cleandoc  # 20 ms, and binding needs the module anyway

    return cleandoc(text).strip()


def _way_out(thing: object) -> str:
    """What stands in the place of a tool, and what should."""
    if isinstance(thing, dict) and (thing.get("type") == "function" or "parameters" in thing):
        return "a definition for an API describes a tool and cannot be called: name the function itself"
    if isinstance(thing, dict):
        return "a described tool is {'description': …, 'function': …}, and its function can be called"
    if isinstance(thing, str):
        return f"'{thing[:100]}' is text: name the function itself, without quotes"
    if isinstance(thing, type):
        return "a class is none: make an object of it"
    return "a tool is a function, or an object with `name`, `description`, and `run` or `__call__`"


def _called(thing: object, name: str | None) -> str:
    return f"'{name}'" if name else f"a value of class '{type(thing).__name__}'"


def _holds(thing: object, name: str) -> bool:
    """Whether an object has an attribute, without asking it: mocks and lazy proxies say yes to everything."""
    try:
        own = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        own = {}
    return name in own or any(name in vars(cls) for cls in type(thing).__mro__)


def _langchain(thing: Any) -> Tool:
    """BaseTool of LangChain: `invoke` takes all arguments as one mapping and validates them itself."""
    asynchronous = getattr(thing, "func", None) is None and getattr(thing, "coroutine", None) is not None
    invoke = thing.ainvoke if asynchronous else thing.invoke
    schema: Any = getattr(thing, "args_schema", None)  # None for a tool of one text, whose `args` names it
    if schema is not None:
        schema = getattr(thing, "tool_call_schema", schema)  # without what the framework itself hands in
    if hasattr(schema, "model_json_schema"):
        parameters = schema.model_json_schema()
    elif isinstance(schema, dict):
        parameters = schema
    else:
        parameters = {"type": "object", "properties": dict(thing.args)}
    return Tool(thing.name, str(thing.description), lambda **arguments: invoke(arguments), parameters)


def _llamaindex(thing: Any) -> Tool:
    """FunctionTool of LlamaIndex: `call` returns a ToolOutput, whose text is what it says of itself."""
    about = thing.metadata
    parameters = about.get_parameters_dict()

    def call(**arguments: Any) -> str:
        output = thing.call(**arguments)
        if getattr(output, "is_error", False):
            raise ToolError(str(output))
        return str(output)

    return Tool(about.name, str(about.description), call, parameters)


def _smolagents(thing: Any) -> Tool:
    """Tool of smolagents: `inputs` maps each argument to its type, description and whether it may be left out."""
    required = [name for name, about in thing.inputs.items() if not about.get("nullable")]
    properties = {
        name: {key: about[key] for key in ("type", "description") if about.get(key) not in (None, "any")}
        for name, about in thing.inputs.items()
    }
    parameters = {"type": "object", "properties": properties, "required": required}
    return Tool(thing.name, str(thing.description), thing, parameters)


def _llm(thing: Any) -> Tool:
    """Tool of the llm command: a dataclass around the function that implements it."""
    return Tool(thing.name, thing.description or "", thing.implementation, thing.input_schema or None)


def _runnable(thing: Any) -> Tool:
    """An object of the user's own with a method `run`, whose signature tells the parameters."""
    return Tool(thing.name, str(thing.description or _docstring(thing.run)), thing.run)


def _called_itself(thing: Any) -> Tool:
    """An object of the user's own that can be called."""
    return Tool(thing.name, str(thing.description or _docstring(type(thing).__call__)), thing)


_SHAPES: tuple[tuple[tuple[str, ...], Callable[[Any], Tool]], ...] = (
    (("implementation", "input_schema", "name"), _llm),
    (("inputs", "forward", "name"), _smolagents),
    (("metadata", "call", "acall"), _llamaindex),
    (("invoke", "name", "description", "args"), _langchain),
    (("run", "name", "description"), _runnable),
    (("__call__", "name", "description"), _called_itself),
)
"""The attributes that tell each framework's tools apart, as of langchain-core 1, llama-index-core 0.14, smolagents 1.24
and llm 0.27."""
