"""Starting: what is loaded, and from where. The times are in bench/bench_startup.py."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest

import reactcli

HEAVY = ("typer", "rich", "textual", "pydantic", "typing", "inspect", "dataclasses", "pathlib", "argparse")
REPLY = b"Thought: t\nAction: search\nAction Input: x\n"


def loaded(code: str) -> set[str]:
    """The modules that a program has loaded when it ends."""
    shown = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nsys.stderr.write(repr(sorted(sys.modules)))"],
        input=REPLY, capture_output=True, check=False, timeout=30,
    )  # fmt: skip
    return set(json.loads(shown.stderr.decode().replace("'", '"')))


BARE = loaded("pass")
"""What Python itself, its site and its installed hooks load."""


@pytest.mark.parametrize(
    "code",
    [
        "import reactcli",
        "from reactcli import ReActAgentParser; ReActAgentParser().parse_step('Action: x')",
        "from reactcli.cli.shell import main; main(['parse'])",
        "import sys; sys.argv[1:] = ['-V']\ntry: from reactcli.__main__ import main; main()\nexcept SystemExit: pass",
    ],
)
def test_what_is_common_loads_nothing_heavy(code):
    assert not (loaded(code) - BARE) & set(HEAVY)


def test_the_version_is_printed_by_either_flag():
    for flag in ("--version", "-V"):
        done = subprocess.run([sys.executable, "-m", "reactcli", flag], capture_output=True, check=True, timeout=30)
        assert (done.stdout, done.stderr) == (f"reactcli {reactcli.__version__}\n".encode(), b"")


def test_every_public_name_is_there():
    for name in reactcli.__all__:
        assert getattr(reactcli, name) is not None
    with pytest.raises(AttributeError):
        reactcli.nosuch  # noqa: B018  # the access is the test


@pytest.mark.parametrize(
    "argv", [["parse"], ["parse", "--format", "table"], ["parse", "--full"], ["--version"], ["dialects"], ["--help"]]
)
def test_no_module_of_the_current_folder_is_imported(tmp_path, argv):
    """Save those that `python -m` itself needs before it comes to us (contextlib and what it imports)."""
    modules = (
        "json", "re", "typing", "rich", "typer", "signal", "enum", "bisect", "traceback", "inspect", "readline",
        "sitecustomize", "usercustomize", "difflib", "unicodedata", "decimal", "shutil",
    )  # fmt: skip
    for module in modules:
        (tmp_path / f"{module}.py").write_text(f"open({module + '.ran'!r}, 'w')\nraise RuntimeError\n")
    command = [sys.executable, "-m", "reactcli", *argv]
    done = subprocess.run(command, input=REPLY, capture_output=True, cwd=tmp_path, check=False, timeout=30)
    assert (done.returncode, done.stderr) == (0, b"")
    assert list(tmp_path.glob("*.ran")) == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_during_start_up_ends_quietly(number, code):
    """The signal arrives in the middle of an import, wherever that is."""
    program = (
        "import os, sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'reactcli.cli.shell':\n"
        f"            os.kill(os.getpid(), {int(number)})\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "sys.argv[1:] = ['parse']\n"
        "from reactcli.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], input=REPLY, capture_output=True, check=False, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (code, b"", b"")


def test_a_signal_that_is_ignored_stays_ignored():
    program = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from reactcli.__main__ import main\n"
        "sys.argv[1:] = ['parse']\n"
        "try: main()\n"
        "finally: os.kill(os.getpid(), signal.SIGINT)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], input=REPLY, capture_output=True, check=False, timeout=30)
    assert (done.returncode, done.stderr) == (0, b"")


def test_parsing_runs_nothing_and_opens_only_what_it_is_given(tmp_path):
    """Python tells of every import, file, process and socket; after the first text only the named file is left."""
    hostile = tmp_path / "hostile.txt"
    hostile.write_text("Thought: {self.__class__}\nAction: __import__('os').system\nAction Input: open('/etc/passwd')")
    program = (
        "import sys\n"
        "from reactcli.cli.shell import main\n"
        f"main(['parse', '-q', {str(hostile)!r}])\n"
        "seen = []\n"
        "sys.addaudithook(lambda event, args: seen.append((event, str(args[0]) if args else '')))\n"
        f"main(['parse', '-q', {str(hostile)!r}])\n"
        "sys.stderr.write(repr([event for event in seen if event[0] != 'builtins.id']))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, timeout=30)
    assert done.stderr.decode() == repr([("open", str(hostile))])
