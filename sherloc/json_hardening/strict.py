"""The standard library's JSON reader, with what it lets pass silently made an error."""

from __future__ import annotations

import json
import math
from typing import Any

from sherloc.errors import DuplicateKey, InvalidNumber, LimitExceeded
from sherloc.json_hardening.limits import Limits
from sherloc.json_hardening.outcome import Fault, Repair, shorten

JSON_SPACE = " \t\r\n"


class StrictReader:
    """Reads valid JSON at C speed; duplicate keys, NaN, infinite and endless numbers are faults.

    Faults are kept until the text proved to be JSON at all: before that it may be prose.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._faults: list[Fault] = []
        self._notes: list[Repair] = []
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_int=self._integer,
            parse_float=self._float,
            parse_constant=self._constant,
        )

    def read_at(self, text: str, start: int) -> tuple[Any, int, list[Repair]]:
        """The value that begins at an offset, the offset after it, and notes.

        Raises:
            ValueError: There is no valid JSON at that offset.
            Fault: There is, but it cannot be taken.
        """
        self._faults, self._notes = [], []
        try:
            value, end = self._decoder.raw_decode(text, start)
        except RecursionError as error:
            raise Fault(LimitExceeded, f"nested deeper than {self._limits.max_depth} levels", start) from error
        if self._faults:
            raise self._faults[0]
        return value, end, self._notes

    def read_all(self, text: str) -> tuple[Any, list[Repair]]:
        """The value that the whole text is; errors as ``read_at``."""
        body = text.strip(JSON_SPACE)
        value, end, notes = self.read_at(body, 0)
        if end != len(body):
            raise ValueError("text after the value")
        return value, notes

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) < len(pairs):
            merge_duplicates(pairs, self._faults, self._notes)
        return result

    def _integer(self, digits: str) -> int:
        if len(digits) > self._limits.max_digits:
            self._faults.append(Fault(LimitExceeded, f"an integer has {len(digits)} digits"))
            return 0
        return int(digits)

    def _float(self, digits: str) -> float:
        if len(digits) > self._limits.max_digits:
            self._faults.append(Fault(LimitExceeded, f"a number has {len(digits)} characters"))
            return 0.0
        value = float(digits)
        if math.isinf(value):
            self._faults.append(Fault(InvalidNumber, f"{digits} is too large a number"))
        return value

    def _constant(self, name: str) -> float:
        self._faults.append(Fault(InvalidNumber, f"{name} is not a number"))
        return 0.0


def merge_duplicates(pairs: list[tuple[str, Any]], faults: list[Fault], notes: list[Repair]) -> None:
    """Note keys that stand twice; a fault when their values differ (``1`` and ``true`` do)."""
    seen: dict[str, Any] = {}
    for key, value in pairs:
        if key in seen and not same(seen[key], value):
            faults.append(Fault(DuplicateKey, f"the key {shorten(key)!r} stands twice with different values"))
        elif key in seen:
            notes.append(Repair("duplicate_key", "", shorten(key)))
        seen[key] = value


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal, types included (``1`` is neither ``true`` nor ``1.0``), order of keys aside.

    Takes time in the smaller of the two.
    """
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return len(left) == len(right) and all(key in right and same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right, strict=True))
    return bool(left == right)
