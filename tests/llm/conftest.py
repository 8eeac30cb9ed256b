"""Model servers on loopback, and models that ask them."""

from __future__ import annotations

from typing import Any

import pytest

from llm.server import ModelServer, started_servers
from sherloc.llm import get_model
from sherloc.llm.model import Model
from sherloc.settings import Settings, load_settings

KEY = "sk-local-9fK2mQ7xW4zR8tB1vN6pL3jH5gD0sA"
VARIABLES = (
    "OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL",
    "OLLAMA_HOST", "SHERLOC_MODEL", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _no_keys_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


serve = pytest.fixture(started_servers, name="serve")


def settings_of(**models: Any) -> Settings:
    """Settings with quick retries for tests; ``limits`` is the other section."""
    limits = models.pop("limits", {})
    return load_settings({"models": {"timeout_seconds": 10, **models}, "limits": limits})


def openai_model(server: ModelServer, **models: Any) -> Model:
    """A model of the server through the openai SDK."""
    return get_model("openai:m", settings=settings_of(**models), base_url=server.url, api_key=KEY)


def anthropic_model(server: ModelServer, **models: Any) -> Model:
    """A model of the server through the anthropic SDK."""
    return get_model("anthropic:m", settings=settings_of(**models), base_url=server.root, api_key=KEY)
