"""Records of many files put together as the columns of one segment of an index."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from sherloc.indexer.columns import Columns
from sherloc.indexer.record import FIELDS, SEPARATOR
from sherloc.indexer.stored_record import Array, StoredRecord
from sherloc.repository import classify
from sherloc.terms import TermTable

Buffer = bytes | memoryview

_FILE_TEXTS = ("paths", "content_ids", "languages", "partitions")
_SEPARATOR = SEPARATOR.encode()
_FILE_KINDS = {"file_lines": np.uint32, "file_generated": np.uint8}
_UNIT_KINDS = {"kind": np.uint8, "start": np.uint32, "end": np.uint32, "parent": np.int32, "name_line": np.uint32}
_POSTING_KINDS = {"post_term": np.uint32, "post_unit": np.uint32, "post_tf": np.uint32}
_PATH_KINDS = {"path_term": np.uint32, "path_file": np.uint32, "path_tf": np.uint8}
_REFERENCE_KINDS = {
    "ref_unit": np.uint32, "ref_kind": np.uint8, "ref_line": np.uint32,
    "ref_name": np.uint32, "ref_prefix": np.uint32, "ref_alias": np.uint32,
}  # fmt: skip
_UNIT_TEXTS = ("qualified_names", "short_names", "signatures", "docstrings")


class Source(NamedTuple):
    """A file with its record, in order of path."""

    path: str
    content_id: str
    language: str
    partition: str
    record: StoredRecord


class _Symbols(dict[str, int]):
    """Numbers for strings, in order of first sight."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number

    def translate(self, texts: list[str]) -> Array:
        return np.array(list(map(self.__getitem__, texts)), np.uint32)

    def joined(self) -> bytes:
        return SEPARATOR.join(self).encode("utf-8", "surrogatepass")


class _Assembly:
    """The columns of a segment in the making.

    Postings and references are most of an index: they are gathered apart (``Columns``), so that memory stays near
    that of the result.
    """

    def __init__(self) -> None:
        self.terms, self.symbols = _Symbols(), _Symbols()
        self._table = TermTable()
        self._texts: dict[str, list[bytes]] = {name: [] for name in (*_FILE_TEXTS, *_UNIT_TEXTS)}
        self._files = Columns(_FILE_KINDS)
        self._units = Columns(_UNIT_KINDS)
        self._postings = Columns(_POSTING_KINDS)
        self._references = Columns(_REFERENCE_KINDS)
        self._paths = Columns(_PATH_KINDS)
        self._offsets = [0]

    def add(self, source: Source) -> None:
        """Take in the next file."""
        record, number, base = source.record, len(self._offsets) - 1, self._offsets[-1]
        columns = record.columns
        for name in _FILE_TEXTS:
            self._texts[name].append(getattr(source, name.removesuffix("s")).encode("utf-8", "surrogatepass"))
        for name in _UNIT_TEXTS:
            self._texts[name].append(record.texts[name])
        generated = record.generated or classify(source.path).generated
        self._files.add(np.array([record.lines], np.uint32), np.array([generated], np.uint8))
        parent = np.where(columns["parent"] >= 0, columns["parent"] + base, -1).astype(np.int32)
        self._units.add(columns["kind"], columns["start"], columns["end"], parent, columns["name_line"])
        terms = self.terms.translate(record.strings("terms"))
        self._postings.add(terms[columns["post_term"]], columns["post_unit"] + np.uint32(base), columns["post_tf"])
        symbols = self.symbols.translate(record.strings("symbols"))
        self._references.add(
            columns["ref_unit"] + np.uint32(base), columns["ref_kind"], columns["ref_line"],
            *(symbols[columns[name]] for name in ("ref_name", "ref_prefix", "ref_alias")),
        )  # fmt: skip
        self._add_path(source.path, number)
        self._offsets.append(base + len(columns["kind"]))

    def _add_path(self, path: str, number: int) -> None:
        stem, _, suffix = path.rpartition(".")
        words = (stem if stem and "/" not in suffix else path).replace("/", " ").replace("-", " ").replace(".", " ")
        counts = self._table.count(words)
        self._paths.add(
            self.terms.translate(list(counts)),
            np.full(len(counts), number, np.uint32),
            np.fromiter(counts.values(), np.uint8, len(counts)),
        )

    def finish(self) -> tuple[dict[str, Array], dict[str, bytes]]:
        """The columns of the segment."""
        arrays = {"file_units": np.array(self._offsets, np.uint32)}
        arrays.update({name: self._files.column(name) for name in _FILE_KINDS})
        arrays.update({name: self._units.column(name) for name in _UNIT_KINDS})
        units = self._offsets[-1]
        arrays.update(_placed_postings(self._postings, len(self.terms), units))
        arrays.update(_placed_paths(self._paths, len(self.terms)))
        arrays.update(_placed_references(self._references, len(self.symbols), units))
        texts = {name: _SEPARATOR.join(self._texts.pop(name)) for name in list(self._texts)}
        texts["terms"], texts["symbols"] = self.terms.joined(), self.symbols.joined()
        return arrays, texts

    def close(self) -> None:
        """Remove temporary files."""
        for columns in (self._files, self._units, self._postings, self._references, self._paths):
            columns.close()


