"""All tasks of a base_dir: listed, looked at, made ready to go on, archived."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from types import TracebackType
from typing import Any

from sherloc.context_storage.config import Config, contexts_folder, read_config
from sherloc.context_storage.databases import open_table
from sherloc.context_storage.disk import Disk
from sherloc.context_storage.folders import HOME_OF, Folders, check_base_dir, read_final_summary
from sherloc.context_storage.jsonl import Record, read_records
from sherloc.context_storage.message_store import CURRENT, MESSAGES
from sherloc.context_storage.plain import in_words
from sherloc.context_storage.recovery import carry_out, recover_all
from sherloc.context_storage.summarising import Client
from sherloc.context_storage.task_context_manager import TaskContextManager
from sherloc.context_storage.task_key import Status, TaskKey, check_task_key, check_uuid
from sherloc.context_storage.task_rows import DamagedRowError, Holder, Move, TaskRow
from sherloc.context_storage.view import tokens_of
from sherloc.errors import TaskBusyError, TaskError, TaskNotFoundError, UsageError
from sherloc.schema.report import Diagnostic


@dataclass(frozen=True, slots=True)
class TaskState:
    """A task as it is now.

    Attributes:
        row: From the database.
        folder: Where it lies.
        holder: Who is at work on it; None if nobody.
        has_folder: Whether the folder is there, and no link to one; False after ``archive --keep-row``.
        is_damaged: Whether a program that is not sherloc wrote who holds it: it cannot be opened.
    """

    row: TaskRow
    folder: Path
    holder: Holder | None
    has_folder: bool
    is_damaged: bool = False

    @property
    def state(self) -> str:
        """The status; ``interrupted`` for a running task that nobody is at work on."""
        if self.row.status != "running":
            return self.row.status
        return "interrupted" if self.holder is None or self.holder.is_dead else "running"

    def records(self, name: str) -> Iterator[Record]:
        """Records of one of its files, whoever is writing to it; none if the folder is not there.

        Raises:
            TaskStoreError: The file is no plain one, or cannot be read.
        """
        return read_records(self.folder / name) if self.has_folder else iter(())

    @property
    def final_summary(self) -> str | None:
        """Content of ``final_summary.txt``."""
        return read_final_summary(self.folder) if self.has_folder else None


def _noted(state: TaskState, name: str) -> Mapping[str, Any]:
    """An entry of a row's metadata that is a mapping; empty if there is none."""
    found = (state.row.metadata or {}).get(name)
    return found if isinstance(found, dict) else {}


def _days_ago(days: float) -> str:
    """The time so many days ago, in UTC; the calendar's end where it does not reach so far."""
    if isinstance(days, bool) or not isinstance(days, (int, float)) or days != days:
        raise UsageError(f"older_than_days is a number of days, not {days!r:.80}.")
    try:
        time = datetime.now(timezone.utc) - timedelta(days=days)
    except OverflowError:
        time = (datetime.min if days > 0 else datetime.max).replace(tzinfo=timezone.utc)
    return time.isoformat(timespec="microseconds")


