"""What a secret looks like: the spellings of twenty-odd vendors, and the names under which secrets are kept.

A pattern demands what its vendor promises (a prefix, an alphabet, a length), so that hashes, ids, code and base64 are
left alone. Every repeat is over one class of characters and bounded or possessive: linear. Nothing here is complete: a
secret that has neither a known spelling nor a telling name is found only by who knows it (`redact.Redactor`).
"""

from __future__ import annotations

import re

from reactcli.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Found = tuple[int, int, str]
    """Start, end and kind."""

VENDORS: dict[str, str] = {
    # the order counts: the first that fits names the kind
    "private-key": r"-----BEGIN (?:[A-Z]+ ){0,2}PRIVATE KEY-----[^-]{0,20000}+(?:-----END [A-Z ]{0,30}KEY-----)?",
    "anthropic-key": r"sk-ant-[a-z0-9]{2,12}-[\w-]{20,200}+",
    "openrouter-key": r"sk-or-v1-[0-9a-f]{32,80}+",
    "langfuse-key": r"[ps]k-lf-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    "openai-key": r"sk-(?=[A-Za-z_-]{0,60}\d)[\w-]{16,200}+",
    "langsmith-key": r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}",
    "aws-key-id": r"A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}",
    "github-token": r"(?:gh[pousr]_[A-Za-z0-9]{36,255}+|github_pat_\w{40,255}+)",
    "gitlab-token": r"gl(?:pat|ptt|dt|rt)-[\w-]{20,100}+",
    "slack-token": r"xox[abeoprs]-[A-Za-z0-9-]{10,250}+",
    "slack-webhook": r"https://hooks\.slack\.com/services/T\w{6,14}/B\w{6,14}/\w{16,40}+",
    "google-key": r"AIza[\w-]{35}",
    "google-oauth-token": r"ya29\.[\w-]{30,300}+",
    "stripe-key": r"(?:[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9]{16,200}+",
    "huggingface-token": r"hf_[A-Za-z0-9]{30,40}+",
    "npm-token": r"npm_[A-Za-z0-9]{36}",
    "pypi-token": r"pypi-AgE[\w-]{50,500}+",
    "sendgrid-key": r"SG\.[\w-]{22}\.[\w-]{43}",
    "twilio-key": r"SK[0-9a-f]{32}",
    "telegram-token": r"\d{8,10}:AA[\w-]{33}",
    "discord-token": r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,45}+",
    "digitalocean-token": r"do[opr]_v1_[0-9a-f]{64}",
    "shopify-token": r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
    "groq-key": r"gsk_[A-Za-z0-9]{40,80}+",
    "tavily-key": r"tvly-(?=[A-Za-z-]{0,60}\d)[A-Za-z0-9-]{16,80}+",
    "databricks-token": r"dapi[0-9a-f]{32}",
    "azure-storage-key": r"(?<=AccountKey=)[A-Za-z0-9+/]{80,100}+={0,2}",
    "jwt": r"eyJ[\w-]{10,4000}\.eyJ[\w-]{10,8000}\.[\w-]{20,2000}+",
    "bearer-token": r"(?i:(?<=bearer )|(?<=bearer:))(?=[\w.~+/-]{0,60}\d)[\w.~+/-]{20,2000}+={0,2}",
    "url-password": r"(?<=://)[^\s:/@\[\](){}<>$'\"]{1,80}:[^\s:/@\[\](){}<>$'\"]{3,120}(?=@[\w.-])",
}
"""Kind to spelling."""

_HINTS = (
    "-----BEGIN", "sk-", "pk-lf-", "lsv2_", "AKIA", "ASIA", "ABIA", "ACCA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_",
    "github_pat_", "glpat-", "glptt-", "gldt-", "glrt-", "xox", "hooks.slack", "AIza", "ya29.", "sk_", "rk_", "whsec_",
    "hf_", "npm_", "pypi-", "SG.", "SK", ":AA", "_v1_", "shpat_", "shpca_", "shppa_", "shpss_", "gsk_", "tvly-", "dapi",
    "AccountKey=", "eyJ", "earer", "EARER", "://",
)  # fmt: skip
_DOTTED_HINT = pattern(r"\.[\w-]{6}\.[\w-]{27}")
"""One of these is in every text with a secret: looked for first, at thirty times the speed."""

