"""`reactcli stats`: what is counted, what is unknown, and that nothing ends the count."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactcli import Step
from reactcli.bulk import COUNTS, MEASURES, Counts, count
from reactcli.cli.shell import main
from reactcli.formats import Closing, Opening, Recorded
from reactcli.render.statistics import BAR, COLUMNS, bar

RUN = """\
Question: q
Thought: t
Action: search
Action Input: {'q': 1}
Observation: Error: not connected
Thought: t
Action: search
Action Input: {"q": 1}
Observation: Error: not connected
Thought: t
Action: open
Action Input: a
Observation: b
Thought: t
Final Answer: c
"""
UNKNOWN = {"input_tokens": None, "output_tokens": None, "seconds": None}
RUN_COUNTS = {
    "episodes": 1, "steps": 4, "calls": 3, "errors": 2, "repairs": 1, "repeats": 1, "loops": 0, "answers": 1,
    "parse_failures": 0, "lost": 0, **UNKNOWN,
    "tools": [
        {"tool": "search", "calls": 2, "errors": 2, "share": 0.6667},
        {"tool": "open", "calls": 1, "errors": 0, "share": 0.3333},
    ],
}  # fmt: skip


def stats(capfd, *argv: str) -> tuple[int, str, str]:
    code = main(["stats", *argv])
    told = capfd.readouterr()
    return code, told.out, told.err


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """A folder with a transcript, a recording with tokens and a torn end, and two files that are no traces."""
    monkeypatch.chdir(tmp_path)
    Path("runs/deep").mkdir(parents=True)
    Path("runs/a.txt").write_text(RUN)
    step = {"thought": "t", "action": "open", "action_input": "x", "observation": "y", "duration_ms": 250}
    usage = {"usage": {"prompt_tokens": 100, "completion_tokens": 7}}
    records = [{**step, **usage}, step, {"thought": "", "final_answer": "z", **usage}]
    Path("runs/deep/b.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records) + '{"thou')
    Path("runs/c.md").write_text("=1+1, no trace")
    Path("runs/d.py").write_text("print('not looked at')")
    return "runs"


def test_a_transcript_is_counted(runs, capfd):
    code, out, _ = stats(capfd, "--format", "json", f"{runs}/a.txt")
    assert code == 0
    assert json.loads(out) == {
        "schema": "reactcli/stats@1",
        "rows": [{"file": "runs/a.txt", "format": "react-text", "error": None, "counts": RUN_COUNTS}],
        "traces": 1,
        "unread": 0,
        "total": RUN_COUNTS,
    }


def test_a_bad_file_is_a_row_and_what_is_recorded_is_added_up(runs, capfd):
    code, out, _ = stats(capfd, "--format", "json", runs)
    told = json.loads(out)
    assert code == 1
    assert [(row["file"], row["error"]) for row in told["rows"]] == [
        ("runs/a.txt", None),
        ("runs/c.md", "no step was found; this is neither JSON nor ReAct text"),
        ("runs/deep/b.jsonl", None),
    ]
    assert told["rows"][1]["counts"] is None
    total = told["total"]
    assert {name: total[name] for name in (*COUNTS, *MEASURES)} == {
        "episodes": 2, "steps": 7, "calls": 5, "errors": 2, "repairs": 1, "repeats": 2, "loops": 0, "answers": 2,
        "parse_failures": 0, "lost": 1, "input_tokens": 200, "output_tokens": 14, "seconds": 0.5,
    }  # fmt: skip
    assert [(tool["tool"], tool["calls"]) for tool in total["tools"]] == [("open", 3), ("search", 2)]
    assert (told["traces"], told["unread"]) == (2, 1)


def test_csv_has_a_row_for_each_file(runs, capfd):
    Path("=cmd.txt").write_text(RUN)
    code, out, _ = stats(capfd, "--format", "csv", "=cmd.txt", runs, "no-such-file")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 2
    assert tuple(rows[0]) == COLUMNS
    assert [row["file"] for row in rows] == [
        "'=cmd.txt",
        "runs/a.txt",
        "runs/c.md",
        "runs/deep/b.jsonl",
        "no-such-file",
    ]
    assert [row["steps"] for row in rows] == ["4", "4", "", "3", ""]
    assert [row["seconds"] for row in rows] == ["", "", "", "0.5", ""]
    assert rows[4]["error"] == "cannot read 'no-such-file': no such file or directory"


def test_the_table_says_what_is_unknown_and_shows_shares_as_bars(runs, capfd, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    code, out, err = stats(capfd, f"{runs}/a.txt", f"{runs}/c.md")
    assert (code, err) == (1, "runs/c.md: no step was found; this is neither JSON nor ReAct text\n")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    for line in (
        "traces 1",
        "files that could not be read 1",
        "… with a final answer 1 100 %",
        "… that failed 2 67 %",
        "input tokens unknown",
        f"search 2 2 67 % {'█' * BAR}",
        f"open 1 0 33 % {'█' * (BAR // 2)}",
    ):
        assert line in lines


def test_hostile_names_do_not_reach_the_terminal(tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a\x1b[2J.txt").write_text(RUN.replace("search", "sea\x1b]0;x\x07rch[bold]"))
    for layout in ("table", "json", "csv"):
        _, out, err = stats(capfd, "--format", layout, "a\x1b[2J.txt")
        assert not {"\x1b", "\x07"} & set(out + err)
        assert "[bold]" in out or layout == "csv"


def test_totals_of_a_file_count_where_its_steps_say_nothing():
    said = {"info": {"model_stats": {"tokens_sent": 70, "tokens_received": 5}}}
    quiet = [Opening(1, None, said), Recorded(Step("t", "f", observation="o")), Closing()]
    told = [Opening(1, None, said), Recorded(Step("t"), {"usage": {"input_tokens": 3, "output_tokens": 2}}), Closing()]
    assert (count(iter(quiet)).input_tokens, count(iter(quiet)).output_tokens) == (70, 5)
    assert (count(iter(told)).input_tokens, count(iter(told)).output_tokens) == (3, 2)


def test_what_is_no_number_is_not_counted():
    odd = [{"usage": {"prompt_tokens": value}} for value in ("7", True, -1, None, [1], 1e300)]
    events = [Opening(), *(Recorded(Step("t"), meta) for meta in odd), Closing()]
    assert count(iter(events)).input_tokens is None


numbers = st.integers(0, 50)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), numbers, numbers), max_size=10), st.data())
def test_counts_of_parts_add_up_in_any_grouping(tools, data):
    parts = []
    for tool, calls, errors in tools:
        counts = Counts()
        counts.steps, counts.calls = calls, calls
        counts.seconds = data.draw(st.one_of(st.none(), st.integers(0, 9)))
        counts.count_tool(tool, calls, errors)
        parts.append(counts)

    def total(some: list[Counts]) -> Counts:
        whole = Counts()
        for one in some:
            whole.add(one)
        return whole

    cut = data.draw(st.integers(0, len(parts)))
    grouped = total([total(parts[:cut]), total(parts[cut:])])
    assert vars(grouped) == vars(total(parts))


@given(st.floats(0, 1))
def test_a_bar_is_as_long_as_its_share_and_never_hides_one(share):
    drawn = bar(share)
    assert len(drawn) <= BAR
    assert bool(drawn) == (share > 0)
    full = drawn.count("█")
    assert abs(full - share * BAR) <= 1


def test_progress_is_shown_on_a_terminal_only_and_cleared(tmp_path):
    program = (
        "from reactcli.cli import progress\n"
        "progress.PATIENCE = progress.PAUSE = 0\n"
        "from reactcli.cli.shell import main\n"
        f"raise SystemExit(main(['stats', '--format', 'csv', {str(tmp_path)!r}]))\n"
    )
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text(RUN)
    reader, writer = pty.openpty()
    try:
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=writer, check=True, timeout=30)
        shown = os.read(reader, 65536).decode()
    finally:
        os.close(reader)
        os.close(writer)
    assert len(done.stdout.splitlines()) == 4
    assert " 33%  1 of 3 files" in shown
    assert "100%  3 of 3 files" in shown
    assert shown.endswith("\r\x1b[K")
    piped = subprocess.run(command, capture_output=True, check=True, timeout=30)
    assert piped.stderr == b""


def test_without_a_path_it_is_wrong_usage(capfd):
    assert stats(capfd)[0] == 2


def test_a_folder_without_traces_says_which_are_read(tmp_path, capfd):
    (tmp_path / "trace.out").write_text(RUN)
    code, out, _ = stats(capfd, "--format", "csv", str(tmp_path))
    assert code == 2
    assert f"no traces in '{tmp_path}'; these endings are read: .json, " in out
