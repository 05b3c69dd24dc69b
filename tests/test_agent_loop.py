"""A whole ReAct agent as a loop in the shell, the one that README shows: when it goes on, and when it ends."""

from __future__ import annotations

import subprocess
import sys

import pytest

TOOLS = """\
def search(query: str): return f"{query} x3"
def fails(reason: str): raise ValueError(reason)
def now(): return "noon"
"""

AGENT = """
while model < pad > reply && grep -q . reply; do
  reactcli exec --tools tools.py --append-reply pad reply > step || test $? = 1 || break
  cat step
  head -n 1 step | grep -q '^Final Answer:' && break
done
"""
"""A whole ReAct agent. The model of the tests knows its replies by how often it has observed something."""
ASKED = "Question: which?\n"
FIRST = "Thought: a\nAction: search\nAction Input: kelp"
CURED = "Thought: b\nAction: now"


def agent(folder, replies, tools=TOOLS):
    """What the loop prints, the scratchpad behind it, and how often the model was asked."""
    (folder / "tools.py").write_text(tools)
    (folder / "pad").write_text(ASKED)
    for number, reply in enumerate(replies):
        (folder / f"reply-{number}").write_text(reply)
    commands = f"""
    reactcli() {{ '{sys.executable}' -P -m reactcli -q "$@" 2>> errors; }}
    model() {{ echo >> asked; cat "reply-$(grep -c ^Observation:)"; }}
    """
    done = subprocess.run(["sh", "-c", commands + AGENT], cwd=folder, capture_output=True, check=False, timeout=60)
    return done.stdout.decode(), (folder / "pad").read_text(), len((folder / "asked").read_text())


def test_a_whole_agent_is_a_loop_in_the_shell(tmp_path):
    replies = [FIRST, CURED, "Final Answer: at noon"]
    told = "Observation: kelp x3\n", "Observation: noon\n", "Final Answer: at noon\n"
    pad = f"{ASKED}{FIRST}\n{told[0]}{CURED}\n{told[1]}{told[2]}"
    assert agent(tmp_path, replies) == ("".join(told), pad, 3)


def test_the_agent_does_not_end_on_what_it_invented(tmp_path):
    replies = [f"{FIRST}\nObservation: invented\nThought: so\nFinal Answer: wrong", "Final Answer: right"]
    told = "Observation: kelp x3\n", "Final Answer: right\n"
    assert agent(tmp_path, replies) == ("".join(told), f"{ASKED}{FIRST}\n{told[0]}{told[1]}", 2)


def test_the_agent_goes_on_when_a_tool_fails_or_a_reply_is_no_step(tmp_path):
    replies = ["Action: fails\nAction Input: why", "lorem ipsum", "Final Answer: 42"]
    lines = agent(tmp_path, replies)[0].splitlines()
    assert [line[:30] for line in lines] == [
        "Observation: Error: ValueError", "Observation: Error: no label, ", "Final Answer: 42",
    ]  # fmt: skip


@pytest.mark.parametrize("replies", [[FIRST], [FIRST, ""], [FIRST, "\n"]], ids=["fails", "is-silent", "says-nothing"])
def test_the_agent_ends_when_its_model_fails_or_is_silent(tmp_path, replies):
    told = "Observation: kelp x3\n"
    assert agent(tmp_path, replies) == (told, f"{ASKED}{FIRST}\n{told}", 2)


def test_the_agent_ends_when_its_tools_cannot_be_loaded(tmp_path):
    assert agent(tmp_path, [FIRST], tools="def") == ("", ASKED, 1)
