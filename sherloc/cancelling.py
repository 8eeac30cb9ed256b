"""Ends work in a thread when the one who waits for it, in an event loop, is cancelled.

A thread cannot be stopped from outside; it looks at a flag of its context, which ``asyncio.to_thread`` hands on.
"""

from __future__ import annotations

import contextlib
import contextvars
import threading
from collections.abc import Iterator

_FLAG: contextvars.ContextVar[threading.Event | None] = contextvars.ContextVar("sherloc_cancelled", default=None)


@contextlib.contextmanager
def cancelled_with_the_caller() -> Iterator[None]:
    """Threads that are started in the block are told when it is left by an exception, such as a cancellation."""
    flag = threading.Event()
    held = _FLAG.set(flag)
    try:
        yield
    except BaseException:
        flag.set()
        raise
    finally:
        _FLAG.reset(held)


def raise_if_cancelled() -> None:
    """Nothing, unless the caller of this thread's work was cancelled.

    Raises:
        asyncio.CancelledError: It was.
    """
    flag = _FLAG.get()
    if flag is not None and flag.is_set():
        import asyncio  # here, since plain callers need none of it

        raise asyncio.CancelledError("The caller was cancelled.")
