"""`reactcli parse` in one process: options, layouts, exit codes. Streams and signals are in test_cli_streams.py."""

from __future__ import annotations

import json
from functools import partial

import pytest

REPLY = "Thought: I need the capital.\nAction: search\nAction Input: capital of Iceland\n"
ANSWER = "Thought: I know.\nFinal Answer: Reykjavík 😀\n"
TRANSCRIPT = "Question: which?\nThought: look\nAction: f\nAction Input: 1\nObservation: one\n" + ANSWER
ODD = 'Thought: x\nAction: search\nAction Input: {"q": 1,}\n'
NULLS = {"thought": "", "action": None, "action_input": None, "final_answer": None, "is_final": False}
REPLY_STEP = {
    "thought": "I need the capital.",
    "action": "search",
    "action_input": "capital of Iceland",
    "final_answer": None,
    "is_final": False,
}
ANSWER_STEP = {
    "thought": "I know.",
    "action": None,
    "action_input": None,
    "final_answer": "Reykjavík 😀",
    "is_final": True,
}


@pytest.fixture
def parse(cli):
    """Runs `reactcli parse` with files that it is given by name, in a folder of its own."""
    return partial(cli, "parse")


def test_one_text_gives_one_object_with_five_keys_indented_by_two(parse):
    assert parse("a", a=REPLY) == (0, json.dumps(REPLY_STEP, indent=2) + "\n", "")
    assert parse("a", a=ANSWER) == (0, json.dumps(ANSWER_STEP, indent=2, ensure_ascii=False) + "\n", "")


def test_jsonl_puts_the_object_on_a_line(parse):
    assert parse("a", "--format", "jsonl", a=REPLY) == (0, json.dumps(REPLY_STEP) + "\n", "")


def test_nothing_recognised_is_printed_all_the_same_and_exits_with_1(parse):
    result = parse("a", a="just prose")
    assert (result.code, json.loads(result.out)) == (1, NULLS)
    assert result.err.startswith("a:1:1: error[nothing-recognised] ")


def test_an_empty_file_says_so(parse):
    result = parse("a", a="")
    assert (result.code, json.loads(result.out)) == (1, NULLS)
    assert result.err.startswith("a:1:1: error[empty-input] ")


def test_quiet_silences_diagnostics_but_not_the_exit_code(parse):
    assert parse("a", "-q", a="just prose") == (1, json.dumps(NULLS, indent=2) + "\n", "")


def test_diagnostics_name_file_line_and_column(parse):
    result = parse("out.txt", **{"out.txt": ODD})
    assert result.code == 0
    assert result.err.startswith("out.txt:3:22: warning[trailing-comma] ")


def test_strict_fails_on_a_warning_and_not_on_less(parse):
    assert parse("a", "--strict", a=ODD).code == 1
    assert parse("a", "--strict", a=REPLY).code == 0


def test_several_rounds_point_to_steps(parse):
    assert "--steps" in parse("a", a=TRANSCRIPT).err


def test_steps_are_json_lines_with_the_final_answer_as_a_step_of_its_own(parse):
    assert parse("a", "--steps", a=TRANSCRIPT).lines == [
        {
            "step": 1,
            "thought": "look",
            "action": "f",
            "action_input": "1",
            "final_answer": None,
            "is_final": False,
            "observation": "one",
        },
        {"step": 2, **ANSWER_STEP, "observation": None},
    ]


def test_steps_name_their_episode_where_there_are_several(parse):
    result = parse("a", "--steps", a=TRANSCRIPT * 2)
    assert [(line["step"], line["episode"]) for line in result.lines] == [(1, 1), (2, 1), (3, 2), (4, 2)]