class TaskCatalog:
    """The tasks of a base_dir. Opening it completes what was left half done and finds folders that no row knows.

    Args:
        base_dir: Of the tasks; None: sherloc's own, see ``contexts_folder``.
        config: Settings, or a mapping with a section ``context``.
        disk: What writes.

    Attributes:
        base_dir: The folder.
        problems: What could not be completed.

    Raises:
        TaskStoreError: The folder or the database cannot be read or written.
        UsageError: base_dir is no path.
    """

    def __init__(
        self,
        base_dir: Path | str | None = None,
        config: Config = None,
        *,
        disk: Disk | None = None,
    ) -> None:
        self._settings = read_config(config)
        self.base_dir = check_base_dir(contexts_folder(self._settings) if base_dir is None else base_dir)
        disk = disk or Disk(fsync=self._settings.fsync)
        self._folders = Folders(self.base_dir, disk)
        self._table = open_table(self.base_dir, self._settings, disk)
        try:
            with in_words(self.base_dir):
                self.problems = recover_all(self._table, self._folders, self._settings.lease_seconds, orphans=True)
        except BaseException:
            self._table.close()
            raise

    def tasks(self, status: Status | None = None) -> list[TaskState]:
        """All tasks, or those of a status; newest first."""
        return [self._state(row) for row in self._table.rows(status)]

    def get(self, uuid: str) -> TaskState:
        """A task.

        Raises:
            UsageError: The uuid cannot be one.
            TaskNotFoundError: There is no such task.
        """
        row = self._table.get(check_uuid(uuid))
        if row is None:
            raise TaskNotFoundError(f"There is no task {uuid} in {self.base_dir}.", hint="See: sherloc tasks list")
        return self._state(row)

    def find_unfinished(self, key: TaskKey) -> TaskState | None:
        """The newest run of the same task that can go on: paused, or running with nobody at work on it.

        Args:
            key: Type, identifier, repository and user count; its uuid does not.
        """
        check_task_key(key)
        for row in self._table.rows():
            same = row.key() == TaskKey(row.uuid, key.task_type, key.task_identifier, key.repository, key.user)
            if same and row.status in ("paused", "running"):
                state = self._state(row)
                if state.state in ("paused", "interrupted") and not state.is_damaged:
                    return state
        return None

    def _state(self, row: TaskRow) -> TaskState:
        folder = self._folders.path(HOME_OF[row.status], check_uuid(row.uuid))
        holder, is_damaged = None, False
        try:
            holder = self._table.holder(row.uuid)
        except DamagedRowError:
            is_damaged = True
        holder = holder if row.status == "running" else None
        return TaskState(row, folder, holder, folder.is_dir() and not folder.is_symlink(), is_damaged)

    def resume(self, uuid: str, *, salvage: bool = False, llm_client: Client | None = None) -> TaskContextManager:
        """Open a paused or interrupted task to go on with it.

        Args:
            uuid: The task.
            salvage: Set unreadable lines aside instead of refusing.
            llm_client: Writes summaries.

        Raises:
            TaskNotFoundError: There is no such task.
            TaskStateError: It has ended.
            TaskBusyError: Another process is at work on it.
            CorruptHistoryError: A line between records cannot be read.
        """
        key = self.get(uuid).row.key(is_resumed=True)
        return TaskContextManager(self.base_dir, key, self._settings, llm_client, salvage=salvage)

    def archive(self, *, older_than_days: float = 30.0, keep_row: bool = False, dry_run: bool = False) -> list[str]:
        """Remove completed and failed tasks that ended long ago.

        Args:
            older_than_days: Since when. Days.
            keep_row: Whether the row stays, without the folder.
            dry_run: Whether to only say which.

        Returns:
            Their uuids, oldest first. What cannot be removed is told in ``problems``; the next command goes on with it.

        Raises:
            UsageError: The number of days is none.
        """
        before = _days_ago(older_than_days)
        old = sorted(
            (row.completed_at, row.uuid)
            for row in self._table.rows()
            if row.status in ("completed", "failed") and row.completed_at and row.completed_at < before
            and not (keep_row and row.metadata and row.metadata.get("archived_at"))
        )  # fmt: skip
        done = []
        for _, uuid in old:
            try:
                if dry_run or self._archive(uuid, "archive-keep-row" if keep_row else "archive"):
                    done.append(uuid)
            except TaskError as error:
                words = f"Task {uuid} could not be removed: {error.message}"
                self.problems.append(Diagnostic(code="not_archived", severity="error", message=words))
        return done

    def _archive(self, uuid: str, target: str) -> bool:
        try:
            lease = self._table.acquire(uuid, self._settings.lease_seconds)
        except (TaskBusyError, TaskNotFoundError):
            return False
        row = self._table.get(uuid)
        if row is None:
            self._table.let_go(lease)
            return False
        move = Move(uuid, HOME_OF[row.status], target, row.status, row.error_message)
        try:
            self._table.begin(lease, move, expected=("completed", "failed"))
            with in_words(self.base_dir):
                carry_out(self._table, self._folders, lease, move, keep=False)
        except BaseException:
            self._table.let_go(lease)
            raise
        return True

    def why(self, uuid: str) -> list[str]:
        """Why nothing was compressed or inherited, a sentence each.

        Args:
            uuid: The task.
        """
        state = self.get(uuid)
        return [*self._why_not_compressed(state), *self._why_not_inherited(state)]

    def _why_not_compressed(self, state: TaskState) -> list[str]:
        summaries = sum(1 for _ in state.records("summaries.jsonl"))
        noted = _noted(state, "compression")
        words = [f"Compressed {summaries} times."] if summaries else []
        if noted.get("result") in ("skipped", "failed"):
            words.append(f"The last try was {noted['result']}: {noted.get('reason')}")
        if words:
            return words
        seen = sum(1 for _ in state.records(CURRENT))
        tokens = sum(tokens_of(record) for record in state.records(MESSAGES))
        limit = self._settings.compression.token_threshold
        if tokens <= limit:
            return [f"Nothing was compressed: {seen} messages have {tokens} tokens; token_threshold is {limit}."]
        return [
            f"Nothing was compressed: {tokens} tokens are above token_threshold ({limit}), but nobody asked for it."
        ]

    def _why_not_inherited(self, state: TaskState) -> list[str]:
        noted = _noted(state, "inheritance")
        if noted.get("from"):
            return [f"Inherited from {noted['from']}."]
        words = [f"Nothing was inherited: {noted.get('reason') or 'it was not tried'}."]
        own = state.row.key()
        names = ("task_type", "task_identifier", "repository", "user")
        for row in self._table.rows():
            other = [name for name in names if getattr(row, name) != getattr(own, name)]
            if row.uuid != own.uuid and row.status in ("completed", "failed") and len(other) == 1:
                words.append(f"{row.uuid} is like it but for {other[0]}: {getattr(row, other[0])!r:.120}.")
        return words[:6]

    def vacuum(self) -> tuple[int, int]:
        """Give free room of the database back; bytes before and after."""
        return self._table.vacuum()

    def close(self) -> None:
        """Let go of the database."""
        self._table.close()

    def __enter__(self) -> TaskCatalog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
