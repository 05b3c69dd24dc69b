"""The JSON documents of the command line, as plain dicts with their keys in order; `sanitise.json_text` writes them.

`reactcli/parse@1` is `full`. A key is null when there is nothing; only `episode` (where there are several) and
`parallel_actions` (of a parallel step) come and go in the lines of `--steps`.
"""

from __future__ import annotations

from reactcli.trace import Action, Step, Trace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from reactcli.diagnostics import Diagnostic
    from reactcli.source import Source

PARSE_SCHEMA = "reactcli/parse@1"

STEP_FIELDS = tuple(field for field in Step._fields if field not in {"diagnostics", "episode", "question"})
"""The fields of one step that a document shows and `--get` names: the five keys first."""


def step_objects(trace: Trace) -> Iterator[dict[str, Any]]:
    """One object per step, the final answer being a step of its own."""
    has_episodes = len({step.episode for step in trace.steps}) > 1
    for number, step in enumerate(trace.steps, 1):
        numbered = {"step": number, **step.contract(), "observation": step.observation}
        if has_episodes:
            numbered["episode"] = step.episode
        if step.parallel_actions:  # the keys hold the first only, and the others must not be lost
            numbered["parallel_actions"] = field_value(step, "parallel_actions")
        yield numbered


def full(step: Step, trace: Trace, diagnostics: Iterable[Diagnostic], source: Source) -> dict[str, Any]:
    """All that is known about one text; `step` and `trace` are its two readings."""
    return {
        "schema": PARSE_SCHEMA,
        **{field: field_value(step, field) for field in STEP_FIELDS},
        "steps": list(step_objects(trace)),
        "diagnostics": diagnostic_objects(diagnostics, source),
    }


def field_value(step: Step, field: str) -> Any:
    """The value of a step's field, as JSON has it."""
    if field == "spans":
        return {part: list(span) for part, span in step.spans.items()}
    if field == "parallel_actions":
        return [_action_object(action) for action in step.parallel_actions]
    if field == "shadowed":
        return [{**shadow.contract(), "observation": shadow.observation} for shadow in step.shadowed]
    return getattr(step, field)


def diagnostic_objects(diagnostics: Iterable[Diagnostic], source: Source) -> list[dict[str, Any]]:
    return [_diagnostic_object(diagnostic, source) for diagnostic in diagnostics]


def _diagnostic_object(diagnostic: Diagnostic, source: Source) -> dict[str, Any]:
    line, column = source.line_column(diagnostic.span[0])
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "span": list(diagnostic.span),
        "line": line,
        "column": column,
        "hint": diagnostic.hint,
    }


def _action_object(action: Action) -> dict[str, Any]:
    return {field: getattr(action, field) for field in Action._fields}
