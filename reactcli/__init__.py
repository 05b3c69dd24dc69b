"""Parse, execute and replay ReAct agent transcripts.

A public name is loaded when it is first used: `reactcli --version` needs none of them, and `python -m reactcli` must
not import anything before `__main__` has taken the current folder off the path.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reactcli.parser import ReActAgentParser
    from reactcli.trace import Action, Step, Trace

__all__ = ["Action", "ReActAgentParser", "Step", "Trace", "__version__"]

_HOMES = {"Action": "trace", "ReActAgentParser": "parser", "Step": "trace", "Trace": "trace"}
"""The module of each public name."""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'reactcli' has no attribute '{name}'")
    from importlib import import_module

    thing = getattr(import_module(f"reactcli.{_HOMES[name]}"), name)
    globals()[name] = thing
    return thing
