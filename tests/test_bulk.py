"""JSON Lines in bulk: what is read at a glance, or by several processes, comes out as if read one by one."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys

import pytest
from texts import FRAGMENTS, texts

from reactcli.cli import parse as command
from reactcli.cli.input import lines_of
from reactcli.cli.records import FIELDS
from reactcli.cli.shares import shares
from reactcli.loosejson import read_arguments
from reactcli.parser.unremarkable import is_unremarkable

SEED = 11
INPUTS = r"""x|K2|"quoted"|5|f({'a': 1})|{}|[]|{"q": "K2", "n": 5}|{"a": {"b": [1, {"c": 2}]}}|{"a": "b : c"}|{"A:": 1}
{"a": "12:30"}|{"a": 1, "a": 2}|{"a" :1,"a":2}|{"a": {"b": 1, "b": 2}}|[{"a": 1, "a": 2}]|{"a": "\":", "a": 1}|[01]
{"a": "{", "a": 1}|{"a": "\u0022:", "a": 1}|{"é": 1, "é": 2}|[NaN]|[1e400]|[-0]|["\ud800"]|["\ud83d\ude00"]|{'a': 1}
{"a": 1} tail|{"a": 1|{"a": 1,}|{"a": "é"}""".replace("\n", "|").split("|")
INPUTS += ["", '{\n  "a": 1,\n  "b": 2\n}', '{"a":\n1}', '{"a"\t:1,"a":2}', '{"a": "\x7f\u200b"}', f"[{'9' * 5000}]"]
INPUTS += ["[" * depth + "]" * depth for depth in (150, 201, 600)]
IDS = ["x", 4, -1, None, True, 2.5, 10**30, [1], {"a": 1}, "\x7f\u202e", 1e300, 0.1]


def reply(rng):
    thought = rng.choice(["t", "", "two\nlines", "a — dash", "ends in *", "a: b", "- item", *FRAGMENTS])
    thought += "".join(rng.choices(FRAGMENTS, k=rng.choice([0, 0, 1])))
    if rng.random() < 0.3:
        return f"Thought: {thought}\nFinal Answer: {rng.choice(FRAGMENTS)}{rng.choice(INPUTS)}"
    return f"Thought: {thought}\nAction: {rng.choice(['search', 'None', 'a b'])}\nAction Input: {rng.choice(INPUTS)}"


def line(rng):
    record = {rng.choice([*FIELDS, "other"]): reply(rng)}
    if rng.random() < 0.6:
        record["id"] = rng.choice(IDS)
    if rng.random() < 0.2:
        record |= {rng.choice([*FIELDS, "n"]): rng.choice([5, None, 10**400, {"a": [1]}, "text"])}
    written = json.dumps(record, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")
    odd = [written[:-1], b"", b" " + written, written + b"\r", b"\xef\xbb\xbf" + written]
    odd += [written.replace(b"e", b"\xff", 1), json.dumps(reply(rng)).encode(), b"[]"]
    deep = [b"[" * depth + b"]" * depth for depth in (150, 995, 1020)]
    plain = b'"output": "Thought: t\\nFinal Answer: a"'
    odd += [b'{"output": "x", ' + plain + b"}", *(b"{" + plain + b', "x": ' + value + b"}" for value in deep)]
    return rng.choice(odd) if rng.random() < 0.15 else written


def content(count, seed=SEED):
    rng = random.Random(seed)
    return b"\n".join(line(rng) for _ in range(count))


def bulk(**replaced):
    """The command line of a program in which constants of the shares are others."""
    changes = "".join(f"shares.{name} = {value}; " for name, value in replaced.items())
    program = f"import sys; from reactcli.cli import shares; {changes}from reactcli.cli.shell import main"
    return [sys.executable, "-c", f"{program}; sys.exit(main(sys.argv[1:]))", "parse", "--input", "jsonl"]


SHARED = {"LONG": 1, "SHARE": 1000, "processes": "lambda: 3"}
IN_ONE_PIECE = {"LONG": 1 << 40}


def run(replaced, *argv, **named):
    done = subprocess.run([*bulk(**replaced), *argv], capture_output=True, timeout=60, check=False, **named)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "options", [(), ("--field", "other"), ("--strict",), ("--on-both", "action", "--pick", "last")]
)
def test_what_is_read_at_a_glance_is_printed_as_if_it_was_looked_at(cli, monkeypatch, options):
    text = content(3000)
    monkeypatch.setattr(command, "MANY", 1 << 40)
    slow = cli("parse", "--input", "jsonl", *options, "a", a=text)
    monkeypatch.setattr(command, "MANY", 0)
    assert cli("parse", "--input", "jsonl", *options, "a", a=text) == slow
    assert cli("parse", "--input", "jsonl", *options, "a", "a", a=text).lines[0]["file"] == "a"


def test_most_plain_records_are_read_at_a_glance(cli, monkeypatch):
    monkeypatch.setattr(command, "MANY", 0)
    monkeypatch.setattr("reactcli.cli.parsed._read", None)  # the general way is closed
    replies = [
        'Thought: I need it.\nIt is far.\nAction: search\nAction Input: {"query": "K2", "filters": {"year": 1954}}',
        "Thought: I know — at last.\nFinal Answer: 8,611 m",
        "Thought: 我需要查询\nAction: search\nAction Input: 乔戈里峰",
    ]
    text = "\n".join(json.dumps({"id": n, "output": reply}) for n, reply in enumerate(replies))
    assert [record["line"] for record in cli("parse", "--input", "jsonl", "a", a=text).lines] == [1, 2, 3]


def test_an_input_is_unremarkable_only_if_nothing_is_said_of_it():
    given = [*INPUTS, *texts(20_000, seed=SEED)]
    plain = [text for text in given if text and text == text.strip() and is_unremarkable(text)]
    assert [text for text in plain if read_arguments(text, 0, len(text)).diagnostics] == []
    assert {"{}", '{"q": "K2", "n": 5}', '{"a": {"b": [1, {"c": 2}]}}', '{"a": "12:30"}', '{"A:": 1}'} <= set(plain)


@pytest.mark.parametrize("share", [1, 7, 100, 5000, 1 << 20])
@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n", b"\nx"])
def test_shares_are_whole_lines_and_nothing_is_left_out(tmp_path, monkeypatch, share, end):
    monkeypatch.setattr("reactcli.cli.shares.SHARE", share)
    path = tmp_path / "a"
    text = b"\n\nab\n" + b"c" * 300 + b"\n\r\n" + b"d\n" * 50 + end
    path.write_bytes(text)
    descriptor = os.open(path, os.O_RDONLY)
    found = [one for part in shares(descriptor) for one in lines_of(part.blocks(), 200, part.number) if one is not None]
    os.close(descriptor)
    assert found == [one for one in lines_of([text], 200) if one is not None]


@pytest.mark.parametrize(
    "options", [(), ("--strict",), ("-q",), ("--get", "action"), ("--get", "plan"), ("--steps",), ("--max-input", "2K")]
)
def test_several_processes_print_what_one_prints(tmp_path, options):
    (tmp_path / "a").write_bytes(content(600) + b"\n" + b"x" * 5000 + b"\n" + content(50))
    assert run(SHARED, *options, "a", cwd=tmp_path) == run(IN_ONE_PIECE, *options, "a", cwd=tmp_path)
    with (tmp_path / "a").open("rb") as one, (tmp_path / "a").open("rb") as other:
        assert run(SHARED, *options, stdin=one) == run(IN_ONE_PIECE, *options, stdin=other)


def test_what_stands_before_the_place_of_stdin_is_not_read_again(tmp_path):
    (tmp_path / "a").write_bytes(b"not for us\n" + content(100))
    with (tmp_path / "a").open("rb") as file:
        os.lseek(file.fileno(), len(b"not for us\n"), os.SEEK_SET)
        shared = run(SHARED, stdin=file)
        os.lseek(file.fileno(), len(b"not for us\n"), os.SEEK_SET)
        assert run(IN_ONE_PIECE, stdin=file) == shared


def test_a_pipe_by_name_is_not_touched(tmp_path):
    os.mkfifo(tmp_path / "a")
    writer = subprocess.Popen(["sh", "-c", "echo '\"Final Answer: x\"' > a"], cwd=tmp_path)
    code, out, _ = run(SHARED, "a", cwd=tmp_path)
    assert (code, writer.wait(30)) == (0, 0)
    assert json.loads(out)["final_answer"] == "x"


def test_nobody_reading_ends_all_processes_quietly(tmp_path):
    (tmp_path / "a").write_bytes(content(3000))
    child = subprocess.Popen([*bulk(**SHARED), "a"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with child.stdout, child.stderr:
        child.stdout.read(1)
        child.stdout.close()
        assert (child.stderr.read(), child.wait(30)) == (b"", 141)  # stderr ends when the last process does


def test_a_full_disk_is_one_line(tmp_path):
    (tmp_path / "a").write_bytes(content(100))
    with open("/dev/full", "wb") as full:  # noqa: PTH123  # a device
        done = subprocess.run([*bulk(**SHARED), "a"], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (1, b"reactcli: cannot write to stdout: no space left on device\n")


def test_a_process_that_dies_is_one_line_and_never_a_hang(tmp_path):
    (tmp_path / "a").write_bytes(content(100))
    dying = {**SHARED, "Share.blocks": "lambda share: __import__('os')._exit(9)"}
    code, _, err = run(dying, "a", cwd=tmp_path)
    told = b"reactcli: a process that read part of the file was killed; is there enough memory?\n"
    assert (code, err) == (2, told)
