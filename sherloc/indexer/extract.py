"""One file's bytes to its record: decode, outline, units, term frequencies, references."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from sherloc.indexer.decoding import decode
from sherloc.indexer.numbering import numbering
from sherloc.indexer.record import KINDS, REFERENCE_KINDS, SEPARATOR, FileRecord
from sherloc.syntax import Definition, GrammarUnavailable, Outline, Zone, outline
from sherloc.terms import WORD, TermTable, words_of

_KIND = {name: number for number, name in enumerate(KINDS)}
_REFERENCE = {name: number for number, name in enumerate(REFERENCE_KINDS)}
_ZONE_FIELD = {"comment": 1, "docstring": 1, "string": 2}
_WIDTH = 24
_MASK = (1 << _WIDTH) - 1
_MOST = 255  # of a term in a field, that count
_DEEPEST = 8
"""Functions nested deeper neither get blocks nor count for those around them: else work would grow as the square."""
_FEW = 40
"""A table of its own costs more than the repetitions among so many words save."""
_MEMO = 100_000
_LONGEST_NAME = 400  # characters of a qualified name whose words count
_BLOCK_SHARE = 2  # a block is at most this fraction (1/2) of the longest unsplit function

Range = tuple[int, int]


class Unit(NamedTuple):
    """A snippet in the making; ``ranges`` are the byte ranges whose words it owns."""

    kind: str
    qualified_name: str
    start: int
    end: int
    name_line: int
    parent: int
    ranges: tuple[Range, ...]
    name: str = ""
    signature: str = ""
    docstring: str = ""


class Extractor:
    """Turns files into records; keeps a memo of words, so use one for many files.

    Args:
        max_snippet_lines: Longer functions are split into blocks. Lines.
    """

    def __init__(self, max_snippet_lines: int) -> None:
        self._max_lines = max_snippet_lines
        self._table = TermTable()
        self._packed = _Packed()

    def extract(self, language: str, partition: str, data: bytes) -> FileRecord:
        """The record of one file; never raises for bad content.

        Args:
            language: A language of ``sherloc.syntax``, or empty for a file that is not parsed.
            partition: ``docs`` words count as documentation, others as code.
            data: The file's bytes.
        """
        text, encoding = decode(data)
        record = FileRecord(lines=text.count("\n") + (not text.endswith("\n") and bool(text)))
        if encoding == "latin-1":
            record.problems.append(("encoding_guessed", "not UTF-8; read as latin-1"))
        source = text.encode("utf-8", "replace")
        shape = Outline([], [], [], [])
        if language:
            try:
                shape = outline(language, source)
            except GrammarUnavailable as error:
                record.problems.append(("parser_unavailable", f"{language}: {error.message}"))
        elif partition == "docs":
            shape.zones.append(Zone(0, len(source), "comment"))
        for first, last in shape.errors:
            record.problems.append(("parse_partial", f"lines {first}-{last}"))
        units = _units(shape, source, record.lines, self._max_lines)
        self._fill_units(record, units)
        self._fill_postings(record, units, shape, source)
        _fill_references(record, shape)
        return record

    def _fill_units(self, record: FileRecord, units: Sequence[Unit]) -> None:
        columns, texts = record.columns, record.texts
        for unit in units:
            columns["kind"].append(_KIND[unit.kind])
            columns["start"].append(unit.start)
            columns["end"].append(unit.end)
            columns["parent"].append(unit.parent)
            columns["name_line"].append(unit.name_line)
            texts["qualified_names"].append(unit.qualified_name)
            texts["short_names"].append(unit.name)
            texts["signatures"].append(unit.signature.replace(SEPARATOR, ""))
            texts["docstrings"].append(unit.docstring.replace(SEPARATOR, ""))

    def _fill_postings(self, record: FileRecord, units: Sequence[Unit], shape: Outline, source: bytes) -> None:
        zones = _Zones(shape.zones, source)
        counts = [self._frequencies(unit, zones) for unit in units]
        _add_nested(counts, units, len(shape.definitions))
        numbers = numbering()
        columns, packed = record.columns, self._packed
        for number, found in enumerate(counts):
            columns["post_unit"].extend(array("I", [number]) * len(found))
            columns["post_term"].fromlist(list(map(numbers.__getitem__, found)))
            columns["post_tf"].fromlist(list(map(packed.__getitem__, found.values())))
        record.texts["terms"] = list(numbers)

    def _frequencies(self, unit: Unit, zones: _Zones) -> dict[str, int]:
        """Each term with its frequencies in the four fields, ``_WIDTH`` bits each."""
        terms_of = self._table.__getitem__
        found: dict[str, int] = {}
        get = found.get
        for field, words in enumerate((*zones.words(unit.ranges), WORD.findall(unit.qualified_name[-_LONGEST_NAME:]))):
            one = 1 << (field * _WIDTH)
            if len(words) <= _FEW:
                for term in chain.from_iterable(map(terms_of, words)):
                    found[term] = get(term, 0) + one
                continue
            counts: dict[str, int] = Counter(chain.from_iterable(map(terms_of, words)))
            if len(words) > _MOST:
                counts = {term: min(times, _MOST) for term, times in counts.items()}
            if not field:
                found = counts
                get = found.get
                continue
            for term, times in counts.items():
                found[term] = get(term, 0) + times * one
        return found


class _Packed(dict[int, int]):
    """A memo of the four frequencies, each at most 255, as the bytes of one 32-bit number."""

    def __missing__(self, value: int) -> int:
        if len(self) >= _MEMO:
            self.clear()
        packed = 0
        for place in range(4):
            packed |= min(_MOST, (value >> (place * _WIDTH)) & _MASK) << (8 * place)
        self[value] = packed
        return packed


class _Zones:
    """The words of byte ranges, apart by field: code, documentation, strings."""

    def __init__(self, zones: Sequence[Zone], source: bytes) -> None:
        self._zones = [(zone.start_byte, zone.end_byte, _ZONE_FIELD[zone.kind]) for zone in zones]
        self._starts = [zone.start_byte for zone in zones]
        self._source = source

    def words(self, ranges: Iterable[Range]) -> list[list[str]]:
        source, zones, count = self._source, self._zones, len(self._zones)
        found: tuple[list[bytes], list[bytes], list[bytes]] = ([], [], [])
        code = found[0]
        for start, end in ranges:
            at = bisect_left(self._starts, start)
            if at and zones[at - 1][1] > start:
                at -= 1
            while at < count:
                first, last, field = zones[at]
                if first >= end:
                    break
                if first > start:
                    code.append(source[start:first])
                    start = first
                last = min(last, end)
                found[field].append(source[start:last])
                start = last
                at += 1
            if start < end:
                code.append(source[start:end])
        return [words_of(b" ".join(parts)) if parts else [] for parts in found]


def _units(shape: Outline, source: bytes, line_count: int, max_lines: int) -> list[Unit]:
    """The module first, then each definition, then the blocks of over-long functions."""
    owned = _owned_ranges(shape.definitions, len(source))
    units = [Unit("module", "", 1, max(1, line_count), 1, -1, tuple(owned[-1]))]
    for number, d in enumerate(shape.definitions):
        units.append(
            Unit(d.kind, d.qualified_name, d.start_line, d.end_line, d.name_line, d.parent + 1, tuple(owned[number]),
                 d.name, d.signature, d.docstring)
        )  # fmt: skip
    offsets: list[int] = []
    depths = _depths(units)
    for number, d in enumerate(shape.definitions):
        if d.kind == "class" or d.end_line - d.start_line < max_lines or depths[number + 1] > _DEEPEST:
            continue
        offsets = offsets or _line_offsets(source)
        for first, last in split_lines(source, offsets, d.start_line, d.end_line, max_lines // _BLOCK_SHARE):
            span = (offsets[first - 1], offsets[last])
            units.append(Unit("block", d.qualified_name, first, last, first, number + 1, (span,), d.name, d.signature))
    return units


def _owned_ranges(definitions: Sequence[Definition], size: int) -> dict[int, list[Range]]:
    """For each definition (-1 is the module) the byte ranges that belong to no definition inside it."""
    owned: dict[int, list[Range]] = {number: [] for number in range(-1, len(definitions))}
    stack = [-1]
    position = 0

    def advance(to: int) -> None:
        nonlocal position
        if to > position:
            owned[stack[-1]].append((position, to))
            position = to

    for number, d in enumerate(definitions):
        while stack[-1] >= 0 and definitions[stack[-1]].end_byte <= d.start_byte:
            advance(definitions[stack[-1]].end_byte)
            stack.pop()
        advance(d.start_byte)
        stack.append(number)
    while stack[-1] >= 0:
        advance(definitions[stack[-1]].end_byte)
        stack.pop()
    advance(size)
    return owned


def _depths(units: Sequence[Unit]) -> list[int]:
    """How many units stand around each; a unit comes after the one around it."""
    depths: list[int] = []
    for unit in units:
        depths.append(depths[unit.parent] + 1 if unit.parent >= 0 else 0)
    return depths


def _add_nested(counts: list[dict[str, int]], units: Sequence[Unit], definitions: int) -> None:
    """A function's words include those of the functions inside it."""
    depths = _depths(units)
    for number in range(definitions, 0, -1):
        parent = units[number].parent
        if depths[number] <= _DEEPEST and parent and units[parent].kind != "class" and units[number].kind != "class":
            outer = counts[parent]
            for term, value in counts[number].items():
                outer[term] = outer.get(term, 0) + value


