"""The endpoint model against a server on loopback that is honest, slow, broken or hostile."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from reactcli.engine import ModelError, ReActEngine
from reactcli.engine.requests import Ask
from reactcli.errors import ReactcliError
from reactcli.models.endpoint import EndpointModel, Settings, open_endpoint
from reactcli.parser import ReActAgentParser

KEY = "sk-test-0123456789"
ASK = Ask("Question: 2 + 2?", 1, (), ReActAgentParser())
FINISHED = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


def event(record) -> bytes:
    return f"data: {json.dumps(record)}\n\n".encode()


def delta(**fields):
    return event({"id": "1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": fields}]})


def said(*texts: str, usage=(7, 3)) -> bytes:
    """A whole reply, as events."""
    counted = {"choices": [], "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1]}}
    body = b"".join(delta(content=text) for text in texts)
    return body + event(FINISHED) + event(counted) + b"data: [DONE]\n\n"


class Served:
    """What a server was asked, and what it is to answer: one function of the handler for each request."""

    def __init__(self, *answers):
        self.requests = []
        self.answers = list(answers)
        self.url = ""
        self.models = []


def answering(served):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            served.requests.append(({name.lower(): text for name, text in self.headers.items()}, body))
            self.close_connection = True
            answer = served.answers.pop(0) if len(served.answers) > 1 else served.answers[0]
            try:
                answer(self)
            except OSError:
                return  # the client has had enough

        def log_message(self, *_):
            pass

    return Handler


@contextmanager
def serving(*answers):
    served = Served(*answers)
    server = ThreadingHTTPServer(("127.0.0.1", 0), answering(served))
    server.daemon_threads = True
    served.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        for made in served.models:
            made.close()
        server.shutdown()
        server.server_close()
        thread.join()


def sending(body: bytes, status=200, **headers):
    """An answer with a body and its true length."""

    def answer(handler):
        handler.send_response(status)
        about = {"Content-Type": "text/event-stream", "Connection": "close"}
        sent = {**about, "Content-Length": str(len(body)), **headers}
        for name, value in sent.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def refusing(status, message, **headers):
    body = json.dumps({"error": {"message": message}}).encode()
    return sending(body, status, **{"Content-Type": "application/json", **headers})


def streaming(pieces):
    """An answer of unknown length, piece by piece; the connection is closed behind it."""

    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        for piece in pieces(handler):
            handler.wfile.write(piece)
            handler.wfile.flush()

    return answer


def model(served, waits=None, **settings):
    wait = (waits if waits is not None else []).append
    served.models.append(EndpointModel("small", Settings(served.url, KEY, **{"seconds": 20.0, **settings}), wait=wait))
    return served.models[-1]


def failing(served, waits=None, **settings) -> str:
    with pytest.raises(ModelError) as raised:
        model(served, waits, **settings).complete(ASK)
    assert KEY not in str(raised.value)
    return raised.value.message


def test_a_reply_comes_in_pieces_with_its_tokens():
    heard = []
    with serving(sending(said("Thought: easy", "\nFinal Answer: 4"))) as served:
        found = model(served, max_reply=50).complete(ASK, heard.append)
    assert (found.text, found.usage, found.is_cut_off) == (
        "Thought: easy\nFinal Answer: 4", {"input_tokens": 7, "output_tokens": 3}, False,
    )  # fmt: skip
    assert heard == ["Thought: easy", "\nFinal Answer: 4"]
    headers, body = served.requests[0]
    assert headers["authorization"] == f"Bearer {KEY}"
    assert body == {
        "model": "small", "messages": [{"role": "user", "content": "Question: 2 + 2?"}], "stream": True,
        "stream_options": {"include_usage": True}, "stop": ["\nObservation"], "temperature": 0.0, "max_tokens": 50,
    }  # fmt: skip


def test_messages_are_sent_as_they_are():
    messages = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
    with serving(sending(said("x"))) as served:
        model(served).complete(ASK.replace(prompt=messages))
    assert served.requests[0][1]["messages"] == messages


def test_half_a_surrogate_pair_is_replaced():
    with serving(sending(said("x"))) as served:
        model(served).complete(ASK.replace(prompt="a \ud835 b \U0001d400"))
    assert served.requests[0][1]["messages"][0]["content"] == "a \ufffd b \U0001d400"


def test_reasoning_that_comes_apart_is_put_in_its_tags():
    body = delta(reasoning_content="two") + delta(reasoning_content=" and two") + said("Final Answer: 4")
    with serving(sending(body)) as served:
        found = model(served).complete(ASK)
    assert found.text == "<think>two and two</think>\nFinal Answer: 4"


def test_a_reply_at_its_token_limit_is_cut_off():
    cut = event({"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]})
    with serving(sending(delta(content="Thought: a lo") + cut + b"data: [DONE]\n\n")) as served:
        assert model(served).complete(ASK).is_cut_off


def test_a_rate_limit_is_waited_for_as_long_as_it_asks():
    waits = []
    with serving(refusing(429, "slow down", **{"Retry-After": "7"}), sending(said("x"))) as served:
        assert model(served, waits).complete(ASK).text == "x"
    assert waits == [7.0]


def test_a_server_error_is_tried_again_after_longer_and_longer():
    waits = []
    with serving(refusing(500, "no"), refusing(503, "no"), refusing(529, "no"), sending(said("x"))) as served:
        assert model(served, waits).complete(ASK).text == "x"
    assert waits == [1.0, 2.0, 4.0]


def test_a_storm_of_errors_ends_with_the_last_one():
    waits = []
    with serving(refusing(529, "overloaded")) as served:
        assert failing(served, waits, retries=2) == "the endpoint answered 529: overloaded; tried 3 times"
        assert (len(served.requests), waits) == (3, [1.0, 2.0])


@pytest.mark.parametrize("asked", ["3600", "Fri, 31 Dec 2199 23:59:59 GMT"])
def test_an_endpoint_that_asks_to_wait_too_long_is_given_up(asked):
    waits = []
    with serving(refusing(429, "quota", **{"Retry-After": asked})) as served:
        assert "which is too long" in failing(served, waits)
    assert waits == []


def test_a_date_in_the_past_is_no_wait():
    waits = []
    past = {"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"}
    with serving(refusing(429, "quota", **past), sending(said("x"))) as served:
        model(served, waits).complete(ASK)
    assert waits == [0.0]


def test_a_refused_key_is_an_error_that_does_not_show_it():
    with serving(refusing(401, f"Incorrect API key provided: {KEY}.\x1b[2J")) as served:
        assert failing(served) == "the endpoint answered 401: Incorrect API key provided: [key].\x1b[2J"
        assert len(served.requests) == 1


@pytest.mark.parametrize("name", ["stop", "stream_options", "temperature"])
def test_a_parameter_that_is_refused_is_left_out(name):
    with serving(refusing(400, f"Unsupported parameter: '{name}'"), sending(said("x")), sending(said("y"))) as served:
        asked = model(served)
        assert [asked.complete(ASK).text, asked.complete(ASK).text] == ["x", "y"]
    assert [name in body for _, body in served.requests] == [True, False, False]


def test_the_key_does_not_follow_a_redirect():
    with serving(sending(said("stolen"))) as other, serving(refusing(307, "", Location=f"{other.url}/x")) as served:
        assert failing(served) == "the endpoint answered 307: a redirect, which is not followed"
        assert (len(served.requests), other.requests) == (1, [])


def dripping(_handler):
    """Bytes that never make an event."""
    yield b"data: "
    while True:
        threading.Event().wait(0.02)
        yield b" "


def test_a_reply_that_drips_ends_at_its_time():
    with serving(streaming(dripping)) as served:
        assert failing(served, seconds=0.3) == "the endpoint gave no whole reply within 0.3 s"


def test_an_endpoint_that_says_nothing_ends_at_its_time():
    with serving(lambda handler: handler.rfile.read()) as served:
        assert failing(served, seconds=0.3) in {
            "the endpoint gave no whole reply within 0.3 s", "the endpoint does not answer",
        }  # fmt: skip


def endless(_handler):
    while True:
        yield delta(content="and on and on " * 5000)


def test_an_endless_reply_ends_at_its_size():
    with serving(streaming(endless)) as served:
        assert failing(served) == "the endpoint's reply is longer than 16 MiB"


def test_an_endless_line_ends_at_its_size():
    def line(_handler):
        while True:
            yield b"data: " + b"a" * 65536

    with serving(streaming(line)) as served:
        assert failing(served) == "the endpoint's reply is longer than 16 MiB"


def test_a_reply_is_over_where_the_model_invents_an_observation():
    def going_on(_handler):
        yield delta(content="Action: search\nAction Input: x\nObser") + delta(content="vation: made up\nThought: go")
        yield from endless(_handler)

    with serving(streaming(going_on)) as served:
        found = model(served).complete(ASK)
    assert found.text.startswith("Action: search\nAction Input: x\nObservation: made up")
    assert len(found.text) < 100_000


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"data: {not json}\n\n", "the endpoint's reply cannot be read: "),
        (b"data: []\n\n", "the endpoint's reply "),
        (b"<html>hello</html>", "the endpoint's reply ended in the middle"),
        (b"", "the endpoint's reply ended in the middle"),
        (
            event({"error": {"message": "out of memory"}}),
            "the endpoint's reply cannot be read: APIError: out of memory",
        ),
        (delta(content="Thought: a"), "the endpoint's reply ended in the middle"),
    ],
    ids=["no JSON", "a list", "a page", "nothing", "an error", "no end"],
)
def test_a_broken_stream_is_an_error_after_some_tries(body, message):
    with serving(sending(body)) as served:
        assert failing(served, retries=1).startswith(message)
        assert len(served.requests) == 2


@pytest.mark.parametrize("body", [b"<html>data: hello</html>", b'{"choices": []}', b""])
def test_a_reply_that_is_no_event_stream_is_not_asked_for_again(body):
    with serving(sending(body, **{"Content-Type": "text/html; charset=utf-8"})) as served:
        run = ReActEngine(model(served), {}).run("q")
    message = "the endpoint's reply is of the type 'text/html' and no event stream"
    hint = "look at the base URL, which often ends in /v1"
    assert (run.status, run.reason, len(served.requests)) == ("llm_error", f"{message} ({hint})", 1)


def test_events_of_another_type_are_read_all_the_same():
    with serving(sending(said("x"), **{"Content-Type": "text/plain"})) as served:
        assert model(served).complete(ASK).text == "x"


def test_a_run_whose_endpoint_outlasts_the_deadline_is_stopped():
    with serving(streaming(dripping)) as served:
        run = ReActEngine(model(served), {}, deadline=0.3).run("q")
    assert (run.status, run.reason) == ("stopped", "the deadline of 0.3 s has passed")


@pytest.mark.parametrize(
    "url", ["localhost:8000/v1", "127.0.0.1:8000/v1", "ftp://example.org", "http://", "http://[::1/v1"]
)
def test_a_base_url_that_is_none_is_refused_at_once(url, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    with pytest.raises(ReactcliError, match="is no URL of an endpoint"):
        open_endpoint("small")


def test_a_wrong_length_is_a_broken_connection():
    body = delta(content="Thought: a")
    with serving(sending(body, **{"Content-Length": str(len(body) + 100)})) as served:
        assert failing(served, retries=0).startswith("the connection to the endpoint failed: ")


def test_a_reply_that_broke_off_is_void_and_comes_again():
    heard = []
    with serving(sending(delta(content="Tho")), sending(said("Final Answer: 4"))) as served:
        assert model(served).complete(ASK, heard.append).text == "Final Answer: 4"
    assert heard == ["Tho", None, "Final Answer: 4"]


def test_a_compressed_reply_is_refused():
    with serving(sending(b"\x1f\x8b", **{"Content-Encoding": "gzip"})) as served:
        assert failing(served) == "the endpoint's reply is compressed, which was not asked for"
        assert served.requests[0][0]["accept-encoding"] == "identity"


def test_headers_without_end_are_an_error():
    def answer(handler):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        for _ in range(3000):
            handler.wfile.write(b"X-Filler: " + b"a" * 1000 + b"\r\n")

    with serving(answer) as served:
        assert failing(served, retries=0).startswith("the connection to the endpoint failed: ")


def test_nobody_at_the_other_end_is_a_failed_connection():
    with serving(sending(b"")) as served:
        pass
    assert failing(served, retries=0).startswith("the connection to the endpoint failed: ")
    served.models[-1].close()


def test_a_run_that_has_little_time_gives_an_endpoint_no_more():
    with serving(streaming(dripping)) as served, pytest.raises(ModelError):
        model(served).complete(ASK.replace(seconds=0.2))


def test_an_engine_ends_as_llm_error_with_the_reason():
    with serving(refusing(404, "no such model")) as served:
        run = ReActEngine(model(served), {}).run("q")
    assert (run.status, run.reason, run.answer, run.iterations) == (
        "llm_error", "the endpoint answered 404: no such model", None, 1,
    )  # fmt: skip


def test_a_key_comes_from_the_environment_only(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("MY_KEY", KEY)
    with pytest.raises(ReactcliError, match="the variable OPENAI_API_KEY has no key"):
        open_endpoint("small", base_url="https://example.invalid/v1")
    with serving(sending(said("x"))) as served:
        for where in ({"key_env": "MY_KEY"}, {}):
            served.models.append(open_endpoint("small", base_url=served.url, **where))
            served.models[-1].complete(ASK)
    assert [headers["authorization"] for headers, _ in served.requests] == [f"Bearer {KEY}", "Bearer none"]
