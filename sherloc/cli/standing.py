"""How one file stands for an issue: looked up in the tree, the plan, the index and the retriever, in that order."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sherloc.arguments import Progress, nearest, path_in_tree, places_of, resolve_scope
from sherloc.errors import UsageError
from sherloc.indexer.builder import build_index
from sherloc.indexer.index import Index
from sherloc.indexer.plan import IndexPlan
from sherloc.indexer.segment import Segment
from sherloc.indexer.store import IndexStore
from sherloc.printable import printable
from sherloc.query import build_query
from sherloc.render.explanation import Explanation, FunctionStanding
from sherloc.render.visible import visible
from sherloc.repository import Tree
from sherloc.retriever import Retriever
from sherloc.retriever.places import is_aside
from sherloc.retriever.scope import Scope
from sherloc.retriever.weights import Weights
from sherloc.schema.candidate import FileCandidate, Signal
from sherloc.schema.issue import Issue
from sherloc.schema.report import SignalRecord
from sherloc.settings import Settings

_MAX_SIGNALS = 8
_MAX_FUNCTIONS = 20
_MAX_LACKING = 8
_FUNCTION_KINDS = (2, 3)
_TELLING_SIDE = "Documentation, configuration and templates are ranked below all code"

_SKIPPED = {
    "test": "It is a test file, and test files are no candidates; --include-tests makes them so.",
    "vendored": "It is vendored: somebody else's code, copied into the repository.",
    "generated": "It is generated from something else.",
    "minified": "It is minified.",
    "binary": "It is binary.",
    "lock": "It is a lock file.",
    "data": "It is data.",
    "setting": "The setting index.exclude leaves it out.",
    "symlink": "It is a symbolic link, and those are not followed.",
    "submodule": "It is a submodule, and those are not looked into.",
    "too_large": "It is too large to parse (index.max_file_bytes, index.max_text_file_bytes).",
    "unreadable": "It could not be read.",
    "missing_blob": "Its content is not in this (partial) clone.",
    "not_checked_out": "It is tracked but not checked out (sparse checkout).",
    "not_utf8_name": "Its name is not UTF-8.",
    "outside_root": "A folder on its way leads out of the repository.",
    "parser_crashed": "It made a parser crash.",
    "parser_failed": "It could not be taken apart.",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where to look: a tree, the settings that hold for it, and what its index holds."""

    tree: Tree
    settings: Settings
    plan: IndexPlan


def explain_file(
    given: str, issue: Issue, where: Place, *, scope: Sequence[str] = (), on_progress: Progress | None = None
) -> Explanation:
    """How a file stands for an issue.

    Args:
        given: Its path, relative to the repository, or absolute.
        issue: The issue.
        where: The repository.
        scope: As for ``locate``.
        on_progress: Called while the index is built.

    Raises:
        UsageError: Nothing of that path is known; the hint names the nearest ones.
    """
    scope = resolve_scope(scope, where.tree)
    path = _real_name(path_in_tree(given, where.tree, places_of(where.tree)), where.tree)
    without = _without_index(path, where)
    if without is not None and without.standing != "folder":
        return without
    index = build_index(where.tree, where.settings, on_progress)
    query = build_query(issue.shortened(where.settings.issue.max_characters))
    retriever = Retriever(query, index, where.settings.retrieval, Weights(), scope)
    if without is not None:
        return _with_best_of_folder(without, retriever)
    return _Judge(path, index, retriever, where, scope).judge()


def _real_name(path: str, tree: Tree) -> str:
    """A path that may be written as reports show it."""
    if "\\" not in path and path.isascii():
        return path
    return next((entry.path for entry in tree.entries if path in (entry.path, printable(entry.path))), path)


