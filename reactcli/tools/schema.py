"""What a tool's parameters are: its signature with annotations resolved, and the JSON schema made of them.

Signatures that Python cannot read, and annotations that it cannot resolve, say nothing rather than raise: the tool is
somebody else's code, and a call may work all the same.
"""

from __future__ import annotations

import contextlib
import enum
import inspect
import types
import typing

from reactcli.tools.results import as_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from inspect import Parameter, Signature
    from typing import Any

    from reactcli.tools import Tool

EMPTY = inspect.Parameter.empty

DEPTH = 12
"""How deep a schema follows annotations; a class that mentions itself ends here."""

ANYTHING = inspect.Signature(
    [
        inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),
        inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD),
    ],
)
"""The signature of a callable that has none Python can read."""


def signature(tool: Tool) -> Signature:
    """The tool's signature, annotations resolved. A function that takes `**kwargs` only has that of `parameters`."""
    own = _own_signature(tool.func)
    named = any(parameter.kind not in _VARIABLE for parameter in own.parameters.values())
    parameters = _whole(tool.parameters or {}, tool)
    if named or not own.parameters or not parameters.get("properties"):
        return own
    return _signature_of_schema(parameters)


def parameters_schema(tool: Tool) -> dict[str, Any]:
    """The JSON schema of the tool's arguments: its own if it brought one, else made of signature and docstring."""
    if tool.parameters is not None:
        return _whole(tool.parameters, tool)
    about = described_parameters(tool)
    properties: dict[str, Any] = {}
    required = []
    extra: bool | dict[str, Any] = False
    for parameter in signature(tool).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            extra = type_schema(parameter.annotation) or True
            continue
        properties[parameter.name] = _property(parameter, about.get(parameter.name))
        if parameter.default is EMPTY and parameter.kind is not parameter.VAR_POSITIONAL:
            required.append(parameter.name)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": extra}


def described_parameters(tool: Tool) -> dict[str, str]:
    """What the docstring says about each parameter; Google, NumPy, reST and Epydoc spellings are read."""
    parsed = _parsed_docstring(tool.description)
    return {entry.arg_name: entry.description.strip() for entry in parsed.params if entry.description} if parsed else {}


def summary(tool: Tool) -> str:
    """The description without its sections on parameters and results, which a schema repeats."""
    parsed = _parsed_docstring(tool.description)
    if parsed is None:
        return tool.description
    parts = [part.strip() for part in (parsed.short_description, parsed.long_description) if part]
    return "\n\n".join(parts) or tool.description


def described(tool: Tool) -> dict[str, Any]:
    """What a tool is, as JSON holds it: name, description, parameters, and its returns and time limit if it says so."""
    parsed = _parsed_docstring(tool.description)
    returns = parsed.returns.description if parsed is not None and parsed.returns is not None else None
    about = {"name": tool.name, "description": summary(tool), "parameters": as_json(parameters_schema(tool))}
    about |= {"returns": returns.strip()} if returns else {}
    return about | ({"timeout": tool.timeout} if tool.timeout is not None else {})


def type_schema(annotation: object, depth: int = DEPTH) -> dict[str, Any]:
    """The JSON schema of what an annotation admits; an empty one, which admits everything, where nothing fits."""
    notes = [note for note in getattr(annotation, "__metadata__", ()) if isinstance(note, str)]
    wanted = bare(annotation)
    origin = typing.get_origin(wanted) or wanted
    if depth == 0:
        return {}
    found = _schema_of(origin, wanted, depth - 1)
    return {**found, "description": notes[0]} if notes else found


def bare(annotation: Any) -> Any:
    """An annotation without what only decorates it: Annotated, NewType, type aliases, Required, Final."""
    while True:
        if annotation is None:
            return type(None)
        if typing.get_origin(annotation) in _WRAPPERS:
            annotation = typing.get_args(annotation)[0]
        elif hasattr(annotation, "__supertype__"):
            annotation = annotation.__supertype__
        elif type(annotation).__name__ == "TypeAliasType":
            annotation = annotation.__value__
        else:
            return annotation


def class_name(cls: object) -> str:
    """`module.name`, by which the tables here know classes whose modules need not be loaded."""
    return f"{getattr(cls, '__module__', '')}.{getattr(cls, '__qualname__', '')}"


def enum_spellings(cls: Any) -> list[str]:
    """How the members of an enum are told to a model: by their values if those are text, else by their names."""
    members: list[enum.Enum] = list(cls)
    has_texts = all(isinstance(member.value, str) for member in members)
    return [str(member.value) if has_texts else member.name for member in members]


