"""Case files of diagnostics: a text, the command that judges it, and where the code is found, with what it speaks of.

A file is named by its code and holds the text, a line `--- expect`, and JSON: `command` (FILE stands for the text),
`findings` as [line, column, text], and where a file cannot hold the text as it is: `text`, `scale` (`prefix`,
`unit` times `count`, `suffix`), or `encoding`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "cases" / "lint"
DIVIDER = "\n--- expect\n"
LONGEST = 80
"""Characters of a finding's text that a case holds."""


class LintCase:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.code = path.stem
        text, _, expected = path.read_bytes().decode().rpartition(DIVIDER)
        self.expect: dict[str, Any] = json.loads(expected)
        scale = self.expect.get("scale")
        self.text = self.expect.get("text", text)
        if scale is not None:
            self.text = scale["prefix"] + scale["unit"] * scale["count"] + scale["suffix"]
        self.content = self.text.encode(self.expect.get("encoding", "utf-8"))
        self.command: list[str] = self.expect["command"]

    def __repr__(self) -> str:
        return self.code

    @property
    def is_plain_parse(self) -> bool:
        return self.command == ["parse", "FILE"]

    def write(self, findings: list[list[Any]]) -> None:
        text = "" if {"scale", "text"} & self.expect.keys() else self.text
        listed = ",\n    ".join(json.dumps(finding, ensure_ascii=False) for finding in findings)
        head = {key: value for key, value in self.expect.items() if key != "findings"}
        body = json.dumps(head, ensure_ascii=False, indent=2).removesuffix("\n}")
        whole = f'{body},\n  "findings": [\n    {listed}\n  ]\n}}\n'
        self.path.write_bytes(f"{text}{DIVIDER}{whole}".encode())


def lint_cases() -> list[LintCase]:
    return [LintCase(path) for path in sorted(FOLDER.glob("*.txt"))]
