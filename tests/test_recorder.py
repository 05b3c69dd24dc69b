"""Recordings: what is acknowledged is on the disk, what is torn is moved aside, what is damaged is seen."""

from __future__ import annotations

import errno
import json
import os
import random
import subprocess
import sys
import types
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactcli import ReActEngine, recorder
from reactcli.engine import Listener
from reactcli.formats import Recorded, metas_of, open_recording, trace_of
from reactcli.models import ScriptModel
from reactcli.recorded import RecordedModel, RecordedTools
from reactcli.recorder import Recorder, RecordingError

STEPS = [f"Thought: number {n} of – 中\nAction: count\nAction Input: {n}" for n in range(1, 6)]
REPLIES = [*STEPS, "Thought: done\nFinal Answer: 5"]
LOST = {"bad-record", "record-too-long", "not-a-record", "sequence-gap", "hash-mismatch", "record-behind-end"}


def count(n: int) -> str:
    """Count to a number."""
    return " ".join(map(str, range(n)))


def record(path, replies=REPLIES, question="How many?", **options):
    with Recorder(str(path)) as kept:
        engine = ReActEngine(
            ScriptModel(replies),
            [count],
            recorder=kept,
            clock=lambda: 0.0,
            now=lambda: "2026-11-30T06:00:00Z",
            **options,
        )
        return engine.run(question)


def read(path):
    with Path(path).open("rb") as stream:
        return trace_of(open_recording(stream).events())


def codes(trace):
    return [note.code for note in trace.diagnostics]


def test_a_recording_is_read_as_the_run_that_it_is_of(tmp_path):
    run = record(tmp_path / "a", ["hm", *REPLIES], reflect=True)
    assert (read(tmp_path / "a"), codes(read(tmp_path / "a"))) == (run.trace, [])


def test_a_line_has_the_promised_keys_in_their_order(tmp_path):
    record(tmp_path / "a", [STEPS[0], REPLIES[-1]])
    header, step, _, end = [json.loads(line) for line in (tmp_path / "a").read_text("utf-8").splitlines()]
    assert list(header) == ["schema", "question", "model", "tools", "started", "prompt", "seq", "hash"]
    assert list(step) == [
        "step", "thought", "action", "action_input", "final_answer", "is_final", "observation", "dialect", "llm_output",
        "duration_ms", "seq", "hash",
    ]  # fmt: skip
    assert {**end, "hash": ""} == {
        "end": {"status": "finished", "answer": "5", "iterations": 2}, "seq": 3, "hash": ""
    }  # fmt: skip


def test_a_recording_is_private_and_no_link_is_followed(tmp_path):
    record(tmp_path / "a")
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600
    (tmp_path / "link").symlink_to(tmp_path / "a")
    with pytest.raises(RecordingError, match="cannot record to"):
        Recorder(str(tmp_path / "link"))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RecordingError, match="no regular file"):
        Recorder(str(tmp_path / "pipe"))
    with pytest.raises(RecordingError, match="no such file"):
        Recorder(str(tmp_path / "nowhere" / "a"))


def test_another_file_is_never_written_to(tmp_path):
    for content in ("Thought: x\n", '{"schema": "other"}\n', "{}", '{"schema": "reactcli/trace@1x'):
        (tmp_path / "a").write_text(content)
        with pytest.raises(RecordingError, match="is no recording, and is left as it is"):
            Recorder(str(tmp_path / "a"))
        assert (tmp_path / "a").read_text() == content


def test_a_second_run_is_an_episode_of_its_own(tmp_path):
    first, second = record(tmp_path / "a"), record(tmp_path / "a", question="Again?")
    trace = read(tmp_path / "a")
    assert ([step.question for step in trace.steps if step.question], codes(trace)) == (["How many?", "Again?"], [])
    assert len(trace.steps) == len(first.trace.steps) + len(second.trace.steps)


def test_a_file_that_is_being_recorded_to_is_locked(tmp_path):
    with Recorder(str(tmp_path / "a")), pytest.raises(RecordingError) as raised:
        Recorder(str(tmp_path / "a"))
    assert raised.value.message == f"'{tmp_path / 'a'}' is locked by process {os.getpid()}: it is being recorded to"
    Recorder(str(tmp_path / "a")).close()


