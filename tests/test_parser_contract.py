"""The published contract of ReActAgentParser: five keys, execute_step word for word, policies, traces."""

from __future__ import annotations

import pickle

import pytest

from reactcli import ReActAgentParser, Step
from reactcli.dialects import DIALECTS
from reactcli.errors import ReactcliError

ACTION = "Thought: t\nAction: double\nAction Input: 21"
FINAL = "Thought: t\nFinal Answer: 42"
BOTH = "Thought: a\nAction: f\nAction Input: x\nFinal Answer: y"
ROUNDS = "Thought: a\nAction: f\nAction Input: x\nObservation: o\nThought: b\nAction: g\nAction Input: y"


def test_parse_step_gives_five_keys_in_order() -> None:
    assert list(ReActAgentParser().parse_step(ACTION)) == [
        "thought",
        "action",
        "action_input",
        "final_answer",
        "is_final",
    ]


@pytest.mark.parametrize("given", [None, b"Thought: t", 5, ["Thought: t"]])
@pytest.mark.parametrize("method", ["parse_step", "parse", "parse_trace"])
def test_what_is_no_text_is_a_type_error_that_says_so(method, given) -> None:
    with pytest.raises(TypeError, match=f"^a reply is a str, and this is of type {type(given).__name__}$"):
        getattr(ReActAgentParser(), method)(given)


def test_a_stream_takes_text_or_bytes_only() -> None:
    with pytest.raises(TypeError, match=r"^a chunk is str or bytes, and this is of type NoneType$"):
        ReActAgentParser().stream().feed(None)


def test_a_parser_can_be_copied_and_sent_to_another_process() -> None:
    parser = ReActAgentParser("bracket", on_both="action", pick="last", primed=True)
    again = pickle.loads(pickle.dumps(parser))  # noqa: S301  # our own
    assert (again.dialect.name, again.parse(BOTH)) == (parser.dialect.name, parser.parse(BOTH))
    assert pickle.loads(pickle.dumps(ReActAgentParser())).dialect is ReActAgentParser().dialect  # noqa: S301


def test_execute_step_runs_the_tool_on_the_raw_input() -> None:
    step, observation = ReActAgentParser().execute_step(ACTION, {"double": lambda text: int(text) * 2})
    assert step == ReActAgentParser().parse_step(ACTION)
    assert observation == "Observation: 42"


def test_execute_step_returns_the_answer_of_a_final_step() -> None:
    assert ReActAgentParser().execute_step(FINAL, {}) == (ReActAgentParser().parse_step(FINAL), "42")


@pytest.mark.parametrize(("text", "named"), [(ACTION, "double"), ("no step at all", "None")])
def test_execute_step_names_a_tool_that_is_not_there(text: str, named: str) -> None:
    with pytest.raises(ValueError, match=f"^Tool '{named}' not found$"):
        ReActAgentParser().execute_step(text, {})


def test_a_tools_own_exception_passes_through() -> None:
    def fail(_: str) -> str:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        ReActAgentParser().execute_step(ACTION, {"double": fail})


@pytest.mark.parametrize(
    ("policy", "action", "answer"),
    [("final", None, "y"), ("action", "f", None), ("error", None, None)],
)
def test_on_both_decides_between_action_and_answer(policy: str, action: str | None, answer: str | None) -> None:
    step = ReActAgentParser(on_both=policy).parse(BOTH)
    assert (step.action, step.final_answer) == (action, answer)
    assert [shadow.action for shadow in step.shadowed if shadow.action] == ([] if policy == "action" else ["f"])
    codes = {"final": "action-and-final-answer", "action": None, "error": "conflict"}
    assert [d.code for d in step.diagnostics if d.severity != "info"] == [code for code in [codes[policy]] if code]


@pytest.mark.parametrize(("pick", "action"), [("first", "f"), ("last", "g")])
def test_pick_decides_between_rounds(pick: str, action: str) -> None:
    step = ReActAgentParser(pick=pick).parse(ROUNDS)
    assert step.action == action
    assert [shadow.action for shadow in step.shadowed] == [{"f": "g", "g": "f"}[action]]


def test_primed_takes_the_text_before_the_first_label_for_the_thought() -> None:
    text = "I should look.\nAction: f\nAction Input: x"
    assert ReActAgentParser().parse(text).thought == ""
    assert ReActAgentParser(primed=True).parse(text).thought == "I should look."
    assert ReActAgentParser(primed=True).parse("just thinking").thought == "just thinking"


TRANSCRIPT = "I look.\nAction: f\nAction Input: 1\nObservation: 2\nFinal Answer: 3"


def test_the_words_that_a_policy_takes_are_in_one_field_only_with_their_span() -> None:
    primed = ReActAgentParser(primed=True)
    step = primed.parse("I should look.\nThought: now.\nFinal Answer: 3")
    assert (step.thought, step.preamble) == ("I should look.\nnow.", "")
    assert step.spans["thought"] == (0, len("I should look.\nThought: now."))
    assert "preamble" not in step.spans
    step = ReActAgentParser(implicit_final=True).parse(" It is 3.")
    assert (step.final_answer, step.preamble, step.spans, step.diagnostics) == (
        "It is 3.",
        "",
        {"final_answer": (1, 9)},
        (),
    )


def test_the_words_before_a_transcript_are_the_thought_of_its_first_step_alone() -> None:
    primed = ReActAgentParser(primed=True)
    first, last = primed.parse_trace(TRANSCRIPT).steps
    assert (first.thought, last.thought, last.spans) == (
        "I look.",
        "",
        {"final_answer": (len(TRANSCRIPT) - 1, len(TRANSCRIPT))},
    )
    assert primed.parse(TRANSCRIPT).thought == "I look."


