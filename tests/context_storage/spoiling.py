"""A task with a record in each file, copies of it to spoil, and whatever somebody may then do with it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sherloc.context_storage import TaskCatalog, TaskContextManager, TaskKey, open_task
from sherloc.context_storage.testing import Summariser
from sherloc.errors import TaskError
from sherloc.protocols import ToolCall

from .places import KEY, MEMORY, RESUMED

ROOT = Path(__file__).parents[2]
FAST = {"context": {"fsync": False, "compression": {"keep_recent": 1, "min_to_compress": 1}}}
FILES = ("messages.jsonl", "summaries.jsonl", "tools.jsonl", "planning.jsonl", "values.jsonl", "current.jsonl")


def fill(task: TaskContextManager) -> None:
    """One record in each file, and a few messages."""
    store = task.message_store
    store.add_message("system", "prompt")
    store.add_message("user", "the issue")
    store.add_message("assistant", "", tool_calls=[ToolCall("c", "look", "{}")], reasoning="hm")
    store.add_message("tool", "42", "look", tool_call_id="c")
    store.add_message("user", "thanks")
    store.take_summary(lambda: task.summary_store.add_summary("short", 2, 1, from_seq=3, to_seq=4))
    task.tool_store.add_tool_call("look", {"at": 1}, [2], "no")
    task.planning_store.add_plan("initial", {"first": "this"})
    task.value_store.put("key", {"score": 4})


@contextmanager
def copied(base: Path) -> Iterator[Path]:
    """A copy to spoil."""
    folder = Path(tempfile.mkdtemp(prefix="sherloc-", dir=MEMORY if os.access(MEMORY, os.W_OK) else None))
    try:
        yield Path(shutil.copytree(base, folder / "contexts"))
    finally:
        shutil.rmtree(folder)


def use(task: TaskContextManager) -> None:
    """Read everything, in every way."""
    for each in task.message_store.current_messages():
        assert isinstance(each.content, str)
    for key in list(task.value_store.keys()):
        task.value_store.get(key)
    task.summary_store.get_latest_summary()
    list(task.message_store.records())
    task.message_store.add_message("user", "next")
    task.tool_store.add_tool_call("look", {})
    task.planning_store.add_plan("revision", None)
    task.summary_store.add_summary("s", 0, 0)
    task.value_store.put("other", None)
    task.compressor().compress()


def go_through(base: Path) -> None:
    """Whatever somebody may do with the task; only what the errors' page lists may come."""
    client = Summariser("s")
    for key, salvage in ((KEY, False), (RESUMED, False), (RESUMED, True)):
        try:
            with TaskContextManager(base, key, FAST, client, salvage=salvage) as task:
                use(task)
                task.fork().close()
        except TaskError:
            continue
    with TaskCatalog(base, FAST) as catalog:
        for state in catalog.tasks():
            catalog.why(state.row.uuid)
            for name in FILES:
                list(state.records(name))
    with TaskContextManager(base, RESUMED, FAST, client, salvage=True) as task:
        use(task)
        task.complete()
    with open_task(
        TaskKey("b", "explore", "12", "owner/name", "someone"), FAST, client, base_dir=base, resume=False
    ) as task:
        task.create_initial_context("prompt")
        assert task.has_inheritance_context()


def touched(path: Path) -> Path:
    path.touch()
    return path