def test_many_writers_leave_no_damaged_line(tmp_path):
    program = (
        "import sys; sys.path.insert(0, sys.argv[2]); from test_recorder import *\n"
        "for _ in range(5):\n"
        "    try:\n        record(sys.argv[1], [REPLIES[0], REPLIES[-1]])\n"
        "    except RecordingError as error:\n        assert 'locked' in str(error)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "a"), str(Path(__file__).parent)]
    writers = [subprocess.Popen(command) for _ in range(3)]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    trace = read(tmp_path / "a")
    assert (codes(trace), len(trace.steps) % 2, len(trace.steps) >= 2) == ([], 0, True)


# -- torn, damaged, gone on with


def test_every_prefix_is_read_as_far_as_it_is_whole_and_healed_when_opened_again(tmp_path):
    path = tmp_path / "a"
    record(path, [STEPS[0], STEPS[1], REPLIES[-1]])
    whole = path.read_bytes()
    ends = [place + 1 for place, octet in enumerate(whole) if octet == 10]
    for cut in range(1, len(whole), 41):
        path.write_bytes(whole[:cut])
        (tmp_path / "a.torn").unlink(missing_ok=True)
        before = max((end for end in ends if end <= cut), default=0)
        with Recorder(str(path)) as kept:
            tail = whole[before:cut]
            is_whole = cut + 1 in ends  # only the line end is missing
            assert (kept.torn, (tmp_path / "a.torn").exists()) == (
                (0, False) if is_whole or not tail else (len(tail), True)
            )  # fmt: skip
            if kept.torn:
                assert (tmp_path / "a.torn").read_bytes() == tail
        assert path.read_bytes() == (whole[: cut + 1] if is_whole else whole[:before])
        record(path, [REPLIES[-1]], "And then?")
        assert set(codes(read(path))) <= {"no-end-record"}
        assert read(path).steps[-1].final_answer == "5"


def cut_off(path, lines):
    """A recording that ended behind some of its lines."""
    record(path)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:lines]))


def go_on(path, replies, **options):
    trace = read(path)
    earlier = [Recorded(step, meta) for step, meta in zip(trace.steps, metas_of(trace), strict=True)]
    with Recorder(str(path), goes_on=True) as kept:
        return ReActEngine(ScriptModel(replies), [count], recorder=kept, **options).run(trace.question, earlier=earlier)


@pytest.mark.parametrize("lines", [1, 2, 4])
def test_a_recording_that_was_cut_off_is_gone_on_with_under_the_same_chain(tmp_path, lines):
    cut_off(tmp_path / "a", lines)
    run = go_on(tmp_path / "a", REPLIES[lines - 1 :])
    trace = read(tmp_path / "a")
    assert (run.answer, codes(trace), trace.final_answer) == ("5", [], "5")
    assert [step.action_input for step in trace.steps] == ["1", "2", "3", "4", "5", None]


def test_a_recording_that_has_ended_is_not_gone_on_with(tmp_path):
    record(tmp_path / "a")
    for path in (tmp_path / "a", tmp_path / "new"):
        with pytest.raises(RecordingError, match="has ended, so there is nothing to go on with"):
            Recorder(str(path), goes_on=True)


def test_any_byte_that_changes_is_seen(tmp_path):
    path = tmp_path / "a"
    record(path, [STEPS[0], STEPS[1], REPLIES[-1]])
    whole = path.read_bytes()
    rng = random.Random(7)
    for place in range(0, len(whole), 7):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        try:
            found = codes(read(path))
        except Exception as error:  # noqa: BLE001  # a file that is no recording any more
            found = [type(error).__name__]
        assert set(found) & (LOST | {"torn-record", "no-end-record", "unknown-version", "FormatError"}), place


def test_lines_that_are_dropped_swapped_or_repeated_are_seen(tmp_path):
    path = tmp_path / "a"
    record(path, [STEPS[0], STEPS[1], REPLIES[-1]])
    lines = path.read_bytes().splitlines(keepends=True)
    for i in range(len(lines)):
        for other in (lines[:i] + lines[i + 1 :], lines[: i + 1] + lines[i:], lines[:i]):
            if other and other != lines:
                path.write_bytes(b"".join(other))
                assert codes(read(path)), i
    for i in range(len(lines) - 1):
        path.write_bytes(b"".join([*lines[:i], lines[i + 1], lines[i], *lines[i + 2 :]]))
        assert codes(read(path)), i


