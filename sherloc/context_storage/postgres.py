"""The tables of tasks in PostgreSQL, for a fleet of machines that share a base_dir."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import psycopg
import sqlalchemy
from sqlalchemy.exc import SQLAlchemyError

from sherloc.context_storage.task_database import MIGRATIONS, Execute
from sherloc.errors import SettingsError, TaskStoreError

_CONNECT_SECONDS = 10
_WAIT_MILLISECONDS = 60_000


class PostgresTasks:
    """The tables in a PostgreSQL database. Transactions of one task wait for each other; those of others do not.

    One connection is kept open until ``close``; threads that need more at the same time get more.

    Args:
        url: ``postgresql://user@host:port/database``. The password comes from ``PGPASSWORD`` or libpq's own file.

    Raises:
        SettingsError: The address cannot be read.
        TaskStoreError: The server cannot be reached or used.
    """

    def __init__(self, url: str) -> None:
        try:
            address = sqlalchemy.make_url(url).set(drivername="postgresql+psycopg")
        except SQLAlchemyError as error:
            raise SettingsError("Setting 'context.database_url' is not the address of a database.") from error
        self._shown = address.render_as_string(hide_password=True)
        options = f"-c lock_timeout={_WAIT_MILLISECONDS} -c synchronous_commit=on"
        self._engine = sqlalchemy.create_engine(
            address,
            pool_size=1,
            pool_pre_ping=True,
            connect_args={"connect_timeout": _CONNECT_SECONDS, "options": options, "application_name": "sherloc"},
        )
        self._migrate()

    def _migrate(self) -> None:
        with self.transaction("schema") as execute:
            execute("CREATE TABLE IF NOT EXISTS sherloc_schema (version INTEGER NOT NULL)", {})
            rows = execute("SELECT version FROM sherloc_schema", {})
            version = rows[0][0] if rows else 0
            if version > len(MIGRATIONS):
                raise TaskStoreError(f"{self._shown} was written by a later version of sherloc.")
            for script in MIGRATIONS[version:]:
                for statement in filter(str.strip, script.split(";")):
                    execute(statement, {})
            if version < len(MIGRATIONS):
                execute("DELETE FROM sherloc_schema", {})
                execute("INSERT INTO sherloc_schema (version) VALUES (:version)", {"version": len(MIGRATIONS)})

    @contextlib.contextmanager
    def transaction(self, subject: str) -> Iterator[Execute]:
        """One at a time for a subject, kept so by an advisory lock that ends with it."""
        key = int.from_bytes(hashlib.sha256(f"sherloc:{subject}".encode()).digest()[:8], "big", signed=True)
        with self._in_words(), self._engine.begin() as connection:
            connection.execute(sqlalchemy.text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})
            yield lambda statement, values: _rows(connection.execute(sqlalchemy.text(statement), values))

    def read(self, statement: str, values: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
        """The rows of one statement."""
        with self._in_words(), self._engine.connect() as connection:
            return _rows(connection.execute(sqlalchemy.text(statement), values))

    def now(self) -> float:
        """The server's clock, so that machines need not agree about the time."""
        return float(self.read("SELECT EXTRACT(EPOCH FROM clock_timestamp())", {})[0][0])

    def vacuum(self) -> tuple[int, int]:
        """Have the server rewrite the tables."""
        before = self._size()
        with self._in_words(), self._engine.connect() as connection:
            alone = connection.execution_options(isolation_level="AUTOCOMMIT")
            for table in ("tasks", "leases", "moves"):
                alone.execute(sqlalchemy.text(f"VACUUM FULL {table}"))
        return before, self._size()

    def _size(self) -> int:
        names = " + ".join(f"pg_total_relation_size('{name}')" for name in ("tasks", "leases", "moves"))
        return int(self.read(f"SELECT {names}", {})[0][0])

    def close(self) -> None:
        """Let go of what the engine holds."""
        self._engine.dispose()

    @contextlib.contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, psycopg.Error) as error:
            words = str(getattr(error, "orig", None) or error).strip().splitlines()
            raise TaskStoreError(
                f"The database {self._shown} cannot be used: {words[0] if words else type(error).__name__}.",
                hint="Check context.database_url and the server.",
            ) from error


def _rows(result: sqlalchemy.CursorResult[Any]) -> Sequence[Sequence[Any]]:
    return result.fetchall() if result.returns_rows else []
