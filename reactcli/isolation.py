"""Tools in processes of their own: a worker for each module, with limits, which nothing that a tool starts outlives.

A worker stays alive from call to call, so that tools can keep state, and is replaced after a time-out or a crash. This
contains tools that hang, crash, flood, fork or eat memory. It is no sandbox: a tool can do what the user can do.
"""

# ruff: noqa: PTH100, PTH109, PTH117, PTH120  # pathlib costs every call 6 ms

from __future__ import annotations

import json
import os
import signal
import sys
from fcntl import F_DUPFD_CLOEXEC, fcntl
from select import POLLIN, POLLOUT, poll
from time import monotonic

from reactcli.calls import STATUSES, Call, Outcome, failed, unknown_tool
from reactcli.channel import REQUESTS, RESULTS, Inbox, frame
from reactcli.errors import ToolError
from reactcli.loading import check_file
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Self

ENVIRONMENT = ("PATH", "HOME", "LANG", "TMPDIR", "TZ")
"""Variables that a tool sees, with LC_*: what programs need, and no credentials."""

PRINTED_LIMIT = 64 << 10
"""Bytes of what a tool prints that are kept for a call; the rest is read, so that it does not block, and counted."""

START = (
    "import sys; home = sys.argv.pop(1); home in sys.path or sys.path.append(home); "
    "from reactcli.worker import main; main()"
)
"""What the interpreter runs: told by -I to look nowhere but in its own folders, it has to be shown ours."""

GRACE = 0.25
"""Seconds that a worker told to end has for its exit handlers, and a killed one to vanish."""


class Limits(Value):
    """What tools may use; None is no limit."""

    seconds: float | None = 30.0
    """For loading a module, and for each call."""
    memory: int | None = 1 << 30
    """Bytes that a process may write to; it may reserve eight times as many."""
    environment: tuple[str, ...] = ()
    """Names of variables that tools see beyond `ENVIRONMENT`."""


class TooLateError(ToolError):
    """The time limit has passed."""


class EndedError(ToolError):
    """The worker has ended, or cannot be understood any more."""


class Toolbox:
    """The tools of several modules, each module in a worker of its own. Leaving the `with` block ends them all."""

    def __init__(self, specs: Iterable[str], limits: Limits | None = None) -> None:
        self._workers = [Worker(spec, limits) for spec in specs]
        self._owners: dict[str, Worker] = {}

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._owners)

    def start(self) -> None:
        """Load every module. ToolError if one cannot be loaded, or a name is given twice."""
        for worker in self._workers:
            worker.start()
            for name in worker.timeouts:
                if self._owners.setdefault(name, worker) is not worker:
                    specs = f"'{self._owners[name].spec}' and '{worker.spec}'"
                    raise ToolError(f"{specs} both have a tool '{name}'", hint="rename one of them")

    def call(self, call: Call, *, seconds: float | None = None) -> Outcome:
        """What became of a call; see `Worker.call`."""
        worker = self._owners.get(call.tool) if call.tool is not None else None
        return worker.call(call, seconds=seconds) if worker else unknown_tool(call.tool, self.names)

    def describe(self) -> list[dict[str, Any]]:
        """`name`, `description` and `parameters` (a JSON schema) of every tool, in order."""
        return [tool for worker in self._workers for tool in worker.describe()]

    def close(self) -> None:
        for worker in self._workers:
            worker.close()


class Worker:
    """The process of one module of tools. Not for two threads at once; it ends with the thread that started it."""

    def __init__(self, spec: str, limits: Limits | None = None) -> None:
        self.spec = spec
        self.limits = limits or Limits()
        self.timeouts: dict[str, float | None] = {}
        """The module's tools, each with the time limit that it sets itself."""
        self._printed = _Printed()
        self._process: _Process | None = None
        self._asked = 0

    def start(self) -> None:
        """Load the module, unless that was done. ToolError if it cannot be loaded, or not in time."""
        if self._process is not None:
            return
        check_file(self.spec)
        self._process = _Process(self.spec, self.limits, self._printed)
        try:
            loaded = self._answer(0, self.limits.seconds)
            if "tools" not in loaded:
                self.kill()
                raise ToolError(str(loaded.get("error")), hint=str(loaded.get("hint", "")))  # noqa: TRY301
        except TooLateError:
            raise ToolError(f"loading '{self.spec}' ran out of its time of {self.limits.seconds:g} s") from None
        except ToolError as error:
            raise ToolError(f"'{self.spec}' cannot be loaded: {error.message}", hint=error.hint) from None
        self.timeouts = loaded["tools"]

    def call(self, call: Call, *, seconds: float | None = None) -> Outcome:
        """What became of a call. `seconds` beats the tool's own limit, and that the worker's."""
        limit = seconds or self.timeouts.get(call.tool or "") or self.limits.seconds
        began = monotonic()
        try:
            self.start()
            began = monotonic()
            outcome = _checked(self._ask({"ask": "call", "call": call.fields(), "timeout": limit}, limit), call)
        except TooLateError:
            outcome = failed("timeout", call.tool, f"TimeoutError: '{call.tool}' ran out of its time of {limit:g} s")
        except ToolError as error:
            outcome = failed("tool_error", call.tool, f"'{call.tool}' gave no result: {error.message}")
        took = (monotonic() - began) * 1000
        return outcome.replace(printed=self._printed.take(), duration_ms=round(took, 3))

    def describe(self) -> list[dict[str, Any]]:
        self.start()
        described = self._ask({"ask": "describe"}, self.limits.seconds).get("tools")
        if not isinstance(described, list) or not all(isinstance(tool, dict) for tool in described):
            raise ToolError(f"'{self.spec}' did not describe its tools")
        return described

    def close(self) -> None:
        """Let the worker run its exit handlers, briefly, and end it with everything it started."""
        if self._process is not None:
            self._process.hang_up()
        self.kill()

    def kill(self) -> None:
        """End the worker, and everything it started, at once."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()

    def _ask(self, message: dict[str, Any], seconds: float | None) -> dict[str, Any]:
        self._asked += 1
        if self._process is not None:
            self._process.send({"id": self._asked, **message})
        return self._answer(self._asked, seconds)

    def _answer(self, number: int, seconds: float | None) -> dict[str, Any]:
        """The answer to a request. Whatever comes instead of it, Ctrl-C too, ends the worker."""
        try:
            return self._process.answer(number, seconds) if self._process else {}
        except BaseException:
            self.kill()
            raise


class _Printed:
    """What the tools of one worker print, up to a limit."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._left_out = 0

    def add(self, octets: bytes) -> None:
        room = PRINTED_LIMIT - len(self._kept)
        self._kept += octets[:room]
        self._left_out += max(0, len(octets) - room)

    def take(self) -> str:
        text = self._kept.decode("utf-8", "replace")
        if self._left_out:
            text += f"\n… {self._left_out} bytes omitted …\n"
        self._kept.clear()
        self._left_out = 0
        return text


