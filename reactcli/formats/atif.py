"""ATIF, the Agent Trajectory Interchange Format: one object whose `schema_version` begins with `ATIF-`.

Read after Harbor's RFC 0001 up to version 1.8, leniently, as files of other writers need it; written as version 1.7
by its validator's rules (November 2026). Unknown keys are forbidden there, so what it lacks stands under `extra`: of a
call the `raw_arguments` that were no object, of a result `is_error`, of the trace its status and meta. A continuation
is read from the same folder, by bare name only, and the context that it repeats is skipped.
"""

from __future__ import annotations

from datetime import datetime

from reactcli import __version__
from reactcli.errors import FormatError
from reactcli.formats.events import Closing, Recorded, episodes_of, metas_of
from reactcli.formats.fields import content_text, dict_at, dicts_in, input_of, is_object_text, kind_of, text_at, without
from reactcli.formats.loading import Content
from reactcli.formats.openai_chat import actions_of, object_of
from reactcli.formats.strict import encode
from reactcli.formats.turns import Call, Turn, steps_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from reactcli.formats.events import Event
    from reactcli.trace import Action, Step, Trace

VERSION = "ATIF-v1.7"
CONTINUATION_LIMIT = 100
_TOP = frozenset({"steps", "continued_trajectory_ref"})
_STEP = frozenset({"step_id", "source", "message", "reasoning_content", "tool_calls", "observation"}) | {
    "is_copied_context"
}
_ROLES = {"user": "user", "agent": "assistant", "system": "system"}
_TOP_TEXTS = ("session_id", "trajectory_id", "notes")
_METRICS = {"prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd", "logprobs", "extra"} | {
    "prompt_token_ids",
    "completion_token_ids",
}
_SAID = frozenset({"user", "system", "call_id", "is_error"})
"""Step meta that has a place of its own in the written file."""


def matches(content: Content) -> bool:
    return content.kind == "json" and _is_atif(content.document)


def read(content: Content) -> Iterator[Event]:
    document = content.document
    extra = dict_at(document, "extra")
    mine = dict_at(extra, "reactcli")
    made_up = frozenset({"schema_version", "agent"}) if mine.get("agent") is False else frozenset()
    meta = (
        without(document, _TOP | {"extra"} | made_up) | without(extra, frozenset({"reactcli"})) | dict_at(mine, "meta")
    )
    turns = (turn for step in _steps_in(document, content) for turn in _turns(step, content))
    for event in steps_of(turns, content.notice, meta=meta):
        yield _unfinished(event, mine)
    yield Closing(text_at(mine, "status"), text_at(mine, "final_answer"))


def write(trace: Trace) -> Iterator[str]:
    """One document. FormatError for several episodes, or no step at all: the format holds exactly one run."""
    episodes = episodes_of(trace)
    if len(episodes) > 1:
        raise FormatError(f"ATIF holds one episode, and these are {len(episodes)}", hint="pick one with --episode N")
    steps = [{"step_id": number} | step for number, step in enumerate(_steps(episodes[0]), start=1)]
    if not steps:
        raise FormatError("ATIF needs at least one step, and the trace has none")
    agent = trace.meta.get("agent")
    document: dict[str, Any] = {"schema_version": VERSION}
    document |= {key: trace.meta[key] for key in _TOP_TEXTS if isinstance(trace.meta.get(key), str)}
    document["agent"] = agent if _is_agent(agent) else {"name": "reactcli", "version": __version__}
    document |= {"steps": steps, "extra": {"reactcli": _about(trace)}}
    yield f"{encode(document)}\n"


def _is_atif(document: object) -> bool:
    if not isinstance(document, dict) or "schema_version" not in document:
        return False
    sources = [step.get("source") for step in dicts_in(document.get("steps"))]
    is_shaped_so = isinstance(document.get("agent"), dict) and any(str(source) in _ROLES for source in sources)
    return is_shaped_so or str(document["schema_version"]).startswith("ATIF-")  # some writers leave the prefix out


def _is_agent(agent: object) -> bool:
    known = {"name", "version", "model_name", "tool_definitions", "extra"}
    if not isinstance(agent, dict) or not agent.keys() <= known:
        return False
    return all(isinstance(agent.get(key), str) for key in ("name", "version"))


def _unfinished(event: Event, mine: dict[str, Any]) -> Event:
    """A last message that the writer knows to be no answer is a thought again."""
    if mine.get("status") != "unfinished" or not isinstance(event, Recorded) or not event.step.is_final:
        return event
    step = event.step
    return event.replace(step=step.replace(thought=step.final_answer, final_answer=None, is_final=False))


# -- reading


def _steps_in(document: dict[str, Any], content: Content) -> Iterator[object]:
    """The steps of the document and of those that continue it, without the context that these repeat."""
    seen: set[str] = set()
    following: dict[str, Any] | None = document
    while following is not None:
        steps = following.get("steps")
        for step in steps if isinstance(steps, list) else []:
            if following is document or not _is_copied(step):
                yield step
        name = following.get("continued_trajectory_ref")
        following = _continuation(name, content, seen) if isinstance(name, str) else None


def _is_copied(step: object) -> bool:
    return isinstance(step, dict) and step.get("is_copied_context") is True


def _continuation(name: str, content: Content, seen: set[str]) -> dict[str, Any] | None:
    """The document of a bare file name; None and a finding if there is none that may be read."""
    why = ""
    if name in {"", ".", ".."} or "/" in name or "\\" in name or "\0" in name:
        why = "its name is a path"
    elif name in seen or len(seen) == CONTINUATION_LIMIT:
        why = "it was read before"
    seen.add(name)
    stream = content.beside(name) if content.beside is not None and not why else None
    if stream is None:
        way_out = "" if why else "keep the parts in one folder"
        why = why or "there is no such file beside it"
        content.notice("continuation-not-read", name=name, why=why, way_out=way_out)
        return None
    with stream:
        try:
            following = Content(stream)
        except FormatError as error:
            content.notice("continuation-not-read", name=name, why=error.message, way_out="")
            return None
    content.notices += following.taken()
    if following.kind == "json" and _is_atif(following.document):
        return dict(following.document)
    content.notice("continuation-not-read", name=name, why="it is no ATIF", way_out="")
    return None


