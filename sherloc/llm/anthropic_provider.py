"""Anthropic's models through its SDK."""

from __future__ import annotations

import asyncio
import json
import os
import weakref
from typing import TYPE_CHECKING, Any

from sherloc.errors import ModelRequestError, ModelResponseError
from sherloc.llm import loop
from sherloc.llm.anthropic_wire import StreamFold, read_message, to_wire
from sherloc.llm.foreign_errors import mapped
from sherloc.llm.options import CallOptions, Wishes
from sherloc.llm.request import Request
from sherloc.protocols import Reply

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

_CONNECT_SECONDS = 10.0


class AnthropicProvider:
    """Asks one model.

    Args:
        model: Anthropic's name for it.
        name: What it is called in reports.
        api_key: The key; empty: whatever the SDK finds (environment, profile).
        base_url: Address; empty: the SDK's own. Redirects are not followed.
        options: How it is asked.
    """

    def __init__(
        self,
        model: str,
        *,
        name: str = "",
        api_key: str = "",
        base_url: str = "",
        options: CallOptions | None = None,
    ) -> None:
        self._model = model
        self._name = name or f"anthropic:{model}"
        self._key = api_key
        self._base_url = base_url
        self._options = options or CallOptions()
        self._client = loop.PerLoop(self._connect)
        self._wishes = Wishes(
            {
                "output_config": ("output_config", "output_format", "json_schema", "schema"),
                "temperature": ("temperature",),
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
                return await mapped(self._send(body), self._name, self._keys())
            except ModelRequestError as error:
                if not self._wishes.refuse(error, body):
                    raise

    def _keys(self) -> tuple[str, ...]:
        return tuple(filter(None, (self._key, os.environ.get("ANTHROPIC_AUTH_TOKEN"))))

    def _body(self, request: Request) -> dict[str, Any]:
        options = self._options
        body = {"model": self._model, "max_tokens": request.max_tokens or options.max_tokens, **to_wire(request)}
        extra: dict[str, Any] = {} if options.temperature is None else {"temperature": min(options.temperature, 1.0)}
        body |= extra
        granted = self._wishes.granted(body)
        return {key: value for key, value in body.items() if key in granted}

    async def _send(self, body: dict[str, Any]) -> Reply:
        client = self._client.get()
        # The SDK has no argument for it any more, since newer models refuse it; older ones still know it.
        extra = {key: value for key, value in body.items() if key == "temperature"}
        body = {key: value for key, value in body.items() if key not in extra}
        if self._options.stream:
            return await self._receive(client, body, extra)
        create: Any = client.messages.with_raw_response.create
        raw = (await create(**body, extra_body=extra)).http_response
        try:
            data = json.loads(raw.text)
        except (ValueError, RecursionError):
            data = raw.headers.get("content-type", "no content type")
        if isinstance(data, str):
            start = " ".join(raw.text[:80].split())
            raise ModelResponseError(f"The model {self._name} answered with {data} that is no JSON: {start!r}")
        return read_message(data, self._name)

    async def _receive(self, client: AsyncAnthropic, body: dict[str, Any], extra: dict[str, Any]) -> Reply:
        fold = StreamFold()
        create: Any = client.messages.create
        stream = await create(**body, extra_body=extra, stream=True)
        async with stream:
            async for event in stream:
                fold.add(event.to_dict(mode="json", exclude_unset=True))
        return fold.reply(self._name)

    def _connect(self) -> AsyncAnthropic:
        import anthropic

        silence = self._options.silence
        timeout = anthropic.Timeout(silence, connect=_CONNECT_SECONDS)
        client = anthropic.AsyncAnthropic(
            api_key=self._key or None,
            base_url=self._base_url or None,
            max_retries=0,
            timeout=timeout,
            http_client=anthropic.DefaultAsyncHttpxClient(timeout=timeout, follow_redirects=False),
        )
        weakref.finalize(self, loop.close_soon, client.close, asyncio.get_running_loop())
        return client
