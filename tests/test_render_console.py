"""Diagnostics and JSON as people see them on a terminal."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactcli.diagnostics import Diagnostic, diagnose
from reactcli.render.console import _width, concise, explained, paint_json
from reactcli.render.sanitise import HIDDEN, json_text
from reactcli.source import Source

COMMA = Diagnostic("trailing-comma", "warning", "a comma stands before a closing bracket", (30, 31), "remove it")
TEXT = "Action: search\nAction Input: {,}\nObservation: none\n"
OWN_COLOURS = re.compile(r"\x1b\[[0-9;]+m")

hostile = st.text(st.sampled_from('ab\\"{}[]:, \n\t\r\x00\x1b\x9b\u202e\u2028\ud800\U000e0041é世'), max_size=40)


def test_a_concise_diagnostic_is_a_line_with_place_claim_and_way_out():
    assert (
        concise([COMMA], Source(TEXT, "out.txt"))
        == "out.txt:2:16: warning[trailing-comma] a comma stands before a closing bracket (remove it)\n"
    )


def test_an_explained_diagnostic_shows_its_line_with_a_caret():
    assert explained([COMMA], Source(TEXT, "out.txt")) == (
        "warning[trailing-comma]: a comma stands before a closing bracket\n"
        " --> out.txt:2:16\n"
        "  |\n"
        "2 | Action Input: {,}\n"
        "  |                ^\n"
        "  = help: remove it\n"
    )


def test_carets_stand_below_wide_and_hidden_characters():
    text = "思\x1bé: error here"
    diagnostic = Diagnostic("not-json", "info", "odd", (text.index("error"), text.index(" here")))
    _, _, _, line, carets, *_ = explained([diagnostic], Source(text, "x")).split("\n")
    assert line == r"1 | 思\x1bé: error here"
    assert carets == "  |          ^^^^^"


def test_a_long_line_is_cut_on_both_sides():
    text = "a" * 1000 + "HERE" + "b" * 1000
    diagnostic = Diagnostic("not-json", "info", "odd", (1000, 1004))
    _, place, _, line, carets, *_ = explained([diagnostic], Source(text, "x")).split("\n")
    assert place == " --> x:1:1001"
    assert line == f"1 | …{'a' * 60}HERE{'b' * 46}…"
    assert carets == f"  | {' ' * 61}^^^^"


def test_a_span_over_several_lines_is_marked_to_the_end_of_the_first():
    diagnostic = Diagnostic("unclosed-fence", "info", "odd", (2, 9))
    *_, line, carets, _ = explained([diagnostic], Source("ab\rcd\r\nef", "x")).split("\n")
    assert (line, carets) == ("1 | ab", "  |   ^")


@given(text=hostile, name=hostile, message=hostile, start=st.integers(0, 45), length=st.integers(0, 45))
@settings(max_examples=300)
def test_no_diagnostic_drives_the_terminal_or_breaks_its_line(text, name, message, start, length):
    diagnostic = Diagnostic("not-json", "error", message, (start, start + length), message)
    for coloured in (False, True):
        short = OWN_COLOURS.sub("", concise([diagnostic], Source(text, name), coloured=coloured))
        long = OWN_COLOURS.sub("", explained([diagnostic], Source(text, name), coloured=coloured))
        assert not set(map(chr, HIDDEN)) & set(short + long)
        assert (short.count("\n"), long.count("\n")) == (1, 6 if message else 5)


@given(st.recursive(hostile | st.integers() | st.none(), lambda part: st.lists(part) | st.dictionaries(hostile, part)))
@settings(max_examples=300)
def test_coloured_json_is_the_same_json_between_our_own_colours(value):
    plain = json_text(value, 2)
    painted = paint_json(plain)
    assert OWN_COLOURS.sub("", painted) == plain
    assert "\x1b" not in OWN_COLOURS.sub("", painted)


def test_keys_values_and_escapes_have_colours_of_their_own():
    assert paint_json(json_text({"a": "b\x1bc"})) == (
        '{\x1b[34m"a"\x1b[0m: \x1b[32m"b\x1b[2;32m\\u001b\x1b[0m\x1b[32mc"\x1b[0m}'
    )
    assert paint_json(json_text([-1.5, True, None])) == (
        "[\x1b[36m-1.5\x1b[0m, \x1b[35mtrue\x1b[0m, \x1b[35mnull\x1b[0m]"
    )


def test_a_long_string_is_painted_in_one_go():
    assert OWN_COLOURS.sub("", paint_json(json_text(json.dumps("\\" * 200_000)))).count("\\") == 800_002


@pytest.mark.parametrize("columns", [10, 40, 80, 200])
@pytest.mark.parametrize(("at", "length"), [(0, 300), (5, 3), (150, 4), (150, 300), (297, 3), (0, 0)])
@pytest.mark.parametrize("unit", ["abc", "é漢\x1b"])
def test_an_excerpt_fits_the_terminal_with_its_caret_below(columns, at, length, unit):
    text = unit * 100
    span = (at, min(at + length, len(text)))
    told = explained([diagnose("trailing-comma", span)], Source(text, "a"), columns=columns)
    line, carets = (each for each in told.splitlines() if each.startswith(("1 |", "  | ")))
    assert max(_width(line), _width(carets)) <= max(columns, 24)
    assert carets.rstrip().endswith("^")
    if unit == "abc" and 0 < length < 9 and columns > 10:
        start = carets.index("^")
        assert line[start : start + length] == text[at : at + length]
