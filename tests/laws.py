"""The laws of the parser, as checks on one text: every example and every random text goes through them."""

from __future__ import annotations

from reactcli import ReActAgentParser, Step
from reactcli.tokens import cut, tokens

WRITTEN = {"json", "hermes", "invoke", "agentscope", "langchain-selfask"}
"""Dialects whose inputs are decoded or written by us, and so need not stand in the text."""


def check_laws(text: str, parser: ReActAgentParser) -> Step:
    """Assert each law on a text; gives the step, for further questions."""
    step = parser.parse(text)
    assert step.contract() == parser.parse_step(text), "parse and parse_step agree"
    assert_tiles(text, parser)
    assert_exclusive(step)
    assert_spans_point_into(text, step)
    assert_input_stands_in(text, step, parser)
    assert_reasoning_is_no_part(text, parser)
    assert_line_ends_do_not_matter(text, parser, step)
    parser.parse_trace(text)
    return step


def assert_tiles(text: str, parser: ReActAgentParser) -> None:
    at = 0
    for token in tokens(text, parser.dialect):
        assert token.start == at < token.end, "tokens lie side by side and none is empty"
        at = token.end
    assert at == len(text), "joined, they give the text back"


def assert_exclusive(step: Step) -> None:
    assert step.action is None or step.final_answer is None
    assert step.is_final == (step.final_answer is not None)


def assert_spans_point_into(text: str, step: Step) -> None:
    for start, end in [*step.spans.values(), *(diagnostic.span for diagnostic in step.diagnostics)]:
        assert 0 <= start <= end <= len(text)


def assert_input_stands_in(text: str, step: Step, parser: ReActAgentParser) -> None:
    if step.action_input is not None and step.dialect not in WRITTEN:
        found = cut(text, parser.dialect)
        normalised = found.taken((0, len(text))) if found.reasoning else text
        assert step.action_input in normalised.replace("\r\n", "\n").replace("\r", "\n")


def assert_reasoning_is_no_part(text: str, parser: ReActAgentParser) -> None:
    found = cut(text, parser.dialect)
    for _, start, *_ in found.pieces:
        assert not any(first < start < last for first, last in found.reasoning), "nothing begins inside reasoning"


def assert_line_ends_do_not_matter(text: str, parser: ReActAgentParser, step: Step) -> None:
    if "\r" not in text:
        assert parser.parse_step(text.replace("\n", "\r\n")) == step.contract(), "CRLF and LF agree"


def streamed(parser: ReActAgentParser, chunks: list[str] | list[bytes]) -> tuple[list[tuple[str, str]], Step]:
    """Events, those of one part joined, and the step of a text fed in pieces."""
    stream = parser.stream()
    events = [event for chunk in chunks for event in stream.feed(chunk)]
    step = stream.close()
    joined: list[tuple[str, str]] = []
    for part, text in [*events, *stream.rest]:
        if joined and joined[-1][0] == part:
            joined[-1] = (part, joined[-1][1] + text)
        else:
            joined.append((part, text))
    return joined, step