def test_full_has_a_schema_the_five_keys_first_steps_and_diagnostics_with_places(parse):
    result = parse("a", "--full", a=ODD)
    document = json.loads(result.out)
    assert list(document) == [
        "schema", "thought", "action", "action_input", "final_answer", "is_final", "observation", "dialect",
        "arguments", "parallel_actions", "reasoning", "preamble", "reflection", "plan", "hallucinated_observation",
        "shadowed", "truncated", "spans", "steps", "diagnostics",
    ]  # fmt: skip
    assert document["schema"] == "reactcli/parse@1"
    assert document["arguments"] == {"q": 1}
    assert ODD[slice(*document["spans"]["action"])] == "search"
    [diagnostic] = document["diagnostics"]
    assert list(diagnostic) == ["code", "severity", "message", "span", "line", "column", "hint"]
    assert [diagnostic[key] for key in ("code", "line", "column", "span")] == ["trailing-comma", 3, 22, [47, 48]]
    assert "\n3 | Action Input: {" in result.err


def test_several_files_give_records_in_order_with_their_own_diagnostics(parse):
    result = parse("b", "a", a=REPLY, b=ODD)
    first, second = result.lines
    assert list(first) == ["file", "thought", "action", "action_input", "final_answer", "is_final", "diagnostics"]
    assert [found["code"] for found in first["diagnostics"]] == ["trailing-comma"]
    assert second == {"file": "a", **REPLY_STEP, "diagnostics": []}


def test_several_files_as_json_are_an_array(parse):
    result = parse("a", "b", "--format", "json", a=REPLY, b=ANSWER)
    assert [record["file"] for record in json.loads(result.out)] == ["a", "b"]


def test_no_steps_as_json_are_an_empty_array(parse):
    assert parse("a", "--steps", "--format", "json", a="").out == "[]\n"


def test_a_file_that_cannot_be_read_is_a_record_and_exits_with_2(parse):
    result = parse("a", "gone", "b", a=REPLY, b=ANSWER)
    assert [(record["file"], [found["code"] for found in record["diagnostics"]]) for record in result.lines] == [
        ("a", []), ("gone", ["unreadable-file"]), ("b", []),
    ]  # fmt: skip
    assert (result.code, result.err) == (2, "reactcli: cannot read 'gone': no such file or directory\n")


def test_json_lines_keep_the_line_and_the_id(parse):
    lines = [
        {"id": "x", "output": REPLY},
        {"llm_output": ANSWER, "output": REPLY},
        {"text": REPLY},
        {"content": REPLY, "id": 4},
        ANSWER,
    ]
    content = "\n\n".join(json.dumps(line) for line in lines)
    result = parse("--input", "jsonl", "a", a=content)
    labels = [(1, "x"), (3, None), (5, None), (7, 4), (9, None)]
    steps = [REPLY_STEP, ANSWER_STEP, REPLY_STEP, REPLY_STEP, ANSWER_STEP]
    assert result == (0, result.out, "")
    assert result.lines == [
        {"line": line, "id": name, **step, "diagnostics": []} for (line, name), step in zip(labels, steps, strict=True)
    ]


def test_a_bad_line_is_a_record_and_never_an_abort(parse):
    content = 'not json\n[1]\n{"x": 1}\n{"output": 5}\n{"output": "Final Answer: ok"}\n\xff\n'.encode("latin-1")
    result = parse("--input", "jsonl", "a", a=content)
    assert [[found["code"] for found in record["diagnostics"]] for record in result.lines] == [
        ["line-without-text"], ["line-without-text"], ["line-without-text"], ["line-without-text"], [],
        ["replaced-bytes", "line-without-text"],
    ]  # fmt: skip
    assert (result.code, result.err) == (1, "reactcli: of 6 records, 5 hold nothing that was recognised\n")


