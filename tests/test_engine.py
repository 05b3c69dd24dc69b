"""The loop: what it asks, what it tells, and every reason to stop."""

from __future__ import annotations

import asyncio
import json
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from texts import texts as random_texts

import reactcli
from reactcli import ReActEngine, Tool, tool
from reactcli.comparison import meaning
from reactcli.engine import Listener, ModelError
from reactcli.engine.requests import STATUSES, Completion, Model
from reactcli.errors import ReactcliError
from reactcli.loops import Thresholds
from reactcli.models import ScriptModel
from reactcli.prompt import PromptError

LOOK_UP = "Thought: look\nAction: search\nAction Input: kelp"
ANSWER = "Thought: enough\nFinal Answer: 42"
PAD = "Question: {question}\n{scratchpad}"


def search(query: str) -> str:
    """Find something."""
    return f"found {query}"


class Listening(Model):
    """A script that keeps what it was asked."""

    name = "listening"

    def __init__(self, *replies):
        self.replies = list(replies)
        self.prompts = []

    def complete(self, ask, listen=None):  # noqa: ARG002  # nobody listens
        self.prompts.append(ask.prompt)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        return reply if isinstance(reply, Completion) else Completion(reply)


class Clock:
    """Time that passes only when somebody says so, or by a fixed step at each look."""

    def __init__(self, step=0.0):
        self.now = 0.0
        self.step = step

    def __call__(self):
        self.now += self.step
        return self.now


def go(*replies, tools=(search,), question="q", **options):
    """A run over a script, and the prompts of it."""
    model = Listening(*replies)
    run = ReActEngine(model, list(tools), **{"template": PAD, **options}).run(question)
    return run, model.prompts


def observed(run):
    return [step.observation for step in run.trace.steps]


def test_a_run_asks_tells_and_ends_with_the_answer():
    run, prompts = go(LOOK_UP, ANSWER)
    assert prompts == [
        "Question: q\n",
        f"Question: q\n{LOOK_UP}\nObservation: found kelp\n",
    ]
    assert (run.answer, run.status, run.reason, run.iterations, run.usage) == ("42", "finished", "", 2, None)
    assert [step.contract() for step in run.trace.steps] == [
        {"thought": "look", "action": "search", "action_input": "kelp", "final_answer": None, "is_final": False},
        {"thought": "enough", "action": None, "action_input": None, "final_answer": "42", "is_final": True},
    ]
    assert (observed(run), run.trace.question, run.trace.status) == (["found kelp", None], "q", "finished")


def test_a_model_is_a_function_or_has_generate():
    seen = []

    def plain(prompt):
        seen.append(prompt)
        return ANSWER

    class Generating:
        def generate(self, prompt, temperature=None, stop=None):
            seen.append((prompt, temperature, stop))
            return ANSWER

    class Strict:
        def generate(self, prompt, *, stop):
            seen.append((prompt, stop))
            return ANSWER

    def any_name(prompt, **rest):
        seen.append((prompt, rest))
        return ANSWER

    for model in (plain, Generating(), Strict(), any_name, lambda messages: ANSWER):  # noqa: ARG005  # positional
        assert ReActEngine(model, {}, template=PAD).run("q").answer == "42"
    stop = ["\nObservation"]
    assert seen == [
        "Question: q\n", ("Question: q\n", 0.0, stop), ("Question: q\n", stop),
        ("Question: q\n", {"temperature": 0.0, "stop": stop}),
    ]  # fmt: skip


def test_a_model_may_be_a_coroutine_function():
    async def model(_prompt):
        await asyncio.sleep(0)
        return ANSWER

    assert ReActEngine(model, {}).run("q").answer == "42"


def test_messages_are_given_positionally():
    run, prompts = go(LOOK_UP, ANSWER, history="messages")
    assert run.answer == "42"
    assert prompts[1] == [
        {"role": "user", "content": "Question: q"},
        {"role": "assistant", "content": LOOK_UP},
        {"role": "user", "content": "Observation: found kelp"},
    ]


