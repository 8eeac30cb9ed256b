"""What a server, a script or somebody else's model may send: a reply or an error of the family, and charged."""

from __future__ import annotations

import asyncio
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from llm.conftest import anthropic_model, openai_model, settings_of
from llm.server import ModelServer, Step
from sherloc import errors
from sherloc.llm import Budget, get_model, guard
from sherloc.llm.foreign_errors import read_retry_after
from sherloc.protocols import Message, Reply, ToolCall, Usage

ASK = [Message("user", "hi")]
Serve = Callable[..., ModelServer]
EVENTS = "text/event-stream"


def events(*pieces: Any) -> Step:
    body = b"".join(b"data: " + json.dumps(piece).encode() + b"\n\n" for piece in pieces)
    return Step(body=body + b"data: [DONE]\n\n", content_type=EVENTS)


def named(*pieces: dict[str, Any]) -> Step:
    body = b"".join(f"event: {p['type']}\ndata: {json.dumps(p)}\n\n".encode() for p in pieces)
    return Step(body=body, content_type=EVENTS)


@pytest.mark.parametrize(
    "chunk",
    [
        {"choices": "abc"}, {"choices": 5}, {"choices": [5]}, {"choices": [{"delta": "x"}]},
        {"choices": [{"delta": [1]}]},
        {"choices": [{"delta": {"tool_calls": "abc"}}]}, {"choices": [{"delta": {"tool_calls": [{"function": "f"}]}}]},
        [1, 2], 5, None,
    ],
    ids=repr,
)  # fmt: skip
def test_a_chunk_of_another_shape_is_no_reply_and_is_charged(serve: Serve, chunk: Any) -> None:
    model = openai_model(serve(events(chunk)), stream=True, retries=0)
    with warnings.catch_warnings(), pytest.raises(errors.ModelResponseError) as caught:
        warnings.simplefilter("error")
        model.complete(ASK)
    assert (caught.value.billed, caught.value.__cause__, caught.value.__context__) == (True, None, None)
    assert model.budget.spent.usage.input_tokens > 0


START = {"type": "message_start", "message": {"id": "x", "type": "message", "role": "assistant", "content": []}}
BLOCK = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
STOP = {"type": "message_stop"}


@pytest.mark.parametrize(
    "broken",
    [
        {"type": "message_start"},
        {"type": "message_start", "message": "x"},
        {"type": "content_block_start", "content_block": {"type": "text"}},
        {"type": "content_block_start", "index": "a", "content_block": {"type": "text"}},
        {"type": "content_block_start", "index": 1, "content_block": "x"},
        {"type": "content_block_delta", "index": 0, "delta": "x"},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": 7}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": 7}},
        {"type": "message_delta", "delta": "x"},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": "x"},
    ],
    ids=repr,
)
def test_an_event_of_another_shape_is_no_reply_and_is_charged(serve: Serve, broken: dict[str, Any]) -> None:
    model = anthropic_model(serve(named(START, BLOCK, broken, STOP)), stream=True, retries=0)
    with warnings.catch_warnings(), pytest.raises(errors.ModelResponseError) as caught:
        warnings.simplefilter("error")
        model.complete(ASK)
    assert (caught.value.billed, caught.value.__cause__, caught.value.__context__) == (True, None, None)


@pytest.mark.parametrize("stream", [False, True])
def test_a_deep_answer_is_no_reply_and_is_charged(serve: Serve, stream: bool) -> None:
    deep = '{"choices":[{"message":{"content":' + "[" * 900 + "]" * 900 + "}}]}"
    for step in (Step(body=deep.encode()), Step(body=b"data: " + b"[" * 5000 + b"\n\n", content_type=EVENTS)):
        with pytest.raises(errors.ModelResponseError) as caught:
            openai_model(serve(step), stream=stream, retries=0).complete(ASK)
        assert caught.value.billed


