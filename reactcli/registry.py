"""A table from name to thing, with aliases and "did you mean"."""

from __future__ import annotations

from reactcli.errors import UnknownNameError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Generic, TypeVar

    Thing = TypeVar("Thing")
else:  # importing typing costs 10 ms
    Thing = None

    class Generic:
        def __class_getitem__(cls, _parameter: object) -> type:
            return cls


class Registry(Generic[Thing]):
    """Names and aliases are looked up without regard to case; iteration gives the things in the order of the table."""

    def __init__(self, kind: str, things: Iterable[tuple[str, Thing, tuple[str, ...]]]) -> None:
        self.kind = kind
        self._things: dict[str, Thing] = {}
        self._aliases: dict[str, str] = {}
        for name, thing, aliases in things:
            for key in (name, *aliases):
                if key.lower() in self._aliases:
                    raise ValueError(f"two {kind}s are called '{key}'")
                self._aliases[key.lower()] = name
            self._things[name] = thing

    def __iter__(self) -> Iterator[Thing]:
        return iter(self._things.values())

    def __len__(self) -> int:
        return len(self._things)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._things)

    def get(self, name: str) -> Thing:
        """The thing of a name or alias; UnknownNameError with the nearest name if there is none."""
        try:
            return self._things[self._aliases[name.lower()]]
        except KeyError:
            raise UnknownNameError(self.kind, name, nearest(name, self._aliases), self.names) from None


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The most similar of some names, or None if none is near; never the guess itself, which only a person may make."""
    from difflib import get_close_matches  # 5 ms, needed only to explain a mistake

    found = get_close_matches(name.lower(), {known.lower(): known for known in names}, n=1, cutoff=0.6)
    return next((known for known in names if known.lower() in found), None)