def record_fields(cls: Any) -> dict[str, tuple[Any, bool]] | None:
    """Name → (annotation, required) of a TypedDict, dataclass or named tuple; None for any other class."""
    if not isinstance(cls, type):
        return None
    hints = resolved_annotations(cls)
    if typing.is_typeddict(cls):
        return {name: (hint, _is_required(cls, name, hint)) for name, hint in hints.items()}
    if hasattr(cls, "__dataclass_fields__"):
        parameters = _own_signature(cls).parameters.values()
        return {each.name: (hints.get(each.name, EMPTY), each.default is EMPTY) for each in parameters}
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        defaults = getattr(cls, "_field_defaults", {})
        return {name: (hints.get(name, EMPTY), name not in defaults) for name in cls._fields}
    return None


def _is_required(cls: Any, name: str, hint: Any) -> bool:
    """As the hint says: Python overlooks Required and NotRequired in annotations that are kept as text."""
    marked = typing.get_origin(hint)
    if marked in (typing.Required, typing.NotRequired):
        return marked is typing.Required
    return name in cls.__required_keys__


def resolved_annotations(target: object) -> dict[str, Any]:
    """Annotations as types; those that cannot be resolved, one by one, are left out."""
    try:
        return typing.get_type_hints(target, include_extras=True)
    except Exception:  # noqa: BLE001  # names that exist for type checkers only, and whatever evaluating them raises
        return dict(_resolved_singly(target))


def _resolved_singly(target: object) -> Iterator[tuple[str, Any]]:
    scope = getattr(target, "__globals__", None) or vars(inspect.getmodule(target) or types)
    for name, annotation in getattr(target, "__annotations__", {}).items():
        alone = types.SimpleNamespace(__annotations__={name: annotation})
        with contextlib.suppress(Exception):  # as above
            yield name, typing.get_type_hints(alone, globalns=scope, include_extras=True)[name]


def _whole(parameters: Mapping[str, Any], tool: Tool) -> dict[str, Any]:
    """The schema itself, or that of an object if only its properties were given, as `{"query": {"type": "string"}}`."""
    is_bare = bool(parameters) and all(isinstance(value, dict) for value in parameters.values())
    if not is_bare or "properties" in parameters:
        return dict(parameters)
    own = _own_signature(tool.func).parameters
    required = [name for name in parameters if name in own and own[name].default is EMPTY]
    return {"type": "object", "properties": dict(parameters), "required": required}


def _own_signature(func: Callable[..., Any]) -> Signature:
    try:
        found = inspect.signature(func)
    except (TypeError, ValueError):
        return ANYTHING
    hints = resolved_annotations(_annotated(func))
    return found.replace(parameters=[_with_hint(each, hints) for each in found.parameters.values()])


def _with_hint(parameter: Parameter, hints: dict[str, Any]) -> Parameter:
    own = EMPTY if isinstance(parameter.annotation, str) else parameter.annotation
    return parameter.replace(annotation=hints.get(parameter.name, own))


def _annotated(func: Any) -> object:
    """What carries the annotations of a callable: behind wrappers, partials, and objects with `__call__`."""
    func = inspect.unwrap(getattr(func, "func", func) if type(func).__name__ == "partial" else func)
    if isinstance(func, type):
        return func.__init__  # type: ignore[misc]  # only its annotations are read
    return func if hasattr(func, "__annotations__") else getattr(type(func), "__call__", func)  # noqa: B004  # read, not asked


def _signature_of_schema(schema: Any) -> Signature:
    required = schema.get("required") or ()
    parameters = [
        inspect.Parameter(
            str(name),
            inspect.Parameter.KEYWORD_ONLY,
            default=EMPTY if name in required else None,
            annotation=_annotation_of(about),
        )
        for name, about in schema["properties"].items()
        if str(name).isidentifier()
    ]
    if schema.get("additionalProperties"):
        parameters.append(inspect.Parameter("extra", inspect.Parameter.VAR_KEYWORD))
    return inspect.Signature(parameters)


def _annotation_of(about: object) -> Any:
    """The annotation of a JSON schema's simple type. What else it demands is checked by the tool that brought it."""
    named = about.get("type") if isinstance(about, dict) else None
    return _TYPES.get(named, EMPTY) if isinstance(named, str) else EMPTY


