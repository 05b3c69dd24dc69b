"""How long the loop itself takes, beside the model and the tools: per step, recorded and not, as runs get longer.

.venv/bin/python tests/bench/bench_engine.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import perf_counter

from reactcli import ReActEngine
from reactcli.recorder import Recorder

LENGTHS = (50, 100, 200, 400)


def script():
    """A model that counts, and never ends."""
    n = 0

    def model(_prompt):
        nonlocal n
        n += 1
        return f"Thought: this is number {n}\nAction: echo\nAction Input: {n}"

    return model


def echo(text: str) -> str:
    return f"the tool says {text} " * 10


def measured(steps: int, **options: object) -> float:
    """Milliseconds a step."""
    began = perf_counter()
    run = ReActEngine(script(), [echo], steps, **options).run("How far can you count?")
    assert run.iterations == steps
    return (perf_counter() - began) * 1000 / steps


def main() -> None:
    print("steps   scratchpad   messages   context 2,000   recorded   (ms a step)")
    for steps in LENGTHS:
        with tempfile.TemporaryDirectory() as folder, Recorder(str(Path(folder) / "run.jsonl")) as recorder:
            found = (
                measured(steps),
                measured(steps, history="messages"),
                measured(steps, context=2000),
                measured(steps, recorder=recorder),
            )
        print(f"{steps:5}   {found[0]:10.2f}   {found[1]:8.2f}   {found[2]:13.2f}   {found[3]:8.2f}")


if __name__ == "__main__":
    main()
