"""JSON Lines through `reactcli parse --input jsonl`: speed against orjson (or json) decoding the same file, and memory.

    python tests/bench/bench_jsonl.py [--megabytes 200] [--record 20000]

Reach: at least 0.2 × the speed of orjson (stretch 0.3), memory flat at 64 MB or less. orjson is used if installed.
Records are replies of a model; `--record` is their mean size in bytes: the smaller, the more the cost of each counts.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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
    thought = " ".join(rng.choices(WORDS, k=size // 4))
    query = json.dumps({"query": " ".join(rng.choices(WORDS, k=8)), "limit": number})
    end = f"Action: search\nAction Input: {query}" if number % 3 else "Final Answer: it is known"
    return json.dumps({"id": number, "output": f"Thought: {thought}\n{end}\n"}) + "\n"


def decode(path: Path) -> tuple[str, float]:
    """The name of the decoder, and its seconds for the whole file."""
    try:
        decoder = importlib.import_module("orjson")
    except ImportError:
        decoder = json
    start = time.perf_counter()
    with path.open("rb") as file:
        for line in file:
            decoder.loads(line)
    return decoder.__name__, time.perf_counter() - start


def parse(path: Path) -> tuple[float, float]:
    """Seconds and peak megabytes of the command."""
    command = [sys.executable, "-m", "reactcli", "parse", "--input", "jsonl", str(path)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, env=environment, check=True)
    return time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--megabytes", type=int, default=200)
    options.add_argument("--record", type=int, default=20_000)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "replies.jsonl")
        count = write(path, chosen.megabytes, chosen.record)
        size = path.stat().st_size / 1e6
        name, decoding = decode(path)
        parsing, memory = parse(path)
    print(f"{count} records, {size:.0f} MB")
    print(f"{name:16} {size / decoding:7.0f} MB/s")
    print(f"reactcli parse   {size / parsing:7.0f} MB/s   {decoding / parsing:.3f} × {name}   peak {memory:.0f} MB")


if __name__ == "__main__":
    main()
