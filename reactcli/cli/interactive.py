"""`replay --interactive`: one step at a time, with keys, on any terminal.

Nothing is drawn over: each step is printed below the last one, so that it works on a terminal without cursor control
and leaves the walk in the scroll-back. Keys are read from the terminal even if the trace comes through stdin. However
the walk ends, by key, signal or error, the terminal is as it was.
"""

from __future__ import annotations

import os
import signal
import termios
import tty
from contextlib import contextmanager, suppress

from reactcli.cli.options import UsageError
from reactcli.cli.replay import DAMAGE, Findings
from reactcli.cli.selection import Numbered, Selection
from reactcli.formats import Opening
from reactcli.render import Safe
from reactcli.render.console import paint
from reactcli.render.sanitise import json_text, show, show_line
from reactcli.render.walk import LONGEST_VALUE, Look, heading, step_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reactcli.cli.shell import Shell
    from reactcli.cli.tracefile import TraceFile

HELP = """\
space, Enter, j, right   next step          b, k, left   back
g, Home                  first step         G, End       last step
:N                       step N             /TEXT        search; n finds the next
t                        thoughts on/off    o            the whole values
r                        what the model wrote, as recorded
?                        these keys         q            quit
"""
ESCAPES = {
    **dict.fromkeys(("[C", "[B", "OC", "OB"), "j"),
    **dict.fromkeys(("[D", "[A", "OD", "OA"), "k"),
    **dict.fromkeys(("[H", "OH", "[1~", "[7~"), "g"),
    **dict.fromkeys(("[F", "OF", "[4~", "[8~"), "G"),
}
"""What cursor keys send behind ESC."""
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
ESCAPE_WAIT = 0.05
"""Seconds within which the rest of a cursor key arrives; longer means that Esc was pressed."""
BACKSPACE = "\x7f\x08"


def walk(file: TraceFile, selection: Selection, shell: Shell) -> int:
    """Step through a trace until its reader has enough; the exit code is that of `replay`."""
    if not shell.out.is_terminal:
        raise UsageError("--interactive needs a terminal", hint="leave it away in a pipe")
    try:
        descriptor = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        raise UsageError("--interactive needs a terminal", hint="leave it away in a pipe") from None
    findings = Findings(shell, file.name, DAMAGE)
    steps = _Steps(selection.numbered(findings.watched(file.events())))
    try:
        with _keys(descriptor) as key:
            _Walk(steps, selection, shell, key).run()
    finally:
        os.close(descriptor)
    return findings.code()


class _Steps:
    """The steps of a trace, read as far as somebody has walked."""

    def __init__(self, events: Iterator[object]) -> None:
        self._events = events
        self._read: list[tuple[Numbered, Opening]] = []
        self._opening = Opening()

    def at(self, place: int) -> tuple[Numbered, Opening] | None:
        """The step at a place, from 0, and the opening of its episode; None behind the last."""
        while len(self._read) <= place and self._read_one():
            pass
        return self._read[place] if 0 <= place < len(self._read) else None

    def count(self) -> int:
        """How many there are: reads the rest."""
        while self._read_one():
            pass
        return len(self._read)

    def place_of(self, number: int) -> int | None:
        """Where step `number` stands, or the first behind it."""
        place = 0
        while (found := self.at(place)) is not None:
            if found[0].number >= number:
                return place
            place += 1
        return None

    def _read_one(self) -> bool:
        for event in self._events:
            if isinstance(event, Opening):
                self._opening = event
            elif isinstance(event, Numbered):
                self._read.append((event, self._opening))
                return True
        return False


