"""The index of one tree: what the stages read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sherloc.indexer.graph import CodeGraph
from sherloc.indexer.segment import Segment
from sherloc.schema.diagnostic import Diagnostic
from sherloc.schema.snippet import Snippet


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """How an index came about.

    Attributes:
        key: Hash of everything in it; equal keys are equal indexes.
        files: Number of files by language (``""``: not parsed) and partition.
        skipped: Number of files left out, by reason.
        parsed: Files parsed in this run.
        reused: Files whose records were there already.
        storage: Path of the store, or ``:memory:``.
        diagnostics: What the user should know.
    """

    key: str
    files: dict[str, int]
    skipped: dict[str, int]
    parsed: int
    reused: int
    storage: str
    diagnostics: tuple[Diagnostic, ...] = field(default=())


class Index:
    """The read side of an index.

    Attributes:
        code: Code files, parsed into units; what is ranked first.
        side: Documentation, configuration and templates, one unit a file.
        info: How it came about.
    """

    def __init__(self, code: Segment, side: Segment, info: IndexInfo) -> None:
        self.code = code
        self.side = side
        self.info = info

    @cached_property
    def graph(self) -> CodeGraph:
        """Calls, imports and inheritance among code units."""
        return CodeGraph(self.code)

    @property
    def unit_count(self) -> int:
        """How many code snippets there are."""
        return self.code.unit_count

    def snippet(self, unit: int) -> Snippet:
        """A code snippet."""
        return self.code.snippet(unit)

    def units_named(self, name: str) -> Sequence[int]:
        """Code snippets whose definition has that short name."""
        return self.code.units_named(name)

    def units_of(self, path: str) -> Sequence[int]:
        """Code snippets of a file; none for an unknown path."""
        number = self.code.file_numbers.get(path)
        return () if number is None else self.code.units_of_file(number)

    def callees(self, unit: int) -> Sequence[int]:
        """Code snippets that it calls, as far as names allow."""
        return self.graph.callees(unit)

    def callers(self, unit: int) -> Sequence[int]:
        """Code snippets that call it, as far as names allow."""
        return self.graph.callers(unit)