def _without_index(path: str, where: Place) -> Explanation | None:
    """What the tree and the plan say already; None for a file that is indexed."""
    known = {entry.path for entry in where.tree.entries}
    for reason, paths in where.plan.skipped.items():
        if path in paths:
            return Explanation(path, "skipped", _SKIPPED.get(reason, f"It is left out ({reason})."))
    if path in known:
        if any(planned.job.path == path for planned in where.plan.files):
            return None
        return Explanation(path, "unknown_kind", "Files of this kind are not indexed: no parser knows its ending.")
    if any(each.startswith(f"{path}/") for each in known) or not path:
        return Explanation(path or ".", "folder", "It is a folder; these are its best files.")
    if os.path.isfile(os.path.join(where.tree.location, path)):
        return Explanation(path, "ignored", "It is on disk, but git ignores it, or this revision does not have it.")
    raise _missing(path, where.tree, known)


def _missing(path: str, tree: Tree, known: set[str]) -> UsageError:
    near = nearest(path, known)
    names = ", ".join(visible(each) for each in near)
    hint = f"Did you mean {names}?" if near else "Give a path relative to it."
    return UsageError(f"There is no {path!r} in {tree.name}.", hint=hint)


def _with_best_of_folder(folder: Explanation, retriever: Retriever) -> Explanation:
    prefix = "" if folder.path == "." else f"{folder.path}/"
    files = retriever.candidates(1000).files
    best = tuple(each.path for each in files if each.path.startswith(prefix))[:5]
    if best:
        return replace(folder, instead=best)
    return replace(folder, reason="It is a folder; none of its files shares a word with the issue.")


