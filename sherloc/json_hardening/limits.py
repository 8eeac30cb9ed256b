"""How much of a reply is read at all."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on a reply; beyond them reading stops with ``LimitExceeded``.

    Args:
        max_bytes: Size of the reply in UTF-8. Bytes.
        max_depth: Nesting of objects and lists, at most 200 (deeper is cut to 200, so that reading never overflows
            the stack).
        max_digits: Digits of one integer, and characters of one other number.
    """

    max_bytes: int = 4_000_000
    max_depth: int = 64
    max_digits: int = 64

    def __post_init__(self) -> None:
        if self.max_depth > 200:
            object.__setattr__(self, "max_depth", 200)