@pytest.mark.parametrize(
    "tools",
    [
        {"search": search},
        [Tool("search", "Find.", search)],
        {"search": {"description": "Find.", "function": search}},
        [search],
        {"search": Tool("other", "", search)},
    ],
    ids=["functions", "tools", "descriptions", "a list", "renamed"],
)
def test_tools_come_in_every_shape(tools):
    assert ReActEngine(ScriptModel([LOOK_UP, ANSWER]), tools).run("q").trace.steps[0].observation == "found kelp"


def test_a_model_that_fails_ends_the_run_with_its_reason():
    def broken(_prompt):
        raise OSError("no route")

    run = ReActEngine(broken, {}).run("q")
    assert (run.status, run.reason, run.answer, run.iterations, run.trace.steps) == (
        "llm_error", "the model failed: OSError: no route", None, 1, (),
    )  # fmt: skip
    for reply, said in ((None, "NoneType"), (["x"], "list")):
        run = ReActEngine(lambda _prompt, reply=reply: reply, {}).run("q")
        assert run.reason == f"the model returned a value of class '{said}' and no text"


def test_what_is_no_model_is_refused_at_once():
    with pytest.raises(TypeError):
        ReActEngine("gpt", {})


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"template": "no slot"}, PromptError),
        ({"max_steps": 0}, ReactcliError),
        ({"max_parse_errors": 0}, ReactcliError),
        ({"history": "letters"}, ReactcliError),
        ({"language": "tlh"}, ReactcliError),
        ({"dialect": "dspy"}, ReactcliError),
        ({"nosuch": 1}, TypeError),
    ],
    ids=repr,
)
def test_wrong_options_are_refused_before_anything_is_asked(options, error):
    model = Listening(ANSWER)
    with pytest.raises(error):
        ReActEngine(model, {}, **options)
    assert model.prompts == []


def test_the_reply_ends_where_the_model_invents_an_observation():
    reply = "Thought: t\nAction: search\nAction Input: ethanol\nObservation: 78.4\n\nThought: so\nFinal Answer: 78.4"
    run, prompts = go(reply, ANSWER)
    assert (run.answer, run.iterations) == ("42", 2)
    assert prompts[1].endswith("Action Input: ethanol\nObservation: found ethanol\n")
    assert run.trace.meta["steps"][0]["llm_output"] == reply


def test_a_primed_template_takes_the_first_words_for_the_thought():
    run, prompts = go(" I look.\nAction: search[kelp]", " Done.\nFinal Answer: 1", template="{question}\nThought 1:")
    assert [step.thought for step in run.trace.steps] == ["I look.", "Done."]
    assert prompts[1] == "q\nThought 1: I look.\nAction: search[kelp]\nObservation: found kelp\nThought 2:"


# -- errors are observations


def broken(query: str) -> str:
    raise ValueError(f"no {query}")


@pytest.mark.parametrize(
    ("reply", "observation"),
    [
        (
            "Action: serch\nAction Input: x",
            "Error: Tool 'serch' not found; did you mean 'search'? there are: search, broken",
        ),
        ("Action: xyz\nAction Input: x", "Error: Tool 'xyz' not found; there are: search, broken"),
        ("Action: broken\nAction Input: kelp", "Error: ValueError: no kelp"),
        (
            'Action: search\nAction Input: {"q": 1}',
            "Error: 'search' was not run: unknown: 'q'; missing: 'query'; it takes query: text",
        ),
        ('Action: search\nAction Input: {"query": "ke', "Error: 'search' was not run: its input was cut off"),
        ("Thought: hm", "Error: the step has neither an action nor a final answer: write `Action:`"),
        ("It is 42.", "Error: no label, tag or call was found: write `Action:`"),
        ("", "Error: the input is empty: write `Action:`"),
    ],
    ids=["near miss", "unknown", "raises", "wrong arguments", "cut off", "only a thought", "prose", "nothing"],
)
def test_an_error_is_an_observation_and_the_run_goes_on(reply, observation):
    run, prompts = go(reply, ANSWER, tools=(search, broken))
    assert run.answer == "42"
    assert str(observed(run)[0]).startswith(observation)
    assert f"Observation: {observed(run)[0]}\n" in prompts[1]
    assert run.trace.meta["steps"][0]["is_error"] is True


