"""Rows of a few columns, gathered in pieces; what grows large lies in a temporary file until it is asked for."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from typing import IO

import numpy as np

from sherloc.indexer.stored_record import Array

_PIECE = 1 << 18
IN_MEMORY = 64_000_000
"""Up to so many bytes are kept in memory."""


class Spool:
    """Pieces of bytes, kept in memory up to a limit and then in one temporary file.

    Args:
        in_memory: Bytes above which pieces go to the file; when that cannot be written, they stay in memory.
    """

    def __init__(self, in_memory: int = IN_MEMORY) -> None:
        self._room = in_memory
        self._file: IO[bytes] | None = None

    def put(self, data: bytes) -> bytes | int:
        """Keep a piece; what is given back stands for it."""
        self._room -= len(data)
        if self._room >= 0:
            return data
        try:
            self._file = self._file or tempfile.TemporaryFile(prefix="sherloc-")  # noqa: SIM115 - closed by close()
            offset = self._file.seek(0, 2)
            self._file.write(data)
            self._file.flush()
        except OSError:
            return data
        return offset

    def read(self, place: bytes | int, offset: int, size: int) -> bytes | memoryview:
        """A part of a piece."""
        if isinstance(place, bytes):
            return memoryview(place)[offset : offset + size]
        assert self._file
        self._file.seek(place + offset)
        return self._file.read(size)

    def close(self) -> None:
        """Remove the temporary file."""
        if self._file:
            self._file.close()


class Columns:
    """Columns of equal length, appended to by parts; parts are joined, since many small ones would scatter memory.

    Args:
        kinds: The type of each column.
        spool: Where pieces are kept; it may be shared, and whoever made it closes it.
    """

    def __init__(self, kinds: Mapping[str, np.dtype[np.generic] | type], spool: Spool) -> None:
        self._kinds = {name: np.dtype(kind) for name, kind in kinds.items()}
        self._spool = spool
        self._waiting: list[tuple[Array, ...]] = []
        self._waiting_rows = 0
        self._pieces: list[tuple[int, bytes | int]] = []
        self.rows = 0

    def add(self, *parts: Array) -> None:
        """Append rows; one part a column, in the order of the kinds."""
        self._waiting.append(parts)
        self._waiting_rows += len(parts[0])
        if self._waiting_rows >= _PIECE:
            self._close_piece()

    def _close_piece(self) -> None:
        if self._waiting_rows:
            columns = zip(zip(*self._waiting, strict=True), self._kinds.values(), strict=True)
            data = b"".join(np.concatenate(column).astype(kind, copy=False).tobytes() for column, kind in columns)
            self._pieces.append((self._waiting_rows, self._spool.put(data)))
            self.rows += self._waiting_rows
        self._waiting.clear()
        self._waiting_rows = 0

    def pieces(self) -> Iterator[tuple[Array, ...]]:
        """All rows, piece by piece in order; each piece is let go of."""
        self._close_piece()
        row = sum(kind.itemsize for kind in self._kinds.values())
        self._pieces.reverse()
        while self._pieces:
            rows, place = self._pieces.pop()
            data = self._spool.read(place, 0, rows * row)
            offset, columns = 0, []
            for kind in self._kinds.values():
                columns.append(np.frombuffer(data, kind, rows, offset))
                offset += rows * kind.itemsize
            yield tuple(columns)

    def parts(self, name: str) -> Iterator[Array]:
        """A column, piece by piece in order."""
        self._close_piece()
        kind, before = self._kinds[name], 0
        for other, other_kind in self._kinds.items():
            if other == name:
                break
            before += other_kind.itemsize
        for rows, place in self._pieces:
            yield np.frombuffer(self._spool.read(place, before * rows, kind.itemsize * rows), kind, rows)

    def column(self, name: str) -> Array:
        """A column whole."""
        self._close_piece()
        whole = np.zeros(self.rows, self._kinds[name])
        at = 0
        for part in self.parts(name):
            whole[at : at + len(part)] = part
            at += len(part)
        return whole
