"""Trace formats: what a file holds, found by its content, read piece by piece, and written.

    recording = open_recording(stream)      bytes in; FormatError if no format fits, or it is known and not read yet
    recording.format.name                   `openai-chat-tools`, `swe-agent`, …
    for event in recording.events(): …      Opening, Recorded, Closing and Diagnostic, as far as they are known
    trace = trace_of(recording.events())    or all at once

One module per format has `matches(content) -> bool`, `read(content) -> Iterator[Event]`, and `write(trace) ->
Iterator[str]` where that makes sense; its row in `FORMATS` is all that makes it known. The first row that matches wins:
formats that say their name stand before those that are known by their shape, and those before the generic ones. Formats
of JSON Lines are read with flat memory; documents and texts are held whole, up to a limit. No file is opened here, and
nothing found in one is run, imported or looked up; a continuation beside a trace comes through the caller's `beside`.
"""

from __future__ import annotations

from reactcli.errors import FormatError
from reactcli.formats import (
    alpaca,
    anthropic_messages,
    atif,
    langchain_messages,
    langchain_steps,
    langchain_verbose,
    mapped,
    markdown,
    mini_swe_agent,
    openai_chat,
    plain,
    react_text,
    recording,
    sharegpt,
    swe_agent,
)
from reactcli.formats.events import Closing, Event, Opening, Recorded, episodes_of, events_of, metas_of, trace_of
from reactcli.formats.fields import kind_of
from reactcli.formats.loading import WHOLE_LIMIT, Content
from reactcli.formats.mapped import parse_map
from reactcli.formats.unread import DOCUMENTS, LISTS, TEXTS, WAYS_OUT
from reactcli.registry import Registry
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import BinaryIO

    from reactcli.trace import Trace

__all__ = [
    "FORMATS",
    "WRITERS",
    "Closing",
    "Content",
    "Event",
    "Format",
    "Opening",
    "Recorded",
    "Recording",
    "detect",
    "episodes_of",
    "events_of",
    "metas_of",
    "open_recording",
    "parse_map",
    "trace_of",
]


class Format(Value):
    name: str
    title: str
    """What such a file is called, with its article."""
    matches: Callable[[Content], bool]
    read: Callable[[Content], Iterator[Event]] | None = None
    """None: known by name only."""


def _unread(rows: tuple[tuple[str, str, Callable[[Content], bool]], ...]) -> tuple[Format, ...]:
    return tuple(Format(*row) for row in rows)


AT_ONCE = (
    Format("reactcli", "a reactcli recording", recording.matches, recording.read),
    Format("steps", "a list of steps", plain.matches, plain.read),
)
"""Those that the first record of JSON Lines tells, so that a stream is shown while it is written."""

FORMATS = (
    AT_ONCE[0],
    Format("atif", "an ATIF trajectory", atif.matches, atif.read),
    Format("mini-swe-agent", "a mini-swe-agent trajectory", mini_swe_agent.matches, mini_swe_agent.read),
    Format("swe-agent", "a SWE-agent trajectory", swe_agent.matches, swe_agent.read),
    Format("langchain-steps", "LangChain steps", langchain_steps.matches, langchain_steps.read),
    *_unread(DOCUMENTS),
    Format("langchain-messages", "LangChain messages", langchain_messages.matches, langchain_messages.read),
    *_unread(LISTS),
    Format(
        "langgraph-updates", "LangGraph updates", langchain_messages.matches_updates, langchain_messages.read_updates
    ),
    Format("anthropic-messages", "Anthropic messages", anthropic_messages.matches, anthropic_messages.read),
    Format("openai-chat-tools", "a chat with tool calls", openai_chat.matches_tools, openai_chat.read),
    Format("openai-chat-react", "a chat that spells ReAct", openai_chat.matches_react, openai_chat.read),
    Format("openai-chat", "a chat", openai_chat.matches_chat, openai_chat.read),
    Format("sharegpt", "ShareGPT conversations", sharegpt.matches, sharegpt.read),
    Format("alpaca", "Alpaca records", alpaca.matches, alpaca.read),
    AT_ONCE[1],
    *_unread(TEXTS),
    Format("langchain-verbose", "a LangChain console log", langchain_verbose.matches, langchain_verbose.read),
    Format("react-text", "ReAct text", react_text.matches, react_text.read),
)

