"""Where records and indexes are kept: one SQLite file a repository, in the user's cache folder.

Records are keyed by content, so that revisions share what they share; an index (the assembled columns of one tree) is
written in one transaction, so that a kill leaves the old one whole. A damaged file is thrown away and rebuilt; a folder
that cannot be written gives a store in memory.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sherloc.schema.report import Diagnostic
from sherloc.settings import CacheSettings
from sherloc.sqlite import MEMORY, Database, DatabaseCorruptError, DatabaseUnwritableError

KEEP_TREES = 6
_TOUCH_SECONDS = 3600
_MIGRATIONS = (
    """
    CREATE TABLE record (key TEXT PRIMARY KEY, reason TEXT NOT NULL, data BLOB NOT NULL, used INTEGER NOT NULL);
    CREATE INDEX record_used ON record (used);
    CREATE TABLE tree (key TEXT PRIMARY KEY, head TEXT NOT NULL, used INTEGER NOT NULL);
    CREATE TABLE tree_column (tree TEXT NOT NULL, name TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (tree, name))
    """,
)

Columns = dict[str, bytes | memoryview]


def cache_folder(settings: CacheSettings) -> Path:
    """The folder of all index stores: ``SHERLOC_CACHE``, the setting, or the platform's cache folder."""
    chosen = os.environ.get("SHERLOC_CACHE") or settings.folder
    if chosen:
        return Path(chosen).expanduser() / "index"
    from platformdirs import user_cache_path

    return user_cache_path("sherloc", appauthor=False) / "index"


def store_path(name: str, store_key: str, settings: CacheSettings) -> Path:
    """The file of a repository's store, whether it exists or not.

    Args:
        name: The repository's short name.
        store_key: ``Tree.store_key``.
        settings: Where.
    """
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:40].strip("-.") or "repository"
    return cache_folder(settings) / f"{readable}-{store_key[:16]}.sqlite"


def list_stores(settings: CacheSettings) -> list[tuple[Path, int]]:
    """The stores of all repositories with their size in bytes, by path."""
    found = []
    for path in sorted(cache_folder(settings).glob("*.sqlite")):
        with contextlib.suppress(OSError):
            found.append((path, path.stat().st_size))
    return found


@dataclass(frozen=True, slots=True)
class Stored:
    """What a store holds of one tree.

    Attributes:
        size: Of the file, in bytes.
        records: Parsed files, of all revisions.
        revisions: Indexes in it.
        known: Files of the tree that are parsed.
        head: Of the tree's own index (``files``, ``skipped``), or None when it is not there.
        problem: Why the store cannot be read, or empty.
    """

    size: int = 0
    records: int = 0
    revisions: int = 0
    known: int = 0
    head: Mapping[str, Any] | None = None
    problem: str = ""


def look_up(path: Path, key: str, records: Sequence[str]) -> Stored | None:
    """What a store holds, changing nothing; None when there is no store.

    Args:
        path: See ``store_path``.
        key: Of the tree's plan.
        records: Keys of its files.
    """
    if not path.is_file():
        return None
    size = path.stat().st_size
    try:
        database = Database(path, _MIGRATIONS)
    except (DatabaseCorruptError, DatabaseUnwritableError) as error:
        return Stored(size, problem=str(error))
    try:
        with database.snapshot():
            heads = database.execute("SELECT head FROM tree WHERE key = ?", (key,))
            trees = database.execute("SELECT count(*) FROM tree")[0][0]
            stored = {row[0] for row in database.execute("SELECT key FROM record")}
    except (DatabaseCorruptError, DatabaseUnwritableError) as error:
        return Stored(size, problem=str(error))
    finally:
        database.close()
    known = sum(record in stored for record in records)
    return Stored(size, len(stored), trees, known, json.loads(heads[0][0]) if heads else None)