def test_a_null_field_is_passed_over(parse):
    line = json.dumps({"output": None, "content": ANSWER})
    assert parse("--input", "jsonl", "a", a=line).lines[0]["final_answer"] == "Reykjavík 😀"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_json_lines_in_other_encodings_are_told_by_their_mark(parse, encoding):
    text = "".join(json.dumps({"output": ANSWER}, ensure_ascii=False) + "\n" for _ in range(3))
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    result = parse("--input", "jsonl", "a", a=mark + text.encode(encoding))
    assert [record["final_answer"] for record in result.lines] == ["Reykjavík 😀"] * 3
    broken = parse("--input", "jsonl", "a", a=mark + text.encode(encoding) + b"x")
    assert [found["code"] for found in broken.lines[3]["diagnostics"]] == ["replaced-bytes", "line-without-text"]


@pytest.mark.parametrize("options", [("--get", "action"), ("--format", "table"), ("--steps",)])
def test_what_no_record_holds_is_said_on_stderr(parse, options):
    line = json.dumps({"output": 'Action: f\nAction Input: {"a": 1'})
    result = parse("--input", "jsonl", *options, "a", a=line)
    assert "a:1:2:21: error[truncated-input]" in result.err
    assert parse("--input", "jsonl", "-q", *options, "a", a=line).err == ""


@pytest.mark.parametrize("text", ["Question: hm", "Thought: hm Action lookup"])
def test_steps_that_come_to_nothing_are_said(parse, text):
    assert "a:1:1: warning[no-action-or-answer]" in parse("--steps", "a", a=text).err


def test_a_field_can_be_named(parse):
    line = json.dumps({"output": REPLY, "mine": ANSWER})
    assert parse("--input", "jsonl", "--field", "mine", "a", a=line).lines[0]["final_answer"] == "Reykjavík 😀"
    assert parse("--input", "jsonl", "--field", "other", "a", a=line).code == 1


def test_a_line_over_the_limit_is_a_record_and_the_next_one_is_read(parse):
    lines = [json.dumps({"output": ANSWER + "x" * 1000}), json.dumps({"output": ANSWER})]
    result = parse("--input", "jsonl", "--max-input", "200", "a", a="\n".join(lines))
    assert [[found["code"] for found in record["diagnostics"]] for record in result.lines] == [["input-too-large"], []]


@pytest.mark.parametrize(("size", "code"), [(len(REPLY) - 1, 2), (len(REPLY), 0), (len(REPLY) + 1, 0), ("1K", 0)])
def test_the_limit_is_exact_and_named(parse, size, code):
    result = parse("a", "--max-input", str(size), a=REPLY)
    assert result.code == code
    limit = f"reactcli: 'a' is larger than {size} bytes; --max-input raises the limit, as in --max-input 1G\n"
    assert result.err == (limit if code else "")


@pytest.mark.parametrize("size", ["", "0", "x", "-1", "1.5M", "1T", "9" * 50, "٣"])
def test_a_wrong_size_is_wrong_usage(parse, size):
    result = parse("a", f"--max-input={size}", a=REPLY)
    assert (result.code, result.out) == (2, "")
    way_out = "write bytes, or a number with K, M or G behind it"
    assert result.err == f"reactcli: --max-input: '{size}' is no size; {way_out}\n"


@pytest.mark.parametrize(
    ("field", "printed"),
    [
        ("action", "search\n"),
        ("action_input", "capital of Iceland\n"),
        ("is_final", "false\n"),
        ("dialect", "classic\n"),
    ],
)
def test_get_prints_a_bare_value(parse, field, printed):
    assert parse("a", "--get", field, a=REPLY) == (0, printed, "")


def test_get_prints_what_is_no_string_as_json(parse):
    assert parse("-q", "a", "--get", "arguments", a=ODD).out == '{"q": 1}\n'


@pytest.mark.parametrize("layout", ["json", "jsonl"])
def test_get_as_json_keeps_a_value_on_its_line(parse, layout):
    lines = "".join(json.dumps({"output": f"Thought: a\\nb\nFinal Answer: {n}\nx"}) + "\n" for n in "12")
    result = parse("--input", "jsonl", "--get", "final_answer", "--format", layout, "a", a=lines)
    assert result.out == '"1\\nx"\n"2\\nx"\n'
    assert parse("--steps", "--get", "observation", "--format", layout, "a", a=TRANSCRIPT).out == '"one"\nnull\n'