class _Process:
    """A started worker: its pipes, and its keeper's process."""

    def __init__(self, spec: str, limits: Limits, printed: _Printed) -> None:
        self._printed = printed
        self._inbox = Inbox()
        self._pending = bytearray()
        self._pid, self._requests, self._results, self._output = _spawned(spec, limits)
        self._open = {self._requests, self._results, self._output}
        self._poll = poll()
        for descriptor in (self._results, self._output):
            self._poll.register(descriptor, POLLIN)

    def send(self, message: dict[str, Any]) -> None:
        self._pending += frame(message)
        self._poll.register(self._requests, POLLOUT)

    def answer(self, number: int, seconds: float | None) -> dict[str, Any]:
        """The message of this number. TooLateError, EndedError, or FrameError if there is no sense in it."""
        until = None if seconds is None else monotonic() + seconds
        while (message := self._inbox.take()) is None:
            if self._results not in self._open:
                raise EndedError(f"its process {self._death()}")
            left = 60.0 if until is None else until - monotonic()
            if left <= 0:
                raise TooLateError("the time is over")
            self._turn(left)
        if message.get("id") != number:
            raise EndedError("a message came that nobody asked for")
        self._read(self._output)  # what was printed before the answer is in the pipe by now
        return message

    def hang_up(self) -> None:
        """Close the requests, and wait a little for the process to end of itself."""
        self._close(self._requests)
        self._wait_for_end()

    def kill(self) -> None:
        if self._results in self._open:
            _signal(self._pid, signal.SIGTERM)  # the keeper ends all others first
            self._wait_for_end()
        if self._results in self._open:
            _signal(self._pid, signal.SIGKILL)
        self._death()
        for descriptor in tuple(self._open):
            self._close(descriptor)

    def _wait_for_end(self) -> None:
        until = monotonic() + GRACE
        while self._results in self._open and (left := until - monotonic()) > 0:
            self._turn(left)

    def _turn(self, seconds: float) -> None:
        """Wait until something can be read or written, and do so."""
        for descriptor, _event in self._poll.poll(int(min(seconds, 60.0) * 1000) + 1):
            if descriptor == self._requests:
                self._write()
            else:
                self._read(descriptor)

    def _read(self, descriptor: int) -> None:
        try:
            octets = os.read(descriptor, 1 << 20) if descriptor in self._open else None
        except BlockingIOError:
            return
        if octets:
            (self._inbox.feed if descriptor == self._results else self._printed.add)(octets)
        elif octets is not None:
            self._close(descriptor)

    def _write(self) -> None:
        try:
            del self._pending[: os.write(self._requests, self._pending)]
        except BlockingIOError:
            return
        except BrokenPipeError:  # it died first: the results say so
            self._pending.clear()
        if not self._pending:
            self._poll.unregister(self._requests)

    def _close(self, descriptor: int) -> None:
        if descriptor not in self._open:
            return
        self._open.remove(descriptor)
        if descriptor != self._requests or self._pending:
            self._poll.unregister(descriptor)
        os.close(descriptor)

    def _death(self) -> str:
        """How the keeper, and so the tools' process, ended. It has, or is just about to."""
        try:
            _pid, status = os.waitpid(self._pid, 0)
        except ChildProcessError:
            return "has ended"
        code = os.waitstatus_to_exitcode(status)
        if code >= 0:
            return f"ended with exit status {code}"
        return f"was killed by {_signal_name(-code)}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # real-time signals have none
        return f"signal {number}"


def _spawned(spec: str, limits: Limits) -> tuple[int, int, int, int]:
    """Process id, and our ends of the pipes for requests, results and what is printed."""
    if not sys.executable:
        raise ToolError("there is no Python interpreter to run tools with")
    requests, results, output = _pipe(), _pipe(), _pipe()
    theirs = (requests[0], results[1], output[1])
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
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


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _checked(answer: dict[str, Any], call: Call) -> Outcome:
    """The outcome in an answer. The tool could write to the pipe as well as the worker, so nothing is believed."""
    found = answer.get("outcome")
    texts = ("observation", "traceback")
    if (
        not isinstance(found, dict)
        or found.keys() != {"status", "tool", "arguments", "error", *texts}
        or found["status"] not in STATUSES
        or found["tool"] != call.tool
        or not all(isinstance(found[name], str) for name in texts)
        or not isinstance(found["error"], str | None)
        or not isinstance(found["arguments"], dict | None)
    ):
        raise EndedError("its answer is damaged")
    return Outcome(**found)
