"""Secrets taken out of what was recorded, each replaced by `[REDACTED:kind]`; the same secret has the same mark.

First go the values that the caller knows, in every encoding in which they leave a program: as they are, escaped for
JSON, Python, HTML or a URL, as hex, as base64 at any offset, and each of these split by line breaks or by what no
screen shows. Then the spellings of `secrets.VENDORS`, and what stands under a telling name: anything in arguments, and
in other text what looks like a secret. A value of arguments is known from then on. Spans of a changed step are dropped:
they would point into the text that is not to be seen.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode, urlsafe_b64encode
from bisect import bisect_right
from hashlib import blake2b
from html import escape
from urllib.parse import quote, quote_plus

from reactcli.comparison import actions_of
from reactcli.diagnostics import Diagnostic
from reactcli.formats import Closing, Opening, Recorded
from reactcli.secrets import (
    is_option,
    is_placeholder,
    is_secret_name,
    kind_of_name,
    secret_values,
)
from reactcli.secrets_assigned import all_secrets, assigned_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from reactcli.formats import Event
    from reactcli.trace import Action, Step, Trace

SHORTEST = 6
"""Characters of a value that is looked for everywhere because of its name; shorter ones stand in too many words."""

_TELLING = re.compile(
    r"(?:^|_)(?:\w*API|ACCESS|PRIVATE|SECRET)?KEY(?:_?ID)?S?(?:_|$)|TOKEN(?!IZE)|SECRET|PASSW|CREDENTIAL"
)
_POINTING = re.compile(r"_(?:FILE|PATH|DIR|URL|URI|NAME|TYPE|LIMIT|COUNT|EXPIRY|TTL)$")
_UNSEEN = re.compile(
    "(?:\x1b\\[[0-9;?]{0,20}[ -/]?[@-~]"
    "|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\xad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff])+"
)
_BROKEN = re.compile(rf"(?:\s|\\[nrt]|{_UNSEEN.pattern})+")
_TEXTS = (
    "thought", "action", "action_input", "final_answer", "observation", "reasoning", "preamble", "reflection", "plan",
    "hallucinated_observation", "question",
)  # fmt: skip


class Redactor:
    """Takes secrets out of texts, values, steps and traces, and counts what it took out."""

    def __init__(self, known: Iterable[tuple[str, str]] = ()) -> None:
        self.counts: dict[str, int] = {}
        """Places by kind."""
        self._known: dict[str, _Known] = {}
        self._marks: dict[bytes, str] = {}
        self._kinds: dict[str, int] = {}
        for kind, value in known:
            self._learn(kind, value)

    def text(self, text: str, *, is_arguments: bool = False) -> str:
        """The text without secrets. In arguments, values under telling names are secrets too."""
        found = [*self._known_in(text)]
        secrets = all_secrets(text, is_data=is_arguments)
        found += ((start, end, kind, text[start:end]) for start, end, kind in secrets)
        if not found:
            return text
        pieces: list[str] = []
        at = 0
        for start, end, kind, secret in sorted(found, key=lambda one: (one[0], -one[1])):
            if end <= at:
                continue
            pieces += (text[at : max(start, at)], self._mark(kind, secret) if start >= at else "")
            at = end
        return "".join(pieces) + text[at:]

    def value(self, value: Any) -> Any:
        """JSON without secrets, by name too; keys stay, but for secrets in them."""
        if isinstance(value, str):
            return self.text(value, is_arguments=value[:1] in {"{", "["})
        if isinstance(value, list | tuple):
            items = [*value]
            return [
                self._under(items[at - 1], item) if is_option(items, at) else self.value(item)
                for at, item in enumerate(items)
            ]
        if isinstance(value, dict):
            return {self.text(key): self._under(key, child) for key, child in value.items()}
        return value

    def step(self, step: Step) -> Step:
        self._learn_from(step)
        changes: dict[str, Any] = {}
        for name in _TEXTS:
            text = getattr(step, name)
            if text:
                changes[name] = self.text(text, is_arguments=name == "action_input" or text[:1] in {"{", "["})
        counted = dict(self.counts)
        changes["arguments"] = self.value(step.arguments)
        if step.action_input is not None:  # where the same secrets stand
            self.counts = counted
        changes["parallel_actions"] = tuple(map(self._action, step.parallel_actions))
        changes["shadowed"] = tuple(map(self.step, step.shadowed))
        changes["diagnostics"] = tuple(map(self._diagnostic, step.diagnostics))
        cleaned = step.replace(**changes)
        return step if cleaned == step and changes["diagnostics"] == step.diagnostics else cleaned.replace(spans={})

    def trace(self, trace: Trace) -> Trace:
        """The trace without secrets; a value that its name betrays in any step is known in all of them."""
        for step in trace.steps:
            self._learn_from(step)
        steps = tuple(map(self.step, trace.steps))
        question, answer = self._maybe(trace.question), self._maybe(trace.final_answer)
        noted = tuple(map(self._diagnostic, trace.diagnostics))
        meta = self.value(dict(trace.meta))
        return trace.replace(question=question, steps=steps, final_answer=answer, meta=meta, diagnostics=noted)

    def events(self, events: Iterable[Event]) -> Iterator[Event]:
        """The pieces of a trace; a value that its name betrays is known from that piece on."""
        for event in events:
            if isinstance(event, Diagnostic):
                yield self._diagnostic(event)
            elif isinstance(event, Recorded):
                yield event.replace(step=self.step(event.step), meta=self.value(dict(event.meta)))
            elif isinstance(event, Opening):
                yield event.replace(question=self._maybe(event.question), meta=self.value(dict(event.meta)))
            elif isinstance(event, Closing):
                meta = self.value(dict(event.meta))
                yield event.replace(
                    status=self._maybe(event.status), final_answer=self._maybe(event.final_answer), meta=meta
                )

    def summary(self) -> str:
        """`2 secrets in 3 places were redacted: openai-key 2, password 1`."""
        if not self.counts:
            return "no secret was found to redact"
        secrets, places = len(self._marks), sum(self.counts.values())
        told = ", ".join(f"{kind} {count}" for kind, count in sorted(self.counts.items()))
        return f"{_plural(secrets, 'secret')} in {_plural(places, 'place')} redacted: {told}"

    def _under(self, key: str, child: Any) -> Any:
        if isinstance(child, str) and is_secret_name(key) and not is_placeholder(child):
            cleaned = self.text(child)
            return cleaned if cleaned != child else self._mark(kind_of_name(key), child)
        return self.value(child)

    def _action(self, action: Action) -> Action:
        text = action.action_input
        return action.replace(
            action=self._maybe(action.action),
            action_input=None if text is None else self.text(text, is_arguments=True),
            arguments=self.value(action.arguments),
            observation=self._maybe(action.observation),
        )

    def _diagnostic(self, found: Diagnostic) -> Diagnostic:
        message = self.text(found.message)
        return found if message == found.message else found.replace(message=message)

    def _maybe(self, text: str | None) -> str | None:
        return self.text(text, is_arguments=text[:1] in {"{", "["}) if text else text

    def _learn_from(self, step: Step) -> None:
        """What is secret by its name in the arguments is so in the rest of the step, and from then on."""
        for action in actions_of(step):
            text = action.action_input or ""
            assigned = ((kind, text[start:end]) for start, end, kind in assigned_secrets(text))
            for kind, value in (*secret_values(action.arguments), *assigned):
                if len(value) >= SHORTEST and not value.isalpha():
                    self._learn(kind, value)

    def _learn(self, kind: str, value: str) -> None:
        value = value.strip()
        if value and value not in self._known:
            self._known[value] = _Known(kind, value)

    def _known_in(self, text: str) -> Iterator[tuple[int, int, str, str]]:
        if not self._known:
            return
        views = (_View(text, _BROKEN), _View(text, _UNSEEN))
        for known in self._known.values():
            for start, end in known.places(views[0] if known.may_be_broken else views[1]):
                yield start, end, known.kind, known.value

    def _mark(self, kind: str, secret: str) -> str:
        self.counts[kind] = self.counts.get(kind, 0) + 1
        key = blake2b(secret.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if key not in self._marks:
            number = self._kinds[kind] = self._kinds.get(kind, 0) + 1
            self._marks[key] = f"[REDACTED:{kind}]" if number == 1 else f"[REDACTED:{kind}-{number}]"
        return self._marks[key]


def environment_secrets(environment: Mapping[str, str]) -> list[tuple[str, str]]:
    """Kind and value of the variables whose names tell of a secret, and whose values are long enough to be one."""
    return [
        (kind_of_name(name), value)
        for name, value in environment.items()
        if _TELLING.search(name.upper()) and not _POINTING.search(name.upper())
        if len(value.strip()) >= SHORTEST and not is_placeholder(value)
    ]


class _Known:
    """A secret and the ways in which it may be written."""

    __slots__ = ("_base64", "_forms", "_hex", "kind", "may_be_broken", "value")

    def __init__(self, kind: str, value: str) -> None:
        self.kind = kind
        self.value = value
        self.may_be_broken = len(value) > 7 and not value.isalpha()
        """White space inside is looked through: not for plain words, which stand in any sentence."""
        content = value.encode("utf-8", "surrogatepass")
        pattern = _BROKEN if self.may_be_broken else _UNSEEN
        self._forms = sorted({pattern.sub("", form) for form in _spellings(value)} - {""})
        self._base64 = sorted(set(_in_base64(content)))
        self._hex = content.hex()

    def places(self, view: _View) -> Iterator[tuple[int, int]]:
        for form in self._forms:
            yield from view.places(form)
        for form, left, right in self._base64:
            yield from view.places(form, left=left, right=right)
        yield from view.places(self._hex, is_folded=True)


def _spellings(value: str) -> Iterator[str]:
    yield value
    for ascii_only in (True, False):
        once = json.dumps(value, ensure_ascii=ascii_only)[1:-1]
        yield once
        yield json.dumps(once, ensure_ascii=ascii_only)[1:-1]  # JSON as text in JSON
    yield repr(value)[1:-1]
    yield escape(value)
    for as_url in (
        quote(value, "", errors="replace"),
        quote(value, errors="replace"),
        quote_plus(value, errors="replace"),
    ):
        yield as_url
        yield re.sub(r"%[0-9A-F]{2}", lambda match: match[0].lower(), as_url)


def _in_base64(content: bytes) -> Iterator[tuple[str, int, int]]:
    """What is sure to stand in the base64 of any text that holds the content, for each place modulo three.

    With it, how many characters before and behind it hold some bits of the content too.
    """
    for before in range(3):
        end = (before + len(content)) * 8
        first, last = (before * 8 + 5) // 6, end // 6
        for encode in (b64encode, urlsafe_b64encode):
            inner = encode(b"\0" * before + content).decode()[first:last]
            if len(inner) >= SHORTEST:
                yield inner, int(before > 0), int(end % 6 > 0)


class _View:
    """A text without what may split a secret, and the way back to its offsets. Made only as far as asked."""

    __slots__ = ("_folded", "_inner", "_marks", "_pattern", "_text")

    def __init__(self, text: str, pattern: re.Pattern[str]) -> None:
        self._text = text
        self._pattern = pattern
        self._inner: str | None = None
        self._folded: str | None = None
        self._marks: tuple[list[int], list[int]] | None = None

    def places(self, form: str, *, left: int = 0, right: int = 0, is_folded: bool = False) -> Iterator[tuple[int, int]]:
        """Where a form stands, as offsets of the text, with so many characters before and behind it."""
        inner = self._lowered() if is_folded else self._bare()
        at = inner.find(form)
        while at >= 0:
            end = at + len(form)
            yield self._back(max(at - left, 0)), self._back(min(end + right, len(inner)) - 1) + 1
            at = inner.find(form, end)

    def _bare(self) -> str:
        if self._inner is None:
            self._inner = self._pattern.sub("", self._text)
        return self._inner

    def _lowered(self) -> str:
        if self._folded is None:
            # not `lower`, which makes two characters of some one
            self._folded = self._bare().translate(_LOWER)
        return self._folded

    def _back(self, offset: int) -> int:
        if self._marks is None:
            inner, outer, taken = [0], [0], 0
            for match in self._pattern.finditer(self._text):
                taken += match.end() - match.start()
                inner.append(match.end() - taken)
                outer.append(match.end())
            self._marks = inner, outer
        inner, outer = self._marks
        place = bisect_right(inner, offset) - 1
        return outer[place] + offset - inner[place]


_LOWER = {code: code + 32 for code in range(ord("A"), ord("F") + 1)}


def _plural(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