def test_get_into_a_pipe_is_raw(parse):
    assert parse("a", "--get", "final_answer", a="Final Answer: a\x1b[0mb\u202e").out == "a\x1b[0mb\u202e\n"


def test_get_of_a_null_exits_with_1_and_says_so(parse):
    assert parse("a", "--get", "final_answer", a=REPLY) == (1, "", "reactcli: there is no final_answer in the text\n")


def test_get_of_every_step(parse):
    # the last step has no observation: its line is empty, so that lines and steps stay side by side
    assert parse("a", "--steps", "--get", "observation", a=TRANSCRIPT).out == "one\n\n"


def test_a_record_without_steps_is_a_record(parse):
    lines = '{"id": 1, "text": "Action: f"}\n{"id": 2, "text": "nothing"}\n'
    records = [json.loads(line) for line in parse("--steps", "--input", "jsonl", "a", a=lines).out.splitlines()]
    assert [(record["id"], record["step"], record["action"]) for record in records] == [(1, 1, "f"), (2, None, None)]
    assert [d["code"] for d in records[1]["diagnostics"]] == ["nothing-recognised"]


def test_all_parallel_actions_are_in_the_line_of_their_step(parse):
    text = "Thought: t\nAction: f\nAction Input: 1\nAction: g\nAction Input: 2\n"
    (line,) = parse("--steps", "a", a=text).out.splitlines()
    assert [action["action"] for action in json.loads(line)["parallel_actions"]] == ["f", "g"]


def test_get_of_an_unknown_field_suggests_the_nearest(parse):
    result = parse("a", "--get", "acton", a=REPLY)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("reactcli: no field is called 'acton'; did you mean 'action'? there are: thought, ")


def test_an_unknown_dialect_suggests_the_nearest(parse):
    result = parse("a", "--dialect", "clasic", a=REPLY)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("reactcli: no dialect is called 'clasic'; did you mean 'classic'? ")


def test_policies_reach_the_parser(parse):
    both = "Thought: t\nAction: f\nAction Input: 1\nFinal Answer: x\n"
    rounds = "Action: f\nAction Input: 1\nObservation: 2\nAction: g\nAction Input: 2\n"
    assert json.loads(parse("a", "--on-both", "action", a=both).out)["action"] == "f"
    assert json.loads(parse("a", "--on-both", "final", a=both).out)["final_answer"] == "x"
    assert json.loads(parse("a", "--pick", "last", a=rounds).out)["action"] == "g"
    assert json.loads(parse("a", "--implicit-final", a="prose").out)["final_answer"] == "prose"
    assert json.loads(parse("a", "--primed", a="so it is\nAction: f\nAction Input: 1").out)["thought"] == "so it is"


@pytest.mark.parametrize(
    "text",
    [
        'Final Answer: \n```json\n{"a": 1}\n```',
        'Thought: t\nAction: s\nAction Input:\n```json\n{"a": 1}\n```',
        "Final Answer: Steps:\n1. Action: plan\n2. Observation: look\nbye",
        "Thought: t\nFinal Answer: ends in half a label\nAct",
    ],
)
def test_the_texts_of_a_stream_add_up_to_the_step(parse, text):
    *events, last = parse("--stream", "a", a=text).lines
    told = {part: "".join(e["text"] for e in events if e["part"] == part) for part in {e["part"] for e in events}}
    assert told == {key: value for key, value in last.items() if isinstance(value, str) and value and key != "event"}


def test_stream_prints_events_and_then_the_step(parse):
    result = parse("a", "--stream", a=REPLY)
    *events, last = result.lines
    assert last == {"event": "step", **REPLY_STEP}
    told = {}
    for event in events:
        assert list(event) == ["event", "part", "text"]
        told[event["part"]] = told.get(event["part"], "") + event["text"]
    assert told == {"thought": "I need the capital.", "action": "search", "action_input": "capital of Iceland"}


