"""The short way in, and what must hold of it: nothing that was paid for is asked twice, nothing inherited is lost."""

from __future__ import annotations

import errno
import os
import signal
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from sherloc.context_storage import TaskCatalog, TaskContextManager, TaskKey, open_task, value_key
from sherloc.context_storage.testing import FailingDisk, Summariser
from sherloc.errors import (
    DestinationExistsError,
    SettingsError,
    TaskNotFoundError,
    TaskStateError,
    TaskStoreError,
    UsageError,
)
from sherloc.settings import Settings

from .test_processes import program

FAST = {"context": {"fsync": False}}


def key(user: str = "someone") -> TaskKey:
    return TaskKey.new("explore", "12", "owner/name", user)


def test_a_run_goes_on_where_it_was_left(folder: Path) -> None:
    with open_task(key(), FAST, base_dir=folder) as task:
        task.message_store.add_message("user", "hello")
        uuid = task.uuid
    with open_task(key(), FAST, base_dir=folder) as task:
        assert (task.uuid, task.message_store.count_messages()) == (uuid, 1)
        task.stop()
    with open_task(key("another"), FAST, base_dir=folder) as task:
        assert task.uuid != uuid
    with open_task(key(), FAST, base_dir=folder, resume=False) as task:
        assert task.uuid != uuid
        task.complete()
    with open_task(key(), FAST, base_dir=folder) as task:
        assert task.uuid == uuid
        task.complete()
    with open_task(key(), FAST, base_dir=folder) as task:
        assert task.uuid != uuid and task.message_store.count_messages() == 0


def test_a_run_that_somebody_is_at_work_on_is_left_alone(folder: Path) -> None:
    other = """
        import sys
        from sherloc.context_storage import TaskKey, open_task
        task = open_task(TaskKey.new("explore", "12", "owner/name", "someone"), base_dir=sys.argv[1])
        print(task.uuid, flush=True)
        sys.stdin.read()
    """
    with program(other, folder) as process:
        assert process.stdout
        theirs = process.stdout.readline().strip()
        with open_task(key(), FAST, base_dir=folder) as task:
            assert task.uuid != theirs
            task.complete()
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    with open_task(key(), FAST, base_dir=folder) as task:
        assert task.uuid == theirs


def test_what_was_asked_is_not_asked_again_after_a_kill(folder: Path) -> None:
    asking = """
        import os, signal, sys
        from sherloc.context_storage import TaskKey, open_task, value_key
        task = open_task(TaskKey.new("explore", "12", "owner/name", "someone"), base_dir=sys.argv[1])
        for snippet in range(5):
            name = value_key("issue", snippet, "prompt 1", "model")
            if name not in task.value_store:
                task.value_store.put(name, {"relevance_score": snippet})
                print(snippet, flush=True)
                if snippet == 2 or snippet == 3:
                    os.kill(os.getpid(), signal.SIGKILL)
    """
    asked = []
    for _ in range(3):
        with program(asking, folder) as process:
            asked.append(process.communicate()[0].split())
    assert asked == [["0", "1", "2"], ["3"], ["4"]]
    with open_task(key(), FAST, base_dir=folder) as task:
        assert task.value_store.get(value_key("issue", 3, "prompt 1", "model")) == {"relevance_score": 3}


def test_what_is_inherited_is_told_even_after_a_kill_in_between(folder: Path) -> None:
    with TaskContextManager(folder, key(), FAST, Summariser("found it")) as task:
        task.message_store.add_message("user", "hello")
        task.complete()
    new = key()
    with TaskContextManager(folder, new, FAST) as task:
        task.message_store.add_message("system", "prompt")
    with TaskContextManager(folder, new, FAST) as task:
        assert task.has_inheritance_context()
        assert task.create_initial_context("prompt") == 2
        assert "found it" in task.message_store.current_messages()[1].content
    with TaskContextManager(folder, new, FAST) as task:
        assert not task.has_inheritance_context() and task.get_inheritance_notice() is None
        assert task.create_initial_context("prompt") == 2


def test_a_status_that_is_set_takes_the_folder_along(folder: Path) -> None:
    with TaskContextManager(folder, key(), FAST) as task:
        task.update_status("running", "a note")
        with pytest.raises(UsageError, match="running, completed, failed, paused"):
            task.update_status("archived")  # type: ignore[arg-type]
        task.update_status("paused")
        assert task.context_dir == folder / "paused" / task.uuid and task.context_dir.is_dir()
        with pytest.raises(TaskStateError):
            task.update_status("completed")


