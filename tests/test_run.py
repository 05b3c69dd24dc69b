"""`reactcli run` and `reactcli prompt`: what is printed, recorded, gone on with, and how it ends."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reactcli import ReActEngine
from reactcli.cli.shell import main
from reactcli.engine.requests import End
from reactcli.formats import open_recording, trace_of
from reactcli.formats.events import Recorded
from reactcli.recorder import Recorder

TOOLS = '''
import os, time

def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b

def boom(text: str) -> str:
    raise ValueError(f"no {text}")

def slow(seconds: float) -> str:
    print("slow begins", flush=True)
    time.sleep(seconds)
    return "late"

def gone(text: str) -> str:
    os._exit(3)

def secret(name: str) -> str:
    return os.environ[name]

def bell(text: str) -> str:
    return "\\x1b[2J\\x07" + text
'''

SCRIPT = """\
Thought: I have to add.
Action: add
Action Input: {"a": 2, "b": 3}
---
Thought: That is it.
Final Answer: 5
"""

SHOWN = """\
Question: What is 2 + 3?

Step 1
Thought: I have to add.
Action: add
Action Input: {"a": 2, "b": 3}
Observation: 5

Step 2
Thought: That is it.
Final Answer: 5

"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with tools and a script, which is the current one."""
    (tmp_path / "tools.py").write_text(TOOLS)
    (tmp_path / "script.txt").write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capfd, *argv, tools="tools.py", model="script:script.txt", question="What is 2 + 3?"):
    asked = [question] if question else []
    code = main(["run", *asked, "--tools", tools, "--model", model, *argv])
    out, err = capfd.readouterr()
    return code, out, err


def script(place, *replies):
    (place / "script.txt").write_text("\n---\n".join(replies))


def read(path):
    with Path(path).open("rb") as stream:
        return trace_of(open_recording(stream).events())


@pytest.mark.usefixtures("place")
def test_a_run_prints_its_steps_and_ends_with_0(capfd):
    assert run(capfd) == (0, SHOWN, "")


def test_a_script_may_be_json_lines(place, capfd):
    lines = [json.dumps({"llm_output": reply}) for reply in SCRIPT.split("\n---\n")]
    (place / "script.txt").write_text("\n".join(lines))
    assert run(capfd) == (0, SHOWN, "")


def test_what_a_tool_needs_is_said_beside_the_steps(place, capfd):
    script(place, 'Action: secret\nAction Input: {"name": "ITS_KEY"}', "Final Answer: 5")
    assert run(capfd)[2] == "secret: tools see few variables of the environment; --env ITS_KEY adds this one\n"
    assert run(capfd, "--format", "json")[2].startswith("secret: tools see few variables")
    assert run(capfd, "-q")[2] == ""


@pytest.mark.usefixtures("place")
def test_json_is_one_document(capfd):
    code, out, err = run(capfd, "--format", "json")
    document = json.loads(out)
    for step in document["steps"]:
        assert step.pop("duration_ms") >= 0
    assert (code, err, document) == (0, "", {
        "schema": "reactcli/run@1", "question": "What is 2 + 3?", "status": "finished", "reason": None, "answer": "5",
        "iterations": 2, "steps": [
            {"step": 1, "thought": "I have to add.", "action": "add", "action_input": '{"a": 2, "b": 3}',
             "final_answer": None, "is_final": False, "observation": "5", "dialect": "classic",
             "llm_output": 'Thought: I have to add.\nAction: add\nAction Input: {"a": 2, "b": 3}'},
            {"step": 2, "thought": "That is it.", "action": None, "action_input": None, "final_answer": "5",
             "is_final": True, "observation": None, "dialect": "classic",
             "llm_output": "Thought: That is it.\nFinal Answer: 5"},
        ], "usage": None,
    })  # fmt: skip


