"""Where `-o` and `--update` write: files whole or not at all, links followed, devices and pipes written to."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from reactcli.cli.shell import main

STEPS = '{"thought": "known", "final_answer": "Kelp is an alga."}\n'
SHOWN = "Step 1\nThought: known\nFinal Answer: Kelp is an alga.\n\n"
TOOLS = "def search(q):\n    return 'now'\n"
CALLS = '{"action": "search", "action_input": "a", "observation": "then"}\n' * 3


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t").write_text(STEPS)


def names():
    return sorted(path.name for path in Path().iterdir())


def test_a_pipe_is_written_to_and_stays_a_pipe():
    os.mkfifo("pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append(Path("pipe").read_text()))
    reader.start()
    code = main(["replay", "-o", "pipe", "t"])
    reader.join()
    assert (code, read, stat.S_ISFIFO(Path("pipe").stat().st_mode)) == (0, [SHOWN], True)


@pytest.mark.parametrize("options", [[], ["--force"]])
def test_a_device_is_written_to_and_stays_a_device(options):
    Path("null").symlink_to("/dev/null")
    assert main(["convert", "--to", "md", "-o", "null", *options, "t"]) == 0
    assert (Path("null").is_symlink(), stat.S_ISCHR(Path("/dev/null").stat().st_mode)) == (True, True)


def test_a_link_is_followed_and_its_file_keeps_its_mode():
    Path("file").write_text("old")
    Path("file").chmod(0o640)
    Path("link").symlink_to("file")
    assert main(["replay", "-o", "link", "t"]) == 2
    assert main(["replay", "-o", "link", "--force", "t"]) == 0
    assert (Path("link").is_symlink(), Path("file").read_text()) == (True, SHOWN)
    assert stat.S_IMODE(Path("file").stat().st_mode) == 0o640
    assert names() == ["file", "link", "t"]


def test_a_folder_is_refused(capfd):
    Path("there").mkdir()
    assert main(["replay", "-o", "there", "--force", "t"]) == 2
    assert capfd.readouterr().err == "reactcli: 'there' is a folder; name a file in it\n"


@pytest.mark.parametrize("target", ["-", "/dev/stdout"])
def test_standard_output_is_a_target(capfd, target):
    assert main(["replay", "-o", target, "t"]) == 0
    assert main(["convert", "--to", "react", "-o", target, "t"]) == 0
    assert capfd.readouterr() == (f"{SHOWN}Thought: known\nFinal Answer: Kelp is an alga.\n", "")
    assert names() == ["t"]


@pytest.mark.parametrize(
    "argv",
    [
        ["replay", "-o", "new", "--steps", "9", "t"],
        ["replay", "-o", "new", "--episode", "9", "t"],
        ["replay", "-o", "new", "--grep", "nothing", "t"],
        ["replay", "-o", "new", "empty"],
        ["replay", "-o", "new", "no"],
        ["convert", "--to", "md", "-o", "new", "empty"],
        ["convert", "--to", "atif", "-o", "new", "two"],
    ],
    ids=" ".join,
)
def test_a_failure_leaves_no_file(argv):
    Path("empty").write_text('{"steps": []}')
    Path("no").write_text("hello\n")
    Path("two").write_text("Question: a\nFinal Answer: 1\n\nQuestion: b\nFinal Answer: 2\n")
    assert main(argv) == 1
    assert names() == ["empty", "no", "t", "two"]


def test_an_update_holds_the_steps_that_were_not_run_too(capfd):
    Path("tools.py").write_text(TOOLS)
    Path("calls").write_text(CALLS)
    check = ["replay", "--tools", "./tools.py", "--check", "--steps", "2", "--update", "new", "calls"]
    assert main(check) == 1
    capfd.readouterr()
    assert main(["replay", "--only", "observation", "new"]) == 0
    said = [line for line in capfd.readouterr().out.splitlines() if line.startswith("Observation")]
    assert said == ["Observation: then", "Observation: now", "Observation: then"]


def test_an_update_on_standard_output_has_its_report_on_standard_error(capfd):
    Path("tools.py").write_text(TOOLS)
    Path("calls").write_text(CALLS)
    main(["replay", "--tools", "./tools.py", "--check", "--update", "-", "calls"])
    out, err = capfd.readouterr()
    assert len(out.splitlines()) == 5
    assert err.endswith("3 calls checked: 3 diverged\n")


@pytest.mark.parametrize(("options", "explained"), [([], 1), (["--full"], 3)])
def test_every_divergence_is_explained_if_asked_for(options, explained):
    Path("tools.py").write_text(TOOLS)
    Path("calls").write_text(CALLS)
    assert main(["replay", "--tools", "./tools.py", "--check", "-o", "report", *options, "calls"]) == 1
    report = Path("report").read_text()
    assert (report.count("Recorded: then"), report.count("step ")) == (explained, 3)
