"""One segment of an index: the columns of a set of files, and the lookups over them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

import numpy as np

from sherloc.indexer.record import KINDS, SEPARATOR
from sherloc.indexer.stored_record import Array
from sherloc.schema.snippet import Snippet

_EMPTY = np.zeros(0, np.uint32)
_BLOCK, _METHOD, _CLASS = (KINDS.index(kind) for kind in ("block", "method", "class"))
_NAME_PARTS = re.compile(r"::|[.#]")


class Segment:
    """Read access to columns that ``assemble`` made.

    Units (snippets) and files are numbered from 0 in order of path, and of line within a file, blocks last.
    """

    def __init__(self, arrays: dict[str, Array], texts: Mapping[str, bytes | memoryview]) -> None:
        self.arrays = arrays
        self._texts = texts
        self.file_units = arrays["file_units"]
        self.unit_count = len(arrays["kind"])
        self.file_count = len(self.file_units) - 1

    def _split(self, name: str, count: int) -> list[str]:
        return str(self._texts[name], "utf-8", "surrogatepass").split(SEPARATOR) if count else []

    @cached_property
    def paths(self) -> list[str]:
        """Path of each file."""
        return self._split("paths", self.file_count)

    @cached_property
    def content_ids(self) -> list[str]:
        """Content id of each file."""
        return self._split("content_ids", self.file_count)

    @cached_property
    def languages(self) -> list[str]:
        """Language of each file."""
        return self._split("languages", self.file_count)

    @cached_property
    def qualified_names(self) -> list[str]:
        """Qualified name of each unit."""
        return self._split("qualified_names", self.unit_count)

    @cached_property
    def short_names(self) -> list[str]:
        """Last part of the qualified name of each unit."""
        return self._split("short_names", self.unit_count)

    @cached_property
    def _signatures(self) -> list[str]:
        return self._split("signatures", self.unit_count)

    @cached_property
    def _docstrings(self) -> list[str]:
        return self._split("docstrings", self.unit_count)

    @cached_property
    def symbols(self) -> list[str]:
        """Names that references use."""
        return self._split("symbols", len(self.arrays["symbol_starts"]) - 1)

    @cached_property
    def symbol_numbers(self) -> dict[str, int]:
        """Number of each symbol."""
        return {name: number for number, name in enumerate(self.symbols)}

    @cached_property
    def _term_numbers(self) -> dict[str, int]:
        return {term: number for number, term in enumerate(self._split("terms", len(self.arrays["term_starts"]) - 1))}

    @cached_property
    def unit_file(self) -> Array:
        """File number of each unit."""
        return np.repeat(np.arange(self.file_count, dtype=np.uint32), np.diff(self.file_units))

    @cached_property
    def file_numbers(self) -> dict[str, int]:
        """Number of each path."""
        return {path: number for number, path in enumerate(self.paths)}

    @cached_property
    def files_by_name(self) -> dict[str, list[int]]:
        """Files by the last part of their path, in lower case."""
        found: dict[str, list[int]] = {}
        for number, path in enumerate(self.paths):
            found.setdefault(path.rsplit("/", 1)[-1].lower(), []).append(number)
        return found

    @cached_property
    def _by_short_name(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        kinds = self.arrays["kind"].tolist()
        for unit, name in enumerate(self.short_names):
            if name and kinds[unit] != _BLOCK:
                found.setdefault(name, []).append(unit)
        return found

    @cached_property
    def _lower_names(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in self._by_short_name:
            found.setdefault(name.lower(), []).append(name)
        return found

    @cached_property
    def methods_apart(self) -> dict[str, list[int]]:
        """Methods that stand outside of their type's body (Go, Rust, C++), by the type's short name."""
        found: dict[str, list[int]] = {}
        kinds, parents = self.arrays["kind"], self.arrays["parent"]
        apart = (kinds == _METHOD) & ((parents < 0) | (kinds[parents] != _CLASS))
        for unit in np.flatnonzero(apart).tolist():
            found.setdefault(self.outer_name(unit), []).append(unit)
        return found

    def outer_name(self, unit: int) -> str:
        """The part of a unit's qualified name before the last: its class, type or namespace; or empty."""
        parts = _NAME_PARTS.split(self.qualified_names[unit])
        return parts[-2] if len(parts) > 1 else ""

    def units_named(self, name: str) -> list[int]:
        """Units whose definition has that short name (the case must agree)."""
        return self._by_short_name.get(name, [])

    def spellings(self, name: str) -> list[str]:
        """Short names defined here that equal ``name`` but for case."""
        return self._lower_names.get(name.lower(), [])

    def postings(self, term: str) -> tuple[Array, Array]:
        """Units with a term, and its frequency in each field (rows of four)."""
        number = self._term_numbers.get(term)
        if number is None:
            return _EMPTY, np.zeros((0, 4), np.uint8)
        first, last = self.arrays["term_starts"][number : number + 2]
        return self.arrays["post_unit"][first:last], self.arrays["post_tf"][first:last]

    def path_postings(self, term: str) -> tuple[Array, Array]:
        """Files with a term in their path, and how often."""
        number = self._term_numbers.get(term)
        if number is None:
            return _EMPTY, _EMPTY
        first, last = self.arrays["path_starts"][number : number + 2]
        return self.arrays["path_file"][first:last], self.arrays["path_tf"][first:last]

    def units_of_file(self, number: int) -> range:
        """Units of a file."""
        return range(int(self.file_units[number]), int(self.file_units[number + 1]))

    def kind(self, unit: int) -> str:
        """Kind of a unit."""
        return KINDS[self.arrays["kind"][unit]]

    def parent(self, unit: int) -> int:
        """The unit around it, or -1."""
        return int(self.arrays["parent"][unit])

    def snippet(self, unit: int) -> Snippet:
        """The unit as a snippet."""
        file = int(self.unit_file[unit])
        return Snippet(
            path=self.paths[file],
            qualified_name=self.qualified_names[unit],
            kind=KINDS[self.arrays["kind"][unit]],  # type: ignore[arg-type]
            start_line=int(self.arrays["start"][unit]),
            end_line=int(self.arrays["end"][unit]),
            signature=self._signatures[unit],
            docstring=self._docstrings[unit],
            language=self.languages[file],
            content_id=self.content_ids[file],
        )

    def references_to(self, name: str) -> Array:
        """Rows of the reference columns that use a short name."""
        number = self.symbol_numbers.get(name)
        if number is None:
            return _EMPTY
        first, last = self.arrays["symbol_starts"][number : number + 2]
        rows: Array = self.arrays["symbol_refs"][first:last]
        return rows