@pytest.mark.parametrize(
    "case",
    [
        (["Action: add\nAction Input: 1, 2"], [], "llm_error", "the script has no more replies after 1"),
        (["hm", "hm", "hm"], [], "parse_error", "3 replies in a row had no action and no answer"),
        (
            ["Action: boom\nAction Input: x"],
            ["--fatal-errors", "ValueError"],
            "tool_error",
            "'boom' failed: ValueError",
        ),
        (["Action: nosuch"] * 9, [], "loop", "'nosuch'"),
        ([f"Action: boom\nAction Input: {n}" for n in "ab"], ["--max-steps", "2"], "max_steps", "after 2 steps"),
        (['Action: slow\nAction Input: {"seconds": 9}'] * 3, ["--deadline", "0.4"], "stopped", "the deadline of 0.4 s"),
        (["Action: boom\nAction Input: x"] * 9, ["--max-tokens", "9"], "stopped", "the limit of 9 tokens"),
    ],
    ids=["script", "parse", "fatal", "loop", "steps", "deadline", "tokens"],
)
def test_without_an_answer_the_exit_code_is_1_and_the_reason_is_said(place, capfd, case):
    replies, options, status, reason = case
    script(place, *replies)
    code, out, err = run(capfd, *options)
    assert (code, out.rstrip().splitlines()[-1]) == (1, f"Status: {status}")
    told = err.splitlines()[-1]
    assert (told.startswith("reactcli: no answer: "), reason in told) == (True, True)


def test_json_says_why_there_is_no_answer(place, capfd):
    script(place, "hm")
    code, out, _ = run(capfd, "--format", "json", "--max-parse-errors", "1")
    document = json.loads(out)
    assert (code, document["status"], document["answer"], document["iterations"]) == (1, "parse_error", None, 1)
    assert (
        document["reason"] == "1 reply in a row had no action and no answer; the last: no label, tag or call was found"
    )


def test_errors_of_tools_are_told_to_the_model(place, capfd):
    replies = [
        "Action: boom\nAction Input: a",
        "Action: gone\nAction Input: a",
        "Action: add\nAction Input: {}",
        "Final Answer: x",
    ]
    script(place, *replies)
    code, out, _ = run(capfd)
    assert code == 0
    for said in ("Error: ValueError: no a", "its process ended with exit status 3", "missing: 'a', 'b'"):
        assert said in out


def test_a_time_limit_is_an_observation_and_the_run_goes_on(place, capfd):
    script(place, 'Action: slow\nAction Input: {"seconds": 9}', "Final Answer: x")
    code, out, _ = run(capfd, "--timeout", "0.3")
    assert (code, "'slow' ran out of its time of 0.3 s" in out) == (0, True)


def test_actions_of_one_reply_run_side_by_side(place, capfd):
    inputs = ", ".join(['{"seconds": 0.4}'] * 4)
    script(place, f"Action: slow, slow, slow, slow\nAction Input: {inputs}", "Final Answer: x")
    code, _, _ = run(capfd, "--timeout", "1.2", "--record", "run.jsonl")
    step = read("run.jsonl").steps[0]
    assert (code, [action.observation for action in step.parallel_actions]) == (0, ["late"] * 4)
    assert read("run.jsonl").meta["steps"][0]["duration_ms"] < 1500


@pytest.mark.usefixtures("place")
def test_a_recording_replays_to_the_same_text(capfd):
    run(capfd, "--record", "run.jsonl")
    assert run(capfd, question="", tools="trace:run.jsonl", model="trace:run.jsonl") == (0, SHOWN, "")
    assert run(capfd, question="", model="trace:run.jsonl") == (0, SHOWN, "")
    assert main(["replay", "run.jsonl", "--check"]) == 0
    assert main(["replay", "run.jsonl", "--check", "--tools", "tools.py"]) == 0


