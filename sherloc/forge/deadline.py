"""A time limit for a whole request: limits of single reads let a server answer a byte at a time for ever."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Any


class Deadline:
    """Ends the connection of a request that takes too long; for a client with one connection at a time.

    Attributes:
        passed: Whether the last request was ended.
    """

    def __init__(self) -> None:
        self.passed = False
        self._stream: Any = None

    def trace(self, name: str, info: dict[str, Any]) -> None:
        """The ``trace`` of httpcore: it tells of a connection as soon as it is there.

        Args:
            name: What happened.
            info: Its result.
        """
        if name.endswith((".connect_tcp.complete", ".start_tls.complete")):
            self._stream = info["return_value"]

    @contextlib.contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """A request; its reads find the end of the answer when the time is up, and ``passed`` is set.

        Args:
            seconds: Longest time.
        """
        self.passed = False
        timer = threading.Timer(seconds, self._end)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _end(self) -> None:
        self.passed = True
        stream = self._stream
        found = None if stream is None else stream.get_extra_info("socket")
        if found is not None:
            with contextlib.suppress(OSError):
                # Not the one of TLS, which is for one thread; closing would wake nobody.
                socket.socket.shutdown(found, socket.SHUT_RDWR)
