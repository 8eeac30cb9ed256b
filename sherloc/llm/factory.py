"""From a model's name to a model.

Names are ``provider:model``. Endpoints, keys and commands come from the caller, the user's settings and the
environment; never from a repository.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sherloc.errors import MissingExtraError, ModelAuthError, SettingsError
from sherloc.llm.anthropic_provider import AnthropicProvider
from sherloc.llm.cassette import RecordingProvider, ReplayProvider
from sherloc.llm.command import CommandProvider
from sherloc.llm.limits import Budget
from sherloc.llm.litellm_provider import LiteLLMProvider, import_litellm
from sherloc.llm.model import AsyncModel, ForeignProvider, Model
from sherloc.llm.openai_provider import OPENAI_URL, OpenAIProvider
from sherloc.llm.options import CallOptions
from sherloc.llm.request import Provider
from sherloc.llm.retries import RetryPolicy
from sherloc.llm.scripted import ScriptedModel, read_script
from sherloc.protocols import ChatModel
from sherloc.settings import Price, Settings

_BARE_ADDRESS = re.compile(
    r"@(?:localhost|[^@/\s]+:\d+|\d+(?:\.\d+){3}|(?:[\w-]+\.)+[a-z]{2,})(?:[:/]|$)", re.IGNORECASE
)
_OLLAMA_URL = "http://127.0.0.1:11434"


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a provider is made from."""

    spec: str
    model: str
    settings: Settings
    api_key: str
    base_url: str

    @property
    def options(self) -> CallOptions:
        models = self.settings.models
        return CallOptions(
            models.temperature, models.max_tokens, models.stream, models.timeout_seconds, models.idle_seconds
        )


def get_model(
    spec: str,
    *,
    settings: Settings | None = None,
    budget: Budget | None = None,
    api_key: str = "",
    base_url: str = "",
    record: Path | str | None = None,
) -> Model:
    """The model of a name, with retries, limits and redaction around it.

    Names: ``openai:MODEL``, ``openai:MODEL@URL`` (any compatible server), ``NAME:MODEL`` (a server of
    ``models.endpoints``), ``anthropic:MODEL``, ``ollama:MODEL``, ``litellm:PROVIDER/MODEL``,
    ``command:PROGRAM ARGUMENTS``, ``scripted:FILE``, ``replay:FILE``.

    Args:
        spec: The name.
        settings: Sections ``models`` and, without a budget, ``limits``.
        budget: Limits shared with other models.
        api_key: The key, instead of the environment's.
        base_url: The server, instead of the provider's own.
        record: A cassette to which every reply is appended.

    Raises:
        SettingsError: The name cannot be understood, or money is limited and the model has no price.
        MissingExtraError: The SDK is not installed.
        ModelAuthError: The key is missing.
        ModelError: The command, script or cassette cannot be used.
    """
    settings = settings or Settings()
    kind, colon, rest = spec.partition(":")
    if not colon or not rest.strip():
        raise SettingsError(f"The model {spec!r} is not of the form provider:model.", hint=_known(settings))
    make = _endpoint if kind in settings.models.endpoints else _MAKERS.get(kind)
    if make is None:
        raise SettingsError(f"There is no provider {kind!r} for the model {spec!r}.", hint=_known(settings))
    provider = make(_Wanted(spec, rest.strip(), settings, api_key, base_url))
    return _guarded(RecordingProvider(provider, record) if record else provider, settings, budget)


def guard(model: ChatModel, *, settings: Settings | None = None, budget: Budget | None = None) -> AsyncModel:
    """Any ``ChatModel`` with retries, limits and redaction around it; one that has them counts in ``budget``, too.

    Raises:
        SettingsError: Money is limited and the model has no price.
    """
    if isinstance(model, Model) and budget is not None:
        return model.within(budget)
    if isinstance(model, AsyncModel):
        return model
    return _guarded(ForeignProvider(model), settings or Settings(), budget)


def _guarded(provider: Provider, settings: Settings, budget: Budget | None) -> Model:
    models = settings.models
    return Model(
        provider,
        price=price_of(provider.name, settings),
        budget=budget or Budget(settings.limits),
        retries=RetryPolicy(models.retries, models.first_wait_seconds, models.max_wait_seconds),
        timeout=models.timeout_seconds,
        concurrency=models.concurrency,
        redact_secrets=models.redact_secrets,
        max_tokens=models.max_tokens,
    )


def price_of(name: str, settings: Settings) -> Price | None:
    """What a model costs, by its whole name or without its provider; None: unknown."""
    prices = settings.models.prices
    return prices.get(name) or prices.get(name.partition(":")[2])


