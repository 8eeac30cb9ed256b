"""A tree to its index: reuse what is known, parse what is not, put together, store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from sherloc.errors import IndexStoreError
from sherloc.indexer.assemble import Source, assemble, pack, unpack
from sherloc.indexer.index import Index, IndexInfo
from sherloc.indexer.job import Job
from sherloc.indexer.plan import SIDE_PARTITIONS, IndexPlan, Planned, index_key, plan_index
from sherloc.indexer.records import RecordGone, Records
from sherloc.indexer.segment import Segment
from sherloc.indexer.store import Columns, IndexStore, damage
from sherloc.indexer.stored_record import StoredRecord
from sherloc.repository import Tree
from sherloc.schema.diagnostic import Diagnostic
from sherloc.schema.path_text import shown_path
from sherloc.settings import Settings
from sherloc.sqlite import DatabaseCorruptError

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
    "broken_blob": ("warning", "files are missing or damaged in git's store (see: git fsck)"),
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

        Raises:
            IndexStoreError: What was just stored cannot be read, even in memory.

        Complexity: parsing is linear in the bytes of files whose content is new; the rest in all files.
        """
        for again in (False, True):
            try:
                return self._build()
            except DatabaseCorruptError as error:
                self._store.start_anew(str(error), in_memory=again)
            except RecordGone:
                # Another process made room in the store: the next try parses it once more.
                continue
        try:
            return self._build()
        except (DatabaseCorruptError, RecordGone) as error:
            raise IndexStoreError(
                f"The index of {self._tree.name} can be neither read nor rebuilt ({error}).",
                hint="Run: sherloc index --clear",
            ) from error

    def _build(self) -> Index:
        key = index_key(self._tree, self._settings.index)
        stored = self._store.load_tree(key)
        if stored:
            with damage():
                return self._open(key, *stored, parsed=0)
        plan = plan_index(self._tree, self._settings.index)
        records = Records(self._store)
        parsed = self._parse_missing(plan, records)
        head, columns = self._assemble(plan, records)
        fleeting = head.pop("fleeting")
        if fleeting:
            self._store.forget_records(fleeting)
        else:
            self._store.save_tree(key, head, columns, [planned.key for planned in plan.files])
        return self._open(key, head, columns, parsed)

    def _parse_missing(self, plan: IndexPlan, records: Records) -> int:
        known = self._store.known([planned.key for planned in plan.files])
        ready = [planned.key for planned in plan.files if planned.key in known]
        keys: dict[tuple[str, str], str] = {}
        for planned in plan.files:
            if planned.key not in known:
                keys.setdefault((planned.job.path, planned.job.content_id), planned.key)
                known.add(planned.key)
        jobs = [planned.job for planned in plan.files if (planned.job.path, planned.job.content_id) in keys]
        if not jobs:
            return 0
        waiting: dict[str, tuple[str, bytes]] = {}
        with self._parsing(jobs) as results:
            # What is stored already is read while the parsing processes are at work.
            records.read_ahead(ready)
            for done, parsed in enumerate(results, 1):
                waiting[keys[parsed.job.path, parsed.job.content_id]] = (parsed.reason, parsed.record)
                if len(waiting) >= _FLUSH:
                    records.put(waiting)
                    waiting = {}
                self._progress("index", done, len(jobs))
        if waiting:
            records.put(waiting)
        return len(jobs)

    def _parsing(self, jobs: list[Job]) -> AbstractContextManager[Iterator[Parsed]]:
        # Not needed by a run that parses nothing.
        from sherloc.indexer.pool import parsing

        index = self._settings.index
        return parsing(
            jobs, self._tree.reader(), max_snippet_lines=index.max_snippet_lines,
            max_line_bytes=index.max_line_bytes, workers=self._settings.cache.workers,
        )  # fmt: skip

    def _assemble(self, plan: IndexPlan, records: Records) -> tuple[dict[str, Any], Columns]:
        outcome = _Outcome(plan)
        columns: Columns = {}
        for prefix, is_side in (("code.", False), ("side.", True)):
            chosen = [p for p in plan.files if (p.job.partition in SIDE_PARTITIONS) == is_side]
            chosen.sort(key=lambda planned: shown_path(planned.job.path))  # the order of paths as they are stored
            columns.update(pack(*assemble(_sources(records.in_order(chosen), outcome)), prefix))
        return {**outcome.head(), "planned": len(plan.files)}, columns

    def _open(self, key: str, head: dict[str, Any], columns: Columns, parsed: int) -> Index:
        info = IndexInfo(
            key=key, files=head["files"], skipped=head["skipped"], parsed=parsed,
            reused=head["planned"] - parsed, storage=str(self._store.path),
            diagnostics=(*self._store.problems, *(Diagnostic(**row) for row in head["diagnostics"])),
        )  # fmt: skip
        return Index(Segment(*unpack(columns, "code.")), Segment(*unpack(columns, "side.")), info)


def _sources(found: Iterator[tuple[Planned, str, StoredRecord | None]], outcome: _Outcome) -> Iterator[Source]:
    for planned, reason, record in found:
        if record is None:
            outcome.skip(planned, reason)
            continue
        outcome.take(planned, record)
        job = planned.job
        yield Source(shown_path(job.path), job.content_id, job.language, job.partition, planned.generated, record)


class _Outcome:
    """Counts what became of each file, and turns it into diagnostics in a fixed order."""

    def __init__(self, plan: IndexPlan) -> None:
        self._files: Counter[str] = Counter()
        self._skipped = {reason: list(map(shown_path, paths)) for reason, paths in plan.skipped.items()}
        self._problems: dict[tuple[str, str], list[str]] = {}
        self._fleeting: list[str] = []

    def skip(self, planned: Planned, reason: str) -> None:
        self._skipped.setdefault(reason, []).append(shown_path(planned.job.path))
        if reason in _FLEETING:
            self._fleeting.append(planned.key)

    def take(self, planned: Planned, record: StoredRecord) -> None:
        job, path = planned.job, shown_path(planned.job.path)
        self._files[job.language or job.partition] += 1
        for code, detail in record.problems:
            if code == "parser_unavailable":
                self._problems.setdefault((code, detail), []).append(path)
                self._fleeting.append(planned.key)
            else:
                self._problems.setdefault((code, f"{path}: {detail}"), []).append(path)

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
    shown = ", ".join(paths[:_EXAMPLES])
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
