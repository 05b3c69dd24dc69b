"""One reply at a time: what `parse_step` and `execute_step` promise.

python sample_traces/agents/parser_contract.py
"""

# ruff: noqa: INP001, T201  # a program that stands alone, and prints

from reactcli import ReActAgentParser

TOOLS = {"add": lambda text: sum(map(int, text.split(","))), "shout": str.upper}

REPLIES = (
    "Thought: I have to add the numbers.\nAction: add\nAction Input:   19, 23  ",
    "Thought: That is all I need.\nFinal Answer: The sum is 42.",
    "Thought: I could shout it, but I know it.\nAction: shout\nAction Input: 42\nFinal Answer: 42",
    "Action: whisper\nAction Input: 42",
)

parser = ReActAgentParser()
for reply in REPLIES:
    print(parser.parse_step(reply))
    try:
        step, observation = parser.execute_step(reply, TOOLS)
    except ValueError as error:
        print(f"ValueError: {error}")
    else:
        print("final" if step["is_final"] else "action", "->", observation)
