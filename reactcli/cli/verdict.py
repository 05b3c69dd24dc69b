"""What the diagnostics of a run come to: lines on stderr, and an exit code.

Diagnostics are printed concisely, the first few of each text, or with their source lines; for JSON Lines they are in
the records already and only counted, unless -v asks for them.
"""

from __future__ import annotations

from reactcli.cli.shell import explain
from reactcli.render import Safe
from reactcli.render.console import concise, explained
from reactcli.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reactcli.cli.shell import Shell
    from reactcli.diagnostics import Diagnostic
    from reactcli.errors import ReactcliError

UNRECOGNISED = frozenset({"empty-input", "nothing-recognised"})
"""Codes that say that a text holds nothing that we know."""

LONGEST_LIST = 16
"""Concise lines for one text; the rest is counted."""


class Verdict:
    """Collects what was noticed, text by text."""

    def __init__(self, shell: Shell, *, is_strict: bool, is_explained: bool, is_counted: bool) -> None:
        self._shell = shell
        self._is_strict = is_strict
        self._is_explained = is_explained
        self._is_counted = is_counted and not shell.verbose
        self._texts = 0
        self._unrecognised = 0
        self._odd = 0
        self._unreadable = 0

    def add(self, name: str, text: str | None, diagnostics: tuple[Diagnostic, ...]) -> None:
        """What was noticed in one text; None if there was none to read."""
        self._texts += 1
        self._unrecognised += text is None or any(diagnostic.code in UNRECOGNISED for diagnostic in diagnostics)
        self._odd += any(diagnostic.severity != "info" for diagnostic in diagnostics)
        if diagnostics and not self._is_counted:
            self._print(diagnostics, Source(text or "", name))

    def add_unremarkable(self) -> None:
        """A text in which nothing was noticed."""
        self._texts += 1

    def add_unreadable(self, error: ReactcliError) -> None:
        """A file that cannot be read, where others can."""
        self._unreadable += 1
        explain(error.message, error.hint)

    def counts(self) -> tuple[int, int, int]:
        return self._texts, self._unrecognised, self._odd

    def add_counts(self, texts: int, unrecognised: int, odd: int) -> None:
        """Those of another verdict."""
        self._texts += texts
        self._unrecognised += unrecognised
        self._odd += odd

    def code(self) -> int:
        """The exit code, after a line that counts what only the records say."""
        if self._is_counted and (self._unrecognised or (self._is_strict and self._odd)):
            self._count()
        if self._unreadable:
            return 2
        return 1 if self._unrecognised or (self._is_strict and self._odd) else 0

    def _print(self, diagnostics: tuple[Diagnostic, ...], source: Source) -> None:
        if self._shell.quiet:
            return
        notes = self._shell.notes
        coloured = notes.is_coloured
        if self._is_explained:
            notes.say(explained(diagnostics, source, coloured=coloured, columns=notes.columns))
            return
        shown = diagnostics if self._shell.verbose else diagnostics[:LONGEST_LIST]
        self._shell.notes.say(concise(shown, source, coloured=coloured))
        if len(shown) < len(diagnostics):
            self._shell.note(Safe(f"… and {len(diagnostics) - len(shown)} more; -v shows them"))

    def _count(self) -> None:
        if not self._shell.quiet:
            odd = f", {self._odd} have errors or warnings" if self._is_strict else ""
            explain(f"of {self._texts} records, {self._unrecognised} hold nothing that was recognised{odd}", "")
