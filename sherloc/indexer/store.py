"""Where records and indexes are kept: one SQLite file a repository, in the user's cache folder.

Records are keyed by content, so that revisions share what they share; an index (the assembled columns of one tree) is
written in one transaction, so that a kill leaves the old one whole. Everything carries a checksum: SQLite notices
damage to its own structure, not to the bytes of a value. A damaged file is thrown away and rebuilt; what cannot be
written, or is held by another process, goes on in memory and reads what is there.
"""

from __future__ import annotations

import contextlib
import json
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sherloc.indexer.cache_files import store_path
from sherloc.schema.diagnostic import Diagnostic
from sherloc.settings import CacheSettings
from sherloc.sqlite import (
    MEMORY,
    Database,
    DatabaseBusyError,
    DatabaseCorruptError,
    DatabaseUnwritableError,
    remove_database,
    remove_least_used,
)

KEEP_TREES = 6
_TOUCH_SECONDS = 3600
_LOOK_SECONDS = 1.0
_BATCH = 400
_PART = 1 << 23
"""Larger columns are stored in parts of so many bytes: SQLite and Python copy a value several times on its way."""
_MIGRATIONS = (
    """
    CREATE TABLE record (key TEXT PRIMARY KEY, reason TEXT NOT NULL, data BLOB NOT NULL, used INTEGER NOT NULL);
    CREATE INDEX record_used ON record (used);
    CREATE TABLE tree (key TEXT PRIMARY KEY, head TEXT NOT NULL, used INTEGER NOT NULL);
    CREATE TABLE tree_column (tree TEXT NOT NULL, name TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (tree, name))
    """,
    """
    DROP TABLE record;
    DROP TABLE tree;
    DROP TABLE tree_column;
    CREATE TABLE record (
        key TEXT PRIMARY KEY, reason TEXT NOT NULL, data BLOB NOT NULL, checksum INTEGER NOT NULL, used INTEGER NOT NULL
    );
    CREATE INDEX record_used ON record (used);
    CREATE TABLE tree (key TEXT PRIMARY KEY, head TEXT NOT NULL, checksum INTEGER NOT NULL, used INTEGER NOT NULL);
    CREATE TABLE tree_column (tree TEXT NOT NULL, name TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (tree, name))
    """,
    """
    DROP TABLE tree;
    DROP TABLE tree_column;
    CREATE TABLE tree (key TEXT PRIMARY KEY, head TEXT NOT NULL, checksum INTEGER NOT NULL, used INTEGER NOT NULL);
    CREATE TABLE tree_column (
        tree TEXT NOT NULL, name TEXT NOT NULL, part INTEGER NOT NULL, data BLOB NOT NULL,
        PRIMARY KEY (tree, name, part)
    )
    """,
)

Columns = dict[str, bytes | memoryview]
_Found = TypeVar("_Found")


def _record_checksum(key: str, reason: str, data: bytes) -> int:
    return zlib.crc32(data, zlib.crc32(f"{key}\0{reason}\0".encode("utf-8", "surrogatepass")))


def _tree_checksum(key: str, head: str, columns: Columns) -> int:
    found = zlib.crc32(f"{key}\0{head}\0".encode("utf-8", "surrogatepass"))
    for name in sorted(columns):
        found = zlib.crc32(columns[name], zlib.crc32(f"{name}\0{len(columns[name])}\0".encode(), found))
    return found


def _read_columns(database: Database, key: str) -> Columns:
    """The columns of an index, read part by part."""
    where = "FROM tree_column WHERE tree = ?"
    columns: Columns = {}
    for name, size, parts in database.execute(
        f"SELECT name, sum(length(data)), count(*) {where} GROUP BY name", (key,)
    ):
        if parts == 1:
            columns[name] = database.execute(f"SELECT data {where} AND name = ?", (key, name))[0][0]
            continue
        whole = memoryview(bytearray(size))
        for (at,) in database.execute(f"SELECT part {where} AND name = ?", (key, name)):
            data = database.execute(f"SELECT data {where} AND name = ? AND part = ?", (key, name, at))[0][0]
            whole[at : at + len(data)] = data
        columns[name] = whole.toreadonly()
    return columns


@contextlib.contextmanager
def damage() -> Iterator[None]:
    """Whatever goes wrong in making sense of stored values counts as damage to the store.

    Raises:
        DatabaseCorruptError: In place of the errors of decoding.
    """
    try:
        yield
    except (TypeError, ValueError, LookupError, OverflowError, RecursionError) as error:
        raise DatabaseCorruptError(f"a stored value makes no sense: {type(error).__name__}") from error


