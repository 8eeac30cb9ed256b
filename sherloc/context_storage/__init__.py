"""Everything a task did, kept: so that it can be stopped, resumed, summarised and inherited from. Usable alone."""

from __future__ import annotations

from sherloc.context_storage.catalog import TaskCatalog, TaskState
from sherloc.context_storage.config import contexts_folder
from sherloc.context_storage.context_compressor import ContextCompressor, Outcome
from sherloc.context_storage.context_inheritance_manager import (
    ContextInheritanceManager,
    InheritanceContext,
    PreviousContext,
)
from sherloc.context_storage.disk import Disk
from sherloc.context_storage.message_store import MessageStore
from sherloc.context_storage.opening import open_task
from sherloc.context_storage.planning_history_store import PlanningHistoryStore
from sherloc.context_storage.summary_store import SummaryStore
from sherloc.context_storage.task_context_manager import TaskContextManager
from sherloc.context_storage.task_key import TaskKey
from sherloc.context_storage.tool_store import ToolStore
from sherloc.context_storage.value_store import ValueStore, value_key

__all__ = [
    "ContextCompressor",
    "ContextInheritanceManager",
    "Disk",
    "InheritanceContext",
    "MessageStore",
    "Outcome",
    "PlanningHistoryStore",
    "PreviousContext",
    "SummaryStore",
    "TaskCatalog",
    "TaskContextManager",
    "TaskKey",
    "TaskState",
    "ToolStore",
    "ValueStore",
    "contexts_folder",
    "open_task",
    "value_key",
]