def test_a_move_that_fails_leaves_a_running_task(folder: Path) -> None:
    armed = [False]
    disk = FailingDisk(
        errno.EBUSY, lambda operation, path: armed[0] and operation == "rename" and "completed" in str(path)
    )
    with TaskContextManager(folder, key(), FAST, disk=disk) as task:
        task.message_store.add_message("user", "hello")
        armed[0] = True
        with pytest.raises(TaskStoreError, match="busy"):
            task.complete()
        assert task.status == "running"
        task.message_store.add_message("user", "still here")
        armed[0] = False
        task.complete()
        assert task.status == "completed"


def test_a_summary_that_cannot_be_shown_is_shown_later(folder: Path) -> None:
    armed = [False]
    disk = FailingDisk(errno.ENOSPC, lambda operation, path: armed[0] and path.name == ".current.jsonl.tmp")
    config = {"context": {"compression": {"keep_recent": 1, "min_to_compress": 1}}}
    with TaskContextManager(folder, key(), config, Summariser("short"), disk=disk) as task:
        for _ in range(6):
            task.message_store.add_message("user", "The parser reads the header and the body. " * 30)
        armed[0] = True
        with pytest.raises(OSError, match="space"):
            task.compressor().compress()
        armed[0] = False
        task.message_store.add_message("user", "next")
        assert [m.role for m in task.message_store.current_messages()] == ["user", "system", "user", "user"]
        assert task.message_store.count_messages() == 7


def test_a_destination_that_appears_during_recovery_is_not_overwritten(folder: Path) -> None:
    task_key = key()
    with TaskContextManager(folder, task_key, FAST) as task:
        task.message_store.add_message("user", "hello")
    with sqlite3.connect(folder / "tasks.db") as database:
        database.execute(
            "INSERT INTO moves VALUES (?, 'running', 'completed', 'completed', NULL, 'then')", (task_key.uuid,)
        )
    database.close()
    (folder / "completed" / task_key.uuid).mkdir()
    with TaskCatalog(folder, FAST) as catalog:
        assert [problem.code for problem in catalog.problems] == ["move_not_completed"]
    with pytest.raises(DestinationExistsError):
        TaskContextManager(folder, task_key, FAST)
    (folder / "completed" / task_key.uuid).rmdir()
    with TaskCatalog(folder, FAST) as catalog:
        assert (catalog.problems, catalog.get(task_key.uuid).state) == ([], "completed")


def test_a_folder_that_is_lost_in_a_move_is_told(folder: Path) -> None:
    task_key = key()
    with TaskContextManager(folder, task_key, FAST):
        pass
    with sqlite3.connect(folder / "tasks.db") as database:
        database.execute(
            "INSERT INTO moves VALUES (?, 'running', 'completed', 'completed', NULL, 'then')", (task_key.uuid,)
        )
    database.close()
    (folder / "running" / task_key.uuid).rename(folder / "gone")
    with TaskCatalog(folder, FAST) as catalog:
        row = catalog.get(task_key.uuid).row
        assert row.status == "failed" and "neither in running nor in completed" in (row.error_message or "")


def test_a_task_that_is_half_archived_is_gone(folder: Path) -> None:
    task_key = TaskKey("a", "explore", "12", "owner/name", "someone", is_resumed=True)
    for target, error in (("archive", TaskNotFoundError), ("archive-keep-row", TaskStateError)):
        with TaskContextManager(folder, replace(task_key, is_resumed=False), FAST) as task:
            task.complete()
        with sqlite3.connect(folder / "tasks.db") as database:
            database.execute("INSERT INTO moves VALUES ('a', 'completed', ?, 'completed', NULL, 'then')", (target,))
        database.close()
        with pytest.raises(error):
            TaskContextManager(folder, task_key, FAST)
        assert not (folder / "completed" / "a").exists()


def test_a_row_of_another_hand_is_listed(folder: Path) -> None:
    TaskCatalog(folder, FAST).close()
    with sqlite3.connect(folder / "tasks.db") as database:
        database.execute(
            "INSERT INTO tasks (uuid, status, task_type, created_at, metadata) VALUES ('x', 'completed', 't', 'c', '[')"
        )
    database.close()
    with TaskCatalog(folder, FAST) as catalog:
        assert [(task.row.uuid, task.row.user, task.row.metadata, task.has_folder) for task in catalog.tasks()] == [
            ("x", "", {}, False)
        ]
        assert catalog.archive(older_than_days=0) == []


def test_configurations(folder: Path) -> None:
    for config in (None, {}, {"other": {"a": 1}}, Settings(), Settings().context, {"context": None}):
        with TaskContextManager(folder, key(), config):
            pass
    with pytest.raises(SettingsError, match="must be a Settings or a mapping"):
        TaskContextManager(folder, key(), 7)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match=r"context\.nonsense"):
        TaskContextManager(folder, key(), {"context": {"nonsense": 1}})
