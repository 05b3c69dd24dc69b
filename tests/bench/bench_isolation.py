"""What the child process of a tool costs over the tool's own time. Run: python tests/bench/bench_isolation.py [CALLS]

A call is what `reactcli exec` does: start a worker, load a module, call, end everything. Goal: median at most 80 ms,
p95 at most 150 ms; stretch 56 ms. `alive` is a call in a worker that is already there.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

from reactcli.isolation import Toolbox
from reactcli.tools.calls import Call

MODULE = "def search(query: str) -> str:\n    return query\n"


def main() -> None:
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with tempfile.TemporaryDirectory() as folder:
        module = Path(folder) / "tools.py"
        module.write_text(MODULE, encoding="utf-8")
        answered, ended = zip(*(_once(str(module)) for _ in range(calls)), strict=True)
        alive = _alive(str(module), calls)
    for name, times in (("until the answer", answered), ("until all has ended", ended), ("alive", alive)):
        print(f"{name:20} median {median(times):7.2f} ms   p95 {quantiles(times, n=20)[-1]:7.2f} ms")


def _once(spec: str) -> tuple[float, float]:
    began = perf_counter()
    with Toolbox([spec]) as tools:
        outcome = tools.call(Call("search", "kelp"))
        answered = perf_counter()
    if outcome.observation != "kelp":
        raise SystemExit(f"wrong: {outcome}")
    return (answered - began) * 1000, (perf_counter() - began) * 1000


def _alive(spec: str, calls: int) -> list[float]:
    times = []
    with Toolbox([spec]) as tools:
        for _ in range(calls):
            began = perf_counter()
            tools.call(Call("search", "kelp"))
            times.append((perf_counter() - began) * 1000)
    return times


if __name__ == "__main__":
    main()
