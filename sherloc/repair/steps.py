"""A repair as a task: each step's outcome is kept, so that a run that was interrupted pays for nothing twice."""

from __future__ import annotations

import contextlib
import getpass
import hashlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from pydantic import BaseModel

from sherloc.context_storage import TaskContextManager, TaskKey, open_task, value_key
from sherloc.errors import SherlocError, TaskStoreError
from sherloc.llm.secrets import redact
from sherloc.protocols import Ticket
from sherloc.schema.fix import FixReport
from sherloc.settings import Settings

Value = TypeVar("Value", bound=BaseModel)


class Steps:
    """The steps of one repair and what they came to.

    Args:
        task: Open.
    """

    def __init__(self, task: TaskContextManager) -> None:
        self.task = task
        self.is_new = len(task.value_store) == 0

    @property
    def uuid(self) -> str:
        """Of the task."""
        return self.task.uuid

    def once(self, make: Callable[[], Any], *key: Any) -> Any:
        """The outcome of a step: from before, or made now and kept.

        Args:
            make: Does the step; its outcome is JSON.
            *key: All that the outcome depends on, beginning with the step's name.
        """
        name = value_key(*key)
        if name not in self.task.value_store:
            self.task.value_store.put(name, make())
            self.task.planning_store.add_plan(str(key[0]), {"done": True})
        return self.task.value_store.get(name)

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
def open_steps(ticket: Ticket, base: str, repository: str, settings: Settings) -> Iterator[Steps]:
    """The steps of the repair of a ticket: those of the run that was interrupted, else new ones.

    The task is completed by ``Steps.task.complete``; an error pauses it, a kill leaves it as it is. Both can go on.

    Args:
        ticket: Its text as it is now.
        base: The commit that the repair starts from.
        repository: What identifies it.
        settings: Where tasks are kept.

    Raises:
        TaskError: The task cannot be opened.
    """
    about = hashlib.sha256("\0".join((ticket.reference, ticket.revision, base)).encode("utf-8", "replace"))
    key = TaskKey.new("fix", about.hexdigest()[:32], repository, _user())
    try:
        task = open_task(key, settings)
    except OSError as error:
        raise TaskStoreError(f"The folder of tasks cannot be used: {error}.") from error
    try:
        yield Steps(task)
    except (KeyboardInterrupt, SherlocError):
        task.stop()
        raise
    finally:
        task.close()


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, ImportError, OSError):
        return ""
