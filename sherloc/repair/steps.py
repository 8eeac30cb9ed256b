"""A repair as a task: each step's outcome is kept, so that a run that was interrupted pays for nothing twice."""

from __future__ import annotations

import contextlib
import getpass
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from sherloc.context_storage import TaskContextManager, TaskKey, ValueStore, open_task, value_key
from sherloc.context_storage.jsonl import read_records
from sherloc.errors import SherlocError, TaskError, TaskStoreError
from sherloc.llm.secrets import redact
from sherloc.printable import printable
from sherloc.protocols import Ticket
from sherloc.schema.fix import FixReport
from sherloc.settings import Settings

Value = TypeVar("Value", bound=BaseModel)


class Steps:
    """The steps of one repair and what they came to.

    Args:
        task: Open.
        earlier: Outcomes of the last run that ended, by key.

    Attributes:
        is_new: Whether nothing was done yet.
        reused: How many outcomes came from before.
    """

    def __init__(self, task: TaskContextManager, earlier: Mapping[str, Any]) -> None:
        self.task, self._earlier = task, earlier
        self.is_new = len(task.value_store) == 0
        self.reused = 0

    @property
    def uuid(self) -> str:
        """Of the task."""
        return self.task.uuid

    @property
    def lock(self) -> Path:
        """A file whose lock keeps runs of this machine apart while they deliver."""
        return self.task.base_dir / "delivering.lock"

    def once(self, make: Callable[[], Any], *key: Any) -> Any:
        """The outcome of a step: from before, or made now and kept.

        Args:
            make: Does the step; its outcome is JSON.
            *key: All that the outcome depends on, beginning with the step's name.
        """
        name = value_key(*key)
        store = self.task.value_store
        if name in store or name in self._earlier:
            self.reused += 1
        if name not in store:
            store.put(name, self._earlier[name] if name in self._earlier else make())
            self.task.planning_store.add_plan(str(key[0]), {"done": True})
        return store.get(name)

    def once_model(self, kind: type[Value], make: Callable[[], Value], *key: Any) -> Value:
        """As ``once``, for a pydantic model."""
        return kind.model_validate(self.once(lambda: make().model_dump(mode="json"), *key))

    def complete(self, report: FixReport) -> None:
        """End the task with what it came to."""
        self.task.set_llm_client(None)
        lines = [f"{report.outcome}: {report.ticket}", report.diagnostic_summary, report.choice]
        self.task.write_final_summary(redact("\n".join(lines))[0])
        self.task.complete()


@contextlib.contextmanager
def open_steps(
    ticket: Ticket, base: str, repository: str, settings: Settings, *, again: bool = False
) -> Iterator[Steps]:
    """The steps of the repair of a ticket: those of the run that was interrupted, or of the last one that ended.

    The task is completed by ``Steps.task.complete``; an error pauses it, a kill leaves it as it is. Both can go on.

    Args:
        ticket: Its text as it is now.
        base: The commit that the repair starts from.
        repository: What identifies it.
        settings: Where tasks are kept.
        again: Begin anew, whatever earlier runs did.

    Raises:
        TaskError: The task cannot be opened.
    """
    about = f"{ticket.reference[:200]} {ticket.revision[:16]} at {base[:16]}"
    key = TaskKey.new("fix", printable(about), printable(repository), _user())
    try:
        task = open_task(key, settings, resume=not again)
    except OSError as error:
        raise TaskStoreError(f"The folder of tasks cannot be used: {error}.") from error
    try:
        yield Steps(task, {} if again else _earlier(task))
    except (KeyboardInterrupt, SherlocError):
        task.stop()
        raise
    finally:
        task.close()


def _earlier(task: TaskContextManager) -> dict[str, Any]:
    """What the newest completed run of the same task kept; nothing of one that cannot be read."""
    for previous in task.inheritance_manager.find_previous_contexts(task.task_key):
        if previous.status == "completed":
            path = task.base_dir / "completed" / previous.uuid / ValueStore.file_name
            try:
                return {record["key"]: record["value"] for record in read_records(path)}
            except (OSError, KeyError, TaskError):
                return {}
    return {}


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, ImportError, OSError):
        return ""
