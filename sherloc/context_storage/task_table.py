"""The tables of tasks, leases and moves, in whatever database they are.

Each method is one transaction, or one read. All statements are plain SQL that SQLite and PostgreSQL understand alike.
"""

from __future__ import annotations

import contextlib
import uuid as uuids
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from sherloc.context_storage.disk import Disk
from sherloc.context_storage.exact import dump_exact, printable_text
from sherloc.context_storage.owner import Owner, this_process
from sherloc.context_storage.row_checks import is_stored_count, lease_problem, move_problem, task_problem
from sherloc.context_storage.task_database import Execute, TaskDatabase
from sherloc.context_storage.task_key import Status, TaskKey, now
from sherloc.context_storage.task_rows import (
    COLUMNS,
    Holder,
    Lease,
    Move,
    TaskRow,
    busy,
    damaged,
    first_row,
    refuse,
    row_in_words,
    sound_rows,
)
from sherloc.errors import LeaseLostError, SherlocError, TaskNotFoundError, TaskStateError, UsageError
from sherloc.logs import logger

_log = logger(__name__)

_NAMES = ", ".join('"user"' if name == "user" else name for name in COLUMNS)
_MARKS = ", ".join(f":{name}" for name in COLUMNS)
STATISTICS = ("total_messages", "total_summaries", "total_tool_calls", "final_token_count", "final_message_count")
_KEY = ("uuid", "task_type", "task_identifier", "repository", "user")


