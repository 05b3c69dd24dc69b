"""How fast the parser is, as ratios against the peers that are installed beside it, and how it grows on hostile texts.

    python tests/bench/bench_parse.py

Peers: `langchain-classic` (followed by json.loads, as its users do) and `llama-index-core`; one that is not installed
is named and skipped. Engines take turns, and the best of several rounds counts: read the ratios, not the times.
"""

from __future__ import annotations

import json
import math
import random
import resource
import time

from reactcli import ReActAgentParser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = [
    "the",
    "of",
    "and",
    "to",
    "in",
    "a",
    "is",
    "that",
    "it",
    "was",
    "with",
    "be",
    "by",
    "on",
    "not",
    "have",
    "from",
]
REPEATS = 7
CALL = (
    '<think>x</think>\n<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>\n'
    "<tool_response>\nx\n</tool_response>\n"
)


def prose(rng: random.Random, size: int) -> str:
    words = rng.choices(WORDS, k=size // 4)
    return "".join(word + ("\n" if rng.random() < 0.02 else " ") for word in words).strip()


def arguments(rng: random.Random, size: int) -> dict:
    return {
        f"key_{n}": rng.choice([prose(rng, 60), rng.randint(0, 10**6), [1, 2, 3]]) for n in range(max(1, size // 50))
    }


def corpus(kind: str) -> list[str]:
    rng = random.Random(kind)
    thought, size, count, indent = {
        "short": (60, 40, 2000, None),
        "medium": (1500, 400, 800, None),
        "long": (400, 50_000, 30, None),
        "pretty": (400, 40_000, 30, 2),
        "final": (100, 0, 1500, None),
    }[kind]
    if kind == "final":
        return [f"Thought: {prose(rng, thought)}\nFinal Answer: {prose(rng, 800)}" for _ in range(count)]
    return [
        f"Thought: {prose(rng, thought)}\nAction: search\nAction Input: "
        + json.dumps(arguments(rng, size), indent=indent)
        for _ in range(count)
    ]


def transcript(steps: int) -> str:
    rng = random.Random(steps)
    return "\n".join(
        f"Thought: {prose(rng, 300)}\nAction: search\nAction Input: {json.dumps(arguments(rng, 200))}\n"
        f"Observation: {prose(rng, 500)}"
        for _ in range(steps)
    )


def langchain() -> Callable[[str], object]:
    from langchain_classic.agents.output_parsers import ReActSingleInputOutputParser  # type: ignore[import-not-found]  # a peer

    parse = ReActSingleInputOutputParser().parse

    def parse_and_decode(text: str) -> object:
        result = parse(text)
        return json.loads(result.tool_input) if hasattr(result, "tool_input") else result

    return parse_and_decode


def llama_index() -> Callable[[str], object]:
    from llama_index.core.agent.react.output_parser import ReActOutputParser  # type: ignore[import-not-found]  # a peer

    return ReActOutputParser().parse


def seconds(parse: Callable[[str], object], texts: list[str]) -> float:
    begin = time.process_time()
    for text in texts:
        parse(text)
    return time.process_time() - begin


def compare() -> None:
    engines = {"reactcli parse_step": ReActAgentParser().parse_step, "reactcli parse": ReActAgentParser().parse}
    for name, make in (("langchain + json.loads", langchain), ("llama_index", llama_index)):
        try:
            engines[name] = make()
        except ImportError:
            print(f"{name}: not installed, skipped")
    for kind in ("short", "medium", "long", "pretty", "final"):
        texts = corpus(kind)
        best = dict.fromkeys(engines, math.inf)
        for _ in range(REPEATS):
            for name, parse in engines.items():
                best[name] = min(best[name], seconds(parse, texts))
        ours = best["reactcli parse_step"]
        for name, spent in best.items():
            print(f"{kind:8} {name:24} {spent / len(texts) * 1e6:9.1f} us a step   {spent / ours:7.2f} x parse_step")


FAMILIES: dict[str, Callable[[int], str]] = {
    "action then spaces": lambda n: "Action:" + " " * n,
    "action lines": lambda n: "Action: a\n" * (n // 10),
    "thought lines": lambda n: "Thought: a\n" * (n // 11),
    "labels in one line": lambda n: "Thought: " + "Action: a Action Input: b " * (n // 26),
    "open braces": lambda n: "Action: b\nAction Input: " + "{" * n,
    "open values behind labels": lambda n: "Action: b\n" + 'Action Input: {"a": [\n' * (n // 22),
    "unclosed fences": lambda n: "Action: b\nAction Input: " + "```json\n" * (n // 8),
    "thinking, opened and closed": lambda n: "<think>\n" * (n // 16) + "</think>" * (n // 16),
    "tool calls never closed": lambda n: "<tool_call>" * (n // 11),
    "reasoning and tool calls": lambda n: CALL * (n // len(CALL)),
    "turns of a template": lambda n: "<|im_end|>\n<|im_start|>user\nThought: a\nAction: b\n" * (n // 53),
    "headers in brackets": lambda n: "[THOUGHT]\n[ACTION]\n" * (n // 19),
    "call never closed": lambda n: "Action: a(" + "a=1, " * (n // 5),
    "bold labels": lambda n: "**Action: x**\n" * (n // 14),
    "stop words": lambda n: "Action: a\nAction Input: b" + "\nPAUSE" * (n // 6),
    "end tokens": lambda n: "Action: a\nAction Input: b" + "<eoa> " * (n // 6),
    "short steps": lambda n: "Thought: in\nAction: run\nObservation: then\n" * (n // 42),
    "prose": lambda n: "the quick brown fox jumps. " * (n // 27),
}


def grow() -> None:
    parser = ReActAgentParser()
    for name, make in FAMILIES.items():
        sizes = (50_000, 100_000, 200_000)
        told = []
        for read in (parser.parse, lambda text: parser.stream().feed(text)):
            times = [min(seconds(read, [make(size)]) for _ in range(3)) for size in sizes]
            exponent = math.log(times[-1] / times[0]) / math.log(sizes[-1] / sizes[0]) if times[0] > 1e-3 else 0.0
            told.append(f"exponent {exponent:5.2f}   {times[-1] / sizes[-1] * 1e8:6.1f} ms per 100,000 characters")
        print(f"{name:28} {told[0]}   streamed: {told[1]}")


def read_long_transcript() -> None:
    text = transcript(9_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    spent = seconds(ReActAgentParser().parse_trace, [text])
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    rate, share = len(text) / spent / 1e6, more / (len(text) / 1e6)
    print(f"transcript of {len(text) / 1e6:.1f} MB: {rate:.1f} MB/s, {share:.1f} x its size in memory")


if __name__ == "__main__":
    compare()
    grow()
    read_long_transcript()
