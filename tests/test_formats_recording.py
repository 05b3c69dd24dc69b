"""Recordings: every kind of damage to the file is seen, and every whole record is still read."""

from __future__ import annotations

from io import BytesIO

import pytest

from reactcli.errors import FormatError
from reactcli.formats import Recorded, open_recording, trace_of
from reactcli.formats.recording import Chain, write
from reactcli.trace import Action, Step, Trace

STEPS = (
    Step("look", "timetable", '{"day": "Sat"}', arguments={"day": "Sat"}, observation="22:30", question="When?"),
    Step(
        "both",
        "note",
        "x",
        observation="\ny",
        parallel_actions=(Action("note", "x", observation=""), Action("note", "é", observation="y", is_error=True)),
    ),
    Step("known", final_answer="22:30", is_final=True),
)
TRACE = Trace("When?", STEPS, "22:30", "finished", meta={"model": "m", "started": "2026-11-01"})
DATA = "".join(write(TRACE)).encode()
LINES = DATA.splitlines(keepends=True)


def findings(data):
    """The errors found in a file, or what refuses it."""
    try:
        events = list(open_recording(BytesIO(data)).events())
    except FormatError as error:
        return [error.message]
    return [event.code for event in events if getattr(event, "severity", "") == "error"]


def records(data):
    events = open_recording(BytesIO(data)).events()
    return [event.step for event in events if isinstance(event, Recorded)]


def test_an_undamaged_recording_has_no_findings():
    assert findings(DATA) == []
    assert trace_of(open_recording(BytesIO(DATA)).events()) == TRACE


def test_every_flipped_bit_is_seen():
    for place in range(len(DATA)):
        for bit in range(8):
            flipped = bytearray(DATA)
            flipped[place] ^= 1 << bit
            assert findings(bytes(flipped)), (place, bit)


def test_every_dropped_line_is_seen():
    for place in range(len(LINES)):
        assert findings(b"".join(LINES[:place] + LINES[place + 1 :])), place


def test_every_repeated_line_is_seen():
    for place, line in enumerate(LINES):
        assert findings(b"".join([*LINES[:place], line, *LINES[place:]])), place


def test_all_swapped_lines_are_seen():
    for place in range(len(LINES) - 1):
        swapped = [*LINES[:place], LINES[place + 1], LINES[place], *LINES[place + 2 :]]
        assert findings(b"".join(swapped)), place


def test_a_cut_at_any_byte_is_seen_and_loses_only_the_torn_record():
    ends = [sum(map(len, LINES[:count])) for count in range(len(LINES) + 1)]
    for cut in range(ends[1], len(DATA) - 1):
        whole = sum(end <= cut or end - 1 == cut for end in ends) - 2
        assert records(DATA[:cut]) == list(STEPS[:whole]), cut
        assert findings(DATA[:cut]), cut


def test_a_missing_last_line_end_loses_nothing():
    assert findings(DATA[:-1]) == []


def test_a_torn_record_is_named_by_line_and_byte():
    cut = len(b"".join(LINES[:2])) + 20
    found = [event.message for event in open_recording(BytesIO(DATA[:cut])).events() if hasattr(event, "message")]
    assert found[0].startswith("line 3: the record is cut off and was skipped: unterminated string at byte ")


def test_two_recordings_in_one_file_are_two_episodes():
    trace = trace_of(open_recording(BytesIO(DATA + DATA)).events())
    assert [step.episode for step in trace.steps] == [1, 1, 1, 2, 2, 2]
    assert findings(DATA + DATA) == []


def test_the_records_of_a_chain_depend_on_all_before_them():
    first, second = Chain(), Chain()
    first.seal({"a": 1})
    second.seal({"a": 2})
    assert first.seal({"b": 1}) != second.seal({"b": 1})


@pytest.mark.parametrize("version", [2, 99])
def test_a_recording_of_another_version_is_read_and_reported(version):
    data = DATA.replace(b"reactcli/trace@1", f"reactcli/trace@{version}".encode())
    found = [event.message for event in open_recording(BytesIO(data)).events() if hasattr(event, "message")]
    assert found[0] == f"the file says version reactcli/trace@{version}; it was read as version 1"
