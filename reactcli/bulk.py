"""Many traces counted: what one recording comes to, and what all of them come to together.

Nothing is held of a trace but its counts, so that memory is flat whatever the number and the length of files. What a
file does not say is None, never 0: tokens and seconds are counted only where they were recorded.
"""

from __future__ import annotations

from hashlib import blake2b

from reactcli.comparison import actions_of, meaning
from reactcli.diagnostics import Diagnostic
from reactcli.formats import Closing, Opening, Recorded
from reactcli.loops import Watch, is_error_text
from reactcli.trace import Action

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from reactcli.formats import Event
    from reactcli.trace import Step

REPAIRS = frozenset(
    {"python-literal", "single-quotes", "curly-quotes", "full-width-sign", "unescaped-quote"}
    | {"trailing-comma", "json-comment"}
    | {"raw-newline", "bad-backslash", "escaped-apostrophe", "missing-closer", "double-encoded", "input-fence"}
    | {"call-wrapper", "text-after-input", "not-finite", "lone-surrogate"}
)
"""Codes of what was set right in an input."""
FAILURES = frozenset(
    {"empty-input", "nothing-recognised", "no-action-or-answer", "input-without-action", "empty-action"}
    | {"blob-without-name", "unclosed-reasoning", "conflict", "several-actions"}
)
"""Codes of a reply that nothing can be done with."""
LOST = frozenset({"torn-record", "bad-record", "record-too-long", "not-a-record"})
"""Codes of records that were skipped."""
MOST_TOOLS = 10_000
"""Tools that are counted by name; further ones are counted together as `OTHERS`."""
OTHERS = "(others)"
MOST_REMEMBERED = 100_000
"""Calls of an episode among which repeats are looked for."""

_INPUT = ("prompt_tokens", "input_tokens", "total_prompt_tokens", "tokens_sent")
_OUTPUT = ("completion_tokens", "output_tokens", "total_completion_tokens", "tokens_received")
_USAGES = (("usage",), ("metrics",), ("usage_metadata",), ("response_metadata", "token_usage"))
_TOTALS = (("final_metrics",), ("info", "model_stats"), ("usage",))

COUNTS = ("episodes", "steps", "calls", "errors", "repairs", "repeats", "loops", "answers", "parse_failures", "lost")
MEASURES = ("input_tokens", "output_tokens", "seconds")


class Counts:
    """Sums over one recording, or over many."""

    def __init__(self) -> None:
        self.episodes = 0
        self.steps = 0
        self.calls = 0
        self.errors = 0
        """Calls whose observation is an error."""
        self.repairs = 0
        """Things set right in inputs."""
        self.repeats = 0
        """Calls that were made before in the same episode, with the same result."""
        self.loops = 0
        self.answers = 0
        """Episodes with a final answer."""
        self.parse_failures = 0
        """Replies that nothing could be done with."""
        self.lost = 0
        """Records that were skipped."""
        self.input_tokens: int | None = None
        self.output_tokens: int | None = None
        self.seconds: float | None = None
        self.tools: dict[str, list[int]] = {}
        """For each tool: calls and errors."""

    def add(self, other: Counts) -> None:
        for name in COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in MEASURES:
            setattr(self, name, _sum(getattr(self, name), getattr(other, name)))
        for tool, (calls, errors) in other.tools.items():
            self.count_tool(tool, calls, errors)

    def count_tool(self, tool: str, calls: int, errors: int) -> None:
        known = tool if tool in self.tools or len(self.tools) < MOST_TOOLS else OTHERS
        counted = self.tools.setdefault(known, [0, 0])
        counted[0] += calls
        counted[1] += errors

    def by_use(self) -> list[tuple[str, int, int]]:
        """Tool, calls and errors, the most used first."""
        rows = [(tool, calls, errors) for tool, (calls, errors) in self.tools.items()]
        return sorted(rows, key=lambda row: (-row[1], row[0]))


