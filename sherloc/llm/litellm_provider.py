"""Models of a hundred providers through LiteLLM."""

from __future__ import annotations

import os
from typing import Any

from sherloc.errors import ModelRequestError
from sherloc.llm.foreign_errors import mapped
from sherloc.llm.openai_wire import read_completion, to_wire
from sherloc.llm.options import CallOptions, Wishes
from sherloc.llm.request import Request
from sherloc.protocols import Reply


class LiteLLMProvider:
    """Asks one model through LiteLLM; streaming is not used.

    Args:
        model: LiteLLM's name for it, for example ``bedrock/...``.
        name: What it is called in reports.
        api_key: The key; empty: LiteLLM looks in the environment.
        base_url: Address; empty: the provider's own.
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
        self._name = name or f"litellm:{model}"
        self._key = api_key
        self._base_url = base_url
        self._options = options or CallOptions()
        self._wishes = Wishes(
            {"response_format": ("response_format", "json_schema", "schema"), "temperature": ("temperature",)}
        )

    @property
    def name(self) -> str:
        """What the model is called in reports."""
        return self._name

    async def ask(self, request: Request) -> Reply:
        """One attempt; parameters that are refused are left out and it is asked again.

        Raises:
            ModelCallError: It failed.
        """
        while True:
            body = self._body(request)
            try:
                return await mapped(self._send(body, request), self._name, self._keys())
            except ModelRequestError as error:
                if not self._wishes.refuse(error, body):
                    raise

    def _keys(self) -> tuple[str, ...]:
        named = (value for name, value in os.environ.items() if name.endswith(("_KEY", "_TOKEN", "_SECRET")))
        return (self._key, *named)

    def _body(self, request: Request) -> dict[str, Any]:
        body = {"model": self._model, **to_wire(request), "max_tokens": request.max_tokens or self._options.max_tokens}
        if self._options.temperature is not None:
            body["temperature"] = self._options.temperature
        granted = self._wishes.granted(body)
        return {key: value for key, value in body.items() if key in granted}

    async def _send(self, body: dict[str, Any], request: Request) -> Reply:
        litellm = import_litellm()
        reply = await litellm.acompletion(
            **body,
            api_key=self._key or None,
            base_url=self._base_url or None,
            timeout=self._options.timeout,
            num_retries=0,
            max_retries=0,
            drop_params=True,
        )
        return read_completion(reply.model_dump(mode="json"), self._name, request)


def import_litellm() -> Any:
    """LiteLLM, kept from doing two things while it is imported.

    It would fetch its price table from the network, and it would load a ``.env`` file from the current folder or one
    above, which in a repository under study could name another endpoint for the user's key.
    """
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    return litellm