def assemble(sources: Iterable[Source]) -> tuple[dict[str, Array], dict[str, bytes]]:
    """Columns of a segment: number arrays, and joined texts.

    Args:
        sources: Files in order of path; each record is let go before the next is asked for.

    Complexity: linear in the number of postings, but for sorting each piece of them by term.
    """
    assembly = _Assembly()
    try:
        for source in sources:
            assembly.add(source)
        return assembly.finish()
    finally:
        assembly.close()


def _by(key: Array, count: int) -> tuple[Array, Array]:
    """A stable order by key, and where each key's rows start in it."""
    return np.argsort(key, kind="stable"), _starts(key, count)


def _starts(key: Array, count: int) -> Array:
    starts = np.zeros(count + 1, np.uint32)
    np.cumsum(np.bincount(key, minlength=count), out=starts[1:])
    return starts


def _placed_postings(postings: Columns, terms: int, units: int) -> dict[str, Array]:
    """Postings in order of term, then unit; and the sums of their frequencies a unit."""
    starts = np.zeros(terms + 1, np.int64)
    starts[1:] = np.cumsum(np.bincount(postings.column("post_term"), minlength=terms))
    free = starts[:-1].copy()
    placed_unit, placed_tf = np.zeros(starts[-1], np.uint32), np.zeros((starts[-1], len(FIELDS)), np.uint8)
    lengths = np.zeros((units, len(FIELDS)), np.float32)
    for term, unit, packed in postings.pieces():
        tf = packed.astype("<u4", copy=False).view(np.uint8).reshape(-1, len(FIELDS))
        base = int(unit.min())
        for field in range(len(FIELDS)):
            sums = np.bincount(unit - base, weights=tf[:, field])
            lengths[base : base + len(sums), field] += sums
        order = np.argsort(term, kind="stable")
        term = term[order]
        first = np.flatnonzero(np.diff(term, prepend=term[:1] + 1))
        runs = np.diff(first, append=len(term))
        places = free[term] + np.arange(len(term)) - np.repeat(first, runs)
        placed_unit[places], placed_tf[places] = unit[order], tf[order]
        free[term[first]] += runs
    return {
        "term_starts": starts.astype(np.uint32), "lengths": lengths, "post_unit": placed_unit, "post_tf": placed_tf
    }  # fmt: skip


def _placed_paths(paths: Columns, terms: int) -> dict[str, Array]:
    order, starts = _by(paths.column("path_term"), terms)
    return {
        "path_starts": starts, "path_file": paths.column("path_file")[order], "path_tf": paths.column("path_tf")[order]
    }  # fmt: skip


def _placed_references(references: Columns, symbols: int, units: int) -> dict[str, Array]:
    """References come in order of unit: files in order, and units in order within a file."""
    arrays = {name: references.column(name) for name in _REFERENCE_KINDS}
    arrays["ref_starts"] = _starts(arrays["ref_unit"], units)
    order, arrays["symbol_starts"] = _by(arrays["ref_name"], symbols)
    arrays["symbol_refs"] = order.astype(np.uint32)
    return arrays


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
