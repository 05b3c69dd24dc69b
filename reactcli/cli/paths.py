"""Trace files named by a command line: files as they are named, and what lies in folders.

Of a folder, at any depth and in the order of the names, come the files whose names end as traces do; hidden ones, and
folders that are links, are left out. A file that is named itself is taken whatever its name.
"""

from __future__ import annotations

import os

from reactcli.cli.input import STDIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ENDINGS = (".json", ".jsonl", ".ndjson", ".txt", ".log", ".traj", ".md", ".trace")
"""Of names of traces, in a folder."""


def trace_paths(paths: Iterable[str]) -> Iterator[str]:
    """The files, one by one. A folder that cannot be listed, or holds no trace, comes as itself: reading it fails."""
    for path in paths:
        if path == STDIN or not os.path.isdir(path):  # noqa: PTH112  # pathlib costs 12 ms
            yield path
            continue
        is_empty = True
        for found in _inside(path):
            is_empty = False
            yield found
        if is_empty:
            yield path


def _inside(folder: str) -> Iterator[str]:
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.lower().endswith(ENDINGS) and not name.startswith("."):
                yield os.path.join(root, name)  # noqa: PTH118  # as above
