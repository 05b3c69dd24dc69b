"""Regular expressions that are compiled when first used: compiling all of ours would cost every start 25 ms."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Pattern:
    """Becomes a compiled pattern at the first use; from then on its methods are attributes of the instance."""

    def __init__(self, source: str, flags: int) -> None:
        self.source = source
        self.flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        compiled = re.compile(self.source, self.flags)
        for method in ("match", "fullmatch", "search", "finditer", "findall", "split", "sub", "subn"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern that behaves as `re.compile(source, flags)`."""
    return _Pattern(source, flags)  # type: ignore[return-value]  # it is one, from the first use on
