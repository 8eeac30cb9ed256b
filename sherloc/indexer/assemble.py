"""Records of many files put together as the columns of one segment of an index."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from sherloc.indexer.columns import Columns, Spool
from sherloc.indexer.numbering import numbering
from sherloc.indexer.record import FIELDS, SEPARATOR
from sherloc.indexer.stored_record import Array, StoredRecord, joined_column
from sherloc.terms import TermTable

Buffer = bytes | memoryview

_BATCH_ROWS = 1 << 17
_COUNTED = 1 << 20
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
    """A file with its record, in order of path; ``generated`` is what its path says."""

    path: str
    content_id: str
    language: str
    partition: str
    generated: bool
    record: StoredRecord


class _Batch:
    """Records of consecutive files, whose columns are joined: a call of numpy costs more than its work for one file.

    Args:
        records: The records.
        base: How many units stand before them.
    """

    def __init__(self, records: list[StoredRecord], base: int) -> None:
        self._records = records
        self._units = np.array([record.rows("kind") for record in records], np.uint32)
        ends = base + np.cumsum(self._units, dtype=np.uint32)
        self.unit_ends: list[int] = ends.tolist()
        self._bases = ends - self._units

    def column(self, name: str) -> Array:
        """A column of all records."""
        return joined_column(self._records, name)

    def units(self, name: str) -> Array:
        """A column that holds units, numbered from the index's first."""
        return self.column(name) + self._per_row(name, self._bases)

    def numbers(self, name: str, table: list[int], starts: list[int]) -> Array:
        """A column that holds places in each record's own list, as what stands there.

        Args:
            name: The column.
            table: All lists, one after another.
            starts: Where each record's begins.
        """
        places = self.column(name) + self._per_row(name, np.array(starts, np.uint32))
        found: Array = np.array(table, np.uint32)[places]
        return found

    def _per_row(self, name: str, values: Array) -> Array:
        return np.repeat(values, [record.rows(name) for record in self._records])


