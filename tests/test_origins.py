"""The five programs that the project began with: each runs on its own, and prints what stands beside it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

AGENTS = Path(__file__).parents[1] / "sample_traces" / "agents"
PROGRAMS = sorted(AGENTS.glob("*.py"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_a_program_prints_what_stands_beside_it(program, tmp_path, update_cases):
    done = subprocess.run(
        [sys.executable, "-X", "utf8", str(program)], capture_output=True, check=False, timeout=60, cwd=tmp_path
    )
    expected = program.with_suffix(".out")
    if update_cases:
        expected.write_bytes(done.stdout)
    assert (done.returncode, done.stderr.decode()) == (0, "")
    assert done.stdout.decode() == expected.read_text("utf-8")


def test_there_is_a_program_for_each_origin():
    assert [program.stem for program in PROGRAMS] == [
        "chat_agent", "numbered_engine", "parser_contract", "scratchpad_agent", "tokyo",
    ]  # fmt: skip
