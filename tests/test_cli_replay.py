"""`reactcli replay`, `diff` and `convert` in one process: layouts, options, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parent.parent / "sample_traces"
STEPS = (
    '{"thought": "look", "action": "search", "action_input": {"q": "kelp"}, "observation": "brown\\nalgae"}\n'
    '{"thought": "known", "final_answer": "Kelp is an alga."}\n'
)
WALK = """\
Step 1
Thought: look
Action: search
Action Input: {"q": "kelp"}
Observation: brown
  algae

Step 2
Thought: known
Final Answer: Kelp is an alga.

"""
RECORDS = [
    {
        "step": 1,
        "thought": "look",
        "action": "search",
        "action_input": '{"q": "kelp"}',
        "final_answer": None,
        "is_final": False,
        "observation": "brown\nalgae",
    },
    {
        "step": 2,
        "thought": "known",
        "action": None,
        "action_input": None,
        "final_answer": "Kelp is an alga.",
        "is_final": True,
        "observation": None,
    },
]
TOOLS = """\
def search(q):
    return "brown\\nalgae" if q == "kelp" else "nothing"
"""
WAY_OUT = "`reactcli dialects` shows what is read"
EPISODES = "Question: a?\nThought: x\nFinal Answer: 1\n\nQuestion: b?\nThought: y\nFinal Answer: 2\n"


# -- the walk


def test_every_step_is_shown_with_values_indented_below_their_first_line(cli):
    assert cli("replay", "t", t=STEPS) == (0, WALK, "")


def test_a_question_a_status_and_an_answer_outside_the_steps_are_shown(cli):
    document = json.dumps({"question": "What?", "status": "loop", "steps": [{"thought": "hm", "observation": ""}]})
    shown = "Question: What?\n\nStep 1\nThought: hm\nObservation:\n\nStatus: loop\n"
    assert cli("replay", "t", t=document) == (0, shown, "")


def test_a_value_never_looks_like_a_step(cli):
    result = cli(
        "replay", "t", t=json.dumps({"action": "a", "observation": "x\nStep 9\nFinal Answer: y\r\nStep 8"}) + "\n{}"
    )
    assert [line for line in result.out.splitlines() if line.startswith(("Step", "Final"))] == ["Step 1", "Step 2"]


def test_nothing_recorded_is_said(cli):
    assert cli("replay", "t", t="{}\n{}\n" + '{"thought": "x"}').out.startswith("Step 1\n(nothing was recorded)\n")


def test_times_tokens_and_made_up_observations_are_shown(cli):
    record = {"llm_output": "Thought: t\nAction: a\nAction Input: b\nObservation: made up", "observation": "real"}
    record |= {"duration_ms": 1234, "usage": {"input_tokens": 5, "output_tokens": 6}}
    shown = "Step 1 (1.2 s, 5 + 6 tokens)\nThought: t\nAction: a\nAction Input: b\nObservation: real\n"
    assert cli("replay", "t", t=json.dumps(record)).out.startswith(
        f"{shown}Observation (made up by the model): made up\n"
    )


def test_control_characters_become_visible(cli):
    assert "\\x1b[2J" in cli("replay", "t", t='{"thought": "\\u001b[2J"}').out


def test_lines_are_those_of_parse_steps(cli):
    result = cli("replay", "--format", "jsonl", "t", t=STEPS)
    assert (result.code, result.lines) == (0, RECORDS)
    text = (SAMPLES / "birthplace.txt").read_bytes()
    assert cli("replay", "--format", "jsonl", "t", t=text).out == cli("parse", "--steps", "t").out


def test_lines_of_several_episodes_are_those_of_parse_steps(cli):
    result = cli("replay", "--format", "jsonl", "t", t=EPISODES)
    assert [line["episode"] for line in result.lines] == [1, 2]
    assert result.out == cli("parse", "--steps", "t").out
    assert cli("replay", "--format", "jsonl", "u", u=result.out).out == result.out


def test_parallel_calls_are_all_in_the_lines(cli):
    lines = cli("replay", "--format", "jsonl", "t", t=(SAMPLES / "chat.json").read_bytes()).out
    assert [call["call_id"] for call in json.loads(lines.splitlines()[0])["parallel_actions"]] == ["call_1", "call_2"]
    assert cli("diff", "t", "u", u=lines).code == 0


def test_json_is_one_object(cli):
    result = cli("replay", "--format", "json", "t", t=STEPS + '{"thought')
    assert result.code == 1
    assert json.loads(result.out) == {
        "schema": "reactcli/replay@1",
        "question": None,
        "format": "steps",
        "status": "finished",
        "final_answer": "Kelp is an alga.",
        "steps": RECORDS,
        "diagnostics": [
            {
                "code": "torn-record",
                "severity": "error",
                "message": "line 3: the record is cut off and was skipped: unterminated string at byte 2",
                "hint": "the writer was stopped in mid-line",
            }
        ],
    }


def test_what_replay_prints_can_be_replayed(cli):
    printed = cli("replay", "--format", "json", "t", t=STEPS).out
    assert cli("replay", "u", u=printed).out == WALK


def test_markdown_keeps_the_numbers_of_the_steps(cli):
    assert "## Step 2\n" in cli("replay", "--format", "md", "--steps", "2", "t", t=STEPS).out


@pytest.mark.parametrize(
    ("chosen", "numbers"), [("1", [1]), ("2..", [2]), ("..1", [1]), ("1..2", [1, 2]), ("2..9", [2]), ("7", [])]
)
def test_a_range_of_steps_includes_both_ends(cli, chosen, numbers):
    result = cli("replay", "--format", "jsonl", "--steps", chosen, "t", t=STEPS)
    assert [line["step"] for line in result.lines] == numbers


def test_only_some_parts_are_shown(cli):
    assert cli("replay", "--only", "action,final-answer", "t", t=STEPS).out == (
        "Step 1\nAction: search\n\nStep 2\nFinal Answer: Kelp is an alga.\n\n"
    )
    assert cli("replay", "--only", "action", "--format", "jsonl", "t").lines == [
        {"step": 1, "action": "search"},
        {"step": 2, "action": None},
    ]


def test_steps_are_searched(cli):
    assert [line["step"] for line in cli("replay", "--format", "jsonl", "--grep", "alg[ae]+$", "t", t=STEPS).lines] == [
        1
    ]


def test_one_episode_is_picked(cli):
    assert [
        line["final_answer"] for line in cli("replay", "--format", "jsonl", "--episode", "2", "t", t=EPISODES).lines
    ] == ["2"]


def test_a_map_reads_home_made_json(cli):
    result = cli(
        "replay", "--map", "steps=log,thought=why,action=do.name", "t", t='{"log": [{"why": "w", "do": {"name": "n"}}]}'
    )
    assert result.out.startswith("Step 1\nThought: w\nAction: n\n")


def test_a_torn_record_is_named_and_the_rest_is_shown(cli):
    result = cli("replay", "t", t=STEPS + '{"thought')
    assert (result.code, result.out) == (1, WALK)
    assert result.err.startswith("t: error[torn-record] line 3: the record is cut off and was skipped")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "reactcli: the file is empty; give it a trace\n"),
        (
            "hello\n",
            f"reactcli: no step was found; this is neither JSON nor ReAct text; {WAY_OUT}\n",
        ),
        (
            '{"type": "session_meta", "timestamp": 1, "payload": {}}\n{"timestamp": 1, "type": "x", "payload": {}}\n',
            "reactcli: this is a Codex session, which is not read yet; --map may read it if it is JSON\n",
        ),
    ],
)
def test_what_is_no_trace_is_one_line_and_exit_1(cli, content, message):
    assert cli("replay", "t", t=content) == (1, "", message)


def test_a_trace_without_steps_is_exit_1(cli):
    assert cli("replay", "t", t='{"steps": []}') == (1, "", "t: no step was read\n")


@pytest.mark.parametrize(
    "argv",
    [
        ["--steps", "0"],
        ["--steps", "3..1"],
        ["--only", "thoght"],
        ["--episode", "x"],
        ["--grep", "("],
        ["--map", "x"],
        ["--tools", "tools.py"],
        ["--normalize", "a=b"],
        ["--update", "new"],
        ["--output", "there"],
        ["--interactive"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_one_line_and_exit_2(cli, argv):
    result = cli("replay", *argv, "t", t=STEPS, there="x")
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)


def test_a_missing_file_is_exit_2(cli):
    assert cli("replay", "none") == (2, "", "reactcli: cannot read 'none': no such file or directory\n")


def test_output_goes_to_a_new_file(cli, tmp_path):
    assert cli("replay", "-o", "new", "t", t=STEPS) == (0, "", "")
    assert (tmp_path / "new").read_text() == WALK
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "t"]


def test_another_file_is_replaced_only_by_force(cli, tmp_path):
    assert cli("replay", "-o", "t", "t", t=STEPS).code == 2
    assert (tmp_path / "t").read_text() == STEPS
    assert cli("replay", "-o", "t", "--force", "t").code == 0
    assert (tmp_path / "t").read_text() == WALK


def test_a_continuation_is_read_from_the_same_folder_and_no_link_is_followed(cli, tmp_path):
    head = {"schema_version": "ATIF-v1.7", "agent": {"name": "a", "version": "1"}}
    first = {**head, "steps": [{"source": "user", "message": "q"}], "continued_trajectory_ref": "part"}
    second = {**head, "steps": [{"source": "agent", "message": "answer"}]}
    assert cli("replay", "t", t=json.dumps(first), part=json.dumps(second)).out.endswith("Final Answer: answer\n\n")
    (tmp_path / "part").rename(tmp_path / "elsewhere")
    (tmp_path / "part").symlink_to(tmp_path / "elsewhere")
    result = cli("replay", "t")
    assert (result.code, "there is no such file beside it" in result.err) == (1, True)


# -- check


def test_live_tools_that_answer_alike_are_exit_0(cli):
    result = cli("replay", "--tools", "./tools.py", "--check", "t", t=STEPS, **{"tools.py": TOOLS})
    assert result == (0, "1 call checked: 1 same\n", "")


def test_the_first_divergence_is_shown_with_its_place(cli):
    changed = STEPS.replace("algae", "seaweed")
    result = cli("replay", "--tools", "./tools.py", "--check", "t", t=changed, **{"tools.py": TOOLS})
    assert (result.code, result.err) == (1, "")
    assert result.out == (
        "step 1: the observation differs: search (t:1)\n"
        'Action Input: {"q": "kelp"}\n'
        "Recorded: brown\n  seaweed\n"
        "Live: brown\n  algae\n"
        "   brown\n  -seaweed\n  +algae\n\n"
        "1 call checked: 1 diverged\n"
    )


def test_a_missing_tool_is_a_finding(cli):
    record = '{"action": "gone_tool", "action_input": "x", "observation": "y"}\n'
    result = cli("replay", "--tools", "./tools.py", "--check", "t", t=STEPS + record, **{"tools.py": TOOLS})
    assert (result.code, result.out.splitlines()[0]) == (1, "step 3: no such tool: gone_tool (t:3)")
    assert result.out.endswith("2 calls checked: 1 same, 1 without a tool\n")


def test_a_check_is_reported_as_json(cli):
    changed = STEPS.replace("algae", "seaweed")
    result = cli(
        "replay", "--tools", "./tools.py", "--check", "--format", "json", "t", t=changed, **{"tools.py": TOOLS}
    )
    document = json.loads(result.out)
    assert (document["schema"], document["verdicts"], document["first"]["step"]) == (
        "reactcli/check@1",
        {"differs": 1},
        1,
    )


def test_an_update_writes_what_the_tools_say_now(cli):
    changed = STEPS.replace("algae", "seaweed")
    argv = ("replay", "--tools", "./tools.py", "--check", "--update", "new", "t")
    assert cli(*argv, t=changed, **{"tools.py": TOOLS}).code == 1
    assert cli("replay", "new").out == WALK
    assert cli("replay", "--check", "new") == (0, "new: 2 steps, sound\n", "")


def test_normalized_and_ignored_observations_do_not_diverge(cli):
    changed = STEPS.replace("algae", "seaweed")
    argv = ("replay", "--tools", "./tools.py", "--check")
    assert cli(*argv, "--normalize", "algae|seaweed=X", "t", t=changed, **{"tools.py": TOOLS}).code == 0
    assert cli(*argv, "--ignore-tool", "search", "t").out == "1 call checked: 1 ignored\n"


def test_a_recording_is_verified_without_tools(cli):
    recording = cli("convert", "t", "--to", "reactcli", t=STEPS).out
    assert cli("replay", "--check", "r", r=recording) == (0, "r: 2 steps, sound\n", "")
    result = cli("replay", "--check", "r", r=recording.replace("kelp", "dulse"))
    assert (result.code, result.out) == (1, "r: 2 steps, damaged\n")
    assert "error[hash-mismatch] line 2:" in result.err


def test_a_recording_without_its_end_is_damaged_only_for_a_check(cli):
    recording = "".join(cli("convert", "t", "--to", "reactcli", t=STEPS).out.splitlines(keepends=True)[:-1])
    assert cli("replay", "r", r=recording).code == 0
    assert cli("replay", "--check", "r").code == 1


# -- diff


def test_equal_traces_are_exit_0(cli):
    assert cli("diff", "a", "b", a=STEPS, b=STEPS.replace('{"q": "kelp"}', '"{\\"q\\":\\"kelp\\"}"')) == (
        0,
        "no difference in 2 steps\n",
        "",
    )


def test_differences_are_named_down_to_the_argument(cli):
    result = cli("diff", "a", "b", a=STEPS, b=STEPS.replace("kelp", "dulse").replace("algae", "weed"))
    shown = (
        "--- a\n+++ b\nstep 1: changed\n"
        '  action_input.q: "kelp" → "dulse"\n'
        "  observation:\n     brown\n    -algae\n    +weed\n"
        "first divergence: step 1: changed; steps: 1 changed, 0 added, 0 removed\n"
    )
    assert result == (1, shown, "")


def test_a_diff_is_reported_as_json(cli):
    result = cli("diff", "--format", "json", "a", "b", a=STEPS, b=STEPS.splitlines()[1])
    assert json.loads(result.out) == {
        "schema": "reactcli/diff@1",
        "same": False,
        "files": ["a", "b"],
        "steps": [2, 1],
        "first": 1,
        "trace": [],
        "changes": [
            {
                "kind": "removed",
                "first": 1,
                "second": None,
                "step": {key: value for key, value in RECORDS[0].items() if key != "step"},
                "fields": [],
            }
        ],
    }


def test_the_same_run_in_two_formats_does_not_differ(cli):
    for name in ("openai", "anthropic", "atif", "react", "reactcli"):
        converted = cli("convert", "t", "--to", name, t=STEPS).out
        assert cli("diff", "t", "u", u=converted).code == 0, name


# -- convert


def test_a_trace_is_converted_into_a_file(cli, tmp_path):
    assert cli("convert", "t", "--to", "react", "-o", "new", t=STEPS) == (0, "", "")
    assert (tmp_path / "new").read_text().startswith("Thought: look\nAction: search\n")


def test_react_text_is_written_in_a_dialect(cli):
    assert cli("convert", "t", "--to", "react", "--dialect", "zh", t=STEPS).out.startswith(
        "思考： look\n行动： search\n"
    )


@pytest.mark.parametrize(
    "argv",
    [[], ["--to", "nothing"], ["--to", "atif", "--dialect", "zh"], ["--to", "react", "--dialect", "no"]],
    ids=" ".join,
)
def test_wrong_usage_of_convert_is_exit_2(cli, argv):
    result = cli("convert", "t", *argv, t=STEPS)
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    "sample", sorted(SAMPLES.glob("*.json*")) + sorted(SAMPLES.glob("*.traj")), ids=lambda path: path.name
)
def test_every_sample_is_walked_and_survives_our_own_format(cli, sample):
    if sample.name == "replies.jsonl":  # for `parse --input jsonl`
        return
    content = sample.read_bytes()
    assert cli("replay", "t", t=content).code == 0
    assert cli("convert", "t", "--to", "reactcli", "-o", "own").code == 0
    assert cli("diff", "t", "own").code == 0
    assert cli("replay", "t").out == cli("replay", "own").out
