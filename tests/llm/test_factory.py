from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from llm.conftest import settings_of
from llm.server import ModelServer
from sherloc import errors, locate, protocols
from sherloc.llm import ScriptedModel, get_model, guard
from sherloc.protocols import Message, Reply
from sherloc.settings import load_settings

ROOT = Path(__file__).parents[2]
ASK = [Message("user", "hi")]


@pytest.mark.parametrize("spec", ["", "gpt", "openai:", "openai: ", ":x"])
def test_names_that_cannot_be_understood(spec: str) -> None:
    with pytest.raises(errors.SettingsError):
        get_model(spec)


def test_unknown_providers_are_told_the_known_ones() -> None:
    settings = settings_of(endpoints={"lab": {"base_url": "http://127.0.0.1/v1"}})
    with pytest.raises(errors.SettingsError, match="no provider 'opnai'") as caught:
        get_model("opnai:x", settings=settings)
    assert caught.value.hint == ("Providers: anthropic, command, lab, litellm, ollama, openai, replay, scripted.")


def test_missing_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(errors.ModelAuthError, match="openai:x needs a key") as caught:
        get_model("openai:x")
    assert "OPENAI_API_KEY" in caught.value.hint
    settings = settings_of(endpoints={"lab": {"base_url": "http://127.0.0.1/v1", "api_key_env": "LAB_KEY"}})
    with pytest.raises(errors.ModelAuthError, match="lab:x needs a key"):
        get_model("lab:x", settings=settings)


def test_models_of_one_name_on_different_servers_are_told_apart(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for variable in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "OLLAMA_HOST"):
        monkeypatch.delenv(variable, raising=False)
    settings = settings_of(endpoints={"lab": {"base_url": "http://lab:1/v1"}})
    told = {
        "openai:m@http://A:8000/v1/": "openai:m@http://a:8000/v1",
        "openai:m@https://user:secret@b/v1?key=secret": "openai:m@https://b/v1",
        "openai:m@http://[::1": "openai:m@http://[::1",
        "openai:m@https://api.openai.com/v1/": "openai:m",
        "openai:m": "openai:m",
        "lab:m": "lab:m@http://lab:1/v1",
        "ollama:m": "ollama:m@http://127.0.0.1:11434/v1",
        "anthropic:m": "anthropic:m",
        "command:cat": "command:cat",
    }
    for spec, identity in told.items():
        key = "" if "@" in spec or spec.startswith("lab") else "k"
        model = get_model(spec, settings=settings, api_key=key, record=tmp_path / "tape.jsonl")
        assert (model.identity, model.name) == (identity, spec.partition("@http")[0])
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://gate")
    assert get_model("anthropic:m", api_key="k").identity == "anthropic:m@http://gate"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://gate/v1")
    assert get_model("openai:m", api_key="k").identity == "openai:m@http://gate/v1"


_WITHOUT_SDKS = """
import importlib.machinery
find = importlib.machinery.PathFinder.find_spec
importlib.machinery.PathFinder.find_spec = classmethod(
    lambda cls, name, path=None, target=None: (
        None if name in ("openai", "anthropic", "litellm") else find(name, path, target)
    )
)
from sherloc.errors import MissingExtraError
from sherloc.llm import get_model
for name in ("openai:x", "ollama:x", "anthropic:x", "litellm:x"):
    try:
        get_model(name, api_key="k")
    except MissingExtraError as error:
        print(error.exit_code, error.hint)
"""


def test_a_missing_sdk_names_its_extra() -> None:
    run = [sys.executable, "-c", _WITHOUT_SDKS]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == [
        f"5 Install it with: pip install 'sherloc[{extra}]'" for extra in ("openai", "openai", "anthropic", "litellm")
    ]


def test_nothing_heavy_is_loaded_before_it_is_needed() -> None:
    heavy = "{'openai', 'anthropic', 'litellm', 'httpx', 'httpx2', 'anyio', 'trio'}"
    for code in ("import sherloc", "from sherloc import locate", "import sherloc.llm, sherloc.llm.roles"):
        check = f"{code}\nimport sys\nassert not {heavy} & set(sys.modules), {heavy} & set(sys.modules)"
        subprocess.run([sys.executable, "-c", check], cwd=ROOT, check=True, timeout=60)


def test_every_kind_of_model_fits_the_seam(tmp_path: Path) -> None:
    (tmp_path / "s").write_text('"x"')
    names = ["ollama:x", "command:echo", f"scripted:{tmp_path / 's'}", "anthropic:x", "openai:x"]
    for name in names:
        model = get_model(name, api_key="some-key")
        assert isinstance(model, protocols.ChatModel)
        assert repr(model) == f"Model({name!r})"


def test_somebody_elses_model_gets_the_same_care() -> None:
    class Theirs:
        name = "theirs"
        calls = 0

        def complete(self, messages: object, **_: object) -> Reply:
            self.calls += 1
            if self.calls == 1:
                raise ConnectionResetError("gone")
            if self.calls == 3:
                raise KeyError("their fault")
            return Reply(str(messages))

        async def acomplete(self, messages: object, **_: object) -> Reply:
            raise AssertionError("not used: it may belong to another loop")

    theirs = Theirs()
    model = guard(theirs, settings=settings_of(first_wait_seconds=0))
    reply = model.complete([Message("user", "token ghp_n3K9wQ2eL5bV8mY1pX4cZ7aR0fT6sH3uJ8oI")])
    assert reply.attempts == 2
    assert "[redacted github_token]" in reply.text
    with pytest.raises(errors.ModelCallError, match="KeyError: 'their fault'"):
        model.complete(ASK)
    assert guard(model) is model


