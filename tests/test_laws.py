"""The laws as properties: of random texts, of every way to cut a text, of the fast lane."""

from __future__ import annotations

import random
import re

import pytest
from cases import load
from hypothesis import example, given, settings
from hypothesis import strategies as st
from laws import check_laws, streamed
from texts import FRAGMENTS, texts

from reactcli import ReActAgentParser, Step
from reactcli.parser.choices import choose
from reactcli.parser.plain import plain_step, whole_plain_step
from reactcli.parser.rounds import rounds_of
from reactcli.parser.steps import step_of
from reactcli.tokens import cut

PARSER = ReActAgentParser()
SEED = 20_261_130
fragments = st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join)


@pytest.mark.parametrize("part", range(4))
def test_no_text_makes_the_parser_raise(part: int) -> None:
    for text in texts(25_000, seed=SEED + part):
        step = PARSER.parse_step(text)
        assert list(step) == ["thought", "action", "action_input", "final_answer", "is_final"], repr(text)


@pytest.mark.parametrize("part", range(4))
def test_random_texts_keep_every_law(part: int) -> None:
    for text in texts(2_500, seed=SEED + 100 + part, longest=16):
        try:
            check_laws(text, PARSER)
        except BaseException:
            print(f"failing text: {text!r}")
            raise


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=300))
def test_any_text_at_all_keeps_every_law(text: str) -> None:
    check_laws(text, PARSER)


@settings(max_examples=300, deadline=None)
@given(
    fragments, st.sampled_from(["action", "error"]), st.sampled_from(["first", "last"]), st.booleans(), st.booleans()
)
def test_every_policy_keeps_every_law(text: str, on_both: str, pick: str, primed: bool, implicit: bool) -> None:
    check_laws(text, ReActAgentParser(on_both=on_both, pick=pick, primed=primed, implicit_final=implicit))


@pytest.mark.parametrize(
    "dialect", ["classic", "json", "hermes", "code", "langchain-convo", "langchain-selfask", "swe-agent", "mini-swe"]
)
def test_every_named_dialect_keeps_every_law(dialect: str) -> None:
    parser = ReActAgentParser(dialect)
    for text in texts(400, seed=SEED + 200, longest=14):
        check_laws(text, parser)


LINES_LIKE_LABELS = [
    *(
        "\n❶ Action",
        "\n【Action】",
        "\nAction】",
        "\nAction】#",
        "\n 【x】",
        "\n- Action",
        "\n# Thought",
        "\n1. Action",
        "\n_Action_",
    ),
    *("\n[x]", "\n\u3000Action", "\n  Observation", "\n★ Thought", "\n🄀Action", "\n²Action", "\n٣Action", "\nⅣ Action"),
    *("\nThought", "\nAction", "\nA:", "\nabc\ndef", "：", "】", "[NaN", 'f({"a": 1'),
]


def test_the_fast_lane_reads_what_the_general_reader_reads() -> None:
    plain = 0
    lanes = ["Thought: ", "\nAction: ", "\nAction Input: ", "\nFinal Answer: "]
    pieces = [*FRAGMENTS, *LINES_LIKE_LABELS]
    rng = random.Random(SEED)
    for first in texts(36_000, seed=SEED + 300, longest=3):
        marks = rng.choice([lanes[1:3], lanes[3:]])
        text = lanes[0] + first + "".join(mark + rng.choice(pieces) + rng.choice(pieces) for mark in marks)
        step = plain_step(text)
        if step is not None:
            plain += 1
            found = cut(text)
            rounds = rounds_of(found.pieces, found.notes)
            choice = choose(found, rounds, PARSER.policy)
            assert step == choice.contract(), repr(text)
            whole = whole_plain_step(text)
            if whole is not None:
                general = step_of(choice, rounds, PARSER.policy)
                assert (whole, whole.spans, whole.diagnostics) == (general, general.spans, general.diagnostics), repr(
                    text
                )
    assert plain > 3_000


LABELLED = [
    *("Thought: {}", "Action: {}", "Action Input: {}", "Observation: {}", "Final Answer: {}", "Answer: {}", "Plan: {}"),
    *("Question: {}", "Reflection: {}", "Summary: {}", "Action: f[{}]", "Action: f({})", "Action: Finish[{}]", "{}"),
    *('Action Input: {{"a": "{}"}}', "Action: None", "Action: finish", "<think>{}</think>", "PAUSE", "Action: {}, g"),
]
SAYS_THAT_MORE_FOLLOWS = {"text-after-step", "steps-written-ahead", "several-actions", "action-and-final-answer"}


def test_what_no_field_holds_is_reported() -> None:
    rng = random.Random(SEED)
    for _ in range(6_000):
        lines = [rng.choice(LABELLED).format(f"w{number}") for number in range(rng.randint(1, 4))]
        text = "\n".join(lines)
        step = PARSER.parse(text)
        if SAYS_THAT_MORE_FOLLOWS & {found.code for found in step.diagnostics}:
            continue
        held = repr([getattr(step, field) for field in Step._fields])
        reported = [text[slice(*span)] for span in [*step.spans.values(), *(d.span for d in step.diagnostics)]]
        lost = [word for word in re.findall(r"w\d+", text) if word not in held and word not in "".join(reported)]
        assert lost == [], text


@pytest.mark.parametrize("case", load("steps"), ids=repr)
def test_every_cut_of_a_case_gives_what_the_whole_gives(case) -> None:
    parser = ReActAgentParser(**case.options)
    text = case.text
    whole = streamed(parser, [text])
    assert whole[1] == parser.parse(text)
    for size in (1, 2, 7):
        assert streamed(parser, [text[at : at + size] for at in range(0, len(text), size)]) == whole
    for at in range(0, len(text), max(1, len(text) // 25)):
        assert streamed(parser, [text[:at], text[at:]]) == whole


@settings(max_examples=400, deadline=None)
@given(fragments, st.lists(st.integers(0, 400), max_size=8))
@example("\ufeffThought: t\nFinal Answer: b", [1])  # a byte order mark
@example("~~~\nThought: ", [1])  # the start of a fence, one character at a time
def test_any_cut_into_characters_or_bytes_gives_what_the_whole_gives(text: str, places: list[int]) -> None:
    text = text.encode("utf-8", "replace").decode()
    whole = streamed(PARSER, [text])
    for data in (text, text.encode()):
        ends = sorted({place % (len(data) + 1) for place in places})
        pieces = [data[start:end] for start, end in zip([0, *ends], [*ends, len(data)], strict=True)]
        assert streamed(PARSER, pieces) == whole


def test_bytes_that_are_no_utf8_are_replaced() -> None:
    events, step = streamed(PARSER, [b"Final Answer: a\xff", b"b\xc3"])
    assert events == [("final_answer", "a\ufffdb\ufffd")]
    assert step.final_answer == "a\ufffdb\ufffd"
