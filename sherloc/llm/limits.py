"""Limits on what all models together may use, checked before each request and charged after it, failed or not."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sherloc.errors import SettingsError, UsageLimitError
from sherloc.llm.prices import add_usage, cost_of
from sherloc.protocols import Usage
from sherloc.settings import LimitSettings, Price

_HINT = "Raise it under [limits] in the settings, or ask for less."


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

    Requests in flight count with their estimated input, so that concurrent ones cannot pass a limit together; output is
    known only afterwards, so tokens and cost may end over the limit by what was in flight.

    Args:
        limits: The limits; the default has none.
        clock: Seconds, monotone.
    """

    def __init__(self, limits: LimitSettings | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits or LimitSettings()
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

    def reserve(self, input_tokens: int, price: Price | None) -> Reservation:
        """Count a request that is about to be made, with its estimated input.

        Raises:
            UsageLimitError: A limit is reached; nothing was counted.
        """
        expected = Usage(input_tokens=input_tokens, cost=cost_of(Usage(input_tokens=input_tokens), price))
        with self._lock:
            if self._started is None:
                self._started = self._clock()
            self._check(add_usage(add_usage(self._used, self._pending), expected))
            self._calls += 1
            self._pending = add_usage(self._pending, _with_known_cost(expected))
        return Reservation(expected)

    def settle(self, reservation: Reservation, usage: Usage) -> None:
        """Replace a reservation by what was really used."""
        held = _with_known_cost(reservation.expected)
        with self._lock:
            self._pending = Usage(
                input_tokens=self._pending.input_tokens - held.input_tokens,
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
        if self.limits.seconds is None:
            return math.inf
        return max(self.limits.seconds - self._elapsed(), 0.0)

    @property
    def spent(self) -> Spent:
        """What was used so far; its cost is None once a request of unknown price was made."""
        with self._lock:
            return Spent(self._calls, self._used, self._elapsed())

    def out_of_time(self) -> UsageLimitError:
        """The error for a request that the time limit cut."""
        return UsageLimitError(f"The limit of {self.limits.seconds:g} seconds is reached.", hint=_HINT)

    def _elapsed(self) -> float:
        return 0.0 if self._started is None else self._clock() - self._started

    def _check(self, total: Usage) -> None:
        limits = self.limits
        if limits.calls is not None and self._calls >= limits.calls:
            raise UsageLimitError(f"The limit of {limits.calls} model calls is reached.", hint=_HINT)
        if limits.input_tokens is not None and total.input_tokens > limits.input_tokens:
            raise UsageLimitError(f"The limit of {limits.input_tokens} input tokens is reached.", hint=_HINT)
        if limits.output_tokens is not None and total.output_tokens >= limits.output_tokens:
            raise UsageLimitError(f"The limit of {limits.output_tokens} output tokens is reached.", hint=_HINT)
        if limits.cost is not None and (total.cost is None or total.cost > limits.cost):
            raise UsageLimitError(f"The limit of {limits.cost:g} US dollars is reached.", hint=_HINT)
        if limits.seconds is not None and self._elapsed() >= limits.seconds:
            raise self.out_of_time()


def _with_known_cost(usage: Usage) -> Usage:
    return usage if usage.cost is not None else Usage(input_tokens=usage.input_tokens, cost=0.0)


@contextlib.contextmanager
def charged(budgets: Sequence[Budget], input_tokens: int, price: Price | None, failed: Usage) -> Iterator[list[Usage]]:
    """Reserve a request in all budgets, or in none, and charge each what the request used.

    Args:
        budgets: Whose limits hold.
        input_tokens: Estimated.
        price: US dollars per million tokens; None: unknown.
        failed: What is charged unless the block puts something else in: an interrupted call is not free.

    Yields:
        A list of one; the block puts in what was really used.

    Raises:
        UsageLimitError: A limit is reached; nothing was counted.
    """
    used = [failed]
    reservations: list[tuple[Budget, Reservation]] = []
    try:
        for budget in budgets:
            reservations.append((budget, budget.reserve(input_tokens, price)))
    except UsageLimitError:
        for budget, reservation in reservations:
            budget.withdraw(reservation)
        raise
    try:
        yield used
    finally:
        for budget, reservation in reservations:
            budget.settle(reservation, used[0])
