"""One value of an action's input, made to fit a parameter's annotation without losing anything.

`"4"` fits int and becomes 4; `4.7` does not fit and is refused; what an annotation admits as it stands stays as it is.
Values are what JSON holds. Keys are never renamed and values never invented.
"""

from __future__ import annotations

import enum
import json
import re
import types
import typing

from reactcli.errors import ToolError
from reactcli.tools.results import shortened
from reactcli.tools.schema import DEPTH, EMPTY, bare, class_name, enum_spellings, record_fields
from reactcli.tools.textinput import Exact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

INTEGER = re.compile(r"\s*[+-]?[0-9]{1,4300}\s*")
"""4300 digits are what Python itself converts; `\\d` would also take the digits of other scripts."""

NUMBER = re.compile(r"\s*[+-]?(?:[0-9]{1,4300}(?:\.[0-9]{0,4300})?|\.[0-9]{1,4300})(?:[eE][+-]?[0-9]{1,4})?\s*")


class CoercionError(ToolError):
    """A value does not fit. The message begins with where it stands."""


def coerce(value: Any, annotation: Any, where: str) -> Any:
    """The value as the annotation wants it; CoercionError, naming `where` it stands, if that would lose something."""
    wanted = bare(annotation)
    if isinstance(value, Exact) and not wants_digits(wanted):
        value = float(value)
    if unchecked(wanted):
        return value
    origin = typing.get_origin(wanted) or wanted
    if origin is typing.Union or origin is types.UnionType:
        return _one_of(value, typing.get_args(wanted), where)
    if origin is typing.Literal:
        return _member(value, {choice: choice for choice in typing.get_args(wanted)}, wanted, where)
    if isinstance(origin, enum.EnumType):
        return _member(value, {member.value: member for member in origin}, wanted, where)  # type: ignore[var-annotated]
    reader = _READERS.get(class_name(origin))
    if reader is not None:
        return reader(value, wanted, where)
    return _object(value, origin, where)


def unchecked(annotation: Any) -> bool:
    """Whether an annotation says nothing: none, Any, object, a type variable, a name that was not resolved."""
    wanted = bare(annotation)
    return wanted in (EMPTY, typing.Any, object) or isinstance(wanted, typing.TypeVar | typing.ForwardRef | str)


def wants_digits(annotation: Any, depth: int = DEPTH) -> bool:
    """Whether an annotation has Decimal in it, for which 1.10 and 1.1 are two things."""
    wanted = bare(annotation)
    if class_name(typing.get_origin(wanted) or wanted) == "decimal.Decimal":
        return True
    members = list(typing.get_args(wanted))
    members += [hint for hint, _required in (record_fields(wanted) or {}).values()]
    return depth > 0 and any(wants_digits(member, depth - 1) for member in members)


def admits(annotation: Any, cls: type) -> bool:
    """Whether an annotation names a class, or something that is read from a value of it: str, list or dict."""
    wanted = bare(annotation)
    origin = typing.get_origin(wanted) or wanted
    if origin is typing.Union or origin is types.UnionType:
        return any(admits(member, cls) for member in typing.get_args(wanted))
    if cls is dict and (record_fields(origin) is not None or hasattr(origin, "model_validate")):
        return True
    return _READERS.get(class_name(origin)) in _MADE_FROM[cls]


def wish(annotation: Any) -> str:
    """What an annotation wants, in words that follow 'has to be'."""
    wanted = bare(annotation)
    origin = typing.get_origin(wanted) or wanted
    if origin is typing.Union or origin is types.UnionType:
        return " or ".join(wish(member) for member in typing.get_args(wanted))
    if origin is typing.Literal:
        return f"one of {', '.join(map(repr, typing.get_args(wanted)))}"
    if isinstance(origin, enum.EnumType):
        return f"one of {', '.join(map(repr, enum_spellings(origin)))}"
    return _WISHES.get(class_name(origin)) or ("an object" if admits(origin, dict) else f"a {_short_name(origin)}")


def _refuse(value: object, wanted: Any, where: str) -> CoercionError:
    return CoercionError(f"'{where}' has to be {wish(wanted)}, not {shown(value)}")


def shown(value: object) -> str:
    """A JSON value as it was written, cut short."""
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= 60 else shortened(text, 56).replace("\n", "")


def _one_of(value: Any, members: tuple[Any, ...], where: str) -> Any:
    """The member that changes the value least: one that takes it as it stands, else the first that takes it."""
    changed, refusals = [], {}
    for member in members:
        try:
            found = coerce(value, member, where)
        except CoercionError as error:
            refusals[member] = error
            continue
        if found is value or (type(found) is type(value) and repr(found) == repr(value)):
            return found
        changed.append(found)
    refusals.pop(type(None), None)
    if not changed and len(refusals) == 1:
        raise next(iter(refusals.values()))
    if not changed:
        raise CoercionError(f"'{where}' has to be {' or '.join(map(wish, members))}, not {shown(value)}")
    return changed[0]


