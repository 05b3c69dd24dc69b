"""What `exec` says of a call: an observation or a document on stdout, the rest on stderr, a line for a scratchpad."""

from __future__ import annotations

import os

from reactcli.cli.options import UsageError
from reactcli.cli.output import OutputError
from reactcli.cli.shell import explain
from reactcli.dialects import DIALECTS
from reactcli.dialects.parts import Part
from reactcli.observations import EMPTY, escaped, observation_line
from reactcli.render import Safe
from reactcli.render.sanitise import show, show_line
from reactcli.tokens.labels import labels_of
from reactcli.tools.binding import written
from reactcli.tools.calls import Outcome
from reactcli.tools.results import shortened
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from reactcli.cli.shell import Shell
    from reactcli.parser import ReActAgentParser
    from reactcli.trace import Step

SCHEMA = "reactcli/exec@1"

CUE_LIMIT = 200
"""Bytes at the end of a file that are looked at for a label."""

END_LIMIT = 65536
"""Bytes at the end of a file in which its last step is looked for."""

PRINTED_SHOWN = 2000
"""Characters of what a tool prints that are shown; -v shows all that was kept."""

LONGEST_NAME = 40

WAYS_OUT = {
    "ran out of its time": "--timeout gives it more",
    "MemoryError": "--memory gives it more",
    "its input was cut off": "--allow-truncated runs it all the same",
}
"""By what an error says: the option that lifts the limit."""


class Manner(Value):
    """How outcomes are printed."""

    layout: str
    """`text`, `json` or `jsonl`."""
    is_dry: bool
    """Calls were bound and not made."""


class Report:
    """Prints what became of the calls of one step."""

    def __init__(self, shell: Shell, step: Step, parser: ReActAgentParser, manner: Manner) -> None:
        self._shell = shell
        self._step = step
        self._parser = parser
        self._manner = manner

    def final(self, scratchpad: Scratchpad | None) -> int:
        """Prints the final answer, and returns the exit code."""
        if scratchpad is not None:
            scratchpad.add_reply()
        if self._manner.layout == "text":
            self._write_text(f"Final Answer: {self._step.final_answer}")
        else:
            self._write_document(Outcome("final", None), None)
        return 0

    def add(self, outcome: Outcome, scratchpad: Scratchpad | None) -> int:
        """Prints an outcome, and returns its exit code. It is printed if it cannot be appended, too."""
        is_planned = self._manner.is_dry and outcome.status == "ok"
        observation = None if is_planned else outcome.observation
        line = "" if observation is None else observation_line(escaped(observation, self._parser))
        self._write_asides(outcome)
        try:
            if scratchpad is not None and line:
                scratchpad.add(line)
        finally:
            if self._manner.layout == "text":
                self._write_text(line or written(str(outcome.tool), outcome.arguments or {}))
            else:
                self._write_document(outcome, observation)
            self._shell.out.flush()
        return 0 if outcome.status == "ok" else 1

    def _write_document(self, outcome: Outcome, observation: str | None) -> None:
        document = {
            "schema": SCHEMA,
            "step": self._step.contract(),
            "status": outcome.status,
            "tool": outcome.tool,
            "arguments": outcome.arguments,
            "observation": observation,
            "error": outcome.error,
            "duration_ms": outcome.duration_ms,
        }
        document |= {"dry_run": True} if self._manner.is_dry else {}
        self._shell.write_json(document, None if self._manner.layout == "jsonl" else 2)
        self._shell.out.write(Safe("\n"))

    def _write_text(self, text: str) -> None:
        out = self._shell.out
        if out.is_terminal:
            out.write(show(f"{text}\n"))
        else:
            out.write_raw(f"{text}\n")

    def _write_asides(self, outcome: Outcome) -> None:
        tell_asides(self._shell, outcome)
        if outcome.error is not None:
            has_raised = outcome.status in {"tool_error", "timeout"}
            way_out = next((hint for words, hint in WAYS_OUT.items() if words in outcome.error), "")
            explain(f"tool '{outcome.tool}' failed: {outcome.error}" if has_raised else outcome.error, way_out)


def tell_asides(shell: Shell, outcome: Outcome) -> None:
    """Says on stderr what a tool printed, what was noticed when it was called and, with -v, where it failed."""
    name = show_line(str(outcome.tool), LONGEST_NAME)
    if outcome.printed and not shell.quiet:
        printed = outcome.printed if shell.verbose else shortened(outcome.printed, PRINTED_SHOWN)
        shell.notes.say(Safe("".join(f"{name} | {show(line)}\n" for line in printed.splitlines())))
    for note in () if shell.quiet else outcome.notes:
        shell.note(show_line(f"{outcome.tool}: {note}"))
    if outcome.traceback and shell.verbose:
        shell.notes.say(show(outcome.traceback))


class Scratchpad:
    """The file that observations are appended to. It is opened before the tool runs: if it cannot be, nothing runs."""

    def __init__(self, path: str, reply: Callable[[str, str], str] | None = None) -> None:
        """`reply` gives the text before the first observation, for a label that waits for it and the file's end."""
        self._path = path
        self._reply = reply
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
        except (OSError, ValueError) as error:
            raise UsageError(self._failure(error)) from None
        self._is_cued = reply is None and self._cue(Part.OBSERVATION) != ""

    def add_reply(self) -> None:
        """The reply that stands before the first observation."""
        end = self._tail(END_LIMIT).decode("utf-8", "replace")
        text = self._reply(self._cue(Part.THOUGHT), end) if self._reply is not None else ""
        if text:
            self._append(self._line_end() + text)
        self._reply = None

    def add(self, line: str) -> None:
        self.add_reply()
        if self._is_cued:
            self._append(line.partition(":")[2][self._tail(1).isspace() :])
        else:
            self._append(self._line_end() + line)
        self._is_cued = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        os.close(self._descriptor)

    def _append(self, text: str) -> None:
        content = f"{text}\n".encode("utf-8", "backslashreplace")
        try:
            while content:
                content = content[os.write(self._descriptor, content) :]
        except OSError as error:
            raise OutputError(self._failure(error)) from None

    def _line_end(self) -> str:
        """What the file lacks at its end for a new line to begin."""
        tail = self._tail(1)
        return "\n" if tail and tail != b"\n" else ""

    def _cue(self, part: Part) -> str:
        """The prompt's own label at the end of the file, with nothing behind it, which waits for this part."""
        text = self._tail(CUE_LIMIT).decode("utf-8", "replace")
        labels = labels_of(DIALECTS.get("classic"))
        line = text.rstrip().rpartition("\n")[2]
        label = labels.here.fullmatch(line)
        word = labels.word(label[2]) if label and not EMPTY.search(text) else None
        return line if word is not None and word.part is part else ""

    def _tail(self, length: int) -> bytes:
        try:
            size = os.lseek(self._descriptor, 0, os.SEEK_END)
            return os.pread(self._descriptor, length, max(0, size - length))
        except OSError:  # a pipe
            return b""

    def _failure(self, error: Exception) -> str:
        reason = getattr(error, "strerror", None) or str(error)
        return f"cannot append to '{show_line(self._path)}': {reason.lower()}"