def test_redaction_can_be_turned_off_by_the_user_alone() -> None:
    model = ScriptedModel(["a"])
    text = "ghp_n3K9wQ2eL5bV8mY1pX4cZ7aR0fT6sH3uJ8oI"
    guard(model, settings=settings_of(redact_secrets=False)).complete([Message("user", text)])
    assert model.calls[0][0].content == text


@pytest.mark.parametrize(
    "toml",
    [
        '[models]\ndefault = "command:evil"',
        '[models]\nredact_secrets = false',
        '[models.endpoints.openai]\nbase_url = "http://evil/v1"',
        '[limits]\ncalls = 1000000',
        'models = 1',
    ],
)  # fmt: skip
def test_a_repository_sets_no_model_and_no_limit(tmp_path: Path, toml: str) -> None:
    with pytest.raises(errors.SettingsError, match="a repository may set only"):
        load_settings(repository_toml=toml.encode())
    (tmp_path / "a.py").write_text("def f():\n    pass\n")
    (tmp_path / ".sherloc.toml").write_text(toml)
    with pytest.raises(errors.SettingsError, match="a repository may set only"):
        locate("f is wrong\n\nf does nothing", tmp_path)


@pytest.mark.parametrize(
    ("section", "value"),
    [
        ({"models": {"prices": {"m": {"input": -1, "output": 1}}}}, "input"),
        ({"models": {"prices": {"m": {"input": 1}}}}, "output"),
        ({"models": {"prices": {"m": {"input": float("inf"), "output": 1}}}}, "input"),
        ({"models": {"concurrency": 0}}, "concurrency"),
        ({"models": {"timeout_seconds": 0}}, "timeout"),
        ({"models": {"nonsense": 0}}, "nonsense"),
        ({"limits": {"cost": float("nan")}}, "cost"),
        ({"limits": {"calls": -1}}, "calls"),
    ],
)
def test_settings_out_of_range(section: dict[str, object], value: str) -> None:
    with pytest.raises(errors.SettingsError, match=value):
        load_settings(section)


@pytest.mark.parametrize("given", ["", "given-key"])
@pytest.mark.parametrize("header", ["X-Gate", "Authorization", "authorization", "X-Api-Key", "x-api-key"])
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_keys_and_headers_of_the_user_go_to_no_other_server(
    serve: Callable[..., ModelServer], monkeypatch: pytest.MonkeyPatch, provider: str, header: str, given: str
) -> None:
    server = serve()
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.setenv(name, "the-users-own")
    for name in ("OPENAI_CUSTOM_HEADERS", "ANTHROPIC_CUSTOM_HEADERS"):
        monkeypatch.setenv(name, f"{header}: the-users-own")
    url = server.url if provider == "openai" else server.root
    get_model(f"{provider}:m", base_url=url, api_key=given).complete(ASK)
    sent = server.requests[-1][1]
    assert "the-users-own" not in str(sent)
    key = sent["authorization"].removeprefix("Bearer ") if provider == "openai" else sent["x-api-key"]
    assert key == (given or "none")


def test_keys_and_headers_of_the_user_go_where_the_users_environment_points(
    serve: Callable[..., ModelServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve()
    for provider, url in (("openai", server.url), ("anthropic", server.root)):
        monkeypatch.setenv(f"{provider.upper()}_API_KEY", "own-key")
        monkeypatch.setenv(f"{provider.upper()}_BASE_URL", url)
        monkeypatch.setenv(f"{provider.upper()}_CUSTOM_HEADERS", "X-Gate: mine")
        get_model(f"{provider}:m").complete(ASK)
        sent = server.requests[-1][1]
        assert "own-key" in (sent.get("authorization", "").removeprefix("Bearer "), sent.get("x-api-key"))
        assert sent["x-gate"] == "mine"


@pytest.mark.parametrize(
    "place",
    ["localhost", "localhost:8000", "localhost/v1", "gpu-3:8000/v1", "10.0.0.7", "10.0.0.7:80", "Models.example.org"],
)
def test_a_server_without_a_scheme_is_not_taken_for_a_model_of_openai(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-for-openai-alone")
    with pytest.raises(errors.SettingsError, match="names a server without http://") as caught:
        get_model(f"openai:qwen@{place}")
    assert caught.value.hint == f"Write openai:qwen@http://{place}"


@pytest.mark.parametrize("model", ["@cf/meta/llama-3", "gpt-5@2026", "ft:gpt@mine", "a@1.5"])
def test_models_with_an_at_in_their_names(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-for-openai-alone")
    assert get_model(f"openai:{model}").name == f"openai:{model}"


def test_what_is_no_conversation_or_no_schema_gets_words() -> None:
    model: Any = guard(ScriptedModel(["{}"]))

    class Finding(BaseModel):
        title: str

    for messages, schema, words in (
        ("hello", None, "a list of Message"),
        (["hello"], None, "a list of Message"),
        ([Message("user", "a")], Finding, r"Model\.model_json_schema\(\)"),
    ):
        with pytest.raises(ValueError, match=words):
            model.complete(messages, schema=schema)
