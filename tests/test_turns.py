"""Transcripts in the templates of chat models: what was said is read as if no template was around it."""

from __future__ import annotations

import pytest

from reactcli import ReActAgentParser

PARSER = ReActAgentParser()
TURNS = [
    ("user", "What is K2?"),
    ("model", "Thought: look\nAction: search\nAction Input: K2"),
    ("user", "Observation: 8611 m"),
    ("model", "Thought: done\nFinal Answer: 8611 m"),
]
TEMPLATES = {
    "chatml": ("<|im_start|>user\n{}<|im_end|>\n", "<|im_start|>assistant\n{}<|im_end|>\n", ""),
    "llama": (
        "<|start_header_id|>user<|end_header_id|>\n\n{}<|eot_id|>",
        "<|start_header_id|>assistant<|end_header_id|>\n\n{}<|eot_id|>",
        "<|begin_of_text|>",
    ),
    "gemma": ("<start_of_turn>user\n{}<end_of_turn>\n", "<start_of_turn>model\n{}<end_of_turn>\n", "<bos>"),
    "mistral": ("[INST] {} [/INST]", " {}</s>", "<s>"),
    "deepseek": ("<｜User｜>{}", "<｜Assistant｜>{}<｜end▁of▁sentence｜>", "<｜begin▁of▁sentence｜>"),
    "zephyr": ("<|user|>\n{}</s>\n", "<|assistant|>\n{}</s>\n", ""),
    "phi": ("<|user|>\n{}<|end|>\n", "<|assistant|>\n{}<|end|>\n", ""),
}


def written(name, turns):
    user, model, begin = TEMPLATES[name]
    return begin + "".join((user if role == "user" else model).format(text) for role, text in turns)


def values(trace):
    return [(step.contract(), step.observation) for step in trace.steps]


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_steps_are_those_of_the_plain_transcript(name):
    plain = PARSER.parse_trace("\n".join(text for _, text in TURNS))
    trace = PARSER.parse_trace(written(name, TURNS))
    assert values(trace) == values(plain)
    assert trace.steps[0].preamble == "What is K2?"
    start, end = trace.steps[0].spans["preamble"]
    assert written(name, TURNS)[start:end] == "What is K2?"


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_reply_that_goes_on_with_the_next_turn_ends_before_it(name):
    text = written(name, [*TURNS[3:], ("user", "And Everest?"), TURNS[1]])
    step = ReActAgentParser().parse(text.removeprefix(TEMPLATES[name][2]))
    assert (step.thought, step.final_answer) == ("done", "8611 m")


@pytest.mark.parametrize("name", sorted({*TEMPLATES} - {"mistral"}))
def test_tags_between_turns_are_read_and_what_a_user_says_is_no_thought(name):
    turns = [
        ("user", "What is K2?"),
        ("model", 'I look.\n<tool_call>\n{"name": "search", "arguments": {"q": "K2"}}\n</tool_call>'),
        ("user", "<tool_response>\n8611 m\n</tool_response>"),
        ("model", "<answer>8611 m</answer>"),
    ]
    first, last = PARSER.parse_trace(written(name, turns)).steps
    assert (first.thought, first.action, first.observation) == ("I look.", "search", "8611 m")
    assert (last.thought, last.final_answer) == ("", "8611 m")


def test_the_labels_of_a_system_prompt_open_nothing():
    prompt = "Use this format:\nThought: you should think\nAction: the tool\nAction Input: its input\nFinal Answer: it"
    text = f"<|im_start|>system\n{prompt}<|im_end|>\n" + written("chatml", TURNS)
    assert values(PARSER.parse_trace(text)) == values(PARSER.parse_trace(written("chatml", TURNS)))


@pytest.mark.parametrize(
    "answer",
    [
        "see [/SRC] and [/INST] in the prompt",
        "Llama wraps it: [INST] question [/INST] answer",
        "a turn starts with <|im_start|>user and a line break",
        "write <｜User｜>question<｜Assistant｜> yourself",
    ],
)
def test_an_answer_may_speak_of_a_template(answer):
    assert PARSER.parse_step(f"Thought: show it\nFinal Answer: {answer}")["final_answer"] == answer