class Stored(NamedTuple):
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
        database = _open_to_read(path)
    except (DatabaseCorruptError, DatabaseUnwritableError) as error:
        return Stored(size, problem=str(error))
    try:
        with database.snapshot(), damage():
            heads = database.execute("SELECT head FROM tree WHERE key = ?", (key,))
            trees = database.execute("SELECT count(*) FROM tree")[0][0]
            stored = {row[0] for row in database.execute("SELECT key FROM record")}
            head = dict(json.loads(heads[0][0])) if heads else None
    except (DatabaseCorruptError, DatabaseUnwritableError) as error:
        return Stored(size, problem=str(error))
    finally:
        database.close()
    known = sum(record in stored for record in records)
    return Stored(size, len(stored), trees, known, head)


def _open_to_read(path: Path) -> Database:
    try:
        return Database(path, _MIGRATIONS, busy_seconds=_LOOK_SECONDS)
    except DatabaseBusyError:
        raise
    except DatabaseUnwritableError:
        return Database(path, _MIGRATIONS, read_only=True)


class IndexStore:
    """Records and indexes of one repository.

    Reading raises ``DatabaseCorruptError`` on damage; ``start_anew`` is the way on. Writing never fails: it goes on in
    memory, and then earlier records are read from the file as long as that can be read.

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
        self._file: Database | None = None
        self._database = self._open()

    def _open(self) -> Database:
        path = Path(self.path)
        try:
            return Database(path, _MIGRATIONS)
        except DatabaseCorruptError as error:
            self._throw_away(str(error))
        except DatabaseUnwritableError as error:
            if not isinstance(error, DatabaseBusyError) and path.is_file():
                with contextlib.suppress(DatabaseCorruptError, DatabaseUnwritableError):
                    self._file = Database(path, _MIGRATIONS, read_only=True)
            return self._in_memory(error)
        try:
            return Database(path, _MIGRATIONS)
        except (DatabaseUnwritableError, DatabaseCorruptError) as error:
            return self._in_memory(error)

    def _throw_away(self, why: str) -> None:
        self.problems.append(
            Diagnostic(
                code="index_rebuilt",
                severity="warning",
                message=f"The index {self.path} was damaged ({why}) and is built anew.",
            )
        )
        remove_database(Path(self.path))

    def _in_memory(self, error: Exception) -> Database:
        busy = isinstance(error, DatabaseBusyError)
        words = "is held by another process" if busy else f"cannot be written ({error})"
        self.problems.append(
            Diagnostic(
                code="index_in_memory",
                severity="warning",
                message=f"The index {self.path} {words}; it is kept in memory for this run.",
            )
        )
        self.path = MEMORY
        return Database(MEMORY, _MIGRATIONS)

    @property
    def in_memory(self) -> bool:
        """Whether nothing will be left for the next run."""
        return self.path == MEMORY

    def start_anew(self, why: str, *, in_memory: bool = False) -> None:
        """Throw away what is stored, after damage.

        Args:
            why: What is wrong.
            in_memory: Leave the file for good, since it was damaged again.
        """
        self._database.close()
        if self._file:
            self._file.close()
            self._file = None
        if self.in_memory:
            self._database = Database(MEMORY, _MIGRATIONS)
        elif in_memory:
            self._database = self._in_memory(DatabaseUnwritableError(why))
        else:
            self._throw_away(why)
            self._database = self._open()

    def _leave_file(self, error: Exception) -> None:
        """Go on in memory; what is in the file stays readable."""
        self._file, self._database = self._database, self._in_memory(error)

    def _search(self, look: Callable[[Database], _Found | None]) -> _Found | None:
        """What is found in memory or in the file, the file's trouble being no reason to stop while there is memory."""
        found = look(self._database)
        if found is None and self._file:
            try:
                found = look(self._file)
            except (DatabaseCorruptError, DatabaseUnwritableError):
                self._file.close()
                self._file = None
        return found

    def known(self, keys: Sequence[str]) -> set[str]:
        """Those of the keys that have a record."""
        found: set[str] = set()

        def look(database: Database) -> None:
            for at in range(0, len(keys), _BATCH):
                part = keys[at : at + _BATCH]
                marks = ",".join("?" * len(part))
                found.update(row[0] for row in database.execute(f"SELECT key FROM record WHERE key IN ({marks})", part))

        self._search(look)
        return found

    def records(self, keys: Sequence[str]) -> dict[str, tuple[str, bytes]]:
        """For each key that is there: the reason for having no record (or empty) and the encoded record.

        Raises:
            DatabaseCorruptError: One is not what was stored.
        """
        found: dict[str, tuple[str, bytes]] = {}

        def look(database: Database) -> None:
            wanted = [key for key in keys if key not in found]
            for at in range(0, len(wanted), _BATCH):
                part = wanted[at : at + _BATCH]
                marks = ",".join("?" * len(part))
                rows = database.execute(f"SELECT key, reason, data, checksum FROM record WHERE key IN ({marks})", part)
                with damage():
                    for key, reason, data, checksum in rows:
                        if _record_checksum(key, reason, data) != checksum:
                            raise DatabaseCorruptError("a record has another checksum")
                        found[key] = (reason, data)

        self._search(look)
        return found

    def put_records(self, records: Mapping[str, tuple[str, bytes]]) -> None:
        """Store records in one transaction; when that cannot be, go on in memory."""
        now = int(time.time())
        rows = [
            (key, reason, data, _record_checksum(key, reason, data), now) for key, (reason, data) in records.items()
        ]
        try:
            self._insert(rows)
        except DatabaseCorruptError as error:
            self.start_anew(str(error))
            self._insert(rows)
        except DatabaseUnwritableError as error:
            self._leave_file(error)
            self._insert(rows)

    def _insert(self, rows: Sequence[Sequence[Any]]) -> None:
        with self._database.transaction():
            self._database.execute_many("INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?)", rows)

    def forget_records(self, keys: Iterable[str]) -> None:
        """Drop records that must not outlive this run."""
        with contextlib.suppress(DatabaseUnwritableError), self._database.transaction():
            self._database.execute_many("DELETE FROM record WHERE key = ?", [(key,) for key in keys])

    def load_tree(self, key: str) -> tuple[dict[str, Any], Columns] | None:
        """Head and columns of an index, or None.

        Raises:
            DatabaseCorruptError: They are not what was stored.
        """
        return self._search(lambda database: self._load_tree(database, key))

    def _load_tree(self, database: Database, key: str) -> tuple[dict[str, Any], Columns] | None:
        with database.snapshot(), damage():
            rows = database.execute("SELECT head, checksum, used FROM tree WHERE key = ?", (key,))
            if not rows:
                return None
            head, checksum, used = rows[0]
            columns = _read_columns(database, key)
            if _tree_checksum(key, head, columns) != checksum:
                raise DatabaseCorruptError("an index has another checksum")
            old = used < time.time() - _TOUCH_SECONDS
            decoded: dict[str, Any] = json.loads(head)
        if old:
            with contextlib.suppress(DatabaseUnwritableError), database.transaction(wait=False):
                database.execute("UPDATE tree SET used = ? WHERE key = ?", (int(time.time()), key))
        return decoded, columns

    def save_tree(self, key: str, head: Mapping[str, Any], columns: Columns, records: Sequence[str]) -> None:
        """Store an index whole, note which records it uses, and keep to the size limit."""
        if self.in_memory:
            return
        now, text = int(time.time()), json.dumps(head)
        try:
            with self._database.transaction():
                self._database.execute(
                    "INSERT OR REPLACE INTO tree VALUES (?, ?, ?, ?)",
                    (key, text, _tree_checksum(key, text, columns), now),
                )
                self._database.execute("DELETE FROM tree_column WHERE tree = ?", (key,))
                for name, data in columns.items():
                    view = memoryview(data)
                    self._database.execute_many(
                        "INSERT INTO tree_column VALUES (?, ?, ?, ?)",
                        [(key, name, at, view[at : at + _PART]) for at in range(0, len(view) or 1, _PART)],
                    )
                self._touch(records, now, now - _TOUCH_SECONDS)
                self._drop_old_trees()
            self._keep_to_limit(records, now)
        except DatabaseCorruptError as error:
            self.start_anew(str(error))
        except DatabaseUnwritableError as error:
            self._leave_file(error)

    def _touch(self, records: Sequence[str], now: int, before: int) -> None:
        """Note that records are used now, where the last note is from before: it writes the whole record again."""
        self._database.execute_many(
            "UPDATE record SET used = ? WHERE key = ? AND used < ?", [(now, key, before) for key in records]
        )

    def _drop_old_trees(self) -> None:
        old = self._database.execute(
            "SELECT key FROM tree ORDER BY used DESC, rowid DESC LIMIT -1 OFFSET ?", (KEEP_TREES,)
        )
        for statement in ("DELETE FROM tree_column WHERE tree = ?", "DELETE FROM tree WHERE key = ?"):
            self._database.execute_many(statement, old)

    def _keep_to_limit(self, records: Sequence[str], now: int) -> None:
        limit = self._settings.max_bytes
        if self._database.size() > limit:
            # Those of this index are the last to go, however lately others were used.
            with self._database.transaction():
                self._touch(records, now, now)
        while self._database.size() > limit:
            with self._database.transaction():
                doomed = self._database.execute(
                    "SELECT key FROM record WHERE used < ? ORDER BY used LIMIT 2000", (now,)
                )
                self._database.execute_many("DELETE FROM record WHERE key = ?", doomed)
            if not doomed:
                break
        self._database.shrink()
        remove_least_used("*.sqlite", limit, keep=Path(self.path))

    def status(self) -> dict[str, Any]:
        """What is stored: path, bytes, number of records and of indexes."""
        page = self._database.execute("PRAGMA page_size")[0][0] * self._database.execute("PRAGMA page_count")[0][0]
        records, trees = (self._database.execute(f"SELECT count(*) FROM {table}")[0][0] for table in ("record", "tree"))
        return {"path": str(self.path), "bytes": page, "files": records, "revisions": trees}

    def close(self) -> None:
        """Close the file."""
        self._database.close()
        if self._file:
            self._file.close()