class TaskTable:
    """Tasks, leases and moves.

    Args:
        database: Where they are.
        disk: Is told of each commit.
        path: What the database is called when the disk is told.
    """

    def __init__(self, database: TaskDatabase, disk: Disk, path: Path) -> None:
        self._database, self._disk, self._path = database, disk, path

    @contextlib.contextmanager
    def _transaction(self, uuid: str) -> Iterator[Execute]:
        with self._database.transaction(uuid) as execute:
            yield execute
            self._disk.commit(self._path)

    @contextlib.contextmanager
    def _granting(self, uuid: str) -> Iterator[tuple[Execute, str]]:
        """A transaction that grants a lease, and its token: held before other threads can see it in the tables."""
        token = uuids.uuid4().hex
        _HELD.add(token)
        try:
            with self._transaction(uuid) as execute:
                yield execute, token
        except BaseException:
            _HELD.discard(token)
            raise

    # -- tasks

    def get(self, uuid: str) -> TaskRow | None:
        """A task's row."""
        return first_row(self._database.read(f"SELECT {_NAMES} FROM tasks WHERE uuid = :uuid", {"uuid": uuid}))

    def rows(self, status: Status | None = None) -> list[TaskRow]:
        """All tasks, or those of a status; newest first."""
        where, values = ("WHERE status = :status", {"status": status}) if status else ("", {})
        statement = f"SELECT {_NAMES} FROM tasks {where} ORDER BY created_at DESC, uuid DESC"
        return sound_rows(self._database.read(statement, values))

    def damaged_rows(self) -> list[tuple[Any, str]]:
        """Rows that are no tasks, which ``rows`` leaves out: what stands for their uuid, and what is wrong."""
        found = self._database.read(f"SELECT {_NAMES} FROM tasks", {})
        wrong = [(values[0], task_problem(dict(zip(COLUMNS, values, strict=True)))) for values in found]
        return sorted(((uuid, row_in_words(uuid, words)) for uuid, words in wrong if words), key=repr)

    def damaged_leases(self) -> list[str]:
        """Why tasks cannot be opened whose leases no sherloc wrote, a sentence each."""
        found = self._database.read(f"SELECT uuid, {', '.join(_HOLDER)} FROM leases", {})
        wrong = [(values[0], lease_problem(dict(zip(_HOLDER, values[1:], strict=True)))) for values in found]
        return sorted(damaged("leases", uuid, words) for uuid, words in wrong if words)

    def finished_like(self, key: TaskKey) -> list[TaskRow]:
        """Completed and failed runs of the same task, last completed first; those without a time last."""
        statement = f"""
            SELECT {_NAMES} FROM tasks
            WHERE task_type = :task_type AND task_identifier = :task_identifier AND repository = :repository
                AND "user" = :user AND uuid <> :uuid AND status IN ('completed', 'failed')
            ORDER BY CASE WHEN completed_at IS NULL THEN 1 ELSE 0 END, completed_at DESC, created_at DESC, uuid DESC
        """
        return sound_rows(self._database.read(statement, {name: getattr(key, name) for name in _KEY}))

    def add(self, row: TaskRow) -> None:
        """Insert a row, unless there is one."""
        with self._transaction(row.uuid) as execute:
            if _select(execute, row.uuid) is None:
                _insert(execute, row)

    def create(self, row: TaskRow, seconds: float) -> Lease | None:
        """Insert a new task with its lease and the intent to make its folder; None if the uuid is taken.

        Args:
            row: The task.
            seconds: How long the lease holds without a sign of life.
        """
        clock = self._database.now()
        with self._granting(row.uuid) as (execute, token):
            if _select(execute, row.uuid) is not None:
                _HELD.discard(token)
                return None
            _insert(execute, row)
            _intend(execute, Move(row.uuid, "", "running", "running"))
            return _grant(execute, Lease(row.uuid, token), clock, seconds)

    def forget(self, uuid: str) -> None:
        """Remove a task with its lease and intent."""
        with self._transaction(uuid) as execute:
            for table in ("tasks", "moves", "leases"):
                execute(f"DELETE FROM {table} WHERE uuid = :uuid", {"uuid": uuid})

    def set_status(self, uuid: str, status: Status, error_message: str | None) -> None:
        """Change status, and the error message if one is given."""
        with self._transaction(uuid) as execute:
            _set(execute, uuid, status=status, **({} if error_message is None else {"error_message": error_message}))

    def set_statistics(self, uuid: str, statistics: Mapping[str, int]) -> None:
        """Change some of ``STATISTICS``.

        Raises:
            UsageError: One of them is no count.
        """
        for name, count in statistics.items():
            if not is_stored_count(count):
                raise UsageError(f"{name} is a whole number from 0 to 2**63 - 1, not {count!r:.80}.")
        with self._transaction(uuid) as execute:
            _set(execute, uuid, **{name: statistics[name] for name in STATISTICS if name in statistics})

    def note(self, uuid: str, name: str, value: Any) -> None:
        """Set one entry of a task's metadata.

        Raises:
            UsageError: It would not come back equal.
        """
        with self._transaction(uuid) as execute:
            row = _select(execute, uuid)
            if row is not None:
                _set(execute, uuid, metadata=_dump({**(row.metadata or {}), name: value}))

    # -- leases

    def acquire(self, uuid: str, seconds: float) -> Lease:
        """Take the lease of a task.

        Args:
            uuid: The task.
            seconds: How long it holds without a sign of life, as others see it.

        Raises:
            TaskNotFoundError: There is no such task.
            TaskBusyError: Its holder is alive, or was a short time ago.
        """
        clock = self._database.now()
        with self._granting(uuid) as (execute, token):
            if _select(execute, uuid) is None:
                raise TaskNotFoundError(f"There is no task {uuid}.", hint="See: sherloc tasks list")
            holder = _holder(execute, uuid, clock)
            if holder is not None and not holder.is_dead:
                raise busy(uuid, holder)
            return _grant(execute, Lease(uuid, token, holder.owner if holder else None), clock, seconds)

    def holder(self, uuid: str) -> Holder | None:
        """Who holds a task's lease."""
        return _holder(self._database.read, uuid, self._database.now())

    def renew(self, lease: Lease) -> None:
        """Give a sign of life.

        Raises:
            LeaseLostError: Somebody else took the lease.
        """
        clock = self._database.now()
        with self._transaction(lease.uuid) as execute:
            _check_lease(execute, lease)
            execute("UPDATE leases SET heartbeat = :clock WHERE uuid = :uuid", {"clock": clock, "uuid": lease.uuid})

    def release(self, lease: Lease) -> None:
        """Give the lease back, if it is still held.

        Should that fail, this process at least does not stand in its own way: see ``_HELD``.
        """
        _HELD.discard(lease.token)
        with self._transaction(lease.uuid) as execute:
            values = {"uuid": lease.uuid, "token": lease.token}
            execute("DELETE FROM leases WHERE uuid = :uuid AND token = :token", values)

    def let_go(self, lease: Lease) -> None:
        """``release`` after a failure, which is what the caller is to hear of."""
        try:
            self.release(lease)
        except (OSError, SherlocError) as error:
            _log.warning("The lease of task %s could not be given back: %s", lease.uuid, error)

    # -- moves

    def move_of(self, uuid: str) -> Move | None:
        """What was about to happen to the task.

        Raises:
            TaskStoreError: The row is no move: its texts name folders.
        """
        rows = self._database.read(f"{_MOVES} WHERE uuid = :uuid", {"uuid": uuid})
        if not rows:
            return None
        refuse(move_problem(dict(zip(_MOVE, rows[0], strict=True))), "moves", uuid)
        return Move(*rows[0])

    def pending(self) -> list[str]:
        """Tasks of which something is half done, by uuid."""
        return [row[0] for row in self._database.read("SELECT uuid FROM moves ORDER BY uuid", {})]

    def begin(self, lease: Lease, move: Move, *, expected: tuple[Status, ...]) -> None:
        """Write down what is about to happen.

        Args:
            lease: Held.
            move: The intent.
            expected: Statuses that the task may have.

        Raises:
            LeaseLostError: The lease is not held.
            TaskStateError: The task has another status, or something else is half done.
        """
        with self._transaction(move.uuid) as execute:
            _check_lease(execute, lease)
            row = _select(execute, move.uuid)
            if row is None or row.status not in expected:
                found = row.status if row else "gone"
                raise TaskStateError(f"Task {move.uuid} is {found}, not {' or '.join(expected)}.")
            if execute("SELECT uuid FROM moves WHERE uuid = :uuid", {"uuid": move.uuid}):
                raise TaskStateError(f"Task {move.uuid} is being moved already.")
            _intend(execute, move)

    def take_pending(self, uuid: str, seconds: float) -> Lease | None:
        """The lease of a task of which something is half done, if nobody is at work on that; else None.

        Args:
            uuid: The task.
            seconds: How long the lease holds without a sign of life.
        """
        clock = self._database.now()
        with self._granting(uuid) as (execute, token):
            holder = _holder(execute, uuid, clock)
            waiting = execute("SELECT uuid FROM moves WHERE uuid = :uuid", {"uuid": uuid})
            if not waiting or (holder is not None and not holder.is_dead):
                _HELD.discard(token)
                return None
            return _grant(execute, Lease(uuid, token, holder.owner if holder else None), clock, seconds)

    def cancel(self, lease: Lease, move: Move) -> None:
        """Nothing of what was to happen has happened, and nothing will.

        Args:
            lease: Held.
            move: The intent.
        """
        with self._transaction(move.uuid) as execute:
            _check_lease(execute, lease)
            execute("DELETE FROM moves WHERE uuid = :uuid", {"uuid": move.uuid})

    def finish(self, lease: Lease, move: Move, *, keep: bool) -> None:
        """What was to happen has happened.

        Args:
            lease: Held.
            move: The intent.
            keep: Whether the lease is kept.
        """
        with self._transaction(move.uuid) as execute:
            _check_lease(execute, lease)
            if move.target == "archive":
                execute("DELETE FROM tasks WHERE uuid = :uuid", {"uuid": move.uuid})
            elif move.target == "archive-keep-row":
                row = _select(execute, move.uuid)
                _set(execute, move.uuid, metadata=_dump({**((row and row.metadata) or {}), "archived_at": now()}))
            else:
                _set(execute, move.uuid, status=move.status, error_message=move.error_message,
                     completed_at=now() if move.status in ("completed", "failed") else None)  # fmt: skip
            execute("DELETE FROM moves WHERE uuid = :uuid", {"uuid": move.uuid})
            if not keep:
                execute("DELETE FROM leases WHERE uuid = :uuid", {"uuid": move.uuid})
        if not keep:
            _HELD.discard(lease.token)

    def vacuum(self) -> tuple[int, int]:
        """Give free room back; bytes before and after."""
        return self._database.vacuum()

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()


