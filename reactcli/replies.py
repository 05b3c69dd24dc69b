"""How a model's reply stands in a scratchpad, so that reading it again gives the step that was read at first.

Text without a label belongs to what stands before it: behind an observation a model's prose, or a call that it spelt in
a tag or as bare JSON, would be taken for what the tool said. Such a reply gets `Thought:` before its prose or, where
that does not do, the labels of its parts. A reply that is read as it is stays as it is.
"""

from __future__ import annotations

from reactcli.formats.react_text import write
from reactcli.trace import Step, Trace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reactcli.parser import ReActAgentParser

_BEFORE = "Thought: t\nAction: a\nAction Input: i\nObservation: o"
THOUGHT = "Thought:"


def readable(reply: str, step: Step, parser: ReActAgentParser, cue: str = "") -> str:
    """The reply as it can stand behind an observation, or behind a label `cue` that waits for it at the end."""
    spellings = (reply, _with_thought(reply, step))
    fitting = (text for text in spellings if _is_read_as(step, text, parser, cue))
    return next(fitting, None) or _spelt(reply, step)


def _with_thought(reply: str, step: Step) -> str:
    """With a label before the prose that has none; a block of reasoning may stand before it."""
    start = max(0, reply.find(step.preamble or step.thought))
    return f"{reply[:start]}{THOUGHT} {reply[start:]}".rstrip()


def _spelt(reply: str, step: Step) -> str:
    does_nothing = step.action is None and not step.is_final
    written = Step(thought=reply) if does_nothing else step.replace(observation=None, question=None)
    return "".join(write(Trace(steps=(written,)))).rstrip()


def _is_read_as(step: Step, text: str, parser: ReActAgentParser, cue: str) -> bool:
    """Whether a parser reads nothing of it as the observation before it, and in it a step that does the same."""
    behind = "" if step.is_final else "\nObservation: e"
    steps = parser.parse_trace("\n".join((_BEFORE, *filter(None, (cue, text)))) + behind).steps
    return len(steps) > 1 and steps[0].observation == "o" and _does(steps[1]) == _does(step)


def _does(step: Step) -> tuple[object, ...]:
    given = step.action_input if step.action is not None else None
    return (step.action, given, step.final_answer, len(step.parallel_actions))
