"""The window that files are read through, and the places in it; nothing in a file makes judging it fail."""

from __future__ import annotations

import json
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from reactcli.errors import FormatError
from reactcli.formats import open_recording
from reactcli.lint import Finding, Window, judge
from reactcli.lint.window import Line

if TYPE_CHECKING:
    from collections.abc import Iterator

SECRET = "sk-proj-" + "a1B2c3D4" * 5


def judged(stream) -> Iterator[Finding]:
    window = Window(stream)
    yield from judge(open_recording(window), window)


def test_lines_are_let_go_when_their_steps_are_judged():
    class Counting(Window):
        most = 0

        def readline(self, limit: int = -1) -> bytes:
            self.most = max(self.most, sum(1 for _ in self.since(1)))
            return super().readline(limit)

    record = b'{"thought": "t", "action": "f", "action_input": "%d", "observation": "o"}\n'
    window = Counting(BytesIO(b"".join(record % number for number in range(1000)) + b'{"final_answer": "a"}\n'))
    assert list(judge(open_recording(window), window)) == []
    assert window.most < 5


texts = st.text(st.characters(codec="utf-8"), max_size=30)


@settings(max_examples=100, deadline=None)
@given(texts, st.data())
def test_an_offset_in_a_json_string_is_found_in_the_line(text, data):
    line = Line(
        1, 0, json.dumps({"key": "before", "other": ["x", text], "n": 1}, ensure_ascii=data.draw(st.booleans()))
    )
    token = list(line.tokens())[2]
    assert token.value == text
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert json.loads(f'"{line.text[token.offset(start) : token.offset(end)]}"') == text[start:end]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=20)), st.data())
def test_lines_know_their_number_and_offset_however_they_are_read(lines, data):
    content = "\n".join(lines)
    window = Window(BytesIO(content.encode()))
    while window.readline(data.draw(st.integers(1, 30))) if data.draw(st.booleans()) else window.read(7):
        pass
    seen = list(window.since(1))
    assert [line.text for line in seen] == (content.removesuffix("\n").split("\n") if content else [])
    assert all(content[line.start :].startswith(line.text) for line in seen)
    assert [line.number for line in seen] == list(range(1, len(seen) + 1))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                '{"action": "f"',
                "}",
                "\n",
                ', "observation": "o"',
                "Thought: ",
                "Action: f\n",
                '"',
                "\\",
                "\x1b",
                "]",
                "[",
                SECRET,
            ]
        )
    )
)
def test_judging_a_file_raises_nothing_but_that_it_is_no_trace(pieces):
    content = "".join(pieces)
    with suppress(FormatError):
        for found in judged(BytesIO(content.encode())):
            assert 0 <= found.place.span[0] <= found.place.span[1] <= len(content)


def test_in_a_log_a_finding_stands_where_the_log_has_it():
    """Colours and time stamps are taken out before the text is read."""
    stamp = "2026-01-01 10:00:00 INFO "
    lines = ["Thought: t", "Action: \x1b[31msearch\x1b[0m", 'Action Input: {"a": 1,}', "Observation: r", "Thought: u"]
    content = "".join(f"{stamp}{line}\n" for line in [*lines, 'Action: f\n{"b": True}'])
    text = content.encode()
    found = [(one.code, content[slice(*one.place.span)]) for one in judged(BytesIO(text))]
    assert ("trailing-comma", ",") in found
    assert ("no-final-answer", "f") in found
