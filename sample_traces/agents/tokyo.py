"""The whole loop with a stand-in for the model, step by step: no endpoint, and the same output on every run.

python sample_traces/agents/tokyo.py
"""

# ruff: noqa: INP001, T201  # a program that stands alone, and prints

from reactcli import ReActEngine

POPULATIONS = {"население токио": "около 14 миллионов"}


def search(query: str) -> str:
    """Find a population."""
    return POPULATIONS.get(query.lower().strip(), "нет данных")


def calc(expression: str) -> str:
    """Add numbers, as in 2 + 3."""
    return str(sum(map(int, expression.split("+"))))


def model(prompt: str) -> str:
    """Writes what a model would: looks at what has been observed, and nothing else."""
    if "Observation:" not in prompt:
        return "Thought: сначала найду, сколько жителей в Токио.\nAction: search[население Токио]"
    if "около 14 миллионов" in prompt:
        return "Thought: нашёл, этого достаточно.\nFinal Answer: около 14 миллионов человек"
    return "Final Answer: неизвестно"


engine = ReActEngine(model, {"search": search, "calc": calc}, 5, template="Question: {question}\n{scratchpad}")
steps = engine.walk("Каково население Токио?")
number = 0
while True:
    try:
        recorded = next(steps)
    except StopIteration as stop:
        print("=== ОТВЕТ ===")
        print(stop.value.answer)
        break
    number += 1
    print(f"--- шаг {number} ---")
    print(recorded.meta["llm_output"])
    if recorded.step.observation is not None:
        print("Observation:", recorded.step.observation)
