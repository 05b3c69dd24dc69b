"""Tables: every cell is text that has passed the gate."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from reactcli.cli.output import Output
from reactcli.render.sanitise import HIDDEN
from reactcli.render.tables import LONGEST_CELL, one_step, steps

hostile = st.text(
    st.sampled_from("ab[]/\\@:= \n\t\r\x00\x07\x1b\x7f\x9b\u202e\u2028\u200b\ud800\U000e0041é世😀"), max_size=30
)
step = st.fixed_dictionaries({"thought": hostile, "action": hostile | st.none(), "final_answer": hostile | st.none()})


@given(st.lists(step, max_size=3))
@settings(max_examples=150, deadline=None)
def test_no_table_drives_the_terminal(rows):
    out = Output("stdout", "never")
    shown = out.rendered(steps(rows)) + "".join(out.rendered(one_step(row)) for row in rows)
    assert not set(map(chr, HIDDEN)) & set(shown)


def test_a_long_cell_is_cut_and_says_by_how_much():
    shown = Output("stdout", "never").rendered(one_step({"thought": "x" * (LONGEST_CELL + 5)}))
    assert shown.count("x") == LONGEST_CELL
    assert "(5 characters more)" in " ".join(shown.split())


def test_no_steps_are_an_empty_table():
    assert Output("stdout", "never").rendered(steps([])).split() == []