def _turns(step: object, content: Content) -> Iterator[Turn]:
    role = _ROLES.get(str(step.get("source"))) if isinstance(step, dict) else None
    if not isinstance(step, dict) or role is None:
        kind = kind_of(step) if not isinstance(step, dict) else "of no known source"
        content.notice("not-a-record", what="a step", kind=kind)
        return
    results = dicts_in(dict_at(step, "observation").get("results"))
    meta = without(step, _STEP | {"extra"}) | without(dict_at(step, "extra"), frozenset({"reactcli"}))
    if role != "assistant":
        if step.get("message"):
            yield Turn(role, content_text(step.get("message")), meta=meta)
        return
    calls = [_call(call) for call in dicts_in(step.get("tool_calls"))]
    yield Turn(
        role,
        content_text(step.get("message")),
        thought=text_at(step, "reasoning_content"),
        calls=tuple(calls),
        meta=meta,
    )
    for result in results:
        yield _result(result, calls)


def _call(call: dict[str, Any]) -> Call:
    extra = dict_at(call, "extra")
    recorded = input_of(extra["raw_arguments"]) if "raw_arguments" in extra else input_of(call.get("arguments"))
    return Call(text_at(call, "function_name"), recorded, text_at(call, "tool_call_id"))


def _result(result: dict[str, Any], calls: list[Call]) -> Turn:
    """What a call gave; beside a step without calls it is what the environment said next."""
    extra = dict_at(result, "extra")
    text = content_text(result.get("content"))
    if not calls:
        return Turn("user", text)
    is_error = extra.get("is_error") is True or extra.get("tool_result_is_error") is True
    return Turn("result", text, call_id=text_at(result, "source_call_id"), is_error=is_error)


# -- writing


def _about(trace: Trace) -> dict[str, Any]:
    about: dict[str, Any] = {"version": __version__, "status": trace.status}
    if not _is_agent(trace.meta.get("agent")):
        about["agent"] = False  # the one in the file was made up
    answered = trace.steps[-1].final_answer if trace.steps else None
    if trace.final_answer is not None and trace.final_answer != answered:
        about["final_answer"] = trace.final_answer
    written = {"steps", "system", "schema_version"} | {
        key for key in _TOP_TEXTS if isinstance(trace.meta.get(key), str)
    }
    if "agent" not in about:
        written.add("agent")
    left = without(dict(trace.meta), frozenset(written))
    return about | ({"meta": left} if left else {})


def _steps(trace: Trace) -> Iterator[dict[str, Any]]:
    system = trace.meta.get("system")
    for text in system if isinstance(system, list) else [] if system is None else [system]:
        yield {"source": "system", "message": text if isinstance(text, str) else encode(text)}
    if trace.question is not None:
        yield {"source": "user", "message": trace.question}
    for number, (step, meta) in enumerate(zip(trace.steps, metas_of(trace), strict=True), start=1):
        yield _step(step, meta, number)
        said = [text for text in meta.get("user", []) if isinstance(text, str)]
        if step.observation is not None and (step.is_final or step.action is None):
            said.insert(0, step.observation)
        yield from ({"source": "user", "message": text} for text in said)


def _step(step: Step, meta: Any, number: int) -> dict[str, Any]:
    actions = [] if step.is_final else actions_of(step, meta, number)
    written: dict[str, Any] = {"source": "agent", "message": step.preamble or ""}
    if step.is_final:
        written["message"] = step.final_answer or ""
    if step.thought and (step.is_final or actions or step.preamble):
        written["reasoning_content"] = step.thought
    elif step.thought:
        written["message"] = step.thought
    if actions:
        written["tool_calls"] = [_tool_call(action) for action in actions]
        results = [_written_result(action) for action in actions if action.observation is not None]
        written |= {"observation": {"results": results}} if results else {}
    return written | _step_facts(without(dict(meta), _SAID))


def _step_facts(meta: dict[str, Any]) -> dict[str, Any]:
    """What is known of a step beside its parts, under the format's own keys where it fits them."""
    facts = {key: meta.pop(key) for key, fits in _FACTS.items() if key in meta and fits(meta[key])}
    return facts | ({"extra": meta} if meta else {})


def _is_time(value: object) -> bool:
    try:
        return isinstance(value, str) and bool(datetime.fromisoformat(value))
    except ValueError:
        return False


def _is_metrics(value: object) -> bool:
    return isinstance(value, dict) and value.keys() <= _METRICS


_FACTS: dict[str, Callable[[object], bool]] = {
    "timestamp": _is_time,
    "model_name": lambda value: isinstance(value, str),
    "reasoning_effort": lambda value: isinstance(value, str),
    "metrics": _is_metrics,
    "llm_call_count": lambda value: isinstance(value, int) and value > 0,
}


def _tool_call(action: Action) -> dict[str, Any]:
    call = {
        "tool_call_id": action.call_id,
        "function_name": action.action or "",
        "arguments": object_of(action),
    }
    text = action.action_input
    same = text is not None and is_object_text(text) and encode(object_of(action)) == text
    return call if same else call | {"extra": {"raw_arguments": text}}


def _written_result(action: Action) -> dict[str, Any]:
    result = {"source_call_id": action.call_id, "content": action.observation}
    return result | ({"extra": {"is_error": True}} if action.is_error else {})