def _property(parameter: Parameter, described: str | None) -> dict[str, Any]:
    found = type_schema(parameter.annotation)
    if parameter.kind is parameter.VAR_POSITIONAL:
        found = {"type": "array", "items": found}
    if described:
        found["description"] = described
    default = _spelt_default(parameter.default)
    if _is_plain(default):
        found["default"] = default
    return found


def _spelt_default(default: Any) -> object:
    """A default as a model would write it, where that is text."""
    if isinstance(default, enum.Enum):
        cls = type(default)
        return dict(zip(cls, enum_spellings(cls), strict=True)).get(default, default)
    return str(default) if class_name(type(default)) in _TEXTS else default


def _is_plain(default: object) -> bool:
    if isinstance(default, list | tuple):
        return all(map(_is_plain, default))
    if isinstance(default, dict):
        return all(isinstance(key, str) and _is_plain(value) for key, value in default.items())
    return default is None or type(default) in (str, int, bool) or (type(default) is float and default - default == 0)


def _schema_of(origin: Any, wanted: Any, depth: int) -> dict[str, Any]:
    members = typing.get_args(wanted)
    if origin is typing.Union or origin is types.UnionType:
        return {"anyOf": [type_schema(member, depth) for member in members]}
    if origin is typing.Literal:
        return _choice(members)
    fields = record_fields(origin)
    if fields is not None:
        return _record(fields, depth)
    if hasattr(origin, "model_json_schema"):
        return dict(origin.model_json_schema())
    if isinstance(origin, enum.EnumType):
        return _choice(enum_spellings(origin))
    return _plain_schema(origin, members, depth)


def _plain_schema(origin: Any, members: tuple[Any, ...], depth: int) -> dict[str, Any]:
    if origin is tuple and members and members[-1] is not Ellipsis:
        items = [type_schema(member, depth) for member in members]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    found = dict(_SCHEMAS.get(class_name(origin), {}))
    if found.get("type") == "array" and members:
        found["items"] = type_schema(members[0], depth)
    elif found.get("type") == "object" and len(members) == 2:
        found["additionalProperties"] = type_schema(members[1], depth)
    return found


def _choice(values: Any) -> dict[str, Any]:
    plain = [value for value in values if _is_plain(value)]
    names = {_NAMES.get(type(value)) for value in plain}
    named = names.pop() if len(names) == 1 else None
    return {"type": named, "enum": plain} if named else {"enum": plain}


def _record(fields: dict[str, tuple[Any, bool]], depth: int) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: type_schema(hint, depth) for name, (hint, _required) in fields.items()},
        "required": [name for name, (_hint, required) in fields.items() if required],
        "additionalProperties": False,
    }


def _parsed_docstring(text: str) -> Any:
    from docstring_parser import ParseError, parse  # 21 ms, only to describe a tool

    try:
        return parse(text)
    except ParseError:
        return None


_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)

_WRAPPERS = (typing.Annotated, typing.Required, typing.NotRequired, typing.Final, typing.ClassVar)

_TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list, "object": dict}

_NAMES = {str: "string", int: "integer", bool: "boolean", float: "number", type(None): "null"}

_SEQUENCES = ("Sequence", "Iterable", "Collection", "MutableSequence")
_SETS = ("set", "frozenset")
_SCHEMAS: dict[str, dict[str, Any]] = {
    **{class_name(cls): {"type": named} for cls, named in _NAMES.items()},
    "builtins.dict": {"type": "object"},
    "collections.abc.Mapping": {"type": "object"},
    "collections.abc.MutableMapping": {"type": "object"},
    "builtins.list": {"type": "array"},
    "builtins.tuple": {"type": "array"},
    **{f"collections.abc.{name}": {"type": "array"} for name in _SEQUENCES},
    **{f"builtins.{name}": {"type": "array", "uniqueItems": True} for name in _SETS},
    "collections.abc.Set": {"type": "array", "uniqueItems": True},
    "builtins.bytes": {"type": "string"},
    "datetime.datetime": {"type": "string", "format": "date-time"},
    "datetime.date": {"type": "string", "format": "date"},
    "datetime.time": {"type": "string", "format": "time"},
    "uuid.UUID": {"type": "string", "format": "uuid"},
    "pathlib.Path": {"type": "string"},
    "decimal.Decimal": {"type": "string"},
}
_TEXTS = frozenset(
    ("datetime.date", "datetime.time", "uuid.UUID", "pathlib.Path", "pathlib.PosixPath", "decimal.Decimal")
)
