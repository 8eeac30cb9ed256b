"""Limits on what all models together may use, checked before each request and charged after it, failed or not."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import math
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass

from sherloc.errors import SettingsError, UsageLimitError
from sherloc.llm.prices import add_usage, cost_of
from sherloc.protocols import Usage
from sherloc.settings import LimitSettings, Price

_HINT = "Raise it under [limits] in the settings, or ask for less."
_WAIT_SECONDS = 0.005
_ROUNDING = 1e-12
"""US dollars that a sum of floating point numbers may be off by."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What was used so far: ``calls`` counts requests, failed ones included; ``seconds`` run from the first one."""

    calls: int
    usage: Usage
    seconds: float


class Reservation:
    """The part of the budget that one request in flight holds until it is settled."""

    def __init__(self, expected: Usage) -> None:
        self.expected = expected


class Budget:
    """Counts usage against limits; shared by all models of a run, safe in threads.

    A request counts, until it is settled, with all that it may use: its estimated input and its longest reply. So no
    number of concurrent ones passes a limit, as far as the estimate holds and the model keeps to the longest reply.

    Args:
        limits: The limits; the default has none.
        clock: Seconds, monotone.
    """

    def __init__(self, limits: LimitSettings | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = self._held = limits or LimitSettings()
        self._part = ""
        self._clock = clock
        self._lock = threading.Lock()
        self._started: float | None = None
        self._calls = 0
        self._used = Usage(cost=0.0)
        self._pending = Usage(cost=0.0)

    def require_price(self, model: str, price: Price | None) -> None:
        """Refuse a model without a price when money is limited.

        Raises:
            SettingsError: Its cost could never be counted.
        """
        if self.limits.cost is not None and price is None:
            raise SettingsError(
                f"A cost limit is set, but the model {model!r} has no price.",
                hint=f"Set models.prices[{model!r}] (US dollars per million tokens; 0 for a free one).",
            )

    def reserve(self, input_tokens: int, price: Price | None, output_tokens: int = 0) -> Reservation:
        """Count a request that is about to be made, with all that it may use.

        Args:
            input_tokens: Its input, estimated.
            price: US dollars per million tokens; None: unknown.
            output_tokens: Its longest reply.

        Raises:
            UsageLimitError: A limit is reached; nothing was counted. ``may_pass`` says whether there would be room if
                requests in flight turned out smaller than they may be.
        """
        expected = _known_cost(usage_of(input_tokens, output_tokens, price))
        with self._lock:
            if self._started is None:
                self._started = self._clock()
            refused = self._refusal(add_usage(add_usage(self._used, self._pending), expected), 1)
            if refused is not None:
                refused.may_pass = self._refusal(add_usage(self._used, expected), 1) is None
                raise refused
            self._calls += 1
            self._pending = add_usage(self._pending, expected)
        return Reservation(expected)

    def fits(self, calls: int, each: Usage) -> bool:
        """Whether there is room for so many further requests one after the other.

        Args:
            calls: How many.
            each: What each may use; its cost None where it is unknown.
        """
        each = _known_cost(each)
        more = Usage(calls * each.input_tokens, calls * each.output_tokens, calls * (each.cost or 0.0))
        with self._lock:
            return self._refusal(add_usage(add_usage(self._used, self._pending), more), calls) is None

    @contextlib.contextmanager
    def share(self, part: float, name: str) -> Iterator[None]:
        """Within the block only a part of what the limits leave now may be used; calls and tokens are rounded down.

        Args:
            part: From 0 to 1.
            name: Of what takes the part, for messages.
        """
        used, limits = self.spent, self._held

        def of(limit: float | None, spent: float) -> float | None:
            return None if limit is None else spent + part * max(limit - spent, 0.0)

        def whole(limit: int | None, spent: int) -> int | None:
            return None if limit is None else spent + int(part * max(limit - spent, 0))

        held, named = self._held, self._part
        self._part = f" for {name}"
        self._held = limits.model_copy(
            update={
                "calls": whole(limits.calls, used.calls),
                "input_tokens": whole(limits.input_tokens, used.usage.input_tokens),
                "output_tokens": whole(limits.output_tokens, used.usage.output_tokens),
                "cost": of(limits.cost, used.usage.cost or 0.0),
                "seconds": of(limits.seconds, used.seconds),
            }
        )
        try:
            yield
        finally:
            self._held, self._part = held, named

    def settle(self, reservation: Reservation, usage: Usage) -> None:
        """Replace a reservation by what was really used."""
        held = reservation.expected
        with self._lock:
            self._pending = Usage(
                input_tokens=self._pending.input_tokens - held.input_tokens,
                output_tokens=self._pending.output_tokens - held.output_tokens,
                cost=(self._pending.cost or 0.0) - (held.cost or 0.0),
            )
            self._used = add_usage(self._used, usage)

    def withdraw(self, reservation: Reservation) -> None:
        """Forget a request that was reserved and not made."""
        self.settle(reservation, Usage(cost=0.0))
        with self._lock:
            self._calls -= 1

    def count_recalled(self, usage: Usage) -> None:
        """Count a reply that an earlier part of the same run had paid for, so that its limits hold for the whole."""
        with self._lock:
            self._calls += 1
            self._used = add_usage(self._used, usage)

    def seconds_left(self) -> float:
        """Seconds until the time limit, never negative; infinite without one."""
        if self._held.seconds is None:
            return math.inf
        return max(self._held.seconds - self._elapsed(), 0.0)

    @property
    def spent(self) -> Spent:
        """What was used so far; its cost is None once a request of unknown price was made."""
        with self._lock:
            return Spent(self._calls, self._used, self._elapsed())

    def out_of_time(self) -> UsageLimitError:
        """The error for a request that the time limit cut."""
        return UsageLimitError(f"The limit of {self._held.seconds:g} seconds{self._part} is reached.", hint=_HINT)

    def _elapsed(self) -> float:
        return 0.0 if self._started is None else self._clock() - self._started

    def _refusal(self, total: Usage, calls: int) -> UsageLimitError | None:
        """Why so many calls more, which bring usage to a total, must not be made; None when they may."""
        limits, cost = self._held, total.cost
        if limits.calls is not None and self._calls + calls > limits.calls:
            return self._reached(f"{limits.calls} model calls")
        if limits.input_tokens is not None and total.input_tokens > limits.input_tokens:
            return self._reached(f"{limits.input_tokens} input tokens", f"{total.input_tokens}")
        if limits.output_tokens is not None and total.output_tokens > limits.output_tokens:
            return self._reached(f"{limits.output_tokens} output tokens", f"{total.output_tokens}")
        if limits.cost is not None and (cost is None or cost > limits.cost + _ROUNDING):
            return self._reached(f"{limits.cost:g} US dollars", "" if cost is None else f"{cost:.2g}")
        if limits.seconds is not None and self._elapsed() >= limits.seconds:
            return self.out_of_time()
        return None

    def _reached(self, limit: str, total: str = "") -> UsageLimitError:
        last = f" The next call could bring it to {total}." if total else ""
        return UsageLimitError(f"The limit of {limit}{self._part} is reached.{last}", hint=_HINT)


def usage_of(input_tokens: int, output_tokens: int, price: Price | None) -> Usage:
    """Usage of so many tokens, with its cost where a price is known."""
    usage = Usage(input_tokens, output_tokens)
    return dataclasses.replace(usage, cost=cost_of(usage, price))


def _known_cost(usage: Usage) -> Usage:
    return usage if usage.cost is not None else dataclasses.replace(usage, cost=0.0)


@contextlib.asynccontextmanager
async def charged(
    budgets: Sequence[Budget], expected: Usage, price: Price | None, failed: Usage
) -> AsyncIterator[list[Usage]]:
    """Reserve a request in all budgets, or in none, and charge each what the request used.

    Where there may be room once requests in flight are settled, it waits for them.

    Args:
        budgets: Whose limits hold.
        expected: What the request may use.
        price: US dollars per million tokens; None: unknown.
        failed: What is charged unless the block puts something else in: an interrupted call is not free.

    Yields:
        A list of one; the block puts in what was really used.

    Raises:
        UsageLimitError: A limit is reached; nothing was counted.
    """
    used = [failed]
    while True:
        try:
            reservations = _reserved(budgets, expected, price)
            break
        except UsageLimitError as error:
            if not error.may_pass:
                raise
        await asyncio.sleep(_WAIT_SECONDS)
    try:
        yield used
    finally:
        for budget, reservation in reservations:
            budget.settle(reservation, used[0])


def _reserved(budgets: Sequence[Budget], expected: Usage, price: Price | None) -> list[tuple[Budget, Reservation]]:
    reservations: list[tuple[Budget, Reservation]] = []
    try:
        for budget in budgets:
            reservations.append((budget, budget.reserve(expected.input_tokens, price, expected.output_tokens)))
    except UsageLimitError:
        for budget, reservation in reservations:
            budget.withdraw(reservation)
        raise
    return reservations