class _Assembly:
    """The columns of a segment in the making.

    Postings, references and texts are most of an index: they are gathered apart (``Columns``), so that memory stays
    near that of the result.
    """

    def __init__(self) -> None:
        self._terms, self._symbols = numbering(), numbering()
        self._table = TermTable()
        self._spool = Spool()
        self._texts = {name: Columns({name: np.uint8}, self._spool) for name in (*_FILE_TEXTS, *_UNIT_TEXTS)}
        self._files, self._units, self._postings, self._references, self._paths = (
            Columns(kinds, self._spool)
            for kinds in (_FILE_KINDS, _UNIT_KINDS, _POSTING_KINDS, _REFERENCE_KINDS, _PATH_KINDS)
        )
        self._offsets = [0]
        self._waiting: list[Source] = []
        self._waiting_rows = 0

    def add(self, source: Source) -> None:
        """Take in the next file."""
        self._waiting.append(source)
        self._waiting_rows += source.record.rows("post_term")
        if self._waiting_rows >= _BATCH_ROWS:
            self._take()

    def _take(self) -> None:
        if not self._waiting:
            return
        sources, self._waiting, self._waiting_rows = self._waiting, [], 0
        batch = _Batch([source.record for source in sources], self._offsets[-1])
        self._take_texts(sources)
        self._take_files(sources)
        parent = np.where(batch.column("parent") >= 0, batch.units("parent"), -1)
        kind, start, end, name_line = map(batch.column, ("kind", "start", "end", "name_line"))
        self._units.add(kind, start, end, parent, name_line)
        self._take_words(sources, batch)
        self._offsets += batch.unit_ends

    def _take_texts(self, sources: list[Source]) -> None:
        pieces = {
            name: [getattr(source, name.removesuffix("s")).encode("utf-8", "surrogatepass") for source in sources]
            for name in _FILE_TEXTS
        }
        pieces |= {name: [source.record.parts[name] for source in sources] for name in _UNIT_TEXTS}
        for name, texts in pieces.items():
            # Each text ends with a separator; the last one of all is taken off in the end.
            self._texts[name].add(np.frombuffer(_SEPARATOR.join([*texts, b""]), np.uint8))

    def _take_files(self, sources: list[Source]) -> None:
        lines = np.array([source.record.lines for source in sources], np.uint32)
        generated = [source.record.generated or source.generated for source in sources]
        self._files.add(lines, np.array(generated, np.uint8))

    def _take_words(self, sources: list[Source], batch: _Batch) -> None:
        """Terms and symbols get their numbers file by file, so that batches leave no trace."""
        terms: list[int] = []
        symbols: list[int] = []
        term_starts, symbol_starts = [], []
        path_terms: list[int] = []
        path_files: list[int] = []
        path_counts: list[int] = []
        for number, source in enumerate(sources, len(self._offsets) - 1):
            term_starts.append(len(terms))
            symbol_starts.append(len(symbols))
            terms += map(self._terms.__getitem__, source.record.strings("terms"))
            symbols += map(self._symbols.__getitem__, source.record.strings("symbols"))
            counts = self._table.count(_path_words(source.path))
            path_terms += map(self._terms.__getitem__, counts)
            path_files += [number] * len(counts)
            path_counts += counts.values()
        self._postings.add(
            batch.numbers("post_term", terms, term_starts), batch.units("post_unit"), batch.column("post_tf")
        )
        tf = np.minimum(np.array(path_counts, np.uint32), np.iinfo(np.uint8).max).astype(np.uint8)
        self._paths.add(np.array(path_terms, np.uint32), np.array(path_files, np.uint32), tf)
        named = (batch.numbers(name, symbols, symbol_starts) for name in ("ref_name", "ref_prefix", "ref_alias"))
        self._references.add(batch.units("ref_unit"), batch.column("ref_kind"), batch.column("ref_line"), *named)

    def finish(self) -> tuple[dict[str, Array], dict[str, Buffer]]:
        """The columns of the segment."""
        self._take()
        term_count, symbol_count, units = len(self._terms), len(self._symbols), self._offsets[-1]
        texts: dict[str, Buffer] = {"terms": _joined(self._terms), "symbols": _joined(self._symbols)}
        # Ahead of all else: they take more memory than most columns.
        del self._terms, self._symbols, self._table
        texts.update({name: self._texts.pop(name).column(name)[:-1].data for name in list(self._texts)})
        arrays = {"file_units": np.array(self._offsets, np.uint32)}
        arrays.update({name: self._files.column(name) for name in _FILE_KINDS})
        arrays.update({name: self._units.column(name) for name in _UNIT_KINDS})
        arrays.update(_placed_postings(self._postings, term_count, units))
        arrays.update(_placed_paths(self._paths, term_count))
        arrays.update(_placed_references(self._references, symbol_count, units))
        return arrays, texts

    def close(self) -> None:
        """Remove temporary files."""
        self._spool.close()


def assemble(sources: Iterable[Source]) -> tuple[dict[str, Array], dict[str, Buffer]]:
    """Columns of a segment: number arrays, and joined texts.

    Args:
        sources: Files in order of path; of their records only some are held at a time.

    Complexity: linear in the number of postings, but for sorting each piece of them by term.
    """
    assembly = _Assembly()
    try:
        for source in sources:
            assembly.add(source)
        return assembly.finish()
    finally:
        assembly.close()


def _path_words(path: str) -> str:
    stem, _, suffix = path.rpartition(".")
    words = stem if stem and "/" not in suffix else path
    return words.replace("/", " ").replace("-", " ").replace(".", " ")


def _joined(texts: Iterable[str]) -> bytes:
    return SEPARATOR.join(texts).encode("utf-8", "surrogatepass")


