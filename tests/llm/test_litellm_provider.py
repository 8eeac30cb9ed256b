"""Through the real LiteLLM, where it is installed (it is too large for the development environment)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from llm.conftest import KEY, settings_of
from llm.server import ModelServer, Step
from sherloc import errors
from sherloc.llm import get_model
from sherloc.protocols import Message, ToolCall

pytestmark = [pytest.mark.skipif(find_spec("litellm") is None, reason="needs the extra litellm"), pytest.mark.slow]
ROOT = Path(__file__).parents[2]
ASK = [Message("user", "hi")]
Serve = Callable[..., ModelServer]


def asked(server: ModelServer, code: str, folder: Path) -> str:
    """Run code in a process of its own, since importing LiteLLM changes warnings and environment for good."""
    start = f"""
from sherloc import errors
from sherloc.llm import get_model
from sherloc.protocols import Message
from sherloc.settings import load_settings
settings = load_settings({{"models": {{"retries": 1, "first_wait_seconds": 0}}}})
model = get_model("litellm:openai/m", settings=settings, api_key={KEY!r}, base_url={server.url!r})
ask = [Message("user", "hi")]
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", start + code], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert KEY not in done.stdout + done.stderr
    return done.stdout.strip()


def test_a_reply(serve: Serve, tmp_path: Path) -> None:
    server = serve(Step(None, calls=[("a", "view", "{}")], finish="tool_calls"))
    told = asked(server, "print(model.complete(ask, tools=[{'name': 'view'}]).tool_calls)", tmp_path)
    assert told == str((ToolCall("a", "view", "{}"),))


@pytest.mark.parametrize(
    ("step", "error", "requests"),
    [
        (Step(f"bad {KEY}", 401), errors.ModelAuthError, 1),
        (Step("none", 404), errors.ModelRequestError, 1),
        (Step("busy", 429), errors.ModelRateLimitError, 2),
        (Step("down", 503), errors.ModelServerError, 2),
        (Step(body=b'{"choices": []}'), errors.ModelResponseError, 1),
    ],
)
def test_faults(serve: Serve, tmp_path: Path, step: Step, error: type[Exception], requests: int) -> None:
    server = serve(step)
    code = "try:\n    model.complete(ask)\nexcept errors.ModelError as error:\n    print(type(error).__name__)\n"
    assert asked(server, code, tmp_path) == error.__name__
    assert len(server.requests) == requests


def test_a_env_file_of_the_current_folder_is_not_read(serve: Serve, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_BASE=http://elsewhere.example/v1\n")
    assert asked(serve(), "import os\nprint(os.environ.get('OPENAI_API_BASE'))", tmp_path) == "None"


def test_the_spec_is_the_name(serve: Serve) -> None:
    model = get_model("litellm:openai/m", settings=settings_of(), api_key=KEY, base_url=serve().url)
    assert model.name == "litellm:openai/m"
