"""How fast `lint` judges: one file of 100,000 steps, and 1,000 files; the rate, the growth, and the memory it takes.

    python tests/bench/bench_lint.py [STEPS [FILES]]

Growth is the exponent of time over the number of steps, from a quarter of the file to all of it: 1 is linear. Memory is
the peak of a process of its own, less what it takes for one step.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = """
import re, sys, time
from reactcli.cli.shell import main
started = time.process_time()
if main(["lint", "-q", "--fail-on", "never", sys.argv[1]]):
    raise SystemExit("lint failed")
status = open("/proc/self/status").read()  # getrusage counts what the parent held before it started this
print(time.process_time() - started, re.search(r"VmHWM:\\s+(\\d+)", status)[1])
"""


def records(count: int):
    for number in range(count):
        given = json.dumps({"query": f"kelp {number}", "limit": 3})
        found = f"{number % 7} hits for kelp {number}: " + "a brown alga of cold seas; " * 4
        yield {"thought": f"I need page {number}.", "action": "search", "action_input": given, "observation": found}
    yield {"thought": "enough", "final_answer": "an alga"}


def as_lines(count: int) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records(count))


def as_text(count: int) -> str:
    def written(record: dict) -> str:
        if "final_answer" in record:
            return f"Thought: {record['thought']}\nFinal Answer: {record['final_answer']}\n"
        labels = ("Thought", "Action", "Action Input", "Observation")
        return "".join(f"{label}: {value}\n" for label, value in zip(labels, record.values(), strict=True))

    return "".join(map(written, records(count)))


def as_chat(count: int) -> str:
    messages = [{"role": "user", "content": "What is kelp?"}]
    for number, record in enumerate(records(count)):
        if "final_answer" in record:
            messages.append({"role": "assistant", "content": record["final_answer"]})
            break
        function = {"name": record["action"], "arguments": record["action_input"]}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": record["thought"], "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call_{number}", "content": record["observation"]})
    return json.dumps({"messages": messages})


def judged(path: Path) -> tuple[float, float]:
    """CPU seconds and peak memory in MB."""
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(path)], capture_output=True, check=True, text=True)
    seconds, kilobytes = done.stdout.split()
    return float(seconds), int(kilobytes) / 1024


def bench_one_file(folder: Path, steps: int) -> None:
    print(f"{'one file':18} {'steps':>8} {'MB':>7} {'seconds':>8} {'steps/s':>8} {'growth':>7} {'memory':>8}")
    for name, write in (("records", as_lines), ("transcript", as_text), ("chat", as_chat)):
        path = folder / f"{name}.json"
        path.write_text(write(1))
        _, least = judged(path)
        path.write_text(write(steps // 4))
        quarter, _ = judged(path)
        path.write_text(write(steps))
        seconds, memory = judged(path)
        growth = math.log(seconds / quarter) / math.log(4)
        size = path.stat().st_size / 1e6
        rate = steps / seconds
        print(f"{name:18} {steps:8} {size:7.1f} {seconds:8.2f} {rate:8.0f} {growth:7.2f} {memory - least:5.0f} MB")


def bench_many_files(folder: Path, files: int) -> None:
    runs = folder / "runs"
    runs.mkdir()
    for number in range(files):
        write, ending = ((as_lines, "jsonl"), (as_text, "txt"), (as_chat, "json"))[number % 3]
        (runs / f"run-{number}.{ending}").write_text(write(10))
    seconds, memory = judged(runs)
    print(f"\n{files} files of 10 steps: {seconds:.2f} s, {files / seconds:.0f} files/s, {memory:.0f} MB in all")


def main() -> None:
    steps, files = [*map(int, sys.argv[1:]), *(100_000, 1_000)[len(sys.argv) - 1 :]]
    with tempfile.TemporaryDirectory() as folder:
        bench_one_file(Path(folder), steps)
        bench_many_files(Path(folder), files)


if __name__ == "__main__":
    main()
