"""The tools' own process: started by the room around it, one for each module of tools.

It is two processes. The *keeper* starts first and never runs a tool: it adopts every process that a tool leaves behind,
ends them all when the tools' process ends or its owner asks or dies, and dies as the tools' process died. The tools'
process, forked from it, loads the module and answers calls until its owner hangs up.

Nothing here may rely on the current folder or the environment: what a worker is to do, its owner says.
"""

# ruff: noqa: PTH123, PTH208  # pathlib costs every call 6 ms

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import sys
from functools import partial

from reactcli.errors import ToolError
from reactcli.isolation.channel import REQUESTS, RESULTS, Inbox, frame
from reactcli.tools.calls import Call, LocalTools, raised

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence
    from typing import Any, NoReturn

    from reactcli.tools.calls import Outcome

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 36, 38

FILE_LIMIT = 1 << 30
"""Bytes of the largest file a tool may write: more is a mistake, and fills the disk."""

ADDRESS_SPACE = 8
"""How much more address space than memory: threads and libraries reserve what they never touch."""


def main() -> None:
    os.setsid()  # Ctrl-C on the terminal is the owner's business
    os.closerange(RESULTS + 1, 1 << 20)  # whatever the owner's own parent had left open
    settings = json.loads(sys.argv.pop())
    wanted = {signal.SIGCHLD, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
    _control(PR_SET_PDEATHSIG, signal.SIGTERM)
    _control(PR_SET_CHILD_SUBREAPER, 1)
    _control(PR_SET_NO_NEW_PRIVS, 1)
    if os.getppid() != settings["owner"]:
        os._exit(1)  # the owner died before it could be watched
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    keeper = os.getpid()
    child = os.fork()
    if child:
        os.close(REQUESTS)  # the keeper has RESULTS open to its end, which tells the owner of it
        _keep(child, wanted)
    os.setsid()  # a tool that kills its process group must not kill the keeper
    _control(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != keeper:
        os._exit(1)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, wanted)
    _limit(settings["memory"])
    sys.path += [path for path in settings["paths"] if path not in sys.path]  # last, so that they shadow nothing
    _serve(settings["spec"])


def _control(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _keep(child: int, wanted: set[signal.Signals]) -> NoReturn:
    """Wait for the end of the tools' process, then end all others and die alike."""
    status = None
    while status is None:
        if signal.sigwait(wanted) == signal.SIGTERM:
            break
        status = _reaped().get(child)
    _end_all(child)
    if status is None:
        os._exit(0)
    if os.WIFSIGNALED(status):
        killer = os.WTERMSIG(status)
        if killer not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(killer, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {killer})
        os.kill(os.getpid(), killer)
    os._exit(os.WEXITSTATUS(status))


def _reaped() -> dict[int, int]:
    """The status of every process that has ended."""
    ended: dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        ended[pid] = status


def _end_all(child: int) -> None:
    """Kill until none is left. What a killed process leaves behind becomes ours in turn, so this ends."""
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            return
        for pid in _children() or (child,):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> list[int]:
    """Processes whose parent is this one, from /proc; none where there is no /proc."""
    me = str(os.getpid())
    try:
        names = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
    return [int(name) for name in names if _parent(name) == me]


def _parent(pid: str) -> str:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[1]  # the name before it may hold blanks and brackets
    except (OSError, IndexError):
        return ""


def _limit(memory: int | None) -> None:
    """Memory that is written to, address space, and the size of files. Lower limits that stand already remain."""
    wanted = [(resource.RLIMIT_FSIZE, FILE_LIMIT)]
    if memory:
        wanted += [(resource.RLIMIT_DATA, memory), (resource.RLIMIT_AS, memory * ADDRESS_SPACE)]
    for which, most in wanted:
        hard = resource.getrlimit(which)[1]
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(which, (allowed, allowed))


def _limit_processor_time(seconds: float | None) -> None:
    """The backstop to the owner's clock: what every processor together could spend in the time of a call, and some."""
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    if seconds is None:
        resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))
        return
    used = sum(os.times()[:2])
    most = int(used + (seconds + 2) * (os.cpu_count() or 1)) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _serve(spec: str) -> None:
    owner = os.getpid()
    os.set_inheritable(REQUESTS, False)
    os.set_inheritable(RESULTS, False)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # what was printed before a crash is seen
    write, getpid = os.write, os.getpid  # bound before a tool can replace them

    def send(message: dict[str, Any]) -> None:
        if getpid() != owner:
            os._exit(0)  # a tool forked and let both return: the first process answers, this is the other
        _flush()
        octets = memoryview(frame(message))
        while octets:
            octets = octets[write(RESULTS, octets) :]

    event_loop = _EventLoop()
    try:
        tools = LocalTools(_loaded(spec))
        tools.wait = event_loop.wait
    except ToolError as error:
        send({"id": 0, "error": error.message, "hint": error.hint, "traceback": ""})
        return
    except BaseException as error:  # noqa: BLE001  # a module may raise anything, SystemExit too
        told = raised(None, error)
        send({"id": 0, "error": told.error, "hint": "; ".join(told.notes), "traceback": told.traceback})
        return
    send({"id": 0, "tools": {name: tool.timeout for name, tool in tools.tools.items()}})
    for request in _requests():
        send({"id": request["id"], **_answer(tools, event_loop, request)})


