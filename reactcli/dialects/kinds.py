"""What a dialect is made of: marks that open parts, and what else its reader has to know."""

from __future__ import annotations

from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from reactcli.dialects.parts import Part


class Mark(Value):
    """A tag or token that opens a part."""

    part: Part
    opens: str
    """A regular expression without nested or unbounded repeats; group `name`, if any, names the tool or argument."""
    closes: str = ""
    """The literal text that ends the body; without it, and where it is missing, the body ends at the next mark."""
    tool: str = ""
    """The tool that the mark itself stands for."""
    body: str = ""
    """A regular expression for how the body begins, where prose behind the tag would be mistaken for a name."""


class Dialect(Value):
    name: str
    title: str
    example: str
    also: str = ""
    """Other names, separated by spaces."""
    marks: tuple[Mark, ...] = ()
    evidence: tuple[str, ...] = ()
    """Literal texts; one must be there before `auto` tries the marks. A line break also means the text's start."""
    beside_labels: bool = False
    """The marks win even where a line starts with `Action:` or `Final Answer:`."""
    labels: Mapping[str, Part] = {}  # a default that nothing writes to: values are frozen
    """Labels of its own, beside those of `LABELS`."""
    label_tools: Mapping[str, str] = {}  # as above
    """Labels that name the tool, whose body is then the input."""
    spellings: tuple[str, ...] = ("blob", "call", "pause", "lines")
    """The spellings of an action that are tried, in `actions.py`."""
    weak_answer: bool = True
    """`Answer:` may be a final answer."""
    fences: str = ""
    """Fenced code is the action: `last` block, or the `only` one."""
    fence_words: tuple[str, ...] = ()
    """Info words a fence must carry to count; empty: any."""
    sure: bool = False
    """Its marks are evidence enough, even if none of them opens an action or an answer."""
    explicit: bool = False
    """Never guessed: it has to be named."""

    @property
    def aliases(self) -> tuple[str, ...]:
        return tuple(self.also.split())

    @property
    def family(self) -> str:
        return "mark" if self.marks else "label"