_MOVE = ("uuid", "source", "target", "status", "error_message")
_MOVES = f"SELECT {', '.join(_MOVE)} FROM moves"
_HELD: set[str] = set()
"""Tokens of leases that somebody in this process holds. One in the tables that is not here is left over from a release
that failed, and free."""
_HOLDER = ("token", "host", "pid", "world", "started", "heartbeat", "seconds")


def _select(execute: Execute, uuid: str) -> TaskRow | None:
    return first_row(execute(f"SELECT {_NAMES} FROM tasks WHERE uuid = :uuid", {"uuid": uuid}))


def _insert(execute: Execute, row: TaskRow) -> None:
    values = {name: getattr(row, name) for name in COLUMNS} | {"metadata": _dump(row.metadata or {})}
    execute(f"INSERT INTO tasks ({_NAMES}) VALUES ({_MARKS})", values)


def _set(execute: Execute, uuid: str, **values: Any) -> None:
    values = {**values, "updated_at": now()}
    if values.get("error_message") is not None:
        values["error_message"] = printable_text(values["error_message"])
    changes = ", ".join(f"{name} = :{name}" for name in values)
    execute(f"UPDATE tasks SET {changes} WHERE uuid = :uuid", {**values, "uuid": uuid})


def _intend(execute: Execute, move: Move) -> None:
    words = None if move.error_message is None else printable_text(move.error_message)
    execute(
        "INSERT INTO moves (uuid, source, target, status, error_message, since) "
        "VALUES (:uuid, :source, :target, :status, :error_message, :since)",
        {**{name: getattr(move, name) for name in _MOVE}, "error_message": words, "since": now()},
    )


