"""Records of many files put together as the columns of one segment of an index."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sherloc.indexer.record import FIELDS, SEPARATOR, FileRecord
from sherloc.repository import classify
from sherloc.terms import TermTable

Array = NDArray[Any]
Buffer = bytes | memoryview

_PIECE = 50_000
_FILE_TEXTS = ("paths", "content_ids", "languages", "partitions")
_UNIT_TEXTS = ("qualified_names", "short_names", "signatures", "docstrings")


class Source(NamedTuple):
    """A file with its record, in order of path."""

    path: str
    content_id: str
    language: str
    partition: str
    record: FileRecord


class _Symbols(dict[str, int]):
    """Numbers for strings, in order of first sight."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number

    def translate(self, texts: list[str]) -> Array:
        return np.array(list(map(self.__getitem__, texts)), np.uint32)

    def joined(self) -> bytes:
        return SEPARATOR.join(self).encode("utf-8", "surrogatepass")


class _Parts:
    """Column pieces, joined as they come into pieces of about ``_PIECE`` rows: many small ones would scatter memory."""

    def __init__(self) -> None:
        self._closed: dict[str, list[Array]] = {}
        self._open: dict[str, list[Array]] = {}
        self._rows: dict[str, int] = {}

    def add(self, name: str, part: Array) -> None:
        """Append rows to a column."""
        self._open.setdefault(name, []).append(part)
        self._rows[name] = self._rows.get(name, 0) + len(part)
        if self._rows[name] >= _PIECE:
            self._close(name)

    def _close(self, name: str) -> None:
        waiting = self._open.pop(name, None)
        if waiting:
            self._closed.setdefault(name, []).append(np.concatenate(waiting))
        self._rows[name] = 0

    def pieces(self, name: str) -> list[Array]:
        """The pieces of a column, which are given away; columns of equal rows have equal pieces."""
        self._close(name)
        return self._closed.pop(name, [])

    def take(self, name: str, kind: Any) -> Array:
        """A column whole."""
        parts = self.pieces(name)
        return np.concatenate(parts).astype(kind, copy=False) if parts else np.zeros(0, kind)


def _view(column: array[int]) -> Array:
    return np.frombuffer(column, dtype=column.typecode) if column else np.zeros(0, column.typecode)


def assemble(sources: Iterable[Source]) -> tuple[dict[str, Array], dict[str, bytes]]:
    """Columns of a segment: number arrays, and joined texts.

    Args:
        sources: Files in order of path; each record is let go before the next is asked for.

    Complexity: linear in the number of postings, but for one stable sort by term.
    """
    parts, terms, symbols, table = _Parts(), _Symbols(), _Symbols(), TermTable()
    texts: dict[str, list[str]] = {n: [] for n in (*_FILE_TEXTS, *_UNIT_TEXTS)}
    offsets, units = [0], 0
    for number, source in enumerate(sources):
        record = source.record
        for name in _FILE_TEXTS:
            texts[name].append(getattr(source, name.removesuffix("s")))
        for name in _UNIT_TEXTS:
            texts[name].append(SEPARATOR.join(record.texts[name]))
        _add_units(parts, record, units)
        _add_postings(parts, record, units, terms)
        _add_references(parts, record, units, symbols)
        _add_path(parts, source.path, number, terms, table)
        generated = record.generated or classify(source.path).generated
        parts.add("file_lines", np.array([record.lines], np.uint32))
        parts.add("file_generated", np.array([generated], np.uint8))
        units += len(record.columns["kind"])
        offsets.append(units)
    arrays = {"file_units": np.array(offsets, np.uint32), "file_lines": parts.take("file_lines", np.uint32)}
    arrays["file_generated"] = parts.take("file_generated", np.uint8)
    for name, kind in (
        ("kind", np.uint8),
        ("start", np.uint32),
        ("end", np.uint32),
        ("parent", np.int32),
        ("name_line", np.uint32),
    ):
        arrays[name] = parts.take(name, kind)
    _finish_postings(parts, arrays, len(terms), units)
    _finish_references(parts, arrays, len(symbols), units)
    joined = {name: SEPARATOR.join(values).encode("utf-8", "surrogatepass") for name, values in texts.items()}
    joined["terms"], joined["symbols"] = terms.joined(), symbols.joined()
    return arrays, joined


def _add_units(parts: _Parts, record: FileRecord, base: int) -> None:
    for name in ("kind", "start", "end", "name_line"):
        parts.add(name, _view(record.columns[name]))
    parent = _view(record.columns["parent"])
    parts.add("parent", np.where(parent >= 0, parent + base, -1).astype(np.int32))


def _add_postings(parts: _Parts, record: FileRecord, base: int, terms: _Symbols) -> None:
    numbers = terms.translate(record.texts["terms"])
    parts.add("post_term", numbers[_view(record.columns["post_term"])])
    parts.add("post_unit", _view(record.columns["post_unit"]) + np.uint32(base))
    parts.add("post_tf", _view(record.columns["post_tf"]))


