"""What a task learns from earlier runs of the same task."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sherloc.context_storage.config import Config, read_config
from sherloc.context_storage.databases import open_table
from sherloc.context_storage.disk import Disk
from sherloc.context_storage.folders import HOME_OF, check_base_dir, read_final_summary, read_metadata
from sherloc.context_storage.jsonl import Record, read_records
from sherloc.context_storage.plain import is_real_folder
from sherloc.context_storage.planning_history_store import PlanningHistoryStore
from sherloc.context_storage.summary_store import SummaryStore
from sherloc.context_storage.task_key import Status, TaskKey, check_task_key, check_uuid
from sherloc.context_storage.task_rows import TaskRow
from sherloc.context_storage.task_table import TaskTable
from sherloc.context_storage.view import INHERITED
from sherloc.context_storage.wording import cut_note, inherited_message
from sherloc.errors import TaskStoreError
from sherloc.logs import logger
from sherloc.protocols import Tokenizer
from sherloc.tokens import get_tokenizer

if TYPE_CHECKING:
    from sherloc.context_storage.task_context_manager import TaskContextManager

_log = logger(__name__)
_ZERO_WIDTH_JOINER = "\u200d"
_UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class PreviousContext:
    """An earlier run of a task.

    Attributes:
        uuid: Of that run.
        status: ``completed`` or ``failed``.
        completed_at: When, in UTC; None if that was not noted.
        metadata: From its ``metadata.json``.
        final_summary: Its final summary, else the newest one of its conversation; None if there is neither.
        planning_history: Records of its plans, oldest first.
    """

    uuid: str
    status: Status
    completed_at: datetime | None
    metadata: Mapping[str, Any]
    final_summary: str | None = None
    planning_history: list[Record] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class InheritanceContext:
    """What can be inherited from an earlier run.

    Attributes:
        uuid: Of that run.
        final_summary: As in ``PreviousContext``; empty if there is none.
        planning_history: Records of its plans, oldest first.
        metadata: From its ``metadata.json``.
    """

    uuid: str
    final_summary: str
    planning_history: list[Record]
    metadata: Mapping[str, Any]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to tell."""
        return not self.final_summary and not self.planning_history