def test_an_unreadable_reply_is_told_the_format_that_was_asked_for():
    run, _ = go("hm", "Action: Finish[1]", template=None, dialect="bracket")
    assert str(observed(run)[0]).endswith("write `Action: TOOL[INPUT]`, or `Action: Finish[ANSWER]`")


def test_a_reply_at_the_token_limit_is_told_so():
    run, _ = go(Completion("Thought: a very lo", is_cut_off=True), ANSWER)
    assert str(observed(run)[0]).startswith("Error: the reply was cut off at the token limit; the step has neither")


def test_unreadable_replies_in_a_row_end_the_run():
    run, _ = go("hm", LOOK_UP, "hm", "hm", "hm", ANSWER)
    assert (run.status, run.iterations, run.answer) == ("parse_error", 5, None)
    assert run.reason == "3 replies in a row had no action and no answer; the last: no label, tag or call was found"
    assert go("hm", ANSWER, max_parse_errors=1)[0].iterations == 1


def test_prose_is_an_answer_only_if_that_was_said():
    assert go("It is 42.", implicit_final=True)[0].answer == "It is 42."
    assert go("It is 42.")[0].status == "parse_error"


@pytest.mark.parametrize("fatal", ["ValueError", ValueError, "tool_error"])
def test_a_fatal_error_stops_the_run_behind_its_step(fatal):
    run, _ = go("Action: broken\nAction Input: kelp", ANSWER, tools=(broken,), fatal_errors=[fatal])
    assert (run.status, run.reason, run.iterations) == ("tool_error", "'broken' failed: ValueError: no kelp", 1)
    assert observed(run) == ["Error: ValueError: no kelp"]


def test_other_errors_are_not_fatal():
    assert go("Action: broken\nAction Input: x", ANSWER, tools=(broken,), fatal_errors=["OSError"])[0].answer == "42"


def test_a_tool_that_hangs_is_left_alone_and_the_run_goes_on():
    free = threading.Event()

    @tool(timeout=0.05)
    def hang() -> str:
        free.wait(20)
        return "late"

    run, _ = go("Action: hang", ANSWER, tools=(hang,))
    free.set()
    assert (run.answer, observed(run)[0]) == ("42", "Error: TimeoutError: 'hang' ran out of its time of 0.05 s")


def test_a_coroutine_is_awaited_also_inside_a_running_loop():
    async def slow(query: str) -> str:
        await asyncio.sleep(0)
        return query.upper()

    async def notebook():
        return go("Action: slow\nAction Input: kelp", ANSWER, tools=(slow,))[0]

    assert observed(asyncio.run(notebook()))[0] == "KELP"


def test_names_that_are_not_ascii_stay_apart():
    tools = {"搜索工具": lambda query: f"1 {query}", "查询工具": lambda query: f"2 {query}"}
    run = ReActEngine(ScriptModel(["Action: 搜索工具\nAction Input: 海带", ANSWER]), tools).run("q")
    assert observed(run)[0] == "1 海带"


def test_a_longer_name_is_not_taken_for_a_shorter():
    made = []
    tools = {"record": lambda: made.append(1), "record_credential": lambda: "kept"}
    run = ReActEngine(ScriptModel(["Action: record_credential\nAction Input: {}", ANSWER]), tools).run("q")
    assert (observed(run)[0], made) == ("kept", [])


def test_a_long_observation_loses_its_middle_where_the_model_sees_it_and_not_in_the_trace():
    run, prompts = go("Action: flood", ANSWER, tools=(flood,), max_output=100)
    assert prompts[1].endswith(f"Observation: {'a' * 50}\n… 400 characters omitted …\n{'a' * 50}\n")
    assert observed(run)[0] == flood()


def flood():
    return "a" * 500


# -- reasons to stop


def test_the_limit_of_steps_ends_the_run_behind_a_warning():
    replies = [f"Action: search\nAction Input: {n}" for n in range(9)]
    run, prompts = go(*replies, max_steps=3)
    assert (run.status, run.reason, run.iterations) == ("max_steps", "there is no final answer after 3 steps", 3)
    assert "only one step is left" in prompts[2]
    assert "only one step is left" not in prompts[1]


