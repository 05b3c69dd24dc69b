"""Secrets that a text gives under a telling name: in a URL, a header, a command, a file of settings, a sentence.

A value without quotes may be code or prose as well (`password: str`, `token = get_token()`), so it has to look like a
secret: a digit in it, and no number, path, type, name or call. Where only a value can stand, behind `?` or `&` in a URL
and in a variable of the shell, any will do. Every repeat is bounded and possessive, and what stands before a name is
looked at only once the rest has matched: linear.
"""

from __future__ import annotations

import re

from reactcli.patterns import pattern
from reactcli.secrets import is_placeholder, is_secret_name, kind_of_name, named_secrets, vendor_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from reactcli.secrets import Found

SHORTEST = 6
"""Characters of a value that has to look like a secret."""
LONGEST_NAME = 80
LINE_LOOKED_AT = 400

_HINTS = ("key", "token", "secret", "passw", "passphrase", "pwd", "credential", "authorization", "cookie", "-u")
_ASSIGNED = pattern(
    r"""(?P<word>key|token|secret|passw(?:or)?d|passphrase|pwd|credentials?|authorization|cookie)
    (?P<quote>\\{0,8}+["'])? [*`]{0,3}+
    (?: [ \t]{0,9}+ (?P<sign>=>|[:=]) [ \t*`]{0,9}+ | (?P<gap>[ ]{1,3}+ | [ ]?,[ ]{0,3}+) )
    (?P<scheme>(?:basic|bearer|digest|token|apikey|negotiate)[ ]{1,3}+)?
    (?P<open>\\{0,8}+["'])?
    (?P<value>[^\s"'<>,;&(){}\[\]|\\`=:][^\s"'<>,;&(){}\[\]|\\`]{2,2000}+={0,2}+) (?![(\[{])""",
    re.VERBOSE | re.IGNORECASE,
)
_USER = pattern(
    r"""(?<!\S)(?:-u|--user|--proxy-user)[ =]{0,2}+
    (?: \\{0,8}+(?P<open>["']) [^\s"':=]{1,80}+ : (?P<quoted>[^"'\n\\]{3,200}+)
      | [^\s"':=]{1,80}+ : (?P<plain>[^\s"'\\;&|<>()]{3,200}+) )""",
    re.VERBOSE,
)
_CALLS = pattern(r"\b(?:curl|wget|https?)\b")
_COOKIES = pattern(r"""[^"'\n\\]{0,4000}+""")
_NUMBER = pattern(r"[$€£~]?[\d.,:/%+-]+[a-z]{0,4}", re.IGNORECASE)
_NO_VALUE = pattern(
    r"[a-z_]{1,60}\d{0,5}(?:\.[a-z_]\w{0,60}){1,8}"  # a name of code
    r"|(?:\.{0,2}|~)/.*|.*://.*|\#[0-9a-f]{3,8}"  # a path, an address, a colour
    r"|(?:u?int|float|bytes|base|sha|md|utf|varchar|char|string|str|word)-?\d+(?:vec)?",
    re.IGNORECASE,
)


def all_secrets(text: str, *, is_data: bool) -> Iterator[Found]:
    """Secrets by how they are spelt, in data by the keys they have there, and by the names before them in any text."""
    yield from vendor_secrets(text)
    if is_data:
        yield from named_secrets(text)
    yield from assigned_secrets(text)


def may_be_assigned(text: str) -> bool:
    """False for a text that names no secret, and quick to say so."""
    lowered = text.lower()
    return any(hint in lowered for hint in _HINTS)


def assigned_secrets(text: str) -> Iterator[Found]:
    """What stands behind telling names, from left to right; then the passwords of users in commands."""
    if not may_be_assigned(text):
        return
    for match in _ASSIGNED.finditer(text):
        name = f"{_name_before(text, match.start())}{match['word']}"
        if is_secret_name(name) and _is_secret(match, name):
            yield *_span(match), kind_of_name(name)
    for match in _USER.finditer(text):
        group = "plain" if match["open"] is None else "quoted"
        line = text[max(match.start() - LINE_LOOKED_AT, 0) : match.start()].rpartition("\n")[2]
        if _CALLS.search(line) and not match[group].isdigit() and not is_placeholder(match[group]):
            yield *match.span(group), "user-password"


def _name_before(text: str, end: int) -> str:
    """The beginning of a name whose last word stands at an offset."""
    start, least = end, max(end - LONGEST_NAME, 0)
    while start > least and (text[start - 1].isalnum() or text[start - 1] in "_.-"):
        start -= 1
    if start == end and text[max(end - 4, 0) : end].lower() == "api ":
        return text[end - 4 : end]
    return text[start:end]


def _is_secret(match: re.Match[str], name: str) -> bool:
    value = match["value"]
    if is_placeholder(value) or is_secret_name(value):
        return False
    if match["gap"] is not None:
        follows = "," in match["gap"] if match["quote"] else match["gap"].isspace()
        return name.startswith("-") and follows and _looks_secret(name, value)
    return _is_bare(match, name) or _looks_secret(name, value) or (match["scheme"] is not None and _is_mixed(value))


def _is_bare(match: re.Match[str], name: str) -> bool:
    """Only a value can stand here: in the query of a URL, or in a variable of the shell."""
    before = match.start("word") - (len(name) - len(match["word"])) - 1
    if match.start("value") != match.end("word") + 1 or match["sign"] != "=":
        return False
    return match.string[max(before, 0)] in "?&" or (name.isupper() and not _is_setting(name, match["value"]))


def _is_setting(name: str, value: str) -> bool:
    """A number or a path: no secret, whatever its name."""
    return value.startswith(("/", "./", "../", "~")) or ("PASS" not in name and _NUMBER.fullmatch(value) is not None)


def _looks_secret(name: str, value: str) -> bool:
    value = value.rstrip(".:")
    if len(value) < SHORTEST or not any(char.isdigit() for char in value) or _NO_VALUE.fullmatch(value):
        return False
    return _NUMBER.fullmatch(value) is None or ("pass" in name.lower() and value.isdigit())


def _is_mixed(value: str) -> bool:
    """Base64 without a digit."""
    return len(value) >= SHORTEST and value.isascii() and value[1:].lower() != value[1:] != value[1:].upper()


def _span(match: re.Match[str]) -> tuple[int, int]:
    start = match.start("value")
    if match["word"].lower() == "cookie":
        cookies = _COOKIES.match(match.string, start)
        return start, cookies.end() if cookies else match.end()
    return start, start + len(match["value"].rstrip(".:"))
