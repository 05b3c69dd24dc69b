"""`reactcli replay --interactive` on a terminal of its own: keys, and the terminal's state however the walk ends."""

from __future__ import annotations

import os
import pty
import select
import signal
import sys
import termios
import time
from pathlib import Path

import pytest

PROGRAM = str(Path(sys.executable).with_name("reactcli"))
STEPS = "".join(
    f'{{"thought": "think {n}", "action": "tool{n}", "observation": "{"x" * 2000}end{n}"}}\n' for n in (1, 2, 3)
)
PROMPT = b"[? for keys]"
DEADLINE = 20


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, *argv, env=None):
        # the child is replaced at once, so that what this process had going does not matter
        self.pid, self.master = pty.fork()
        if self.pid == 0:  # pragma: no cover
            os.execve(argv[0], argv, {"PATH": os.environ["PATH"], "TERM": "dumb", **(env or {})})  # noqa: S606  # our own
        self.shown = b""

    def until(self, text, count=1):
        """What is shown up to the count-th time of a text."""
        end = time.monotonic() + DEADLINE
        start = len(self.shown)
        while self.shown.count(text, start) < count:
            assert time.monotonic() < end, self.shown[start:]
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    self.shown += os.read(self.master, 65536)
                except OSError:
                    break
        return self.shown[start:].decode().replace("\r\n", "\n")

    def press(self, keys):
        os.write(self.master, keys.encode())
        return self.until(PROMPT)

    def end(self):
        """The exit code, when the program has ended."""
        self.until(b"\0never\0")
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def modes(self):
        return termios.tcgetattr(self.master)[3] & (termios.ECHO | termios.ICANON)


@pytest.fixture
def walk(tmp_path):
    trace = tmp_path / "t"
    trace.write_text(STEPS)
    terminal = Terminal(PROGRAM, "replay", "--interactive", str(trace))
    terminal.before = terminal.modes()
    yield terminal
    try:
        os.kill(terminal.pid, signal.SIGKILL)
        os.waitpid(terminal.pid, 0)
    except (ProcessLookupError, ChildProcessError):
        pass
    os.close(terminal.master)


def finish(walk):
    os.write(walk.master, b"q")
    return walk.end()


def test_keys_walk_through_the_steps(walk):
    assert "Thought: think 1" in walk.until(PROMPT)
    assert "Thought: think 2" in walk.press(" ")
    assert "Thought: think 3" in walk.press("\x1b[C")
    assert "this is the last step" in walk.press("j")
    assert "Thought: think 2" in walk.press("b")
    assert "Thought: think 1" in walk.press("g")
    assert "this is the first step" in walk.press("\x1b[D")
    assert "Thought: think 3" in walk.press("G")
    assert finish(walk) == 0


def test_a_step_is_found_by_number_and_by_text(walk):
    walk.until(PROMPT)
    assert "Thought: think 3" in walk.press(":3\r")
    assert "there is no such step" in walk.press(":7\r")
    walk.press("g")
    assert "Thought: think 2" in walk.press("/THINK\r")
    assert "Thought: think 3" in walk.press("n")
    assert "'THINK' is not found below" in walk.press("n")
    assert "step 3" in walk.press("/abc\x1b")
    assert finish(walk) == 0


def test_thoughts_whole_values_raw_text_and_help_are_keys(walk):
    first = walk.until(PROMPT)
    assert "more characters; --full shows them" in first
    assert "end1" not in first
    assert "end1" in walk.press("o")
    assert "Thought:" not in walk.press("t")
    assert "Thought: think 1" in walk.press("t")
    assert '"thought": "think 1"' in walk.press("r")
    assert "these keys" in walk.press("?")
    assert "no such key" in walk.press("z")
    assert finish(walk) == 0


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGQUIT, 131)]
)
def test_a_signal_leaves_the_terminal_as_it_was(walk, number, code):
    walk.until(PROMPT)
    assert walk.modes() != walk.before
    os.kill(walk.pid, number)
    assert walk.end() == code
    assert walk.modes() == walk.before


def test_the_terminal_is_restored_after_the_walk(walk, tmp_path):
    script = tmp_path / "script"
    script.write_text(f"{PROGRAM} replay -i {tmp_path / 't'}; stty -a; kill -TERM $$\n")
    shell = Terminal("/bin/sh", str(script))
    shell.until(PROMPT)
    os.write(shell.master, b"q")
    modes = shell.until(b"echoke")
    assert " icanon" in modes
    assert " echo " in modes
    os.waitpid(shell.pid, 0)
    os.close(shell.master)
    walk.until(PROMPT)
    assert finish(walk) == 0


def test_keys_come_from_the_terminal_when_the_trace_comes_from_a_pipe(tmp_path):
    trace = tmp_path / "t"
    trace.write_text(STEPS)
    terminal = Terminal("/bin/sh", "-c", f"cat {trace} | {PROGRAM} replay -i -")
    assert "think 1" in terminal.until(PROMPT)
    assert "think 2" in terminal.press("j")
    os.write(terminal.master, b"q")
    assert terminal.end() == 0
    os.close(terminal.master)
