"""Each sample of `cases/formats` reads to what stands beside it; formats that are only known are answered by name."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from reactcli.errors import FormatError
from reactcli.formats import FORMATS, Content, detect, metas_of, open_recording, parse_map, trace_of
from reactcli.formats.named import fields_of

FOLDER = Path(__file__).parent / "cases" / "formats"
SAMPLES = sorted(
    path for path in FOLDER.iterdir() if path.suffix not in {".expect", ".part"} and path.name != "known-by-name.jsonl"
)
KNOWN = [json.loads(line) for line in (FOLDER / "known-by-name.jsonl").read_text().splitlines()]


def beside(name):
    path = FOLDER / name
    return path.open("rb") if path.is_file() else None


def report(path):
    """All that reading a sample gives, as JSON."""
    recording = open_recording(BytesIO(path.read_bytes()), beside=beside)
    trace = trace_of(recording.events())
    steps = [
        {**fields_of(step, meta, number), "episode": step.episode}
        for number, (step, meta) in enumerate(zip(trace.steps, metas_of(trace), strict=True), start=1)
    ]
    return {
        "format": recording.format.name,
        "question": trace.question,
        "final_answer": trace.final_answer,
        "status": trace.status,
        "dialect": trace.dialect,
        "meta": {key: value for key, value in trace.meta.items() if key != "steps"},
        "steps": steps,
        "diagnostics": [f"{found.code}: {found.message}" for found in trace.diagnostics],
    }


def test_there_are_samples():
    assert len(SAMPLES) > 20
    assert len(KNOWN) > 30


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_a_sample_reads_to_what_stands_beside_it(path, request):
    expected = path.with_name(f"{path.name}.expect")
    found = report(path)
    if request.config.getoption("--update-cases", default=False):
        expected.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    assert found == json.loads(expected.read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", KNOWN, ids=lambda case: case["format"])
def test_a_format_that_is_only_known_is_answered_by_name(case):
    data = case["text"].encode()
    found = detect(Content(BytesIO(data)))
    assert found is not None
    assert found.name == case["format"]
    with pytest.raises(FormatError) as refused:
        open_recording(BytesIO(data))
    assert refused.value.message == f"this is {found.title}, which is not read yet"


def test_an_inspect_zip_is_answered_by_name():
    data = BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("header.json", "{}")
    data.seek(0)
    assert detect(Content(data)).name == "inspect-eval"


def test_every_format_that_is_only_known_has_a_case():
    named = {found.name for found in FORMATS if found.read is None}
    assert named - {case["format"] for case in KNOWN} == {"inspect-eval", "llamaindex-output"}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b" \n\r\n", "the file is empty"),
        (b"hello\n", "no step was found; this is neither JSON nor ReAct text"),
        (b"{}", "this does not look like a trace: no steps were found in an empty object"),
        (
            b'{"a.json": {"status": "ok"}}',
            "this does not look like a trace: no steps were found in an object with the keys 'a.json'",
        ),
        (b"[[[]]]", "this does not look like a trace: no steps were found in a list"),
        (
            b'{"steps": "none", "thought": {"thou',
            "no step was found; this is not JSON: unterminated string at line 1, column 31; the file is cut off there",
        ),
        (b"\xff\xfe{\x00}\x00", "this file is UTF-16"),
        (b"PK\x03\x04nonsense", "this does not look like a trace: no steps were found in this zip"),
        (b"\x80\x02cposix\nsystem\n\x00.", "this does not look like a trace: no steps were found in this text"),
    ],
)
def test_what_is_no_trace_is_refused_in_one_sentence(data, message):
    with pytest.raises(FormatError) as refused:
        open_recording(BytesIO(data)).events().__next__()
    assert refused.value.message == message


def test_a_document_over_the_limit_is_refused_by_name():
    with pytest.raises(FormatError, match="larger than 1 MiB"):
        open_recording(BytesIO(b"{" + b" " * (1 << 20) + b"}"), limit=1 << 20)


def test_json_lines_are_read_without_that_limit():
    line = b'{"thought": "t", "action": "a", "action_input": "b"}\n'
    recording = open_recording(BytesIO(line * 1000), limit=200)
    assert len(trace_of(recording.events()).steps) == 1000


class Slow:
    """A pipe that says how much of it was read."""

    def __init__(self, lines):
        self.lines = list(lines)

    def readline(self, _limit=-1):
        return self.lines.pop(0) if self.lines else b""

    def read(self, _size=-1):
        raise AssertionError("the whole file was read")


def test_the_first_step_is_there_before_the_rest_is_read():
    slow = Slow([b'{"thought": "%d"}\n' % number for number in range(100)])
    events = open_recording(slow).events()
    next(events)
    assert next(events).step.thought == "0"
    assert len(slow.lines) == 98


def test_a_map_reads_home_made_json():
    document = {
        "run": {"task": "Q?", "turns": [{"why": "t", "call": {"name": "a", "args": {"x": 1}}, "out": "o", "n": 1}]}
    }
    text = "steps=run.turns, question=run.task, thought=why, action=call.name, input=call.args, observation=out"
    trace = trace_of(open_recording(BytesIO(json.dumps(document).encode()), paths=parse_map(text)).events())
    assert trace.question == "Q?"
    assert [fields_of(step, {}, 1, "Q?") for step in trace.steps] == [
        {
            "step": 1,
            "thought": "t",
            "action": "a",
            "action_input": '{"x": 1}',
            "final_answer": None,
            "is_final": False,
            "observation": "o",
        }
    ]
    assert trace.meta == {"steps": [{"n": 1}]}


def test_a_map_reads_lines_and_elements_by_number():
    rows = b'{"m": ["t", {"f": "a"}]}\n{"m": ["u"]}\n'
    trace = trace_of(open_recording(BytesIO(rows), paths=parse_map("thought=m.0,action=m.1.f")).events())
    assert [(step.thought, step.action) for step in trace.steps] == [("t", "a"), ("u", None)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("thoght=a", "no part of a trace is called 'thoght'"),
        ("thought", "the map says nothing of 'thought'"),
        ("", "the map is empty"),
    ],
)
def test_a_wrong_map_is_explained(text, message):
    with pytest.raises(Exception, match=message):
        parse_map(text)


def test_a_map_whose_steps_are_no_list_is_refused():
    with pytest.raises(FormatError, match="steps=a leads to a number"):
        trace_of(open_recording(BytesIO(b'{"a": 1}'), paths=parse_map("steps=a,thought=t")).events())