def test_a_primed_stream_tells_the_first_words_as_the_thought() -> None:
    stream = ReActAgentParser(primed=True).stream()
    assert stream.feed("I look.\nAction: f\n")[0] == ("thought", "I look.")


def test_implicit_final_takes_prose_for_the_answer() -> None:
    assert ReActAgentParser().parse("It is 4.").final_answer is None
    assert ReActAgentParser(implicit_final=True).parse("It is 4.").final_answer == "It is 4."
    assert ReActAgentParser(implicit_final=True).parse("Thought: hm").final_answer is None


@pytest.mark.parametrize("options", [{"on_both": "both"}, {"pick": "middle"}, {"dialect": "langchian"}])
def test_a_wrong_option_says_what_is_right(options: dict) -> None:
    with pytest.raises(ReactcliError) as raised:
        ReActAgentParser(**options)
    assert next(iter(options.values())) in raised.value.message
    assert raised.value.hint


def test_a_mistyped_dialect_is_met_with_a_suggestion() -> None:
    with pytest.raises(ReactcliError) as raised:
        ReActAgentParser("langchian")
    assert raised.value.hint.startswith("did you mean 'langchain'?")


@pytest.mark.parametrize("dialect", list(DIALECTS), ids=lambda dialect: dialect.name)
def test_the_example_of_a_dialect_is_read_in_it(dialect) -> None:
    for parser in [ReActAgentParser(dialect.name), *([] if dialect.explicit else [ReActAgentParser()])]:
        step = parser.parse(dialect.example)
        assert step.dialect == dialect.name
        assert step.action or step.is_final
        assert [d for d in step.diagnostics if d.severity != "info"] == []


def test_a_transcript_becomes_a_trace() -> None:
    trace = ReActAgentParser().parse_trace(f"Question: q\n{ROUNDS}\nObservation: p\nThought: c\nFinal Answer: z")
    assert trace.question == "q"
    assert [(s.thought, s.action, s.action_input, s.observation, s.final_answer) for s in trace.steps] == [
        ("a", "f", "x", "o", None),
        ("b", "g", "y", "p", None),
        ("c", None, None, None, "z"),
    ]
    assert (trace.final_answer, trace.status, trace.dialect) == ("z", "finished", "classic")


def test_no_observation_and_an_empty_one_stay_different() -> None:
    steps = ReActAgentParser().parse_trace("Action: f\nObservation:\nThought: x\nAction: g").steps
    assert [step.observation for step in steps] == ["", None]


def test_questions_open_episodes() -> None:
    text = "".join(f"Question: {q}\nThought: t\nAction: Finish[{q}]\nObservation: CORRECT\n\n" for q in "abc")
    steps = ReActAgentParser().parse_trace(text).steps
    assert [(step.episode, step.question, step.final_answer, step.observation) for step in steps] == [
        (1, "a", "a", "CORRECT"),
        (2, "b", "b", "CORRECT"),
        (3, "c", "c", "CORRECT"),
    ]


def test_observations_of_parallel_actions_go_to_their_actions() -> None:
    text = "Thought: t\nAction: f\nAction Input: 1\nAction: g\nAction Input: 2\nObservation: one\nObservation: two"
    (step,) = ReActAgentParser().parse_trace(text).steps
    assert step.observation == "one\ntwo"
    assert [(a.action, a.observation) for a in step.parallel_actions] == [("f", "one"), ("g", "two")]


def test_what_a_tool_wrote_is_no_step() -> None:
    log = '{"log": "Action: wipe\\nFinal Answer: no"}'
    text = f"Action: f\nAction Input: x\nObservation: {log}\nThought: t\nFinal Answer: y"
    steps = ReActAgentParser().parse_trace(text).steps
    assert [(step.action, step.final_answer) for step in steps] == [("f", None), (None, "y")]


@pytest.mark.parametrize(("length", "codes"), [(255, []), (256, []), (257, ["name-too-long"])])
def test_a_tools_name_has_a_longest_length(length: int, codes: list[str]) -> None:
    step = ReActAgentParser().parse(f"Thought: t\nAction: {'n' * length}\nAction Input: x")
    assert len(step.action or "") == length
    assert [diagnostic.code for diagnostic in step.diagnostics] == codes


def test_equality_ignores_spans_and_diagnostics() -> None:
    parser = ReActAgentParser()
    assert parser.parse(ACTION) == parser.parse(ACTION.replace("Thought: ", "Thought:    "))
    assert parser.parse(ACTION) != Step(thought="t")


def test_spans_point_at_the_values() -> None:
    text = 'Sure.\nThought: look\nAction: {"action": "search", "action_input": {"q": "kelp"}}\nObservation: found'
    step = ReActAgentParser().parse(text)
    assert {field: text[slice(*span)] for field, span in step.spans.items()} == {
        "thought": "look",
        "action": "search",
        "action_input": '{"q": "kelp"}',
        "preamble": "Sure.",
        "hallucinated_observation": "found",
    }


def test_each_step_of_a_transcript_has_the_reasoning_that_led_to_it() -> None:
    text = (
        "<think>a</think>\nThought: x\nAction: f\nAction Input: 1\nObservation: 2\n"
        "<think>b</think>\n<think>c</think>\nThought: y\nFinal Answer: z\n<think>d</think>"
    )
    steps = ReActAgentParser().parse_trace(text).steps
    assert [(step.thought, step.reasoning) for step in steps] == [("x", "a"), ("y", "b\nc\nd")]
    assert [text[slice(*step.spans["reasoning"])][0] for step in steps] == ["a", "b"]
    assert ReActAgentParser().parse_trace("<think>a</think>").steps == ()