class ContextInheritanceManager:
    """Finds earlier runs and tells a new one about them.

    Args:
        base_dir: Of the tasks.
        config: Settings, or a mapping with a section ``context``.
        table: The tables of tasks, if they are open already.
        tokenizer: Counts tokens; sherloc's estimator unless given.
    """

    def __init__(
        self,
        base_dir: Path | str,
        config: Config = None,
        *,
        table: TaskTable | None = None,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        settings = read_config(config)
        self._base_dir = check_base_dir(base_dir)
        self._limit = settings.inheritance.max_summary_tokens
        self._table = table or open_table(self._base_dir, settings, Disk(fsync=settings.fsync))
        self._is_own = table is None
        self._tokenizer: Tokenizer = tokenizer or get_tokenizer()

    def close(self) -> None:
        """Let go of the database, if it was opened here."""
        if self._is_own:
            self._table.close()

    def find_previous_contexts(self, task_key: TaskKey) -> list[PreviousContext]:
        """Completed and failed runs with the same type, identifier, repository and user; newest first.

        Args:
            task_key: Its uuid is left out of what is found.

        Raises:
            UsageError: It is no key.
        """
        check_task_key(task_key)
        return [self._previous(row) for row in self._table.finished_like(task_key)]

    def get_inheritance_context(self, previous_uuid: str) -> InheritanceContext | None:
        """What a run left; None if there is no such run.

        Raises:
            UsageError: The uuid cannot be one.
        """
        row = self._table.get(check_uuid(previous_uuid))
        if row is None:
            return None
        found = self._previous(row)
        return InheritanceContext(found.uuid, found.final_summary or "", found.planning_history, found.metadata)

    def _previous(self, row: TaskRow) -> PreviousContext:
        folder = self._base_dir / HOME_OF[row.status] / check_uuid(row.uuid)
        ended = _time(row.completed_at)
        try:
            if is_real_folder(folder):
                plans = list(read_records(folder / PlanningHistoryStore.file_name))
                return PreviousContext(row.uuid, row.status, ended, read_metadata(folder), _summary(folder), plans)
            _log.warning("The folder of task %s is gone: nothing of it can be inherited.", row.uuid)
        except TaskStoreError as error:
            _log.warning("Nothing of task %s can be inherited: %s", row.uuid, error.message)
        return PreviousContext(row.uuid, row.status, ended, {})

    def create_initial_context(self, task_ctx: TaskContextManager, inheritance_ctx: InheritanceContext) -> int:
        """Tell a task what an earlier run left: its summary, its plans, and that it is to go on from there.

        What that run left stands as material between marks: it may quote whoever wrote the issue.

        Args:
            task_ctx: The new task.
            inheritance_ctx: What is told.

        Returns:
            Sequence number of the message, whose role is ``user`` and whose ``kind`` is ``inherited``.
        """
        row = self._table.get(inheritance_ctx.uuid)
        text = inherited_message(
            self._material(inheritance_ctx), status=row.status if row else _UNKNOWN,
            completed_at=_ended(row),
        )  # fmt: skip
        return task_ctx.message_store.add_message("user", text, kind=INHERITED)

    def _material(self, context: InheritanceContext) -> str:
        parts = []
        if context.final_summary:
            parts.append(f"Final summary:\n{self.truncate(context.final_summary)}")
        if context.planning_history:
            plans = "\n".join(map(_plan, context.planning_history))
            parts.append(f"Plans, oldest first:\n{self.truncate(plans)}")
        return "\n\n".join(parts) or "(nothing)"

    def truncate(self, text: str) -> str:
        """The text, or its begin with a note of how much is missing: together at most ``max_summary_tokens``."""
        tokens = self._tokenizer.count(text)
        if tokens <= self._limit:
            return text
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            if self._tokenizer.count(text[:middle] + cut_note(tokens)) <= self._limit:
                low = middle
            else:
                high = middle - 1
        kept = text[: _character_boundary(text, low)].rstrip()
        return kept + cut_note(tokens - self._tokenizer.count(kept))

    def generate_notification_comment(self, ctx: InheritanceContext | PreviousContext) -> str:
        """A sentence for the ticket: which earlier run this one goes on from.

        Args:
            ctx: The earlier run.
        """
        row = self._table.get(ctx.uuid)
        return f"This run goes on from an earlier one: {ctx.uuid} ({row.status if row else _UNKNOWN}, {_ended(row)})."


def _ended(row: TaskRow | None) -> str:
    """When a task ended, for a sentence: a time and nothing else, whatever the row says."""
    time = _time(row.completed_at) if row else None
    return time.isoformat() if time else _UNKNOWN


def _time(text: str | None) -> datetime | None:
    """A stored time, in UTC; one without a zone is taken for UTC."""
    try:
        time = datetime.fromisoformat(text or "")
        return time.astimezone(timezone.utc) if time.tzinfo else time.replace(tzinfo=timezone.utc)
    except (ValueError, OverflowError):
        return None


def _summary(folder: Path) -> str | None:
    text = (read_final_summary(folder) or "").strip()
    if text:
        return text
    summaries = [each["summary"] for each in read_records(folder / SummaryStore.file_name) if each.get("summary")]
    return str(summaries[-1]) if summaries else None


def _plan(plan: Record) -> str:
    content = plan.get("plan_content")
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return f"- {plan.get('created_at')} {plan.get('plan_type')}: {text}"


def _character_boundary(text: str, at: int) -> int:
    """The nearest place before ``at`` that does not part what a reader sees as one character."""
    while 0 < at < len(text) and (
        unicodedata.combining(text[at])
        or _ZERO_WIDTH_JOINER in (text[at], text[at - 1])
        or "\ufe00" <= text[at] <= "\ufe0f"
    ):
        at -= 1
    return at
