"""What `replay` shows of a choice of steps and parts, what each format tells, and when two runs are the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reactcli.cli.shell import main
from reactcli.formats.react_text import WRITTEN

SAMPLES = Path(__file__).parents[1] / "sample_traces"
PARALLEL = {
    "action": "f",
    "parallel_actions": [{"action": "f", "action_input": "a"}, {"action": "g", "observation": "o"}],
}
EPISODES = "Question: a?\nThought: x\nFinal Answer: 1\n\nQuestion: b?\nThought: y\nFinal Answer: 2\n"
RICH = {
    "preamble": "Sure.",
    "reasoning": "hm",
    "action": "f",
    "observation": "bad",
    "duration_ms": 1500,
    "is_error": True,
    "user": ["go on"],
    "unpaired_results": [{"call_id": "c9", "tool": None, "text": "late"}],
}


@pytest.fixture
def cli(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)

    def run(*argv, **files):
        for name, content in files.items():
            Path(name).write_text(content if isinstance(content, str) else json.dumps(content))
        code = main(list(argv))
        return code, *capfd.readouterr()

    return run


# -- choices


def test_an_input_is_shown_without_its_action(cli):
    shown = "Step 1\nAction Input: all\n\n"
    assert cli("replay", "--only", "action_input", "t", t=[{"action": "pay", "action_input": "all"}]) == (0, shown, "")


def test_only_the_chosen_parts_of_parallel_actions_are_shown(cli):
    code, out, _ = cli("replay", "--only", "action_input,observation", "t", t=[PARALLEL])
    assert (code, out) == (0, "Step 1\nAction Input 1: a\nObservation 2: o\n\n")
    assert cli("replay", "--only", "action", "t")[1] == "Step 1\nAction 1: f\nAction 2: g\n\n"


@pytest.mark.parametrize("form", ["text", "jsonl", "json", "md"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--episode", "9"], "there is no episode 9; there are 2"),
        (["--steps", "9"], "there is no step 9; there are 2"),
        (["--episode", "2", "--steps", "2.."], "there is no step 2 in episode 2; there are 1"),
        (["--grep", "zzz"], "--grep finds nothing in these steps"),
    ],
)
def test_a_choice_of_nothing_is_exit_1_and_one_line(cli, form, options, message):
    assert cli("replay", "--format", form, *options, "t", t=EPISODES) == (1, "", f"reactcli: {message}\n")


def test_steps_of_a_chosen_episode_are_counted_in_it(cli):
    shown = "Episode 2\nQuestion: b?\n\nStep 1\nThought: y\nFinal Answer: 2\n\n"
    assert cli("replay", "--episode", "2", "--steps", "1", "t", t=EPISODES) == (0, shown, "")


def test_json_of_an_episode_has_its_question_and_answer(cli):
    document = json.loads(cli("replay", "--episode", "2", "--format", "json", "t", t=EPISODES)[1])
    assert (document["question"], document["final_answer"]) == ("b?", "2")


@pytest.mark.parametrize("options", [["--only", "thought"], ["--format", "md"], ["--steps", "1"], ["--grep", "x"]])
def test_a_check_takes_no_choice_that_it_would_ignore(cli, options):
    assert cli("replay", "--check", *options, "t", t=EPISODES)[0] == 2


def test_only_what_has_hashes_is_called_sound(cli):
    recording = cli("convert", "--to", "reactcli", "t", t=EPISODES)[1]
    assert "sound" in cli("replay", "--check", "r", r=recording)[1]
    code, out, _ = cli("replay", "--check", "t")
    assert (code, out.startswith("t: 2 steps, readable"), "sound" in out) == (0, True, False)


# -- the same in every format


def test_json_lines_tell_what_a_text_tells(cli):
    line = json.loads(cli("replay", "--format", "jsonl", "t", t=[RICH])[1])
    told = {key: RICH[key] for key in ("duration_ms", "is_error", "user", "unpaired_results")}
    assert (line["preamble"], line["reasoning"], line["meta"]) == ("Sure.", "hm", told)


@pytest.mark.parametrize("form", ["text", "md", "json", "jsonl"])
def test_no_format_leaves_out_what_was_said(cli, form):
    out = cli("replay", "--format", form, "t", t=[RICH])[1]
    assert [word for word in ("Sure.", "hm", "bad", "late", "go on") if word not in out] == []


def test_markdown_is_the_same_from_replay_and_convert(cli):
    assert cli("replay", "--format", "md", "t", t=[RICH])[1] == cli("convert", "--to", "md", "t")[1]


# -- the same run


@pytest.mark.parametrize("dialect", WRITTEN)
def test_a_run_in_another_dialect_is_the_same_run(cli, dialect):
    source = str(SAMPLES / "everest.jsonl")
    assert cli("convert", "--to", "react", "--dialect", dialect, "-o", "other", source)[0] == 0
    assert cli("diff", source, "other") == (0, "no difference in 4 steps\n", "")


@pytest.mark.parametrize("name", ["loop.jsonl", "swe_agent.traj", "chat.json"])
@pytest.mark.parametrize("form", ["reactcli", "openai", "anthropic", "atif"])
def test_a_run_in_another_format_is_the_same_run(cli, name, form):
    source = str(SAMPLES / name)
    assert cli("convert", "--to", form, "-o", "other", source)[0] == 0
    code, out, _ = cli("diff", source, "other")
    assert (code, out.startswith("no difference")) == (0, True)


@pytest.mark.parametrize("form", ["reactcli", "react", "openai", "anthropic", "atif", "md"])
def test_a_submission_survives_every_writer(cli, form):
    assert "Hello, {name}" in cli("convert", "--to", form, str(SAMPLES / "swe_agent.traj"))[1]


def test_two_statuses_that_a_format_can_say_differ(cli):
    one = {"steps": [{"thought": "t"}], "status": "loop"}
    assert cli("diff", "a", "b", a=one, b={**one, "status": "max_steps"})[0] == 1
    assert cli("diff", "a", "b", b={"steps": [{"thought": "t"}]})[0] == 0


@pytest.mark.parametrize("bad", ["hello\n", '{"steps": []}', '{"thought": "a"}\n{"though', ""])
def test_trouble_in_a_comparison_is_exit_2(cli, bad):
    code, out, err = cli("diff", "t", "bad", t='{"thought": "a"}\n', bad=bad)
    assert (code, "removed" in out, bool(err)) == (2, False, True)
