"""Parse, execute and replay ReAct agent transcripts."""

from __future__ import annotations

__version__ = "0.1.0"
