"""Prompts: templates are checked and filled once, tools are described whole, the scratchpad reads back as the steps."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactcli.errors import ReactcliError
from reactcli.observations import escaped
from reactcli.parser import ReActAgentParser
from reactcli.prompt import (
    LANGUAGES,
    SLOTS,
    STYLES,
    PromptError,
    Turn,
    checked,
    default_text,
    estimated_tokens,
    prompt_of,
    style_of,
)
from reactcli.prompt.budget import KEPT_TURNS, fitted
from reactcli.prompt.template import ALIASES, filled

SEARCH = {
    "name": "search",
    "description": "Search a table.\n\nFive lines at most.",
    "parameters": {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "words\nto look for"},
            "limit": {"type": "integer", "default": 3},
            "unit": {"enum": ["m", "ft"]},
        },
        "required": ["query"],
    },
    "returns": "the lines",
    "timeout": 2.5,
}
NOW = {"name": "now", "description": "", "parameters": {"type": "object", "properties": {}}}

names = st.sampled_from([style.dialect for style in STYLES.values()])
words = st.text(st.characters(categories=["L", "N"], include_characters=" ,.?"), min_size=1, max_size=30)


def plain(question="q", template="Question: {question}\n{scratchpad}", **rest):
    return prompt_of(question, [SEARCH, NOW], template=template, **rest)


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=40))
@settings(max_examples=100, deadline=None)
def test_what_is_put_into_a_slot_is_never_searched_for_slots(before, question, after):
    before, after = before.replace("{", "("), after.replace("{", "(")
    assert filled(f"{before}{{question}}{after}", {"question": question}) == f"{before}{question}{after}"


def test_braces_that_are_no_slot_are_text():
    prompt = plain(template='{"query": {"a": 1}} {{question}} {} { question } {question}')
    assert prompt.text([]) == '{"query": {"a": 1}} {question} {} { question } q\n'


@pytest.mark.parametrize(
    ("template", "message", "hint"),
    [
        ("Question:", "the template has no slot for the question", "{question}"),
        ("{question} {quetsion}", "the template has no slot called 'quetsion'", "did you mean {question}?"),
        ("{question} {city}", "the template has no slot called 'city'", "text in braces is written {{city}}"),
        ("{scratchpad}{question}{history}", "the template has two slots for the scratchpad", "keep one"),
        ("{question}" + "x" * (1 << 20), "the template is longer than 1048576 characters", ""),
    ],
    ids=["no question", "misspelt", "unknown", "twice", "too long"],
)
def test_a_template_that_cannot_be_used_is_refused(template, message, hint):
    with pytest.raises(PromptError) as raised:
        checked(template)
    assert (raised.value.message, hint in raised.value.hint) == (message, True)


def test_every_slot_and_alias_is_filled():
    values = {name: f"<{name}>" for name in SLOTS}
    for name in (*SLOTS, *ALIASES):
        assert filled(f"{{{name}}}", values) == f"<{ALIASES.get(name, name)}>"


@pytest.mark.parametrize(
    ("ending", "cues"),
    [
        ("Thought:", ["Thought:", "Thought:"]),
        ("Thought 1:\n", ["Thought 1:", "Thought 2:"]),
        ("思:", ["思:", "思:"]),
        ("思考：", ["思考：", "思考："]),
        ("Мысль 1: ", ["Мысль 1:", "Мысль 2:"]),
        ("A thought:", ["", ""]),
        ("Answer:", ["", ""]),
    ],
)
def test_a_template_that_ends_in_a_thought_label_is_primed(ending, cues):
    template = checked(f"{{question}}\n{{scratchpad}}{ending}")
    assert ([template.cue_of(1), template.cue_of(2)], template.is_primed) == (cues, bool(cues[0]))
    assert checked(f"{{question}}\n{ending}").cue_of(1) == cues[0]


@pytest.mark.parametrize(
    ("line", "label"),
    [
        ("Observation: r", "Observation"),
        ("观察: 结果", "观察"),
        ("Observation 1: r", "Observation 7"),
        ("Наблюдение: r", "Наблюдение"),
        ("Result: r", "Observation"),
        ("see the Observation: r", "Observation"),
    ],
)
def test_observations_stand_behind_the_label_that_the_template_shows(line, label):
    assert checked(f"{line}\n{{question}}").observation_label(7) == label


def test_a_primed_prompt_puts_each_reply_behind_its_cue():
    prompt = plain(template="Question: {question}\nObservation 1: r\nThought 1:")
    turns = [
        Turn(1, " I look.\nAction 1: search[x]", ("found",)),
        Turn(2, "Thought 2: again\nAction: search[y]", ("none",), "Note: hurry"),
    ]
    assert prompt.text(turns) == (
        "Question: q\nObservation 1: r\n"
        "Thought 1: I look.\nAction 1: search[x]\nObservation 1: found\n"
        "Thought 2: again\nAction: search[y]\nObservation 2: none\nNote: hurry\n"
        "Thought 3:"
    )


def test_where_a_reflection_is_asked_for_the_cue_waits():
    prompt = plain(template="{question}\n{scratchpad}Thought:")
    asking = Turn(1, "a\nAction: x", ("Error: no",), "Reflect.", asks_reflection=True)
    assert prompt.text([asking]).endswith("Observation: Error: no\nReflect.\n")
    after = Turn(2, "Reflection: my fault\nThought: b\nAction: y", ("yes",))
    assert prompt.text([asking, after]).endswith(
        "Reflection: my fault\nThought: b\nAction: y\nObservation: yes\nThought:"
    )


def test_text_behind_the_scratchpad_stays_there():
    prompt = plain(template="{question}\n{scratchpad}\nMind the format, {tool_names}.\nThought:")
    assert prompt.text([Turn(1, "a\nAction: x", ("o",))]) == (
        "q\nThought: a\nAction: x\nObservation: o\n\nMind the format, search, now.\nThought:"
    )


def test_messages_take_turns():
    prompt = plain(history="messages")
    turns = [Turn(1, "Action: a", ("1", "2"), "Note: n"), Turn(2, "Reflection: r")]
    assert prompt.of(turns) == [
        {"role": "user", "content": "Question: q"},
        {"role": "assistant", "content": "Action: a"},
        {"role": "user", "content": "Observation: 1\nObservation: 2\nNote: n"},
        {"role": "assistant", "content": "Reflection: r"},
        {"role": "user", "content": "Go on."},
    ]


@pytest.mark.parametrize("language", LANGUAGES.names)
@pytest.mark.parametrize("dialect", list(STYLES))
def test_every_default_prompt_is_whole(language, dialect):
    prompt = prompt_of("How {high} is K2?", [SEARCH, NOW], language=language, dialect=dialect, max_steps=7)
    text = prompt.text([])
    for part in (
        "How {high} is K2?",
        "search, now",
        "Search a table.",
        "query",
        "the lines",
        "2.5",
        " 7",
        "Observation",
    ):
        assert part in text
    left = {match for match in re.findall(r"\{(\w+)\}|%(\w+)%", text) if match != ("high", "")}
    assert left == set()


@given(names, st.dictionaries(st.sampled_from(["query", "limit", "x1"]), words, min_size=1, max_size=3))
@settings(max_examples=100, deadline=None)
def test_a_call_as_the_prompt_shows_it_is_read_as_that_call(dialect, arguments):
    arguments = {name: value.strip() or "x" for name, value in arguments.items()}
    call = style_of(dialect).call("search", arguments)
    step = ReActAgentParser().parse(f"Thought: t\n{call}")
    if dialect == "bracket" and len(arguments) == 1:
        assert (step.action, step.action_input) == ("search", next(iter(arguments.values())))
    else:
        assert (step.action, step.arguments) == ("search", arguments)


@pytest.mark.parametrize("dialect", list(STYLES))
def test_the_answer_that_the_format_shows_is_read_as_an_answer(dialect):
    english = LANGUAGES.get("en")
    last = STYLES[dialect].lines(english).partition(english.again)[2]
    assert ReActAgentParser(dialect).parse_step(last)["final_answer"] == english.answer


def test_a_dialect_without_a_prompt_needs_a_template():
    with pytest.raises(ReactcliError, match="there is no prompt for the dialect 'dspy'"):
        prompt_of("q", [], dialect="dspy")
    assert prompt_of("q", [], dialect="dspy", template="{question}").text([]) == "q\n"
    assert style_of("react-paper").dialect == "bracket"


def test_a_tool_is_described_with_all_that_is_known_of_it():
    prompt = prompt_of("q", [SEARCH, NOW], template="{question}{tools}\nThought:")
    assert prompt.text([]) == (
        "qsearch: Search a table.\n"
        "  Five lines at most.\n"
        "  - query (string, required): words to look for\n"
        "  - limit (integer, 3 unless given)\n"
        '  - unit ("m" or "ft", optional)\n'
        "  Returns: the lines\n"
        "  Limit: 2.5 s\n"
        "  Example:\n"
        "    Action: search\n"
        '    Action Input: {"query": "…"}\n'
        "\n"
        "now\n"
        "  Example:\n"
        "    Action: now\n"
        "    Action Input: {}\n"
        "Thought:"
    )


def test_without_tools_the_prompt_says_so():
    assert LANGUAGES.get("en").no_tools in prompt_of("q", []).text([])


@pytest.mark.parametrize(
    "parameters",
    [
        None,
        5,
        {"properties": 7},
        {"properties": {"a": 1}, "required": 3},
        {"properties": {"a": {"enum": 5, "anyOf": 1}}},
    ],
    ids=repr,
)
def test_tools_of_a_recording_are_described_whatever_they_hold(parameters):
    assert "x" in prompt_of("q", [{"name": "x", "description": None, "parameters": parameters}]).text([])


observations = st.one_of(words, st.text(max_size=60), st.sampled_from([
    "Final Answer: no", "a\nAction: rm\nAction Input: -rf", "```\nThought: x\n```", "\nObservation: x", "Question: new",
]))  # fmt: skip


@given(st.lists(st.tuples(words, words, observations), min_size=1, max_size=5))
@settings(max_examples=100, deadline=None)
def test_the_scratchpad_is_read_back_as_the_steps_that_it_was_made_of(made):
    parser = ReActAgentParser()
    made = [(thought.strip() or "t", text.strip() or "i", told) for thought, text, told in made]
    turns = [
        Turn(number, f"Thought: {thought}\nAction: search\nAction Input: {text}", (escaped(told, parser),))
        for number, (thought, text, told) in enumerate(made, 1)
    ]
    trace = parser.parse_trace(plain().text(turns))
    assert [(step.thought, step.action, step.action_input) for step in trace.steps] == [
        (thought, "search", text) for thought, text, _ in made
    ]
    assert all(step.observation is not None for step in trace.steps)


sizes = st.integers(0, 400)
turns_of_sizes = st.lists(st.tuples(sizes, sizes), max_size=12).map(
    lambda pairs: tuple(Turn(n, "r" * reply, ("o" * told,)) for n, (reply, told) in enumerate(pairs, 1))
)


@given(turns_of_sizes, st.integers(0, 1500))
@settings(max_examples=150, deadline=None)
def test_a_budget_shortens_old_turns_only_and_no_more_than_it_must(turns, room):
    held = fitted(turns, room)
    whole = sum(estimated_tokens("\n".join((turn.reply, *turn.observations, turn.note))) for turn in turns)
    if whole <= room:
        assert (held.turns, held.digest) == (turns, "")
    assert held.turns[-KEPT_TURNS:] == turns[-KEPT_TURNS:]
    assert held.digested + len(held.turns) == len(turns)
    assert [turn.reply for turn in held.turns] == [turn.reply for turn in turns[held.digested :]]
    assert bool(held.digest) == bool(held.digested)
    assert fitted(turns, room) == held


def test_old_observations_are_shortened_before_steps_become_a_digest():
    turns = tuple(Turn(n, f"Action: search[{n}]", ("o" * 4000,)) for n in range(1, 6))
    held = fitted(turns, 3200)
    assert ([len(turn.observations[0]) < 300 for turn in held.turns], held.digested) == (
        [True, True, False, False, False], 0,
    )  # fmt: skip
    held = fitted(turns, 2060)
    assert (held.digested, len(held.turns)) == (3, 2)
    assert held.digest.splitlines()[0].startswith("Step 1: Action: search[1] → oooo")


def test_a_digest_may_be_made_by_a_function_and_stands_before_the_steps():
    turns = [Turn(n, f"Thought: t{n}\nAction: search[{n}]", ("o" * 4000,)) for n in range(1, 5)]
    prompt = plain("QUESTION", context=2000, summarise=lambda early: f"{len(early)} steps were of no use")
    text = prompt.text(turns)
    assert text.startswith("Question: QUESTION\n[Steps 1 to 2, shortened]\n2 steps were of no use\n\nThought: t3\n")
    assert prompt.replace(history="messages").messages(turns)[0]["content"].endswith("of no use")


def test_a_long_digest_keeps_its_last_lines():
    turns = tuple(Turn(n, f"Action: search[{n}]", ("o" * 300,)) for n in range(1, 101))
    held = fitted(turns, 100)
    assert held.digested == 98
    lines = held.digest.splitlines()
    assert (lines[0], len(lines), lines[-1][:8]) == ("(78 steps before these are left out)", 21, "Step 98:")


def test_default_templates_have_no_cue():
    for language in LANGUAGES:
        assert not checked(default_text(language, STYLES["classic"])).is_primed
