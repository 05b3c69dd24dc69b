"""What people see: values to text and renderables. Nothing in this room prints; `cli/output.py` does.

`Safe` is the room's contract: text that the gate in `sanitise` has passed, or our own words. Only this can be written,
and the type checker sees to it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NewType

    Safe = NewType("Safe", str)
else:  # importing typing costs 10 ms
    Safe = str
