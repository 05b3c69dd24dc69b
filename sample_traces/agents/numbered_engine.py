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
下面的问题需要查资料。每一步先想清楚，再用一个工具。

工具一览
{tools_description}

每一步这样写，编号逐步增加
Thought 1: 这一步的想法
Action 1: 工具名
Action Input 1: 写成 JSON 的参数
Observation: 留空，由程序填写

知道答案以后这样写
Action: FINISH
Final Answer: 给提问者的回答

步数上限: {max_iterations}

问题: {question}
Thought 1:"""

SCRIPT = (
    ' 要知道是哪部影片、谁导演的\nAction 1: look_up\nAction Input 1: {"query": "best picture of 2024"}',
    ' 没有那个工具，换一个\nAction 2: search\nAction Input 2: {"query": "best picture of 2024"}\nObservation 2: 巴黎',
    ' 他在哪里出生\nAction 3: search("birthplace of Christopher Nolan")',
    ' 那座城市有多少人\nAction 4: search\nAction Input 4: {"query": "population of London"}',
    " 都查到了\nAction: FINISH\nFinal Answer: 他生于伦敦，那里约有898万人。",
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
run = ReActEngine(model, tools, template=PROMPT).run("2024年最佳影片的导演生于哪座城市，那里有多少人？")
print(model.prompts[-1][model.prompts[-1].index("问题:") :])
print(run.status, run.iterations, run.answer)

endless = Scripted(' 再查一遍\nAction: search\nAction Input: {"query": "population of London"}')
run = ReActEngine(endless, tools, template=PROMPT).run("伦敦有多少人？")
print(run.status, run.iterations, run.reason)

run = ReActEngine(Scripted(*SCRIPT), tools, max_steps=2, template=PROMPT).run(
    "2024年最佳影片的导演生于哪座城市，那里有多少人？"
)
print(run.status, run.iterations, run.reason)
print(tools[0].execute(query="population of Paris"))
