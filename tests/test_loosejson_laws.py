"""Laws of reading JSON loosely: valid input is never changed, nothing raises, nothing is silent, all is linear."""

from __future__ import annotations

import json
import sys
from math import isfinite

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reactcli.loosejson import Reading, balanced_end, elements, members, read_arguments, read_call, read_value
from reactcli.loosejson.reader import Reader

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
CONTAINERS = st.lists(VALUES, max_size=4) | st.dictionaries(st.text(max_size=8), VALUES, max_size=4)
WORDS = ["true", "None", "NaN", "Infinity", '"a"', "'b'", '"a": ', "//", "/*", "*/", "```json\n", "f(", "k=", "1e999"]
ODDITIES = ["\\u", "\\ud83d", '"""', "it's", "\x00", "\ud800", "\u2028", "\ufeff", "\u00a0", "é", "😀"]
FRAGMENTS = st.sampled_from([*"{}[]()\",:'“”‘’\\/#*`-+.=0123456789eE \n\t\r", *WORDS, *ODDITIES])
HOSTILE = st.lists(FRAGMENTS, max_size=40).map("".join)
laws = settings(max_examples=150, deadline=None)
READERS = (read_value, read_arguments, read_call)


def exactly(value: object) -> str:
    """A text that differs where values differ: 1 is not True, -0.0 is not 0, order of keys counts."""
    return json.dumps(value)


@laws
@given(VALUES, st.sampled_from([None, 0, 2, "\t"]), st.booleans())
def test_valid_json_is_read_as_it_is(value, indent, ensure_ascii):
    text = json.dumps(value, indent=indent, ensure_ascii=ensure_ascii)
    reading = read_value(text, 0, len(text))
    assert exactly(reading.value) == exactly(value)
    assert reading == Reading(value, len(text))


@laws
@given(VALUES, st.sampled_from([None, 2]), st.booleans())
def test_the_loose_reader_changes_no_valid_json_either(value, indent, ensure_ascii):
    text = json.dumps([value], indent=indent, ensure_ascii=ensure_ascii)
    reader = Reader(text, 0, len(text))
    assert exactly(reader.read()) == exactly([value])
    assert (reader.at, reader.notes.kept, reader.truncated) == (len(text), [], False)


@laws
@given(HOSTILE)
@example('{"a": "' + "\\" * 50)
@example("[" * 300)
@example('"{\\"a\\": NaN}"')
def test_nothing_raises_and_every_reading_is_sound(text):
    for read in READERS:
        reading = read(text, 0, len(text))
        assert 0 <= reading.end <= len(text)
        assert reading.found or reading.value is None
        assert all(0 <= start <= end <= len(text) for start, end in (found.span for found in reading.diagnostics))
        assert reading.truncated == any(found.code == "truncated-input" for found in reading.diagnostics)
        assert holds_only_finite_numbers(reading.value)
    for spans in ((members(text, 0, len(text)) or {}).values(), elements(text, 0, len(text)) or ()):
        assert all(0 <= start <= end <= len(text) for start, end in spans)
    assert balanced_end(text, 0, len(text)) is None or text


def holds_only_finite_numbers(value: object) -> bool:
    if isinstance(value, dict):
        return all(map(holds_only_finite_numbers, value.values()))
    if isinstance(value, list):
        return all(map(holds_only_finite_numbers, value))
    return not isinstance(value, float) or isfinite(value)


@laws
@given(CONTAINERS, st.data())
def test_json_with_a_slip_is_refused_or_reported(value, data):
    text = json.dumps(value)
    at = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 2))
    slipped = (
        text[:at]
        + data.draw(st.sampled_from(["", ",", '"', "]", "}", "[", "\\", ":", "0", "-", " "]))
        + text[at + length :]
    )
    reading = read_arguments(slipped, 0, len(slipped))
    try:
        truth = json.loads(slipped, object_pairs_hook=refuse_duplicates, parse_constant=refuse, parse_float=finite)
    except ValueError:
        assert not reading.found or reading.diagnostics
    else:
        assert exactly(reading.value) == exactly(truth) or "\\ud" in slipped
        assert reading.diagnostics == () or "\\ud" in slipped


