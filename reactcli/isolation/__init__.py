"""Tools in processes of their own: a worker for each module, with limits, which nothing that a tool starts outlives.

A worker stays alive from call to call, so that tools can keep state, and is replaced after a time-out or a crash. This
contains tools that hang, crash, flood, fork or eat memory. It is no sandbox: a tool can do what the user can do.
"""

from __future__ import annotations

import os
import signal
from select import POLLIN, POLLOUT, poll
from threading import Thread
from time import monotonic

from reactcli.errors import ToolError
from reactcli.isolation.channel import Inbox, frame
from reactcli.isolation.spawning import spawned
from reactcli.tools.calls import STATUSES, Call, Outcome, failed, unknown_tool
from reactcli.tools.loading import check_file
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Self

PRINTED_LIMIT = 64 << 10
"""Bytes of what a tool prints that are kept for a call; the rest is read, so that it does not block, and counted."""

GRACE = 0.25
"""Seconds that a worker told to end has for its exit handlers, and a killed one to vanish."""


class Limits(Value):
    """What tools may use; None is no limit."""

    seconds: float | None = 30.0
    """For loading a module, and for each call."""
    memory: int | None = 1 << 30
    """Bytes that a process may write to; it may reserve eight times as many."""
    environment: tuple[str, ...] = ()
    """Names of variables that tools see beyond `spawning.ENVIRONMENT`."""


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

    def call_all(self, calls: Sequence[Call], limits: Sequence[float]) -> list[Outcome]:
        """What became of several calls made side by side, in their order, each with its own limit."""
        shares: dict[Worker | None, list[int]] = {}
        for place, call in enumerate(calls):
            shares.setdefault(self._owners.get(call.tool or ""), []).append(place)
        outcomes = [unknown_tool(call.tool, self.names) for call in calls]

        def ask(worker: Worker, places: list[int]) -> None:
            found = worker.call_all([calls[place] for place in places], [limits[place] for place in places])
            for place, outcome in zip(places, found, strict=True):
                outcomes[place] = outcome

        asked = [(worker, places) for worker, places in shares.items() if worker is not None and worker.is_ready()]
        threads = [Thread(target=ask, args=share, daemon=True) for share in asked[1:]]
        for thread in threads:
            thread.start()
        for share in asked[:1]:
            ask(*share)
        for thread in threads:
            thread.join()
        return outcomes

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
            message = f"loading '{self.spec}' ran out of its time of {self.limits.seconds:g} s"
            raise ToolError(message, hint="loading a module may take as long as a call") from None
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
            answer = self._ask({"ask": "call", "call": call.fields(), "timeout": limit}, limit)
            outcome = _checked(answer.get("outcome"), call)
        except TooLateError:
            outcome = _too_late(call, limit)
        except ToolError as error:
            outcome = _without_result(call, error)
        took = (monotonic() - began) * 1000
        return outcome.replace(printed=self._printed.take(), duration_ms=round(took, 3))

    def call_all(self, calls: Sequence[Call], limits: Sequence[float]) -> list[Outcome]:
        """The same for calls side by side. If one runs out of its time, the worker is replaced behind the others."""
        if len(calls) == 1:
            return [self.call(calls[0], seconds=limits[0])]
        began = monotonic()
        request = {"ask": "calls", "calls": [call.fields() for call in calls], "limits": list(limits)}
        try:
            self.start()
            found = self._ask({**request, "timeout": max(limits)}, max(limits) + GRACE).get("outcomes")
            outcomes = _all_checked(found, calls, limits)
        except TooLateError:
            outcomes = [_too_late(call, limit) for call, limit in zip(calls, limits, strict=True)]
        except ToolError as error:
            outcomes = [_without_result(call, error) for call in calls]
        if any(outcome.status == "timeout" for outcome in outcomes):
            self.kill()
        took = round((monotonic() - began) * 1000, 3)
        outcomes[0] = outcomes[0].replace(printed=self._printed.take())
        return [outcome.replace(duration_ms=took) for outcome in outcomes]

    def is_ready(self) -> bool:
        """Start the worker if need be, in this thread, whose end it does not outlive; False if that fails."""
        try:
            self.start()
        except ToolError:
            return False
        return True

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
        self._pid, self._requests, self._results, self._output = spawned(spec, limits)
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


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _too_late(call: Call, limit: float | None) -> Outcome:
    return failed("timeout", call.tool, f"TimeoutError: '{call.tool}' ran out of its time of {limit:g} s")


def _without_result(call: Call, error: ToolError) -> Outcome:
    return failed("tool_error", call.tool, f"'{call.tool}' gave no result: {error.message}")


def _all_checked(found: Any, calls: Sequence[Call], limits: Sequence[float]) -> list[Outcome]:
    """The outcomes of calls that were made together; None stands for one that was not done in time."""
    if not isinstance(found, list) or len(found) != len(calls):
        raise EndedError("its answer is damaged")
    return [
        _too_late(call, limit) if one is None else _checked(one, call)
        for one, call, limit in zip(found, calls, limits, strict=True)
    ]


def _checked(found: Any, call: Call) -> Outcome:
    """The outcome in an answer. The tool could write to the pipe as well as the worker, so nothing is believed."""
    texts = ("observation", "traceback")
    if (
        not isinstance(found, dict)
        or found.keys() != {"status", "tool", "arguments", "error", "notes", *texts}
        or found["status"] not in STATUSES
        or found["tool"] != call.tool
        or not all(isinstance(found[name], str) for name in texts)
        or not isinstance(found["error"], str | None)
        or not isinstance(found["arguments"], dict | None)
        or not isinstance(found["notes"], list)
        or not all(isinstance(note, str) for note in found["notes"])
    ):
        raise EndedError("its answer is damaged")
    return Outcome(**{**found, "notes": tuple(found["notes"])})
