from __future__ import annotations

from collections.abc import Callable

import pytest

from llm.conftest import KEY, anthropic_model
from llm.server import ModelServer, Step
from sherloc import errors
from sherloc.llm import get_model
from sherloc.protocols import Message, ToolCall

Serve = Callable[..., ModelServer]
ASK = [Message("user", "hi")]


def test_what_is_sent(serve: Serve) -> None:
    server = serve()
    calls = (ToolCall("a", "view", '{"path": "x"}'), ToolCall("b", "view", "no json"))
    talk = [
        Message("system", "One."),
        Message("system", "Two."),
        Message("user", "look"),
        Message("assistant", "  ", tool_calls=calls),
        Message("tool", "text of x", tool_call_id="a"),
        Message("tool", "", tool_call_id="b"),
        Message("user", "go on"),
    ]
    tool = {"name": "view", "description": "Shows.", "parameters": {"type": "object", "properties": {}}}
    schema = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 0}}}
    anthropic_model(server).complete(talk, tools=[tool], schema=schema, max_tokens=9)
    path, headers, body = server.requests[0]
    assert path == "/v1/messages"
    assert KEY in str(headers)
    assert body == {
        "model": "m",
        "max_tokens": 9,
        "system": "One.\n\nTwo.",
        "temperature": 0.0,
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "look"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": "a", "name": "view", "input": {"path": "x"}},
                    {"type": "tool_use", "id": "b", "name": "view", "input": {"arguments": "no json"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "a", "content": "text of x"},
                    {"type": "tool_result", "tool_use_id": "b", "content": "(empty)"},
                    {"type": "text", "text": "go on"},
                ],
            },
        ],
        "tools": [{"name": "view", "description": "Shows.", "input_schema": {"type": "object", "properties": {}}}],
        "output_config": {
            "format": {
                "type": "json_schema",
                "schema": {
                    "type": "object",
                    "properties": {"n": {"type": "integer", "description": "(minimum: 0)"}},
                    "additionalProperties": False,
                },
            }
        },
    }


@pytest.mark.parametrize("reason", ["model_context_window_exceeded", "max_tokens"])
def test_a_full_window_is_a_cut(serve: Serve, reason: str) -> None:
    assert anthropic_model(serve(Step(finish=reason))).complete(ASK).stop_reason == "length"


def test_an_unknown_stop_reason_is_said(serve: Serve) -> None:
    reply = anthropic_model(serve(Step(finish="something_new"))).complete(ASK)
    assert (reply.stop_reason, [d.code for d in reply.diagnostics]) == ("end", ["stop_reason_unknown"])


@pytest.mark.parametrize(
    ("refusal", "parameter"),
    [("temperature: not supported by this model", "temperature"), ("output_config.format: no", "output_config")],
)
def test_a_refused_wish_is_left_out_from_then_on(serve: Serve, refusal: str, parameter: str) -> None:
    server = serve(Step(refusal, 400), Step())
    model = anthropic_model(server)
    for _ in range(2):
        assert model.complete(ASK, schema={"type": "object"}).text == "fine"
    assert [parameter in body for body in server.bodies] == [True, False, False]


def test_a_stream_without_an_end_is_a_cut_connection(serve: Serve) -> None:
    start = b'event: message_start\ndata: {"type": "message_start", "message": {"content": [], "usage": {}}}\n\n'
    server = serve(Step(body=start, content_type="text/event-stream"))
    model = anthropic_model(server, stream=True, retries=1, first_wait_seconds=0)
    with pytest.raises(errors.ModelConnectionError, match="in its midst"):
        model.complete(ASK)
    assert model.budget.spent.usage.input_tokens == 2 * 1


def test_no_key_anywhere(serve: Serve, monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ANTHROPIC_BASE_URL", serve().root)
    with pytest.raises(errors.ModelAuthError):
        get_model("anthropic:m").complete(ASK)
