"""What the methods of `ReActAgentParser` do: cut the text, group the pieces, choose, and make values of it."""

from __future__ import annotations

from reactcli.dialects import AUTO, DIALECTS
from reactcli.errors import ReactcliError
from reactcli.parser.choices import ON_BOTH, PICK, Policy, choose, choose_whole
from reactcli.parser.plain import plain_step, whole_plain_step
from reactcli.parser.rounds import rounds_of
from reactcli.parser.steps import step_of, trace_of
from reactcli.tokens import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from reactcli.dialects import Dialect
    from reactcli.trace import Step, Trace


def dialect_named(name: str) -> Dialect:
    """The dialect of a name or alias; UnknownNameError if there is none."""
    return AUTO if name.lower() == "auto" else DIALECTS.get(name)


def policy_of(on_both: str, pick: str, *, primed: bool, implicit_final: bool) -> Policy:
    for name, value, values in (("on_both", on_both, ON_BOTH), ("pick", pick, PICK)):
        if value not in values:
            raise ReactcliError(f"{name} cannot be '{value}'", hint=f"it is one of: {', '.join(values)}")
    return Policy(on_both, pick, primed=primed, implicit_final=implicit_final)


def five_keys(text: str, dialect: Dialect, policy: Policy) -> dict[str, Any]:
    step = plain_step(text) if dialect is AUTO else None
    if step is not None:
        return step
    found = cut(text, dialect)
    return choose(found, rounds_of(found.pieces, found.notes), policy).contract()


def whole_step(text: str, dialect: Dialect, policy: Policy) -> Step:
    step = whole_plain_step(text) if dialect is AUTO else None
    if step is not None:
        return step
    found = cut(text, dialect)
    rounds = rounds_of(found.pieces, found.notes)
    return step_of(choose(found, rounds, policy), rounds, policy)


def whole_trace(text: str, dialect: Dialect, policy: Policy) -> Trace:
    found = cut(text, dialect)
    rounds = rounds_of(found.pieces, found.notes, is_transcript=True)
    return trace_of(found, [choose_whole(found, one, policy, leads=one is rounds[0]) for one in rounds])