def _member(value: Any, choices: dict[Any, Any], wanted: Any, where: str) -> Any:
    """A choice by its value, else by its text where only one has it (`"2"` for 2), else by an enum member's name."""
    same = [choice for key, choice in choices.items() if type(key) is type(value) and key == value]
    alike = [choice for key, choice in choices.items() if isinstance(value, str) and str(key) == value]
    named = [choice for choice in choices.values() if isinstance(choice, enum.Enum) and choice.name == value]
    for found in (same, alike, named):
        if len(found) == 1:
            return found[0]
    raise _refuse(value, wanted, where)


def _text(value: Any, wanted: Any, where: str) -> str:
    """A number was written for text: a whole one has one spelling and may pass, `1.10` would come out as `1.1`."""
    if isinstance(value, str):
        return value
    if type(value) is int:
        return str(value)
    raise _refuse(value, wanted, where)


def _octets(value: Any, wanted: Any, where: str) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    raise _refuse(value, wanted, where)


def _whole(value: Any, wanted: Any, where: str) -> int:
    if type(value) is int:
        return value
    if type(value) is float and value.is_integer() and abs(value) <= 2**53:
        return int(value)
    if isinstance(value, str) and INTEGER.fullmatch(value):
        return int(value)
    raise _refuse(value, wanted, where)


def _number(value: Any, wanted: Any, where: str) -> float:
    if type(value) is float:
        return value
    if isinstance(value, str) and NUMBER.fullmatch(value):
        found = float(value)
        if found - found == 0:  # neither too large nor not a number
            return found
    if type(value) is int and abs(value) < 2**1023 and int(float(value)) == value:
        return float(value)
    raise _refuse(value, wanted, where)


def _truth(value: Any, wanted: Any, where: str) -> bool:
    if isinstance(value, bool):
        return value
    if type(value) is int and value in (0, 1):
        return bool(value)
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    raise _refuse(value, wanted, where)


def _nothing(value: Any, wanted: Any, where: str) -> None:
    if value is not None:
        raise _refuse(value, wanted, where)


def _from_text(make: str) -> Callable[[Any, Any, str], Any]:
    """A reader that gives text to the class itself, or to its classmethod of this name."""

    def read(value: Any, wanted: Any, where: str) -> Any:
        if isinstance(value, str):
            try:
                return getattr(wanted, make)(value.strip()) if make else wanted(value)
            except (ValueError, ArithmeticError):
                pass
        raise _refuse(value, wanted, where)

    return read


def _decimal(value: Any, wanted: Any, where: str) -> Any:
    """A number has the digits that it was written with; a float that came without a text has its shortest spelling."""
    if isinstance(value, Exact) and not value.digits:
        raise CoercionError(f"'{where}' has to be a number in quotes: {shown(float(value))} may have lost digits")
    text = value.digits if isinstance(value, Exact) else value
    if type(text) in (int, float) or (isinstance(text, str) and NUMBER.fullmatch(text)):
        return wanted(str(text).strip())
    raise _refuse(value, wanted, where)


def _sequence(value: Any, wanted: Any, where: str) -> list[Any]:
    values = _decoded(value, list)
    if not isinstance(values, list):
        raise _refuse(value, wanted, where)
    member = next(iter(typing.get_args(wanted)), EMPTY)
    return [coerce(each, member, f"{where}[{index}]") for index, each in enumerate(values)]


def _tuple(value: Any, wanted: Any, where: str) -> tuple[Any, ...]:
    members = typing.get_args(wanted)
    if not members or members[-1] is Ellipsis:
        return tuple(_sequence(value, wanted, where))
    values = _decoded(value, list)
    if not isinstance(values, list) or len(values) != len(members):
        raise CoercionError(f"'{where}' has to be a list of {len(members)} values, not {shown(value)}")
    pairs = enumerate(zip(values, members, strict=True))
    return tuple(coerce(each, member, f"{where}[{index}]") for index, (each, member) in pairs)


def _set(value: Any, wanted: Any, where: str) -> set[Any] | frozenset[Any]:
    values = _sequence(value, wanted, where)
    origin = typing.get_origin(wanted) or wanted
    try:
        return frozenset(values) if origin is frozenset else set(values)
    except TypeError:
        raise CoercionError(f"'{where}' has to be a list of plain values, not {shown(value)}") from None