def test_a_recorded_model_that_diverges_says_how(place, capfd):
    run(capfd, "--record", "run.jsonl")
    (place / "other.py").write_text("def add(a: int, b: int) -> int:\n    return a * b\n")
    code, _, err = run(capfd, question="", tools="other.py", model="trace:run.jsonl")
    assert (code, "step 1 diverges from the recording" in err, "the observation was '5' and is '6'" in err) == (
        1,
        True,
        True,
    )


def test_a_run_that_was_cut_off_is_gone_on_with(place, capfd):
    script(place, *SCRIPT.split("\n---\n"))
    run(capfd, "--record", "run.jsonl")
    lines = (place / "run.jsonl").read_bytes().splitlines(keepends=True)
    (place / "run.jsonl").write_bytes(b"".join(lines[:2]) + lines[2][:20])
    script(place, "Final Answer: five")
    code, out, err = run(capfd, "--resume", "run.jsonl", question="")
    assert (code, out.endswith("Step 2\nFinal Answer: five\n\n")) == (0, True)
    assert err == "20 bytes of a torn record were moved to 'run.jsonl.torn'\n"
    trace = read("run.jsonl")
    assert (trace.diagnostics, trace.final_answer, len(trace.steps)) == ((), "five", 2)


def test_a_fork_says_where_it_comes_from(place, capfd):
    run(capfd, "--record", "run.jsonl")
    before = (place / "run.jsonl").read_bytes()
    script(place, "Final Answer: five")
    assert run(capfd, "--resume", "run.jsonl", "--from", "1", "--record", "fork.jsonl", question="")[0] == 0
    trace = read("fork.jsonl")
    assert (trace.meta["resumed"], trace.final_answer) == ({"file": "run.jsonl", "step": 1}, "five")
    assert trace.steps[0] == read("run.jsonl").steps[0]
    assert (place / "run.jsonl").read_bytes() == before


