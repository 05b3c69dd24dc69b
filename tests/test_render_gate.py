"""One gate to the screen: only `cli/output.py` writes, and only what the type checker knows to be safe."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from mypy import api

PACKAGE = Path(__file__).parent.parent / "reactcli"
WRITERS = {
    PACKAGE / "cli" / "output.py",
    PACKAGE / "isolation" / "worker.py",  # runs in the tools' own process, whose streams are pipes that nobody shows
}
PRINTING_NAMES = {"print", "pprint", "Console", "echo", "secho", "print_json"}
STREAMS = {"stdout", "stderr", "__stdout__", "__stderr__"}
PRINTING_MODULES = {"logging", "pprint", "warnings"}


def violations(source: str) -> list[str]:
    """Everything in a module that could print."""
    return [found for node in ast.walk(ast.parse(source)) if (found := _violation(node)) is not None]


def _violation(node: ast.AST) -> str | None:
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", None))
        return f"line {node.lineno}: {name}()" if name in PRINTING_NAMES else None
    if isinstance(node, ast.Attribute) and node.attr in STREAMS and getattr(node.value, "id", None) == "sys":
        return f"line {node.lineno}: sys.{node.attr}"
    if isinstance(node, ast.Import | ast.ImportFrom):
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        names = {alias.name for alias in node.names}
        printing = {module.split(".")[0] for module in modules} & PRINTING_MODULES
        printing |= names & (PRINTING_NAMES | (STREAMS if "sys" in modules else set()))
        return f"line {node.lineno}: import of {', '.join(sorted(printing))}" if printing else None
    return None


@pytest.mark.parametrize(
    "module", sorted(PACKAGE.rglob("*.py")), ids=lambda module: str(module.relative_to(PACKAGE.parent))
)
def test_only_the_writers_print(module):
    found = violations(module.read_text(encoding="utf-8"))
    assert bool(found) == (module in WRITERS), found


@pytest.mark.parametrize(
    "planted",
    [
        "print('x')",
        "import sys\nsys.stdout.write('x')",
        "import sys\nsys.__stderr__.buffer.write(b'x')",
        "from sys import stdout",
        "import typer\ntyper.echo('x')",
        "from rich.console import Console",
        "from rich import print",
        "import rich\nrich.print_json('{}')",
        "import rich.console\nrich.console.Console()",
        "import logging",
    ],
)
def test_a_planted_print_is_caught(planted):
    assert violations(planted) != []


def test_text_that_has_not_passed_the_gate_cannot_be_written(tmp_path):
    planted = tmp_path / "planted.py"
    planted.write_text(
        "from reactcli.cli.output import Output\n"
        "from reactcli.render.sanitise import show\n"
        "text: str = input()\n"
        "Output('stdout').write(show(text))\n"
        "Output('stdout').write(text)\n"
    )
    report, errors, code = api.run(["--strict", "--no-error-summary", str(planted)])
    claim = 'Argument 1 to "write" of "Output" has incompatible type "str"; expected "Safe"'
    assert (report.partition(".py:")[2], errors, code) == (f"5: error: {claim}  [arg-type]\n", "", 1)
