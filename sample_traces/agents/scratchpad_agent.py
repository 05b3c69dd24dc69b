"""A scratchpad agent that writes 思, 行 and 观察, with tools as descriptions and functions, and reasons to stop.

python sample_traces/agents/scratchpad_agent.py
"""

# ruff: noqa: INP001, T201, S101  # a program that stands alone, and prints

from reactcli import ReActEngine

PROMPT = """\
请借助工具回答问题。工具有：
{tools}

每一步写三行，然后重新开始：

思: 想到了什么
行: 工具名[输入]，工具名是 {tool_names} 之一
观察: 由程序填写

知道答案时不再写 行，改写 Final Answer: 和答案。

问题: {question}
{scratchpad}思:"""


def calculator(expression: str) -> str:
    left, sign, right = expression.split()
    if sign != "+":
        raise ValueError(f"只会加法，不会 {sign}")
    return str(int(left) + int(right))


TOOLS = {
    "calculator": {"description": "加法计算", "function": calculator},
    "search": {"description": "查找资料", "function": lambda query: f"没有找到 {query}"},
}


def scripted(*replies: str):  # noqa: ANN201  # a function from prompt to reply
    """A stand-in for a model: its replies in order, the last one for ever."""
    left = list(replies)

    def answer(prompt: str) -> str:
        assert prompt.endswith("思:")
        return left.pop(0) if len(left) > 1 else left[0]

    return answer


def show(title: str, *replies: str, question: str = "2 加 2 等于几？", **options: object) -> None:
    run = ReActEngine(scripted(*replies), TOOLS, template=PROMPT, **options).run(question)
    print(f"--- {title} ---")
    for step in run.trace.steps:
        print(f"思: {step.thought}")
        if step.action is not None:
            print(f"行: {step.action}[{step.action_input}]")
        if step.observation is not None:
            print(f"观察: {step.observation}")
    print(f"{run.status}: {run.answer or run.reason}")


show("找到答案", " 需要计算。\n行: calculator[2 + 2]", " 我知道了。\nFinal Answer: 4")
show(
    "工具出错",
    " 试试乘法。\nAction: calculator[2 * 2]",
    " 不行，用加法。\n行: calculator[2 + 2]",
    " 好。\nFinal Answer: 4",
)
show("未知工具", " 上网。\n行: browser[2+2]", " 没有这个工具。\nFinal Answer: 4")
show("格式无效", " 我不想按格式写。")
show("最大步骤数", *(f" 第{n}次。\n行: search[{n}]" for n in range(1, 9)), max_steps=3)

prompts: list[str] = []
answer = scripted(*(f" 第{n}次。\n行: search[{'很长' * 200}{n}]" for n in range(1, 7)), " 够了。\nFinal Answer: 没有")


def listening(prompt: str) -> str:
    prompts.append(prompt)
    return answer(prompt)


run = ReActEngine(listening, TOOLS, template=PROMPT, context=1500, language="zh").run("很长的任务")
print("--- 上下文管理 ---")
print([len(prompt) for prompt in prompts])
print("\n".join(line for line in prompts[-1].splitlines() if line.startswith(("[", "问题"))))
print(f"{run.status}: {run.answer}, {len(run.trace.steps)} 步")
