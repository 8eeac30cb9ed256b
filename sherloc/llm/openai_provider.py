"""Any server that speaks OpenAI's chat completions: OpenAI, vLLM, Ollama, llama.cpp, OpenRouter and others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sherloc.errors import ModelRequestError
from sherloc.llm import loop
from sherloc.llm.endpoint import NO_KEY, Endpoint, json_of, reading, without_variable
from sherloc.llm.openai_wire import StreamFold, read_completion, to_wire
from sherloc.llm.options import CallOptions
from sherloc.llm.request import Request
from sherloc.protocols import Reply

if TYPE_CHECKING:
    from openai import AsyncOpenAI

OPENAI_URL = "https://api.openai.com/v1"
_LENGTHS = ("max_tokens", "max_completion_tokens")


class OpenAIProvider(Endpoint):
    """Asks one model of one server.

    Args:
        model: The server's name for it.
        name: What it is called in reports.
        api_key: The key, or empty for a server without one.
        base_url: Address up to ``/v1``; redirects away from it are not followed.
        options: How it is asked.
    """

    kind = "openai"
    own_url = OPENAI_URL
    may_refuse = {
        "response_format": ("response_format", "json_schema", "json schema", "grammar", "guided"),
        "temperature": ("temperature",),
        "stream_options": ("stream_options", "include_usage"),
    }

    def __init__(
        self,
        model: str,
        *,
        name: str = "",
        api_key: str = "",
        base_url: str = OPENAI_URL,
        options: CallOptions | None = None,
    ) -> None:
        super().__init__(model, name=name, api_key=api_key, base_url=base_url, options=options)
        self._client = loop.PerLoop(self._connect)
        self._lengths = [_LENGTHS[1] if base_url.rstrip("/") == OPENAI_URL else _LENGTHS[0]]

    def _body(self, request: Request) -> dict[str, Any]:
        options = self._options
        body = {"model": self._model, **to_wire(request), self._lengths[-1]: request.max_tokens or options.max_tokens}
        if options.temperature is not None:
            body["temperature"] = options.temperature
        if options.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return body

    def _adapt(self, error: ModelRequestError, body: Mapping[str, Any]) -> bool:
        """Whether the server knows the limit on the reply under the older or newer name, which is used from now on.

        It is changed once: a server that refuses either name is not asked for ever.
        """
        sent = next((name for name in _LENGTHS if name in body), "")
        other = next(name for name in _LENGTHS if name != sent)
        if not sent or error.status not in (400, 422) or sent not in error.message:
            return False
        if other not in error.message and "unsupported" not in error.message.lower():
            return False
        if len(self._lengths) == 1:
            self._lengths.append(other)
        return self._lengths[-1] != sent  # another request may have changed it since this one was sent

    async def _send(self, body: dict[str, Any], request: Request) -> Reply:
        client = self._client.get()
        if body.get("stream"):
            return await self._receive(client, body, request)
        create: Any = client.chat.completions.with_raw_response.create
        raw = (await create(**body)).http_response
        return read_completion(json_of(raw.text, raw.headers, self._name), self._name, request)

    async def _receive(self, client: AsyncOpenAI, body: dict[str, Any], request: Request) -> Reply:
        fold = StreamFold()
        create: Any = client.chat.completions.create
        stream = await create(**body)
        async with stream:
            if "application/json" in stream.response.headers.get("content-type", ""):
                text = (await stream.response.aread()).decode("utf-8", "replace")
                return read_completion(json_of(text, stream.response.headers, self._name), self._name, request)
            async for chunk in stream:
                with reading(self._name):
                    fold.add(chunk.to_dict(mode="json", exclude_unset=True, warnings=False))
        return fold.reply(self._name, request)

    def _connect(self) -> AsyncOpenAI:
        import openai

        place: dict[str, Any] = {"api_key": self._key or NO_KEY, "base_url": self._base_url}
        own = self._is_own("OPENAI_BASE_URL")
        if not own:
            key = {"Authorization": f"Bearer {place['api_key']}"}
            place["default_headers"] = without_variable("OPENAI_CUSTOM_HEADERS", openai.Omit, key)
        client: AsyncOpenAI = self._open(openai, openai.AsyncOpenAI, **place)
        if not own:  # nor are these any other server's business, which the SDK takes from the environment, too
            client.organization = client.project = None
        return client
