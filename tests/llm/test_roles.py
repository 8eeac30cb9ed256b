from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from llm.conftest import KEY, settings_of
from llm.server import ModelServer, Step
from sherloc import errors
from sherloc.llm import ROLES, FallbackModel, ModelRoles, ScriptedModel, get_model, guard
from sherloc.llm.roles import Role
from sherloc.protocols import ChatModel, Message

ASK = [Message("user", "hi")]
Serve = Callable[..., ModelServer]


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str, str], str]:
    def write(name: str, *lines: str) -> str:
        (tmp_path / name).write_text("\n".join(lines))
        return f"scripted:{tmp_path / name}"

    return write


def ask(model: ChatModel | None) -> str:
    assert model is not None
    return model.complete(ASK).text


def test_no_model_at_all() -> None:
    assert [ModelRoles().get(role) for role in ROLES] == [None] * 7


def test_a_role_has_its_own_model_or_the_default(script: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    own, default, named = script("own", '"own"'), script("default", '"default"'), script("named", '"named"')
    roles = ModelRoles(settings_of(default=default, diagnose=own))
    assert (ask(roles.get("diagnose")), ask(roles.get("rerank"))) == ("own", "default")
    roles = ModelRoles(settings_of(default=default, diagnose=own), model=named)
    assert (ask(roles.get("diagnose")), ask(roles.get("rerank"))) == ("own", "named")
    monkeypatch.setenv("SHERLOC_MODEL", named)
    assert ask(ModelRoles(settings_of()).get("explore")) == "named"
    assert ask(ModelRoles(settings_of(default=default)).get("explore")) == "default"
    assert ask(ModelRoles(model=ScriptedModel(["an object"])).get("explore")) == "an object"


def test_one_name_is_one_model_in_one_budget(script: Callable[..., str]) -> None:
    roles = ModelRoles(settings_of(default=script("d", '"a"', '"b"', '"c"'), limits={"calls": 2}))
    assert roles.get("diagnose") is roles.get("arbitrate")
    assert ask(roles.get("diagnose")) + ask(roles.get("arbitrate")) == "ab"
    with pytest.raises(errors.UsageLimitError):
        ask(roles.get("filter"))
    assert roles.budget.spent.calls == 2


def test_a_model_with_limits_of_its_own_keeps_to_those_of_the_run_too(script: Callable[..., str]) -> None:
    own = get_model(script("m", *['"x"'] * 9), settings=settings_of(limits={"calls": 3}))
    first, second = (ModelRoles(settings_of(limits={"calls": 2}), model=own) for _ in range(2))
    assert ask(first.get("diagnose")) + ask(first.get("rerank")) == "xx"
    with pytest.raises(errors.UsageLimitError, match="2 model calls"):
        ask(first.get("diagnose"))
    assert (first.budget.spent.calls, own.budget.spent.calls) == (2, 2)
    assert ask(second.get("diagnose")) == "x"
    with pytest.raises(errors.UsageLimitError, match="3 model calls"):
        ask(second.get("diagnose"))
    assert (second.budget.spent.calls, own.budget.spent.calls) == (1, 3)
    assert first.budget.spent.usage.input_tokens + second.budget.spent.usage.input_tokens == (
        own.budget.spent.usage.input_tokens
    )


def test_an_unknown_role() -> None:
    role: Role = "nonsense"  # type: ignore[assignment]
    with pytest.raises(errors.UsageError, match="filter, diagnose"):
        ModelRoles().get(role)


def test_fallbacks_are_asked_in_turn_and_told(serve: Serve, script: Callable[..., str]) -> None:
    server = serve(Step("wrong key", 401))
    broken = script("broken", '{"error": "ModelTimeoutError", "message": "slow"}')
    settings = settings_of(default=f"openai:m@{server.url}", fallback=[broken, script("good", '"good"')])
    reply = ModelRoles(settings).get("diagnose").complete(ASK)  # type: ignore[union-attr]
    assert reply.text == "good"
    told = [d.message for d in reply.diagnostics if d.code == "model_fallback"]
    assert len(told) == 2
    assert "wrong key" in told[0]
    assert "slow" in told[1]


def test_when_all_fail_the_last_error_counts() -> None:
    models = [guard(ScriptedModel([errors.ModelRequestError(t)]), settings=settings_of()) for t in ("first", "last")]
    fallback = FallbackModel(models)
    assert fallback.name == "scripted"
    with pytest.raises(errors.ModelRequestError, match=r"^last Before it: The model scripted failed, .*: first$"):
        fallback.complete(ASK)
    with pytest.raises(errors.UsageError):
        FallbackModel([])


def test_a_limit_is_not_fallen_back_from() -> None:
    settings = settings_of(limits={"calls": 0})
    second = ScriptedModel(["x"])
    fallback = FallbackModel([guard(ScriptedModel(["y"]), settings=settings), guard(second, settings=settings_of())])
    with pytest.raises(errors.UsageLimitError):
        fallback.complete(ASK)
    assert second.calls == []


def test_the_key_for_openai_goes_to_no_other_server(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("LAB_KEY", "lab-secret-value")
    server = serve()
    endpoints = {"lab": {"base_url": server.url, "api_key_env": "LAB_KEY"}, "open": {"base_url": server.url}}
    settings = settings_of(endpoints=endpoints)
    for name in (f"openai:org/m:1@{server.url}", "open:m", "lab:m"):
        ask(ModelRoles(settings, model=name).get("diagnose"))
    sent = [headers["authorization"] for _, headers, _ in server.requests]
    assert sent == ["Bearer none", "Bearer none", "Bearer lab-secret-value"]
    assert [body["model"] for body in server.bodies] == ["org/m:1", "m", "m"]
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    ask(ModelRoles(model="openai:m").get("diagnose"))
    assert server.requests[-1][1]["authorization"] == f"Bearer {KEY}"
