"""One family of errors: what only a caller can decide. Odd text never raises; it yields diagnostics."""

from __future__ import annotations


class ReactcliError(Exception):
    """A message is one lower-case sentence; `hint` is the way out. Both may quote text that nobody has checked."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class FormatError(ReactcliError):
    """A file does not hold what was asked of it."""


class ToolError(ReactcliError):
    """Tools cannot be loaded, bound or run."""


class PluginError(ReactcliError):
    """An installed extension is broken."""


class UnknownNameError(ReactcliError, ValueError):
    """A name that a table does not have."""

    def __init__(self, kind: str, name: str, suggestion: str | None, names: tuple[str, ...]) -> None:
        meant = f"did you mean '{suggestion}'? " if suggestion else ""
        super().__init__(f"no {kind} is called '{name}'", hint=f"{meant}there are: {', '.join(names)}")
        self.kind = kind
        self.name = name
        self.suggestion = suggestion
        self.names = names
