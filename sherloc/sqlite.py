"""SQLite as sherloc uses it: one way to open, migrate and lock a database file. Usable alone.

A database opened here survives a kill at any point (write-ahead log), waits a set time for other processes, and says
plainly when its file is no database, cannot be written, or is held by somebody else.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

BUSY_SECONDS = 10.0
MEMORY = ":memory:"


class DatabaseCorruptError(Exception):
    """The file is not a database, or is damaged."""


class DatabaseUnwritableError(Exception):
    """The file or its folder cannot be written: read-only, full, or no permission."""


class DatabaseBusyError(DatabaseUnwritableError):
    """Another process held the database for longer than this one waits."""


_BUSY = ("locked", "busy")
_UNWRITABLE = ("readonly", "read-only", "unable to open", "full", "disk i/o error", "permission")
_OURS = ("syntax error", "incomplete input", "interrupted", "no such function")
"""What a damaged file cannot cause; whatever else SQLite cannot do with statements that are fixed, damage is behind."""


@contextlib.contextmanager
def mapped_errors() -> Iterator[None]:
    """Turn SQLite's errors into the three that callers can act on; faults of the statement or its values pass."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        text = str(error).lower()
        if any(mark in text for mark in _BUSY):
            raise DatabaseBusyError(str(error)) from error
        if any(mark in text for mark in _UNWRITABLE):
            raise DatabaseUnwritableError(str(error)) from error
        kinds = (sqlite3.OperationalError, sqlite3.DatabaseError, sqlite3.InternalError)
        if type(error) in kinds and ("malformed" in text or not any(mark in text for mark in _OURS)):
            raise DatabaseCorruptError(str(error)) from error
        raise
    except UnicodeDecodeError as error:  # of SQLite's own words, about a damaged file's bytes
        raise DatabaseCorruptError("malformed text in the file") from error
    except OSError as error:
        raise DatabaseUnwritableError(str(error)) from error


class Database:
    """One connection, in autocommit; writes go through ``transaction``.

    Args:
        path: The file, made with its folder when missing, or ``":memory:"``.
        migrations: SQL scripts, append-only; ``PRAGMA user_version`` says how many were run.
        busy_seconds: How long to wait for other processes. Seconds.
        read_only: Read a file that nobody can write at present: nothing is created, locked or migrated.
        durable: Whether a commit outlives a power cut, not only a kill; each then waits for the disk.
        text_factory: What becomes of a text's bytes; a str unless given, and what is no UTF-8 is damage.

    Raises:
        DatabaseCorruptError: The file is not a database, is damaged, or is from a later version.
        DatabaseBusyError: Another process holds it.
        DatabaseUnwritableError: It cannot be created or written.
    """

    def __init__(
        self,
        path: Path | str,
        migrations: Sequence[str],
        *,
        busy_seconds: float = BUSY_SECONDS,
        read_only: bool = False,
        durable: bool = False,
        text_factory: Callable[[bytes], Any] | None = None,
    ) -> None:
        self.path = path
        self._durable = durable
        self._busy_seconds = busy_seconds
        with mapped_errors():
            if path != MEMORY and not read_only:
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            address = f"file:{quote(str(path))}?mode=ro&immutable=1" if read_only else str(path)
            self._connection = sqlite3.connect(
                address, timeout=busy_seconds, isolation_level=None, check_same_thread=False, uri=read_only
            )
            if text_factory is not None:
                self._connection.text_factory = text_factory
            try:
                self._prepare(migrations, read_only)
            except BaseException:
                self._connection.close()
                raise

    def _prepare(self, migrations: Sequence[str], read_only: bool) -> None:
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if version > len(migrations) or (read_only and version < len(migrations)):
            raise DatabaseCorruptError(f"written by another version (schema {version}, known {len(migrations)})")
        if self.path != MEMORY and not read_only:
            if version == 0:
                # Both are kept in the file, and setting them anew would wait for whoever writes.
                self._connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
                self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute(f"PRAGMA synchronous={'FULL' if self._durable else 'NORMAL'}")
        if version < len(migrations):
            self._migrate(migrations)

    def _migrate(self, migrations: Sequence[str]) -> None:
        with self.transaction():
            version = self._connection.execute("PRAGMA user_version").fetchone()[0]
            for script in migrations[version:]:
                for statement in filter(str.strip, script.split(";")):
                    self._connection.execute(statement)
            self._connection.execute(f"PRAGMA user_version={len(migrations)}")

    @contextlib.contextmanager
    def transaction(self, *, wait: bool = True) -> Iterator[None]:
        """A write transaction: all or nothing.

        Args:
            wait: Whether to wait for other writers; without, ``DatabaseBusyError`` comes at once.
        """
        with mapped_errors():
            self._begin(wait)
            try:
                yield
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def _begin(self, wait: bool) -> None:
        if wait:
            self._connection.execute("BEGIN IMMEDIATE")
            return
        self._connection.execute("PRAGMA busy_timeout=0")
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        finally:
            self._connection.execute(f"PRAGMA busy_timeout={int(self._busy_seconds * 1000)}")

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """A read transaction: all reads inside see one state."""
        with mapped_errors():
            self._connection.execute("BEGIN")
            try:
                yield
            finally:
                with contextlib.suppress(sqlite3.Error):
                    self._connection.execute("COMMIT")

    def execute(self, statement: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[Any]:
        """Run one statement; its rows."""
        with mapped_errors():
            return self._connection.execute(statement, values).fetchall()

    def execute_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run one statement for each row of values."""
        with mapped_errors():
            self._connection.executemany(statement, rows)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def shrink(self) -> int:
        """Give free pages back to the disk, as far as the file was made for it; the bytes that remain."""
        with mapped_errors():
            # ``execute`` would free a single page: it takes one step, and each step frees one.
            self._connection.executescript("PRAGMA incremental_vacuum")
        return self.size()

    def flush(self) -> None:
        """Bring what the write-ahead log holds into the file, as far as no reader needs it there."""
        with mapped_errors():
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def size(self) -> int:
        """Bytes of the pages in use; never more than the files hold, whatever a damaged header says."""
        page, pages, free = (self.execute(f"PRAGMA {n}")[0][0] for n in ("page_size", "page_count", "freelist_count"))
        told = int(page * (pages - free))
        if self.path == MEMORY:
            return told
        files = (Path(f"{self.path}{suffix}") for suffix in ("", "-wal"))
        return min(told, sum(file.stat().st_size for file in files if file.exists()))


def remove_least_used(pattern: str, limit: int, *, keep: Path) -> None:
    """Remove databases, least recently written first, until all hold at most ``limit`` bytes.

    Args:
        pattern: Which files beside ``keep`` count (glob).
        limit: Bytes, write-ahead logs included.
        keep: The one in use, which stays.
    """
    found = []
    for path in keep.parent.glob(pattern):
        with contextlib.suppress(OSError):
            state, log = path.stat(), Path(f"{path}-wal")
            found.append((state.st_mtime, str(path), state.st_size + (log.stat().st_size if log.exists() else 0)))
    total = sum(size for _, _, size in found)
    for _, name, size in sorted(found):
        if total <= limit:
            return
        if name != str(keep):
            remove_database(Path(name))
            total -= size


def remove_database(path: Path) -> None:
    """Remove a database with its side files."""
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(OSError):
            Path(f"{path}{suffix}").unlink()
