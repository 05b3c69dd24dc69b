"""Rules that the source itself keeps: nothing dangerous is called, imports go downward, the core is quiet."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "reactcli"
MODULES = sorted(PACKAGE.rglob("*.py"))
CORE = (
    "values",
    "source",
    "diagnostics",
    "trace",
    "registry",
    "patterns",
    "errors",
    "dialects",
    "tokens",
    "actions",
    "parser",
)
CORE += ("loosejson",)
DANGEROUS = {"eval", "exec", "compile", "__import__", "system", "popen", "mktemp", "literal_eval"}
DANGEROUS_MODULES = {"pickle", "marshal", "shelve", "yaml", "dill"}
ALLOWED = {("patterns.py", "compile")}
"""re.compile; the loader of tool modules runs them through importlib."""
QUIET = {"os", "time", "socket", "subprocess", "pathlib", "random", "logging", "io", "datetime", "typer", "rich"}


def calls(tree: ast.AST) -> list[tuple[str, int]]:
    named = [
        (node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", ""), node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
    ]
    shell = [
        ("shell=True", node)
        for _, node in named
        if any(keyword.arg == "shell" and getattr(keyword.value, "value", None) for keyword in node.keywords)
    ]
    return [(name, node.lineno) for name, node in [*named, *shell]]


def imported(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found


def dangers(module: str, source: str) -> list[str]:
    tree = ast.parse(source)
    found = [name for name, _ in calls(tree) if name in DANGEROUS | {"shell=True"} and (module, name) not in ALLOWED]
    return found + [name for name in imported(tree) if name.split(".")[0] in DANGEROUS_MODULES]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_calls_nothing_dangerous(path: Path) -> None:
    source = path.read_text("utf-8").replace("re.compile(", "re_compile(")
    assert dangers(path.name, source) == []


@pytest.mark.parametrize(
    "planted", ["eval(x)", "import pickle", "subprocess.run(x, shell=True)", "os.system(x)", "exec(x)"]
)
def test_a_planted_danger_is_caught(planted: str) -> None:
    assert dangers("any.py", planted)


@pytest.mark.parametrize(
    "path", [p for p in MODULES if p.relative_to(PACKAGE).parts[0].removesuffix(".py") in CORE], ids=str
)
def test_the_core_knows_no_file_clock_network_or_environment(path: Path) -> None:
    assert {name.split(".")[0] for name in imported(ast.parse(path.read_text("utf-8")))} & QUIET == set()


def test_no_two_modules_import_each_other() -> None:
    names = {
        path: ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
        for path in MODULES
    }
    graph = {
        name: {found for found in at_start(path) if found in names.values() and found != name}
        for path, name in names.items()
    }
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, f"a cycle: {' -> '.join([*trail, name])}"
        if name not in done:
            for below in graph[name]:
                visit(below, (*trail, name))
            done.add(name)

    for name in graph:
        visit(name, ())


def at_start(path: Path) -> set[str]:
    """The modules that a module imports when it is imported itself, not only for types."""
    body = ast.parse(path.read_text("utf-8")).body
    return {
        name
        for node in body
        if isinstance(node, ast.ImportFrom)
        for name in [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
    }
