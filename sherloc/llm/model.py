"""The one way through which every model is called.

Around a provider's single attempt stand, from outside in: redaction of secrets, retries, the bound on concurrency,
limits, the time-out.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import dataclasses
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from sherloc.errors import ModelError, ModelResponseError, ModelTimeoutError, UsageLimitError
from sherloc.llm import loop
from sherloc.llm.foreign_errors import mapped
from sherloc.llm.limits import Budget, charged, usage_of
from sherloc.llm.prices import complete_usage
from sherloc.llm.request import Provider, Request, identity_of
from sherloc.llm.retries import RetryPolicy
from sherloc.llm.secrets import without_secrets
from sherloc.logs import logger
from sherloc.protocols import ChatModel, Message, Reply, Usage
from sherloc.schema.report import Diagnostic
from sherloc.settings import Price

_log = logger(__name__)


class AsyncModel:
    """A ``ChatModel`` of which only ``answer`` is to be written: ``complete`` and ``acomplete`` both come from it."""

    @property
    def name(self) -> str:
        """What the model is called in reports."""
        raise NotImplementedError

    async def answer(self, request: Request) -> Reply:
        """Answer a request; runs on the models' loop."""
        raise NotImplementedError

    def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """Answer a conversation; works in any thread, inside a running event loop too (which it blocks).

        Raises:
            ModelError: No attempt gave a reply, or a limit is reached.
        """
        return loop.run(self.answer(Request.of(messages, tools, schema, max_tokens)))

    async def acomplete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """Answer a conversation without blocking; from asyncio or trio. Cancelling it ends the request.

        Raises:
            ModelError: No attempt gave a reply, or a limit is reached.
        """
        return await loop.arun(self.answer(Request.of(messages, tools, schema, max_tokens)))


class Model(AsyncModel):
    """A provider with everything that a call needs around it.

    Args:
        provider: Asks once.
        price: US dollars per million tokens; None: unknown.
        budget: Shared limits.
        retries: What is tried again, and when.
        timeout: Longest time of one attempt, in seconds.
        concurrency: Most attempts in flight.
        redact_secrets: Whether keys and passwords are taken out of prompts.
        max_tokens: Longest reply where a request names none, which limits count with.

    Raises:
        SettingsError: Money is limited and the model has no price.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        price: Price | None = None,
        budget: Budget | None = None,
        retries: RetryPolicy | None = None,
        timeout: float = 300.0,
        concurrency: int = 4,
        redact_secrets: bool = True,
        max_tokens: int = 4096,
    ) -> None:
        self.budget = budget or Budget()
        self.budget.require_price(provider.name, price)
        self._budgets: tuple[Budget, ...] = (self.budget,)
        self._provider = provider
        self._price = price
        self._retries = retries or RetryPolicy()
        self._timeout = timeout
        self._max_tokens = max_tokens
        self._slots = loop.PerLoop(lambda: asyncio.Semaphore(concurrency))
        self._line = loop.PerLoop(asyncio.Lock)
        self._redact = redact_secrets

    def __repr__(self) -> str:
        return f"Model({self.name!r})"

    @property
    def name(self) -> str:
        """What the model is called in reports."""
        return self._provider.name

    @property
    def identity(self) -> str:
        """By what caches tell it from others: the name, and the server where it is not the provider's own."""
        return identity_of(self._provider)

    def within(self, budget: Budget) -> Model:
        """The same model, whose calls count in ``budget``, too.

        Raises:
            SettingsError: Money is limited there and the model has no price.
        """
        budget.require_price(self.name, self._price)
        found = copy.copy(self)
        found._budgets = (*self._budgets, budget)
        return found

    async def answer(self, request: Request) -> Reply:
        """Ask until there is a reply, within retries and limits."""
        diagnostics: tuple[Diagnostic, ...] = ()
        if self._redact:
            request, diagnostics = without_secrets(request)
        key, attempt = request.digest(), 1
        while True:
            try:
                reply = await self._attempt(request)
            except ModelError as error:
                wait = self._retries.wait_after(error, attempt, key)
                if wait is None or wait >= min(budget.seconds_left() for budget in self._budgets):
                    raise
                _log.info("%s: attempt %d failed (%s); again in %.2f s", self.name, attempt, error.message, wait)
            else:
                return dataclasses.replace(reply, attempts=attempt, diagnostics=(*diagnostics, *reply.diagnostics))
            attempt += 1
            await asyncio.sleep(wait)

    async def _attempt(self, request: Request) -> Reply:
        tokens = request.estimated_tokens()
        expected = usage_of(tokens, request.max_tokens or self._max_tokens, self._price)
        async with (
            self._slots.get(),
            self._charged(expected, dataclasses.replace(usage_of(tokens, 0, self._price), estimated=True)) as used,
        ):
            try:
                reply = await self._ask_in_time(request)
                used[0] = usage = complete_usage(request, reply, self._price)
            except ModelError as error:
                # A call that the time limit cut was made all the same.
                if not getattr(error, "billed", isinstance(error, UsageLimitError)):
                    used[0] = Usage(cost=0.0)
                raise
        if not usage.estimated:
            return dataclasses.replace(reply, usage=usage)
        note = Diagnostic(
            code="usage_estimated", severity="info", message=f"The model {self.name} did not tell its token counts."
        )
        return dataclasses.replace(reply, usage=usage, diagnostics=(*reply.diagnostics, note))

    async def _ask_in_time(self, request: Request) -> Reply:
        left, at = min((budget.seconds_left(), at) for at, budget in enumerate(self._budgets))
        limited = left < self._timeout
        seconds = min(left, self._timeout)
        try:
            return await asyncio.wait_for(self._provider.ask(request), seconds)
        except asyncio.TimeoutError:
            pass
        if limited:
            raise self._budgets[at].out_of_time()
        raise ModelTimeoutError(
            f"The model {self.name} gave no reply within {seconds:g} seconds.",
            hint="Raise models.timeout_seconds in the settings, or ask a faster model.",
        )

    @contextlib.asynccontextmanager
    async def _charged(self, expected: Usage, failed: Usage) -> AsyncIterator[list[Usage]]:
        """``charged``, first come, first served: which requests a limit leaves out is no matter of chance."""
        async with contextlib.AsyncExitStack() as held:
            async with self._line.get():
                used = await held.enter_async_context(charged(self._budgets, expected, self._price, failed))
            yield used


class ForeignProvider:
    """Somebody else's ``ChatModel`` as a provider: its ``complete`` runs in a thread.

    An attempt that is cancelled is left alone, since a thread cannot be stopped.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The model's own name."""
        return self._model.name

    @property
    def identity(self) -> str:
        """The model's own."""
        return identity_of(self._model)

    async def ask(self, request: Request) -> Reply:
        """Ask in a thread."""
        work = asyncio.to_thread(self._complete, request)
        reply = await mapped(work, self.name)
        if not isinstance(reply, Reply) or not isinstance(reply.text, str):
            raise ModelResponseError(f"The model {self.name} gave {type(reply).__name__}, not a Reply with a text.")
        return reply

    def _complete(self, request: Request) -> Reply:
        try:
            return self._model.complete(
                request.messages, tools=request.tools, schema=request.schema, max_tokens=request.max_tokens
            )
        except StopIteration as error:
            # no future can hold one: who waits for it would wait for ever
            raise RuntimeError("StopIteration: an iterator has ended") from error