def _known(settings: Settings) -> str:
    return f"Providers: {', '.join(sorted({*_MAKERS, *settings.models.endpoints}))}."


def _require(package: str, purpose: str) -> None:
    """Import an SDK now, in the caller's thread, rather than on the loop that all models share."""
    if importlib.util.find_spec(package) is None:
        raise MissingExtraError(package, package, purpose)
    if package == "litellm":
        import_litellm()
    else:
        importlib.import_module(package)


def _key(wanted: _Wanted, variable: str) -> str:
    key = wanted.api_key or os.environ.get(variable, "")
    if not key:
        raise ModelAuthError(f"The model {wanted.spec} needs a key.", hint=f"Set {variable} in the environment.")
    return key


def _openai(wanted: _Wanted) -> Provider:
    _require("openai", "The provider openai")
    model, _, address = wanted.model.partition("@http")
    if not address and _BARE_ADDRESS.search(model):
        # Else the user's prompt and key would go to OpenAI.
        name, _, place = model.rpartition("@")
        raise SettingsError(
            f"The model {wanted.spec!r} names a server without http:// or https://.",
            hint=f"Write openai:{name}@http://{place}",
        )
    own = wanted.base_url or (f"http{address}" if address else "")
    # The user's key for OpenAI goes to OpenAI, or to where the user's environment points, and nowhere else.
    key = wanted.api_key if own else _key(wanted, "OPENAI_API_KEY")
    url = own or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL
    return OpenAIProvider(model, name=f"openai:{model}", api_key=key, base_url=url, options=wanted.options)


def _ollama(wanted: _Wanted) -> Provider:
    _require("openai", "The provider ollama")
    url = wanted.base_url or _ollama_url(os.environ.get("OLLAMA_HOST", ""))
    url = (url if "://" in url else f"http://{url}").rstrip("/")
    url = url if url.endswith("/v1") else f"{url}/v1"
    return OpenAIProvider(wanted.model, name=wanted.spec, api_key=wanted.api_key, base_url=url, options=wanted.options)


def _ollama_url(host: str) -> str:
    """The address in ``OLLAMA_HOST``, as Ollama itself reads it: without a scheme it has Ollama's own port."""
    host = host.strip()
    if not host or "://" in host:
        return host or _OLLAMA_URL
    place, slash, path = host.partition("/")
    name, _, port = place.rpartition(":") if re.search(r":[0-9]*$", place) else (place, "", "")
    return f"http://{name or '127.0.0.1'}:{port or '11434'}{slash}{path}"


def _endpoint(wanted: _Wanted) -> Provider:
    kind = wanted.spec.partition(":")[0]
    endpoint = wanted.settings.models.endpoints[kind]
    _require("openai", f"The endpoint {kind}")
    key = _key(wanted, endpoint.api_key_env) if endpoint.api_key_env else wanted.api_key
    url = wanted.base_url or endpoint.base_url
    return OpenAIProvider(wanted.model, name=wanted.spec, api_key=key, base_url=url, options=wanted.options)


def _anthropic(wanted: _Wanted) -> Provider:
    _require("anthropic", "The provider anthropic")
    # As with OpenAI's: the user's key goes to no other server.
    key = wanted.api_key or ("" if wanted.base_url else os.environ.get("ANTHROPIC_API_KEY", ""))
    return AnthropicProvider(
        wanted.model, name=wanted.spec, api_key=key, options=wanted.options,
        base_url=wanted.base_url or os.environ.get("ANTHROPIC_BASE_URL", ""),
    )  # fmt: skip


def _litellm(wanted: _Wanted) -> Provider:
    _require("litellm", "The provider litellm")
    return LiteLLMProvider(
        wanted.model, name=wanted.spec, api_key=wanted.api_key, base_url=wanted.base_url, options=wanted.options
    )


def _command(wanted: _Wanted) -> Provider:
    models = wanted.settings.models
    try:
        arguments = shlex.split(wanted.model)
    except ValueError as error:
        raise SettingsError(f"The command {wanted.model!r} cannot be read: {error}.") from error
    return CommandProvider(
        arguments, name=wanted.spec, environment=models.command_environment, max_bytes=models.max_reply_bytes
    )


def _scripted(wanted: _Wanted) -> Provider:
    return ScriptedModel(read_script(wanted.model), name=wanted.spec)


def _replay(wanted: _Wanted) -> Provider:
    return ReplayProvider(wanted.model)


_MAKERS: dict[str, Callable[[_Wanted], Provider]] = {
    "anthropic": _anthropic,
    "command": _command,
    "litellm": _litellm,
    "ollama": _ollama,
    "openai": _openai,
    "replay": _replay,
    "scripted": _scripted,
}
