"""The one layer that tries again: after errors that may pass, with growing waits, never longer than told."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from sherloc.errors import ModelCallError, ModelError


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and after what wait an attempt is repeated.

    Attributes:
        retries: Further attempts after the first.
        first_wait: Seconds before the second attempt; doubles each time.
        longest_wait: Seconds; a server that asks for more ends the call at once.
    """

    retries: int = 3
    first_wait: float = 0.5
    longest_wait: float = 60.0

    def wait_after(self, error: ModelError, attempt: int, key: str) -> float | None:
        """Seconds to wait before the next attempt, or None to give up.

        A wait that the server asked for is kept exactly. Otherwise it is spread by up to a half, so that many callers
        do not come back at once; the spread comes from ``key``, not from chance.

        Args:
            error: How the attempt failed.
            attempt: Its number, from 1.
            key: Anything that differs between callers.
        """
        if not isinstance(error, ModelCallError) or not error.retryable or attempt > self.retries:
            return None
        if error.retry_after is not None:
            return error.retry_after if error.retry_after <= self.longest_wait else None
        wait = min(self.first_wait * 2.0 ** (attempt - 1), self.longest_wait)
        return wait * (1 - _share(f"{key}:{attempt}") / 2)


def _share(key: str) -> float:
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=4).digest(), "big") / 2**32
