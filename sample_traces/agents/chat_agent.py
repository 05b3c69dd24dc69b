"""A loop over chat messages: full-width colons, actions side by side, an error, a repeat and a reflection.

python sample_traces/agents/chat_agent.py
"""

# ruff: noqa: INP001, T201, S101, D413  # a program that stands alone, and prints

from reactcli import ReActEngine, tool

PROMPT = """\
请用工具完成任务。回答时，各部分都以下面的标签开头：

Thought：为什么这样做
Action：一个或几个工具，用逗号隔开
Action Input：各工具的参数，写成 JSON，用逗号隔开
Observation：不用写，由程序填写

完成以后：

Thought：结论从何而来
Final Answer：答案

# 工具
{tools}

任务：{question}"""


@tool(timeout=10)
def search_web(query: str) -> list[str]:
    """在网上查找，最多给出五条。需要新近消息时用它。

    Args:
        query: 要找的词，越短越好

    Returns:
        每条结果一行
    """
    return [f"{query}：共 1,000 人"]


@tool
def calculator(expression: str) -> int:
    """两个数相加。算数时用它。

    Args:
        expression: 例如 1 + 2
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
    "Thought：\n1. 要比较A和B\n2. 先查A，同时试算\nAction：search_web, calculator\n"
    'Action Input：{"query": "A的信息"}, {"expression": "1000 + 1"}',
    'Thought：再查B\nAction：lookup\nAction Input：{"keyword": "B"}',
    "Reflection：lookup 不存在，查找要用 search_web。\n\nThought：换工具\nAction：search_web\n"
    'Action Input：{"query": "B的信息"}\nObservation：凭空写的',
    "Thought：信息足够\nFinal Answer：A有1,000人，B也有1,000人",
)
run = ReActEngine(
    model, [search_web, calculator], history="messages", template=PROMPT, language="zh", reflect=True
).run("A 和 B 的人数各是多少？")
for message in model.messages:
    print(f"[{message['role']}]")
    print(message["content"])
print(f"[{run.status}] {run.answer}")
print([step.reflection for step in run.trace.steps if step.reflection])