# -- failing and dying


class Faulty(types.ModuleType):
    """The system's calls, of which one fails. A write that is short writes a part, and raises nothing."""

    def __init__(self, name, place, fault):
        super().__init__("os")
        self.made = 0
        self._name = name
        self._place = place
        self._fault = fault

    def __getattr__(self, name):
        real = getattr(os, name)
        if name != self._name:
            return real

        def faulty(*arguments):
            self.made += 1
            if self.made != self._place:
                return real(*arguments)
            if self._fault == "short":
                return real(arguments[0], arguments[1][:7])
            raise OSError(self._fault, os.strerror(self._fault))

        return faulty


@pytest.mark.parametrize("name", ["write", "fsync"])
@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EIO, errno.EDQUOT], ids=errno.errorcode.get)
def test_a_call_that_fails_is_an_error_and_loses_nothing(tmp_path, monkeypatch, name, fault):
    for place in range(1, 9):
        path = tmp_path / f"{place}"
        monkeypatch.setattr(recorder, "os", Faulty(name, place, fault))
        told = []
        listener = Listener()
        listener.recorded = lambda number, _recorded, told=told: told.append(number)
        with pytest.raises(RecordingError, match=os.strerror(fault).lower()):
            record(path, listener=listener)
        monkeypatch.undo()
        if path.exists() and path.stat().st_size:
            trace = read(path)
            assert (len(trace.steps), set(codes(trace)) - {"no-end-record"}) == (len(told), set())
        assert record(path).answer == "5"


def test_a_short_write_is_gone_on_with(tmp_path, monkeypatch):
    for place in range(1, 9):
        monkeypatch.setattr(recorder, "os", Faulty("write", place, "short"))
        record(tmp_path / str(place))
        monkeypatch.undo()
        assert codes(read(tmp_path / str(place))) == []


DYING = """
import os, resource, signal, sys
sys.path.insert(0, sys.argv[2])
from test_recorder import Listener, Recorder, RecordingError, record, recorder

class Dying(type(os)):
    def __init__(self, last, manner):
        super().__init__("os")
        self.made, self.last, self.manner = 0, last, manner
    def __getattr__(self, name):
        real = getattr(os, name)
        if name not in ("write", "fsync", "ftruncate", "open", "close"):
            return real
        def call(*arguments):
            self.made += 1
            if self.made != self.last:
                return real(*arguments)
            if self.manner == "half" and name == "write":
                real(arguments[0], arguments[1][: len(arguments[1]) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return call

def child(path, acknowledged, number, manner):
    if manner == "limit":
        resource.setrlimit(resource.RLIMIT_FSIZE, (number, number))
    else:
        recorder.os = Dying(number, manner)
    class Telling(Listener):
        def recorded(self, number, recorded):
            os.write(acknowledged, b".")
    try:
        record(path, listener=Telling())
    except RecordingError:
        os._exit(1)
    os._exit(0)

CALLS, SIZES = range(1, 60), range(1, 9000, 701)
for manner in ("before", "half", "limit"):
    for number in SIZES if manner == "limit" else CALLS:
        path = f"{sys.argv[1]}/{manner}-{number}"
        ours, theirs = os.pipe()
        pid = os.fork()
        if not pid:
            child(path, theirs, number, manner)
        os.close(theirs)
        told = b""
        while more := os.read(ours, 100):
            told += more
        os.close(ours)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        print(manner, number, len(told), code, flush=True)
        if code == 0:
            break
"""


def test_dying_at_any_call_and_a_full_disk_at_any_byte_lose_nothing_acknowledged(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", DYING, str(tmp_path), str(Path(__file__).parent)],
        capture_output=True, text=True, check=True, timeout=100,
    )  # fmt: skip
    ends = [line.split() for line in done.stdout.splitlines()]
    assert {(manner, code) for manner, _, _, code in ends} == {
        *((manner, code) for manner in ("before", "half") for code in ("-9", "0")),
        ("limit", "1"), ("limit", "0"),
    }  # fmt: skip
    assert len(ends) > 40
    for manner, number, acknowledged, _ in ends:
        path = tmp_path / f"{manner}-{number}"
        if path.exists() and path.stat().st_size:
            check_survivor(path, int(acknowledged))


