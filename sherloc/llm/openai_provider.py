"""Any server that speaks OpenAI's chat completions: OpenAI, vLLM, Ollama, llama.cpp, OpenRouter and others."""

from __future__ import annotations

import asyncio
import json
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sherloc.errors import ModelRequestError, ModelResponseError
from sherloc.llm import loop
from sherloc.llm.foreign_errors import mapped
from sherloc.llm.openai_wire import StreamFold, read_completion, to_wire
from sherloc.llm.options import CallOptions, Wishes
from sherloc.llm.request import Request
from sherloc.protocols import Reply

if TYPE_CHECKING:
    from openai import AsyncOpenAI

OPENAI_URL = "https://api.openai.com/v1"
_CONNECT_SECONDS = 10.0
_NO_KEY = "none"  # the SDK insists on one


class OpenAIProvider:
    """Asks one model of one server.

    Args:
        model: The server's name for it.
        name: What it is called in reports.
        api_key: The key, or empty for a server without one.
        base_url: Address up to ``/v1``; redirects away from it are not followed.
        options: How it is asked.
    """

    def __init__(
        self,
        model: str,
        *,
        name: str = "",
        api_key: str = "",
        base_url: str = OPENAI_URL,
        options: CallOptions | None = None,
    ) -> None:
        self._model = model
        self._name = name or f"openai:{model}"
        self._key = api_key
        self._base_url = base_url
        self._options = options or CallOptions()
        self._client = loop.PerLoop(self._connect)
        self._length = "max_completion_tokens" if base_url.rstrip("/") == OPENAI_URL else "max_tokens"
        self._wishes = Wishes(
            {
                "response_format": ("response_format", "json_schema", "json schema", "grammar", "guided"),
                "temperature": ("temperature",),
                "stream_options": ("stream_options", "include_usage"),
            }
        )

    @property
    def name(self) -> str:
        """What the model is called in reports."""
        return self._name

    async def ask(self, request: Request) -> Reply:
        """One attempt; parameters that the server refuses are left out and it is asked again.

        Raises:
            ModelCallError: It failed.
        """
        while True:
            body = self._body(request)
            try:
                return await mapped(self._send(body, request), self._name, (self._key,))
            except ModelRequestError as error:
                if not self._wishes.refuse(error, body) and not self._other_length(error, body):
                    raise

    def _body(self, request: Request) -> dict[str, Any]:
        options = self._options
        body = {"model": self._model, **to_wire(request), self._length: request.max_tokens or options.max_tokens}
        if options.temperature is not None:
            body["temperature"] = options.temperature
        if options.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        granted = self._wishes.granted(body)
        return {key: value for key, value in body.items() if key in granted}

    def _other_length(self, error: ModelRequestError, body: Mapping[str, Any]) -> bool:
        """Whether the server knows the limit on the reply under the older or newer name, which is used from now on."""
        other = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}[self._length]
        if self._length not in body or error.status not in (400, 422) or self._length not in error.message:
            return False
        if other not in error.message and "unsupported" not in error.message.lower():
            return False
        self._length = other
        return True

    async def _send(self, body: dict[str, Any], request: Request) -> Reply:
        client = self._client.get()
        if body.get("stream"):
            return await self._receive(client, body, request)
        create: Any = client.chat.completions.with_raw_response.create
        raw = (await create(**body)).http_response
        return read_completion(_json(raw.text, raw.headers, self._name), self._name, request)

    async def _receive(self, client: AsyncOpenAI, body: dict[str, Any], request: Request) -> Reply:
        fold = StreamFold()
        create: Any = client.chat.completions.create
        stream = await create(**body)
        async with stream:
            if "application/json" in stream.response.headers.get("content-type", ""):
                text = (await stream.response.aread()).decode("utf-8", "replace")
                return read_completion(_json(text, stream.response.headers, self._name), self._name, request)
            async for chunk in stream:
                fold.add(chunk.to_dict(mode="json", exclude_unset=True))
        return fold.reply(self._name, request)

    def _connect(self) -> AsyncOpenAI:
        import openai

        silence = self._options.silence
        timeout = openai.Timeout(silence, connect=_CONNECT_SECONDS)
        client = openai.AsyncOpenAI(
            api_key=self._key or _NO_KEY,
            base_url=self._base_url,
            max_retries=0,
            timeout=timeout,
            http_client=openai.DefaultAsyncHttpxClient(timeout=timeout, follow_redirects=False),
        )
        weakref.finalize(self, loop.close_soon, client.close, asyncio.get_running_loop())
        return client


def _json(text: str, headers: Mapping[str, str], model: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        kind = headers.get("content-type", "no content type")
    start = " ".join(text[:80].split())
    raise ModelResponseError(f"The model {model} answered with {kind} that is no JSON: {start!r}")
