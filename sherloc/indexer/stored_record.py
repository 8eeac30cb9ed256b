"""A file's record as it is read from the store: columns and texts as bytes, until they are joined with others'."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sherloc.indexer.record import COLUMNS, SEPARATOR, TEXTS

Array = NDArray[Any]

_NAMES = (*COLUMNS, *TEXTS)
_WIDTHS = {name: np.dtype(code).itemsize for name, code in COLUMNS.items()}


@dataclass(slots=True)
class StoredRecord:
    """See ``FileRecord``; texts are joined by ``SEPARATOR``, ``counts`` says how many each holds."""

    lines: int
    generated: bool
    problems: list[tuple[str, str]]
    parts: dict[str, bytes]
    counts: dict[str, int]

    @classmethod
    def decode(cls, data: bytes) -> StoredRecord:
        """Read what ``FileRecord.encode`` wrote.

        Raises:
            ValueError: The bytes are not a record.
            LookupError: They lack a part of one.
        """
        position = data.index(b"\n") + 1
        head = json.loads(data[:position].decode())
        parts: dict[str, bytes] = {}
        for name, size in zip(_NAMES, head["sizes"], strict=True):
            parts[name] = data[position : position + size]
            position += size
        if position != len(data):
            raise ValueError("a record is longer or shorter than its head says")
        problems = [(code, detail) for code, detail in head["problems"]]
        counts = dict(zip(TEXTS, head["counts"], strict=True))
        return cls(head["lines"], head["generated"], problems, parts, counts)

    def rows(self, name: str) -> int:
        """How many numbers a column holds."""
        return len(self.parts[name]) // _WIDTHS[name]

    def strings(self, name: str) -> list[str]:
        """The strings of a text."""
        return self.parts[name].decode("utf-8", "surrogatepass").split(SEPARATOR) if self.counts[name] else []


def joined_column(records: Iterable[StoredRecord], name: str) -> Array:
    """A column of several records.

    Raises:
        ValueError: One holds a part of a number.
    """
    return np.frombuffer(b"".join([record.parts[name] for record in records]), COLUMNS[name])
