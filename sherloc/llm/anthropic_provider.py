"""Anthropic's models through its SDK."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from sherloc.llm import loop
from sherloc.llm.anthropic_wire import StreamFold, read_message, to_wire
from sherloc.llm.endpoint import NO_KEY, Endpoint, json_of, reading, without_variable
from sherloc.llm.options import CallOptions
from sherloc.llm.request import Request
from sherloc.protocols import Reply

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic


class AnthropicProvider(Endpoint):
    """Asks one model.

    Args:
        model: Anthropic's name for it.
        name: What it is called in reports.
        api_key: The key; empty: whatever the SDK finds (environment, profile), for Anthropic or ``ANTHROPIC_BASE_URL``;
            none for any other server.
        base_url: Address; empty: the SDK's own. Redirects are not followed.
        options: How it is asked.
    """

    kind = "anthropic"
    own_url = "https://api.anthropic.com"
    may_refuse = {
        "output_config": ("output_config", "output_format", "json_schema", "schema"),
        "temperature": ("temperature",),
    }

    def __init__(
        self,
        model: str,
        *,
        name: str = "",
        api_key: str = "",
        base_url: str = "",
        options: CallOptions | None = None,
    ) -> None:
        super().__init__(model, name=name, api_key=api_key, base_url=base_url, options=options)
        self._client = loop.PerLoop(self._connect)

    def _secrets(self) -> tuple[str, ...]:
        return tuple(filter(None, (self._key, os.environ.get("ANTHROPIC_AUTH_TOKEN"))))

    def _body(self, request: Request) -> dict[str, Any]:
        options = self._options
        body = {"model": self._model, "max_tokens": request.max_tokens or options.max_tokens, **to_wire(request)}
        extra: dict[str, Any] = {} if options.temperature is None else {"temperature": min(options.temperature, 1.0)}
        return body | extra

    async def _send(self, body: dict[str, Any], request: Request) -> Reply:
        client = self._client.get()
        # The SDK has no argument for it any more, since newer models refuse it; older ones still know it.
        extra = {key: value for key, value in body.items() if key == "temperature"}
        body = {key: value for key, value in body.items() if key not in extra}
        if self._options.stream:
            return await self._receive(client, body, extra)
        create: Any = client.messages.with_raw_response.create
        raw = (await create(**body, extra_body=extra)).http_response
        return read_message(json_of(raw.text, raw.headers, self._name), self._name)

    async def _receive(self, client: AsyncAnthropic, body: dict[str, Any], extra: dict[str, Any]) -> Reply:
        fold = StreamFold()
        create: Any = client.messages.create
        stream = await create(**body, extra_body=extra, stream=True)
        async with stream:
            async for event in stream:
                with reading(self._name):
                    fold.add(event.to_dict(mode="json", exclude_unset=True, warnings=False))
        with reading(self._name):
            return fold.reply(self._name)

    def _connect(self) -> AsyncAnthropic:
        import anthropic

        place: dict[str, Any] = {"api_key": self._key or None, "base_url": self._base_url or None}
        own = self._is_own("ANTHROPIC_BASE_URL")
        if not own:
            key = {"X-Api-Key": self._key or NO_KEY}
            place |= {
                "api_key": key["X-Api-Key"],
                "default_headers": without_variable("ANTHROPIC_CUSTOM_HEADERS", anthropic.Omit, key),
            }
        client: AsyncAnthropic = self._open(anthropic, anthropic.AsyncAnthropic, **place)
        if not own:  # nor is this, which some versions take from the environment beside a key
            client.auth_token = None
        return client