def test_at_the_limit_the_best_answer_can_be_asked_for():
    run, prompts = go(
        "Action: search\nAction Input: 1", "Action: search\nAction Input: 2", ANSWER, max_steps=2, answer_at_limit=True
    )
    assert (run.answer, run.status, run.iterations) == ("42", "finished", 3)
    assert run.reason == "the answer was asked for at the limit of 2 steps"
    assert "there are no steps left" in prompts[2]
    assert run.trace.meta["steps"][2]["at_limit"] is True


def test_at_the_limit_no_tool_is_run_any_more():
    made = []
    run, _ = go("Action: note\nAction Input: 1", tools=(noting(made),), max_steps=1, answer_at_limit=True)
    assert (run.status, run.iterations, made, observed(run)) == ("max_steps", 2, ["1"], ["None", None])


def noting(made):
    def note(text: str) -> str:
        made.append(text)
        return "None"

    return note


def test_a_loop_is_warned_of_and_then_stopped():
    run, prompts = go(LOOK_UP, max_steps=20)
    said = "'search' was called 3 times in a row with the same input and the same result"
    assert said in prompts[3]
    assert said not in prompts[2]
    assert (run.status, run.iterations, run.reason) == ("loop", 4, said.replace("3 times", "4 times"))


def test_a_model_that_heeds_the_warning_goes_on():
    run, _ = go(LOOK_UP, LOOK_UP, LOOK_UP, "Action: search\nAction Input: fish", ANSWER)
    assert run.answer == "42"


def test_a_second_loop_is_warned_of_again():
    other = "Action: search\nAction Input: fish"
    run, prompts = go(*[LOOK_UP] * 3, other, *["Action: search\nAction Input: crab"] * 3, ANSWER)
    assert (run.answer, prompts[-1].count("The same steps will give the same results")) == ("42", 2)


def test_the_same_call_in_another_spelling_is_the_same_call():
    one = 'Action: both\nAction Input: {"b": 2,   "a": 1}'
    other = 'Action: both\nAction Input: {"a":1,"b":2}'
    run, _ = go(one, other, one, other, tools=(both,))
    assert run.status == "loop"
    assert len({meaning(step) for step in run.trace.steps}) == 1


def both(a: int, b: int) -> int:
    return a + b


def test_polling_whose_results_change_is_no_loop():
    percent = iter(range(10, 1000, 10))

    def status(job: int) -> str:
        return f"{job}: {next(percent)}%"

    run, _ = go(*['Action: status\nAction Input: {"job": 7}'] * 8, ANSWER, tools=(status,))
    assert run.answer == "42"


def test_too_many_calls_of_one_tool_are_a_loop_if_that_was_said():
    replies = [f"Action: search\nAction Input: {n}" for n in range(9)]
    assert go(*replies, max_same_tool=3, max_steps=9)[0].status == "loop"
    assert go(*replies, max_steps=9)[0].status == "max_steps"
    assert go(LOOK_UP, thresholds=Thresholds(repeats=9), max_steps=5)[0].status == "max_steps"


def test_a_deadline_is_warned_of_and_then_ends_the_run():
    clock = Clock()

    def work(text: str) -> str:
        clock.now += 3
        return text

    replies = [f"Action: work\nAction Input: {n}" for n in range(9)]
    run, prompts = go(*replies, tools=(work,), deadline=10, clock=clock, max_steps=99)
    assert (run.status, run.reason, run.iterations) == ("stopped", "the deadline of 10 s has passed", 4)
    assert ["the time for this run" in prompt for prompt in prompts] == [False, False, False, True]


def test_a_model_that_fails_when_the_deadline_has_passed_is_late():
    clock = Clock()

    def model(_prompt):
        clock.now += 10
        raise ModelError("no whole reply")

    run = ReActEngine(model, [search], deadline=10, clock=clock).run("q")
    assert (run.status, run.reason, run.iterations) == ("stopped", "the deadline of 10 s has passed", 1)
    run = ReActEngine(model, [search], deadline=11, clock=clock).run("q")
    assert (run.status, run.reason) == ("llm_error", "no whole reply")


