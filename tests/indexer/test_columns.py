from __future__ import annotations

import tempfile
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.indexer import columns as columns_module
from sherloc.indexer.columns import Columns, Spool

ROWS = 1_000_000
KINDS = {"a": np.uint32, "b": np.uint8}


@given(st.lists(st.lists(st.integers(0, 255), max_size=30), max_size=12), st.sampled_from([0, 40, 10_000]))
def test_columns_give_back_what_was_added(parts: list[list[int]], in_memory: int) -> None:
    piece = columns_module._PIECE
    columns_module._PIECE = 7
    try:
        spool = Spool(in_memory)
        columns = Columns(KINDS, spool)
        for part in parts:
            columns.add(np.array(part, np.uint32) * 1000, np.array(part, np.uint8))
        wanted = [value for part in parts for value in part]
        assert columns.column("b").tolist() == wanted
        assert columns.column("a").tolist() == [value * 1000 for value in wanted]
        assert columns.rows == len(wanted)
        pieces = list(columns.pieces())
        assert [v for _, b in pieces for v in b.tolist()] == wanted
        assert [v for a, _ in pieces for v in a.tolist()] == [value * 1000 for value in wanted]
        assert all(len(a) for a, _ in pieces)
        spool.close()
    finally:
        columns_module._PIECE = piece


def test_a_full_disk_keeps_the_rest_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    real = tempfile.TemporaryFile

    def small(**options: Any) -> Any:
        file = real(**options)
        write = file.write

        class Full:
            def __getattr__(self, name: str) -> Any:
                return getattr(file, name)

            def write(self, data: bytes) -> int:
                if file.tell() + len(data) > 3_000_000:
                    raise OSError(28, "No space left on device")
                return int(write(data))

        return Full()

    monkeypatch.setattr(tempfile, "TemporaryFile", small)
    spool = Spool(0)
    columns = Columns(KINDS, spool)
    for start in range(0, ROWS, 1000):
        numbers = np.arange(start, start + 1000, dtype=np.uint32)
        columns.add(numbers, (numbers % 251).astype(np.uint8))
    assert np.array_equal(columns.column("a"), np.arange(ROWS))
    assert np.array_equal(np.concatenate([b for _, b in columns.pieces()]), np.arange(ROWS) % 251)
    assert spool._file
    spool.close()


def test_columns_that_share_a_spool_do_not_mix() -> None:
    spool = Spool(100)
    both = [Columns({"a": np.uint8}, spool) for _ in range(2)]
    for number in range(200):
        both[number % 2].add(np.full(5000, number, np.uint8))
    for odd, columns in enumerate(both):
        assert np.array_equal(columns.column("a"), np.repeat(np.arange(odd, 200, 2), 5000))
    spool.close()
