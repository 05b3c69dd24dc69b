"""What there is to parse: one text, several files, or the lines of JSON Lines files, as one stream of records.

A record that cannot be read has no text but diagnostics; it never ends the stream. The first of FIELDS that is there
and not null holds a line's text, or the field that `--field` names; a line that is a JSON string is the text itself.
"""

from __future__ import annotations

import json

from reactcli.cli.input import (
    InputError,
    Line,
    decode,
    display_name,
    lines_of,
    read_blocks,
    read_text,
    too_large,
    utf8_blocks,
)
from reactcli.diagnostics import Diagnostic, diagnose
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from reactcli.errors import ReactcliError

    Take = Callable[[int, bytes], bool]
    """Given number and content of a line: whether it is done with."""

FIELDS = ("llm_output", "output", "text", "content")


class Record(Value):
    """One text to parse."""

    labels: dict[str, Any]
    """What its output begins with: `file`, or `line` and `id`; nothing for a single text."""
    name: str
    """As diagnostics call it."""
    text: str | None
    """None if it could not be read."""
    diagnostics: tuple[Diagnostic, ...] = ()
    error: ReactcliError | None = None
    """Why the file could not be read."""


class Form(Value):
    """How to read JSON Lines."""

    field: str | None
    """The field with the text; None for the first of `FIELDS` that is there."""
    limit: int
    """Bytes of the longest line."""
    taker: Callable[[dict[str, Any]], Take]
    """Makes what takes plain lines, for what the records of a file begin with."""
    taker_from: int
    """The line behind which it is worth its cost."""


def file_records(paths: tuple[str, ...], limit: int) -> Iterator[Record]:
    """A record for each file. InputError if there is only one, and it cannot be read."""
    if len(paths) == 1:
        read = read_text(paths[0], limit)
        yield Record({}, read.name, read.text, read.diagnostics)
        return
    for path in paths:
        name = display_name(path)
        try:
            read = read_text(path, limit)
        except InputError as error:
            yield _unreadable({"file": name}, name, error)
        else:
            yield Record({"file": name}, name, read.text, read.diagnostics)


def line_records(paths: tuple[str, ...], form: Form) -> Iterator[Record | None]:
    """A record for each line of each file that is not blank nor taken, and None before each wait for more input."""
    for path in paths:
        name = display_name(path)
        labels = {"file": name} if len(paths) > 1 else {}
        try:
            yield from records_of(lines_of(utf8_blocks(read_blocks(path)), form.limit), name, labels, form)
        except InputError as error:
            if len(paths) == 1:
                raise
            yield _unreadable({**labels, "line": None, "id": None}, name, error)


def records_of(lines: Iterable[Line | None], name: str, labels: dict[str, Any], form: Form) -> Iterator[Record | None]:
    """The same for the lines of one file."""
    take: Take | None = None
    for line in lines:
        if line is None:
            yield None
            continue
        number, content, is_cut = line
        if number > form.taker_from and not is_cut:
            take = take or form.taker(labels)
            if take(number, content):
                continue
        if content.strip():
            yield _line_record(line, name, labels, form)


def _line_record(line: Line, name: str, labels: dict[str, Any], form: Form) -> Record:
    number, content, is_cut = line
    labels = {**labels, "line": number, "id": None}
    name = f"{name}:{number}"
    if is_cut:
        error = too_large(name, form.limit)
        return Record(labels, name, None, (Diagnostic("input-too-large", "error", error.message, (0, 0), error.hint),))
    read = decode(content, name)
    # where in the line it was is of no use to who sees the field
    noticed = tuple(diagnostic.replace(span=(0, 0)) for diagnostic in read.diagnostics)
    try:
        value = json.loads(read.text)
    except (ValueError, RecursionError) as error:
        why = "it is nested too deep" if isinstance(error, RecursionError) else f"it is not JSON: {error}"
        return Record(labels, name, None, (*noticed, diagnose("line-without-text", (0, 0), why=why)))
    if isinstance(value, dict):
        labels["id"] = value.get("id")
    text, why = _text(value, form.field)
    wrong = () if text is not None else (diagnose("line-without-text", (0, 0), why=why),)
    return Record(labels, name, text, (*noticed, *wrong))


def _text(value: object, field: str | None) -> tuple[str | None, str]:
    """The text in a line's JSON, or None and what is wrong with it."""
    if isinstance(value, str):
        return value, ""
    if not isinstance(value, dict):
        return None, "it is neither an object nor a string"
    found = field if field is not None else next((known for known in FIELDS if value.get(known) is not None), None)
    if found is None:
        return None, "it has none of the fields that are known"
    if found not in value:
        return None, f"it has no field '{found}'"
    text = value[found]
    return (text, "") if isinstance(text, str) else (None, f"its field '{found}' is no string")


def _unreadable(labels: dict[str, Any], name: str, error: InputError) -> Record:
    diagnostic = Diagnostic("unreadable-file", "error", error.message, (0, 0), error.hint)
    return Record(labels, name, None, (diagnostic,), error)