def test_a_limit_of_tokens_is_warned_of_and_then_ends_the_run():
    replies = [
        Completion(f"Action: search\nAction Input: {n}", {"input_tokens": 30, "output_tokens": 10}) for n in range(9)
    ]
    run, prompts = go(*replies, max_tokens=150)
    assert (run.status, run.reason) == ("stopped", "the limit of 150 tokens is used up")
    assert (run.iterations, run.usage) == (4, {"input_tokens": 120, "output_tokens": 40})
    assert ["the token budget for this run" in prompt for prompt in prompts] == [False, False, False, True]


def test_tokens_are_estimated_where_nobody_counts_them():
    run, _ = go(*[f"Action: search\nAction Input: {n}" for n in range(9)], max_tokens=20)
    assert (run.status, run.usage) == ("stopped", None)


def test_an_interrupt_ends_the_run_with_a_whole_trace():
    def interrupted() -> str:
        raise KeyboardInterrupt

    run, _ = go(LOOK_UP, "Action: interrupted", tools=(search, interrupted))
    assert (run.status, run.reason, observed(run)) == ("stopped", "interrupted", ["found kelp", None])
    model = Listening(LOOK_UP)
    engine = ReActEngine(model, [search])
    engine.interruption = "enough"
    assert (engine.run("q").reason, model.prompts) == ("enough", [])


def test_a_call_that_is_not_allowed_ends_the_run():
    asked = []

    def confirm(call, planned):
        asked.append((call.tool, planned.arguments))
        return call.action_input == "kelp"

    run, _ = go(LOOK_UP, "Action: search\nAction Input: gold", confirm=confirm)
    assert (run.status, run.reason) == ("stopped", "the user did not allow the call of 'search'")
    assert asked == [("search", {"query": "kelp"}), ("search", {"query": "gold"})]
    assert observed(run) == ["found kelp", "Error: the user did not allow this step"]


def test_a_call_that_cannot_be_made_needs_no_permission():
    run, _ = go("Action: nosuch", ANSWER, confirm=lambda _call, _planned: False)
    assert run.answer == "42"


# -- several actions, reflection, context


def test_actions_of_one_reply_run_side_by_side_and_are_told_in_order():
    together = threading.Barrier(2)

    def first(text: str) -> str:
        together.wait(20)
        return f"1 {text}"

    def second(text: str) -> str:
        together.wait(20)
        return f"2 {text}"

    run, prompts = go(
        'Action: second, first\nAction Input: {"text": "a"}, {"text": "b"}', ANSWER, tools=(first, second)
    )
    step = run.trace.steps[0]
    assert [(one.action, one.observation, one.is_error) for one in step.parallel_actions] == [
        ("second", "2 a", False), ("first", "1 b", False),
    ]  # fmt: skip
    assert (step.observation, prompts[1].endswith("Observation: 2 a\nObservation: 1 b\n")) == ("2 a\n1 b", True)


def test_no_more_calls_run_at_once_than_was_said():
    at_once = []
    lock = threading.Lock()

    def work(n: int) -> int:
        with lock:
            at_once.append(threading.active_count())
        return n

    inputs = ", ".join(f'{{"n": {n}}}' for n in range(6))
    before = threading.active_count()
    run, _ = go(f"Action: {', '.join(['work'] * 6)}\nAction Input: {inputs}", ANSWER, tools=(work,), side_by_side=2)
    assert run.trace.steps[0].observation == "0\n1\n2\n3\n4\n5"
    assert max(at_once) <= before + 2


def test_one_failing_action_leaves_the_others_alone():
    reply = 'Action: broken, search\nAction Input: {"query": "a"}, {"query": "b"}'
    run, _ = go(reply, ANSWER, tools=(search, broken))
    assert [(one.observation, one.is_error) for one in run.trace.steps[0].parallel_actions] == [
        ("Error: ValueError: no a", True), ("found b", False),
    ]  # fmt: skip


def test_after_an_error_a_reflection_is_asked_for_and_kept():
    run, prompts = go(
        "Action: broken\nAction Input: x",
        "Reflection: it is broken\nThought: other\nAction: search\nAction Input: x",
        ANSWER,
        tools=(search, broken), reflect=True,
    )  # fmt: skip
    assert ["`Reflection:`" in prompt for prompt in prompts] == [False, True, True]
    assert [step.reflection for step in run.trace.steps] == ["", "it is broken", ""]