def count(events: Iterator[Event]) -> Counts:
    """The counts of one recording. What keeps it from being read to its end is raised, as reading it raises."""
    counter = _Counter()
    for event in events:
        counter.take(event)
    return counter.closed()


class _Counter:
    def __init__(self) -> None:
        self.counts = Counts()
        self._watch = Watch()
        self._known: set[bytes] = set()
        self._has_answer = False
        self._said: dict[str, Any] = {}
        """Totals that the file gives; used where its steps say nothing."""

    def take(self, event: Event) -> None:
        if isinstance(event, Recorded):
            self._take_step(event)
        elif isinstance(event, Opening):
            self.counts.episodes += 1
            self._known = set()
            self._has_answer = False
            self._take_totals(event.meta)
        elif isinstance(event, Closing):
            self.counts.answers += self._has_answer or event.final_answer is not None
            self._take_totals(event.meta)
        elif isinstance(event, Diagnostic):
            self._take_notes((event,))

    def closed(self) -> Counts:
        counts = self.counts
        counts.loops += len(self._watch.close())
        for name, value in self._said.items():
            if getattr(counts, name) is None:
                setattr(counts, name, value)
        return counts

    def _take_step(self, recorded: Recorded) -> None:
        counts, step, meta = self.counts, recorded.step, recorded.meta
        counts.steps += 1
        self._has_answer = step.final_answer is not None
        self._take_notes(step.diagnostics)
        counts.parse_failures += any(note.code in FAILURES for note in step.diagnostics) and not _is_understood(step)
        is_error = meta.get("is_error") is True
        for action in actions_of(step):
            self._take_call(action, is_error=is_error)
        self._watch.add(step, is_error=is_error)
        counts.loops += len(self._watch.ended())
        for name, value in (*_tokens(meta, _USAGES), ("seconds", _seconds(meta))):
            setattr(counts, name, _sum(getattr(counts, name), value))

    def _take_call(self, action: Action, *, is_error: bool) -> None:
        failed = is_error or action.is_error or is_error_text(action.observation or "")
        self.counts.calls += 1
        self.counts.errors += failed
        self.counts.count_tool(action.action or "", 1, int(failed))
        if action.observation is not None and len(self._known) < MOST_REMEMBERED:
            call = repr((action.action, meaning(action), meaning(Action(None, action.observation))))
            key = blake2b(call.encode(), digest_size=16).digest()
            self.counts.repeats += key in self._known
            self._known.add(key)

    def _take_notes(self, notes: tuple[Diagnostic, ...]) -> None:
        for note in notes:
            self.counts.repairs += note.code in REPAIRS
            self.counts.lost += note.code in LOST

    def _take_totals(self, meta: Mapping[str, Any]) -> None:
        for name, value in _tokens(meta, _TOTALS):
            self._said[name] = _sum(self._said.get(name), value)


def _is_understood(step: Step) -> bool:
    return step.is_final or bool(actions_of(step))


def _tokens(meta: Mapping[str, Any], places: tuple[tuple[str, ...], ...]) -> Iterator[tuple[str, Any]]:
    """Tokens of the first place that says any."""
    for place in places:
        usage: Any = meta
        for key in place:
            usage = usage.get(key) if isinstance(usage, dict) else None
        if isinstance(usage, dict):
            found = [("input_tokens", _number(usage, _INPUT)), ("output_tokens", _number(usage, _OUTPUT))]
            if any(value is not None for _, value in found):
                yield from ((name, None if value is None else int(value)) for name, value in found)
                return


def _seconds(meta: Mapping[str, Any]) -> float | None:
    milliseconds = _number(meta, ("duration_ms", "latency_ms"))
    return milliseconds / 1000 if milliseconds is not None else _number(meta, ("execution_time", "duration"))


def _number(record: Mapping[str, Any], keys: tuple[str, ...]) -> float | None:
    """The first of some fields that is a number as one can be counted: not negative, and no truth."""
    for key in keys:
        value = record.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15:
            return value
    return None


def _sum(one: Any, other: Any) -> Any:
    """None is unknown, and adds nothing."""
    return other if one is None else one if other is None else one + other
