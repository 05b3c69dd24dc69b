"""The program as a process: streams that are closed, full, broken or terminals; signals; odd worlds."""

from __future__ import annotations

import json
import os
import pty
import resource
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

COMMAND = [sys.executable, "-m", "reactcli"]
REPLY = b"Thought: t\nAction: search\nAction Input: x\n"
LONG = b"Thought: t\nFinal Answer: " + b"word " * 400_000 + b"\n"
PLAIN = {"PATH": os.defpath, "LANG": "C.UTF-8", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


class Result(NamedTuple):
    code: int
    out: bytes
    err: bytes


def run(*argv, stdin=REPLY, env=None, **named):
    world = {**PLAIN, **(env or {})}
    done = subprocess.run(
        [*COMMAND, *argv], input=stdin, capture_output=True, env=world, timeout=30, check=False, **named
    )
    return Result(done.returncode, done.stdout, done.stderr)


def on_a_terminal(*argv, stdin=None, env=None):
    """Runs with a terminal as stdout and stderr, and as stdin unless there is something to read."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [*COMMAND, *argv],
        stdin=theirs if stdin is None else subprocess.PIPE,
        stdout=theirs,
        stderr=theirs,
        env={**PLAIN, "TERM": "xterm-256color", **(env or {})},
    )
    os.close(theirs)
    if child.stdin is not None:
        child.stdin.write(stdin)
        child.stdin.close()
    shown = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    return child.wait(30), shown.replace(b"\r\n", b"\n").decode()


def _read(terminal):
    """What a terminal shows next; nothing once the program has let go of it."""
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        return b""


def test_stdin_is_read_without_a_file_and_for_a_dash():
    expected = run("parse")
    assert json.loads(expected.out)["action"] == "search"
    assert run("parse", "-") == expected


def test_diagnostics_of_stdin_name_it():
    assert run("parse", stdin=b"prose").err.startswith(b"<stdin>:1:1: error[nothing-recognised] ")


@pytest.mark.parametrize("argv", [("parse",), ("parse", "-"), ("parse", "--input", "jsonl"), ("parse", "--stream")])
def test_a_terminal_as_stdin_gets_the_usage(argv):
    usage = "usage: reactcli parse [OPTIONS] [FILE]..., as in: reactcli parse < out.txt"
    assert on_a_terminal(*argv) == (2, f"reactcli: no input: stdin is a terminal; {usage}\n")


def test_json_on_a_terminal_is_coloured_and_drives_nothing():
    hostile = "Thought: \x1b]52;c;eA==\x07\x9b2J\u202e\u2028\U000e0041[/x] end\n".encode()
    code, shown = on_a_terminal("parse", "-q", stdin=hostile)
    assert code == 0
    assert '  \x1b[34m"thought"\x1b[0m: \x1b[32m"' in shown
    assert not {"\x07", "\x9b", "\u202e", "\u2028", "\U000e0041"} & set(shown)
    assert shown.count("\x1b") == len([part for part in shown.split("\x1b[") if part[:1].isdigit()])


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}])
def test_colour_is_left_out_where_it_is_not_wanted(env):
    code, shown = on_a_terminal("parse", stdin=REPLY, env=env)
    assert (code, shown) == (0, run("parse").out.decode())


def test_force_color_colours_a_pipe():
    assert b"\x1b[34m" in run("parse", env={"FORCE_COLOR": "1"}).out
    assert b"\x1b[34m" not in run("parse", "--color", "never", env={"FORCE_COLOR": "1"}).out


def test_get_on_a_terminal_goes_through_the_gate():
    assert on_a_terminal("parse", "--get", "final_answer", stdin=b"Final Answer: a\x1b[2Jb") == (0, "a\\x1b[2Jb\n")


@pytest.mark.parametrize("columns", ["1", "0", "-5", "100000", "abc"])
def test_any_width_makes_a_table(columns):
    code, shown = on_a_terminal("parse", "--format", "table", stdin=REPLY, env={"COLUMNS": columns})
    assert code == 0
    assert "search" in shown


def test_nobody_reading_ends_quietly_with_141():
    child = subprocess.Popen(
        [*COMMAND, "parse"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=PLAIN
    )
    child.stdout.close()
    child.stdout = None
    _, err = child.communicate(LONG, timeout=30)
    assert (child.returncode, err) == (141, b"")


def test_a_closed_stdout_is_an_error():
    result = run("parse", preexec_fn=lambda: os.close(1))
    assert (result.code, result.err) == (1, b"reactcli: cannot write to stdout: it is closed\n")


@pytest.mark.parametrize("argv", [("parse",), ("--version",), ("--help",), ("parse", "--help"), ("dialects",)])
def test_a_full_disk_is_an_error(argv):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, *argv], input=REPLY, stdout=full, stderr=subprocess.PIPE, env=PLAIN, timeout=30, check=False
        )
    assert done.returncode == 1
    assert done.stderr.startswith(b"reactcli: ")
    assert done.stderr.endswith(b"no space left on device\n")
    assert done.stderr.count(b"\n") == 1


def test_a_closed_stdin_is_an_error():
    result = run("parse", stdin=None, preexec_fn=lambda: os.close(0))
    assert (result.code, result.out) == (2, b"")
    assert result.err == b"reactcli: cannot read '<stdin>': it is closed; name a file, or pipe one in\n"


def test_a_closed_stderr_changes_nothing_else():
    open_ = run("parse", stdin=b"prose")
    closed = run("parse", stdin=b"prose", preexec_fn=lambda: os.close(2))
    assert closed == (1, open_.out, b"")


def test_an_endless_device_stops_at_the_limit():
    with Path("/dev/zero").open("rb") as zero:
        done = subprocess.run([*COMMAND, "parse"], stdin=zero, capture_output=True, env=PLAIN, timeout=30, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"reactcli: '<stdin>' is larger than 64 MiB; --max-input ")


def test_files_that_cannot_be_read_are_one_line_each(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    for path in ("/", "gone", "loop", "", "/etc/passwd/x", "x" * 5000, "a\nb", "\udcff\udc9b"):
        result = run("parse", path, cwd=tmp_path)
        assert (result.code, result.out) == (2, b"")
        assert result.err.startswith(b"reactcli: cannot read '")
        assert result.err.count(b"\n") == 1
        assert len(result.err) <= 500


def test_a_fifo_is_waited_for(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    child = subprocess.Popen([*COMMAND, "parse", "fifo"], stdout=subprocess.PIPE, env=PLAIN, cwd=tmp_path)
    with (tmp_path / "fifo").open("wb") as fifo:
        fifo.write(REPLY)
    assert json.loads(child.communicate(timeout=30)[0])["action"] == "search"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_waiting_ends_quietly(number, code):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    child = subprocess.Popen([*COMMAND, "parse", "--stream"], env=PLAIN, **pipes)
    child.stdin.write(b"Thought: so\nAction: f\n")
    child.stdin.flush()
    assert select.select([child.stdout], [], [], 20)[0] != []
    assert child.stdout.readline() == b'{"event": "text", "part": "thought", "text": "so"}\n'
    child.send_signal(number)
    child.stdin.close()
    assert (child.wait(30), child.stderr.read()) == (code, b"")
    child.stdout.close()
    child.stderr.close()


def test_events_and_records_are_printed_as_the_input_arrives():
    cases = ((("--stream",), b"Thought: so\nAction: f\n"), (("--input", "jsonl"), b'{"text": "Action: f"}\n'))
    for argv, line in cases:
        child = subprocess.Popen(
            [*COMMAND, "parse", *argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=PLAIN, bufsize=0
        )
        child.stdin.write(line)
        assert select.select([child.stdout], [], [], 20)[0] != []
        child.stdin.close()
        assert child.stdout.read().endswith(b"\n")
        assert child.wait(30) == 0
        child.stdout.close()


@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "utf-16"},
        {"LANG": "C", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"LC_ALL": "nonsense"},
    ],
)
def test_the_locale_changes_nothing(env):
    text = "Thought: é→😀\nFinal Answer: ü\n".encode()
    assert run("parse", stdin=text, env=env) == run("parse", stdin=text)


def test_a_deleted_folder_is_no_reason_to_fail(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    result = run("parse", preexec_fn=lambda: (os.chdir(gone), gone.rmdir()))
    assert (result.code, result.err) == (0, b"")


def test_sixteen_descriptors_are_enough():
    limits = (16, 16)
    assert run("parse", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limits)).code == 0


@pytest.mark.parametrize(
    "argv",
    [
        ["nosuch\x1b]0;PWN\x07[/x]"],
        ["parse", "--no\x1b[38;2;13;37;42m[/x]\u202e"],
        ["parse", "--get", "\x9b\u2028"],
        ["parse", "--dialect", "a\nb" * 1000],
        ["parse", "--format", "\x1b" * 1000],
    ],
)
def test_a_hostile_command_line_is_explained_in_one_harmless_line(argv):
    code, shown = on_a_terminal(*argv, stdin=b"")
    assert code == 2
    assert shown.startswith("reactcli: ")
    assert shown.index("\n") == len(shown) - 1
    assert len(shown.encode()) <= 500
    assert shown[:-1].isprintable()


def test_a_mistyped_command_is_met_with_a_suggestion():
    result = run("prase")
    assert (result.code, result.out) == (2, b"")
    assert result.err.startswith(b"reactcli: no such command 'prase'")
    assert b"'parse'" in result.err


def test_no_command_gets_the_help_on_stderr():
    result = run()
    assert (result.code, result.out) == (2, b"")
    assert result.err == run("--help").out


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize("command", [(), ("parse",), ("dialects",)])
def test_help_shows_a_line_to_paste_and_is_plain(command, flag):
    result = run(*command, flag)
    assert (result.code, result.err) == (0, b"")
    assert b"Examples:\n    reactcli " in result.out
    assert result.out.isascii()
    assert b"\x1b" not in result.out


def test_completion_offers_commands_and_options():
    asked = {"_REACTCLI_COMPLETE": "complete_bash", "COMP_WORDS": "reactcli pa", "COMP_CWORD": "1"}
    assert run(env=asked).out.split() == [b"parse"]
    asked = {"_REACTCLI_COMPLETE": "complete_bash", "COMP_WORDS": "reactcli parse --impl", "COMP_CWORD": "2"}
    assert run(env=asked).out.split() == [b"--implicit-final"]


def test_debug_shows_where_an_error_came_from():
    plain, debug = run("parse", "gone"), run("parse", "gone", env={"REACTCLI_DEBUG": "1"})
    assert plain.err.count(b"\n") == 1
    assert debug.err.startswith(b"Traceback (most recent call last):\n")
    assert debug.err.endswith(plain.err)


def test_dialects_are_a_table_for_people_and_json_for_programs():
    table, document = run("dialects"), run("dialects", "--format", "json")
    listed = json.loads(document.out)
    assert (table.code, table.err, document.code, document.err) == (0, b"", 0, b"")
    assert list(listed) == ["schema", "dialects"]
    assert [list(dialect) for dialect in listed["dialects"]] == [
        ["name", "title", "aliases", "family", "explicit", "example"]
    ] * len(listed["dialects"])
    for dialect in listed["dialects"]:
        assert dialect["name"].encode() in table.out


def test_the_example_of_every_dialect_is_read_in_it():
    for dialect in json.loads(run("dialects", "--format", "json").out)["dialects"]:
        result = run("parse", "--dialect", dialect["name"], stdin=dialect["example"].encode())
        assert (dialect["name"], result.code) == (dialect["name"], 0)
