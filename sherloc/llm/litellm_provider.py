"""Models of a hundred providers through LiteLLM."""

from __future__ import annotations

import os
from typing import Any

from sherloc.llm.endpoint import Endpoint
from sherloc.llm.openai_wire import read_completion, to_wire
from sherloc.llm.request import Request
from sherloc.protocols import Reply


class LiteLLMProvider(Endpoint):
    """Asks one model through LiteLLM; streaming is not used.

    Args:
        model: LiteLLM's name for it, for example ``bedrock/...``.
        name: What it is called in reports.
        api_key: The key; empty: LiteLLM looks in the environment.
        base_url: Address; empty: the provider's own.
        options: How it is asked.
    """

    kind = "litellm"
    may_refuse = {"response_format": ("response_format", "json_schema", "schema"), "temperature": ("temperature",)}

    def _secrets(self) -> tuple[str, ...]:
        named = (value for name, value in os.environ.items() if name.endswith(("_KEY", "_TOKEN", "_SECRET")))
        return (self._key, *named)

    def _body(self, request: Request) -> dict[str, Any]:
        body = {"model": self._model, **to_wire(request), "max_tokens": request.max_tokens or self._options.max_tokens}
        if self._options.temperature is not None:
            body["temperature"] = self._options.temperature
        return body

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
