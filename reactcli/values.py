"""Frozen values: what a dataclass gives, without what importing it costs (17 ms where Python itself starts in 12).

A subclass of `Value` lists its fields as annotations; a default stands after its field. Instances are slotted, cannot
be changed, compare by their fields (those named in `_uncompared` left out) and hash alike.
"""

from __future__ import annotations

TYPE_CHECKING = False  # the constant of `typing`, which type checkers know by name; importing it costs 10 ms
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, ClassVar, Self, dataclass_transform
else:

    def dataclass_transform(**_options: object) -> object:
        return lambda cls: cls


_set = object.__setattr__


class _FieldsToSlots(type):
    """Turns a class's annotations into slots before the class exists, and its defaults into a table."""

    _fields: tuple[str, ...]
    _names: frozenset[str]
    _required: frozenset[str]
    _defaults: dict[str, Any]

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> _FieldsToSlots:
        annotations = namespace.get("__annotations__", {})
        fields = tuple(field for field in annotations if not annotations[field].startswith("ClassVar"))
        namespace["_defaults"] = {field: namespace.pop(field) for field in fields if field in namespace}
        namespace["_fields"] = fields
        namespace["_names"] = frozenset(fields)
        namespace["_required"] = namespace["_names"] - namespace["_defaults"].keys()
        namespace["__slots__"] = fields
        namespace["__match_args__"] = fields
        return super().__new__(mcs, name, bases, namespace)


@dataclass_transform(frozen_default=True)
class Value(metaclass=_FieldsToSlots):
    _uncompared: ClassVar[tuple[str, ...]] = ()

    def __init__(self, *positional: Any, **named: Any) -> None:
        cls = type(self)
        if positional:
            if len(positional) > len(cls._fields) or not named.keys().isdisjoint(cls._fields[: len(positional)]):
                raise TypeError(f"{cls.__name__} got too many values, or two for one field")
            named |= zip(cls._fields, positional, strict=False)
        if not cls._required <= named.keys() <= cls._names:
            wrong = sorted(named.keys() - cls._names) or sorted(cls._required - named.keys())
            raise TypeError(f"{cls.__name__} has no such fields, or they are missing: {', '.join(wrong)}")
        for field, value in named.items():
            _set(self, field, value)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            """A default: not stored in each value, which makes most of them twice as cheap."""
            try:
                return type(self)._defaults[name]  # noqa: SLF001  # our own metaclass put it there
            except KeyError:
                raise AttributeError(f"a {type(self).__name__} has no '{name}'") from None

    def __setattr__(self, name: str, _value: object) -> None:
        raise AttributeError(f"'{name}' of a {type(self).__name__} cannot be changed; use replace()")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"'{name}' of a {type(self).__name__} cannot be deleted")

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        return type(self)(**{**dict(self._items()), **changes})

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, field) == getattr(other, field) for field in self._compared())

    def __hash__(self) -> int:
        return hash((type(self), *(_hashable(getattr(self, field)) for field in self._compared())))

    def __repr__(self) -> str:
        cls = type(self)
        shown = (
            f"{field}={value!r}"
            for field, value in self._items()
            if field not in cls._defaults or value != cls._defaults[field]
        )
        return f"{cls.__name__}({', '.join(shown)})"

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        return type(self), tuple(value for _, value in self._items())

    def _items(self) -> Iterator[tuple[str, Any]]:
        for field in type(self)._fields:
            yield field, getattr(self, field)

    def _compared(self) -> Iterator[str]:
        cls = type(self)
        return (field for field in cls._fields if field not in cls._uncompared)


def _hashable(value: Any) -> Any:
    """Dicts and lists (parsed arguments, meta) by their repr: equal values of one origin hash alike."""
    return repr(value) if isinstance(value, dict | list) else value
