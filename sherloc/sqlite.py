"""SQLite as sherloc uses it: one way to open, migrate and lock a database file. Usable alone.

A database opened here survives a kill at any point (write-ahead log), waits for other processes instead of failing,
and says plainly when its file is no database or cannot be written.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

BUSY_SECONDS = 30.0
MEMORY = ":memory:"


class DatabaseCorruptError(Exception):
    """The file is not a database, or is damaged."""


class DatabaseUnwritableError(Exception):
    """The file or its folder cannot be written: read-only, full, or no permission."""


_CORRUPT = ("not a database", "malformed", "corrupt")
_UNWRITABLE = ("readonly", "read-only", "unable to open", "full", "disk i/o error", "permission")


@contextlib.contextmanager
def mapped_errors() -> Iterator[None]:
    """Turn SQLite's errors into the two that callers can act on; others pass."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        text = str(error).lower()
        if any(mark in text for mark in _CORRUPT):
            raise DatabaseCorruptError(str(error)) from error
        if any(mark in text for mark in _UNWRITABLE):
            raise DatabaseUnwritableError(str(error)) from error
        raise
    except OSError as error:
        raise DatabaseUnwritableError(str(error)) from error


class Database:
    """One connection, in autocommit; writes go through ``transaction``.

    Args:
        path: The file, made with its folder when missing, or ``":memory:"``.
        migrations: SQL scripts, append-only; ``PRAGMA user_version`` says how many were run.

    Raises:
        DatabaseCorruptError: The file is not a database, is damaged, or is from a later version.
        DatabaseUnwritableError: It cannot be created or written.
    """

    def __init__(self, path: Path | str, migrations: Sequence[str]) -> None:
        self.path = path
        with mapped_errors():
            if path != MEMORY:
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                str(path), timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                if path != MEMORY:
                    self._connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
                    self._connection.execute("PRAGMA journal_mode=WAL")
                    self._connection.execute("PRAGMA synchronous=NORMAL")
                self._migrate(migrations)
            except BaseException:
                self._connection.close()
                raise

    def _migrate(self, migrations: Sequence[str]) -> None:
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if version > len(migrations):
            raise DatabaseCorruptError(f"written by a later version (schema {version}, known {len(migrations)})")
        if version == len(migrations):
            return
        with self.transaction():
            version = self._connection.execute("PRAGMA user_version").fetchone()[0]
            for script in migrations[version:]:
                for statement in filter(str.strip, script.split(";")):
                    self._connection.execute(statement)
            self._connection.execute(f"PRAGMA user_version={len(migrations)}")

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """A write transaction: all or nothing; waits for other writers up to ``BUSY_SECONDS``."""
        with mapped_errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

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

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
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