def _line_offsets(source: bytes) -> list[int]:
    offsets = [0]
    at = source.find(b"\n")
    while at >= 0:
        offsets.append(at + 1)
        at = source.find(b"\n", at + 1)
    if offsets[-1] < len(source):
        offsets.append(len(source))
    return offsets


def split_lines(source: bytes, offsets: Sequence[int], start: int, end: int, size: int) -> list[Range]:
    """Split lines ``start`` to ``end`` into runs of at most ``size`` lines that begin where indentation is least.

    Args:
        source: The file.
        offsets: Byte offset of each line, and of the end.
        start: First line, 1-based.
        end: Last line, inclusive.
        size: Longest run. Lines.
    """
    parts: list[Range] = []
    first = start
    while end - first + 1 > size:
        best, least = first + size, 1 << 30
        for line in range(first + size, first + size // 2, -1):
            text = source[offsets[line - 1] : offsets[line]]
            body = text.lstrip(b" \t")
            if body.strip() and body[:1] not in b")]}" and len(text) - len(body) < least:
                best, least = line, len(text) - len(body)
        parts.append((first, best - 1))
        first = best
    parts.append((first, min(end, len(offsets) - 1)))
    return parts


def _fill_references(record: FileRecord, shape: Outline) -> None:
    rows = [(r.owner, r.kind, r.line, r.name, r.alias) for r in shape.references]
    for number, d in enumerate(shape.definitions):
        rows.extend((number, "base", d.name_line, base, "") for base in d.bases)
    rows.sort(key=itemgetter(0))
    split, symbols = _SplitNames(), numbering("")
    names: list[int] = []
    for _, _, _, name, alias in rows:
        prefix, short = split[name]
        names += symbols[short], symbols[prefix], symbols[alias]
    columns = record.columns
    columns["ref_unit"].fromlist([row[0] + 1 for row in rows])
    columns["ref_kind"].fromlist([_REFERENCE[row[1]] for row in rows])
    columns["ref_line"].fromlist([row[2] for row in rows])
    for place, column in enumerate(("ref_name", "ref_prefix", "ref_alias")):
        columns[column].fromlist(names[place::3])
    record.texts["symbols"] = list(symbols)


class _SplitNames(dict[str, tuple[str, str]]):
    """A memo of what stands before the last part of a name, and that part: few names are used once."""

    def __missing__(self, name: str) -> tuple[str, str]:
        parts = self[name] = _split_name(name)
        return parts


def _split_name(name: str) -> tuple[str, str]:
    for separator in ("::", "->", "\\", "/", "."):
        head, found, tail = name.rpartition(separator)
        if found:
            return head.replace(SEPARATOR, ""), tail.replace(SEPARATOR, "")
    return "", name.replace(SEPARATOR, "")