class _Walk:
    def __init__(self, steps: _Steps, selection: Selection, shell: Shell, key: Callable[[], str]) -> None:
        self._steps = steps
        self._selection = selection
        self._shell = shell
        self._key = key
        self._place = 0
        self._thoughts = True
        self._sought = ""

    def run(self) -> None:
        if self._steps.at(0) is None:
            return
        self._show()
        while True:
            self._prompt()
            key = self._key()
            self._say("\n")
            if key in {"q", "\x04", ""}:
                return
            action = _ACTIONS.get(key)
            if action is None:
                self._say("no such key; ? lists them\n")
            else:
                action(self)

    def go(self, place: int) -> None:
        if self._steps.at(place) is None:
            self._say("this is the first step\n" if place < 0 else "this is the last step\n")
            return
        self._place = place
        self._show()

    def next(self) -> None:
        self.go(self._place + 1)

    def back(self) -> None:
        self.go(self._place - 1)

    def first(self) -> None:
        self.go(0)

    def last(self) -> None:
        self.go(self._steps.count() - 1)

    def jump(self) -> None:
        text = self._line(":")
        place = self._steps.place_of(int(text)) if text.isascii() and text.isdigit() and len(text) < 10 else None
        if place is None:
            self._say("there is no such step\n")
        else:
            self.go(place)

    def search(self) -> None:
        self._sought = self._line("/") or self._sought
        self.find()

    def find(self) -> None:
        """The next step, from the one behind this, that holds the text in any case of letters."""
        if not self._sought:
            self.next()
            return
        place = self._place + 1
        while (found := self._steps.at(place)) is not None:
            if self._sought.lower() in step_text(found[0].recorded.step, 0, found[0].recorded.meta, Look()).lower():
                self.go(place)
                return
            place += 1
        self._say(f"'{show_line(self._sought)}' is not found below\n")

    def thoughts(self) -> None:
        self._thoughts = not self._thoughts
        self._show()

    def whole(self) -> None:
        self._show(longest=None)

    def raw(self) -> None:
        found = self._steps.at(self._place)
        if found is not None:
            recorded = found[0].recorded
            written = recorded.meta.get("llm_output")
            text = written if isinstance(written, str) else json_text(recorded.step.contract(), 2)
            self._say(show(f"{text}\n"))

    def help(self) -> None:
        self._say(HELP)

    def _show(self, longest: int | None = LONGEST_VALUE) -> None:
        found = self._steps.at(self._place)
        if found is None:
            return
        numbered, opening = found
        look = Look(self._shell.out.is_coloured, longest)
        before = self._steps.at(self._place - 1) if self._place else None
        if before is None or before[1] is not opening:
            self._say(heading(opening.episode, opening.question, look, is_numbered=opening.episode > 1))
        step = self._selection.kept(numbered.recorded.step)
        if not self._thoughts:
            step = step.replace(thought="", reasoning="", plan="", reflection="")
        self._say(step_text(step, numbered.number, numbered.recorded.meta, look))

    def _prompt(self) -> None:
        found = self._steps.at(self._place)
        number = found[0].number if found is not None else 0
        self._say(paint(Safe(f"step {number} [? for keys]"), "frame", coloured=self._shell.out.is_coloured) + " ")

    def _line(self, prompt: str) -> str:
        """What is typed up to Enter; Esc gives nothing."""
        typed = ""
        self._say(prompt)
        while (key := self._key()) not in {"\r", "\n", ""}:
            if key == "\x1b":
                typed = ""
                break
            if key in BACKSPACE:
                self._say("\b \b" if typed else "")
                typed = typed[:-1]
            elif key.isprintable():
                typed += key
                self._say(show(key))
        self._say("\n")
        return typed

    def _say(self, text: str) -> None:
        """Our own words, and what has passed the gate."""
        self._shell.out.write(Safe(text))
        self._shell.out.flush()


_ACTIONS: dict[str, Callable[[_Walk], None]] = {
    **dict.fromkeys((" ", "\r", "\n", "j"), _Walk.next),
    **dict.fromkeys(("b", "k", *BACKSPACE), _Walk.back),
    "g": _Walk.first,
    "G": _Walk.last,
    ":": _Walk.jump,
    "/": _Walk.search,
    "n": _Walk.find,
    "t": _Walk.thoughts,
    "o": _Walk.whole,
    "r": _Walk.raw,
    "?": _Walk.help,
    "h": _Walk.help,
}


@contextmanager
def _keys(descriptor: int) -> Iterator[Callable[[], str]]:
    """A reader of single keys, while the terminal does not wait for lines."""
    before = termios.tcgetattr(descriptor)

    def restore() -> None:
        with suppress(termios.error, OSError):
            termios.tcsetattr(descriptor, termios.TCSANOW, before)

    def end(number: int, _frame: object) -> None:
        restore()
        os._exit(128 + number)

    def resume(_number: int, _frame: object) -> None:
        tty.setcbreak(descriptor)  # the shell gave us the terminal back as it likes it

    handlers = [(number, signal.signal(number, end)) for number in ENDING]
    handlers.append((signal.SIGCONT, signal.signal(signal.SIGCONT, resume)))
    try:
        tty.setcbreak(descriptor)
        yield lambda: _read_key(descriptor)
    finally:
        restore()
        for number, handler in handlers:
            signal.signal(number, handler)


def _read_key(descriptor: int) -> str:
    """One key; a cursor key by its letter; empty at the end of input."""
    first = os.read(descriptor, 1)
    if first == b"\x1b":
        rest = _waiting(descriptor)
        return ESCAPES.get(rest, "\x1b")
    length = 1 + (first >= b"\xc0") + (first >= b"\xe0") + (first >= b"\xf0")
    while 0 < len(first) < length and (more := os.read(descriptor, 1)):
        first += more
    return first.decode("utf-8", "replace")


def _waiting(descriptor: int) -> str:
    from select import select

    found = b""
    while len(found) < 8 and select([descriptor], [], [], ESCAPE_WAIT)[0]:
        found += os.read(descriptor, 1)
        if len(found) > 1 and found[-1:] not in b"0123456789;[":
            break
    return found.decode("ascii", "replace")
