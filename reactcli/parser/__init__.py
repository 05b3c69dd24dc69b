"""`ReActAgentParser`: from the text of a model to a step, from a transcript to a trace.

The parser opens no file, prints nothing and never raises on a text: what is odd becomes a diagnostic. TypeError for
what is no text, such as the missing content of a chat message.
"""

from __future__ import annotations

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
        from reactcli.parser import reader  # 15 ms, twice what Python takes to start: for who parses, not who imports

        self._reader = reader
        self.dialect = reader.dialect_named(dialect)
        self.policy = reader.policy_of(on_both, pick, primed=primed, implicit_final=implicit_final)

    def __reduce__(self) -> tuple[Callable[..., ReActAgentParser], tuple[object, ...]]:
        policy = self.policy
        return _made_again, (self.dialect.name, policy.on_both, policy.pick, policy.primed, policy.implicit_final)

    def parse_step(self, llm_output: str) -> dict[str, Any]:
        """The keys thought, action, action_input, final_answer and is_final of one reply."""
        if not isinstance(llm_output, str):
            raise _no_text(llm_output)
        return self._reader.five_keys(llm_output, self.dialect, self.policy)

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
        if not isinstance(text, str):
            raise _no_text(text)
        return self._reader.whole_step(text, self.dialect, self.policy)

    def parse_trace(self, text: str) -> Trace:
        """Every step of a transcript, in order; several episodes are told apart by `Step.episode`."""
        if not isinstance(text, str):
            raise _no_text(text)
        return self._reader.whole_trace(text, self.dialect, self.policy)

    def stream(self) -> StepStream:
        """A reader that is fed the text in pieces: `feed(chunk)` gives events, `close()` the step."""
        from reactcli.parser.stream import StepStream  # 3 ms

        return StepStream(self)


def _made_again(dialect: str, on_both: str, pick: str, primed: bool, implicit_final: bool) -> ReActAgentParser:
    """For copies, and for other processes."""
    return ReActAgentParser(dialect, on_both=on_both, pick=pick, primed=primed, implicit_final=implicit_final)


def _no_text(given: object) -> TypeError:
    return TypeError(f"a reply is a str, and this is of type {type(given).__name__}")