def refuse(source: str) -> object:
    raise ValueError(source)


def refuse_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)


def finite(source: str) -> float:
    return float(source) if isfinite(float(source)) else refuse(source)


@laws
@given(CONTAINERS, st.data())
def test_what_is_cut_off_never_passes_for_whole(value, data):
    text = data.draw(st.sampled_from([json.dumps(value), json.dumps(value, indent=1), repr(value)]))
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    assert read_arguments(cut, 0, len(cut)).truncated
    assert read_value(cut, 0, len(cut)).truncated


@laws
@given(CONTAINERS)
def test_python_literals_are_read_as_python_reads_them(value):
    text = repr(value)
    reading = read_arguments(text, 0, len(text))
    if '"' not in text:  # in double quotes JSON rules, which knows no \x00
        assert exactly(reading.value) == exactly(value)
        assert {found.code for found in reading.diagnostics} <= {"python-literal", "single-quotes"}


PLAIN_TEXT = st.text(
    st.characters(codec="utf-8", exclude_characters="'\"“”‘’„\\`", exclude_categories=("Cc",)), max_size=12
)
PLAIN_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | PLAIN_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(PLAIN_TEXT, inner, max_size=4),
    max_leaves=12,
)


class Spelling:
    """Spells a value with slips that are drawn, and remembers the code of each."""

    def __init__(self, draw):
        self.draw = draw
        self.codes = set()

    def slip(self, code):
        if not self.draw(st.booleans()):
            return False
        self.codes.add(code)
        return True

    def spell(self, value):
        if value is None or isinstance(value, bool):
            return repr(value) if self.slip("python-literal") else json.dumps(value)
        if isinstance(value, str):
            return self.spell_text(value)
        if isinstance(value, int):
            return str(value)
        if isinstance(value, list):
            return self.enclose("[", [self.spell(item) for item in value], "]")
        pairs = [f"{self.spell_text(key)}: {self.spell(item)}" for key, item in value.items()]
        return self.enclose("{", pairs, "}")

    def spell_text(self, value):
        quotes = self.draw(st.sampled_from(['""', "''", "“”", "‘’"]))
        if quotes != '""':
            self.codes.add("single-quotes" if quotes == "''" else "curly-quotes")
        return quotes[0] + value + quotes[1]

    def enclose(self, opener, items, closer):
        comma = ", " if not items or not self.slip("json-comment") else ", // so\n"
        if comma != ", " and len(items) == 1:
            items = ["/* one */ " + items[0]]
        end = ", " if items and self.slip("trailing-comma") else " "
        return opener + comma.join(items) + end + closer


@laws
@given(PLAIN_VALUES, st.data())
def test_every_slip_is_understood_and_named(value, data):
    spelling = Spelling(data.draw)
    text = spelling.spell([value])
    reading = read_value(text, 0, len(text))
    assert exactly(reading.value) == exactly([value])
    assert {found.code for found in reading.diagnostics} == spelling.codes
    assert (reading.end, reading.truncated) == (len(text), False)


@laws
@given(st.dictionaries(PLAIN_TEXT, PLAIN_VALUES, max_size=4), st.data())
def test_spans_of_members_are_the_source_of_their_values(value, data):
    text = Spelling(data.draw).spell(value)
    spans = members(text, 0, len(text))
    assert list(spans) == list(value)
    assert {key: read_value(text, *span).value for key, span in spans.items()} == value
    assert all(read_value(text, *span).end == span[1] for span in spans.values())
    assert balanced_end(text + " ]}", 0, len(text) + 3) == len(text)