def _mapping(value: Any, wanted: Any, where: str) -> dict[Any, Any]:
    named = _decoded(value, dict)
    if not isinstance(named, dict):
        raise _refuse(value, wanted, where)
    key_type, value_type = typing.get_args(wanted) or (EMPTY, EMPTY)
    found: dict[Any, Any] = {}
    for key, each in named.items():
        place = f"{where}.{key}"
        made = coerce(key, key_type, place)
        if made in found:
            raise CoercionError(f"'{place}' is the same key as another one")
        found[made] = coerce(each, value_type, place)
    return found


def _object(value: Any, cls: Any, where: str) -> Any:
    """A TypedDict, dataclass, named tuple or pydantic model; any other class has to be there already."""
    fields = record_fields(cls)
    if fields is None and not hasattr(cls, "model_validate"):
        if isinstance(cls, type) and not isinstance(value, cls):
            raise _refuse(value, cls, where)
        return value
    named = _decoded(value, dict)
    if isinstance(named, list) and fields is not None and issubclass(cls, tuple) and len(named) <= len(fields):
        named = dict(zip(fields, named, strict=False))  # JSON has written a named tuple so
    if not isinstance(named, dict):
        raise _refuse(value, cls, where)
    if fields is None:
        return _model(named, cls, where)
    unknown = [key for key in named if key not in fields]
    missing = [name for name, (_hint, required) in fields.items() if required and name not in named]
    if unknown or missing:
        raise CoercionError(f"'{where}' {'has no' if unknown else 'needs'} '{(unknown or missing)[0]}'")
    made = {key: coerce(each, fields[key][0], f"{where}.{key}") for key, each in named.items()}
    try:
        return made if typing.is_typeddict(cls) else cls(**made)
    except (TypeError, ValueError) as error:  # __post_init__ has rules of its own
        raise CoercionError(f"'{where}' is refused: {shortened(str(error), 200)}") from None


def _model(named: dict[str, Any], cls: Any, where: str) -> Any:
    try:
        return cls.model_validate(named)
    except ValueError as error:  # what pydantic's ValidationError is
        raise CoercionError(f"'{where}' is refused: {shortened(str(error), 400)}") from None


def _decoded(value: Any, cls: type) -> Any:
    """A list or object that was encoded twice, as models do it, decoded; any other value as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            inner = json.loads(value)
        except (ValueError, RecursionError):
            return value
        return inner if isinstance(inner, cls) else value
    return value


def _short_name(cls: Any) -> str:
    return str(getattr(cls, "__qualname__", cls))


_SEQUENCES = ("Sequence", "MutableSequence", "Iterable", "Collection")
_MAPPINGS = ("Mapping", "MutableMapping")
_READERS: dict[str, Callable[[Any, Any, str], Any]] = {
    "builtins.str": _text,
    "builtins.bytes": _octets,
    "builtins.int": _whole,
    "builtins.float": _number,
    "builtins.bool": _truth,
    "builtins.NoneType": _nothing,
    "builtins.list": _sequence,
    "builtins.tuple": _tuple,
    "builtins.set": _set,
    "builtins.frozenset": _set,
    "builtins.dict": _mapping,
    "collections.abc.Set": _set,
    "collections.abc.MutableSet": _set,
    **{f"collections.abc.{name}": _sequence for name in _SEQUENCES},
    **{f"collections.abc.{name}": _mapping for name in _MAPPINGS},
    "datetime.datetime": _from_text("fromisoformat"),
    "datetime.date": _from_text("fromisoformat"),
    "datetime.time": _from_text("fromisoformat"),
    "decimal.Decimal": _decimal,
    "uuid.UUID": _from_text(""),
    "pathlib.Path": _from_text(""),
    "pathlib.PurePath": _from_text(""),
}

_MADE_FROM: dict[type, tuple[Any, ...]] = {str: (_text,), list: (_sequence, _tuple, _set), dict: (_mapping,)}

_WISHES = {
    "builtins.str": "text",
    "builtins.bytes": "text",
    "builtins.int": "a whole number",
    "builtins.float": "a number",
    "builtins.bool": "true or false",
    "builtins.NoneType": "null",
    "datetime.datetime": "a date and time like 2026-01-31T12:00:00",
    "datetime.date": "a date like 2026-01-31",
    "datetime.time": "a time like 12:00:00",
    "decimal.Decimal": "a number",
    "uuid.UUID": "a UUID",
    "pathlib.Path": "a path",
    "pathlib.PurePath": "a path",
    **{name: "a list" for name, reader in _READERS.items() if reader in (_sequence, _tuple, _set)},
    **{name: "an object" for name, reader in _READERS.items() if reader is _mapping},
}