def test_a_reply_that_only_reflects_is_no_error():
    run, prompts = go("Action: broken\nAction Input: x", "Reflection: mine", ANSWER, tools=(broken,), reflect=True)
    assert (run.answer, observed(run)[1], run.trace.steps[1].reflection) == ("42", None, "mine")
    assert prompts[2].endswith("Reflection: mine\n")


def test_a_budget_holds_while_the_trace_keeps_everything():
    replies = [f"Action: long\nAction Input: {n}" for n in range(8)]
    run, prompts = go(*replies, ANSWER, tools=(long,), context=1000, max_steps=20)
    assert observed(run)[:8] == [long(str(n)) for n in range(8)]
    assert max(len(prompt) for prompt in prompts) < 4 * 1000 + 400
    assert "Steps 1 to" in prompts[-1]
    assert prompts[-1].startswith("Question: q\n")


def long(text: str) -> str:
    return f"{text} " * 600


# -- steps, listeners, names


def test_a_run_can_be_walked_step_by_step():
    steps = ReActEngine(ScriptModel([LOOK_UP, ANSWER]), [search], template=PAD).walk("q")
    assert [next(steps).step.action, next(steps).step.final_answer] == ["search", "42"]
    with pytest.raises(StopIteration) as stop:
        next(steps)
    assert stop.value.value.answer == "42"


def test_a_listener_is_told_everything_in_order():
    told = []

    class Telling(Listener):
        def asked(self, ask):
            told.append(("asked", ask.number))

        def heard(self, text):
            told.append(("heard", text))

        def acting(self, act):
            told.append(("acting", act.calls[0].tool))

        def recorded(self, number, recorded):
            told.append(("recorded", number, recorded.step.action))

    ReActEngine(ScriptModel([LOOK_UP, ANSWER]), [search], listener=Telling()).run("q")
    assert told == [
        ("asked", 1), ("heard", LOOK_UP), ("acting", "search"), ("recorded", 1, "search"),
        ("asked", 2), ("heard", ANSWER), ("recorded", 2, None),
    ]  # fmt: skip


def test_an_engine_can_run_again_and_again():
    engine = ReActEngine(lambda prompt: ANSWER if "found" in prompt else LOOK_UP, [search], template=PAD)
    assert [engine.run("a").iterations, engine.run("b").iterations] == [2, 2]


def test_the_names_of_the_loop_are_public():
    assert (reactcli.ReActEngine, reactcli.Tool, reactcli.tool) == (ReActEngine, Tool, tool)


texts = st.one_of(
    st.sampled_from(
        [LOOK_UP, ANSWER, "hm", "", "Action: nosuch", "Action: search, search\nAction Input: a, b", "思: x"]
    ),
    st.integers(0, 10**6).map(lambda seed: next(iter(random_texts(1, seed)))),
    st.text(max_size=50),
)


@given(
    st.lists(texts, min_size=1, max_size=6),
    st.integers(1, 5),
    st.booleans(),
    st.sampled_from(["scratchpad", "messages"]),
)
@settings(max_examples=150, deadline=None)
def test_whatever_a_model_writes_the_run_ends_with_a_status_and_a_reason(replies, max_steps, flag, history):
    run, prompts = go(*replies, max_steps=max_steps, reflect=flag, answer_at_limit=flag, history=history, context=200)
    assert run.status in STATUSES
    assert (run.answer is not None) == (run.status == "finished")
    assert run.reason or run.status == "finished"
    assert run.iterations == len(prompts) == len(run.trace.steps) <= max_steps + flag
    assert json.dumps(run.trace.meta)


def test_a_script_that_ends_is_an_error_that_says_so():
    run = ReActEngine(ScriptModel([LOOK_UP]), [search]).run("q")
    assert (run.status, run.reason) == (
        "llm_error", "the script has no more replies after 1 (add one, or lower --max-steps)",
    )  # fmt: skip
    assert issubclass(ModelError, ReactcliError)
