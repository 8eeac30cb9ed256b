"""A tree to its index: reuse what is known, parse what is not, put together, store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from sherloc.indexer.assemble import Source, assemble, pack, unpack
from sherloc.indexer.index import Index, IndexInfo
from sherloc.indexer.plan import SIDE_PARTITIONS, IndexPlan, Planned, index_key, plan_index
from sherloc.indexer.record import FileRecord
from sherloc.indexer.segment import Segment
from sherloc.indexer.store import Columns, IndexStore
from sherloc.printable import printable
from sherloc.repository import Tree
from sherloc.schema.report import Diagnostic
from sherloc.settings import Settings

if TYPE_CHECKING:
    from sherloc.indexer.pool import Parsed

Progress = Callable[[str, int, int], None]
"""Called with (what is done, how many are done, of how many)."""

_FLUSH = 256
_FLEETING = frozenset({"unreadable", "parser_crashed", "parser_failed", "missing_blob"})
"""Reasons that may be gone at the next run: such outcomes are not kept."""
_EXAMPLES = 5

_SKIP_WORDS = {
    "test": ("info", "test files are not candidates"),
    "vendored": ("info", "vendored files are left out"),
    "generated": ("info", "generated files are left out"),
    "minified": ("info", "minified files are left out"),
    "binary": ("info", "binary files are left out"),
    "lock": ("info", "lock files are left out"),
    "data": ("info", "data files are left out"),
    "setting": ("info", "files are left out by the setting index.exclude"),
    "symlink": ("info", "symbolic links are not followed"),
    "submodule": ("info", "submodules are not looked into"),
    "too_large": ("warning", "files are too large to parse (index.max_file_bytes)"),
    "unreadable": ("warning", "files could not be read"),
    "missing_blob": ("warning", "files are not in this (partial) clone"),
    "not_checked_out": ("warning", "tracked files are not checked out (sparse checkout)"),
    "not_utf8_name": ("warning", "files have names that are not UTF-8"),
    "outside_root": ("warning", "files lead out of the repository"),
    "parser_crashed": ("error", "files made a parser crash"),
    "parser_failed": ("error", "files could not be taken apart (please report this)"),
}


class IndexBuilder:
    """Builds the index of one tree.

    Args:
        tree: What to index.
        settings: ``index`` and ``cache`` are used.
        store: Where records are kept.
        on_progress: Called while files are parsed.
    """

    def __init__(self, tree: Tree, settings: Settings, store: IndexStore, on_progress: Progress | None = None) -> None:
        self._tree = tree
        self._settings = settings
        self._store = store
        self._progress = on_progress or (lambda what, done, total: None)

    def build(self) -> Index:
        """The index, from the store when nothing changed.

        Complexity: parsing is linear in the bytes of files whose content is new; the rest in all files.
        """
        key = index_key(self._tree, self._settings.index)
        stored = self._store.load_tree(key)
        if stored:
            try:
                head, columns = stored
                return self._open(key, head, columns, parsed=0)
            except (KeyError, ValueError):
                pass
        plan = plan_index(self._tree, self._settings.index)
        parsed = self._parse_missing(plan)
        head, columns = self._assemble(plan)
        fleeting = head.pop("fleeting")
        if fleeting:
            self._store.forget_records(fleeting)
        else:
            self._store.save_tree(key, head, columns, [planned.key for planned in plan.files])
        return self._open(key, head, columns, parsed)

    def _parse_missing(self, plan: IndexPlan) -> int:
        known = self._store.known([planned.key for planned in plan.files])
        keys: dict[tuple[str, str], str] = {}
        for planned in plan.files:
            if planned.key not in known:
                keys.setdefault((planned.job.path, planned.job.content_id), planned.key)
                known.add(planned.key)
        jobs = [planned.job for planned in plan.files if (planned.job.path, planned.job.content_id) in keys]
        waiting: dict[str, tuple[str, bytes]] = {}
        for done, parsed in enumerate(self._results(jobs), 1):
            waiting[keys[parsed.job.path, parsed.job.content_id]] = (parsed.reason, parsed.record)
            if len(waiting) >= _FLUSH:
                self._store.put_records(waiting)
                waiting = {}
            self._progress("index", done, len(jobs))
        if waiting:
            self._store.put_records(waiting)
        return len(jobs)

    def _results(self, jobs: list[Any]) -> Iterator[Parsed]:
        # Loads tree-sitter, which a run that parses nothing does without.
        from sherloc.indexer.pool import parse_all

        index = self._settings.index
        return parse_all(
            jobs, self._tree.reader(), max_snippet_lines=index.max_snippet_lines,
            max_line_bytes=index.max_line_bytes, workers=self._settings.cache.workers,
        )  # fmt: skip

    def _assemble(self, plan: IndexPlan) -> tuple[dict[str, Any], Columns]:
        outcome = _Outcome(plan)
        columns: Columns = {}
        for prefix, is_side in (("code.", False), ("side.", True)):
            chosen = [p for p in plan.files if (p.job.partition in SIDE_PARTITIONS) == is_side]
            columns.update(pack(*assemble(self._sources(chosen, outcome)), prefix))
        return {**outcome.head(), "planned": len(plan.files)}, columns

    def _sources(self, files: list[Planned], outcome: _Outcome) -> Iterator[Source]:
        for planned in files:
            stored = self._store.record(planned.key)
            reason, data = stored if stored else ("unreadable", b"")
            if reason:
                outcome.skip(planned, reason)
                continue
            job = planned.job
            record = FileRecord.decode(data)
            outcome.take(planned, record)
            yield Source(job.path, job.content_id, job.language, job.partition, record)

    def _open(self, key: str, head: dict[str, Any], columns: Columns, parsed: int) -> Index:
        info = IndexInfo(
            key=key, files=head["files"], skipped=head["skipped"], parsed=parsed,
            reused=head["planned"] - parsed, storage=str(self._store.path),
            diagnostics=(*self._store.problems, *(Diagnostic(**row) for row in head["diagnostics"])),
        )  # fmt: skip
        return Index(Segment(*unpack(columns, "code.")), Segment(*unpack(columns, "side.")), info)


class _Outcome:
    """Counts what became of each file, and turns it into diagnostics in a fixed order."""

    def __init__(self, plan: IndexPlan) -> None:
        self._files: Counter[str] = Counter()
        self._skipped = {reason: list(paths) for reason, paths in plan.skipped.items()}
        self._problems: dict[tuple[str, str], list[str]] = {}
        self._fleeting: list[str] = []

    def skip(self, planned: Planned, reason: str) -> None:
        self._skipped.setdefault(reason, []).append(planned.job.path)
        if reason in _FLEETING:
            self._fleeting.append(planned.key)

    def take(self, planned: Planned, record: FileRecord) -> None:
        job = planned.job
        self._files[job.language or job.partition] += 1
        for code, detail in record.problems:
            if code == "parser_unavailable":
                self._problems.setdefault((code, detail), []).append(job.path)
                self._fleeting.append(planned.key)
            else:
                self._problems.setdefault((code, f"{job.path}: {detail}"), []).append(job.path)

    def head(self) -> dict[str, Any]:
        skipped = {reason: len(paths) for reason, paths in sorted(self._skipped.items())}
        rows = [_skip_row(reason, sorted(paths)) for reason, paths in sorted(self._skipped.items())]
        for (code, detail), paths in sorted(self._problems.items()):
            severity = "warning" if code == "parser_unavailable" else "info"
            path = paths[0] if code != "parser_unavailable" else ""
            rows.append({"code": code, "severity": severity, "message": detail, "path": path, "count": len(paths)})
        return {
            "files": dict(sorted(self._files.items())),
            "skipped": skipped,
            "diagnostics": rows,
            "fleeting": self._fleeting,
        }


def _skip_row(reason: str, paths: list[str]) -> dict[str, Any]:
    severity, words = _SKIP_WORDS.get(reason, ("info", f"files are left out ({reason})"))
    shown = ", ".join(printable(path) for path in paths[:_EXAMPLES])
    more = f" and {len(paths) - _EXAMPLES} more" if len(paths) > _EXAMPLES else ""
    return {
        "code": f"skipped_{reason}", "severity": severity, "message": f"{len(paths)} {words}: {shown}{more}.",
        "path": paths[0] if len(paths) == 1 else "", "count": len(paths),
    }  # fmt: skip


def build_index(tree: Tree, settings: Settings, on_progress: Progress | None = None) -> Index:
    """Open the store that belongs to a tree, build the index and close the store again."""
    store = IndexStore(tree.name, tree.store_key, settings.cache)
    try:
        return IndexBuilder(tree, settings, store, on_progress).build()
    finally:
        store.close()
