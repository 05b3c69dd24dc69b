"""JSON Lines through `reactcli parse --input jsonl`: speed against orjson (or json) decoding the same file, and memory.

    python tests/bench/bench_jsonl.py [--megabytes 200] [--record 2000] [--rounds 5]

Reach: at least 0.2 × the speed of orjson (stretch 0.3), memory flat at 64 MB or less. Both take turns, and the median
of the rounds counts. Records are replies of a model; `--record` is their mean size in bytes: the smaller, the more the
cost of each counts. Through a pipe one process reads them, from a file as many as there are cores, up to four.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import orjson

WORDS = ("the", "model", "should", "look", "up", "which", "lake", "is", "deepest", "and", "compare", "it", "then", "a")


def write(path: Path, megabytes: int, record: int) -> int:
    """Fills a file with records; returns their number."""
    rng = random.Random(1)
    count = max(megabytes * 1_000_000 // record, 1)
    replies = [_record(rng, n, record) for n in range(min(count, 200))]
    with path.open("w", encoding="utf-8") as file:
        for n in range(count):
            file.write(replies[n % len(replies)])
    return count


def _record(rng: random.Random, number: int, size: int) -> str:
    thought = "".join(f"{word}{rng.choice([' '] * 30 + [chr(10)])}" for word in rng.choices(WORDS, k=size // 5))
    keys = {f"{rng.choice(WORDS)}_{n}": _value(rng) for n in range(size // 250 + 1)}
    given = json.dumps({"query": " ".join(rng.choices(WORDS, k=8)), "limit": number, **keys})
    end = f"Action: search\nAction Input: {given}" if number % 5 else "Final Answer: it is known"
    return json.dumps({"id": number, "output": f"Thought: {thought}\n{end}\n"}) + "\n"


def _value(rng: random.Random) -> object:
    text = " ".join(rng.choices(WORDS, k=12))
    return rng.choice([text, number := rng.randrange(10**6), number % 2 == 0, [number, 2, 3], {"a": text, "b": 0.25}])


def decode(path: Path) -> float:
    """Seconds for the whole file."""
    start = time.perf_counter()
    with path.open("rb") as file:
        for line in file:
            orjson.loads(line)
    return time.perf_counter() - start


def parse(path: Path, *, through_a_pipe: bool) -> float:
    command = [sys.executable, "-m", "reactcli", "parse", "--input", "jsonl"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    if through_a_pipe:
        with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as cat:
            subprocess.run(command, stdin=cat.stdout, stdout=subprocess.DEVNULL, env=environment, check=True)
    else:
        subprocess.run([*command, path], stdout=subprocess.DEVNULL, env=environment, check=True)
    return time.perf_counter() - start


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--megabytes", type=int, default=200)
    options.add_argument("--record", type=int, default=2000)
    options.add_argument("--rounds", type=int, default=5)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "replies.jsonl")
        count = write(path, chosen.megabytes, chosen.record)
        size = path.stat().st_size / 1e6
        print(f"{count} records, {size:.0f} MB")
        rounds = [
            (decode(path), parse(path, through_a_pipe=False), parse(path, through_a_pipe=True))
            for _ in range(chosen.rounds)
        ]
    decoding, *_ = (median(times) for times in zip(*rounds, strict=True))
    print(f"orjson {size / decoding:.0f} MB/s")
    for name, at in (("a file", 1), ("a pipe", 2)):
        seconds = median(one[at] for one in rounds)
        ratio = median(one[0] / one[at] for one in rounds)
        print(f"reactcli parse, {name}: {size / seconds:.0f} MB/s, {ratio:.3f} × orjson")
    print(f"largest process: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
