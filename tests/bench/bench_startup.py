"""What starting costs, as multiples of `python -c pass`: CPU time of whole processes, byte code warm, medians.

    python tests/bench/bench_startup.py [--runs 41]

Every command takes its turn in each round, so that a busy machine is busy for all of them. Reach: `--version` 8 ×
(stretch 1.6), `parse` on 1 KB 8 × (5.5), `import reactcli` 3 × (2.3). The second column adds what the wall clock said.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPLY = b"Thought: " + b"I should look it up. " * 45 + b"\nAction: search\nAction Input: " + b'{"query": "x"}\n'


def commands(reply: Path) -> dict[str, list[str]]:
    program = [sys.executable, "-c", "from reactcli.__main__ import main; main()"]
    return {
        "python -c pass": [sys.executable, "-c", "pass"],
        "import reactcli": [sys.executable, "-c", "import reactcli"],
        "import typer": [sys.executable, "-c", "import typer"],
        "reactcli --version": [*program, "--version"],
        "reactcli parse, 1 KB": [*program, "parse", str(reply)],
        "reactcli parse --full": [*program, "parse", "--full", str(reply)],
        "reactcli parse --format table": [*program, "parse", "--format", "table", str(reply)],
        "reactcli parse --help": [*program, "parse", "--help"],
        "reactcli dialects": [*program, "dialects"],
    }


def once(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """CPU and wall seconds of one run."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=environment, check=True)
    after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, end - start


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=41)
    runs = options.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        reply = Path(folder, "reply.txt")
        reply.write_bytes(REPLY)
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        rounds = [{name: once(command, environment) for name, command in commands(reply).items()} for _ in range(runs)]
    medians = {
        name: [statistics.median(measured[name][i] for measured in rounds[1:]) for i in (0, 1)] for name in rounds[0]
    }
    base_cpu, base_wall = medians["python -c pass"]
    for name, (cpu, wall) in medians.items():
        print(f"{name:30} {cpu * 1000:6.1f} ms {cpu / base_cpu:6.2f} ×   wall {wall / base_wall:6.2f} ×")


if __name__ == "__main__":
    main()
