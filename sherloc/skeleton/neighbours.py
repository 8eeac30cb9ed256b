"""The files and functions around a change, found in the index, each with why it is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sherloc.indexer.index import Index
from sherloc.repository.changes import Change

Relation = Literal["imported", "importing", "folder"]
_WEIGHTS: dict[Relation, float] = {"imported": 3.0, "importing": 2.0, "folder": 1.0}


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A file near the change.

    Attributes:
        path: Its path.
        relation: The strongest reason.
        score: Greater is nearer: the reasons' weights, over all changed files.
    """

    path: str
    relation: Relation
    score: float


@dataclass(frozen=True, slots=True)
class Caller:
    """A function that calls a changed one.

    Attributes:
        path: Its file.
        qualified_name: Its name.
        start_line: First line, 1-based.
        end_line: Last line, inclusive.
        calls: Qualified name of the changed function.
    """

    path: str
    qualified_name: str
    start_line: int
    end_line: int
    calls: str


def changed_units(index: Index, changes: Sequence[Change]) -> list[int]:
    """The innermost functions and classes that changes touch, by path and line."""
    found: list[int] = []
    starts, ends = index.code.arrays["start"], index.code.arrays["end"]
    for change in changes:
        units = [unit for unit in index.units_of(change.path) if index.code.kind(unit) not in ("module", "block")]
        for first, last in change.lines:
            inside = [unit for unit in units if starts[unit] <= last and first <= ends[unit]]
            outer = {index.code.parent(unit) for unit in inside}
            found += [unit for unit in inside if unit not in outer]
    return sorted(set(found))


def callers_of(index: Index, units: Sequence[int], but: Sequence[str]) -> list[Caller]:
    """Functions outside of some files that call some units; those of the first unit first, each once.

    Args:
        index: The index.
        units: What is called.
        but: Paths of files that are shown anyway.
    """
    found: dict[int, Caller] = {}
    for unit in units:
        for caller in index.callers(unit):
            snippet = index.snippet(caller)
            if caller not in found and snippet.path not in but and snippet.kind in ("function", "method"):
                found[caller] = Caller(
                    snippet.path, snippet.qualified_name, snippet.start_line, snippet.end_line,
                    index.code.qualified_names[unit],
                )  # fmt: skip
    return list(found.values())


def neighbours_of(index: Index, paths: Sequence[str], *, but: Sequence[str] | None = None) -> list[Neighbour]:
    """Code files around some files: what they import, what imports them, what stands in their folders; nearest first.

    Args:
        index: The index.
        paths: The files in the middle; those that are no code have only their folder.
        but: Paths of files that are shown anyway; None is all in the middle.
    """
    code = index.code
    left_out = set(paths if but is None else but)
    reasons: dict[str, dict[Relation, float]] = {}

    def add(path: str, relation: Relation) -> None:
        weights = reasons.setdefault(path, {})
        weights[relation] = weights.get(relation, 0.0) + _WEIGHTS[relation]

    for path in paths:
        number = code.file_numbers.get(path)
        if number is not None:
            for other in index.graph.imported_files(number):
                add(code.paths[other], "imported")
            for other in index.graph.importing_files(number):
                add(code.paths[other], "importing")
    for folder in {path.rpartition("/")[0] for path in paths}:
        for beside in code.paths:
            if beside.rpartition("/")[0] == folder:
                add(beside, "folder")
    found = [
        Neighbour(path, max(weights, key=lambda relation: _WEIGHTS[relation]), sum(weights.values()))
        for path, weights in reasons.items()
        if path not in left_out
    ]
    return sorted(found, key=lambda each: (-_WEIGHTS[each.relation], -each.score, each.path))
