"""A model behind an endpoint that speaks OpenAI's protocol, through the `openai` package (the extra `llm`).

The endpoint may be slow, broken or hostile: a reply has a time limit that holds whatever the other side does, and a
limit of bytes; redirects are not followed, so that the key goes nowhere else; compressed replies are not asked for and
refused. Rate limits, server errors and broken connections are tried again, as long as the endpoint asks to wait or
twice as long each time. No error has the key in it.
"""

from __future__ import annotations

import os
import sys
from queue import Empty, SimpleQueue
from threading import Event, Thread
from time import monotonic, sleep
from urllib.parse import urlsplit

from reactcli.engine.requests import Completion, Model, ModelError
from reactcli.errors import ReactcliError
from reactcli.tools.results import failure, shortened
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from reactcli.engine.requests import Ask, Listen

EVENTS = "text/event-stream"
"""The type of a reply that comes in pieces."""
REPLY_LIMIT = 16 << 20
"""Bytes of a reply as it is sent, headers and events included."""
LONGEST_ERROR = 300
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
"""Seconds between tries; an endpoint that asks for more is given up."""
LOCAL = ("localhost", "127.0.0.1", "::1")
"""Hosts that need no key."""
OPTIONAL = ("stop", "stream_options", "temperature", "max_tokens")
"""Parameters that an endpoint may refuse, and that are then left out."""


class Settings(Value):
    base_url: str | None = None
    key: str = ""
    temperature: float | None = 0.0
    seconds: float = 120.0
    """For a reply."""
    retries: int = 3
    max_reply: int | None = None
    """Tokens of a reply."""


