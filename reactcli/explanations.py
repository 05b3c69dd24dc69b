"""What each diagnostic code means, why it matters, a text that triggers it and what to do: the entries of `explain`.

The entries are in `explanations.toml`, beside this module; a test holds them and `diagnostics.CODES` together, and
tries every example.
"""

from __future__ import annotations

import re

from reactcli.diagnostics import CODES
from reactcli.registry import Registry
from reactcli.values import Value

_BYTE = re.compile(rb"\\x([0-9a-f]{2})")


class Entry(Value):
    code: str
    severity: str
    meaning: str
    why: str
    way_out: str
    example: str
    """A transcript or trace, or what is repeated where one is too long to be shown."""
    before: str = ""
    times: int = 1
    """How often the example stands in the text that triggers the code."""
    behind: str = ""
    has_bytes: bool = False
    r"""`\xNN` in the example stands for a byte."""
    command: str = "reactcli lint FILE"
    """What has to be done with the text, which is FILE."""

    def content(self) -> bytes:
        """The text that triggers the code."""
        text = f"{self.before}{self.example * self.times}{self.behind}".encode()
        return _BYTE.sub(lambda found: bytes([int(found[1], 16)]), text) if self.has_bytes else text


def entries() -> Registry[Entry]:
    """All entries, in the order of the codes."""
    import tomllib  # 6 ms, for `explain` and SARIF only
    from importlib.resources import files  # 15 ms, likewise

    told = tomllib.loads(files(__package__).joinpath("explanations.toml").read_text("utf-8"))
    known = (code for code in CODES if code in told)
    return Registry("code", [(code, Entry(code, CODES[code][0], **told[code]), ()) for code in known])
