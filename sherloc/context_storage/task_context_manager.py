"""One task: where it lies, what it stores, how it ends, and what it inherits."""

from __future__ import annotations

import threading
import uuid as uuids
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any

from sherloc.context_storage.config import Config, read_config
from sherloc.context_storage.context_compressor import ContextCompressor
from sherloc.context_storage.context_inheritance_manager import ContextInheritanceManager, InheritanceContext
from sherloc.context_storage.disk import Disk
from sherloc.context_storage.exact import printable_text, said
from sherloc.context_storage.folders import FINAL_SUMMARY, HOME_OF, check_base_dir
from sherloc.context_storage.message_store import MessageStore
from sherloc.context_storage.planning_history_store import PlanningHistoryStore
from sherloc.context_storage.sessions import sessions
from sherloc.context_storage.summarising import Client, check_client
from sherloc.context_storage.summary_store import SummaryStore
from sherloc.context_storage.task_key import STATUSES, Status, TaskKey, check_task_key
from sherloc.context_storage.task_table import STATISTICS
from sherloc.context_storage.tool_store import ToolStore
from sherloc.context_storage.value_store import ValueStore
from sherloc.errors import UsageError
from sherloc.logs import logger
from sherloc.protocols import Tokenizer
from sherloc.schema.report import Diagnostic

_log = logger(__name__)
Hook = Callable[[], object]


