"""The short way to a task of sherloc's own: go on with the run that was interrupted, or begin a new one."""

from __future__ import annotations

from pathlib import Path

from sherloc.context_storage.catalog import TaskCatalog
from sherloc.context_storage.config import Config
from sherloc.context_storage.summarising import Client
from sherloc.context_storage.task_context_manager import TaskContextManager
from sherloc.context_storage.task_key import TaskKey, check_task_key
from sherloc.errors import TaskBusyError, TaskStateError


def open_task(
    key: TaskKey,
    config: Config = None,
    llm_client: Client | None = None,
    *,
    base_dir: Path | str | None = None,
    resume: bool = True,
) -> TaskContextManager:
    """Open a task: the newest run of it that can go on, else a new one.

    Args:
        key: From ``TaskKey.new``; its uuid is that of the new run, if one is made.
        config: Settings, or a mapping with a section ``context``.
        llm_client: Writes summaries.
        base_dir: Of the tasks; None: sherloc's own, see ``contexts_folder``.
        resume: Whether to go on with a paused or interrupted run with the same type, identifier, repository and user.

    Raises:
        TaskError: The task cannot be opened.
    """
    check_task_key(key)
    with TaskCatalog(base_dir, config) as catalog:
        found = catalog.find_unfinished(key) if resume else None
        if found is not None:
            try:
                return catalog.resume(found.row.uuid, llm_client=llm_client)
            except (TaskBusyError, TaskStateError):
                pass  # Somebody was faster: this run is a new one.
        return TaskContextManager(catalog.base_dir, key, config, llm_client)