def _sorted_with_rows(keys: Array) -> tuple[Array, Array]:
    """Keys in order, and the row of each; rows of equal keys stay in order.

    Numbers that hold both are sorted: that is several times as fast as a stable sort, and takes less memory.
    """
    both = keys.astype(np.uint64)
    both <<= np.uint64(32)
    both |= np.arange(len(keys), dtype=np.uint64)
    both.sort()
    rows = both.astype(np.uint32)
    both >>= np.uint64(32)
    return both, rows


def _starts(parts: Iterable[Array], count: int) -> Array:
    """Where each key's rows start when rows are in order of their keys; the keys may come in parts."""
    starts = np.zeros(count + 1, np.int64)
    for keys in parts:
        for at in range(0, len(keys), _COUNTED):
            found = np.bincount(keys[at : at + _COUNTED])
            starts[1 : len(found) + 1] += found
    np.cumsum(starts, out=starts)
    return starts.astype(np.uint32)


def _placed_postings(postings: Columns, terms: int, units: int) -> dict[str, Array]:
    """Postings in order of term, then unit; and the sums of their frequencies a unit."""
    starts = _starts(postings.parts("post_term"), terms)
    free = starts[:-1].copy()
    placed_unit, placed_tf = np.zeros(starts[-1], np.uint32), np.zeros((starts[-1], len(FIELDS)), np.uint8)
    lengths = np.zeros((units, len(FIELDS)), np.float32)
    for term, unit, packed in postings.pieces():
        packed = packed.astype("<u4", copy=False)
        _add_lengths(lengths, unit, packed.view(np.uint8).reshape(-1, len(FIELDS)))
        term, order = _sorted_with_rows(term)
        first = np.flatnonzero(np.diff(term, prepend=term[:1] + np.uint64(1)))
        runs = np.diff(first, append=len(term))
        places = np.repeat(free[term[first]] - first, runs) + np.arange(len(term))
        placed_unit[places] = unit[order]
        placed_tf.view("<u4")[places, 0] = packed[order]
        free[term[first]] += runs.astype(np.uint32)
    return {"term_starts": starts, "lengths": lengths, "post_unit": placed_unit, "post_tf": placed_tf}


def _add_lengths(lengths: Array, unit: Array, tf: Array) -> None:
    base = int(unit.min())
    unit = unit - base
    for field in range(len(FIELDS)):
        sums = np.bincount(unit, weights=tf[:, field])
        lengths[base : base + len(sums), field] += sums


def _placed_paths(paths: Columns, terms: int) -> dict[str, Array]:
    key = paths.column("path_term")
    order = _sorted_with_rows(key)[1]
    return {
        "path_starts": _starts([key], terms),
        "path_file": paths.column("path_file")[order], "path_tf": paths.column("path_tf")[order],
    }  # fmt: skip


def _placed_references(references: Columns, symbols: int, units: int) -> dict[str, Array]:
    """References come in order of unit: files in order, and units in order within a file."""
    arrays = {name: references.column(name) for name in _REFERENCE_KINDS}
    arrays["ref_starts"] = _starts([arrays["ref_unit"]], units)
    arrays["symbol_starts"] = _starts([arrays["ref_name"]], symbols)
    arrays["symbol_refs"] = _sorted_with_rows(arrays["ref_name"])[1]
    return arrays


def pack(arrays: dict[str, Array], texts: Mapping[str, Buffer], prefix: str) -> dict[str, Buffer]:
    """Columns ready to be stored, without copying."""
    shapes = {name: [value.dtype.str, list(value.shape)] for name, value in arrays.items()}
    packed: dict[str, Buffer] = {
        f"{prefix}{n}": value.data.cast("B") if value.size else b"" for n, value in arrays.items()
    }
    packed.update({f"{prefix}text_{name}": value for name, value in texts.items()})
    packed[f"{prefix}shapes"] = json.dumps(shapes).encode()
    return packed


def unpack(columns: Mapping[str, Buffer], prefix: str) -> tuple[dict[str, Array], dict[str, Buffer]]:
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
    return arrays, {name[len(start) :]: value for name, value in columns.items() if name.startswith(start)}
