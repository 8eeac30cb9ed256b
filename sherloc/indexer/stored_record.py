"""A file's record as it is read from the store: columns as arrays, texts still joined."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sherloc.indexer.record import COLUMNS, SEPARATOR, TEXTS

Array = NDArray[Any]


@dataclass(slots=True)
class StoredRecord:
    """See ``FileRecord``; ``texts`` are joined by ``SEPARATOR``, ``counts`` says how many each holds."""

    lines: int
    generated: bool
    problems: list[tuple[str, str]]
    columns: dict[str, Array]
    texts: dict[str, bytes]
    counts: dict[str, int]

    @classmethod
    def decode(cls, data: bytes) -> StoredRecord:
        """Read what ``FileRecord.encode`` wrote.

        Raises:
            ValueError: The bytes are not a record.
            LookupError: They lack a part of one.
        """
        first, _, body = data.partition(b"\n")
        head = json.loads(first)
        columns: dict[str, Array] = {}
        texts: dict[str, bytes] = {}
        position = 0
        sizes = iter(head["sizes"])
        for (name, code), size in zip(COLUMNS.items(), sizes, strict=False):
            columns[name] = np.frombuffer(body, code, size // (1 if code == "B" else 4), position)
            position += size
        for name, size in zip(TEXTS, sizes, strict=True):
            texts[name] = body[position : position + size]
            position += size
        problems = [(code, detail) for code, detail in head["problems"]]
        counts = dict(zip(TEXTS, head["counts"], strict=True))
        return cls(head["lines"], head["generated"], problems, columns, texts, counts)

    def strings(self, name: str) -> list[str]:
        """The strings of a text."""
        return self.texts[name].decode("utf-8", "surrogatepass").split(SEPARATOR) if self.counts[name] else []
