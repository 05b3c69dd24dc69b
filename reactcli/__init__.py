"""Parse, execute and replay ReAct agent transcripts."""

from __future__ import annotations

from reactcli.parser import ReActAgentParser
from reactcli.trace import Action, Step, Trace

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reactcli.engine import ReActEngine
    from reactcli.tools import Tool, tool

__all__ = ["Action", "ReActAgentParser", "ReActEngine", "Step", "Tool", "Trace", "__version__", "tool"]

_LATE = {"ReActEngine": "engine", "Tool": "tools", "tool": "tools"}
"""Public names that parsing does not need, and their modules: loaded when they are first used."""


def __getattr__(name: str) -> object:
    if name not in _LATE:
        raise AttributeError(f"module 'reactcli' has no attribute '{name}'")
    from importlib import import_module

    thing: object = getattr(import_module(f"reactcli.{_LATE[name]}"), name)
    globals()[name] = thing
    return thing
