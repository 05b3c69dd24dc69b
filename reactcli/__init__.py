"""Parse, execute and replay ReAct agent transcripts."""

from __future__ import annotations

import sys

if sys.argv[:1] == ["-m"] and not sys.flags.safe_path and "reactcli" in sys.orig_argv:
    # `python -m reactcli` puts the current folder first on the path, where a json.py would be run by the imports below
    sys.path.pop(0)

from reactcli.parser import ReActAgentParser
from reactcli.trace import Action, Step, Trace

__version__ = "0.1.0"

__all__ = ["Action", "ReActAgentParser", "Step", "Trace", "__version__"]