class IndexStore:
    """Records and indexes of one repository.

    Args:
        name: The repository's short name, for the file's name.
        store_key: What tells repositories apart (``Tree.store_key``).
        settings: Where, and how large.

    Attributes:
        path: The file, or ``":memory:"``.
        problems: What the user should know (``index_rebuilt``, ``index_in_memory``).
    """

    def __init__(self, name: str, store_key: str, settings: CacheSettings) -> None:
        self._settings = settings
        self.problems: list[Diagnostic] = []
        self.path: Path | str = store_path(name, store_key, settings)
        self._database = self._open()

    def _open(self) -> Database:
        try:
            try:
                return Database(self.path, _MIGRATIONS)
            except DatabaseCorruptError as error:
                self._throw_away(str(error))
                return Database(self.path, _MIGRATIONS)
        except (DatabaseUnwritableError, DatabaseCorruptError) as error:
            return self._in_memory(str(error))

    def _throw_away(self, why: str) -> None:
        self.problems.append(
            Diagnostic(
                code="index_rebuilt",
                severity="warning",
                message=f"The index {self.path} was damaged ({why}) and is built anew.",
            )
        )
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(OSError):
                Path(f"{self.path}{suffix}").unlink()

    def _in_memory(self, why: str) -> Database:
        self.problems.append(
            Diagnostic(
                code="index_in_memory",
                severity="warning",
                message=f"The index {self.path} cannot be written ({why}); it is kept in memory for this run.",
            )
        )
        self.path = MEMORY
        return Database(MEMORY, _MIGRATIONS)

    @property
    def in_memory(self) -> bool:
        """Whether nothing will be left for the next run."""
        return self.path == MEMORY

    def _survive(self, error: Exception, records: Mapping[str, tuple[str, bytes]]) -> None:
        """Go on in memory with what this run has, or anew after damage."""
        self._database.close()
        if isinstance(error, DatabaseCorruptError):
            self._throw_away(str(error))
            self._database = self._open()
        else:
            self._database = self._in_memory(str(error))
        self.put_records(records)

    def known(self, keys: Sequence[str]) -> set[str]:
        """Those of the keys that have a record."""
        found: set[str] = set()
        for at in range(0, len(keys), 500):
            part = keys[at : at + 500]
            marks = ",".join("?" * len(part))
            found.update(row[0] for row in self._read(f"SELECT key FROM record WHERE key IN ({marks})", part))
        return found

    def _read(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        try:
            return self._database.execute(statement, values)
        except (DatabaseCorruptError, DatabaseUnwritableError) as error:
            self._survive(error, {})
            return self._database.execute(statement, values)

    def record(self, key: str) -> tuple[str, bytes] | None:
        """The reason for having no record (or empty) and the encoded record."""
        rows = self._read("SELECT reason, data FROM record WHERE key = ?", (key,))
        return (rows[0][0], rows[0][1]) if rows else None

    def put_records(self, records: Mapping[str, tuple[str, bytes]]) -> None:
        """Store records in one transaction; when the disk is full, go on in memory."""
        now = int(time.time())
        rows = [(key, reason, data, now) for key, (reason, data) in records.items()]
        try:
            with self._database.transaction():
                self._database.execute_many("INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?)", rows)
        except (DatabaseCorruptError, DatabaseUnwritableError) as error:
            self._survive(error, records)

    def forget_records(self, keys: Iterable[str]) -> None:
        """Drop records that must not outlive this run."""
        with self._database.transaction():
            self._database.execute_many("DELETE FROM record WHERE key = ?", [(key,) for key in keys])

    def load_tree(self, key: str) -> tuple[dict[str, Any], Columns] | None:
        """Head and columns of an index, or None."""
        try:
            with self._database.snapshot():
                rows = self._database.execute("SELECT head, used FROM tree WHERE key = ?", (key,))
                columns = (
                    dict(self._database.execute("SELECT name, data FROM tree_column WHERE tree = ?", (key,)))
                    if rows
                    else {}
                )
        except (DatabaseCorruptError, DatabaseUnwritableError) as error:
            self._survive(error, {})
            return None
        if not rows:
            return None
        if rows[0][1] < time.time() - _TOUCH_SECONDS:
            with contextlib.suppress(DatabaseUnwritableError), self._database.transaction():
                self._database.execute("UPDATE tree SET used = ? WHERE key = ?", (int(time.time()), key))
        return json.loads(rows[0][0]), columns

    def save_tree(self, key: str, head: Mapping[str, Any], columns: Columns, records: Sequence[str]) -> None:
        """Store an index whole, note which records it uses, and keep to the size limit."""
        now = int(time.time())
        try:
            with self._database.transaction():
                self._database.execute("INSERT OR REPLACE INTO tree VALUES (?, ?, ?)", (key, json.dumps(head), now))
                self._database.execute("DELETE FROM tree_column WHERE tree = ?", (key,))
                self._database.execute_many(
                    "INSERT INTO tree_column VALUES (?, ?, ?)", [(key, n, d) for n, d in columns.items()]
                )
                self._database.execute_many(
                    "UPDATE record SET used = ? WHERE key = ? AND used < ?", [(now, r, now) for r in records]
                )
                self._drop_old_trees()
            self._keep_to_limit(now)
        except (DatabaseCorruptError, DatabaseUnwritableError) as error:
            if not self.in_memory:
                self._survive(error, {})

    def _drop_old_trees(self) -> None:
        old = self._database.execute(
            "SELECT key FROM tree ORDER BY used DESC, rowid DESC LIMIT -1 OFFSET ?", (KEEP_TREES,)
        )
        for statement in ("DELETE FROM tree_column WHERE tree = ?", "DELETE FROM tree WHERE key = ?"):
            self._database.execute_many(statement, old)

    def _keep_to_limit(self, now: int) -> None:
        if self.in_memory:
            return
        limit = self._settings.max_bytes
        page = self._database.execute("PRAGMA page_size")[0][0]
        while page * self._database.execute("PRAGMA page_count")[0][0] > limit:
            with self._database.transaction():
                doomed = self._database.execute(
                    "SELECT key FROM record WHERE used < ? ORDER BY used LIMIT 2000", (now,)
                )
                self._database.execute_many("DELETE FROM record WHERE key = ?", doomed)
            self._database.execute("PRAGMA incremental_vacuum")
            if not doomed:
                break
        remove_least_used(Path(self.path).parent, limit, keep=Path(self.path))

    def status(self) -> dict[str, Any]:
        """What is stored: path, bytes, number of records and of indexes."""
        page = self._database.execute("PRAGMA page_size")[0][0] * self._database.execute("PRAGMA page_count")[0][0]
        records, trees = (self._database.execute(f"SELECT count(*) FROM {table}")[0][0] for table in ("record", "tree"))
        return {"path": str(self.path), "bytes": page, "files": records, "revisions": trees}

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def remove_least_used(folder: Path, limit: int, *, keep: Path) -> None:
    """Remove stores, least recently written first, until the folder holds at most ``limit`` bytes."""
    stores = []
    for path in folder.glob("*.sqlite"):
        with contextlib.suppress(OSError):
            state = path.stat()
            stores.append((state.st_mtime, state.st_size, path))
    total = sum(size for _, size, _ in stores)
    for _, size, path in sorted(stores):
        if total <= limit:
            return
        if path != keep:
            remove_store(path)
            total -= size


def remove_store(path: Path) -> None:
    """Remove a store with its side files."""
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(OSError):
            Path(f"{path}{suffix}").unlink()
