"""Each fault of a server, through the real SDKs: which error, after how many requests, and what is charged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from llm.conftest import anthropic_model, openai_model
from llm.server import ModelServer, Step
from sherloc import errors
from sherloc.llm.model import Model
from sherloc.protocols import Message, Usage

ASK = [Message("user", "hi")]  # 2 bytes: estimated as 1 token
FREE, GUESSED = (0, False), (1, True)  # input tokens charged for each failed request, and whether they are estimated
Make = Callable[..., Model]
Serve = Callable[..., ModelServer]
both = pytest.mark.parametrize("make", [openai_model, anthropic_model], ids=["openai", "anthropic"])
streamed = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


@dataclass(frozen=True)
class Fault:
    step: Step
    error: type[errors.ModelError]
    requests: int
    charged: tuple[int, bool] = FREE
    says: str = ""


FAULTS = {
    "400": Fault(Step("bad prompt", 400), errors.ModelRequestError, 1, says="status 400: bad prompt"),
    "401": Fault(Step("bad key", 401), errors.ModelAuthError, 1, says="bad key"),
    "402": Fault(Step("pay first", 402), errors.ModelAuthError, 1, says="pay first"),
    "403": Fault(Step("not yours", 403), errors.ModelAuthError, 1, says="not yours"),
    "404": Fault(Step("no such model", 404), errors.ModelRequestError, 1, says="no such model"),
    "408": Fault(Step("slow", 408), errors.ModelServerError, 3, says="408"),
    "409": Fault(Step("conflict", 409), errors.ModelServerError, 3, says="409"),
    "413": Fault(Step("too large", 413), errors.ModelRequestError, 1, says="too large"),
    "422": Fault(Step("unclear", 422), errors.ModelRequestError, 1, says="unclear"),
    "429": Fault(Step("busy", 429), errors.ModelRateLimitError, 3, says="busy"),
    "429 for good": Fault(Step("pay", 429, code="insufficient_quota"), errors.ModelRateLimitError, 1, says="pay"),
    "429 too long": Fault(Step("b", 429, {"retry-after": "3600"}), errors.ModelRateLimitError, 1),
    "not to be retried": Fault(Step("no", 503, {"x-should-retry": "false"}), errors.ModelServerError, 1),
    "500": Fault(Step("oops", 500), errors.ModelServerError, 3, says="oops"),
    "501": Fault(Step("never", 501), errors.ModelServerError, 1, says="never"),
    "503": Fault(Step("later", 503), errors.ModelServerError, 3, says="later"),
    "529": Fault(Step("overloaded", 529), errors.ModelServerError, 3, says="overloaded"),
    "redirect": Fault(Step(status=307, headers={"location": "/x"}), errors.ModelRequestError, 1, says="307"),
    "html error page": Fault(Step(status=200, body=b"<html>x"), errors.ModelResponseError, 1, GUESSED),
    "wrong type": Fault(Step(body=b"<html>x", content_type="text/html"), errors.ModelResponseError, 1, GUESSED),
    "malformed": Fault(Step(body=b'{"choices": [{"mes'), errors.ModelResponseError, 1, GUESSED),
    "not an object": Fault(Step(body=b"[1]"), errors.ModelResponseError, 1, GUESSED),
    "empty body": Fault(Step(body=b""), errors.ModelResponseError, 1, GUESSED),
    "nothing in it": Fault(
        Step(body=b'{"choices": [], "usage": null}'), errors.ModelResponseError, 1, GUESSED
    ),
    "not UTF-8": Fault(Step(body=b'{"choices": "\xff\xfe'), errors.ModelResponseError, 1, GUESSED),
}  # fmt: skip


@both
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_gives_its_error_after_so_many_requests(make: Make, serve: Serve, name: str) -> None:
    fault = FAULTS[name]
    server = serve(fault.step)
    model = make(server, retries=2, first_wait_seconds=0)
    with pytest.raises(errors.ModelError) as caught:
        model.complete(ASK)
    assert type(caught.value) is fault.error
    assert fault.says in caught.value.message
    assert caught.value.__cause__ is None and caught.value.__context__ is None
    assert len(server.requests) == fault.requests
    tokens, estimated = fault.charged
    spent = model.budget.spent
    assert spent.calls == fault.requests
    assert (spent.usage.input_tokens, spent.usage.estimated) == (tokens, estimated)
    assert spent.usage.cost == (None if estimated else 0.0)


@both
@streamed
def test_a_connection_cut_in_the_reply_is_charged_and_tried_again(make: Make, serve: Serve, stream: bool) -> None:
    server = serve(Step("a long reply " * 20, cut=300), Step("whole"))
    model = make(server, stream=stream, first_wait_seconds=0)
    reply = model.complete(ASK)
    assert (reply.text, reply.attempts, len(server.requests)) == ("whole", 2, 2)
    assert reply.usage.input_tokens == 10
    assert model.budget.spent.usage.input_tokens == 1 + 10


@both
@streamed
def test_a_connection_that_is_always_cut_is_an_error(make: Make, serve: Serve, stream: bool) -> None:
    server = serve(Step("a long reply " * 20, cut=300))
    with pytest.raises(errors.ModelConnectionError):
        make(server, stream=stream, retries=1, first_wait_seconds=0).complete(ASK)
    assert len(server.requests) == 2


@both
def test_no_server_is_a_connection_error_and_free(make: Make, serve: Serve) -> None:
    server = serve()
    server.close()
    model = make(server, retries=2, first_wait_seconds=0)
    with pytest.raises(errors.ModelConnectionError):
        model.complete(ASK)
    assert (model.budget.spent.calls, model.budget.spent.usage) == (3, Usage(cost=0.0))


@both
def test_a_slow_reply_is_a_timeout_not_tried_again_and_charged(make: Make, serve: Serve) -> None:
    server = serve(Step(delay=5))
    model = make(server, timeout_seconds=0.3)
    with pytest.raises(errors.ModelTimeoutError, match="no reply within 0.3 seconds"):
        model.complete(ASK)
    server.wait_for("aborted")
    assert len(server.requests) == 1
    assert model.budget.spent.usage == Usage(input_tokens=1, estimated=True)


@both
def test_a_stream_that_falls_silent_is_a_timeout_long_before_the_whole_time(make: Make, serve: Serve) -> None:
    server = serve(Step("a long reply", pause=5))
    with pytest.raises(errors.ModelTimeoutError):
        make(server, stream=True, idle_seconds=0.3, timeout_seconds=30).complete(ASK)
    server.wait_for("aborted")
    assert len(server.requests) == 1


@pytest.mark.slow
@both
def test_a_slow_stream_that_goes_on_is_no_silence(make: Make, serve: Serve) -> None:
    server = serve(Step("a long reply in many pieces", pause=0.1))
    reply = make(server, stream=True, idle_seconds=0.4, timeout_seconds=30).complete(ASK)
    assert reply.text == "a long reply in many pieces"


@pytest.mark.slow
@both
def test_the_wait_that_the_server_asks_for_is_kept(make: Make, serve: Serve) -> None:
    server = serve(Step("busy", 429, {"retry-after": "0.4"}), Step("done"))
    assert make(server, first_wait_seconds=0).complete(ASK).attempts == 2
    assert 0.4 <= server.times[1] - server.times[0] < 2


@pytest.mark.slow
@both
def test_waits_grow(make: Make, serve: Serve) -> None:
    server = serve(Step("oops", 500))
    with pytest.raises(errors.ModelServerError):
        make(server, retries=2, first_wait_seconds=0.2).complete(ASK)
    first, second = (b - a for a, b in zip(server.times, server.times[1:], strict=False))
    assert 0.1 <= first < 0.2 + 0.3
    assert 0.2 <= second < 0.4 + 0.3


@both
@streamed
def test_stop_reasons_are_told_not_raised(make: Make, serve: Serve, stream: bool) -> None:
    server = serve(Step("{", finish="length"), Step("no", finish="content_filter"), Step("x", finish="stop"))
    model = make(server, stream=stream)
    replies = [model.complete(ASK) for _ in range(3)]
    assert [r.stop_reason for r in replies] == ["length", "refusal", "end"]
    assert [r.text for r in replies] == ["{", "no", "x"]


@both
@streamed
def test_usage_of_a_good_reply(make: Make, serve: Serve, stream: bool) -> None:
    model = make(serve(Step()), stream=stream)
    usage = model.complete(ASK).usage
    written = 3 if make is anthropic_model else 0
    assert usage == Usage(10, 5, None, cached_tokens=4, cache_write_tokens=written, reasoning_tokens=2)
    assert model.budget.spent.usage.input_tokens == 10


@both
@streamed
def test_tool_calls_in_parallel(make: Make, serve: Serve, stream: bool) -> None:
    calls = [("a", "view", '{"path": "x.py"}'), ("b", "find", '{"text": "y"}')]
    reply = make(serve(Step(None, calls=calls, finish="tool_calls")), stream=stream).complete(
        ASK, tools=[{"name": "view"}, {"name": "find"}]
    )
    assert [(c.id, c.name, c.arguments) for c in reply.tool_calls] == calls
    assert (reply.text, reply.stop_reason) == ("", "tool_calls")


def test_an_error_inside_a_stream_has_its_status(serve: Serve) -> None:
    event = b'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error", "message": "full"}}\n\n'
    server = serve(Step(body=event, content_type="text/event-stream"))
    with pytest.raises(errors.ModelServerError, match="full"):
        anthropic_model(server, stream=True, retries=1, first_wait_seconds=0).complete(ASK)
    assert len(server.requests) == 2
    event = b'data: {"error": {"message": "too many", "code": "rate_limit_exceeded"}}\n\n'
    server = serve(Step(body=event, content_type="text/event-stream"))
    with pytest.raises(errors.ModelRateLimitError, match="too many"):
        openai_model(server, stream=True, retries=1, first_wait_seconds=0).complete(ASK)
    assert len(server.requests) == 2


def test_malformed_events_of_a_stream(serve: Serve) -> None:
    for body in (b"data: {no\n\n", b"data: \xff\xfe\n\n", b""):
        server = serve(Step(body=body, content_type="text/event-stream"))
        with pytest.raises(errors.ModelResponseError):
            openai_model(server, stream=True).complete(ASK)
        event = b"event: message_start\n" + body if body else b""
        server = serve(Step(body=event, content_type="text/event-stream"))
        with pytest.raises(errors.ModelResponseError):
            anthropic_model(server, stream=True).complete(ASK)


def test_an_error_dressed_as_success_has_its_own_status(serve: Serve) -> None:
    server = serve(Step(body=b'{"error": {"code": 429, "message": "slow down"}}'))
    with pytest.raises(errors.ModelRateLimitError, match="slow down"):
        openai_model(server, retries=1, first_wait_seconds=0).complete(ASK)
    assert len(server.requests) == 2
