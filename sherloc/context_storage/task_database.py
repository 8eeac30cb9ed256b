"""What a database of tasks is asked for, and the tables in it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

Execute = Callable[[str, Mapping[str, Any]], Sequence[Sequence[Any]]]

MIGRATIONS = (
    """
    CREATE TABLE tasks (
        uuid TEXT PRIMARY KEY, status TEXT NOT NULL, task_type TEXT NOT NULL, task_identifier TEXT, repository TEXT,
        "user" TEXT, created_at TEXT NOT NULL, updated_at TEXT, completed_at TEXT, metadata TEXT,
        total_messages INTEGER DEFAULT 0, total_summaries INTEGER DEFAULT 0, total_tool_calls INTEGER DEFAULT 0,
        final_token_count INTEGER, final_message_count INTEGER, error_message TEXT
    );
    CREATE INDEX idx_tasks_status ON tasks (status);
    CREATE INDEX idx_tasks_task_type ON tasks (task_type);
    CREATE INDEX idx_tasks_repository ON tasks (repository);
    CREATE INDEX idx_tasks_user ON tasks ("user");
    CREATE INDEX idx_tasks_completed_at ON tasks (completed_at);
    CREATE TABLE leases (
        uuid TEXT PRIMARY KEY, token TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL, world TEXT NOT NULL,
        started TEXT NOT NULL, heartbeat DOUBLE PRECISION NOT NULL, seconds DOUBLE PRECISION NOT NULL
    );
    CREATE TABLE moves (
        uuid TEXT PRIMARY KEY, source TEXT NOT NULL, target TEXT NOT NULL, status TEXT NOT NULL,
        error_message TEXT, since TEXT NOT NULL
    )
    """,
)


class TaskDatabase(Protocol):
    """A database that the tables can be in."""

    def transaction(self, subject: str) -> contextlib.AbstractContextManager[Execute]:
        """All or nothing; at most one at a time for a subject. It gives what executes a statement."""

    def read(self, statement: str, values: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
        """The rows of one statement that changes nothing."""

    def now(self) -> float:
        """The time by the one clock that all who share the database go by. Seconds."""

    def vacuum(self) -> tuple[int, int]:
        """Give free room back; bytes before and after."""

    def close(self) -> None:
        """Let go of it."""
