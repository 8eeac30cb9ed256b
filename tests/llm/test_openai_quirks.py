"""What compatible servers leave out or do their own way."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from llm.conftest import KEY, openai_model
from llm.server import ModelServer, Step
from sherloc import errors
from sherloc.llm import get_model
from sherloc.protocols import Message, ToolCall
from sherloc.tokens import estimate_tokens

ASK = [Message("system", "Be brief."), Message("user", "hi")]
TOOL = {"name": "view", "description": "Shows a file.", "parameters": {"type": "object", "properties": {"path": {}}}}
Serve = Callable[..., ModelServer]
streamed = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


@streamed
def test_missing_usage_is_estimated_and_said(serve: Serve, stream: bool) -> None:
    reply = openai_model(serve(Step("six ch", usage=False)), stream=stream).complete(ASK)
    asked, written = estimate_tokens("Be brief.\nhi"), estimate_tokens("six ch\n")
    assert (asked, written) == (3, 3)
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.estimated) == (asked, written, True)
    assert reply.usage.cost is None
    assert [d.code for d in reply.diagnostics] == ["usage_estimated"]


@streamed
def test_missing_stop_reason_is_said(serve: Serve, stream: bool) -> None:
    reply = openai_model(serve(Step(finish=None)), stream=stream).complete(ASK)
    assert (reply.text, reply.stop_reason) == ("fine", "end")
    assert [d.code for d in reply.diagnostics] == ["stop_reason_unknown"]


@streamed
def test_content_null_with_reasoning_and_without_anything(serve: Serve, stream: bool) -> None:
    server = serve(Step(None, message={"reasoning_content": "hmm"}), Step(None))
    model = openai_model(server, stream=stream)
    first, second = model.complete(ASK), model.complete(ASK)
    assert (first.text, first.reasoning) == ("", "hmm")
    assert (second.text, second.reasoning) == ("", "")


def test_reasoning_under_its_newer_name_and_contents_in_parts(serve: Serve) -> None:
    message = {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "reasoning": "hmm"}
    reply = openai_model(serve(Step(message=message))).complete(ASK)
    assert (reply.text, reply.reasoning) == ("ab", "hmm")


@streamed
def test_a_refusal_is_a_stop_reason_whatever_the_server_calls_it(serve: Serve, stream: bool) -> None:
    reply = openai_model(serve(Step(None, message={"refusal": "I will not."})), stream=stream).complete(ASK)
    assert (reply.text, reply.stop_reason) == ("I will not.", "refusal")


@pytest.mark.parametrize(
    ("told", "meant"),
    [("eos", "end"), ("max_tokens", "length"), ("abort", "error"), ("STOP", "end"), ("function_call", "tool_calls")],
)
def test_other_names_of_stop_reasons(serve: Serve, told: str, meant: str) -> None:
    assert openai_model(serve(Step(finish=told))).complete(ASK).stop_reason == meant


def test_tool_calls_with_objects_as_arguments_and_without_ids(serve: Serve) -> None:
    calls: list[dict[str, Any]] = [{"function": {"name": "view", "arguments": {"path": "a"}}}, {"function": {}}, {}]
    reply = openai_model(serve(Step(None, message={"tool_calls": calls}))).complete(ASK, tools=[TOOL])
    assert reply.tool_calls == (ToolCall("call_0", "view", '{"path": "a"}'),)
    assert reply.stop_reason == "tool_calls"
    old = {"function_call": {"name": "view", "arguments": ""}}
    reply = openai_model(serve(Step(None, message=old))).complete(ASK, tools=[TOOL])
    assert reply.tool_calls == (ToolCall("call_0", "view", "{}"),)


@streamed
def test_tool_calls_written_as_text(serve: Serve, stream: bool) -> None:
    text = 'Let me look.\n<tool_call>\n{"name": "view", "arguments": {"path": "a.py"}}\n</tool_call>'
    reply = openai_model(serve(Step(text)), stream=stream).complete(ASK, tools=[TOOL])
    assert (reply.text, reply.stop_reason) == ("Let me look.", "tool_calls")
    assert reply.tool_calls == (ToolCall("call_0", "view", '{"path": "a.py"}'),)
    assert openai_model(serve(Step(text)), stream=stream).complete(ASK).text == text  # no tool was offered


def test_streamed_calls_that_all_have_index_0(serve: Serve) -> None:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"

    body = b"".join(
        chunk({"tool_calls": [{"index": 0, "id": i, "function": {"name": "view", "arguments": f'{{"path": "{i}"}}'}}]})
        for i in ("a", "b")
    )
    server = serve(Step(body=body + chunk({}, "tool_calls"), content_type="text/event-stream"))
    reply = openai_model(server, stream=True).complete(ASK, tools=[TOOL])
    assert [(c.id, c.arguments) for c in reply.tool_calls] == [("a", '{"path": "a"}'), ("b", '{"path": "b"}')]


def test_a_server_that_does_not_stream_when_asked_to(serve: Serve) -> None:
    whole = json.dumps({"choices": [{"message": {"content": "all at once"}, "finish_reason": "stop"}]}).encode()
    assert openai_model(serve(Step(body=whole)), stream=True).complete(ASK).text == "all at once"


@pytest.mark.parametrize(
    ("refusal", "status", "parameter"),
    [
        ("response_format is not supported by this model", 400, "response_format"),
        ("Invalid grammar: cannot compile JSON schema", 422, "response_format"),
        ("literal_error ('body', 'response_format', 'type') should be 'text' or 'json_object'", 500, "response_format"),
        ("Unsupported value: 'temperature' does not support 0", 400, "temperature"),
        ("unknown field stream_options", 501, "stream_options"),
    ],
)
def test_a_refused_wish_is_left_out_from_then_on(serve: Serve, refusal: str, status: int, parameter: str) -> None:
    server = serve(Step(refusal, status), Step())
    model = openai_model(server, stream=True)
    for _ in range(2):
        assert model.complete(ASK, schema={"type": "object"}).text == "fine"
    assert [parameter in body for body in server.bodies] == [True, False, False]


def test_a_refusal_of_what_was_not_sent_is_an_error_at_once(serve: Serve) -> None:
    server = serve(Step("the temperature is wrong", 400))
    with pytest.raises(errors.ModelRequestError):
        openai_model(server, temperature=None).complete(ASK)
    assert len(server.requests) == 1


def test_the_limit_on_the_reply_under_both_names(serve: Serve) -> None:
    told = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    server = serve(Step(told, 400), Step())
    model = openai_model(server)
    for _ in range(2):
        model.complete(ASK, max_tokens=7)
    assert [b.get("max_tokens") for b in server.bodies] == [7, None, None]
    assert [b.get("max_completion_tokens") for b in server.bodies] == [None, 7, 7]


def test_what_is_sent(serve: Serve) -> None:
    server = serve()
    talk = [
        *ASK,
        Message("assistant", "", tool_calls=(ToolCall("a", "view", '{"path": "x"}'),)),
        Message("tool", "its text", tool_call_id="a"),
    ]
    schema = {"type": "object", "properties": {"n": {"type": "integer", "maximum": 5}}, "required": ["n"]}
    openai_model(server).complete(talk, tools=[TOOL, {"type": "function", "function": TOOL}], schema=schema)
    path, headers, body = server.requests[0]
    function = {"type": "function", "function": TOOL}
    number = {"type": "integer", "description": "(maximum: 5)"}
    assert (path, headers["authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "hi"},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {"id": "a", "type": "function", "function": {"name": "view", "arguments": '{"path": "x"}'}}
                ],
            },
            {"role": "tool", "content": "its text", "tool_call_id": "a"},
        ],
        "tools": [function, function],
        "response_format": {
            "type": "json_schema",
            "json_schema": {
                "name": "reply",
                "strict": True,
                "schema": {
                    "type": "object", "properties": {"n": number}, "required": ["n"], "additionalProperties": False,
                },
            },
        },
        "max_tokens": 4096,
        "temperature": 0.0,
    }  # fmt: skip


def test_half_characters_are_sent_as_whole_ones(serve: Serve) -> None:
    server = serve()
    openai_model(server).complete([Message("user", "a\ud800b \U0001f600 c")])
    assert server.bodies[0]["messages"][0]["content"] == "a�b \U0001f600 c"


def test_no_message_and_nameless_tools_are_refused(serve: Serve) -> None:
    with pytest.raises(ValueError, match="at least one message"):
        openai_model(serve()).complete([])
    with pytest.raises(ValueError, match="no name"):
        openai_model(serve()).complete(ASK, tools=[{"description": "x"}])


def test_ollama_by_its_host(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve()
    monkeypatch.setenv("OLLAMA_HOST", server.root.removeprefix("http://"))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert get_model("ollama:llama3").complete(ASK).text == "fine"
    path, headers, _ = server.requests[0]
    assert path == "/v1/chat/completions"
    assert KEY not in str(headers)
