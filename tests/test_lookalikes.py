"""A line that only looks like a label is text, and is never passed over in silence (SECURITY A9)."""

from __future__ import annotations

import random

import pytest

from reactcli import ReActAgentParser

LETTERS = {
    "A": "ΑАＡ",
    "a": "аａ",
    "c": "сϲｃ",
    "e": "еｅ",
    "i": "іｉ",
    "o": "оοｏ",
    "h": "һｈ",
    "T": "ΤТＴ",
    "t": "тｔ",
    "p": "рｐ",
}
INVISIBLE = "\u200b\u200d\u2060\ufeff\u00ad\u200e\u202e\u0301"
BREAKS = "\u2028\u2029\x0b\x0c\x85\x1c\x1d\x1e"
COLONS = "∶꞉﹕ː"


def variants(count: int) -> list[str]:
    """Labels in disguise, each before a real action input."""
    rng = random.Random(9)
    found = []
    for label in ("Action", "Final Answer", "Thought") * (count // 12 + 1):
        places = [at for at, letter in enumerate(label) if letter in LETTERS]
        at = rng.choice(places)
        swapped = label[:at] + rng.choice(LETTERS[label[at]]) + label[at + 1 :]
        hidden_at = rng.randint(1, len(label) - 1)
        hidden = label[:hidden_at] + rng.choice(INVISIBLE) + label[hidden_at:]
        found += [
            f"{swapped}: evil\n",
            f"{hidden}: evil\n",
            f"{label}{rng.choice(COLONS)} evil\n",
            f"note{rng.choice(BREAKS)}{label}: evil\n",
        ]
    return found[:count]


@pytest.mark.parametrize("text", variants(504), ids=ascii)
def test_a_label_in_disguise_is_text_and_is_reported(text: str) -> None:
    step = ReActAgentParser().parse(text)
    assert (step.action, step.final_answer) == (None, None)
    assert "lookalike-label" in [diagnostic.code for diagnostic in step.diagnostics]


@pytest.mark.parametrize("end", BREAKS)
def test_only_line_feed_and_carriage_return_end_a_line(end: str) -> None:
    step = ReActAgentParser().parse(f"Thought: note{end}Action: evil")
    assert step.action is None
    assert step.thought == f"note{end}Action: evil"


@pytest.mark.parametrize(
    "text", ["思考：x\n行动：y\n", "Мысль: x\nДействие: y\n", "Thought: a — b\nAction: y\n", "🤔 Thought: é\nAction: y"]
)
def test_real_labels_are_not_reported(text: str) -> None:
    assert [d.code for d in ReActAgentParser().parse(text).diagnostics] == []


def test_the_kelvin_sign_is_no_k() -> None:
    assert ReActAgentParser().parse("Thin\u212a: x").thought == ""
