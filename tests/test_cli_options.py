"""Two readers of one table: the quick one and Typer agree on every command line that the quick one takes."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from reactcli.cli.app import app, build
from reactcli.cli.options import SHARED, Argument, Command, Option, UsageError, converted, read
from reactcli.cli.parse import COMMAND
from reactcli.cli.shell import main


def upper(text):
    if text == "bad":
        raise UsageError(f"'{text}' is bad")
    return text.upper()


PROBE = Command(
    name="probe",
    summary="Show what was read.",
    details="",
    examples=(),
    run=lambda _values, _shell: 0,
    arguments=(
        Argument("first", "FIRST", ""),
        Argument("middle", "[MIDDLE]...", "", repeated=True),
        Argument("last", "LAST", ""),
    ),
    options=(
        Option(("--many", "-m"), "", metavar="X", repeated=True),
        Option(("--choice",), "", choices=("a", "b")),
        Option(("--two-words",), "", metavar="X", default="d", convert=upper),
        Option(("--switch", "-s"), ""),
    ),
)

WORDS = {
    "parse": [
        "--steps", "--full", "--get", "--format", "json", "table", "--format=jsonl", "--dialect=", "--dialect", "x",
        "-", "--", "-q", "-v", "-qv", "--color", "never", "--color=always", "--on-both", "error", "--pick=last",
        "a b", "", "--max-input", "1K", "--nosuch", "--steps=1", "-x", "é", "--input", "jsonl", "--field", "--help",
    ],
    "probe": [
        "a", "b", "c", "--many", "-m", "x", "-mx", "--many=1", "--choice", "--choice=b", "--two-words",
        "bad", "good", "--switch", "-s", "-sm", "--", "-", "--quiet", "--no-switch", "--two-words=bad", "",
    ],
}  # fmt: skip


def typed(declared: Command, argv: list[str]):
    """What Typer makes of a command line, or its exit code if that is no use."""
    seen = []

    def record(values, _shell):
        seen.append(dict(values))
        return 0

    code = build([declared.replace(run=record)])([declared.name, *argv], standalone_mode=False)
    return seen[0] if seen else code


def quick(declared: Command, argv: list[str]):
    values = read(declared, argv)
    if values is None:
        return None
    try:
        return converted(declared, values)
    except UsageError:
        return 2


@given(st.lists(st.sampled_from(WORDS["parse"]), max_size=7))
@example(["--", "--steps"])
@example(["--get", "--full"])
@example(["-", "--input", "jsonl", "x"])
@settings(max_examples=200, deadline=None)
def test_parse_is_read_alike_by_both(argv):
    found = quick(COMMAND, argv)
    assert found is None or found == typed(COMMAND, argv)


@given(st.lists(st.sampled_from(WORDS["probe"]), max_size=8))
@example(["a", "b"])
@example(["a", "b", "c", "d"])
@example(["-m", "x", "a", "--many=y", "b"])
@settings(max_examples=200, deadline=None)
def test_every_kind_of_option_and_argument_is_read_alike_by_both(argv):
    found = quick(PROBE, argv)
    assert found is None or found == typed(PROBE, argv)


@pytest.mark.parametrize("argv", [["a", "b"], ["a", "m", "b"], ["a", "m", "--switch", "n", "b"]])
def test_arguments_take_their_turns_without_typer(argv):
    words = [word for word in argv if word != "--switch"]
    found = quick(PROBE, argv)
    assert (found["first"], found["middle"], found["last"]) == (words[0], tuple(words[1:-1]), words[-1])


@pytest.mark.parametrize("argv", [["a", "-"], ["--steps"], ["--dialect", "zh", "x"], ["--format=json", "-q"]])
def test_a_well_formed_command_line_needs_no_typer(argv):
    assert quick(COMMAND, argv) == typed(COMMAND, argv)


@pytest.mark.parametrize(
    "argv", [["--help"], ["-h"], ["--nosuch"], ["--get"], ["--format", "yaml"], ["--steps=1"], ["-qv"], ["--ste"]]
)
def test_everything_else_is_left_to_typer(argv):
    assert read(COMMAND, argv) is None


def test_shared_options_count_before_and_after_the_command(capfd, tmp_path):
    (tmp_path / "a").write_text("prose")
    for argv in (["-q", "parse", "a"], ["parse", "a", "-q"], ["--color", "always", "parse", "-q", "a"]):
        argv[argv.index("a")] = str(tmp_path / "a")
        assert main(argv) == 1
        out, err = capfd.readouterr()
        assert (err, "\x1b" in out) == ("", "--color" in argv)


def test_no_option_is_declared_twice():
    flags = [flag for option in (*SHARED, *COMMAND.options) for flag in option.flags]
    assert len(flags) == len(set(flags))


def test_the_app_runs_in_memory_as_any_typer_app_does():
    done = CliRunner().invoke(app, ["parse", "--get", "action"], input="Action: search")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "search\n", "")
    wrong = CliRunner().invoke(app, ["parse", "--nosuch"])
    way_out = "`reactcli parse --help` shows what there is"
    assert (wrong.exit_code, wrong.stderr) == (2, f"reactcli: no such option: --nosuch; {way_out}\n")