def _add_references(parts: _Parts, record: FileRecord, base: int, symbols: _Symbols) -> None:
    numbers = symbols.translate(record.texts["symbols"])
    parts.add("ref_unit", _view(record.columns["ref_unit"]) + np.uint32(base))
    for name in ("ref_kind", "ref_line"):
        parts.add(name, _view(record.columns[name]))
    for name in ("ref_name", "ref_prefix", "ref_alias"):
        parts.add(name, numbers[_view(record.columns[name])])


def _add_path(parts: _Parts, path: str, number: int, terms: _Symbols, table: TermTable) -> None:
    stem, _, suffix = path.rpartition(".")
    counts = table.count(
        (stem if stem and "/" not in suffix else path).replace("/", " ").replace("-", " ").replace(".", " ")
    )
    parts.add("path_term", terms.translate(list(counts)))
    parts.add("path_file", np.full(len(counts), number, np.uint32))
    parts.add("path_tf", np.fromiter(counts.values(), np.uint8, len(counts)))


def _by(key: Array, count: int) -> tuple[Array, Array]:
    """A stable order by key, and where each key's rows start in it."""
    order = np.argsort(key, kind="stable")
    starts = np.zeros(count + 1, np.uint32)
    np.cumsum(np.bincount(key, minlength=count), out=starts[1:])
    return order, starts


def _finish_postings(parts: _Parts, arrays: dict[str, Array], terms: int, units: int) -> None:
    _place_postings(parts, arrays, terms, units)
    order, arrays["path_starts"] = _by(parts.take("path_term", np.uint32), terms)
    arrays["path_file"] = parts.take("path_file", np.uint32)[order]
    arrays["path_tf"] = parts.take("path_tf", np.uint8)[order]


def _place_postings(parts: _Parts, arrays: dict[str, Array], terms: int, units: int) -> None:
    """Put each file's postings where they belong, letting go of them: memory stays near that of the result."""
    pieces = list(zip(*(parts.pieces(name) for name in ("post_term", "post_unit", "post_tf")), strict=True))
    starts = np.zeros(terms + 1, np.int64)
    for term, _, _ in pieces:
        np.add.at(starts, term + 1, 1)
    np.cumsum(starts, out=starts)
    free = starts[:-1].copy()
    placed_unit, placed_tf = np.zeros(starts[-1], np.uint32), np.zeros((starts[-1], len(FIELDS)), np.uint8)
    lengths = np.zeros((units, len(FIELDS)), np.float32)
    pieces.reverse()
    while pieces:
        term, unit, packed = pieces.pop()
        tf = packed.astype("<u4", copy=False).view(np.uint8).reshape(-1, len(FIELDS))
        base = int(unit.min()) if len(unit) else 0
        for field in range(len(FIELDS)):
            sums = np.bincount(unit - base, weights=tf[:, field])
            lengths[base : base + len(sums), field] += sums
        order = np.argsort(term, kind="stable")
        term = term[order]
        first = np.flatnonzero(np.diff(term, prepend=term[:1] + 1)) if len(term) else order
        runs = np.diff(first, append=len(term))
        places = free[term] + np.arange(len(term)) - np.repeat(first, runs)
        placed_unit[places], placed_tf[places] = unit[order], tf[order]
        free[term[first]] += runs
    arrays["term_starts"], arrays["lengths"] = starts.astype(np.uint32), lengths
    arrays["post_unit"], arrays["post_tf"] = placed_unit, placed_tf


def _finish_references(parts: _Parts, arrays: dict[str, Array], symbols: int, units: int) -> None:
    unit = parts.take("ref_unit", np.uint32)
    order, arrays["ref_starts"] = _by(unit, units)
    arrays["ref_unit"] = unit[order]
    for name, kind in (
        ("ref_kind", np.uint8),
        ("ref_line", np.uint32),
        ("ref_name", np.uint32),
        ("ref_prefix", np.uint32),
        ("ref_alias", np.uint32),
    ):
        arrays[name] = parts.take(name, kind)[order]
    order, arrays["symbol_starts"] = _by(arrays["ref_name"], symbols)
    arrays["symbol_refs"] = order.astype(np.uint32)


def pack(arrays: dict[str, Array], texts: dict[str, bytes], prefix: str) -> dict[str, Buffer]:
    """Columns ready to be stored, without copying."""
    shapes = {name: [value.dtype.str, list(value.shape)] for name, value in arrays.items()}
    packed: dict[str, Buffer] = {
        f"{prefix}{n}": value.data.cast("B") if value.size else b"" for n, value in arrays.items()
    }
    packed.update({f"{prefix}text_{name}": value for name, value in texts.items()})
    packed[f"{prefix}shapes"] = json.dumps(shapes).encode()
    return packed


def unpack(columns: Mapping[str, Buffer], prefix: str) -> tuple[dict[str, Array], dict[str, bytes]]:
    """What ``pack`` was given, without copying.

    Raises:
        KeyError: A column is missing.
        ValueError: A column has another size than it should.
    """
    shapes = json.loads(bytes(columns[f"{prefix}shapes"]))
    arrays = {
        n: np.frombuffer(columns[f"{prefix}{n}"], dtype=kind).reshape(shape) for n, (kind, shape) in shapes.items()
    }
    start = f"{prefix}text_"
    return arrays, {name[len(start) :]: bytes(value) for name, value in columns.items() if name.startswith(start)}
