"""Secrets leave texts, steps and traces in every form they take, and nothing else does."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import re
import string
import time
import urllib.parse
import uuid

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactcli import Action, Step, Trace
from reactcli.cli.shell import main
from reactcli.diagnostics import Diagnostic
from reactcli.redact import Redactor, environment_secrets
from reactcli.secrets import VENDORS, is_placeholder, is_secret_name, named_secrets, vendor_secrets
from reactcli.secrets_assigned import assigned_secrets

VALUE = 'p@ss/w0rd+"x"&é\\9'
MARK = "[REDACTED:secret]"
RANDOM = random.Random(11)


def taken(alphabet: str, length: int) -> str:
    return "".join(RANDOM.choices(alphabet, k=length))


WORD = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
DASHES, PRIVATE = "-----", "PRIVATE KEY"
SPELLINGS = {
    # put together here, so that no scanner takes this file for a leak
    "private-key": f"{DASHES}BEGIN RSA {PRIVATE}{DASHES}\n{taken(WORD, 64)}\n{DASHES}END RSA {PRIVATE}{DASHES}",
    "anthropic-key": "sk-ant-" + f"api03-{taken(WORD, 90)}AA",
    "openrouter-key": "sk-or-" + f"v1-{taken(HEX, 64)}",
    "langfuse-key": f"sk-lf-{uuid.UUID(int=7)}",
    "openai-key": "sk-proj-" + f"{taken(WORD, 24)}7T3BlbkFJ{taken(WORD, 24)}",
    "langsmith-key": "lsv2_pt_" + f"{taken(HEX, 32)}_{taken(HEX, 10)}",
    "aws-key-id": "AKIA" + taken("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16),
    "github-token": "ghp_" + taken(WORD, 36),
    "gitlab-token": "glpat-" + taken(WORD, 20),
    "slack-token": "xoxb-" + f"123456789012-123456789012-{taken(WORD, 24)}",
    "slack-webhook": "https://hooks.slack.com/" + f"services/T{taken(WORD, 8)}/B{taken(WORD, 8)}/{taken(WORD, 24)}",
    "google-key": "AIza" + taken(WORD, 35),
    "google-oauth-token": "ya29." + taken(WORD, 60),
    "stripe-key": "sk_live_" + taken(WORD, 24),
    "huggingface-token": "hf_" + taken(string.ascii_letters, 34),
    "npm-token": "npm_" + taken(WORD, 36),
    "pypi-token": "pypi-AgE" + taken(WORD, 120),
    "sendgrid-key": f"SG.{taken(WORD, 22)}.{taken(WORD, 43)}",
    "twilio-key": "SK" + taken(HEX, 32),
    "telegram-token": f"123456789:AA{taken(WORD, 33)}",
    "discord-token": f"M{taken(WORD, 25)}.{taken(WORD, 6)}.{taken(WORD, 30)}",
    "digitalocean-token": "dop_v1_" + taken(HEX, 64),
    "shopify-token": "shpat_" + taken(HEX, 32),
    "groq-key": "gsk_" + taken(WORD, 52),
    "tavily-key": "tvly-" + f"dev-{taken(WORD, 24)}7",
    "databricks-token": "dapi" + taken(HEX, 32),
    "azure-storage-key": taken(WORD, 86) + "==",
    "jwt": f"eyJhbGciOiJIUzI1NiJ9.eyJ{taken(WORD, 40)}.{taken(WORD, 43)}",
    "bearer-token": taken(WORD, 30) + "7",
    "url-password": "bob:s3cr3t",
}
AROUND = {
    "azure-storage-key": ("AccountName=a;AccountKey=", ";EndpointSuffix=x"),
    "bearer-token": ("Authorization: Bearer ", "\n"),
    "url-password": ("postgres://", "@db.example.org/shop"),
}


@pytest.mark.parametrize("kind", list(VENDORS))
def test_a_vendors_spelling_is_known(kind):
    before, behind = AROUND.get(kind, ('{"text": "the key is ', ' and more"}'))
    text = f"{before}{SPELLINGS[kind]}{behind}"
    assert [(text[start:end], found) for start, end, found in vendor_secrets(text)] == [(SPELLINGS[kind], kind)]


def test_hashes_ids_code_and_base64_are_left_alone():
    choices = [
        lambda: hashlib.sha256(RANDOM.randbytes(9)).hexdigest(),
        lambda: f"commit {hashlib.sha1(RANDOM.randbytes(9)).hexdigest()}",  # noqa: S324  # as git does
        lambda: hashlib.md5(RANDOM.randbytes(9)).hexdigest(),  # noqa: S324  # a text that looks like one
        lambda: str(uuid.UUID(bytes=RANDOM.randbytes(16))),
        lambda: f"data:image/png;base64,{base64.b64encode(RANDOM.randbytes(200)).decode()}",
        lambda: base64.urlsafe_b64encode(RANDOM.randbytes(100)).decode(),
        lambda: f"call_{taken(WORD, 24)} chatcmpl-{taken(WORD, 29)} toolu_{taken(WORD, 24)}",
        lambda: f"task-{taken(string.ascii_lowercase, 12)}-2024-risk-adjusted-returns-for-2020",
        lambda: f"def {taken(string.ascii_lowercase, 8)}(password: str, api_key: str) -> bool:  # {taken(WORD, 9)}",
        lambda: f"self.token = tokens[{RANDOM.randrange(99)}]; key = os.environ['OPENAI_API_KEY']",
        lambda: f"https://example.org/a/{taken(WORD, 22)}?page={RANDOM.randrange(99)}&sk=sk-estimator-doc-link",
    ]
    lines = [RANDOM.choice(choices)() for _ in range(10_000)]
    assert [line for line in lines if [*vendor_secrets(line)]] == []
    assert [line for line in lines if [*named_secrets(line)]] == []
    assert [line for line in lines if [*assigned_secrets(line)]] == []


def forms(value: str) -> dict[str, str]:
    content = value.encode()
    split = len(value) // 2
    return {
        "plain": value,
        "json": json.dumps(value),
        "json, readable": json.dumps(value, ensure_ascii=False),
        "json in json": json.dumps(json.dumps(value)),
        "repr": repr(value),
        "url": urllib.parse.quote(value, safe=""),
        "url, path": urllib.parse.quote(value),
        "url, small": re.sub("%..", lambda match: match[0].lower(), urllib.parse.quote(value, safe="")),
        "form": urllib.parse.quote_plus(value),
        "hex": content.hex(),
        "HEX": content.hex().upper(),
        "base64": base64.b64encode(content).decode(),
        "base64 + 1": base64.b64encode(b"u" + content + b"tail").decode(),
        "base64 + 2": base64.b64encode(b"u:" + content + b"end").decode(),
        "base64url": base64.urlsafe_b64encode(b"u:" + content).decode(),
        "base64, wrapped": base64.encodebytes(b"x" * 50 + content + b"y" * 20).decode(),
        "split by a line end": f"{value[:split]}\n{value[split:]}",
        "split by an escaped line end": f"{value[:split]}\\n{value[split:]}",
        "split by colours": f"{value[:split]}\x1b[1;31m{value[split:]}\x1b[0m",
        "split by what is not seen": "\u200b".join(value),
    }


@pytest.mark.parametrize("form", list(forms(VALUE)))
def test_a_known_value_leaves_in_every_form(form):
    written = forms(VALUE)[form]
    cleaned = Redactor([("secret", VALUE)]).text(f"before ({written}) behind")
    assert MARK in cleaned
    assert cleaned.startswith("before (")
    assert cleaned.endswith(") behind")
    for other in forms(VALUE).values():
        assert other not in cleaned


def test_of_base64_no_character_is_left_that_holds_bits_of_the_value():
    """Eleven bytes are 88 bits: 15 characters of six behind nothing; behind one or two bytes the shared ones too."""
    redactor = Redactor([("secret", "hush-hush-1")])
    encoded = [base64.b64encode(before + b"hush-hush-1zzz").decode() for before in (b"", b"u", b"u:")]
    assert [redactor.text(text) for text in encoded] == [f"{MARK}6eno=", f"d{MARK}enp6", f"dT{MARK}p6eg=="]


secrets = st.text(WORD + "+/=-_.!@#$%&'\"\\ é", min_size=8, max_size=30).filter(
    lambda text: text == text.strip() and not text.isalpha()
)


@settings(max_examples=100, deadline=None)
@given(secrets, st.text(max_size=20), st.text(max_size=20), st.sampled_from(list(forms(VALUE))))
def test_no_form_of_any_value_is_left(value, before, behind, form):
    cleaned = Redactor([("secret", value)]).text(f"{before}\n{forms(value)[form]}\n{behind}")
    assert MARK in cleaned
    assert forms(value)[form] not in cleaned.replace(before, "").replace(behind, "")


@settings(max_examples=100, deadline=None)
@given(secrets, st.text(max_size=60))
def test_text_without_the_value_is_left_as_it_is(value, text):
    if value[:2] not in text:
        assert Redactor([("secret", value)]).text(text) in {text, Redactor().text(text)}


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), secrets)
def test_redacting_twice_is_redacting_once(text, value):
    redactor = Redactor([("secret", value)])
    once = redactor.text(f"{text} {value} {SPELLINGS['openai-key']} {text}")
    assert redactor.text(once) == once


def test_the_same_secret_has_the_same_mark_and_another_another():
    one, other = "sk-proj-" + taken(WORD, 30) + "1", "sk-proj-" + taken(WORD, 30) + "2"
    redactor = Redactor()
    assert (
        redactor.text(f"{one} {other} {one}") == "[REDACTED:openai-key] [REDACTED:openai-key-2] [REDACTED:openai-key]"
    )
    assert redactor.summary() == "2 secrets in 3 places redacted: openai-key 3"


def test_arguments_are_redacted_by_name_and_the_value_everywhere():
    text = '{"api_key": "tvly-FAKE-0001", "password": "hunter2", "query": "kelp", "max_tokens": "9"}'
    arguments = json.loads(text)
    step = Step("log in with hunter2", "call", text, observation="ok for tvly-FAKE-0001", arguments=arguments)
    cleaned = Redactor().step(step)
    wanted = {"api_key": "[REDACTED:api-key]", "password": "[REDACTED:password]", "query": "kelp", "max_tokens": "9"}
    assert cleaned == Step(
        "log in with [REDACTED:password]",
        "call",
        json.dumps(wanted),
        observation="ok for [REDACTED:api-key]",
        arguments=wanted,
    )


def test_spans_and_messages_do_not_keep_what_was_taken():
    key = SPELLINGS["openai-key"]
    note = Diagnostic("python-literal", "warning", f"'{key}' is Python, not JSON", (0, 4))
    step = Step(key, "f", spans={"thought": (0, 9)}, diagnostics=(note,))
    cleaned = Redactor().step(step)
    assert cleaned.spans == {}
    assert key not in cleaned.diagnostics[0].message
    untouched = Step("t", "f", spans={"thought": (0, 1)})
    assert Redactor().step(untouched) is untouched


def test_every_part_of_a_trace_is_cleaned():
    key = SPELLINGS["openai-key"]
    step = Step(
        key, key, key, observation=key, reasoning=key, preamble=key, reflection=key, plan=key, question=key,
        hallucinated_observation=key, arguments={"a": [key]}, shadowed=(Step(key),),
        parallel_actions=(Action(key, key, [key], key), Action("b")),
    )  # fmt: skip
    trace = Trace(key, (step, Step(final_answer=key, is_final=True)), key, meta={"steps": [{"usage": key}], key: 1})
    cleaned = Redactor().trace(trace)
    assert key not in repr(cleaned)
    assert len(cleaned.steps) == 2


def test_in_a_whole_trace_what_a_later_step_tells_is_taken_from_the_earlier_ones():
    early = Step("it was hunter2, I think")
    late = Step("t", "login", '{"password": "hunter2"}', arguments={"password": "hunter2"})
    cleaned = Redactor().trace(Trace(steps=(early, late)))
    assert cleaned.steps[0].thought == "it was [REDACTED:password], I think"


def test_a_json_input_stays_json():
    text = json.dumps({"token": 'a"b\\c-1', "n": {"Authorization": "Basic abc123=="}})
    assert json.loads(Redactor().text(text, is_arguments=True)) == {
        "token": "[REDACTED:token]",
        "n": {"Authorization": "[REDACTED:authorization]"},
    }


def test_names_tell_of_secrets_or_do_not():
    telling = ["api_key", "API-KEY", "apikey", "password", "db.password", "X-Auth-Token", "client_secret", "token"]
    silent = ["tokens", "max_tokens", "key", "keyword", "passwords_changed", "author", "secretary", "monkey", "id"]
    assert [is_secret_name(name) for name in telling] == [True] * len(telling)
    assert [is_secret_name(name) for name in silent] == [False] * len(silent)


def test_placeholders_are_no_secrets():
    for text in (
        "",
        "***",
        "<your key>",
        "$TOKEN",
        "${TOKEN}",
        "{{token}}",
        "null",
        "[REDACTED:token]",
        "your-key-here",
    ):
        assert is_placeholder(text)
    assert not is_placeholder("hunter2")


def test_the_environment_is_read_by_name():
    environment = {
        "OPENAI_API_KEY": "sk-1234567",
        "PGPASSWORD": "hunter2",
        "GITHUB_TOKEN": "token-value",
        "MY_CREDENTIALS": "a:bcdef",
        "APP_SECRET": "  padded-1  ",
        "TOKENIZERS_PARALLELISM": "disabled",
        "KEYBOARD": "de-latin1",
        "MAX_TOKENS": "4096",
        "SECRET_FILE": "/run/secrets/x",
        "EMPTY_KEY": "",
        "PATH": "/usr/bin",
    }
    assert [kind for kind, _ in environment_secrets(environment)] == [
        "openai-api-key", "pgpassword", "github-token", "my-credentials", "app-secret",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "unit",
    [
        "sk-",
        "eyJ",
        "eyJa.",
        "://a",
        "a:b@",
        "-----BEGIN PRIVATE KEY-----",
        "bearer ",
        'api_key="',
        '"token": "a',
        "\\",
        "p@",
        "token=",
        "token=a1",
        "password: a1(",
        "-u a:b",
        "a-",
        "cookie: ",
    ],
)
def test_hostile_text_takes_linear_time(unit):
    def seconds(length: int) -> float:
        text = unit * (length // len(unit))
        redactor = Redactor([("secret", "p@ssw0rd1")])
        started = time.process_time()
        redactor.text(text, is_arguments=True)
        return time.process_time() - started

    small, large = min(seconds(20_000) for _ in range(2)), seconds(160_000)
    assert large < 40 * small + 0.2


TRANSCRIPT = """\
Thought: hunter2 opens it
Action: call
Action Input: {"api_key": "tvly-FAKE-0001", "password": "hunter2", "query": "kelp"}
Observation: ok hunter2, hush-hush-1
Thought: done
Final Answer: it is aHVzaC1odXNoLTE=
"""


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "run.txt"
    path.write_text(TRANSCRIPT)
    return str(path)


COMMANDS = [["replay", "--format", layout] for layout in ("text", "json", "jsonl", "md")]
COMMANDS += [["convert", "--to", name] for name in ("reactcli", "react", "openai", "anthropic", "atif", "md")]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0] + command[-1])
@pytest.mark.parametrize("source", ["option", "environment"])
def test_no_output_of_a_command_holds_a_secret(command, source, trace, capfd, monkeypatch):
    argv = [*command, "--redact", trace]
    if source == "option":
        argv += ["--secret", "hush-hush-1"]
    else:
        monkeypatch.setenv("SERVICE_TOKEN", "hush-hush-1")
    assert main(argv) == 0
    told = capfd.readouterr()
    for secret in ("hunter2", "tvly-FAKE-0001", "hush-hush-1", "aHVzaC1odXNo"):
        assert secret not in told.out + told.err
    assert "kelp" in told.out
    assert "3 secrets in " in told.err


def test_without_redact_nothing_changes(trace, capfd):
    assert main(["convert", "--to", "react", trace]) == 0
    assert capfd.readouterr().out == TRANSCRIPT


@pytest.mark.parametrize("layout", ["json", "csv", "table"])
def test_stats_redacts_every_format(layout, tmp_path, capfd):
    path = tmp_path / "hush-hush-1.txt"
    path.write_text(TRANSCRIPT.replace("Action: call", "Action: call_hush-hush-1"))
    (tmp_path / "hush-hush-1.log").write_text("shopping: kelp")
    assert main(["stats", "--format", layout, "--secret", "hush-hush-1", str(tmp_path)]) == 1
    told = capfd.readouterr()
    assert "hush-hush-1" not in told.out + told.err
    assert "call_[REDACTED:secret]" in told.out or layout == "csv"
    assert "/[REDACTED:secret].txt" in told.out or layout == "table"
    assert "1 secret in " in told.err


@pytest.mark.parametrize(
    "argv",
    [["replay", "--redact", "--check", "x"], ["replay", "--secret", "abc", "x"]],
    ids=["check", "short"],
)
def test_what_redact_does_not_go_with_is_wrong_usage(argv):
    assert main(argv) == 2
