"""Options and small things that several test files share."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest

from reactcli.cli.shell import main


class Result(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def lines(self):
        return [json.loads(line) for line in self.out.splitlines()]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-cases", action="store_true", help="rewrite the expectations of case files from what is read now"
    )


@pytest.fixture
def update_cases(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-cases"))


@pytest.fixture
def cli(tmp_path, monkeypatch, capfdbinary):
    """Runs a command with files that it is given by name, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*argv, **files):
        for name, content in files.items():
            (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        code = main(list(argv))
        out, err = capfdbinary.readouterr()
        return Result(code, out.decode(), err.decode())

    return run