@pytest.mark.parametrize(
    ("told", "input_tokens", "output_tokens", "estimated"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 5}, 10, 5, False),
        ({"prompt_tokens": -5, "completion_tokens": 5}, 1, 5, True),
        ({"prompt_tokens": 0, "completion_tokens": 5}, 1, 5, True),
        ({"prompt_tokens": True, "completion_tokens": 5}, 1, 5, True),
        ({"prompt_tokens": 10**30, "completion_tokens": 5}, 1, 5, True),
        ({"prompt_tokens": "10", "completion_tokens": 5}, 1, 5, True),
        ({"prompt_tokens": 10, "completion_tokens": 0}, 10, 3, True),
        ({"prompt_tokens": 10}, 10, 3, True),
    ],
)
def test_each_half_of_usage_that_is_no_count_is_estimated(
    serve: Serve, told: dict[str, Any], input_tokens: int, output_tokens: int, estimated: bool
) -> None:
    body = {"choices": [{"message": {"content": "six ch"}, "finish_reason": "stop"}], "usage": told}
    usage = openai_model(serve(Step(body=json.dumps(body).encode()))).complete(ASK).usage
    assert (usage.input_tokens, usage.output_tokens, usage.estimated) == (input_tokens, output_tokens, estimated)


def test_anthropic_usage_that_is_no_count_is_estimated(serve: Serve) -> None:
    body = {"content": [{"type": "text", "text": "x"}], "usage": {"input_tokens": True, "output_tokens": -1}}
    usage = anthropic_model(serve(Step(body=json.dumps(body).encode()))).complete(ASK).usage
    assert usage.estimated
    assert usage.output_tokens > 0


