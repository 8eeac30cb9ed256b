"""A task that this process has open: one for all who open it here, with one lease and one set of stores.

A thread of its own gives the leases' signs of life.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sherloc.context_storage.databases import open_table
from sherloc.context_storage.disk import Disk
from sherloc.context_storage.folders import HOME_OF, HOMES, Folders
from sherloc.context_storage.jsonl import Mark
from sherloc.context_storage.message_store import MessageStore
from sherloc.context_storage.owner import seconds_awake
from sherloc.context_storage.plain import in_words
from sherloc.context_storage.planning_history_store import PlanningHistoryStore
from sherloc.context_storage.record_store import RecordStore, hinting, write_marks
from sherloc.context_storage.recovery import adopt, bring_home, carry_out, complete_move, recover_all, row_from
from sherloc.context_storage.summary_store import SummaryStore
from sherloc.context_storage.task_key import Status, TaskKey, now
from sherloc.context_storage.task_rows import Lease, Move, TaskRow
from sherloc.context_storage.tool_store import ToolStore
from sherloc.context_storage.value_store import ValueStore
from sherloc.errors import (
    LeaseLostError,
    SherlocError,
    TaskNotFoundError,
    TaskStateError,
    UsageError,
)
from sherloc.logs import logger
from sherloc.protocols import Tokenizer
from sherloc.schema.report import Diagnostic
from sherloc.settings import ContextSettings

_log = logger(__name__)


class Session:
    """An open task.

    Args:
        base_dir: Of the tasks.
        key: The task.
        settings: How it is kept.
        disk: What writes.
        tokenizer: Counts tokens.
        salvage: Whether unreadable lines are set aside instead of refused.
        source: The folder of a task that a new one begins as a copy of.

    Attributes:
        table: The tables.
        folders: The folders.
        is_new: Whether this made the task.
        problems: What was repaired.
        lock: Held while anything of the task changes.

    Raises:
        TaskError: It cannot be opened.
    """

    def __init__(
        self,
        base_dir: Path,
        key: TaskKey,
        settings: ContextSettings,
        disk: Disk,
        tokenizer: Tokenizer | None,
        *,
        salvage: bool,
        source: Path | None,
    ) -> None:
        self.key, self.settings, self.disk = key, settings, disk
        self.lock = threading.RLock()
        self.users = 0
        self.pid = os.getpid()
        self.problems: list[Diagnostic] = []
        self.status: Status = "running"
        self._open = True
        self._is_ending = False
        self._stale: Move | None = None
        self.folders = Folders(base_dir, disk)
        with in_words(base_dir):
            self._begin(base_dir, tokenizer, salvage=salvage, source=source)

    def _begin(self, base_dir: Path, tokenizer: Tokenizer | None, *, salvage: bool, source: Path | None) -> None:
        settings = self.settings
        self.table = open_table(base_dir, settings, self.disk)
        try:
            self.problems += recover_all(self.table, self.folders, settings.lease_seconds, orphans=False)
            self.lease, self.is_new = self._enter(source)
            self._alive_until = seconds_awake() + settings.lease_seconds
            try:
                self._open_stores(tokenizer, salvage)
            except BaseException:
                self.table.let_go(self.lease)
                raise
        except BaseException:
            self.table.close()
            raise

    # -- into the task

    def _enter(self, source: Path | None) -> tuple[Lease, bool]:
        """The lease of the task, which then lies in ``running``; and whether it is new."""
        key, seconds = self.key, self.settings.lease_seconds
        if self.table.get(key.uuid) is None and not adopt(self.table, self.folders, key.uuid):
            if key.is_resumed:
                raise TaskNotFoundError(f"There is no task {key.uuid} to resume.", hint="See: sherloc tasks list")
            lease = self._create(source)
            if lease is not None:
                return lease, True
        if source is not None:
            raise TaskStateError(f"There is a task {key.uuid} already.")
        lease = self.table.acquire(key.uuid, seconds)
        try:
            if lease.previous is not None:
                words = (
                    f"Process {lease.previous.pid} on {lease.previous.host} left task {key.uuid} without closing it."
                )
                self.problems.append(Diagnostic(code="task_interrupted", severity="info", message=words))
            if not complete_move(self.table, self.folders, lease, keep=True):
                return self._enter(source)
            self._resume(lease)
        except BaseException:
            self.table.let_go(lease)
            raise
        return lease, False

    def _create(self, source: Path | None) -> Lease | None:
        key = self.key
        metadata = {
            "uuid": key.uuid, "created_at": now(), "task_type": key.task_type, "task_identifier": key.task_identifier,
            "repository": key.repository, "user": key.user, **({"forked_from": source.name} if source else {}),
        }  # fmt: skip
        for home in HOMES:
            self.folders.check_free(home, key.uuid)
        lease = self.table.create(row_from(metadata, "running"), self.settings.lease_seconds)
        if lease is not None:
            try:
                self.folders.create(key.uuid, metadata, source)
                self.table.finish(lease, Move(key.uuid, "", "running", "running"), keep=True)
            except BaseException:
                with contextlib.suppress(OSError, SherlocError):
                    complete_move(self.table, self.folders, lease, keep=False)
                raise
        return lease

    def _resume(self, lease: Lease) -> None:
        row = self.table.get(lease.uuid)
        assert row is not None
        self.check_key(self.key, row)
        if row.status in ("paused", "running") and not bring_home(self.folders, row):
            raise TaskStateError(f"The folder of task {lease.uuid} is gone.", hint="See: sherloc tasks show --why")
        if row.status == "paused":
            if not self.key.is_resumed:
                raise TaskStateError(
                    f"Task {row.uuid} is paused.", hint="Open it with TaskKey(..., is_resumed=True) to go on with it."
                )
            self._move(lease, "running", None, expected="paused")
        elif row.status != "running":
            raise TaskStateError(
                f"Task {row.uuid} is {row.status}: what it did is kept, but it cannot go on.",
                hint="A new task with the same type, identifier, repository and user inherits from it.",
            )

    @staticmethod
    def check_key(key: TaskKey, task: TaskRow | TaskKey) -> None:
        """Make sure that a key is that of a task.

        Raises:
            UsageError: It is that of another one with the same uuid.
        """
        names = ("task_type", "task_identifier", "repository", "user")
        other = [name for name in names if getattr(task, name) != getattr(key, name)]
        if other:
            raise UsageError(
                f"Task {task.uuid} is another one: its {other[0]} is {getattr(task, other[0])!r:.120}, "
                f"not {getattr(key, other[0])!r:.120}."
            )

    def _open_stores(self, tokenizer: Tokenizer | None, salvage: bool) -> None:
        folder = self.folder
        shared: dict[str, Any] = {"disk": self.disk, "guard": self.check, "lock": self.lock}
        self.messages = MessageStore(folder, self.settings, tokenizer=tokenizer, **shared)
        self.summaries = SummaryStore(folder, **shared)
        self.tools = ToolStore(folder, **shared)
        self.plans = PlanningHistoryStore(folder, **shared)
        self.values = ValueStore(folder, **shared)
        self.records: tuple[RecordStore, ...] = (self.summaries, self.tools, self.plans, self.values)
        if salvage:
            self.messages.salvage()
            for store in self.records:
                store.salvage()
        elif self.key.is_resumed:
            self.read_strictly()
        self.problems += self.messages.problems
        for store in self.records:
            self.problems += store.problems

    def read_strictly(self) -> None:
        """Make sure that every record can be read.

        Raises:
            CorruptHistoryError: A line between records cannot.
        """
        for records in (self.messages.records(strict=True), *(store.records(strict=True) for store in self.records)):
            for _ in records:
                pass

    @property
    def folder(self) -> Path:
        """Where the task lies."""
        return self.folders.path(HOME_OF[self.status], self.key.uuid)

    # -- while it is open

    def check(self) -> None:
        """Make sure that this process may write.

        Raises:
            TaskStateError: The task is closed or ended.
            LeaseLostError: It was opened by another process, or another one took it over.
        """
        self.check_process()
        if not self._open:
            raise TaskStateError(f"Task {self.key.uuid} is {'closed' if self.status == 'running' else self.status}.")
        if seconds_awake() > self._alive_until:
            self.renew()

    def check_process(self) -> None:
        """Make sure that this process opened the task.

        Raises:
            LeaseLostError: It was opened by another process, which forked this one.
        """
        if os.getpid() != self.pid:
            raise LeaseLostError(
                f"Task {self.key.uuid} was opened by process {self.pid}, not by this one.",
                hint="After a fork, open it in the process that writes.",
            )

    def renew(self) -> None:
        """Give a sign of life.

        Raises:
            LeaseLostError: Another process took the task over.
        """
        asked = seconds_awake()
        self.table.renew(self.lease)
        self._alive_until = asked + self.settings.lease_seconds

    def beat(self) -> None:
        """``renew`` for the thread that does it in passing: what fails is found out by whoever writes next."""
        if self.lock.acquire(blocking=False):
            try:
                if self._open:
                    self.renew()
            except LeaseLostError:
                self._alive_until = 0.0
            except SherlocError as error:
                _log.warning("Task %s: no sign of life could be given: %s", self.key.uuid, error.message)
            finally:
                self.lock.release()

    @contextlib.contextmanager
    def ending(self) -> Iterator[None]:
        """While hooks run and the task ends, so that they run once.

        Raises:
            TaskStateError: The task is closed, has ended, or is being ended.
        """
        with self.lock:
            self.check()
            if self._is_ending:
                raise TaskStateError(f"Task {self.key.uuid} is being ended already.")
            self._is_ending = True
        try:
            yield
        finally:
            self._is_ending = False

    def end(self, status: Status, error_message: str | None) -> None:
        """Move the task to the home of a status and give the lease back.

        Raises:
            DestinationExistsError: Another folder is there; the task is still running.
            TaskStoreError: The folder cannot be moved; the task is still running.
        """
        with self.lock, in_words(self.folder):
            self.check()
            with hinting(self.folder):
                self.write_marks()
            if self._stale is not None:
                self.table.cancel(self.lease, self._stale)
                self._stale = None
            self._move(self.lease, status, error_message, expected="running")
            self._has_ended(status)

    def _has_ended(self, status: Status) -> None:
        self.status, self._open = status, False
        self.messages.follow(self.folder)
        for store in self.records:
            store.follow(self.folder)

    def _move(self, lease: Lease, status: Status, error_message: str | None, *, expected: Status) -> None:
        move = Move(lease.uuid, HOME_OF[expected], HOME_OF[status], status, error_message)
        self.folders.holds(move.source, move.uuid)
        self.folders.check_free(move.target, move.uuid)
        try:
            self.table.begin(lease, move, expected=(expected,))
        except SherlocError:  # Nothing was written down.
            raise
        except BaseException:
            self._take_back(lease, move)
            raise
        try:
            carry_out(self.table, self.folders, lease, move, keep=status == "running")
        except BaseException:
            self._take_back(lease, move)
            raise

    def _take_back(self, lease: Lease, move: Move) -> None:
        """Of a move that failed, undo what was done. What cannot be undone now, the next opening completes.

        Ctrl-C during a commit comes after it: then there is nothing to undo.
        """
        with contextlib.suppress(SherlocError):
            if self.table.move_of(move.uuid) is None:
                if move.target != "running" and not self.folders.holds(move.source, move.uuid):
                    self._has_ended(move.status)
                return
        try:
            if not self.folders.holds(move.source, move.uuid):
                self.folders.move(move.uuid, move.target, move.source)
        except (OSError, SherlocError) as error:
            _log.warning("Task %s is closed, between %s and %s: %s", lease.uuid, move.source, move.target, error)
            self._open = False
            self.table.let_go(lease)
            return
        try:
            self.table.cancel(lease, move)
        except (OSError, SherlocError):
            self._stale = move

    def write_marks(self) -> None:
        """Note how far all files are whole."""
        marks: dict[str, Mark] = self.messages.marks()
        for store in self.records:
            marks.update(store.marks())
        write_marks(self.folder, self.disk, marks)

    def close(self) -> None:
        """Let go of the task; one that has not ended stays ``running`` and can be opened again."""
        with self.lock:
            try:
                if self._open:
                    self._open = False
                    try:
                        with hinting(self.folder):
                            self.write_marks()
                    finally:  # Ctrl-C may come at any moment; the lease must not outlive the session.
                        self.table.release(self.lease)
            finally:
                self.table.close()

    @property
    def is_open(self) -> bool:
        """Whether it may still be written to."""
        return self._open
