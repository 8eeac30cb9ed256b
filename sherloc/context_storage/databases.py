"""Where the tables of tasks can be: a SQLite file in base_dir, or a PostgreSQL server for many machines."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sherloc.context_storage.disk import Disk
from sherloc.context_storage.plain import require_plain
from sherloc.context_storage.task_database import MIGRATIONS, Execute, TaskDatabase
from sherloc.context_storage.task_table import TaskTable
from sherloc.errors import MissingExtraError, TaskStateError, TaskStoreError
from sherloc.settings import ContextSettings
from sherloc.sqlite import Database, DatabaseBusyError, DatabaseCorruptError, DatabaseUnwritableError

FILE = "tasks.db"
_BUSY_SECONDS = 60.0


def open_table(base_dir: Path, settings: ContextSettings, disk: Disk) -> TaskTable:
    """The tables that go with a base_dir.

    Raises:
        TaskStoreError: The database cannot be reached, read or written.
        MissingExtraError: ``database_url`` is set, and SQLAlchemy or psycopg is not installed.
    """
    if not settings.database_url:
        return TaskTable(SqliteTasks(base_dir / FILE, durable=settings.fsync), disk, base_dir / FILE)
    return TaskTable(_open_server(settings.database_url), disk, base_dir / FILE)


def _open_server(url: str) -> TaskDatabase:
    try:
        from sherloc.context_storage.postgres import PostgresTasks
    except ImportError as error:
        package = "psycopg" if "psycopg" in str(error) else "sqlalchemy"
        raise MissingExtraError(package, "postgres", "Keeping tasks in PostgreSQL") from error
    return PostgresTasks(url)


class SqliteTasks:
    """The tables in a SQLite file; safe to use from many threads and processes of one machine.

    Args:
        path: The file.
        durable: Whether commits wait for the disk.
    """

    def __init__(self, path: Path, *, durable: bool) -> None:
        self._path, self._lock = path, threading.RLock()
        with _in_words(path):
            for suffix in ("", "-wal", "-shm"):
                require_plain(path.with_name(path.name + suffix))
            self._database = Database(
                path, MIGRATIONS, busy_seconds=_BUSY_SECONDS, durable=durable, text_factory=_text_or_bytes
            )
        self._is_open = True

    @contextlib.contextmanager
    def transaction(self, subject: str) -> Iterator[Execute]:
        """One writer at a time for the whole file."""
        with self._lock, self._while_open(), self._database.transaction():
            yield self._database.execute

    def read(self, statement: str, values: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
        """The rows of one statement."""
        with self._lock, self._while_open():
            return self._database.execute(statement, values)

    def now(self) -> float:
        """The machine's clock."""
        return time.time()

    def vacuum(self) -> tuple[int, int]:
        """Give free pages back to the disk."""
        with self._lock, self._while_open():
            self._database.flush()
            before = self._path.stat().st_size
            self._database.shrink()
            self._database.flush()
            return before, self._path.stat().st_size

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._is_open = False
            self._database.close()

    @contextlib.contextmanager
    def _while_open(self) -> Iterator[None]:
        if not self._is_open:
            raise TaskStateError(f"{self._path} was closed here.", hint="Open the task, or the catalog, again.")
        with _in_words(self._path):
            yield


def _text_or_bytes(data: bytes) -> str | bytes:
    """A text; what is none stays as it is, so that a damaged row is told like others."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


@contextlib.contextmanager
def _in_words(path: Path) -> Iterator[None]:
    try:
        yield
    except DatabaseBusyError as error:
        raise TaskStoreError(
            f"{path} was held by another process for more than {_BUSY_SECONDS:.0f} s.", hint="Try again."
        ) from error
    except DatabaseUnwritableError as error:
        raise TaskStoreError(f"{path} cannot be written: {error}.", hint="Give another context.base_dir.") from error
    except DatabaseCorruptError as error:
        raise TaskStoreError(
            f"{path} is damaged: {error}.",
            hint="Move it away: sherloc tasks list makes a new one from the tasks' folders.",
        ) from error