def test_what_came_from_the_cache_is_never_more_than_the_input(serve: Serve) -> None:
    told = {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 999}}
    body = {"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}], "usage": told}
    assert openai_model(serve(Step(body=json.dumps(body).encode()))).complete(ASK).usage.cached_tokens == 10


@pytest.mark.parametrize(
    "date",
    [
        "Mon, 01 Jan 99999999999 00:00:00 GMT", "Mon, 99 Jan 2020 99:99:99 GMT", "1 Jan 0000 00:00:00 +9999999999",
        "nan", "inf", "-inf", "soon", "", "1e999", "Mon, 01 Jan 2020",
    ],
)  # fmt: skip
def test_no_date_of_a_server_breaks_the_reading_of_its_error(serve: Serve, date: str) -> None:
    with pytest.raises(errors.ModelRateLimitError):
        openai_model(serve(Step("slow", status=429, headers={"retry-after": date})), retries=0).complete(ASK)
    told = read_retry_after({"retry-after": date})
    assert told is None or told >= 0


def test_a_server_that_refuses_both_names_of_the_length_is_asked_twice(serve: Serve) -> None:
    server = serve(Step("Unsupported parameters: max_tokens, max_completion_tokens", status=400))
    with pytest.raises(errors.ModelRequestError):
        openai_model(server, retries=0).complete(ASK)
    assert len(server.requests) == 2


def test_requests_in_flight_share_what_the_length_is_called(serve: Serve) -> None:
    refused = Step("Unsupported parameter: max_tokens. Use max_completion_tokens.", status=400, delay=0.2)
    server = serve(refused, refused, Step())
    model = openai_model(server, retries=0)

    async def both() -> tuple[Reply, Reply]:
        return await asyncio.gather(model.acomplete(ASK), model.acomplete(ASK))

    assert [reply.text for reply in asyncio.run(both())] == ["fine", "fine"]
    assert sorted("max_completion_tokens" in body for body in server.bodies) == [False, False, True, True]


@pytest.mark.parametrize("stream", [False, True])
def test_what_the_environment_tells_for_openai_goes_to_no_other_server(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, stream: bool
) -> None:
    for name, value in {
        "OPENAI_API_KEY": "sk-user-key", "OPENAI_ORG_ID": "org-mine", "OPENAI_PROJECT_ID": "project-mine",
        "OPENAI_CUSTOM_HEADERS": "X-Gate: secret-gate\nX-Other: b",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    other, own = serve(Step()), serve(Step())
    get_model(f"openai:m@{other.url}", settings=settings_of(stream=stream)).complete(ASK)
    sent = json.dumps(other.requests[0][1])
    assert not [secret for secret in ("sk-user-key", "org-mine", "project-mine", "secret-gate") if secret in sent]
    monkeypatch.setenv("OPENAI_BASE_URL", own.url)
    get_model("openai:m", settings=settings_of(stream=stream)).complete(ASK)
    sent = json.dumps(own.requests[0][1])
    assert all(each in sent for each in ("sk-user-key", "org-mine", "project-mine", "secret-gate"))


def test_half_characters_of_earlier_calls_are_no_end_of_a_conversation(serve: Serve) -> None:
    for arguments in ('{"a": "\ud800"}', '{"a": "\\ud800"}'):
        talk = [
            Message("user", "a\ud800"),
            Message("assistant", "", tool_calls=(ToolCall("1\ud800", "f", arguments),)),
            Message("tool", "x", tool_call_id="1\ud800"),
        ]
        assert openai_model(serve(Step())).complete(talk).text == "fine"
        assert anthropic_model(serve(Step())).complete(talk).text == "fine"


class Foreign:
    name = "foreign"

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def complete(self, messages: Any, **wishes: Any) -> Any:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer

    async def acomplete(self, messages: Any, **wishes: Any) -> Any:
        return self.complete(messages)


@pytest.mark.parametrize("answer", [None, "text", 5, Reply(text=None)], ids=repr)  # type: ignore[arg-type]
def test_a_model_of_somebody_else_that_gives_no_reply(answer: Any) -> None:
    with pytest.raises(errors.ModelResponseError, match="not a Reply"):
        guard(Foreign(answer)).complete(ASK)


def test_an_iterator_that_ends_inside_a_model_holds_nobody_up() -> None:
    with pytest.raises(errors.ModelCallError, match="StopIteration"):
        guard(Foreign(StopIteration())).complete(ASK)


@pytest.mark.parametrize("cost", [float("nan"), float("inf"), -5.0])
def test_no_usage_that_is_told_gives_anything_back(cost: float) -> None:
    budget = Budget()
    guard(Foreign(Reply("x", usage=Usage(-500, -500, cost=cost))), budget=budget).complete(ASK)
    assert budget.spent.usage.input_tokens > 0
    assert budget.spent.usage.output_tokens > 0
    assert budget.spent.usage.cost is None


def test_cassettes_edited_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    get_model("command:cat", record=path).complete(ASK)
    line = json.loads(path.read_text())

    def replayed(*lines: str, mark: str = "") -> str:
        path.write_text(mark + "\n".join(lines), encoding="utf-8")
        return get_model(f"replay:{path}").complete(ASK).text

    text = json.dumps({**line, "reply": {"text": "a\u2028b\x85c"}}, ensure_ascii=False)
    assert replayed(text) == "a\u2028b\x85c"
    assert replayed(json.dumps(line) + "\r", mark="\ufeff") == "hi"
    wrong: dict[str, Any]
    for wrong in ({"call": "1"}, {"call": None}, {"call": [1]}, {"reply": "x"}, {"reply": None}, {"reply": []}):
        with pytest.raises(errors.CassetteError, match="Line 2"):
            replayed(json.dumps(line), json.dumps({**line, **wrong}))
    with pytest.raises(errors.CassetteError, match="Line 1"):
        replayed("[" * 100_000)


@pytest.mark.parametrize(
    "line",
    ['{"text": "x", "delay": -1}', '{"text": "x", "delay": NaN}', '{"text": "x", "delay": 1e999}', "[" * 100_000],
)
def test_scripts_edited_by_hand(tmp_path: Path, line: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(line)
    with pytest.raises(errors.ModelError, match="Line 1"):
        get_model(f"scripted:{path}")


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", "http://127.0.0.1:11434/v1"), ("127.0.0.1", "http://127.0.0.1:11434/v1"), ("gpu", "http://gpu:11434/v1"),
        (":5000", "http://127.0.0.1:5000/v1"), ("0.0.0.0:11434", "http://0.0.0.0:11434/v1"),
        ("[::1]", "http://[::1]:11434/v1"), ("[::1]:5", "http://[::1]:5/v1"), ("https://gpu/", "https://gpu/v1"),
        ("http://gpu:5/v1/", "http://gpu:5/v1"),
    ],
)  # fmt: skip
def test_ollama_host_is_read_as_ollama_does(monkeypatch: pytest.MonkeyPatch, host: str, url: str) -> None:
    monkeypatch.setenv("OLLAMA_HOST", host)
    model = get_model("ollama:m")
    assert model.identity == f"ollama:m@{url}"
