"""A key is set, every error is provoked, and the key is looked for everywhere."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from llm.conftest import settings_of
from llm.server import ModelServer, Step
from llm.test_faults import FAULTS
from sherloc.errors import SherlocError
from sherloc.llm import get_model
from sherloc.protocols import Message, Reply

# Of no known form, so that only knowing it hides it.
KEY = "plain-words-as-a-key"
Serve = Callable[..., ModelServer]


def echoes() -> list[Step]:
    """Servers that send the key back in every way."""
    events = "text/event-stream"
    return [
        Step(f"Incorrect API key provided: {KEY}", 401),
        Step(f"bad {KEY}", 400, code=KEY),
        Step(f"busy {KEY}", 429),
        Step(f"oops {KEY}", 500),
        Step(body=f"<html>{KEY}".encode()),
        Step(body=f'{{"error": "{KEY}"}}'.encode()),
        Step(body=f'{{"error": {{"code": 500, "message": "{KEY}"}}}}'.encode()),
        Step(
            body=f'event: error\ndata: {{"error": {{"message": "{KEY}"}}}}\n\n'.encode(),
            content_type=events,
        ),
        Step(body=f"event: x\ndata: {{{KEY}\n\n".encode(), content_type=events),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_nowhere(
    serve: Serve,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    provider: str,
    stream: bool,
) -> None:
    monkeypatch.setenv(f"{provider.upper()}_API_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    seen: list[str] = []
    cassette = tmp_path / "c.jsonl"
    settings = settings_of(stream=stream, retries=1, first_wait_seconds=0, timeout_seconds=2, idle_seconds=0.3)
    steps = [*echoes(), *(fault.step for fault in FAULTS.values()), Step("cut " * 50, cut=150), Step()]
    raised = 0
    server = serve()
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.root)
    model = get_model(f"{provider}:m", settings=settings, record=cassette)
    seen.append(repr(model) + repr(model.budget.spent))
    for step in steps:
        server.plan = [step]
        try:
            reply = model.complete([Message("user", "hi")])
        except SherlocError as error:
            raised += 1
            seen.append("".join(traceback.TracebackException.from_exception(error, capture_locals=False).format()))
            seen += [repr(error), str(error), repr(vars(error)), repr(error.__context__), repr(error.__cause__)]
        else:
            assert isinstance(reply, Reply)
            assert step is steps[-1], step
            seen.append(repr(reply))
        assert KEY in str(server.requests[-1][1]), "the key was not sent at all"
    assert raised == len(steps) - 1
    seen += [caplog.text, cassette.read_text(), repr(settings), settings.model_dump_json()]
    assert caplog.text
    leaks = [text[max(0, text.index(KEY) - 150) : text.index(KEY) + 40] for text in seen if KEY in text]
    assert leaks == []
