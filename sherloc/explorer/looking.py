"""Looking things up in an index and its files: what the tools answer, before it is put into words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cached_property

from sherloc.indexer.index import Index
from sherloc.indexer.segment import Segment
from sherloc.llm.secrets import is_secret_file
from sherloc.repository.history import Commit
from sherloc.repository.sources import Sources

_SEPARATORS = re.compile(r"::|[.#]")
_MAX_PATHS = 30


class Lookups:
    """Questions that the tools ask.

    Args:
        index: The index of a tree.
        sources: Its files' text.
    """

    def __init__(self, index: Index, sources: Sources) -> None:
        self._index, self._sources = index, sources

    @property
    def code(self) -> Segment:
        """The code files."""
        return self._index.code

    @cached_property
    def names(self) -> list[str]:
        """All short names that are defined, each once, sorted."""
        return sorted(set(filter(None, self.code.short_names)))

    def units_called(self, name: str) -> list[int]:
        """Snippets that a name means: exactly as written, else without regard to case; the most definite reading."""
        path, _, rest = name.strip().strip("`").removesuffix("()").rpartition("::")
        if path and path not in self.code.file_numbers:  # C++ and Rust part names so, too
            path, rest = "", name.strip().strip("`").removesuffix("()")
        parts = [part for part in _SEPARATORS.split(rest) if part]
        if not parts:
            return []
        units = self.code.units_named(parts[-1])
        if not units:
            units = [unit for each in self.code.spellings(parts[-1]) for unit in self.code.units_named(each)]
        if path:
            units = [unit for unit in units if self.code.paths[int(self.code.unit_file[unit])] == path]
        wanted = [part.lower() for part in parts]
        exact = [unit for unit in units if self._parts(unit)[-len(wanted) :] == wanted]
        return exact or list(units)

    def _parts(self, unit: int) -> list[str]:
        return [part.lower() for part in _SEPARATORS.split(self.code.qualified_names[unit]) if part]

    def names_like(self, name: str) -> list[str]:
        """Defined names that are spelled like one."""
        last = [part for part in _SEPARATORS.split(name.strip().removesuffix("()")) if part][-1:] or [name]
        return get_close_matches(last[0][:100], self.names, n=5, cutoff=0.6)

    def lines_with(self, text: str, under: str) -> Iterator[tuple[str, int, str]]:
        """(path, line, the line) where a text stands, by path and line; not in files that hold secrets.

        Complexity: reads every file below ``under`` once, and keeps it.
        """
        wanted = text.lower()
        below = (path for path in self.paths if not under or path == under or path.startswith(f"{under}/"))
        paths = [path for path in below if not is_secret_file(path)]
        self._sources.load(paths)
        for path in paths:
            content = self._sources.get(path)
            if content is None or wanted not in content.lower():
                continue
            for number, line in enumerate(content.split("\n"), 1):
                if wanted in line.lower():
                    yield path, number, line

    @cached_property
    def paths(self) -> list[str]:
        """Indexed files: code, configuration, templates and documents."""
        return sorted([*self._index.code.paths, *self._index.side.paths])

    def unit_at(self, path: str, line: int) -> int | None:
        """The smallest snippet around a line, module code last."""
        arrays = self.code.arrays
        around = [
            unit
            for unit in self._index.units_of(path)
            if self.code.kind(unit) != "block" and int(arrays["start"][unit]) <= line <= int(arrays["end"][unit])
        ]
        return min(
            around,
            key=lambda u: (self.code.kind(u) == "module", int(arrays["end"][u]) - int(arrays["start"][u]), u),
            default=None,
        )

    def unit_in(self, path: str, first: int, last: int) -> int | None:
        """The snippet that most of a run of lines lies in, module code last."""
        arrays = self.code.arrays

        def overlap(unit: int) -> int:
            return min(last, int(arrays["end"][unit])) - max(first, int(arrays["start"][unit])) + 1

        around = [u for u in self._index.units_of(path) if self.code.kind(u) != "block" and overlap(u) > 0]
        return min(
            around, key=lambda u: (self.code.kind(u) == "module", self.code.kind(u) == "class", -overlap(u), u),
            default=None,
        )  # fmt: skip

    def changed_with(self, path: str, commits: Sequence[Commit]) -> tuple[list[tuple[str, int]], list[str]]:
        """Files that commits changed with one, most often first, and the messages of its last commits."""
        counts: Counter[str] = Counter()
        subjects = []
        for commit in commits:
            if path in commit.paths:
                subjects.append(commit.message.partition("\n")[0])
                if len(commit.paths) <= _MAX_PATHS:
                    counts.update(other for other in commit.paths if other != path)
        return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])), subjects
