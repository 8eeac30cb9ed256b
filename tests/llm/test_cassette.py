from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from llm.conftest import KEY, settings_of
from llm.server import ModelServer, Step
from sherloc import errors
from sherloc.llm import ScriptedModel, get_model
from sherloc.llm.cassette import RecordingProvider
from sherloc.llm.model import Model
from sherloc.llm.records import record_of_reply, reply_from_record, without_secrets_in
from sherloc.protocols import Message, Reply, ToolCall, Usage

ASK = [Message("system", "Be brief."), Message("user", f"hi, my key is {KEY}")]
Serve = Callable[..., ModelServer]


def test_a_recorded_session_replays_alike(serve: Serve, tmp_path: Path) -> None:
    path = tmp_path / "new" / "cassette.jsonl"
    server = serve(Step("one"), Step(None, calls=[("a", "view", "{}")], finish="tool_calls"), Step(f"I saw {KEY}"))
    model = get_model("openai:m", settings=settings_of(), base_url=server.url, api_key=KEY, record=path)
    other = [Message("user", "other")]
    live = [model.complete(ASK), model.complete(ASK), model.complete(other, max_tokens=5)]

    text = path.read_text()
    assert KEY not in text
    first = json.loads(text.splitlines()[0])
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    assert (first["model"], first["call"], len(first["prompt"]), first["date"]) == ("openai:m", 0, 64, today)
    assert first["start"] == "hi, my key is [redacted openai_key]"

    replay = get_model(f"replay:{path}")
    again = [replay.complete(other, max_tokens=5), replay.complete(ASK), replay.complete(ASK)]
    assert [r.text for r in again] == ["I saw [redacted openai_key]", "one", ""]
    assert again[1:] == live[:2]
    assert again[2].tool_calls == (ToolCall("a", "view", "{}"),)
    assert again[1].usage == Usage(10, 5, None, 4, 0, 2)
    assert len(server.requests) == 3


def test_unknown_prompts_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    Model(RecordingProvider(ScriptedModel(["a"]), path)).complete(ASK)
    replay = get_model(f"replay:{path}")
    for changed in ({"max_tokens": 3}, {"schema": {"type": "object"}}, {"tools": [{"name": "x"}]}):
        with pytest.raises(errors.CassetteError, match="does not hold the prompt"):
            replay.complete(ASK, **changed)  # type: ignore[arg-type]
    with pytest.raises(errors.CassetteError, match="which starts: 'something else'"):
        replay.complete([Message("user", "something else")])
    assert replay.complete(ASK).text == "a"
    with pytest.raises(errors.CassetteError, match="1 times, not more"):
        replay.complete(ASK)


def test_a_cassette_is_continued_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    for text in ("a", "b"):
        Model(RecordingProvider(ScriptedModel([text]), path)).complete(ASK)
    replay = get_model(f"replay:{path}")
    assert [replay.complete(ASK).text for _ in range(2)] == ["a", "b"]


def test_concurrent_recording_keeps_every_line_whole(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    model = Model(RecordingProvider(ScriptedModel(lambda m: m[-1].content * 50), path), concurrency=8)
    asks = [[Message("user", f"n{i}")] for i in range(40)]
    with ThreadPoolExecutor(8) as pool:
        live = [r.text for r in pool.map(model.complete, asks)]
    replay = get_model(f"replay:{path}")
    assert [replay.complete(ask).text for ask in reversed(asks)] == live[::-1]


def test_errors_are_not_recorded(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    model = Model(RecordingProvider(ScriptedModel([errors.ModelRequestError("no"), Reply("yes")]), path))
    with pytest.raises(errors.ModelRequestError):
        model.complete(ASK)
    assert path.read_text() == ""


@pytest.mark.parametrize("line", ["{", "[]", '{"version": 2}', '{"version": 1, "prompt": "x", "call": 0}'])
def test_damaged_cassettes(tmp_path: Path, line: str) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text(line)
    with pytest.raises(errors.CassetteError, match="Line 1"):
        get_model(f"replay:{path}")
    with pytest.raises(errors.CassetteError, match="cannot be read"):
        get_model(f"replay:{tmp_path}/none")
    with pytest.raises(errors.CassetteError, match="cannot be written"):
        RecordingProvider(ScriptedModel([]), path / "below a file")


@pytest.mark.parametrize(
    "record",
    [
        {"txt": "a"}, {"text": 5}, {"text": None}, {"stop_reason": "odd"}, {"tool_calls": "x"}, {"tool_calls": [{}]},
        {"tool_calls": [{"id": "1", "name": "n", "arguments": "{}", "more": 1}]}, {"usage": {"bogus": 1}},
        {"usage": {"input_tokens": "many"}}, {"usage": []}, {"diagnostics": [{"code": "x"}]},
    ],
)  # fmt: skip
def test_records_that_are_no_reply(record: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r".+"):
        reply_from_record(record)


def test_a_record_of_a_reply_gives_it_back() -> None:
    usage = Usage(7, 3, cost=0.0, cached_tokens=2, estimated=True)
    reply = Reply("t", "tool_calls", (ToolCall("1", "n", "{}"),), usage, model="m", reasoning="thought")
    assert reply_from_record(record_of_reply(reply)) == reply
    assert reply_from_record({}) == Reply("")
    assert reply_from_record({"tool_calls": [{"id": "1", "name": "n", "arguments": "{}"}]}).stop_reason == "tool_calls"


def test_a_reply_without_secrets() -> None:
    key = "AKIAQ3EGRIVXYPZ7K2WJ"
    clean = without_secrets_in(Reply(f"t {key}", reasoning=f"r {key}", tool_calls=(ToolCall("1", "n", f"a {key}"),)))
    left = "[redacted aws_key]"
    assert (clean.text, clean.reasoning, clean.tool_calls[0].arguments) == (f"t {left}", f"r {left}", f"a {left}")
