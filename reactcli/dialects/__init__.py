"""Dialects as data: how transcripts spell their parts. A new dialect is one entry of `table.TABLE` and touches nothing
else.

Two families share one reader. A *label* dialect opens a part with a word at the start of a line (`Thought:`); a *mark*
dialect opens it with a tag or token anywhere (`<tool_call>`), and may close it. The rules R1 to R18 and conflicts C1 to
C22 that the reader follows are the project's own reading of some forty public agent parsers.
"""

from __future__ import annotations

from reactcli.dialects.kinds import Dialect as Dialect  # part of the room's face
from reactcli.dialects.kinds import Mark as Mark  # likewise
from reactcli.dialects.table import TABLE
from reactcli.registry import Registry

AUTO = Dialect("auto", "the dialect that the text gives evidence of", "")
"""What is read when no dialect is named: all labels and spellings, and each guessable dialect's marks by evidence."""

DIALECTS = Registry("dialect", ((dialect.name, dialect, dialect.aliases) for dialect in TABLE))
