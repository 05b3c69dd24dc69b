"""The gate: nothing hidden passes, nothing is lost, JSON stays JSON."""

from __future__ import annotations

import io
import itertools
import json
import math
import sys
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from reactcli.render.sanitise import HIDDEN, json_text, show, show_line, unshow

EVERY_CHARACTER = [chr(code) for code in range(sys.maxunicode + 1)]
HAVE_A_GLYPH = {0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
JOINERS = {0x200C, 0x200D, *range(0x13430, 0x13440)}

escape_soup = st.text(st.sampled_from("\\xuU5c1bf0e4 \n\t\x00\x1b\x9b\u202e\ud800\U000e0041é"), max_size=24)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | escape_soup,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(escape_soup, inner, max_size=4),
    max_leaves=12,
)


def test_hidden_is_every_control_and_format_character_save_joiners_and_those_with_a_glyph():
    expected = (
        {
            code
            for code, character in enumerate(EVERY_CHARACTER)
            if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
        }
        - {0x09, 0x0A}
        - HAVE_A_GLYPH
        - JOINERS
    )
    unassigned_but_invisible = {0x2065, *range(0xE0000, 0xE0080)}
    assert set(HIDDEN) == expected | unassigned_but_invisible


def test_of_all_characters_none_that_is_hidden_comes_through_and_every_other_is_unchanged():
    hidden = set(HIDDEN)
    for code, character in enumerate(EVERY_CHARACTER):
        if code in hidden:
            assert set(show(character)) <= set("\\xuU0123456789abcdef")
        else:
            assert show(character) == character


def test_every_character_comes_back():
    everything = "".join(EVERY_CHARACTER)
    assert unshow(show(everything)) == everything


def test_no_two_short_texts_look_the_same():
    symbols = "\\xu1b20e\x1b\u202e a"
    texts = ["".join(letters) for length in range(5) for letters in itertools.product(symbols, repeat=length)]
    assert len({show(text) for text in texts}) == len(texts)


@given(escape_soup)
@example(r"\x1b")
@example(r"\\x5cx1b")
@example("\\\x1b")
@example(r"\u00e9 \x41")
@settings(max_examples=1000)
def test_what_was_shown_can_be_undone(text):
    assert unshow(show(text)) == text


def test_only_backslashes_that_read_like_our_escapes_are_escaped():
    assert show(r"C:\temp \u4e2d \x41 \x1b \x5c") == r"C:\temp \u4e2d \x41 \x5cx1b \x5cx5c"


def test_a_quoted_text_is_one_line_and_has_a_longest_length():
    assert show_line("a\nb\tc\x1b" + "d" * 300, longest=10) == r"a\nb\tc\x1bddd…"


@pytest.mark.parametrize("length", range(6))
def test_markup_is_text_to_rich(length):
    """All strings over six symbols; lengths 6 and 7 add nothing but a minute."""
    for letters in itertools.product(r"[]/\a@", repeat=length):
        text = "".join(letters)
        assert _displayed(show(text)) == f"{text}\n"


def _displayed(text: str) -> str:
    screen = io.StringIO()
    Console(file=screen, width=80, markup=False, highlight=False, emoji=False).print(Text(text), soft_wrap=True)
    return screen.getvalue()


@given(json_values)
@settings(max_examples=300)
def test_json_reads_back_as_it_was(value):
    assert json.loads(json_text(value)) == _joined(value)
    assert json.loads(json_text(value, 2)) == _joined(value)


def _joined(value):
    """Halves of a surrogate pair that stand side by side are one character in JSON."""
    return json.loads(json.dumps(value))


@given(json_values)
@settings(max_examples=300)
def test_json_holds_no_hidden_character(value):
    hidden = set(map(chr, HIDDEN)) | {"\t"}
    for text in (json_text(value), json_text(value, 2)):
        assert not hidden & set(text)


@given(json_values)
@settings(max_examples=300)
def test_json_is_laid_out_as_the_library_would(value):
    expected = json.dumps(value, ensure_ascii=False, indent=2)
    hidden = {code: json.dumps(chr(code))[1:-1] for code in HIDDEN} | {0x7F: "\\u007f"}
    assert json_text(value, 2) == expected.translate(hidden)


def test_every_character_survives_json_alone():
    hidden = set(HIDDEN)
    for start in range(0, sys.maxunicode + 1, 0x1000):
        batch = EVERY_CHARACTER[start : start + 0x1000]
        written = json_text(batch)
        assert json.loads(written) == batch
        assert not any(ord(character) in hidden for character in set(written))


def test_delete_is_an_escape_in_plain_text_too():
    assert json_text("a\x7f") == r'"a\u007f"'


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, float("1e999")])
def test_numbers_that_json_lacks_are_null(number):
    assert json_text({"n": [number, 1.5]}) == '{"n": [null, 1.5]}'
    assert json_text([number], 2) == "[\n  null\n]"


def test_an_integer_may_have_more_digits_than_python_prints():
    assert json_text([10**5000 + 7]) == f"[1{'0' * 4999}7]"
    assert json_text(-(10**5000), 2) == f"-1{'0' * 5000}"


def test_depth_has_no_end():
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert json_text(deep) == "[" * 100_001 + "]" * 100_001
    indented = json_text(deep, 2)
    assert len(indented) < 400_000


def test_a_value_that_holds_itself_is_refused_and_one_that_is_held_twice_is_not():
    shared = [1]
    assert json_text({"a": shared, "b": [shared]}, 2).count("1") == 2
    shared.append(shared)
    with pytest.raises(ValueError, match="holds itself"):
        json_text(shared)


def test_what_json_has_no_word_for_is_an_error():
    for indent in (None, 2):
        with pytest.raises(TypeError):
            json_text({"a": object()}, indent)


def test_keys_that_are_no_strings_become_strings():
    assert json_text({1: 2, None: 3, False: 4, 1.5: 6}, 2) == '{\n  "1": 2,\n  "null": 3,\n  "false": 4,\n  "1.5": 6\n}'