def check_survivor(path, acknowledged):
    try:
        trace = read(path)
    except Exception:  # noqa: BLE001  # a torn header is no recording yet
        assert acknowledged == 0
        steps = 0
    else:
        steps = len(trace.steps)
        assert (acknowledged <= steps, codes(trace).count("torn-record") <= 1) == (True, True)
        assert not steps or set(codes(trace)) & LOST == set()
    record(path, [REPLIES[-1]])
    healed = read(path)
    assert (len(healed.steps), set(codes(healed)) <= {"no-end-record"}) == (steps + 1, True)


# -- recorded answers


replies = st.sampled_from([*STEPS, "hm", "Action: nosuch", 'Action: count, count\nAction Input: {"n": 1}, {"n": "x"}'])


@given(st.lists(replies, max_size=6), st.booleans(), st.sampled_from(["scratchpad", "messages"]))
@settings(max_examples=25, deadline=None)
def test_a_run_with_recorded_answers_is_recorded_to_the_same_bytes(tmp_path_factory, some, flag, history):
    folder = tmp_path_factory.mktemp("replayed")
    options = {"reflect": flag, "answer_at_limit": flag, "history": history, "max_steps": 5, "context": 400}
    record(folder / "a", [*some, REPLIES[-1]], **options)
    trace = read(folder / "a")
    with Recorder(str(folder / "b")) as kept:
        ReActEngine(
            RecordedModel(trace), RecordedTools(trace), recorder=kept, clock=lambda: 0.0,
            now=lambda: "2026-11-30T06:00:00Z", **{**options, "max_steps": 5},
        ).run("How many?")  # fmt: skip
    assert (folder / "b").read_bytes() == (folder / "a").read_bytes()


def recorded(tmp_path, *replies):
    record(tmp_path / "a", list(replies))
    return read(tmp_path / "a")


def test_a_recorded_reply_does_not_fit_another_observation(tmp_path):
    trace = recorded(tmp_path, STEPS[1], REPLIES[-1])
    run = ReActEngine(RecordedModel(trace), {"count": lambda n: f"{n}!"}).run("How many?")
    assert (run.status, run.iterations) == ("llm_error", 2)
    assert run.reason.startswith(
        "step 1 diverges from the recording, so its next reply does not fit: the observation was '0 1' and is '2!'"
    )


def test_a_recorded_reply_does_not_fit_another_question(tmp_path):
    trace = recorded(tmp_path, REPLIES[-1])
    run = ReActEngine(RecordedModel(trace), {}).run("What else?")
    assert run.reason == "the recording answers another question: 'How many?', and asked is 'What else?'"


def test_a_recorded_observation_does_not_fit_another_call(tmp_path):
    trace = recorded(tmp_path, STEPS[0], REPLIES[-1])
    run = ReActEngine(ScriptModel([STEPS[1]]), RecordedTools(trace)).run("How many?")
    assert (run.status, run.reason) == (
        "tool_error", "the call diverges from step 1 of the recording: it was count[1] and is count[2]",
    )  # fmt: skip
    run = ReActEngine(ScriptModel([STEPS[0], STEPS[0]]), RecordedTools(trace)).run("How many?")
    assert run.reason == "the recording is exhausted: 'count' was recorded 1 time, and is called once more"


def test_a_recording_without_further_replies_says_so(tmp_path):
    trace = recorded(tmp_path, STEPS[0])
    assert trace.status == "llm_error"
    run = ReActEngine(RecordedModel(trace), RecordedTools(trace)).run("How many?")
    assert run.reason == "the recording has no reply for step 2: it ends after 1 as 'llm_error'"


def test_the_same_call_in_another_spelling_is_answered(tmp_path):
    trace = recorded(tmp_path, 'Action: count\nAction Input: {"n": 3}', REPLIES[-1])
    run = ReActEngine(ScriptModel(['Action: count\nAction Input: { "n":3 }', REPLIES[-1]]), RecordedTools(trace)).run(
        "?"
    )
    assert run.trace.steps[0].observation == "0 1 2"
