"""JSON as models write it: cases, limits, spans."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

import pytest

from reactcli import loosejson
from reactcli.diagnostics import CODES
from reactcli.loosejson import (
    COUNT_LIMIT,
    LENGTH_LIMIT,
    Reading,
    balanced_end,
    elements,
    members,
    read_arguments,
    read_call,
    read_value,
    reader,
    strings,
)
from reactcli.loosejson.strict import DEPTH_LIMIT, DIGIT_LIMIT

MODULES = [Path(loosejson.__file__), Path(reader.__file__), Path(strings.__file__)]
CASES = Path(__file__).parent / "cases" / "arguments"


def cases_of(pattern: str) -> list[pytest.ParameterSet]:
    found = []
    for file in sorted(CASES.glob(pattern)):
        for line in file.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            found.append(pytest.param(case, id=f"{file.stem}: {case['claim']}"))
    return found


VALID = cases_of("valid-json.jsonl")
NOT_JSON = cases_of("not-json-by-the-letter.jsonl")
CALLS = cases_of("calls.jsonl")
LOOSE = [case for case in cases_of("*.jsonl") if not case.id.startswith(("valid-json:", "calls:"))]


def outcome(reading: Reading) -> dict[str, object]:
    """A reading as a case file writes it."""
    seen: dict[str, object] = {"codes": [diagnostic.code for diagnostic in reading.diagnostics]}
    if reading.found:
        seen["value"] = reading.value
    if reading.truncated:
        seen["truncated"] = True
    return seen


def expected(case: dict[str, object]) -> dict[str, object]:
    return {key: case[key] for key in ("codes", "value", "truncated") if key in case}


def arguments(text: str) -> Reading:
    return read_arguments(text, 0, len(text))


def codes(text: str) -> list[str]:
    return [diagnostic.code for diagnostic in arguments(text).diagnostics]


def same(left: object, right: object) -> bool:
    """Equal, and of the same types: 1 is not True, and -0.0 is not 0."""
    return repr(left) == repr(right)


def test_there_are_as_many_cases_as_we_promise():
    assert len(VALID) >= 90
    assert len(NOT_JSON) >= 150
    assert len(CALLS) >= 40
    assert len(LOOSE) >= 300


@pytest.mark.parametrize("case", VALID)
def test_valid_json_is_never_changed(case):
    text = case["input"]
    assert arguments(text) == Reading(json.loads(text), len(text.rstrip(" \t\r\n")))
    assert same(arguments(text).value, case["value"])


@pytest.mark.parametrize("case", LOOSE)
def test_arguments_are_read_as_the_case_says(case):
    assert outcome(arguments(case["input"])) == expected(case)


@pytest.mark.parametrize("case", CALLS)
def test_calls_are_read_as_the_case_says(case):
    text = case["input"]
    assert outcome(read_call(text, 0, len(text))) == expected(case)


@pytest.mark.parametrize("case", NOT_JSON)
def test_what_is_not_json_is_refused_or_reported(case):
    reading = arguments(case["input"])
    assert not reading.found or reading.diagnostics


def test_every_code_of_arguments_has_a_case():
    tested_below = {"number-too-long", "too-deep", "input-too-long"}
    seen = {code for case in LOOSE for code in case.values[0]["codes"]}
    source = "".join(file.read_text(encoding="utf-8") for file in MODULES)
    assert {code for code in CODES if f'"{code}"' in source} == seen | tested_below


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("{'a': True,}", [("single-quotes", "'"), ("python-literal", "True"), ("trailing-comma", ",")]),
        ('{"a": 1, "b": 2, "a": 3}', [("duplicate-key", '"a"')]),
        (
            '["\\d \\ud800 \\\'"]',
            [("bad-backslash", "\\d"), ("lone-surrogate", "\\ud800"), ("escaped-apostrophe", "\\'")],
        ),
        ("[1, /* two */ 3]", [("json-comment", "/* two */")]),
        ("[NaN, -1e999]", [("not-finite", "NaN"), ("not-finite", "-1e999")]),
        ('{"a": 1} as asked ', [("text-after-input", "as asked")]),
        ('{"q": "deep se', [("truncated-input", '"deep se')]),
        ('f({"a": 1})', [("call-wrapper", "f(")]),
        ('["a "b" c"]', [("unescaped-quote", '"'), ("unescaped-quote", '"')]),
        ('{"a" 1}', [("invalid-json", "1")]),
        ("```json\n[1]\n```", [("input-fence", "```json\n")]),
        ('[{"a": 1]', [("missing-closer", "")]),
        ("{SF weather}", [("not-json", "{")]),
        ('{"a": 1}, {"b": 2} x', [("several-values", '{"a": 1}, {"b": 2}')]),
        ('"[1,]" ', [("double-encoded", '"[1,]"'), ("trailing-comma", '"[1,]"')]),
        ('["a\nb"]', [("raw-newline", "\n")]),
    ],
)
def test_a_diagnostic_points_at_what_it_is_about(text, places):
    found = [(diagnostic.code, text[slice(*diagnostic.span)]) for diagnostic in arguments(text).diagnostics]
    assert found == places


def test_offsets_count_from_the_start_of_the_text_that_is_given():
    text = "Action Input: {'a': 1} Observation"
    reading = read_arguments(text, 14, 22)
    assert (reading.value, reading.end, reading.diagnostics[0].span) == ({"a": 1}, 22, (15, 16))
    assert members(text, 14, 22) == {"a": (20, 21)}
    assert read_call(text, 14, 22).end == 22


def test_only_a_label_lets_wrappings_off():
    for text in ('```json\n{"a": 1}\n```', 'f({"a": 1})'):
        assert read_arguments(text, 0, len(text), label=False) == Reading(None, 0, found=False)
    text = '"{\\"a\\": 1}"'
    assert read_arguments(text, 0, len(text), label=False).value == '{"a": 1}'


def test_a_value_ends_where_it_ends_whatever_follows():
    for value in ('{"a": [1]}', "{'a': [1]}", '"a"', "[]", "true", "12"):
        text = f"  {value} \n rest"
        assert read_value(text, 0, len(text)).end == 2 + len(value)


def test_the_region_is_never_left():
    text = '{"a": [1, 2]} tail'
    assert read_value(text, 0, 9).truncated
    assert balanced_end(text, 0, 12) is None
    assert read_call("f(1) + 2", 2, 3).value == [1]


def test_the_depth_limit_is_exact():
    for opener, closer, core in (("[", "]", ""), ('{"a":', "}", "1"), ("[(", ",)]", "1")):
        deepest = DEPTH_LIMIT // len(opener.strip('"a:'))
        allowed = opener * deepest + core + closer * deepest
        assert arguments(allowed).found, opener
        assert codes("[" + allowed + "]") == ["too-deep"]


def test_brackets_in_strings_are_no_depth():
    text = json.dumps(["[" * 300, {"{" * 300: '\\"[' * 300}, "]" * 300])
    assert arguments(text) == Reading(json.loads(text), len(text))


def test_closers_in_strings_hide_no_depth():
    assert codes('["]",' * 300 + "1" + "]" * 300) == ["too-deep"]
    assert codes('["\\"]",' * 300 + "1" + "]" * 300) == ["too-deep"]
    assert codes('["\\\\","]",' * 300 + "1" + "]" * 300) == ["too-deep"]


def test_deep_text_behind_a_value_does_not_spoil_it():
    text = '{"a": 1}' + "[" * 300
    assert read_value(text, 0, len(text)) == Reading({"a": 1}, 8)


def test_hostile_depth_needs_no_stack():
    readings: list[Reading] = []

    def read_all() -> None:
        for text in ("[" * 100_000, '{"a":' * 100_000, "[{" * 50_000, "[" * DEPTH_LIMIT + "]" * DEPTH_LIMIT):
            readings.extend((arguments(text), read_call(text, 0, len(text)), read_value(text, 0, len(text))))

    size = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=read_all)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
    assert [reading.found for reading in readings] == [False] * 9 + [True] * 3


def test_the_digit_limit_is_exact():
    for sign in ("", "-"):
        allowed = sign + "7" * DIGIT_LIMIT
        assert arguments(f"[{allowed}]").value == [int(allowed)]
        assert codes(f"[{allowed}7]") == ["number-too-long"]
        assert codes(f"{allowed}7") == ["number-too-long"]
        assert [d.code for d in read_call(allowed + "7", 0, len(allowed) + 1).diagnostics] == ["number-too-long"]


def test_the_digit_limit_holds_where_python_has_none():
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        assert arguments("[" + "7" * DIGIT_LIMIT + "]").found
        assert codes("[" + "7" * (DIGIT_LIMIT + 1) + "]") == ["number-too-long"]
    finally:
        sys.set_int_max_str_digits(before)


def test_a_process_may_lower_the_digit_limit():
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        assert codes("[" + "7" * 641 + "]") == ["number-too-long"]
    finally:
        sys.set_int_max_str_digits(before)


def test_the_length_limit_is_exact():
    longest = '["' + "a" * (LENGTH_LIMIT - 4) + '"]'
    assert arguments(longest).found
    assert arguments(f"  {longest}\n").found
    assert codes(longest + "x") == ["input-too-long"]
    assert arguments("word " * LENGTH_LIMIT) == Reading(None, 0, found=False)


def test_hostile_text_does_not_fill_the_screen():
    assert codes("[" + "True," * 1000 + "]") == ["python-literal"] * 20 + ["trailing-comma"]


def test_more_values_than_we_count_are_said_to_be_more():
    (diagnostic,) = arguments("{} " * (COUNT_LIMIT + 5)).diagnostics
    assert diagnostic.message == "the input holds more than 20 JSON values where one is expected"
    (diagnostic,) = arguments("{} " * COUNT_LIMIT).diagnostics
    assert diagnostic.message == "the input holds 20 JSON values where one is expected"


def test_members_are_the_source_of_each_value():
    text = """{'a': 1, "b" : {"c": [1,2]}, /* x */ "d":"e", "a": 2,}"""
    spans = members(text, 0, len(text))
    assert {key: text[slice(*span)] for key, span in spans.items()} == {"a": "1", "b": '{"c": [1,2]}', "d": '"e"'}


def test_members_of_an_object_cut_off_reach_to_the_end():
    text = '{"action": "search", "action_input": {"q": "kel'
    spans = members(text, 0, len(text))
    assert {key: text[slice(*span)] for key, span in spans.items()} == {
        "action": '"search"',
        "action_input": '{"q": "kel',
    }
    text = '["a", ["b'
    assert [text[slice(*span)] for span in elements(text, 0, len(text))] == ['"a"', '["b']


def test_only_an_object_has_members_and_only_an_array_has_elements():
    for text in ("[1]", "1", "", "words", "{kelp}", '{"a" 1}'):
        assert members(text, 0, len(text)) is None
    for text in ('{"a": 1}', "1", "", "words", "[kelp]", "[1 2]"):
        assert elements(text, 0, len(text)) is None
    assert members(" {} ", 0, 4) == {}
    assert elements(" [] ", 0, 4) == []


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ('{"a": "}"} tail', 10),
        ("{'a': '}'} tail", 10),
        ("[1, [2, 3]] tail", 11),
        ("{temperature in {SF}} tail", 21),
        ('{q: "a } b"} tail', 12),
        ('{a: 7" pipe}\n}', 14),
        ('{"a": 1', None),
        ("[kelp", None),
        ("{a]}", None),
        ('{"a": "b}', None),
    ],
)
def test_brackets_balance_in_json_and_in_text(text, end):
    assert balanced_end(text, 0, len(text)) == end