@pytest.mark.parametrize(
    "argv",
    [
        ("--stream", "--full"),
        ("--stream", "--get", "action"),
        ("--stream", "--steps"),
        ("--stream", "--input", "jsonl"),
        ("--stream", "b"),
        ("--stream", "--format", "json"),
        ("--full", "--get", "action"),
        ("--full", "--format", "table"),
        ("--get", "action", "--format", "table"),
        ("--field", "x"),
    ],
)
def test_options_that_exclude_each_other_are_wrong_usage(parse, argv):
    result = parse("a", *argv, a=REPLY)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("reactcli: --") and result.err.count("\n") == 1  # noqa: PT018  # one claim: one line


def test_a_table_shows_the_parts(parse):
    assert parse("a", "--format", "table", a=REPLY).out.split() == [
        "thought", "I", "need", "the", "capital.", "action", "search", "action_input", "capital", "of", "Iceland",
        "final_answer", "is_final", "false",
    ]  # fmt: skip


def test_a_table_shows_what_is_hidden_and_takes_nothing_for_markup(parse):
    text = "Thought: [bold]x[/bold] [/] :bomb: \x1b[2J\u202e\nAction: [link=http://a]f\n"
    table = parse("-q", "a", "--format", "table", a=text).out
    assert r"[bold]x[/bold] [/] :bomb: \x1b[2J\u202e" in table
    assert "[link=http://a]f" in table


def test_a_table_of_steps_has_a_row_for_each(parse):
    words = parse("a", "--steps", "--format", "table", a=TRANSCRIPT).out.split()
    assert words[:6] == ["step", "thought", "action", "action_input", "observation", "final_answer"]
    assert words[7:] == ["1", "look", "f", "1", "one", "2", "I", "know.", "Reykjavík", "😀"]


def test_colour_can_be_forced_and_is_never_part_of_the_text(parse):
    coloured = parse("a", "--color", "always", a=REPLY).out
    assert '\x1b[34m"thought"\x1b[0m' in coloured
    assert "\x1b" not in parse("a", "--color", "never", a=REPLY).out
    assert "\x1b" not in parse("a", a=REPLY).out


@pytest.mark.parametrize(
    ("content", "thought"),
    [
        (b"\xef\xbb\xbfThought: \xc3\xa9", "é"),
        ("Thought: é".encode("utf-16"), "é"),
        ("Thought: é".encode("utf-32"), "é"),
        (b"\xfe\xff" + "Thought: é".encode("utf-16-be"), "é"),
    ],
)
def test_a_byte_order_mark_decides_the_encoding(parse, content, thought):
    whole, streamed = parse("-q", "a", a=content), parse("-q", "--stream", "a")
    assert json.loads(whole.out)["thought"] == thought
    assert streamed.lines[-1]["thought"] == thought


def test_bad_bytes_are_replaced_counted_and_located(parse):
    result = parse("a", a=b"Thought: \xc3\xa9 \xff\xfe and \xe2\x82\nAction: f\nAction Input: \xef\xbf\xbd\n")
    assert json.loads(result.out)["thought"] == "é �� and �"
    assert result.err.startswith("a:1:12: warning[replaced-bytes] 4 bytes are not UTF-8 and were replaced by U+FFFD")


def test_a_line_separator_ends_no_line(parse):
    assert json.loads(parse("a", a="Thought: note\u2028Action: evil\n").out)["action"] is None


def test_output_is_utf8_and_hides_nothing(parse):
    result = parse("-q", "a", a="Thought: \x00\x1b\x7f\x9b\u202e\u2028\ufeff\u200b\u2060\U000e0041 \u200d\u200c é")
    assert r'"\u0000\u001b\u007f\u009b\u202e\u2028\ufeff\u200b\u2060\udb40\udc41 ' in result.out
    assert "\u200d\u200c é" in result.out