class _Judge:
    """Explains one file that is to be indexed."""

    def __init__(self, path: str, index: Index, retriever: Retriever, where: Place, scope: Sequence[str]) -> None:
        self._path, self._index, self._where, self._scope = path, index, where, tuple(scope)
        self._retriever = retriever
        self._segment: Segment = index.code
        self._scores = retriever.fused.files
        self._best = retriever.candidates(max(50, where.settings.output.top))
        self._listed = {
            (each.snippet.qualified_name, each.snippet.start_line): each.signals
            for each in self._best.functions if each.snippet.path == path
        }  # fmt: skip

    def judge(self) -> Explanation:
        number = self._index.code.file_numbers.get(self._path)
        side = self._index.side.file_numbers.get(self._path)
        if number is None and side is None:
            return self._not_indexed()
        if not Scope(self._scope).holds(self._path):
            return Explanation(self._path, "out_of_scope", f"It is not in the scope: {', '.join(self._scope)}.")
        if number is None:
            assert side is not None
            return self._side_file(side)
        if self._scores[number] <= 0:
            return self._unranked(number)
        return self._ranked(number)

    def _not_indexed(self) -> Explanation:
        key = next(planned.key for planned in self._where.plan.files if planned.job.path == self._path)
        tree = self._where.tree
        store = IndexStore(tree.name, tree.store_key, self._where.settings.cache)
        try:
            stored = store.record(key)
        finally:
            store.close()
        reason = stored[0] if stored else "unreadable"
        return Explanation(self._path, "skipped", _SKIPPED.get(reason, f"It is left out ({reason})."))

    def _ranked(self, number: int) -> Explanation:
        score = float(self._scores[number])
        better = int((self._scores > score).sum()) + int((self._scores[:number] == score).sum())
        total = int((self._scores > 0).sum())
        found = next((each for each in self._best.files if each.path == self._path), None)
        listed = better < self._where.settings.output.top
        reason = "It is in the list." if listed else f"It is below the first {self._where.settings.output.top}."
        if is_aside(self._path):
            reason += " It counts less: faults seldom lie in examples, scripts and documentation sources."
        words, lacks = self._words(self._segment, number)
        return Explanation(
            self._path, "ranked", reason, rank=better + 1, ranked_files=total,
            chance=found.confidence if found else None, score=round(score, 4), signals=self._signals(number, found),
            words=words, lacks=lacks, functions=self._functions(number),
        )  # fmt: skip

    def _unranked(self, number: int) -> Explanation:
        words, lacks = self._words(self._segment, number)
        empty = not len(self._segment.units_of_file(number))
        reason = "It holds no code." if empty else "It scores 0: no word of the issue is in it, no sign leads to it."
        return Explanation(
            self._path, "no_code" if empty else "no_shared_term", reason, words=words, lacks=lacks,
            ranked_files=int((self._scores > 0).sum()),
        )  # fmt: skip

    def _side_file(self, number: int) -> Explanation:
        words, lacks = self._words(self._index.side, number)
        rank = next((at for at, each in enumerate(self._best.files, 1) if each.path == self._path), None)
        if not words:
            reason = f"{_TELLING_SIDE}, and it shares no word with the issue."
        else:
            reason = f"{_TELLING_SIDE}." if rank else f"{_TELLING_SIDE}; code fills the list."
        return Explanation(
            self._path, "side_file", reason, rank=rank, ranked_files=len(self._best.files), words=words, lacks=lacks
        )

    def _words(self, segment: Segment, number: int) -> tuple[tuple[tuple[str, float, int], ...], tuple[str, ...]]:
        """The issue's words that a file holds, heaviest first, and the heaviest that it lacks."""
        units = segment.units_of_file(number)
        held: list[tuple[str, float, int]] = []
        lacking: list[str] = []
        for term, weight in self._best.term_weights:
            where = segment.postings(term)[0]
            count = int(((where >= units.start) & (where < units.stop)).sum())
            if count or number in segment.path_postings(term)[0]:
                held.append((term, round(weight, 3), count))
            elif len(lacking) < _MAX_LACKING:
                lacking.append(term)
        return tuple(held), tuple(lacking)

    def _signals(self, number: int, found: FileCandidate | None) -> tuple[SignalRecord, ...]:
        if found is not None:
            return _records(found.signals)
        signals = list(self._retriever.cues.file_signals.get(number, ()))
        units = self._segment.units_of_file(number)
        if len(units):
            best = units.start + int(np.argmax(self._retriever.fused.units[units.start : units.stop]))
            signals += self._unit_signals(best)
        return _records(signals)

    def _unit_signals(self, unit: int) -> list[Signal]:
        """As the list has them, or for what is not listed from the cues themselves."""
        snippet = self._segment.snippet(unit)
        listed = self._listed.get((snippet.qualified_name, snippet.start_line))
        if listed is not None:
            return list(listed)
        signals = list(self._retriever.cues.unit_signals.get(unit, ()))
        share = float(self._retriever.fused.unit_lexical[unit])
        if share > 0:
            terms = self._retriever.lexical.terms_of(unit, self._best.term_weights)
            signals.append(Signal("lexical", "lexical", ", ".join(term for term, _ in terms[:6]), share))
        return signals

    def _functions(self, number: int) -> tuple[FunctionStanding, ...]:
        scores: Any = self._retriever.fused.units
        is_function = np.isin(self._segment.arrays["kind"], _FUNCTION_KINDS)
        units = [u for u in self._segment.units_of_file(number) if is_function[u] and scores[u] > 0]
        units.sort(key=lambda unit: (-scores[unit], unit))
        return tuple(self._function(unit, is_function, scores) for unit in units[:_MAX_FUNCTIONS])

    def _function(self, unit: int, is_function: Any, scores: Any) -> FunctionStanding:
        better = int((is_function & (scores > scores[unit])).sum())
        better += int((is_function[:unit] & (scores[:unit] == scores[unit])).sum())
        snippet = self._segment.snippet(unit)
        return FunctionStanding(
            better + 1, snippet.qualified_name, snippet.start_line, snippet.end_line, round(float(scores[unit]), 4),
            _records(self._unit_signals(unit)),
        )  # fmt: skip


def _records(signals: Sequence[Signal]) -> tuple[SignalRecord, ...]:
    """The strongest signals, each once."""
    best: dict[tuple[str, str], Signal] = {}
    for signal in sorted(signals, key=lambda s: (-s.score, s.kind, s.detail)):
        best.setdefault((signal.kind, signal.detail), signal)
    return tuple(
        SignalRecord(channel=s.channel, kind=s.kind, detail=s.detail, score=round(s.score, 4), line=s.line)
        for s in list(best.values())[:_MAX_SIGNALS]
    )