WRITERS: Registry[Callable[[Trace], Iterator[str]]] = Registry(
    "format that is written",
    [
        ("reactcli", recording.write, ("reactcli/trace@1", "jsonl")),
        ("react", react_text.write, ("react-text", "text")),
        ("openai", openai_chat.write, ("openai-chat",)),
        ("anthropic", anthropic_messages.write, ("anthropic-messages",)),
        ("atif", atif.write, ()),
        ("md", markdown.write, ("markdown",)),
    ],
)


class Recording:
    """A file whose format is known. Its events can be read once."""

    def __init__(self, content: Content, found: Format, paths: Mapping[str, tuple[str, ...]] | None = None) -> None:
        self.content = content
        self.format = found
        self._paths = paths

    @property
    def may_hold_episodes(self) -> bool:
        """The file may hold several episodes without saying so in its first record."""
        return self.format.name not in {found.name for found in AT_ONCE}

    @property
    def is_sealed(self) -> bool:
        """Every record carries a hash, so that any change is seen."""
        return self.format.name == AT_ONCE[0].name

    def events(self) -> Iterator[Event]:
        """The pieces of the trace; what was noticed while one was read stands before it.

        Each episode has an `Opening` and a `Closing`, whose status is never None here.
        """
        closing: Closing | None = None
        answer: str | None = None
        episode = 0
        for event in self._read():
            yield from self.content.taken()
            if isinstance(event, Closing):
                closing = None
                yield _told(event, answer)
                continue
            if isinstance(event, Recorded):
                answer = event.step.final_answer
                if event.step.episode != episode and episode:
                    event = event.replace(step=event.step.replace(episode=episode))  # noqa: PLW2901  # as below
            elif isinstance(event, Opening):
                if closing is not None:
                    yield _told(closing, answer)
                closing, answer, episode = Closing(), None, episode + 1
                event = event.replace(episode=episode)  # noqa: PLW2901  # a reader may count anew in each record
            yield event
        yield from self.content.taken()
        if closing is not None:
            yield _told(closing, answer)

    def _read(self) -> Iterator[Event]:
        if self._paths:
            return mapped.read(self.content, self._paths)
        if self.format.read is None:  # `open_recording` has refused it
            raise FormatError(f"this is {self.format.title}, which is not read yet")
        return self.format.read(self.content)


def open_recording(
    stream: BinaryIO,
    *,
    limit: int = WHOLE_LIMIT,
    beside: Callable[[str], BinaryIO | None] | None = None,
    paths: Mapping[str, tuple[str, ...]] | None = None,
) -> Recording:
    """Find out what a stream of bytes holds, reading no more than that takes.

    `beside` opens a file by its bare name in the folder of the trace, or gives None. `paths` is a map (`parse_map`)
    that takes the place of detection. FormatError if the stream is empty, too large, of no known format, or of one that
    is known and not read yet.
    """
    content = Content(stream, limit=limit, beside=beside)
    if paths:
        return Recording(content, Format("map", "a file with a map", lambda _: True), paths)
    found = detect(content)
    if found is None:
        raise FormatError(
            f"this does not look like a trace: no steps were found in {_described(content)}",
            hint="--map steps=…,thought=…,action=…,observation=… says where the parts are",
        )
    if found.read is None:
        hint = WAYS_OUT.get(found.name, "--map may read it if it is JSON")
        raise FormatError(f"this is {found.title}, which is not read yet", hint=hint)
    return Recording(content, found)


def detect(content: Content) -> Format | None:
    """The format of a file, whether it is read or only known."""
    if content.kind == "jsonl":
        for candidate in AT_ONCE:
            if candidate.matches(content):
                return candidate
        content.read_ahead()
    return next((candidate for candidate in FORMATS if candidate.matches(content)), None)


def _told(closing: Closing, answer: str | None) -> Closing:
    """A closing that says how the episode ended, if the file does not: with an answer or without."""
    if closing.status is not None:
        return closing
    return closing.replace(status="unfinished" if answer is None and closing.final_answer is None else "finished")


def _described(content: Content) -> str:
    if content.kind == "json" and isinstance(content.document, dict):
        keys = ", ".join(f"'{key[:40]}'" for key in list(content.document)[:5])
        return f"an object with the keys {keys}" if keys else "an empty object"
    if content.kind == "json":
        return kind_of(content.document)
    return {"jsonl": "these JSON Lines", "zip": "this zip"}.get(content.kind, "this text")
