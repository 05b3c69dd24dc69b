"""Whatever a tool does stays in its worker, and ends with it."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time

import pytest

from reactcli.errors import ToolError
from reactcli.isolation import Limits, Toolbox, Worker
from reactcli.isolation.channel import FrameError, Inbox, frame
from reactcli.tools.calls import Call

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are watched through Linux's own means")

QUICK = Limits(seconds=0.5)


@pytest.fixture
def module(tmp_path):
    def write(text, name="mine.py"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    return write


@pytest.fixture
def outcome(module):
    """What becomes of one call of `bad` in a module of this text."""

    def call(text, argument="x", limits=None, **given):
        with Toolbox([module(text)], limits) as tools:
            return tools.call(Call("bad", argument), **given)

    return call


def is_gone(pid, seconds=3.0):
    """Wait until a process has ended; False if it does not in time."""
    try:
        descriptor = os.pidfd_open(int(pid))
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], seconds)[0])
    finally:
        os.close(descriptor)


def descriptors():
    return sorted(os.listdir("/proc/self/fd"))  # noqa: PTH208  # as few descriptors as can be


# -- calls


def test_a_tool_is_called_in_another_process(outcome):
    found = outcome("import os\ndef bad(query): return os.getpid()\n")
    assert found.status == "ok"
    assert int(found.observation) != os.getpid()


def test_a_worker_keeps_its_state_between_calls(module):
    with Toolbox([module("seen = []\ndef bad(query):\n    seen.append(query)\n    return seen\n")]) as tools:
        assert [tools.call(Call("bad", text)).observation for text in "ab"] == ['["a"]', '["a", "b"]']


def test_coroutines_share_one_event_loop(module):
    text = (
        "import asyncio\nloops = set()\nasync def bad(q):\n"
        "    loops.add(id(asyncio.get_running_loop()))\n    return len(loops)\n"
    )
    with Toolbox([module(text)]) as tools:
        assert [tools.call(Call("bad", "")).observation for _ in "ab"] == ["1", "1"]


def test_each_module_has_a_worker_of_its_own(module):
    first = module("import os\ndef a(): return os.getpid()\n", "first.py")
    second = module("import os\ndef b(): return os.getpid()\n", "second.py")
    with Toolbox([first, second]) as tools:
        assert tools.names == ("a", "b")
        assert len({tools.call(Call(name)).observation for name in "aba"}) == 2


def test_two_modules_may_not_have_a_tool_of_the_same_name(module):
    first, second = module("def a(): pass\n", "first.py"), module("def a(): pass\n", "second.py")
    with pytest.raises(ToolError, match="both have a tool 'a'"), Toolbox([first, second]):
        pass


def test_tools_are_described(module):
    with Toolbox([module("def find(query: str):\n    '''Find.'''\n")]) as tools:
        assert tools.describe() == [
            {
                "name": "find",
                "description": "Find.",
                "parameters": {
                    "type": "object",
                    "properties": {"query": {"type": "string"}},
                    "required": ["query"],
                    "additionalProperties": False,
                },
            }
        ]


@pytest.mark.parametrize("text", ["a" * 2_000_000, "\ud835 \x00 \x1b[2J", "é" * 100_000], ids=["long", "odd", "wide"])
def test_any_text_passes_in_and_out(outcome, text):
    assert outcome("def bad(query): return query\n", text).observation == text


def test_a_result_beyond_the_limit_is_cut_and_says_so(outcome):
    found = outcome("def bad(query): return 'x' * (17 << 20)\n")
    assert len(found.observation) < 17 << 20
    assert "1048576 characters omitted" in found.observation


# -- what a tool cannot do


def test_a_tool_that_hangs_is_ended_in_time(outcome):
    began = time.monotonic()
    found = outcome("def bad(query):\n    while True: pass\n", limits=QUICK)
    assert (found.status, found.observation) == ("timeout", "Error: TimeoutError: 'bad' ran out of its time of 0.5 s")
    assert time.monotonic() - began < 0.5 + 0.5 + 1.0  # the limit, the promise, and a busy machine


def test_a_tool_has_its_own_limit_unless_the_caller_says_otherwise(module):
    text = "from reactcli.tools import tool\nimport time\n@tool(timeout=0.3)\ndef bad(q): time.sleep(3600)\n"
    with Toolbox([module(text)]) as tools:
        assert tools.call(Call("bad", "")).error == "TimeoutError: 'bad' ran out of its time of 0.3 s"
        assert tools.call(Call("bad", ""), seconds=0.2).error == "TimeoutError: 'bad' ran out of its time of 0.2 s"


ENDS = {
    "os._exit(0)": "its process ended with exit status 0",
    "os._exit(7)": "its process ended with exit status 7",
    "os.abort()": "its process was killed by SIGABRT",
    "os.kill(os.getpid(), 9)": "its process was killed by SIGKILL",
    "os.kill(0, 9)": "its process was killed by SIGKILL",
    "os.closerange(3, 64)": "its process ended with exit status 1",
    "[os.write(n, b'{\"ok\": true}') for n in range(3, 9) if n == 4]": "a message is longer than any can be",
    "os.write(4, b'\\0\\0\\0\\2{}')": "a message came that nobody asked for",
    "os.write(4, b'\\0\\0\\0\\1x')": "a message is not JSON",
    "os.write(4, b'\\0\\0\\0\\2[]')": "a message is not an object",
}


@pytest.mark.parametrize("act", ENDS)
def test_a_tool_that_ends_its_process_gives_an_error_and_the_next_call_works(module, act):
    text = f"import os\ndef bad(query):\n    if query: {act}\n    return 'fine'\n"
    with Toolbox([module(text)]) as tools:
        found = tools.call(Call("bad", "x"))
        assert (found.status, found.error) == ("tool_error", f"'bad' gave no result: {ENDS[act]}")
        assert tools.call(Call("bad", "")).observation == "fine"


RAISED = {
    "raise KeyboardInterrupt": "Error: KeyboardInterrupt",
    "raise GeneratorExit": "Error: GeneratorExit",
    "raise SystemExit(3)": "Error: SystemExit: 3",
    "raise ExceptionGroup('g', [ValueError(1)])": "Error: ExceptionGroup: g (1 sub-exception)",
    "bytearray(10 << 30)": "Error: MemoryError",
    "input()": "Error: EOFError: EOF when reading a line",
}


@pytest.mark.parametrize("act", RAISED)
def test_whatever_a_tool_raises_is_an_observation(outcome, act):
    assert outcome(f"def bad(query):\n    {act}\n").observation == RAISED[act]


LEFT_BEHIND = {
    "a child": "pid = os.fork()\n    if pid == 0: time.sleep(3600)\n",
    "a daemon": (
        "end, start = os.pipe()\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        if os.fork() == 0:\n"
        "            os.write(start, str(os.getpid()).encode())\n"
        "            time.sleep(3600)\n"
        "        os._exit(0)\n"
        "    pid = os.read(end, 9).decode()\n"
    ),
    "a stopped child": "pid = os.fork()\n    if pid == 0: os.kill(os.getpid(), 19); time.sleep(3600)\n",
    "a program": "pid = __import__('subprocess').Popen(['sleep', '3600'], start_new_session=True).pid\n",
    "a thread": "__import__('threading').Thread(target=time.sleep, args=[3600]).start(); pid = os.getpid()\n",
    "an exit handler": "__import__('atexit').register(time.sleep, 3600); pid = os.getpid()\n",
}


@pytest.mark.parametrize("what", LEFT_BEHIND)
def test_what_a_tool_leaves_behind_is_ended(outcome, what):
    found = outcome(f"import os, time\ndef bad(query):\n    {LEFT_BEHIND[what]}    return pid\n")
    assert found.status == "ok"
    assert is_gone(found.observation)


def test_fifty_processes_are_ended_after_a_time_out(module, tmp_path):
    text = (
        "import os, time\ndef bad(folder):\n"
        "    for n in range(50):\n"
        "        if os.fork() == 0:\n"
        "            os.setsid()\n"
        "            open(f'{folder}/{os.getpid()}.pid', 'w').close()\n"
        "            time.sleep(3600)\n"
        "    time.sleep(3600)\n"
    )
    with Toolbox([module(text)]) as tools:
        assert tools.call(Call("bad", str(tmp_path)), seconds=2).status == "timeout"
    pids = [path.stem for path in tmp_path.glob("*.pid")]
    assert len(pids) == 50
    assert all(is_gone(pid) for pid in pids)


def test_a_fork_that_lets_both_return_gives_one_result(outcome):
    assert outcome("import os\ndef bad(query):\n    os.fork()\n    return 'once'\n").observation == "once"


def test_exit_handlers_run_when_a_worker_is_closed(outcome, tmp_path):
    text = "import atexit, pathlib\ndef bad(path): atexit.register(pathlib.Path(path).touch)\n"
    assert outcome(text, str(tmp_path / "touched")).status == "ok"
    assert (tmp_path / "touched").exists()


def test_everything_ends_when_the_owner_is_killed(module, tmp_path):
    act = "open(path, 'w').write(str(os.getpid()))"
    spec = module(f"import os, time\ndef bad(path):\n    {act}\n    time.sleep(3600)\n")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    program = (
        "import sys\nfrom reactcli.tools.calls import Call\nfrom reactcli.isolation import Toolbox\n"
        "with Toolbox([sys.argv[1]]) as tools: tools.call(Call('bad', sys.argv[2]))\n"
    )
    with subprocess.Popen([sys.executable, "-c", program, spec, str(pipe)]) as owner:
        pid = pipe.read_text()
        assert not is_gone(pid, 0.0)
        owner.kill()
    assert is_gone(pid)


def test_an_interrupt_ends_the_worker_and_passes(module):
    def interrupt(_number, _frame):
        raise KeyboardInterrupt

    worker = Worker(module("import time\ndef bad(q): time.sleep(3600)\n"))
    worker.start()
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            worker.call(Call("bad", ""))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert worker._process is None  # noqa: SLF001  # there is nothing else to see of it


# -- what a tool sees


def test_what_a_tool_prints_is_kept_apart(outcome):
    text = (
        "import os, sys\ndef bad(query):\n    print('one')\n    os.write(1, b'two\\n')\n"
        "    print('three', file=sys.stderr)\n    os.system('echo four')\n    return 'result'\n"
    )
    found = outcome(text)
    assert (found.observation, found.printed) == ("result", "one\ntwo\nthree\nfour\n")


def test_a_flood_is_cut_and_counted(outcome):
    found = outcome("def bad(query):\n    print('x' * 9_999_999)\n    return 'result'\n")
    assert found.observation == "result"
    assert found.printed == "x" * (64 << 10) + f"\n… {10_000_000 - (64 << 10)} bytes omitted …\n"


def test_what_was_printed_before_a_crash_is_kept(outcome):
    assert outcome("import os\ndef bad(query):\n    print('last words')\n    os.abort()\n").printed == "last words\n"


def test_no_credentials_are_in_a_tools_environment(outcome, monkeypatch):
    words = ("API_KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIALS")
    for owner in ("OPENAI", "ANTHROPIC", "AWS", "AZURE", "GITHUB", "HF", "GOOGLE", "SLACK"):
        for word in words:
            monkeypatch.setenv(f"{owner}_{word}", "sesame")
    monkeypatch.setenv("LC_TIME", "C.UTF-8")
    found = json.loads(outcome("import os\ndef bad(query): return dict(os.environ)\n").observation)
    assert "sesame" not in found.values()
    assert found.keys() <= {"PATH", "HOME", "LANG", "TMPDIR", "TZ", "TERM", "LC_TIME", "LC_ALL", "LC_CTYPE"}
    assert (found["TERM"], found["LC_TIME"]) == ("dumb", "C.UTF-8")


def test_a_variable_that_is_named_is_passed(outcome, monkeypatch):
    monkeypatch.setenv("GITHUB_TOKEN", "sesame")
    text = "import os\ndef bad(query): return os.environ.get(query)\n"
    assert outcome(text, "GITHUB_TOKEN", Limits(environment=("GITHUB_TOKEN",))).observation == "sesame"


def test_a_tool_has_no_descriptors_of_its_owner(outcome):
    with open("/dev/zero") as mine:  # noqa: PTH123
        os.set_inheritable(mine.fileno(), True)
        found = outcome("import os\ndef bad(query): return [os.readlink(f'/proc/self/fd/{n}') for n in range(5)]\n")
        more = outcome("import os\ndef bad(query): return [n for n in os.listdir('/proc/self/fd') if int(n) > 5]\n")
    assert json.loads(found.observation)[0] == "/dev/null"
    assert more.observation == "[]"


def test_the_current_folder_is_not_searched_for_modules(outcome, tmp_path, monkeypatch):
    here = tmp_path / "here"
    here.mkdir()
    (here / "only_here.py").write_text("")
    monkeypatch.chdir(here)
    monkeypatch.syspath_prepend(str(here))
    found = outcome("def bad(query):\n    import only_here\n")
    assert found.error == "ModuleNotFoundError: No module named 'only_here'"


def test_what_the_owner_can_import_a_tool_can_import(outcome, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "known_to_owner.py").write_text("value = 5\n")
    monkeypatch.syspath_prepend(str(tmp_path / "elsewhere"))
    assert outcome("def bad(query):\n    import known_to_owner\n    return known_to_owner.value\n").observation == "5"


def test_loading_writes_nothing_beside_the_module(outcome, tmp_path):
    outcome("def bad(query): return 1\n")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


def test_tools_that_replace_what_the_worker_uses_do_not_stop_it(outcome):
    text = (
        "import builtins, json, os, sys\ndef bad(query):\n"
        "    json.dumps = json.loads = builtins.print = builtins.repr = os.getpid = os.read = None\n"
        "    sys.stdout = sys.stderr = None\n    return {'a': 1}\n"
    )
    assert outcome(text).observation == '{"a": 1}'


# -- modules that cannot be loaded


UNLOADABLE = {
    "raise SystemExit(0)": "cannot be loaded: SystemExit: 0",
    "raise KeyboardInterrupt": "cannot be loaded: KeyboardInterrupt",
    "import os; os._exit(0)": "cannot be loaded: its process ended with exit status 0",
    "def": "cannot be loaded: SyntaxError: invalid syntax (mine.py, line 1)",
    "TOOLS = 3": "cannot be loaded: TOOLS is a value of class 'int'",
    "while True: pass": "ran out of its time of 0.5 s",
}


@pytest.mark.parametrize("text", UNLOADABLE)
def test_a_module_that_cannot_be_loaded_is_an_error(module, text):
    with pytest.raises(ToolError) as caught, Toolbox([module(text)], QUICK):
        pass
    assert caught.value.message.endswith(UNLOADABLE[text])


# -- the owner


def test_the_owner_is_as_it_was_before(outcome):
    def owner():
        mask = os.umask(0)
        os.umask(mask)
        signals = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        return descriptors(), os.getcwd(), dict(os.environ), mask, signals, threading.active_count()  # noqa: PTH109

    before = owner()
    outcome("import os\ndef bad(query):\n    os.chdir('/'); os.environ.clear(); os.umask(0o777)\n")
    outcome("import os\ndef bad(query): os.abort()\n")
    outcome("def bad(query):\n    while True: pass\n", limits=QUICK)
    assert owner() == before


def test_a_worker_can_be_started_where_the_lowest_descriptors_are_closed(module):
    spec = module("def bad(query): return query\n")
    program = (
        "import os, sys\nfrom reactcli.tools.calls import Call\nfrom reactcli.isolation import Toolbox\n"
        "keep = os.dup2(1, 20)\nos.closerange(0, 10)\n"
        "with Toolbox([sys.argv[1]]) as tools: os.write(keep, tools.call(Call('bad', 'kelp')).observation.encode())\n"
    )
    assert subprocess.run([sys.executable, "-c", program, spec], capture_output=True, check=True).stdout == b"kelp"


# -- messages


def test_messages_pass_however_they_are_cut():
    octets = frame({"a": "é\ud835"}) + frame({"b": 1})
    inbox, found = Inbox(), []
    for octet in octets:
        inbox.feed(bytes([octet]))
        while (message := inbox.take()) is not None:
            found.append(message)
    assert found == [{"a": "é\ud835"}, {"b": 1}]


@pytest.mark.parametrize(
    "octets", [b"\xff\xff\xff\xff", b"\0\0\0\1\xff", b"\0\0\0\4null", b"\0\1\0\0" + b"[" * (1 << 16)]
)
def test_what_is_no_message_is_refused(octets):
    inbox = Inbox()
    inbox.feed(octets)
    with pytest.raises(FrameError):
        inbox.take()