@laws
@given(st.lists(PLAIN_VALUES, max_size=4), st.data())
def test_spans_of_elements_are_the_source_of_their_values(value, data):
    text = Spelling(data.draw).spell(value)
    assert [read_value(text, *span).value for span in elements(text, 0, len(text))] == value


NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,5}", fullmatch=True)


@laws
@given(st.lists(PLAIN_VALUES, max_size=3), st.dictionaries(NAMES, PLAIN_VALUES, max_size=3))
def test_a_call_gives_its_arguments(positional, keywords):
    spelt = [repr(value) for value in positional] + [f"{name}={value!r}" for name, value in keywords.items()]
    text = ", ".join(spelt)
    reading = read_call(text, 0, len(text))
    if not spelt:
        assert reading == Reading(None, 0, found=False)
    elif not keywords and len(positional) == 1 and isinstance(positional[0], dict | list):
        assert reading == Reading(positional[0], len(text))
    elif not keywords:
        assert reading == Reading(positional, len(text))
    else:
        assert reading == Reading({"*": positional, **keywords} if positional else keywords, len(text))


FAMILIES = {
    "openers": lambda n: "[" * n,
    "braces": lambda n: "{" * n,
    "pairs": lambda n: "{}" * (n // 2),
    "objects in objects": lambda n: '{"a":' * (n // 5),
    "arrays of objects": lambda n: "[{" * (n // 2),
    "an open string": lambda n: '{"a": "' + "x" * n,
    "quotes": lambda n: "[" + '"' * n,
    "quotes and letters": lambda n: "[" + '"a' * (n // 2),
    "quotes in quotes": lambda n: "['\"" * (n // 3),
    "speech": lambda n: '{"t": "' + 'He said "hi" ' * (n // 13) + '"}',
    "quotes and blanks": lambda n: '["' + '" ' * (n // 2),
    "backslashes": lambda n: '{"a": "' + "\\" * n,
    "escaped quotes without a string": lambda n: '{x "' + '\\"' * (n // 2),
    "apostrophes": lambda n: "{'a': '" + "it's " * (n // 5) + "'}",
    "commas": lambda n: "[" + "," * n,
    "commas in a string": lambda n: '{"q": "' + "a, " * (n // 3),
    "comments": lambda n: "[" + "/**/" * (n // 4) + "]",
    "comments never closed": lambda n: "[" + "/*" * (n // 2),
    "blanks in an array": lambda n: "[1" + " " * n + "x",
    "blanks behind a string": lambda n: '["a"' + " " * n + "x",
    "backticks": lambda n: "`" * n,
    "a fence and blanks": lambda n: "```json" + " " * n + "x",
    "fences": lambda n: "```json\n" * (n // 8),
    "a long name": lambda n: "w" * n + "(",
    "a dotted name": lambda n: "a." * (n // 2) + "(",
    "keywords": lambda n: "a=1," * (n // 4),
    "deep and wide": lambda n: "[" + ("[" * 150 + "]" * 150 + ",") * (n // 301) + "'a']",
    "closers missing": lambda n: "[" + '{"a":[1},' * (n // 9) + "]",
    "digits": lambda n: "[" + "1" * n + "]",
    "half pairs": lambda n: '["' + "\\ud800" * (n // 6) + '"]',
    "control characters": lambda n: '["' + "\n" * n + '"]',
    "many values": lambda n: '{"a":1} ' * (n // 8),
    "lines that open": lambda n: 'Input: {"a": [\n'[7:] * (n // 8),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_work_grows_no_faster_than_the_text(name):
    small, large = (work(FAMILIES[name](size)) for size in (2_000, 8_000))
    assert large <= 4.4 * small + 400


def work(text: str) -> int:
    """How many calls all readers make, C functions counted too."""
    count = 0

    def profile(_frame, event, _argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(profile)
    try:
        for read in (*READERS, members, elements, balanced_end):
            read(text, 0, len(text))
    finally:
        sys.setprofile(None)
    return count
