"""Our own format, `reactcli/trace@1`: JSON Lines, append-only, each line sealed by a hash.

    {"schema": "reactcli/trace@1", "question": …, "model": …, "tools": […], "started": …, "seq": 0, "hash": "…"}
    {"step": 1, "thought": …, …, "observation": …, "llm_output": …, "seq": 1, "hash": "…"}
    {"end": {"status": "finished", "answer": …, "iterations": 1}, "seq": 2, "hash": "…"}

A line ends with its `hash`: the SHA-256, in hex, of the hash of the line before it (64 zeros for the first) and the
bytes of this line with `, "hash": "…"` taken out. A step line has the keys of `parse --steps`, and the other fields
of `Step` where they say something. Keys that are not known are kept in `meta`. Damage is reported, never repaired.
"""

from __future__ import annotations

import re
from hashlib import sha256

from reactcli.diagnostics import diagnose
from reactcli.formats.events import Closing, Opening, Recorded, episodes_of, metas_of
from reactcli.formats.fields import dict_at, kind_of, text_at, text_or_json, without
from reactcli.formats.named import fields_of, meta_of, step_of
from reactcli.formats.strict import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from reactcli.diagnostics import Diagnostic
    from reactcli.formats.events import Event
    from reactcli.formats.loading import Content, Row
    from reactcli.trace import Trace

SCHEMA = "reactcli/trace@1"
NO_HASH = "0" * 64
_SEAL = re.compile(rb', "hash": "([0-9a-f]{64})"\}\Z')
_CHAIN = frozenset({"seq", "hash"})
_HEADER = frozenset({"schema", "question", "meta", "end", *_CHAIN})
_END = frozenset({"status", "answer", "iterations"})


class Chain:
    """Seals one record after another. `last` is the hash of the record before, `count` how many there were."""

    def __init__(self, last: str = NO_HASH, count: int = 0) -> None:
        self.last = last
        self.count = count

    def seal(self, record: dict[str, Any]) -> bytes:
        """The line of a record, with its sequence number, its hash and a line end."""
        text = encode({**record, "seq": self.count}).encode()
        self.last = sha256(self.last.encode() + text).hexdigest()
        self.count += 1
        return text[:-1] + f', "hash": "{self.last}"}}\n'.encode()

    def check(self, row: Row) -> Iterator[Diagnostic]:
        """What is wrong with the place and the hash of the next record. Goes on from what the record says."""
        where = f"line {row.line}"
        seq = row.value.get("seq") if isinstance(row.value, dict) else None
        if seq != self.count or isinstance(seq, bool):
            yield _at(where, diagnose("sequence-gap", (0, 0), expected=self.count, found=seq))
        self.count = seq + 1 if isinstance(seq, int) else self.count + 1
        if not fits(row.raw, self.last):
            yield _at(where, diagnose("hash-mismatch", (0, 0)))
        seal = _SEAL.search(row.raw)
        self.last = seal[1].decode() if seal else NO_HASH


def fits(line: bytes, last: str) -> bool:
    """Whether a line, without its line end, carries the hash that belongs behind the hash `last`."""
    seal = _SEAL.search(line)
    return seal is not None and sha256(last.encode() + line[: seal.start()] + b"}").hexdigest() == seal[1].decode()


def matches(content: Content) -> bool:
    """One of the first records says so, or is sealed: the header itself may be lost."""
    return any(map(_is_sealed, content.head[:3]))


def read(content: Content) -> Iterator[Event]:
    chain = Chain()
    episode = number = 0
    is_open = False
    question: str | None = None
    for row in content.rows():
        where = f"line {row.line}"
        if not isinstance(row.value, dict):
            content.notice("not-a-record", where=where, what="an object", kind=kind_of(row.value))
            continue
        if "schema" in row.value:
            if is_open:
                content.notice("no-end-record", where=where)
            if row.value.get("seq") == 0:
                chain = Chain()
            episode, number, is_open = episode + 1, 0, True
            question = text_at(row.value, "question")
            yield _opening(row.value, content, episode)
        elif "end" in row.value:
            is_open = False
            yield _closing(row.value)
        else:
            number += 1
            if not is_open and episode:
                content.notice("record-behind-end", where=where)
            yield _recorded(row, content, max(episode, 1), number, question if number == 1 else None)
        yield from chain.check(row)
    if is_open:
        content.notice("no-end-record")


def write(trace: Trace) -> Iterator[str]:
    """The lines of a finished recording; several episodes are several recordings, one after the other."""
    for episode in episodes_of(trace):
        chain = Chain()
        meta = without(dict(episode.meta), frozenset({"steps"}))
        hidden = {key: value for key, value in meta.items() if key in _HEADER}
        about = without(meta, _HEADER) | ({"meta": hidden} if hidden else {})
        yield chain.seal({"schema": SCHEMA, "question": episode.question, **about}).decode()
        for number, (step, step_meta) in enumerate(zip(episode.steps, metas_of(episode), strict=True), start=1):
            question = episode.question if number == 1 else None
            yield chain.seal(fields_of(step, step_meta, number, question)).decode()
        end = {"status": episode.status, "answer": episode.final_answer, "iterations": len(episode.steps)}
        yield chain.seal({"end": end}).decode()


def _is_sealed(record: object) -> bool:
    if not isinstance(record, dict) or "steps" in record:
        return False
    digest = record.get("hash")
    sealed = "seq" in record and isinstance(digest, str) and len(digest) == len(NO_HASH)
    return sealed or str(record.get("schema")).startswith("reactcli/trace@")


def _opening(header: dict[str, Any], content: Content, episode: int) -> Opening:
    if header["schema"] != SCHEMA:
        content.notice("unknown-version", version=text_or_json(header["schema"]))
    return Opening(episode, text_at(header, "question"), without(header, _HEADER) | dict_at(header, "meta"))


def _closing(record: dict[str, Any]) -> Closing:
    end = dict_at(record, "end")
    return Closing(text_at(end, "status"), text_at(end, "answer"), without(end, _END))


def _recorded(row: Row, content: Content, episode: int, number: int, question: str | None) -> Recorded:
    record = without(row.value, _CHAIN)

    def note(code: str, **facts: object) -> None:
        content.notice(code, where=f"line {row.line}", **facts)

    step = step_of(record, note, episode=episode)
    if question is not None and "question" not in record:
        step = step.replace(question=question)
    return Recorded(step, meta_of(record, number), row.line)


def _at(where: str, found: Diagnostic) -> Diagnostic:
    return found.replace(message=f"{where}: {found.message}")