class EndpointError(ModelError):
    """A try that failed."""

    def __init__(self, message: str, *, again: bool = False, wait: float | None = None, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.again = again
        """Another try may succeed."""
        self.wait = wait
        """Seconds that the endpoint asks to wait."""


class EndpointModel(Model):
    """One model of one endpoint. `wait` is how it waits between tries."""

    def __init__(self, name: str, settings: Settings, *, wait: Callable[[float], None] = sleep) -> None:
        self.name = f"openai:{name}"
        self._model = name
        self._settings = settings
        self._wait = wait
        self._left_out: set[str] = set()
        self._client: Any = _client(settings)

    def close(self) -> None:
        """Close the connections, those of abandoned replies too. The next completion opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def complete(self, ask: Ask, listen: Listen | None = None) -> Completion:
        seconds = min(self._settings.seconds, ask.seconds if ask.seconds is not None else float("inf"))
        until = monotonic() + seconds
        tries = 0
        while True:
            try:
                return self._reply(ask, listen, until, seconds)
            except EndpointError as error:
                if self._leaves_out(error):
                    continue
                tries += 1
                self._give_up(error, tries, until)
                self._wait(error.wait if error.wait is not None else FIRST_WAIT * 2 ** (tries - 1))
                if listen is not None:
                    listen(None)

    def _give_up(self, error: EndpointError, tries: int, until: float) -> None:
        """Raise the error if there is no sense in another try."""
        if not error.again:
            raise error
        if tries > self._settings.retries:
            times = "once" if tries == 1 else f"{tries} times"
            raise EndpointError(f"{error.message}; tried {times}") from None
        wait = error.wait or 0.0
        if wait > LONGEST_WAIT:
            raise EndpointError(f"{error.message}; it asks to wait {wait:g} s, which is too long") from None
        if monotonic() + wait >= until:
            raise EndpointError(f"{error.message}; there is no time for another try") from None

    def _leaves_out(self, error: EndpointError) -> bool:
        """Whether the endpoint refused a parameter that it can do without; it is left out from now on."""
        refused = next(
            (name for name in OPTIONAL if f"'{name}'" in error.message or f'"{name}"' in error.message), None
        )
        if refused is None or refused in self._left_out or "answered 4" not in error.message:
            return False
        self._left_out.add(refused)
        return True

    def _reply(self, ask: Ask, listen: Listen | None, until: float, seconds: float) -> Completion:
        """One try. What comes is read in a thread, so that no silence of the endpoint outlasts the limit."""
        pieces: SimpleQueue[Any] = SimpleQueue()
        over = Event()
        if self._client is None:
            self._client = _client(self._settings)
        Thread(target=self._fetch, args=(self._client, self._request(ask), until, pieces, over), daemon=True).start()
        reply = _Reply(ask, listen)
        try:
            while not reply.is_over:
                reply.take(_next(pieces, until, seconds))
        finally:
            over.set()
            if not reply.is_whole:
                self.close()  # the thread may be waiting for more
        return reply.completion()

    def _request(self, ask: Ask) -> dict[str, Any]:
        prompt = ask.prompt
        messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
        request: dict[str, Any] = {
            "model": self._model,
            "messages": [{**message, "content": _sendable(message["content"])} for message in messages],
            "stream": True,
            "stream_options": {"include_usage": True},
            "stop": list(ask.stop),
            "temperature": self._settings.temperature,
            "max_tokens": self._settings.max_reply,
        }
        return {key: value for key, value in request.items() if value is not None and key not in self._left_out}

    def _fetch(self, client: Any, request: dict[str, Any], until: float, pieces: SimpleQueue[Any], over: Event) -> None:
        """Put what comes into the queue: texts, a finish reason, usage, and last None or the error."""
        try:
            left = max(until - monotonic(), 0.01)
            with client.chat.completions.create(**request, timeout=left) as stream:
                chunk = None
                for chunk in stream:
                    if over.is_set():
                        return
                    for piece in _pieces(chunk):
                        pieces.put(piece)
                if chunk is None:
                    _check_type(stream.response.headers.get("content-type") or EVENTS, self._settings.key)
            pieces.put(None)
        except Exception as error:  # noqa: BLE001  # whatever a hostile endpoint makes of the package
            pieces.put(_as_error(error, self._settings.key))


class _Reply:
    """The text of a reply as it comes. It is over where the model writes an observation itself."""

    def __init__(self, ask: Ask, listen: Listen | None) -> None:
        self.is_over = False
        self.is_whole = False
        self._listen = listen
        self._stream = ask.parser.stream()
        self._texts: list[str] = []
        self._finish = ""
        self._is_reasoning = False
        self._usage: dict[str, int] | None = None

    def take(self, piece: Any) -> None:
        if isinstance(piece, EndpointError):
            raise piece
        if piece is None:
            self.is_over = self.is_whole = True
            if not self._finish:
                raise EndpointError("the endpoint's reply ended in the middle", again=True)
        elif isinstance(piece, dict):
            self._usage = piece
        elif isinstance(piece, _Finish):
            self._finish = piece.reason
        elif isinstance(piece, _Reasoning):
            self._add(piece.text if self._is_reasoning else f"<think>{piece.text}")
            self._is_reasoning = True
        else:
            self._add(f"</think>\n{piece}" if self._is_reasoning else piece)
            self._is_reasoning = False

    def _add(self, text: str) -> None:
        self._texts.append(text)
        if self._listen is not None:
            self._listen(text)
        self.is_over = any(part == "observation" for part, _ in self._stream.feed(text))

    def completion(self) -> Completion:
        return Completion("".join(self._texts), self._usage, is_cut_off=self._finish == "length")


class _Finish(Value):
    reason: str


class _Reasoning(Value):
    text: str


def open_endpoint(
    name: str, *, key_env: str = "OPENAI_API_KEY", wait: Callable[[float], None] = sleep, **settings: Any
) -> EndpointModel:
    """The model of a name, its key from the environment. ReactcliError if the package or the key is not there, or the
    base URL is none.
    """
    key = os.environ.get(key_env, "")
    base_url = settings.pop("base_url", None) or os.environ.get("OPENAI_BASE_URL")
    host = _host(base_url) if base_url else None
    if not key and host not in LOCAL:
        raise ReactcliError(f"the variable {key_env} has no key", hint="set it, or name another with --key-env")
    return EndpointModel(name, Settings(base_url, key or "none", **settings), wait=wait)


def _host(base_url: str) -> str:
    """ReactcliError if a URL has no host that can be asked over HTTP."""
    try:
        parts = urlsplit(base_url)
        host = parts.hostname
    except ValueError:
        host = None
    if not host or parts.scheme not in {"http", "https"}:
        message = f"'{shortened(base_url, LONGEST_ERROR)}' is no URL of an endpoint"
        raise ReactcliError(message, hint="it begins with http:// or https://, and a host follows")
    return host


def _client(settings: Settings) -> Any:
    try:
        import openai  # 600 ms, only where an endpoint is asked
    except ImportError:
        hint = "pip install 'reactcli[llm]' installs it"
        raise ReactcliError("the openai package is not installed", hint=hint) from None
    make = getattr(openai, "DefaultHttpx2Client", None) or openai.DefaultHttpxClient
    http = make(follow_redirects=False, event_hooks={"response": [_guard]})
    try:
        return openai.OpenAI(
            api_key=settings.key,
            base_url=settings.base_url,
            max_retries=0,  # tries are ours: they obey the deadline
            default_headers={"Accept-Encoding": "identity"},
            http_client=http,
        )
    except Exception as error:  # noqa: BLE001  # the package raises its own kinds, and those of its URL parser
        raise ReactcliError(f"the endpoint cannot be used: {_clean(failure(error), settings.key)}") from None


def _guard(response: Any) -> None:
    """Refuse what would unpack to any size, and bound what is read."""
    if response.headers.get("content-encoding", "identity").lower() not in {"", "identity"}:
        raise EndpointError("the endpoint's reply is compressed, which was not asked for")
    package = sys.modules[type(response).__module__.partition(".")[0]]
    response.stream = _bounded(package.SyncByteStream, response.stream)


def _bounded(base: Any, stream: Any) -> Any:
    """The byte stream, which raises when too much has come. The package checks its class."""

    class Bounded(base):  # type: ignore[misc]  # a class of whichever HTTP package is there
        def __iter__(self) -> Iterator[bytes]:
            left = REPLY_LIMIT
            for octets in stream:
                left -= len(octets)
                if left < 0:
                    raise EndpointError(f"the endpoint's reply is longer than {REPLY_LIMIT >> 20} MiB")
                yield octets

        def close(self) -> None:
            stream.close()

    return Bounded()


def _sendable(text: str) -> str:
    """Half surrogates, which a tool may return, have no UTF-8."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _next(pieces: SimpleQueue[Any], until: float, seconds: float) -> Any:
    try:
        return pieces.get(timeout=max(until - monotonic(), 0.0))
    except Empty:
        raise EndpointError(f"the endpoint gave no whole reply within {seconds:.3g} s") from None


def _check_type(content_type: str, key: str) -> None:
    """EndpointError if a reply without any event is none because something else answered, such as a web site."""
    kind = content_type.partition(";")[0].strip()
    if kind.lower() != EVENTS:
        message = f"the endpoint's reply is of the type '{_clean(kind, key)}' and no event stream"
        raise EndpointError(message, hint="look at the base URL, which often ends in /v1")


def _pieces(chunk: Any) -> Iterator[Any]:
    """What is in one event. Reasoning that comes apart from the text is put in the tags that the parser knows."""
    for choice in (getattr(chunk, "choices", None) or ())[:1]:
        delta = getattr(choice, "delta", None)
        reasoning = getattr(delta, "reasoning_content", None)
        if isinstance(reasoning, str) and reasoning:
            yield _Reasoning(reasoning)
        text = getattr(delta, "content", None)
        if isinstance(text, str) and text:
            yield text
        reason = getattr(choice, "finish_reason", None)
        if isinstance(reason, str):
            yield _Finish(reason)
    usage = getattr(chunk, "usage", None)
    counts = [getattr(usage, name, None) for name in ("prompt_tokens", "completion_tokens")]
    if all(isinstance(count, int) for count in counts):
        yield dict(zip(("input_tokens", "output_tokens"), counts, strict=True))


def _as_error(error: Exception, key: str) -> EndpointError:
    """What an exception of the package means, and whether another try makes sense."""
    import openai

    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, EndpointError):
        cause = cause.__cause__ or cause.__context__
    if cause is not None:
        return cause
    if isinstance(error, openai.APIStatusError):
        status = error.status_code
        message = f"the endpoint answered {status}: {_clean(_said(error), key)}"
        return EndpointError(message, again=status == 429 or status >= 500, wait=_asked_wait(error.response.headers))
    if isinstance(error, openai.APITimeoutError):
        return EndpointError("the endpoint does not answer")
    if isinstance(error, openai.APIConnectionError):
        why = _clean(failure(error.__cause__ or error), key)
        return EndpointError(f"the connection to the endpoint failed: {why}", again=True)
    why = _clean(failure(error), key)
    if any(
        cls.__name__ == "TransportError" for cls in type(error).__mro__
    ):  # older packages let their client's through
        return EndpointError(f"the connection to the endpoint failed: {why}", again=True)
    return EndpointError(f"the endpoint's reply cannot be read: {why}", again=True)


def _said(error: Any) -> str:
    """The message in the body of an error, or what there is of it."""
    status = error.status_code
    if 300 <= status < 400:
        return "a redirect, which is not followed"
    body = error.body
    if isinstance(body, dict):
        inner = body.get("error", body)
        body = inner.get("message", inner) if isinstance(inner, dict) else inner
    return str(body or error.message)


def _asked_wait(headers: Any) -> float | None:
    """Seconds that `Retry-After` asks for, as a number or as a date; None if it asks for nothing."""
    text = str(headers.get("retry-after") or "").strip()
    try:
        return max(float(text), 0.0)
    except ValueError:
        pass
    from datetime import UTC, datetime
    from email.utils import parsedate_to_datetime  # 20 ms, only where an endpoint asks to wait

    try:
        return max((parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds(), 0.0)
    except (TypeError, ValueError):
        return None


def _clean(text: str, key: str) -> str:
    """One line of bounded length, without the key."""
    if len(key) > 4:
        text = text.replace(key, "[key]")
    return shortened(" ".join(text.split()), LONGEST_ERROR)