def test_an_answer_in_the_first_step_is_dropped_as_the_hint_says(place, capfd):
    script(place, "Final Answer: 5")
    run(capfd, "--record", "run.jsonl")
    script(place, "Final Answer: five")
    fork = ("--resume", "run.jsonl", "--record", "fork.jsonl", "--from")
    assert "; --from 0 drops it" in run(capfd, *fork, "1", question="")[2]
    assert run(capfd, *fork, "0", question="")[0] == 0
    trace = read("fork.jsonl")
    assert (trace.question, trace.final_answer, len(trace.steps)) == ("What is 2 + 3?", "five", 1)


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["q"], "no tools are given"),
        (["q", "--tools", "tools.py"], "no model is given"),
        (["q", "--tools", "tools.py", "--model", "gpt"], "'gpt' is no model"),
        (["q", "--tools", "tools.py", "--model", "script:nosuch"], "cannot read 'nosuch'"),
        (["--tools", "tools.py", "--model", "script:script.txt"], "no question is given"),
        (["q", "--tools", "nosuch.py", "--model", "script:script.txt"], "there is no file 'nosuch.py'"),
        (
            ["q", "--tools", "tools.py", "--model", "script:script.txt", "--template", "script.txt"],
            "no slot for the question",
        ),
        (
            ["q", "--tools", "tools.py", "--model", "script:script.txt", "--language", "tlh"],
            "no prompt language is called",
        ),
        (
            ["q", "--tools", "tools.py", "--model", "script:script.txt", "--max-steps", "0"],
            "--max-steps: '0' is no number",
        ),
        (["q", "--tools", "tools.py", "--model", "script:script.txt", "--from", "1"], "--from is a step of --resume"),
        (["q", "--tools", "tools.py", "--model", "script:script.txt", "--record", "tools.py"], "is no recording"),
        (["q", "--tools", "tools.py", "--tools", "trace:x", "--model", "script:script.txt"], "recorded tools answer"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_wrong_usage_is_2_and_one_line(capfd, argv, message):
    code = main(["run", *argv])
    err = capfd.readouterr().err
    assert (code, message in err, err.count("\n")) == (2, True, 1)


@pytest.mark.usefixtures("place")
def test_a_call_cannot_be_confirmed_without_a_terminal():
    argv = ["run", "q", "--tools", "tools.py", "--model", "script:script.txt", "--confirm"]
    done = subprocess.run(
        [sys.executable, "-m", "reactcli", *argv], capture_output=True, check=False, timeout=60, start_new_session=True
    )
    assert (done.returncode, b"--confirm asks on the terminal" in done.stderr) == (2, True)


@pytest.mark.usefixtures("place")
def test_going_on_needs_something_to_go_on_with(capfd):
    run(capfd, "--record", "run.jsonl")
    for argv, message in (
        (["--resume", "run.jsonl"], "'run.jsonl' has ended as 'finished'"),
        (["--resume", "run.jsonl", "--from", "1"], "going on from an earlier step makes another run"),
        (["--resume", "run.jsonl", "--from", "1", "--record", "./run.jsonl"], "cannot be recorded over"),
        (["--resume", "run.jsonl", "--from", "2", "--record", "b"], "has the final answer"),
        (["--resume", "run.jsonl", "--from", "1", "--record", "b", "other?"], "answers another question"),
    ):
        code, _, err = run(capfd, *argv, question="")
        assert (code, message in err) == (2, True)
    code, _, err = run(capfd, "--resume", "run.jsonl", "--from", "3", "--record", "b", question="")
    assert (code, "the recording has no step 3, it has 2" in err) == (1, True)


# -- signals


def started(*argv):
    """A run in a process of its own, once its tool has begun."""
    command = [sys.executable, "-m", "reactcli", "run", "q", "--tools", "tools.py", "--model", "script:script.txt"]
    process = subprocess.Popen(
        [*command, *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout is not None
    return process


@pytest.mark.parametrize(
    ("number", "code", "reason"),
    [(signal.SIGINT, 130, "interrupted by Ctrl-C"), (signal.SIGTERM, 143, "terminated"), (signal.SIGHUP, 129, "gone")],
)
def test_a_signal_ends_the_run_with_its_trace_whole(place, number, code, reason):
    script(place, 'Action: add\nAction Input: {"a": 1, "b": 1}', 'Action: slow\nAction Input: {"seconds": 60}')
    process = started("--record", "run.jsonl")
    while b"Observation: 2" not in process.stdout.readline():
        pass
    began = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, time.monotonic() - began < 3, b"Traceback" in err) == (code, True, False)
    assert out.decode().rstrip().endswith("Status: stopped")
    trace = read("run.jsonl")
    assert (trace.diagnostics, trace.status, reason in trace.meta["reason"]) == ((), "stopped", True)
    assert [step.observation for step in trace.steps] in (["2"], ["2", None])


@pytest.mark.parametrize("delay", [0.0, 0.01, 0.05, 0.13, 0.21])
def test_ctrl_c_at_any_time_ends_quietly_and_leaves_no_damage(place, delay):
    script(place, *[f'Action: slow\nAction Input: {{"seconds": 0.0{n}}}' for n in range(1, 10)] * 9)
    process = started("--record", "run.jsonl", "--max-steps", "99")
    process.stdout.readline()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(delay)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert (process.returncode, b"Traceback" in err) == (130, False)
    if (place / "run.jsonl").exists() and (place / "run.jsonl").stat().st_size:
        assert {note.code for note in read("run.jsonl").diagnostics} <= {"no-end-record"}


def test_a_run_that_was_interrupted_is_over(place, capfd):
    """Its end is recorded, so going on with it is a fork."""
    script(place, 'Action: add\nAction Input: {"a": 1, "b": 1}', 'Action: slow\nAction Input: {"seconds": 60}')
    process = started("--record", "run.jsonl")
    while b"Observation: 2" not in process.stdout.readline():
        pass
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    script(place, "Final Answer: x")
    code, _, err = run(capfd, "--resume", "run.jsonl", question="")
    assert (code, "has ended as 'stopped'" in err) == (2, True)
    assert run(capfd, "--resume", "run.jsonl", "--from", "1", "--record", "b", question="")[0] == 0


def test_an_action_without_its_result_is_run_before_the_model_is_asked(place, capfd):
    first, second = 'Action: add\nAction Input: {"a": 1, "b": 1}', 'Action: add\nAction Input: {"a": 2, "b": 2}'
    script(place, first, second)
    run(capfd, "--record", "whole.jsonl")
    steps = list(read("whole.jsonl").steps)
    with Recorder("run.jsonl") as recorder:
        recorder.begin("What is 2 + 3?", {}, ())
        recorder.add(Recorded(steps[0], {"llm_output": first}))
        recorder.add(Recorded(steps[1].replace(observation=None), {"llm_output": second}))
        recorder.finish(End("stopped", "interrupted by Ctrl-C"), 2)
    script(place, "Final Answer: 4")
    for fork in (["--from", "2"], []):
        code, out, _ = run(capfd, "--resume", "run.jsonl", *fork, "--record", f"{len(fork)}.jsonl", question="")
        trace = read(f"{len(fork)}.jsonl")
        assert (code, [step.observation for step in trace.steps]) == (0, ["2", "4", None])
        assert (trace.steps[:2], trace.meta["resumed"]["step"], trace.diagnostics) == (tuple(steps), 2, ())
        assert out.split("\n\n")[1].startswith("Step 2\nAction: add\n")


def test_a_reader_that_goes_away_ends_the_run_quietly(place):
    script(place, *['Action: add\nAction Input: {"a": 1, "b": 1}'] * 3)
    process = started()
    process.stdout.close()
    assert (process.wait(20), process.stderr.read()) == (141, b"")
    process.stderr.close()


# -- terminals


def on_terminal(argv, answers=b""):
    """What a terminal gets, and the exit code. The terminal is that of the program, which can be asked on it."""
    ours, theirs = pty.openpty()
    program = "import os, sys; os.login_tty(0); os.execv(sys.argv[1], sys.argv[1:])"
    login = [sys.executable, "-c", program]
    command = [sys.executable, "-m", "reactcli", *argv]
    environment = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
    process = subprocess.Popen([*login, *command], stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b""
    while piece := read_terminal(ours):
        shown += piece
        if answers and b"[y/N]" in shown:
            os.write(ours, answers)
            answers = b""
    os.close(ours)
    return shown.decode(), process.wait(20)


def read_terminal(terminal):
    """What a terminal shows next; nothing once the program has let go of it."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


def test_on_a_terminal_words_come_as_they_are_written_and_pass_the_gate(place):
    script(place, "Thought: one\ntwo \x1b]0;x\x07\nAction: bell\nAction Input: a", "Final Answer: \x1b[2Jdone")
    shown, code = on_terminal(["run", "q", "--tools", "tools.py", "--model", "script:script.txt"])
    text = shown.replace("\r\n", "\n")
    for part in (
        "Question: q\n", "Thought: one\n  two \\x1b]0;x\\x07\nAction: bell\nAction Input: a\n",
        "Observation: \\x1b[2J\\x07a\n", "Final Answer: \\x1b[2Jdone\n",
    ):  # fmt: skip
        assert part in text
    assert (code, "\x1b[2J" in text, "\x1b]0" in text, "\x07" in text) == (0, False, False, False)


def test_on_a_terminal_a_long_observation_is_cut_and_the_recording_has_it(place):
    script(place, f"Action: bell\nAction Input: {'a' * 2000}", "Final Answer: 5")
    argv = ["run", "q", "--tools", "tools.py", "--model", "script:script.txt", "--record", "run.jsonl"]
    shown, code = on_terminal(argv)
    kept = read("run.jsonl").steps[0].observation
    left = f"… {len(kept) - 1200:,} more characters; a recording (--record) keeps them"
    assert (code, left in shown, kept) == (0, True, "\x1b[2J\x07" + "a" * 2000)


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(("answer", "code", "status"), [(b"y\n", 0, "Final Answer: 5"), (b"n\n", 1, "Status: stopped")])
def test_a_call_can_be_confirmed_or_denied(answer, code, status):
    argv = ["run", "q", "--tools", "tools.py", "--model", "script:script.txt", "--confirm"]
    shown, ended = on_terminal(argv, answer)
    assert (ended, "run add(a=2, b=3)? [y/N]" in shown, status in shown) == (code, True, True)


def test_nothing_spins_before_every_question_is_answered(place):
    script(place, "Action: bell, bell\nAction Input: a, b", "Final Answer: 5")
    argv = ["run", "q", "--tools", "tools.py", "--model", "script:script.txt", "--confirm"]
    shown, code = on_terminal(argv, b"y\ny\n")
    before, _, behind = shown.rpartition("[y/N]")
    spinning = before.count("\x1b[?25l") - before.count("\x1b[?25h")  # a spinner hides the cursor
    assert (code, before.count("run bell("), spinning, "running bell, bell" in behind) == (0, 2, 0, True)


# -- prompt


def prompt(capfd, *argv):
    code = main(["prompt", *argv])
    out, err = capfd.readouterr()
    return code, out, err


@pytest.mark.usefixtures("place")
def test_the_first_prompt_of_a_question_is_printed(capfd):
    code, out, err = prompt(capfd, "What is 2 + 3?", "--tools", "tools.py:add", "--language", "zh")
    assert (code, err, out.endswith("Question: What is 2 + 3?\n\n"), "a (integer, 必填)" in out) == (0, "", True, True)


def test_a_prompt_can_be_json(place, capfd):
    (place / "t.txt").write_text("Q: {question}\nThought:")
    found = json.loads(prompt(capfd, "q", "--template", "t.txt", "--format", "json")[1])
    assert found == {"schema": "reactcli/prompt@1", "prompt": "Q: q\nThought:", "estimated_tokens": 4}
    found = json.loads(prompt(capfd, "q", "--template", "t.txt", "--history", "messages")[1])
    assert found["prompt"] == [{"role": "user", "content": "Q: q\nThought:"}]


@pytest.mark.parametrize("history", ["scratchpad", "messages"])
def test_what_the_model_saw_at_each_step_can_be_printed(place, capfd, history):
    seen = place / "seen.jsonl"
    replies = ["hm", "Action: boom\nAction Input: x", *SCRIPT.split("\n---\n")]
    prompts = []

    def model(asked):
        prompts.append(asked)
        return replies[len(prompts) - 1]

    def boom(text: str) -> str:
        raise ValueError(text)

    with Recorder(str(seen)) as recorder:
        tools = [boom, add]
        ReActEngine(model, tools, recorder=recorder, history=history, reflect=True, context=300, language="vi").run(
            "q?"
        )
    for step, asked in enumerate(prompts, 1):
        code, out, err = prompt(capfd, "seen.jsonl", "--step", str(step), "--format", "json")
        assert (code, err, json.loads(out)["prompt"]) == (0, "", asked)
    code, _, err = prompt(capfd, "seen.jsonl", "--step", "9")
    assert (code, "the trace has no step 9, it has 4" in err) == (1, True)


def add(a: int, b: int) -> int:
    return a + b


def test_the_prompt_of_any_trace_can_be_made(place, capfd):
    (place / "trace.txt").write_text(
        "Question: q\nThought: t\nAction: add\nAction Input: 1, 2\nObservation: 3\nThought: u\nFinal Answer: 3\n"
    )
    (place / "t.txt").write_text("Q: {question}\n{scratchpad}")
    code, out, _ = prompt(capfd, "trace.txt", "--step", "2", "--template", "t.txt")
    assert (code, out) == (0, "Q: q\nThought: t\nAction: add\nAction Input: 1, 2\nObservation: 3\n\n")
