"""One asyncio loop in a thread of its own, on which every model is asked.

So a model works the same from plain code, from threads, inside a running event loop (a notebook) and from trio, though
the SDKs only know asyncio well; one connection pool and one bound on concurrency serve all callers; and cancelling a
caller cancels its request.
"""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import contextlib
import contextvars
import os
import sys
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

from sherloc.cancelling import raise_if_cancelled

T = TypeVar("T")

_POLL_SECONDS = 0.5
_STOP_SECONDS = 5.0


class _LoopThread:
    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self._work, name="sherloc-models", daemon=True)
        self.thread.start()

    def _work(self) -> None:
        asyncio.set_event_loop(self.loop)
        while True:
            try:
                self.loop.run_forever()
                return
            except (KeyboardInterrupt, SystemExit):
                # Raised by somebody's model or callback. Whoever waits for that work gets it; the loop is for all.
                continue

    def stop(self) -> None:
        """Cancel what runs, so that requests are aborted and commands killed, then end the thread."""
        with contextlib.suppress(Exception):  # noqa: BLE001 - at exit there is nobody left to tell
            asyncio.run_coroutine_threadsafe(_cancel_all(), self.loop).result(_STOP_SECONDS)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(_STOP_SECONDS)
        if not self.thread.is_alive():
            self.loop.close()


async def _cancel_all() -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


_lock = threading.Lock()
_current: _LoopThread | None = None


def _loop_thread() -> _LoopThread:
    global _current
    with _lock:
        if _current is None:
            _current = _LoopThread()
            atexit.register(_stop)
            if hasattr(os, "register_at_fork"):
                os.register_at_fork(after_in_child=_forget)
        return _current


def _stop() -> None:
    global _current
    with _lock:
        running, _current = _current, None
    if running is not None:
        running.stop()


def _forget() -> None:
    # Threads do not survive a fork, and the lock may have been held by one of them.
    global _current, _lock
    _lock = threading.Lock()
    _current = None


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the models' loop and wait; an interrupt (Ctrl-C) cancels it, and so does a cancelled caller.

    Raises:
        asyncio.CancelledError: The caller was cancelled (``sherloc.cancelling``).
        RuntimeError: Called from the models' loop itself, where waiting would never end.
    """
    host = _loop_thread()
    if threading.current_thread() is host.thread:
        work.close()
        raise RuntimeError("a model was called synchronously from inside another model's call")
    cancelled, future = _cancelled_since_now(), _submit(work, host.loop)
    try:
        # In slices, because on some platforms a wait without an end cannot be interrupted.
        while not concurrent.futures.wait([future], timeout=_POLL_SECONDS).done:
            raise_if_cancelled()
            if cancelled():
                raise asyncio.CancelledError
    except BaseException:
        future.cancel()
        raise
    return future.result()


def _cancelled_since_now() -> Callable[[], bool]:
    """Tells whether the asyncio task that waits here is cancelled: so does Ctrl-C in ``asyncio.run`` at first."""
    try:
        task = asyncio.current_task()
    except RuntimeError:
        task = None
    counted: Callable[[], int] | None = getattr(task, "cancelling", None)  # from Python 3.11 on
    if counted is None:
        return lambda: False
    before = counted()
    return lambda: counted() > before


def _submit(work: Coroutine[Any, Any, T], running: asyncio.AbstractEventLoop) -> concurrent.futures.Future[T]:
    # In an empty context: the caller's says which async library runs there (trio), and the SDKs would believe it.
    return contextvars.Context().run(asyncio.run_coroutine_threadsafe, work, running)


async def arun(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the models' loop and await it from asyncio or trio; cancelling the caller cancels it."""
    future = _submit(work, _loop_thread().loop)
    if "trio" in sys.modules and sys.modules["trio"].lowlevel.in_trio_task():
        return await _await_in_trio(future)
    return await asyncio.wrap_future(future)


async def _await_in_trio(future: concurrent.futures.Future[T]) -> T:
    import trio

    done, token = trio.Event(), trio.lowlevel.current_trio_token()

    def wake(_: object) -> None:
        with contextlib.suppress(trio.RunFinishedError):
            token.run_sync_soon(done.set)

    future.add_done_callback(wake)
    try:
        await done.wait()
    except BaseException:
        future.cancel()
        raise
    return future.result()


def close_soon(close: Callable[[], Coroutine[Any, Any, None]], loop: asyncio.AbstractEventLoop) -> None:
    """Close an SDK's client on the loop that it belongs to, if that still runs."""
    if loop.is_running():
        _submit(close(), loop)  # called by the garbage collector, in anybody's context


class PerLoop(Generic[T]):
    """A value that belongs to one event loop and is made anew for another (after a fork).

    Args:
        make: Makes the value; called on the loop.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._held: tuple[asyncio.AbstractEventLoop, T] | None = None

    def get(self) -> T:
        """The running loop's value."""
        loop = asyncio.get_running_loop()
        if self._held is None or self._held[0] is not loop:
            self._held = (loop, self._make())
        return self._held[1]
