"""Parse, execute and replay ReAct agent transcripts."""

from __future__ import annotations

__version__ = "0.1.0"

from reactcli.parser import ReActAgentParser
from reactcli.trace import Action, Step, Trace

__all__ = ["Action", "ReActAgentParser", "Step", "Trace", "__version__"]
