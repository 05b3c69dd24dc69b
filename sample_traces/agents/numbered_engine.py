"""An engine with numbered thoughts, JSON inputs, FINISH, unknown tools, a limit of steps and a check for loops.

python sample_traces/agents/numbered_engine.py
"""

# ruff: noqa: INP001, T201, S101  # a program that stands alone, and prints

from reactcli import ReActEngine, Tool

FACTS = {
    "best picture of 2024": "Oppenheimer, directed by Christopher Nolan",
    "birthplace of Christopher Nolan": "London",
    "population of London": "8.98 million",
}

PROMPT = """\
你是能使用工具的智能助手。

可用工具:
{tools_description}

格式:
Thought: 推理过程
Action: 工具名称
Action Input: JSON参数
Observation: (系统自动填入)

完成后:
Thought: 最终推理
Action: FINISH
Final Answer: 最终答案

最多 {max_iterations} 轮。

问题: {question}
Thought 1:"""

SCRIPT = (
    ' 先找最佳影片和导演\nAction 1: look_up\nAction Input 1: {"query": "best picture of 2024"}',
    ' 工具名称写错了\nAction 2: search\nAction Input 2: {"query": "best picture of 2024"}\nObservation 2: 巴黎',
    ' 导演出生城市\nAction 3: search("birthplace of Christopher Nolan")',
    ' 伦敦人口\nAction 4: search\nAction Input 4: {"query": "population of London"}',
    " 信息齐全\nAction: FINISH\nFinal Answer: 诺兰出生于伦敦，人口约898万。",
)


class Scripted:
    """A stand-in for a model: gives its replies in order, the last one for ever."""

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.prompts: list[str] = []

    def generate(self, prompt: str, temperature: float = 1.0) -> str:
        self.prompts.append(prompt)
        assert temperature == 0
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


def search(query: str) -> str:
    return FACTS[query]


tools = [Tool("search", "Look a fact up.", search, {"query": {"type": "string"}})]

model = Scripted(*SCRIPT)
run = ReActEngine(model, tools, template=PROMPT).run("2024年奥斯卡最佳影片导演出生城市人口？")
print(model.prompts[-1][model.prompts[-1].index("问题:") :])
print(run.status, run.iterations, run.answer)

endless = Scripted(' 再来一次\nAction: search\nAction Input: {"query": "population of London"}')
run = ReActEngine(endless, tools, template=PROMPT).run("伦敦人口？")
print(run.status, run.iterations, run.reason)

run = ReActEngine(Scripted(*SCRIPT), tools, max_steps=2, template=PROMPT).run("2024年奥斯卡最佳影片导演出生城市人口？")
print(run.status, run.iterations, run.reason)
print(tools[0].execute(query="population of Paris"))
