"""Random texts that look like what models write: fragments of labels, fences, tags, JSON, control and bidi characters."""

from __future__ import annotations

import random

FRAGMENTS = [
    *("Thought: ", "Action: ", "Action Input: ", "Observation: ", "Final Answer: ", "Answer: ", "Question: ", "Reflection: "),
    *("Plan: ", "Thought 2: ", "**Thought:** ", "**Action**: ", "- Action: ", "> Thought: ", "## Action\n", "1. Thought: "),
    *("思考：", "行动：", "行动输入：", "观察：", "最终答案：", "思: ", "【行动】", "Действие: ", "Мысль: ", "Suy nghĩ: "),
    *("Entrada de la acción: ", "Tool: ", "Tool Input: ", "Input: ", "Response: ", "PAUSE\n", "End Action\n", "Observ"),
    *("```", "```json\n", "```\n", "~~~\n", "`", "**", "*", "#", ">", "- ", "1. ", "    ", "\t"),
    *("<think>", "</think>", "<thinking>", "<tool_call>", "</tool_call>", "<function=f>", "<parameter=p>", "</parameter>"),
    *("</function>", "<tool>", "</tool>", "<tool_input>", "<final_answer>", "</final_answer>", "<answer>", "</answer>"),
    *("<search>", "<code>", "</code>", "Code:\n```py\n", "<thought>", "<function>", "</function>", "<Action>", "</Action>"),
    *("<|channel|>analysis<|message|>", "<|channel|>final<|message|>", "<|end|>", "<|start|>assistant", "<|call|>"),
    *("<|channel|>commentary to=functions.f <|constrain|>json<|message|>", "<|action_start|><|plugin|>", "<|action_end|>"),
    *("<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>", "<|tool_call_end|>", "✿FUNCTION✿: ", "✿ARGS✿: "),
    *("[[ ## next_thought ## ]]\n", "[[ ## next_tool_name ## ]]\n", "[[ ## next_tool_args ## ]]\n", "[THOUGHT]", "[ACTION]\n"),
    *("[FINAL ANSWER]", "<|im_end|>", "</s>", "<eoa>", "\n[", "AI: ", "Follow up: "),
    *('{"a": 1}', '{"action": "f", "action_input": "x"}', '{"name": "f", "arguments": {}}', "{", "}", "[", "]", '"', "'", ":"),
    *(",", "\\", '{"k": "', "True", "null", "1e999", "NaN", "{'a': 1,}", "// c\n", '[{"name": "f", "arguments": {}}]'),
    *("search", "search[x]", "f(a=1)", "f(", "Finish[done]", "finish", "None", "a, b", "lookup: x", "search.", "()", "[", "]"),
    *("\n", "\n\n", " ", "\r\n", "\r", "\x00", "\x1b[2J", "\x07", "\x9b", "\u202e", "\u2028", "\u200b", "\ud800", "\U000e0041"),
    *("\x0b", "\x0c", "\x85", "Τhought: ", "Аction: ", "Thin\u212a: ", "é漢🎉", "word ", "the quick brown fox ", "0", "-"),
]


def texts(count: int, seed: int, longest: int = 12):
    """`count` texts of up to `longest` fragments; the seed makes them the same in every run."""
    rng = random.Random(seed)
    for _ in range(count):
        yield "".join(rng.choices(FRAGMENTS, k=rng.randint(0, longest)))
