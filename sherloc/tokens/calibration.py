"""Corrects an estimate by what a provider reported: its tokenizer is not the one that the estimate was fitted to."""

from __future__ import annotations

import statistics
import threading
from collections import deque
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from sherloc.protocols import Tokenizer

LEAST, MOST = 0.5, 2.0
"""Bounds of the factor: beyond them a report is about something else than the text."""

_WINDOW = 64
_MIN_TOKENS = 50
_PRIOR = 3


@runtime_checkable
class _Fine(Protocol):
    def millitokens(self, text: str) -> int: ...


@dataclass(frozen=True, slots=True)
class CalibratedTokenizer:
    """Another tokenizer's counts times a fixed factor, rounded up; as monotone as the other.

    Args:
        base: The other tokenizer.
        permille: The factor, in thousandths.
    """

    base: Tokenizer
    permille: int = 1000

    @property
    def name(self) -> str:
        """The base's name and the factor, for example ``estimate x1.12``."""
        return f"{getattr(self.base, 'name', type(self.base).__name__)} x{self.permille / 1000:g}"

    def count(self, text: str) -> int:
        """Number of tokens."""
        milli = self.base.millitokens(text) if isinstance(self.base, _Fine) else self.base.count(text) * 1000
        return -(-milli * self.permille // 1_000_000)


class Calibration:
    """Learns the ratio of reported to estimated tokens, for one model. Thread-safe.

    The ratio is the median of the last 64 reports and of three made up of 1.0: single outliers do not move it, few
    reports move it little, and it stays between 0.5 and 2.
    """

    def __init__(self) -> None:
        self._ratios: deque[float] = deque(maxlen=_WINDOW)
        self._lock = threading.Lock()

    def observe(self, estimated: int, reported: int) -> None:
        """Take in one call's tokens; calls under 50 tokens say too little and are left out.

        Args:
            estimated: What the base tokenizer counted for the whole request. Tokens.
            reported: What the provider charged for it. Tokens.
        """
        if estimated < _MIN_TOKENS or reported < 1:
            return
        with self._lock:
            self._ratios.append(min(MOST, max(LEAST, reported / estimated)))

    @property
    def permille(self) -> int:
        """The factor as it is now, in thousandths."""
        with self._lock:
            return round(1000 * statistics.median([*self._ratios, *[1.0] * _PRIOR]))

    def apply(self, base: Tokenizer) -> CalibratedTokenizer:
        """A tokenizer with the factor as it is now; it does not change later, so that two of its counts compare."""
        return CalibratedTokenizer(base, self.permille)
