"""Trying again without doing anything twice."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from sherloc.errors import ForgeConnectionError, ForgeRateLimitError
from sherloc.settings_repair import ForgeSettings

_FIRST_WAIT = 1.0
_T = TypeVar("_T")


def _nothing() -> None:
    return None


class Patience:
    """How often and for how long a failed request is tried again.

    Args:
        settings: ``retries`` and ``max_wait`` count.
        clock: Unix time, seconds.
        sleep: Waits for seconds.
    """

    def __init__(
        self,
        settings: ForgeSettings,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.clock = clock
        self._sleep = sleep
        self._retries = settings.retries
        self._max_wait = settings.max_wait

    def until_done(self, act: Callable[[], _T], look: Callable[[], _T | None] = _nothing) -> _T:
        """Act; after a failure that may pass, look whether it was done all the same, wait, and act again.

        Args:
            act: What is to be done.
            look: Its outcome if it was done, None if not.

        Raises:
            ForgeError: As ``act`` does: at once when it was refused, after the last retry otherwise, and when waiting
                would take longer than ``max_wait`` together.
        """
        waited = 0.0
        attempt = 0
        while True:
            try:
                return act()
            except (ForgeConnectionError, ForgeRateLimitError) as error:
                wait = _FIRST_WAIT * 2.0**attempt
                if isinstance(error, ForgeRateLimitError) and error.retry_after is not None:
                    wait = error.retry_after
                last = attempt >= self._retries or waited + wait > self._max_wait
                if not last:
                    # What failed may still be under way there: wait before looking.
                    self._sleep(wait)
                found = look()
                if found is not None:
                    return found
                if last:
                    raise
                waited += wait
                attempt += 1
