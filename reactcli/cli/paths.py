"""Trace files named by a command line: files as they are named, and what lies in folders.

Of a folder, at any depth and in the order of the names, come the files whose names end as traces do; hidden ones, and
folders that are links, are left out. A file that is named itself is taken whatever its name.
"""

from __future__ import annotations

import os

from reactcli.cli.input import STDIN, InputError, display_name
from reactcli.render.sanitise import show_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ENDINGS = (".json", ".jsonl", ".ndjson", ".txt", ".log", ".traj", ".md", ".trace")
"""Of names of traces, in a folder."""
FOLDERS = f"In folders, files are read that end in {', '.join(ENDINGS)} and are not hidden."
"""What the help of a command says of them."""


def trace_paths(paths: Iterable[str]) -> Iterator[str]:
    """The files, one by one. A folder that cannot be listed, or holds no trace, comes as itself."""
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


def refuse_folder(path: str) -> None:
    """InputError if `trace_paths` gave a folder: there is nothing to read in it."""
    if path == STDIN or not os.path.isdir(path):  # noqa: PTH112  # as above
        return
    name = show_line(display_name(path))
    try:
        os.scandir(path).close()
    except OSError as error:
        raise InputError(f"cannot read '{name}': {(error.strerror or str(error)).lower()}") from None
    raise InputError(f"no traces in '{name}'; these endings are read: {', '.join(ENDINGS)}", hint="or name the files")


def _inside(folder: str) -> Iterator[str]:
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.lower().endswith(ENDINGS) and not name.startswith("."):
                yield os.path.join(root, name)  # noqa: PTH118  # as above
