"""Every diagnostic code has a case that triggers it, and every finding points at the text that it speaks of."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from lintcases import LONGEST, LintCase, lint_cases

from reactcli.cli.shell import main
from reactcli.diagnostics import CODES
from reactcli.explanations import Entry, entries

ROOT = Path(__file__).parents[1]
CASES = lint_cases()
PARSED = [case for case in CASES if case.is_plain_parse and len(case.text) < 2000]
IN_CHATS = {"empty-input", "nothing-recognised", "hallucinated-observation"}
"""In a chat prose is an answer, an empty reply nothing, and a transcript in one message is read as one."""

FIRST = "Thought: a\nAction: b"


def used_codes() -> set[str]:
    """The codes that some module but the table itself names."""
    sources = "\n".join(
        path.read_text("utf-8") for path in (ROOT / "reactcli").rglob("*.py") if path.name != "diagnostics.py"
    )
    return {code for code in CODES if f'"{code}"' in sources}


def judged(command: list[str], path: Path, capfd: pytest.CaptureFixture[str]) -> list[dict]:
    """The findings of a command, as objects with `code` and, for one text, `line`, `column` and `span`."""
    argv = [str(path) if word == "FILE" else word for word in command]
    if argv[0] == "lint":
        main([*argv, "--format", "json"])
        return json.loads(capfd.readouterr().out)["findings"]
    if "--input" in argv or command[-1] != "FILE":
        main([*argv, "-q"])
        records = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
        return [found for record in records for found in record["diagnostics"]]
    main([*argv, "--full", "-q"])
    return json.loads(capfd.readouterr().out)["diagnostics"]


def described(found: dict, text: str) -> list:
    start, end = found["span"]
    return [found["line"], found["column"], text[start:end][:LONGEST]]


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_a_case_has_the_findings_of_its_code_in_their_places(case, tmp_path, capfd, monkeypatch, update_cases) -> None:
    monkeypatch.chdir(ROOT)
    path = tmp_path / "case"
    path.write_bytes(case.content)
    text = case.content.decode("utf-8", "replace")
    judgement = judged(case.command, path, capfd)
    found = [described(one, text) for one in judgement if one["code"] == case.code]
    assert found
    if update_cases:
        case.write(found)
    else:
        assert found == case.expect["findings"]


def test_every_code_that_is_used_has_a_case_and_every_code_an_entry() -> None:
    assert {case.code for case in CASES} == used_codes()
    assert [entry.code for entry in entries()] == list(CODES)


@pytest.mark.parametrize("entry", [entry for entry in entries() if entry.example], ids=lambda entry: entry.code)
def test_the_example_of_an_entry_triggers_its_code(entry: Entry, tmp_path, capfd, monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    path = tmp_path / "example"
    path.write_bytes(entry.content())
    found = judged(entry.command.split()[1:], path, capfd)
    assert entry.code in [one["code"] for one in found]


@pytest.mark.parametrize("entry", list(entries()), ids=lambda entry: entry.code)
def test_an_entry_is_made_of_sentences(entry: Entry) -> None:
    for text in (entry.meaning, entry.why, entry.way_out):
        assert re.fullmatch(r"[A-Z`].*[.?]", text), text


@pytest.mark.parametrize("layout", ["record", "chat"])
@pytest.mark.parametrize("case", PARSED, ids=repr)
def test_inside_of_json_a_finding_points_at_the_same_text(case: LintCase, layout: str, tmp_path, capfd) -> None:
    """A reply recorded in JSON, with its escapes, is judged as the reply alone, and in the right place."""
    path = tmp_path / "case.json"
    reply = case.text
    if layout == "record":
        content = "".join(f"{json.dumps({'llm_output': text})}\n" for text in (FIRST, reply))
    else:
        said = [("user", "Thought: is that a label?"), ("assistant", FIRST), ("user", "Observation: c")]
        messages = [{"role": role, "content": text} for role, text in [*said, ("assistant", reply)]]
        content = json.dumps({"messages": messages}, indent=1)
    path.write_text(reply)
    wanted = sorted(
        [one["code"], reply[slice(*one["span"])]]
        for one in judged(["parse", "FILE"], path, capfd)
        if layout == "record" or one["code"] not in IN_CHATS
    )
    path.write_text(content)
    found = [
        [one["code"], json.loads(f'"{content[slice(*one["span"])]}"')]
        for one in judged(["lint", "FILE"], path, capfd)
        if one["step"] == 2 and one["code"] in {code for code, _ in wanted}
    ]
    assert sorted(found) == wanted
