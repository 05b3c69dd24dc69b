"""Starting a worker: its interpreter, its pipes, and what it may see of the environment and of our folders."""

# ruff: noqa: PTH100, PTH109, PTH117, PTH120  # pathlib costs every call 6 ms

from __future__ import annotations

import json
import os
import signal
import sys
from fcntl import F_DUPFD_CLOEXEC, fcntl

from reactcli.errors import ToolError
from reactcli.isolation.channel import REQUESTS, RESULTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reactcli.isolation import Limits

ENVIRONMENT = ("PATH", "HOME", "LANG", "TMPDIR", "TZ")
"""Variables that a tool sees, with LC_*: what programs need, and no credentials."""

START = (
    "import sys; home = sys.argv.pop(1); home in sys.path or sys.path.append(home); "
    "from reactcli.isolation.worker import main; main()"
)
"""What the interpreter runs: told by -I to look nowhere but in its own folders, it has to be shown ours."""


def spawned(spec: str, limits: Limits) -> tuple[int, int, int, int]:
    """Process id, and our ends of the pipes for requests, results and what is printed."""
    if not sys.executable:
        raise ToolError("there is no Python interpreter to run tools with")
    requests, results, output = _pipe(), _pipe(), _pipe()
    theirs = (requests[0], results[1], output[1])
    home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    settings = json.dumps({"owner": os.getpid(), "memory": limits.memory, "paths": _paths(), "spec": spec})
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, output[1], 1),
        (os.POSIX_SPAWN_DUP2, output[1], 2),
        (os.POSIX_SPAWN_DUP2, requests[0], REQUESTS),
        (os.POSIX_SPAWN_DUP2, results[1], RESULTS),
    ]
    try:
        pid = os.posix_spawn(
            sys.executable,
            [sys.executable, "-I", "-X", "utf8", "-c", START, home, settings],
            _environment(limits.environment),
            file_actions=actions,
            setsigmask=(),
            setsigdef=(signal.SIGINT, signal.SIGTERM, signal.SIGCHLD, signal.SIGPIPE, signal.SIGHUP),
        )
    except OSError as error:
        for descriptor in (requests[1], results[0], output[0]):
            os.close(descriptor)
        raise ToolError(f"no process can be started: {error.strerror}") from None
    finally:
        for descriptor in theirs:
            os.close(descriptor)
    for descriptor in (requests[1], results[0], output[0]):
        os.set_blocking(descriptor, False)
    return pid, requests[1], results[0], output[0]


def _pipe() -> tuple[int, int]:
    """A pipe whose ends are above the numbers that the worker uses: where 0 to 4 are closed, a pipe would get those."""
    low = os.pipe()
    try:
        return fcntl(low[0], F_DUPFD_CLOEXEC, 10), fcntl(low[1], F_DUPFD_CLOEXEC, 10)
    finally:
        for descriptor in low:
            os.close(descriptor)


def _environment(names: tuple[str, ...]) -> dict[str, str]:
    wanted = {*ENVIRONMENT, *names}
    kept = {name: text for name, text in os.environ.items() if name in wanted or name.startswith("LC_")}
    return {"TERM": "dumb", **kept}


def _paths() -> list[str]:
    """Where this process finds modules, but for the current folder: what lies there is not to be run by chance."""
    try:
        here = os.path.realpath(os.getcwd())
    except FileNotFoundError:
        here = ""
    return [path for path in sys.path if os.path.isabs(path) and os.path.realpath(path) != here]
