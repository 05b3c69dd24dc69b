"""`reactcli tools`: what a module of tools offers, for people, programs and models."""

from __future__ import annotations

from reactcli.cli.exec import seconds, variable
from reactcli.cli.options import Argument, Command, Option, UsageError
from reactcli.render import Safe
from reactcli.render.sanitise import show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from reactcli.cli.shell import Shell

SCHEMA = "reactcli/tools@1"


def run(values: Mapping[str, Any], shell: Shell) -> int:
    from reactcli.isolation import Limits, Toolbox

    if not values["specs"]:
        raise UsageError("no tools are given", hint="name a file or a module, as in: reactcli tools tools.py")
    with Toolbox(values["specs"], Limits(values["timeout"] or 30.0, environment=values["env"])) as toolbox:
        described = toolbox.describe()
    _PRINTERS[values["format"]](described, shell)
    return 0


def _print_table(described: list[dict[str, Any]], shell: Shell) -> None:
    from reactcli.render.tables import tools  # 40 ms: rich

    shell.out.write(shell.out.rendered(tools(described)))


def _print_json(described: list[dict[str, Any]], shell: Shell) -> None:
    shell.write_json({"schema": SCHEMA, "tools": described}, 2)
    shell.out.write(Safe("\n"))


def _print_openai(described: list[dict[str, Any]], shell: Shell) -> None:
    from reactcli.tools.descriptions import openai_definition

    shell.write_json([openai_definition(tool) for tool in described], 2)
    shell.out.write(Safe("\n"))


def _print_prompt(described: list[dict[str, Any]], shell: Shell) -> None:
    from reactcli.tools.descriptions import prompt_block

    text = f"{prompt_block(described)}\n" if described else ""
    if shell.out.is_terminal:
        shell.out.write(show(text))
    else:
        shell.out.write_raw(text)


_PRINTERS = {"table": _print_table, "json": _print_json, "openai": _print_openai, "prompt": _print_prompt}

COMMAND = Command(
    name="tools",
    summary="List the tools of a module: names, descriptions, parameters.",
    details="Loads the module in a process of its own, calls nothing, and prints what it offers: as a table, as JSON "
    "schemas, as definitions for an OpenAI request, or as the block of text for a ReAct prompt. A module offers what "
    "its `TOOLS` holds (a dict from names to functions, or a list of functions and tool objects), else the functions "
    "that `__all__` names, else every public function defined in it. A tool object has `name`, `description`, and a "
    "method `run` or `__call__`; those of LangChain, LlamaIndex, smolagents and llm are known as well.",
    examples=("reactcli tools tools.py", "reactcli tools tools.py --format openai"),
    run=run,
    arguments=(Argument("specs", "SPEC...", "Where the tools are: FILE.py or package.module, :NAME for one.", True),),
    options=(
        Option(("--format",), "How to print.", choices=("table", "json", "openai", "prompt"), default="table"),
        Option(("--timeout",), "Seconds for loading a module; 30 if not given.", metavar="S", convert=seconds),
        Option(("--env",), "Let tools see this environment variable.", "NAME", repeated=True, convert=variable),
    ),
)
