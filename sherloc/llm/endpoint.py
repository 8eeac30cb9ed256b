"""What the providers of models behind an SDK share: who is asked, the loop over refused parameters, one connection."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

from sherloc.errors import ModelRequestError, ModelResponseError, ModelServerError
from sherloc.llm import loop
from sherloc.llm.answer_size import bounding
from sherloc.llm.foreign_errors import mapped
from sherloc.llm.options import CallOptions, Wishes
from sherloc.llm.request import Request
from sherloc.protocols import Reply

NO_KEY = "none"
"""For servers without a key: the SDKs insist on one."""
_CONNECT_SECONDS = 10.0
_ADDRESS = re.compile(r"^([a-zA-Z][a-zA-Z0-9+.-]*://)?([^/?#]*)([^?#]*)")
"""Scheme, server with user, and path of a URL; anything matches, since a bad one is the SDK's to refuse."""


class Endpoint(ABC):
    """Asks one model; how a request looks and is sent is the subclass's.

    Args:
        model: The provider's name for it.
        name: What it is called in reports; empty: after the kind of provider and the model.
        api_key: The key; empty: none, or what the SDK finds by itself.
        base_url: Address; empty: the SDK's own. Redirects away from it are not followed.
        options: How it is asked.
    """

    kind: ClassVar[str]
    """Stands before the model in its name."""
    own_url: ClassVar[str] = ""
    """The server that is meant when no other one is named."""
    may_refuse: ClassVar[Mapping[str, tuple[str, ...]]]
    """Parameters that can be left out, each with the words of which one stands in its refusal."""

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
        self._name = name or f"{self.kind}:{model}"
        self._key = api_key
        self._base_url = base_url
        self._options = options or CallOptions()
        self._wishes = Wishes(dict(self.may_refuse))

    @property
    def name(self) -> str:
        """What the model is called in reports."""
        return self._name

    @property
    def identity(self) -> str:
        """The name, with the server's address where it is not the provider's own; no key, user or query is in it."""
        scheme, place, path = _ADDRESS.findall(self._base_url)[0]
        address = f"{scheme.lower()}{place.rpartition('@')[2].lower()}{path.rstrip('/')}"
        return self._name if address in ("", self.own_url) else f"{self._name}@{address}"

    async def ask(self, request: Request) -> Reply:
        """One attempt; parameters that the server refuses are left out and it is asked again.

        Raises:
            ModelCallError: It failed.
        """
        while True:
            wanted = self._body(request)
            granted = self._wishes.granted(wanted)
            body = {key: value for key, value in wanted.items() if key in granted}
            try:
                return await mapped(self._send(body, request), self._name, self._secrets())
            except (ModelRequestError, ModelServerError) as error:
                if self._wishes.refuse(error, body):
                    continue
                if not isinstance(error, ModelRequestError) or not self._adapt(error, body):
                    raise

    @abstractmethod
    def _body(self, request: Request) -> dict[str, Any]:
        """All parameters of a call."""

    @abstractmethod
    async def _send(self, body: dict[str, Any], request: Request) -> Reply:
        """Call once."""

    def _secrets(self) -> tuple[str, ...]:
        """What must not stand in a message."""
        return (self._key,)

    def _adapt(self, error: ModelRequestError, body: Mapping[str, Any]) -> bool:
        """Whether the next call of the same request will be another one because of what an error says."""
        return False

    def _is_own(self, variable: str) -> bool:
        """Whether the server is the provider's own, or the one that a variable of the user's environment names."""
        return self._base_url in ("", self.own_url, os.environ.get(variable))

    def _open(self, sdk: Any, client: Callable[..., Any], **place: Any) -> Any:
        """A client of an SDK that retries nothing, follows no redirect, reads nothing endless, and is closed with this.

        Args:
            sdk: Its module, with ``Timeout`` and ``DefaultAsyncHttpxClient``.
            client: Makes one.
            **place: Key and address.
        """
        timeout = sdk.Timeout(self._options.silence, connect=_CONNECT_SECONDS)
        # Nothing here may hold this object, or it would never be closed.
        hooks = {"response": [bounding(self._name, stream=self._options.stream)]}
        transport = sdk.DefaultAsyncHttpxClient(timeout=timeout, follow_redirects=False, event_hooks=hooks)
        made = client(**place, max_retries=0, timeout=timeout, http_client=transport)
        weakref.finalize(self, loop.close_soon, made.close, asyncio.get_running_loop())
        return made


def without_variable(variable: str, omit: Callable[[], Any], own: Mapping[str, str]) -> dict[str, Any]:
    """Headers for an SDK that leave out those of an environment variable, which are no other server's business.

    Args:
        variable: Holds a header a line.
        omit: Makes the SDK's mark for a header to leave out.
        own: Headers that are sent in any case.
    """
    lines = os.environ.get(variable, "").splitlines()
    return {line.partition(":")[0].strip(): omit() for line in lines if ":" in line} | dict(own)


@contextlib.contextmanager
def reading(model: str) -> Iterator[None]:
    """For code that takes a piece of a stream apart: what fails in it is the server's doing, and may have been charged.

    Args:
        model: For the message.

    Raises:
        ModelResponseError: The piece has another shape than it must have.
    """
    try:
        yield
    except (LookupError, AttributeError, TypeError, ValueError) as error:
        why = f"{type(error).__name__}: {error}"
        raise ModelResponseError(f"The answer of the model {model} cannot be read: {why}") from None


def json_of(text: str, headers: Mapping[str, str], model: str) -> Any:
    """The JSON of an answer.

    Args:
        text: The answer.
        headers: Its HTTP headers.
        model: For the message.

    Raises:
        ModelResponseError: It is none.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        kind = headers.get("content-type", "no content type")
    start = " ".join(text[:80].split())
    raise ModelResponseError(f"The model {model} answered with {kind} that is no JSON: {start!r}")
