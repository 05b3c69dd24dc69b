"""Case files: a text, and what is read from it.

A file is the text, a line `--- expect`, and a JSON object: the five keys, any other field of the step and the codes of
its diagnostics (`codes`), then `parser` for options the case needs. Texts that a file cannot hold as they are
(carriage returns, lone surrogates) stand in the JSON as `text`. The file's name is the claim.
"""

from __future__ import annotations

import json
from pathlib import Path

FOLDER = Path(__file__).parent / "cases"
DIVIDER = "\n--- expect\n"


class Case:
    def __init__(self, path: Path) -> None:
        self.path = path
        text, _, expected = path.read_bytes().decode().rpartition(DIVIDER)
        self.expect = json.loads(expected)
        self.options = self.expect.pop("parser", {})
        self.text = self.expect.pop("text", text)

    def __repr__(self) -> str:
        return self.path.stem

    def write(self, expect: dict) -> None:
        whole = {**({"parser": self.options} if self.options else {}), **expect}
        text = self.text
        if "\r" in text or not _is_writable(text):
            whole, text = {"text": text, **whole}, ""
        ascii_only = not _is_writable(self.text)
        body = json.dumps(whole, ensure_ascii=ascii_only, indent=2)
        self.path.write_bytes(f"{text}{DIVIDER}{body}\n".encode())


def _is_writable(text: str) -> bool:
    return not any(0xD800 <= ord(char) <= 0xDFFF for char in text)


def load(folder: str) -> list[Case]:
    """The cases of a folder; a runner that finds none fails."""
    found = [Case(path) for path in sorted((FOLDER / folder).rglob("*.txt"))]
    if not found:
        raise AssertionError(f"no cases in {folder}")
    return found
