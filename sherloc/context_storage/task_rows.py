"""Rows of the tables of tasks: what they hold, and which are sound enough to be believed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from sherloc.context_storage.exact import load_exact
from sherloc.context_storage.owner import Owner
from sherloc.context_storage.row_checks import task_problem
from sherloc.context_storage.task_key import Status, TaskKey
from sherloc.errors import TaskBusyError, TaskStoreError


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A row of ``tasks``; ``metadata`` is read from its JSON."""

    uuid: str
    status: Status
    task_type: str
    task_identifier: str
    repository: str
    user: str
    created_at: str
    updated_at: str | None = None
    completed_at: str | None = None
    metadata: Mapping[str, Any] | None = None
    total_messages: int = 0
    total_summaries: int = 0
    total_tool_calls: int = 0
    final_token_count: int | None = None
    final_message_count: int | None = None
    error_message: str | None = None

    def key(self, *, is_resumed: bool = False) -> TaskKey:
        """The key that opens it."""
        return TaskKey(self.uuid, self.task_type, self.task_identifier, self.repository, self.user, is_resumed)


@dataclass(frozen=True, slots=True)
class Move:
    """What is about to happen to a task's folder.

    Attributes:
        uuid: The task.
        source: Where it lies; empty: it is being made.
        target: Where it goes; ``archive`` or ``archive-keep-row``: it is removed.
        status: Of the task afterwards.
        error_message: For its row.
    """

    uuid: str
    source: str
    target: str
    status: Status
    error_message: str | None = None


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write to a task.

    Attributes:
        uuid: The task.
        token: Of this grant; nobody else's equals it.
        previous: Who held it and died, if anybody.
    """

    uuid: str
    token: str
    previous: Owner | None = None


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lease now.

    Attributes:
        owner: The process.
        age: Since its last sign of life. Seconds.
        is_dead: Whether the lease may be taken over.
    """

    owner: Owner
    age: float
    is_dead: bool


class DamagedRowError(TaskStoreError):
    """A row that no sherloc wrote."""


COLUMNS = tuple(field.name for field in fields(TaskRow))


def first_row(rows: Sequence[Sequence[Any]]) -> TaskRow | None:
    """The task of what was read, or None."""
    return _row(rows[0]) if rows else None


def refuse(problem: str, table: str, uuid: object) -> None:
    """Refuse a row.

    Raises:
        DamagedRowError: There is a problem.
    """
    if problem:
        raise DamagedRowError(
            damaged(table, uuid, problem),
            hint="No sherloc wrote it so. Once no process is at work on the task, delete the row, or correct it.",
        )


def damaged(table: str, uuid: object, problem: str) -> str:
    """That a row is damaged, and why."""
    return f"The row of task {uuid!r:.160} in the table {table} is damaged: {problem}."


def row_in_words(uuid: object, problem: str) -> str:
    """That a row is left out, and why."""
    return f"The row of task {uuid!r:.160} in the table tasks is damaged and left out: {problem}."


def sound_rows(found: Sequence[Sequence[Any]]) -> list[TaskRow]:
    """The rows that are tasks."""
    return [_row(values) for values in found if not task_problem(dict(zip(COLUMNS, values, strict=True)))]


def _row(values: Sequence[Any]) -> TaskRow:
    row = TaskRow(*values)
    refuse(task_problem(dict(zip(COLUMNS, values, strict=True))), "tasks", row.uuid)
    try:
        metadata = load_exact(row.metadata or "{}")  # type: ignore[arg-type]  # text until here
    except (ValueError, RecursionError):
        metadata = {}
    return replace(
        row, metadata=metadata if isinstance(metadata, dict) else {}, task_identifier=row.task_identifier or "",
        repository=row.repository or "", user=row.user or "",
    )  # fmt: skip


def busy(uuid: str, holder: Holder) -> TaskBusyError:
    """The error that names who is at work on a task."""
    owner = holder.owner
    return TaskBusyError(
        f"Task {uuid} is held by process {owner.pid} on {owner.host}, last seen {max(0.0, holder.age):.0f} s ago.",
        hint="Wait for it or end it; a task whose process is gone can be opened at once.",
        host=owner.host,
        pid=owner.pid,
    )
