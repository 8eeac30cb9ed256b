from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import pytest

from llm.conftest import settings_of
from sherloc import errors
from sherloc.llm import Delayed, ScriptedModel, get_model
from sherloc.protocols import Message, Reply, ToolCall, Usage

ASK = [Message("user", "hi")]


def test_steps_in_order() -> None:
    model = ScriptedModel(["a", Reply("b", "length"), errors.ModelTimeoutError("slow"), Delayed("c", 0.05)])
    assert model.complete(ASK) == Reply("a", usage=Usage(cost=0.0), model="scripted")
    assert asyncio.run(model.acomplete(ASK)).stop_reason == "length"
    with pytest.raises(errors.ModelTimeoutError, match="slow"):
        model.complete(ASK)
    started = time.monotonic()
    assert asyncio.run(model.acomplete(ASK)).text == "c"
    assert time.monotonic() - started >= 0.05
    with pytest.raises(errors.ModelError, match="no reply left at call 5"):
        model.complete(ASK)
    assert len(model.calls) == len(model.requests) == 5


def test_a_function_of_the_messages() -> None:
    model = ScriptedModel(lambda messages: messages[-1].content.upper())
    assert [model.complete([Message("user", t)]).text for t in ("b", "a")] == ["B", "A"]
    assert model.requests[0].max_tokens is None


def test_a_script_file(tmp_path: Path) -> None:
    path = tmp_path / "script.jsonl"
    calls = [{"id": "1", "name": "view", "arguments": "{}"}]
    lines = [
        "plain",
        {"text": "cut", "stop_reason": "length", "usage": {"input_tokens": 3}},
        {"error": "ModelServerError", "message": "down"},
        {"tool_calls": calls, "delay": 0.01},
    ]
    path.write_text("\n\n".join(map(json.dumps, lines)))
    model = get_model(f"scripted:{path}", settings=settings_of(first_wait_seconds=0))
    assert model.complete(ASK).text == "plain"
    assert model.complete(ASK).stop_reason == "length"
    reply = model.complete(ASK)  # the server error is tried again
    assert (reply.attempts, reply.stop_reason, reply.tool_calls) == (2, "tool_calls", (ToolCall("1", "view", "{}"),))


@pytest.mark.parametrize(
    "line", ["{", "[1]", '{"error": "KeyError"}', '{"text": 5}', '{"stop_reason": "x"}', '{"nonsense": 1}', "7"]
)
def test_bad_scripts(tmp_path: Path, line: str) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text(line)
    with pytest.raises(errors.ModelError, match="Line 1"):
        get_model(f"scripted:{path}")
    with pytest.raises(errors.ModelError, match="cannot be read"):
        get_model(f"scripted:{tmp_path}/none")