_VENDOR = pattern(
    r"(?:(?<=\\[nrt])|(?<![A-Za-z0-9])(?<!(?<=[A-Za-z0-9])[_-]))(?:"
    + "|".join(f"(?P<{kind.replace('-', '_')}>{spelling})" for kind, spelling in VENDORS.items())
    + r")(?![A-Za-z0-9])"
)

_KEY_NAME = (
    r"(?:[a-z0-9]{0,40}[_.-]){0,4}(?:api_?-?key|api[ ]key|secret|[a-z0-9]{0,20}passw(?:or)?d|passphrase|pwd"
    r"|credentials?|authorization"
    r"|(?:access|auth|refresh|bearer|session|id|api|bot|secret)[_-]?token|token|private[_-]?key|access[_-]?key"
    r"|secret[_-]?key|[a-z0-9]{1,20}(?-i:Secret|ApiKey|AccessKey)|client[_-]?secret|cookie)"
)
_KEY = pattern(_KEY_NAME, re.IGNORECASE)
_IN_TEXT = pattern(
    rf"""(?<![\w.-]) (?: (?P<back>\\{{0,8}}) (?P<quote>["']) )? (?P<name>{_KEY_NAME}) (?(quote)(?P=back)(?P=quote))
    \s{{0,9}}+ [:=] \s{{0,9}}+
    (?: " (?P<double>(?:[^"\\]|\\.){{1,4000}}+) "
      | ' (?P<single>(?:[^'\\]|\\.){{1,4000}}+) '
      | (?P<open>\\{{1,8}}["']) (?P<nested>(?:(?!(?<!\\)(?P=open)).){{1,4000}}+) (?P=open) )""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
"""`"api_key": "…"`, `api_key="…"` and their like, in JSON inside of JSON too, whose quotes have backslashes."""

_PLACEHOLDER = pattern(
    r"\s*|[*•.xX?_-]+|<[^<>]*>|\[[^\]]*\]|\$?\{+[^{}]*\}+|%\(?\w+\)?s?|\$\w+|none|null|true|false|your[_ -].*|redacted"
    r"|\(?hidden\)?|os\.environ.*|process\.env.*",
    re.IGNORECASE,
)


def may_hold_secrets(text: str) -> bool:
    """False for most texts that hold none in a known spelling, and quick to say so."""
    for hint in _HINTS:  # half the time of `any`
        if hint in text:
            return True
    return _DOTTED_HINT.search(text) is not None


def vendor_secrets(text: str) -> Iterator[Found]:
    """The secrets that a text holds in a known spelling, from left to right."""
    if not may_hold_secrets(text):
        return
    for match in _VENDOR.finditer(text):
        yield match.start(), match.end(), str(match.lastgroup).replace("_", "-")


def named_secrets(text: str) -> Iterator[Found]:
    """Quoted values that stand behind a telling name in the text of arguments; the kind is the name."""
    for match in _IN_TEXT.finditer(text):
        group = next(name for name in ("double", "single", "nested") if match[name] is not None)
        if not is_placeholder(match[group]):
            yield *match.span(group), kind_of_name(match["name"])


def is_secret_name(name: str) -> bool:
    """A key under which secrets are kept: `api_key`, `X-Auth-Token`, `db.password`; not `tokens` or `key`."""
    return _KEY.fullmatch(name) is not None


def is_placeholder(value: str) -> bool:
    """It stands for a secret and is none: `***`, `<your key>`, `$TOKEN`, nothing at all."""
    return _PLACEHOLDER.fullmatch(value) is not None


def is_option(items: list[Any], at: int) -> bool:
    """The text behind an option of a command that is given a secret: `["--password", "…"]`."""
    name, value = items[at - 1 : at + 1] if at else (None, None)
    if not (isinstance(name, str) and isinstance(value, str) and name.startswith("-")):
        return False
    return is_secret_name(name) and not value.startswith("-") and not is_placeholder(value)


def secret_values(value: Any) -> Iterator[tuple[str, str]]:
    """Kind and text of each value under a telling name in parsed arguments, at any depth."""
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, list):
            todo += item
            yield from ((kind_of_name(item[at - 1]), item[at]) for at in range(1, len(item)) if is_option(item, at))
        elif isinstance(item, dict):
            for name, child in item.items():
                if isinstance(child, dict | list):
                    todo.append(child)
                elif isinstance(child, str) and is_secret_name(str(name)) and not is_placeholder(child):
                    yield kind_of_name(str(name)), child


def kind_of_name(name: str) -> str:
    """A name as it may stand in a mark."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "secret"
