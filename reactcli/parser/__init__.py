"""`ReActAgentParser`: from the text of a model to a step, from a transcript to a trace.

The parser opens no file, prints nothing and never raises on a text: what is odd becomes a diagnostic.
"""

from __future__ import annotations

from reactcli.dialects import AUTO, DIALECTS
from reactcli.errors import ReactcliError
from reactcli.parser.choices import ON_BOTH, PICK, Policy, choose, choose_whole
from reactcli.parser.plain import plain_step, whole_plain_step
from reactcli.parser.rounds import rounds_of
from reactcli.tokens import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from reactcli.parser.stream import StepStream
    from reactcli.trace import Step, Trace


class ReActAgentParser:
    """Reads what models write. `dialect` is a name or alias of `dialects.DIALECTS`, or `auto`.

    `on_both` says which is taken where a text has an action and a final answer: `final`, `action`, or `error` for
    neither. `pick` says which of several rounds is the step. `primed` takes text before the first label for the thought
    (the prompt ended in `Thought:`); `implicit_final` takes text without any label for the final answer.
    """

    def __init__(
        self,
        dialect: str = "auto",
        *,
        on_both: str = "final",
        pick: str = "first",
        primed: bool = False,
        implicit_final: bool = False,
    ) -> None:
        self.dialect = AUTO if dialect.lower() == "auto" else DIALECTS.get(dialect)
        self.policy = Policy(
            _one_of("on_both", on_both, ON_BOTH),
            _one_of("pick", pick, PICK),
            primed=primed,
            implicit_final=implicit_final,
        )

    def parse_step(self, llm_output: str) -> dict[str, Any]:
        """The keys thought, action, action_input, final_answer and is_final of one reply."""
        step = plain_step(llm_output) if self.dialect is AUTO else None
        if step is not None:
            return step
        found = cut(llm_output, self.dialect)
        return choose(found, rounds_of(found.pieces, found.notes), self.policy).contract()

    def execute_step(self, llm_output: str, tools: Mapping[str, Callable[[Any], Any]]) -> tuple[dict[str, Any], str]:
        """Run the action of one reply: the step, and `Observation: …` or the final answer.

        Raises `ValueError("Tool '…' not found")` for a tool that `tools` does not have; a tool's own exception passes.
        The tool is given the raw input. Binding, time limits and isolation are the business of `reactcli exec`.
        """
        step = self.parse_step(llm_output)
        if step["is_final"]:
            return step, step["final_answer"]
        action = step["action"]
        if action not in tools:
            raise ValueError(f"Tool '{action}' not found")
        return step, f"Observation: {tools[action](step['action_input'])}"

    def parse(self, text: str) -> Step:
        """Everything known about the one step that `parse_step` reports."""
        step = whole_plain_step(text) if self.dialect is AUTO else None
        if step is not None:
            return step
        from reactcli.parser.steps import step_of  # 2 ms, not needed for the five keys

        found = cut(text, self.dialect)
        rounds = rounds_of(found.pieces, found.notes)
        return step_of(choose(found, rounds, self.policy), rounds, self.policy)

    def parse_trace(self, text: str) -> Trace:
        """Every step of a transcript, in order; several episodes are told apart by `Step.episode`."""
        from reactcli.parser.steps import trace_of

        found = cut(text, self.dialect)
        rounds = rounds_of(found.pieces, found.notes)
        return trace_of(found, [choose_whole(found, one, self.policy) for one in rounds])

    def stream(self) -> StepStream:
        """A reader that is fed the text in pieces: `feed(chunk)` gives events, `close()` the step."""
        from reactcli.parser.stream import StepStream

        return StepStream(self)


def _one_of(name: str, value: str, values: tuple[str, ...]) -> str:
    if value not in values:
        raise ReactcliError(f"{name} cannot be '{value}'", hint=f"it is one of: {', '.join(values)}")
    return value