class TaskContextManager:
    """A task that is open for writing: its stores, its end, and what it inherits.

    A new task is made; one that is there goes on. While it runs it lies in ``running/``; a paused one is moved there
    when it is opened with ``is_resumed``. What an earlier process left half done is completed first. Opening the same
    task again in this process shares everything but hooks and client; another process that tries is refused.

    As a context manager it closes the task at the end: a task that was not ended stays ``running`` and can be opened
    again.

    Args:
        base_dir: Holds ``running``, ``paused``, ``completed`` and ``tasks.db``; made when missing.
        task_key: The task.
        config: Settings, or a mapping of which only the entry ``context`` is looked at.
        llm_client: Writes summaries: a ``ChatModel``, or anything with ``create_chat_completion(messages)``.
        disk: What writes.
        tokenizer: Counts tokens; sherloc's estimator unless given.
        salvage: Set unreadable lines of the history aside instead of refusing it.

    Attributes:
        uuid: Of the task.
        task_key: As given.
        problems: What was repaired when it was opened.
        inheritance_manager: Finds earlier runs.

    Raises:
        TaskNotFoundError: ``is_resumed``, and there is no such task.
        TaskStateError: It has ended, or is paused and ``is_resumed`` is not set.
        TaskBusyError: Another process is at work on it.
        CorruptHistoryError: ``is_resumed``, and a line between records cannot be read.
        DestinationExistsError: Another folder is where it would go.
        TaskStoreError: The database, the folder or a file in it cannot be read or written, or is a link.
        UsageError: The client can not be asked, or the uuid belongs to another task.
    """

    def __init__(
        self,
        base_dir: Path | str,
        task_key: TaskKey,
        config: Config = None,
        llm_client: Client | None = None,
        *,
        disk: Disk | None = None,
        tokenizer: Tokenizer | None = None,
        salvage: bool = False,
    ) -> None:
        self._enter(check_base_dir(base_dir), task_key, config, llm_client, disk, tokenizer, salvage=salvage)

    def _enter(
        self,
        base_dir: Path,
        task_key: TaskKey,
        config: Config,
        llm_client: Client | None,
        disk: Disk | None,
        tokenizer: Tokenizer | None,
        *,
        salvage: bool = False,
        source: Path | None = None,
    ) -> None:
        check_task_key(task_key)
        self.base_dir, self.task_key, self.uuid = base_dir, task_key, task_key.uuid
        self._settings, self._tokenizer = read_config(config), tokenizer
        self._client = None if llm_client is None else check_client(llm_client)
        self._completion_hooks: dict[str, Hook] = {}
        self._stop_hooks: dict[str, Hook] = {}
        disk = disk or Disk(fsync=self._settings.fsync)
        self._session = sessions().enter(
            base_dir, task_key, self._settings, disk, tokenizer, salvage=salvage, source=source
        )
        self._left = False
        try:
            self.problems: list[Diagnostic] = list(self._session.problems)
            self.inheritance_manager = ContextInheritanceManager(
                base_dir, self._settings, table=self._session.table, tokenizer=tokenizer
            )
            self._inherited: InheritanceContext | None = None
            if source is None and self._may_be_told():
                self._inherit()
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise

    # -- what it consists of

    @property
    def context_dir(self) -> Path:
        """The task's folder, where it is now."""
        return self._session.folder

    @property
    def status(self) -> Status:
        """``running``, or how it ended."""
        return self._session.status

    @property
    def lock(self) -> threading.RLock:
        """Held while anything of the task changes; shared by all who have it open in this process."""
        return self._session.lock

    @property
    def message_store(self) -> MessageStore:
        """The conversation."""
        return self._session.messages

    @property
    def summary_store(self) -> SummaryStore:
        """Summaries of its earlier part."""
        return self._session.summaries

    @property
    def tool_store(self) -> ToolStore:
        """Tool calls."""
        return self._session.tools

    @property
    def planning_store(self) -> PlanningHistoryStore:
        """Plans."""
        return self._session.plans

    @property
    def value_store(self) -> ValueStore:
        """Values by key that must not be worked out twice."""
        return self._session.values

    def get_message_store(self) -> MessageStore:
        """The conversation."""
        return self.message_store

    def get_summary_store(self) -> SummaryStore:
        """Summaries of its earlier part."""
        return self.summary_store

    def get_tool_store(self) -> ToolStore:
        """Tool calls."""
        return self.tool_store

    def get_planning_store(self) -> PlanningHistoryStore:
        """Plans."""
        return self.planning_store

    def get_value_store(self) -> ValueStore:
        """Values by key."""
        return self.value_store

    def check(self) -> None:
        """Make sure that it may be written to.

        Raises:
            TaskStateError: It is closed or ended.
            LeaseLostError: It was opened by another process, or another one took it over.
        """
        self._session.check()

    def set_llm_client(self, llm_client: Client | None) -> None:
        """Who writes summaries from now on."""
        self._client = None if llm_client is None else check_client(llm_client)

    def compressor(self) -> ContextCompressor:
        """What keeps the context short.

        Raises:
            UsageError: There is no client.
        """
        if self._client is None:
            raise UsageError("Summaries need a model.", hint="Give llm_client, or call set_llm_client.")
        return ContextCompressor(self, self._settings, self._client)

    # -- what it inherits

    def _may_be_told(self) -> bool:
        """Whether the conversation has not gone beyond a system prompt: then there is room for what is inherited."""
        return all(record.get("role") == "system" for record in islice(self.message_store.records(), 2))

    def _inherit(self) -> None:
        """Find the newest earlier run that left something, and note what was found."""
        if not self._settings.inheritance.enabled:
            self.note("inheritance", {"from": None, "reason": "context.inheritance.enabled is false"})
            return
        found = self._session.table.finished_like(self.task_key)
        for row in found:
            context = self.inheritance_manager.get_inheritance_context(row.uuid)
            if context is not None and not context.is_empty:
                self._inherited = context
                self.note("inheritance", {"from": row.uuid, "reason": ""})
                return
        reason = f"{len(found)} earlier runs left neither a summary nor plans" if found else "there is no earlier run"
        self.note("inheritance", {"from": None, "reason": reason})

    def get_inheritance_context(self) -> InheritanceContext | None:
        """What an earlier run left; None if the task is not new or there is nothing."""
        return self._inherited

    def has_inheritance_context(self) -> bool:
        """Whether there is something to inherit."""
        return self._inherited is not None

    def get_inheritance_notice(self) -> str | None:
        """A sentence for the ticket about the earlier run; None if there is none."""
        if self._inherited is None:
            return None
        return self.inheritance_manager.generate_notification_comment(self._inherited)

    def create_initial_context(self, system_message: str) -> int:
        """Begin the conversation: the system message, then what is inherited.

        A conversation that has begun stays as it is, so that a resumed task can call this, too.

        Args:
            system_message: The system prompt.

        Returns:
            Sequence number of the last message.
        """
        with self.lock:
            if not self.message_store.count_messages():
                self.message_store.add_message("system", system_message)
            if self._inherited is not None and self._may_be_told():
                self.inheritance_manager.create_initial_context(self, self._inherited)
            return self.message_store.last_seq

    # -- its row

    def update_status(self, status: Status, error_message: str | None = None) -> None:
        """Change the status. The folder goes along: a task that is not running is closed by it.

        Args:
            status: ``running``, ``completed``, ``failed`` or ``paused``.
            error_message: For its row.

        Raises:
            UsageError: There is no such status, or the message is no text.
            TaskStateError: The task has ended.
        """
        if status not in STATUSES:
            raise UsageError(f"A status is one of {', '.join(STATUSES)}, not {status!r:.80}.")
        _check_message(error_message)
        with self.lock:
            self._session.check()
            if HOME_OF[status] == "running":
                self._session.table.set_status(self.uuid, status, error_message)
            else:
                self._session.end(status, error_message)

    def update_statistics(
        self,
        total_messages: int | None = None,
        total_summaries: int | None = None,
        total_tool_calls: int | None = None,
        final_token_count: int | None = None,
        final_message_count: int | None = None,
    ) -> None:
        """Change counts in the task's row; those not given stay.

        Args:
            total_messages: All messages.
            total_summaries: Summaries.
            total_tool_calls: Tool calls.
            final_token_count: Tokens of what the model sees.
            final_message_count: Messages of what the model sees.

        Raises:
            UsageError: One of them is no count.
        """
        counts = (total_messages, total_summaries, total_tool_calls, final_token_count, final_message_count)
        given = {name: count for name, count in zip(STATISTICS, counts, strict=True) if count is not None}
        self._session.check_process()
        if given:
            self._session.table.set_statistics(self.uuid, given)

    def note(self, name: str, value: Any) -> None:
        """Set one entry of the metadata in the task's row.

        Args:
            name: Of the entry.
            value: JSON.

        Raises:
            UsageError: It would not come back equal.
        """
        self._session.check_process()
        self._session.table.note(self.uuid, name, value)

    # -- its end

    def register_completion_hook(self, name: str, func: Hook) -> None:
        """Have a function called by ``complete``; one of the same name is replaced.

        Args:
            name: For messages.
            func: Takes nothing.
        """
        self._completion_hooks[name] = func

    def register_stop_hook(self, name: str, func: Hook) -> None:
        """Have a function called by ``stop``; one of the same name is replaced.

        Args:
            name: For messages.
            func: Takes nothing.
        """
        self._stop_hooks[name] = func

    def complete(self) -> None:
        """End the task well: hooks, final summary (with a client), statistics, to ``completed/``.

        A hook or a final summary that fails is logged, noted in the row's error message, and changes nothing else.

        Raises:
            TaskStateError: The task has ended already, or ``complete`` or ``stop`` is at work, perhaps the caller's.
            DestinationExistsError: Another folder is where it would go; it is still running then.
            TaskStoreError: Its folder cannot be moved; it is still running then.
        """
        with self._session.ending():
            failures = self._run(self._completion_hooks)
            if self._client is not None:
                try:
                    self.compressor().create_final_summary()
                except Exception as error:  # noqa: BLE001 - whatever a client raises, the task is complete
                    failures.append(f"final summary: {said(error)}")
            self._finish("completed", failures)

    def stop(self) -> None:
        """Pause the task: hooks, statistics, to ``paused/``. It goes on when opened with ``is_resumed``.

        Raises:
            TaskStateError: The task has ended already.
            DestinationExistsError: Another folder is where it would go; it is still running then.
            TaskStoreError: Its folder cannot be moved; it is still running then.
        """
        with self._session.ending():
            self._finish("paused", self._run(self._stop_hooks))

    def fail(self, error_message: str) -> None:
        """End the task badly: statistics, to ``completed/`` with the status ``failed``.

        Args:
            error_message: What went wrong.

        Raises:
            TaskStateError: The task has ended already.
            DestinationExistsError: Another folder is where it would go; it is still running then.
            TaskStoreError: Its folder cannot be moved; it is still running then.
        """
        self._session.check()
        _check_message(error_message, needed=True)
        _log.error("Task %s failed: %s", self.uuid, printable_text(error_message))
        self._end("failed", error_message)

    def _run(self, hooks: Mapping[str, Hook]) -> list[str]:
        failures = []
        for name, hook in list(hooks.items()):
            try:
                hook()
            except Exception as error:  # noqa: BLE001 - a hook is the caller's own; the task ends all the same
                failures.append(f"hook {name}: {said(error)}")
        return failures

    def _finish(self, status: Status, failures: list[str]) -> None:
        for failure in failures:
            _log.warning("Task %s: %s", self.uuid, failure)
        self._end(status, "; ".join(failures) or None)

    def _end(self, status: Status, error_message: str | None) -> None:
        with self.lock:
            self.update_statistics(
                self.message_store.count_messages(), self.summary_store.count_summaries(),
                self.tool_store.count_tool_calls(), self.message_store.get_current_token_count(),
                self.message_store.count_current(),
            )  # fmt: skip
            self._session.end(status, error_message)

    def write_final_summary(self, text: str) -> None:
        """Keep a text as ``final_summary.txt``.

        Args:
            text: The summary.

        Raises:
            UsageError: It is no text.
            OSError: It cannot be written.
        """
        if not isinstance(text, str):
            raise UsageError(f"A final summary is a text, not {type(text).__name__}.")
        with self.lock:
            self._session.check()
            self._session.disk.replace(self.context_dir / FINAL_SUMMARY, text.encode("utf-8", "backslashreplace"))

    # -- beside it

    def fork(self, uuid: str = "") -> TaskContextManager:
        """A new running task that begins with a copy of all that this one has stored; this one stays as it is.

        Args:
            uuid: Of the new task; made up if not given.

        Raises:
            CorruptHistoryError: A line between records cannot be read.
            TaskStateError: There is a task of that uuid.
        """
        key = replace(self.task_key, uuid=uuid or str(uuids.uuid4()), is_resumed=False)
        with self.lock:
            self._session.check()
            self._session.read_strictly()
            forked = object.__new__(type(self))
            forked._enter(
                self.base_dir, key, self._settings, self._client, self._session.disk, self._tokenizer,
                source=self.context_dir,
            )  # fmt: skip
        return forked

    def close(self) -> None:
        """Let go of the task. One that was not ended stays ``running`` and can be opened again, anywhere."""
        if not self._left:
            self._left = True
            sessions().leave(self._session)

    def __enter__(self) -> TaskContextManager:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except Exception as second:
            if error is None:
                raise
            _log.warning("Task %s could not be closed: %s", self.uuid, said(second))

    def __repr__(self) -> str:
        return f"TaskContextManager({self.uuid!r}, {self.status})"


def _check_message(error_message: object, *, needed: bool = False) -> None:
    if (needed or error_message is not None) and not isinstance(error_message, str):
        raise UsageError(f"An error message is a text, not {type(error_message).__name__}.")
