"""What a provider is told besides the request."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sherloc.errors import ModelCallError


@dataclass(frozen=True, slots=True)
class CallOptions:
    """How a model is asked.

    Attributes:
        temperature: 0 to 2; None: the provider's own.
        max_tokens: Longest reply where the request names none.
        stream: Receive the reply piece by piece.
        timeout: Longest time of one attempt, in seconds.
        idle: Longest silence of a stream, in seconds.
    """

    temperature: float | None = 0.0
    max_tokens: int = 4096
    stream: bool = False
    timeout: float = 300.0
    idle: float = 60.0

    @property
    def silence(self) -> float:
        """Longest silence of a connection, in seconds; a whole attempt is timed by ``Model``, a little earlier."""
        return min(self.idle, self.timeout + 5) if self.stream else self.timeout + 5


_REFUSING = (400, 422, 500, 501)


class Wishes:
    """Parameters that an endpoint may refuse; a refused one is left out from then on.

    An endpoint refuses with a status of 400, 422, 500 or 501 and names the parameter (llama-cpp-python answers 500 to a
    form of reply that it does not know). Asking again without it is no retry of the same request.

    Args:
        marks: For each parameter the words of which one must stand in the refusal.
    """

    def __init__(self, marks: dict[str, tuple[str, ...]]) -> None:
        self._marks = marks
        self._refused: set[str] = set()

    def granted(self, parameters: Iterable[str]) -> set[str]:
        """Those not refused so far."""
        return set(parameters) - self._refused

    def refuse(self, error: ModelCallError, sent: Iterable[str]) -> bool:
        """Note what an error refuses of what was sent; whether there was anything."""
        if error.status not in _REFUSING:
            return False
        told = error.message.lower()
        refused = {name for name in sent if any(mark in told for mark in self._marks.get(name, ()))}
        self._refused |= refused
        return bool(refused)
