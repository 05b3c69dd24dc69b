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

_ACTED = "Thought: t\nAction: a\nAction Input: i\nObservation: o"
_IDLE = f"{_ACTED}\nThought: t\nObservation: o"
"""A step that did nothing; an action without a thought behind it would be taken for its own."""
THOUGHT = "Thought:"


def readable(reply: str, step: Step, parser: ReActAgentParser, cue: str = "", *, is_behind_idle: bool = False) -> str:
    """The reply as it can stand behind an observation, or behind a label `cue` that waits for it at the end.

    `is_behind_idle`: what was observed belongs to a step that asked for nothing.
    """
    before = (_ACTED, _IDLE)[is_behind_idle] + (cue and f"\n{cue}")
    place = 1 + is_behind_idle
    spellings = (reply, _with_thought(reply, step), f"{THOUGHT}\n{reply}".rstrip(), _spelt(reply, step))
    return next((text for text in spellings if _is_read_as(step, before, text, parser, place)), spellings[-1])


def is_idle_at_end(text: str, parser: ReActAgentParser) -> bool:
    """The last step of a scratchpad asked for nothing, and was told so."""
    steps = parser.parse_trace(text).steps
    last = steps[-1] if steps else None
    return last is not None and last.action is None and not last.is_final and last.observation is not None


def _with_thought(reply: str, step: Step) -> str:
    """With a label before the prose that has none; a block of reasoning may stand before it."""
    start = max(0, reply.find(step.preamble or step.thought))
    return f"{reply[:start]}{THOUGHT} {reply[start:]}".rstrip()


def _spelt(reply: str, step: Step) -> str:
    does_nothing = step.action is None and not step.is_final
    written = Step(thought=reply) if does_nothing else step.replace(observation=None, question=None)
    text = "".join(write(Trace(steps=(written,)))).rstrip()
    return text if text.startswith(THOUGHT) else f"{THOUGHT}\n{text}"


def _is_read_as(step: Step, before: str, text: str, parser: ReActAgentParser, place: int) -> bool:
    """Whether a parser reads nothing of it as the observation before it, and in it a step that does the same."""
    behind = "" if step.is_final else "\nObservation: e"
    steps = parser.parse_trace(f"{before}\n{text}{behind}").steps
    return len(steps) > place and steps[place - 1].observation == "o" and _does(steps[place]) == _does(step)


def _does(step: Step) -> tuple[object, ...]:
    given = step.action_input if step.action is not None else None
    return (step.action, given, step.final_answer, len(step.parallel_actions))
