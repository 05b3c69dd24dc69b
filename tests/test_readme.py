"""The README is true: every console line is run and prints what stands below it; every Python example is a doctest."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from reactcli.explanations import entries

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    return [body for name, body in BLOCK.findall(README.read_text("utf-8")) if name == language]


def commands() -> list[tuple[str, str]]:
    """Each command of the console blocks with the output below it."""
    found = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def run(command: str, folder: Path) -> str:
    """What a person sees: both streams, with the commands of this environment first on the path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "LC_ALL": "C.UTF-8", "COLUMNS": "100", "NO_COLOR": "1"}
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, check=False, timeout=60,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return (done.stderr.decode() + done.stdout.decode()).replace("\r\n", "\n")  # CSV ends its lines so


@pytest.mark.parametrize(("command", "output"), commands())
def test_a_command_prints_what_the_readme_shows(command: str, output: str, update_cases: bool) -> None:
    printed = run(command, ROOT)
    if update_cases and printed != output:
        text = README.read_text("utf-8")
        README.write_text(text.replace(f"$ {command}\n{output}", f"$ {command}\n{printed}", 1), "utf-8")
    else:
        assert printed == output


@pytest.mark.parametrize("example", blocks("pycon"))
def test_a_python_example_is_true(example: str) -> None:
    test = doctest.DocTestParser().get_doctest(example, {}, "README", str(README), 0)
    report: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert report == []


def test_every_code_has_its_line(update_cases: bool) -> None:
    rows = "".join(f"| `{entry.code}` | {entry.severity} | {entry.meaning} |\n" for entry in entries())
    text = README.read_text("utf-8")
    head = "| code | severity | meaning |\n|---|---|---|\n"
    before, _, rest = text.partition(head)
    shown, _, behind = rest.partition("\n</details>")
    if update_cases and shown != rows:
        README.write_text(f"{before}{head}{rows}\n</details>{behind}", "utf-8")
    else:
        assert shown == rows


def test_every_command_of_the_program_is_shown() -> None:
    help_text = run("reactcli --help", ROOT)
    listed = re.findall(r"^  (\w+)  +\S", help_text.partition("Commands:")[2], re.MULTILINE)
    assert listed
    shown = README.read_text("utf-8")
    assert [name for name in listed if f"reactcli {name}" not in shown] == []


def test_the_agent_loop_is_the_one_that_is_tested() -> None:
    from test_agent_loop import AGENT

    assert f"```sh{AGENT}```" in README.read_text("utf-8")