def _loaded(spec: str) -> dict[str, Any]:
    from reactcli.tools.binding import bind  # noqa: F401  # loaded while modules of ours may still be cached
    from reactcli.tools.loading import load

    sys.dont_write_bytecode = True  # no files beside the user's
    return load(spec)


class _EventLoop:
    """One event loop for all calls, made when first needed: what a tool keeps open in it stays usable."""

    def __init__(self) -> None:
        self._runner: Any = None

    def wait(self, result: Awaitable[object]) -> object:
        return self._running().run(_finished(result))

    def side_by_side(self, tools: LocalTools, jobs: Sequence[Callable[[], Any]], limits: list[float]) -> list[Any]:
        """What each job returns, run in a thread of its own while the loop waits; None for one that takes too long."""
        return list(self._running().run(_gathered(tools, jobs, limits)))

    def _running(self) -> Any:
        if self._runner is None:
            import asyncio  # 48 ms, only for coroutines and calls side by side

            self._runner = asyncio.Runner()
        return self._runner


async def _finished(result: Awaitable[object]) -> object:
    return await result


async def _gathered(tools: LocalTools, jobs: Sequence[Callable[[], Any]], limits: list[float]) -> list[Any]:
    import asyncio
    from concurrent.futures import ThreadPoolExecutor  # with asyncio 50 ms

    loop = asyncio.get_running_loop()
    before = tools.wait
    tools.wait = lambda result: asyncio.run_coroutine_threadsafe(_finished(result), loop).result()
    pool = ThreadPoolExecutor(len(jobs))
    try:
        futures = [loop.run_in_executor(pool, job) for job in jobs]
        waiting = [asyncio.wait_for(future, limit) for future, limit in zip(futures, limits, strict=True)]
        done = await asyncio.gather(*waiting, return_exceptions=True)
    finally:
        tools.wait = before
        pool.shutdown(wait=False)
    return [None if isinstance(one, TimeoutError) else one for one in done]


def _requests() -> Iterator[dict[str, Any]]:
    inbox = Inbox()
    read = os.read
    while octets := read(REQUESTS, 1 << 16):
        inbox.feed(octets)
        while (request := inbox.take()) is not None:
            yield request


def _answer(tools: LocalTools, event_loop: _EventLoop, request: dict[str, Any]) -> dict[str, Any]:
    if request["ask"] == "describe":
        return {"tools": tools.describe()}
    _limit_processor_time(request["timeout"])
    if request["ask"] == "call":
        return {"outcome": _outcome(tools, request["call"])}
    jobs = [partial(_outcome, tools, fields) for fields in request["calls"]]
    return {"outcomes": event_loop.side_by_side(tools, jobs, request["limits"])}


def _outcome(tools: LocalTools, fields: dict[str, Any]) -> dict[str, Any]:
    call = Call(**fields)
    try:
        outcome = tools.call(call)
    except BaseException as error:  # noqa: BLE001  # a tool may raise SystemExit or KeyboardInterrupt
        outcome = raised(call.tool, error)
    return _fields(outcome)


def _fields(outcome: Outcome) -> dict[str, Any]:
    names = ("status", "tool", "arguments", "observation", "error", "traceback", "notes")
    return {name: getattr(outcome, name) for name in names}


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # a tool may have closed or replaced it
            stream.flush()
