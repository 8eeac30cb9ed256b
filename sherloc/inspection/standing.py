"""How one file stands for an issue: looked up in the tree, the plan, the index and the retriever, in that order."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from sherloc.arguments import Progress, path_in_tree, places_of, resolve_scope
from sherloc.errors import UsageError
from sherloc.indexer.builder import build_index
from sherloc.indexer.decoding import decode
from sherloc.indexer.index import Index
from sherloc.indexer.plan import IndexPlan
from sherloc.indexer.store import IndexStore
from sherloc.meaning import Meaning
from sherloc.paths import nearest_paths
from sherloc.plans import Work, make_query, open_retriever
from sherloc.render.explanation import Explanation, FunctionStanding, Standing
from sherloc.repository import Tree
from sherloc.repository.history import History
from sherloc.repository.sources import Sources
from sherloc.retriever import Explainer, FileRank, FunctionRank, Retriever
from sherloc.retriever.places import is_aside
from sherloc.retriever.scope import Scope
from sherloc.schema.candidate import Signal
from sherloc.schema.issue import Issue
from sherloc.schema.path_text import original_path, shown_path
from sherloc.schema.report import SignalRecord
from sherloc.settings import Settings
from sherloc.visible import visible

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
    "broken_blob": "Its content is missing or damaged in git's store; see: git fsck",
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
        given: Its path, relative to the repository, or absolute; as sherloc shows it, or as it is.
        issue: The issue.
        where: The repository.
        scope: As for ``locate``.
        on_progress: Called while the index is built.

    Raises:
        UsageError: Nothing of that path is known; the hint names the nearest ones.
    """
    scope = resolve_scope(scope, where.tree)
    path = path_in_tree(given, where.tree, places_of(where.tree))
    without = _without_index(path, where)
    if without is not None and without.standing != "folder":
        return without
    index = build_index(where.tree, where.settings, on_progress)
    retriever = _retriever(issue, index, where, scope)
    if without is not None:
        return _with_best_of_folder(without, retriever)
    return _Judge(path, index, retriever, where, scope).judge()


def _retriever(issue: Issue, index: Index, where: Place, scope: tuple[str, ...]) -> Retriever:
    """The retriever that ``locate`` would use."""
    settings = where.settings
    sources = Sources(where.tree, lambda data: decode(data)[0])
    with History(where.tree, settings.retrieval) as history, closing(Meaning()) as meaning:
        shortened = issue.shortened(settings.issue.max_characters)
        work = Work(shortened, where.tree, index, settings, sources, scope, history=history, meaning=meaning)
        make_query(work)
        return open_retriever(work)


def _without_index(path: str, where: Place) -> Explanation | None:
    """What the tree and the plan say already; None for a file that is indexed."""
    known = {shown_path(entry.path) for entry in where.tree.entries}
    for reason, paths in where.plan.skipped.items():
        if path in map(shown_path, paths):
            return Explanation(path, "skipped", _SKIPPED.get(reason, f"It is left out ({reason})."))
    if path in known:
        if any(shown_path(planned.job.path) == path for planned in where.plan.files):
            return None
        return Explanation(path, "unknown_kind", "Files of this kind are not indexed: no parser knows its ending.")
    if any(each.startswith(f"{path}/") for each in known) or not path:
        return Explanation(path or ".", "folder", "It is a folder; these are its best files.")
    if os.path.isfile(os.path.join(where.tree.location, original_path(path) or path)):
        return Explanation(path, "ignored", "It is on disk, but git ignores it, or this revision does not have it.")
    raise _missing(path, where.tree, known)


def _missing(path: str, tree: Tree, known: set[str]) -> UsageError:
    names = ", ".join(visible(each) for each in nearest_paths(path, known))
    hint = f"Did you mean {names}?" if names else "Give a path relative to it."
    return UsageError(f"There is no {path!r} in {tree.name}.", hint=hint)


def _with_best_of_folder(folder: Explanation, retriever: Retriever) -> Explanation:
    prefix = "" if folder.path == "." else f"{folder.path}/"
    files = retriever.candidates(1000).files
    best = tuple(each.path for each in files if each.path.startswith(prefix))[:5]
    if best:
        return replace(folder, instead=best)
    return replace(folder, reason="It is a folder; none of its files shares a word with the issue.")


class _Judge:
    """Says of one file that is to be indexed how it stands."""

    def __init__(self, path: str, index: Index, retriever: Retriever, where: Place, scope: Sequence[str]) -> None:
        self._path, self._index, self._retriever, self._where = path, index, retriever, where
        self._scope = Scope(scope)

    def judge(self) -> Explanation:
        if self._path not in self._index.code.file_numbers and self._path not in self._index.side.file_numbers:
            return self._not_indexed()
        if not self._scope.holds(self._path):
            reason = f"It is not in the scope: {', '.join(self._scope.patterns)}."
            return Explanation(self._path, "out_of_scope", reason)
        found = Explainer(self._retriever, max(50, self._where.settings.output.top)).file(self._path)
        assert found is not None
        standing, reason = self._words(found)
        return Explanation(
            self._path, standing, reason, rank=found.rank, ranked_files=found.ranked, chance=found.chance,
            score=round(found.score, 4), signals=_records(found.signals), lacks=found.lacks,
            words=tuple((word, round(weight, 3), count) for word, weight, count in found.words),
            functions=tuple(map(_function, found.functions)),
        )  # fmt: skip

    def _words(self, found: FileRank) -> tuple[Standing, str]:
        if found.is_side:
            if not found.words:
                return "side_file", f"{_TELLING_SIDE}, and it shares no word with the issue."
            return "side_file", f"{_TELLING_SIDE}." if found.rank else f"{_TELLING_SIDE}; code fills the list."
        if found.is_empty:
            return "no_code", "It holds no code."
        if found.rank is None:
            return "no_shared_term", "It scores 0: no word of the issue is in it, no sign leads to it."
        top = self._where.settings.output.top
        reason = "It is in the list." if found.rank <= top else f"It is below the first {top}."
        if is_aside(self._path):
            reason += " It counts less: faults seldom lie in examples, scripts and documentation sources."
        return "ranked", reason

    def _not_indexed(self) -> Explanation:
        files = self._where.plan.files
        key = next(planned.key for planned in files if shown_path(planned.job.path) == self._path)
        tree = self._where.tree
        store = IndexStore(tree.name, tree.store_key, self._where.settings.cache)
        try:
            stored = store.records([key]).get(key)
        finally:
            store.close()
        reason = stored[0] if stored else "unreadable"
        return Explanation(self._path, "skipped", _SKIPPED.get(reason, f"It is left out ({reason})."))


def _function(found: FunctionRank) -> FunctionStanding:
    return FunctionStanding(
        found.rank, found.qualified_name, found.start_line, found.end_line, round(found.score, 4),
        _records(found.signals),
    )  # fmt: skip


def _records(signals: Sequence[Signal]) -> tuple[SignalRecord, ...]:
    return tuple(
        SignalRecord(channel=s.channel, kind=s.kind, detail=s.detail, score=round(s.score, 4), line=s.line)
        for s in signals
    )
