"""Values that stand under a telling name in any text are secrets, and code, prose and numbers are not."""

from __future__ import annotations

import pytest

from reactcli import Step
from reactcli.redact import Redactor
from reactcli.secrets_assigned import assigned_secrets

ASSIGNED = {
    "https://x/?api_key=abc123def456&token=zzz999": ["abc123def456", "zzz999"],
    "see https://x/a?page=2&access_token=abcdefgh for more": ["abcdefgh"],
    'curl -H "X-API-Key: abc123def456" https://x': ["abc123def456"],
    "curl -H 'Authorization: Basic dXNlcjpwYXNzMQ==' https://x": ["dXNlcjpwYXNzMQ=="],
    "Authorization: Basic dXNlcjpwYXNz": ["dXNlcjpwYXNz"],
    "curl -u admin:s3cr3tpw https://x": ["s3cr3tpw"],
    "cd /a && curl -s --user 'admin:swordfish' https://x": ["swordfish"],
    'cd /a; curl -u "bob:a;b 1" https://x': ["a;b 1"],
    "curl https://x -u bob:s3cr3tpw; ls": ["s3cr3tpw"],
    "export DB_PASSWORD=topsecret123": ["topsecret123"],
    "PGPASSWORD=swordfish psql -h db": ["swordfish"],
    "aws_secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY": ["wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"],
    "login ok, password: swordfish99.": ["swordfish99"],
    "user=bob, password=hunter2hunter": ["hunter2hunter"],
    "**API key**: `abc123def`": ["abc123def"],
    "tool --password pw123456 --api-key=abc123def": ["pw123456", "abc123def"],
    'run ["--password", "pw123456"]': ["pw123456"],
    'got {"token": "abc123def", "n": 1}': ["abc123def"],
    'got {\\"token\\": \\"abc123def\\"}': ["abc123def"],
    "Cookie: session=abc123; other=def456\nHost: x": ["session=abc123; other=def456"],
    "password: 12345678": ["12345678"],
}


@pytest.mark.parametrize("text", list(ASSIGNED))
def test_what_a_text_assigns_to_a_telling_name_is_a_secret(text):
    assert [text[start:end] for start, end, _ in assigned_secrets(text)] == ASSIGNED[text]
    cleaned = Redactor().text(text)
    assert not any(value in cleaned for value in ASSIGNED[text])
    assert Redactor().text(cleaned) == cleaned


@pytest.mark.parametrize(
    "text",
    [
        "def login(user: str, password: str, port=5432)",
        "token = get_token()",
        "token = get_token2()",
        "token = tokens[12345]",
        "max_tokens=100000, tokens: 512, token: 1024000",
        "the password is required",
        "password: required. The token: a string of 8 characters",
        "key: value1234567",
        "commit d41d8cd98f00b204e9800998ecf8427e12345678",
        "login(password=settings.password1, api_key=api_key, token=self.token)",
        "password: $PASSWORD1 and token=${TOKEN1}",
        "https://x/?token=TOKEN&api_key=YOUR_API_KEY",
        "cost per token: $0.0000025",
        "pwd=/home/user1/project",
        "secret: base64, token: float32",
        "Authorization: Basic authentication, Authorization: Bearer token",
        'def f(private_key: ed25519.Ed25519PrivateKey): colours = {Token: "#ddd0c0"}',
        "Token::Number123456",
        "if token == abc123def:",
        "docker run -u 1000:1000 image; chown -u bob:staff1 x",
        "usage: tool --password PASSWORD --token TOKEN",
        "cookie: yes; the cookie: a small file",
        "curl -u bob:$PASSWORD https://x; curl -u 'bob:[REDACTED:user-password-2]' https://x",
        "MAX_TOKEN=1000000 PRIVATE_KEY=/etc/ssl/key1 COOKIE=./jar.txt make",
        "keyboard=qwerty123 monkey=abc123456",
        '{"api_key": "[REDACTED:api-key]"}',
    ],
)
def test_code_prose_and_numbers_under_a_telling_name_are_left_alone(text):
    assert Redactor().text(text) == text


def test_a_secret_of_a_command_is_taken_out_of_its_output_too():
    step = Step("t", "sh", "export DB_PASSWORD=topsecret123", observation="connected with topsecret123")
    assert Redactor().step(step).observation == "connected with [REDACTED:db-password]"


def test_values_behind_options_and_names_of_all_kinds_leave_json():
    value = {"args": ["--password", "swordfish", "-v"], "PGPASSWORD": "pw", "api key": "k", "clientSecret": "s"}
    assert Redactor().value(value) == {
        "args": ["--password", "[REDACTED:password]", "-v"],
        "PGPASSWORD": "[REDACTED:pgpassword]",
        "api key": "[REDACTED:api-key]",
        "clientSecret": "[REDACTED:clientsecret]",
    }