def _grant(execute: Execute, lease: Lease, clock: float, seconds: float) -> Lease:
    owner = this_process()
    execute("DELETE FROM leases WHERE uuid = :uuid", {"uuid": lease.uuid})
    execute(
        "INSERT INTO leases (uuid, token, host, pid, world, started, heartbeat, seconds) "
        "VALUES (:uuid, :token, :host, :pid, :world, :started, :clock, :seconds)",
        {"uuid": lease.uuid, "token": lease.token, "clock": clock, "seconds": seconds,
         **{field.name: getattr(owner, field.name) for field in fields(Owner)}},
    )  # fmt: skip
    return lease


def _holder(execute: Execute, uuid: str, clock: float) -> Holder | None:
    rows = execute(f"SELECT {', '.join(_HOLDER)} FROM leases WHERE uuid = :uuid", {"uuid": uuid})
    if not rows:
        return None
    refuse(lease_problem(dict(zip(_HOLDER, rows[0], strict=True))), "leases", uuid)
    token, *who, heartbeat, seconds = rows[0]
    owner, age = Owner(*who), clock - heartbeat
    is_left = owner == this_process() and token not in _HELD
    return Holder(owner, age, is_left or owner.is_surely_dead() or (age > seconds and not owner.is_surely_alive()))


def _check_lease(execute: Execute, lease: Lease) -> None:
    rows = execute("SELECT token FROM leases WHERE uuid = :uuid", {"uuid": lease.uuid})
    if not rows or rows[0][0] != lease.token:
        raise LeaseLostError(
            f"Task {lease.uuid} was taken over by another process.", hint="Close it and open it again."
        )


def _dump(value: Mapping[str, Any]) -> str:
    return dump_exact(dict(sorted(value.items(), key=str)), ascii_only=True)
