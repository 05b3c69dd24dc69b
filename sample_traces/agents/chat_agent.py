"""A loop over chat messages: full-width colons, actions side by side, an error, a repeat and a reflection.

python sample_traces/agents/chat_agent.py
"""

# ruff: noqa: INP001, T201, S101, D413  # a program that stands alone, and prints

from reactcli import ReActEngine, tool

PROMPT = """\
你是一个能够使用工具解决任务的AI助手。请按照以下格式回答问题：

Thought：[分析当前情况，推理下一步行动]
Action：[工具名称]
Action Input：[工具输入参数]
Observation：[工具返回结果]

...（重复Thought/Action/Observation直到得出答案）

Thought：[最终推理]
Final Answer：[最终答案]

# 可用工具
{tools}

问题：{question}"""


@tool(timeout=10)
def search_web(query: str) -> list[str]:
    """搜索互联网获取实时信息。适用于需要最新数据的场景，每次最多返回5条结果。

    Args:
        query: 搜索关键词，建议使用简洁明确的查询词

    Returns:
        搜索结果摘要列表
    """
    return [f"{query}：共 1,000 人"]


@tool
def calculator(expression: str) -> int:
    """精确计算，不要自己算。

    Args:
        expression: 加法算式，例如 1 + 2
    """
    left, right = expression.split("+")
    return int(left) + int(right)


class Model:
    """A stand-in for a chat model: takes messages, gives its replies in order."""

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)

    def generate(self, messages: list[dict[str, str]]) -> str:
        assert [message["role"] for message in messages] == ["user", "assistant"] * (len(messages) // 2) + ["user"]
        self.messages = messages
        return self.replies.pop(0)


model = Model(
    "Thought：\n1. 当前目标：同时查询A和B\n2. 信息缺口：两者都缺\nAction：search_web, calculator\n"
    'Action Input：{"query": "A的信息"}, {"expression": "1000 + 1"}',
    'Thought：再查B\nAction：lookup\nAction Input：{"keyword": "B"}',
    "Reflection：没有lookup这个工具，应该用search_web。\n\nThought：换工具\nAction：search_web\n"
    'Action Input：{"query": "B的信息"}\nObservation：[编造的结果]',
    "Thought：信息足够\nFinal Answer：A有1,000人，B也有1,000人",
)
run = ReActEngine(
    model, [search_web, calculator], history="messages", template=PROMPT, language="zh", reflect=True
).run("A和B各有多少人？")
for message in model.messages:
    print(f"[{message['role']}]")
    print(message["content"])
print(f"[{run.status}] {run.answer}")
print([step.reflection for step in run.trace.steps if step.reflection])
