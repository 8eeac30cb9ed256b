"""Rows and folders of another hand: what no sherloc wrote is told and never acted upon, and stops nobody."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sherloc.context_storage import TaskCatalog, TaskContextManager, TaskKey, open_task
from sherloc.context_storage.disk import Disk
from sherloc.context_storage.folders import Folders
from sherloc.context_storage.task_rows import Lease
from sherloc.context_storage.task_table import TaskTable
from sherloc.context_storage.testing import FailingDisk
from sherloc.errors import (
    DestinationExistsError,
    TaskError,
    TaskStoreError,
    UsageError,
)

from .places import FAST, HOMES, KEY, RESUMED, execute, where

SOUND = {
    "running": [("running", "paused", "paused"), ("running", "completed", "completed"),
                ("running", "completed", "failed"), ("", "running", "running")],
    "paused": [("paused", "running", "running")],
    "completed": [("completed", "archive", "completed"), ("completed", "archive", "failed"),
                  ("completed", "archive-keep-row", "completed"), ("completed", "archive-keep-row", "failed")],
}  # fmt: skip


@pytest.mark.parametrize("status", SOUND)
def test_only_moves_that_sherloc_makes_are_carried_out(folder: Path, status: str) -> None:
    targets, statuses = (*HOMES, "archive", "archive-keep-row"), ("running", "paused", "completed", "failed")
    moves = [(a, b, c) for a in ("", *HOMES) for b in targets for c in statuses]
    with TaskContextManager(folder, KEY, FAST) as task:
        task.message_store.add_message("user", "precious")
        if status != "running":
            task.update_status(status)  # type: ignore[arg-type]
    content = (folder / status / "a/messages.jsonl").read_bytes()
    for source, target, new in moves:
        if (source, target, new) in SOUND[status]:
            continue
        execute(folder, "DELETE FROM moves", f"INSERT INTO moves VALUES ('a','{source}','{target}','{new}',NULL,'y')")
        with TaskCatalog(folder, FAST) as catalog:
            assert [problem.code for problem in catalog.problems] == ["move_not_completed"], (source, target, new)
            assert catalog.get("a").row.status == status
        assert (folder / status / "a/messages.jsonl").read_bytes() == content and where(folder) == [status]


def test_homes_that_are_one_folder_lose_nothing(folder: Path) -> None:
    (folder / "running/a").mkdir(parents=True)
    (folder / "completed").symlink_to(folder / "running")
    with pytest.raises(DestinationExistsError):
        Folders(folder, Disk(fsync=False)).move("a", "running", "completed")
    assert (folder / "running/a").is_dir()


def nested(depth: int) -> str:
    return f'{{"uuid": "b", "task_type": "t", "x": {"[" * depth}{"]" * depth}}}'


@pytest.mark.parametrize("text", [nested(250), '{"uuid": "b", "task_type": "%s"}' % ("x" * 3000)], ids=["deep", "long"])
def test_a_folder_that_cannot_be_listed_stops_nobody(folder: Path, text: str) -> None:
    (folder / "completed/b").mkdir(parents=True)
    (folder / "completed/b/metadata.json").write_text(text)
    with TaskContextManager(folder, KEY, FAST):
        pass
    with TaskCatalog(folder, FAST) as catalog:
        assert [task.row.uuid for task in catalog.tasks()] == ["a"]
        assert [problem.code for problem in catalog.problems] == ["folder_refused"]
    with open_task(KEY, FAST, base_dir=folder) as task:
        assert task.uuid == "a"
    with pytest.raises(TaskError):
        TaskContextManager(folder, replace(KEY, uuid="b"), FAST)


SPOILT = [
    "INSERT INTO leases VALUES ('a', 't', 'h', -1, 'w', 's', 0.0, 1.0)",
    "INSERT INTO leases VALUES ('a', 't', 'h', 1, 'w', 's', 'xx', 1.0)",
    "INSERT INTO leases VALUES ('a', 't', x'00', 1, 'w', 's', 0.0, 1.0)",
    "INSERT INTO leases VALUES ('a', 't', CAST(x'ff' AS TEXT), 1, 'w', 's', 0.0, 1.0)",
    "UPDATE tasks SET error_message = CAST(x'ff' AS TEXT) WHERE uuid = 'a'",
    "UPDATE tasks SET task_type = CAST(x'ff' AS TEXT) WHERE uuid = 'a'",
    "UPDATE tasks SET uuid = CAST(x'ff' AS TEXT) WHERE uuid = 'a'",
]


@pytest.mark.parametrize("statement", SPOILT)
def test_one_damaged_row_stops_nobody(folder: Path, statement: str) -> None:
    for uuid in ("a", "b"):
        with TaskContextManager(folder, replace(KEY, uuid=uuid, user=uuid), FAST):
            pass
    if "SET uuid" in statement:
        shutil.rmtree(folder / "running/a")
    execute(folder, statement)
    with TaskCatalog(folder, FAST) as catalog:
        assert "b" in [task.row.uuid for task in catalog.tasks()]
        assert [problem.code for problem in catalog.problems] == ["row_damaged"]
    for user in ("a", "b"):
        with open_task(TaskKey.new("explore", "12", "owner/name", user), FAST, base_dir=folder) as task:
            assert (task.uuid == "b") is (user == "b")


@pytest.mark.parametrize(
    ("status", "home"), [(status, home) for status in HOMES for home in HOMES if home != status]
)  # fmt: skip
def test_a_folder_that_was_moved_by_hand_is_put_back(folder: Path, status: str, home: str) -> None:
    def spoil(uuid: str) -> None:
        with TaskContextManager(folder, replace(KEY, uuid=uuid), FAST) as task:
            if status != "running":
                task.update_status(status)  # type: ignore[arg-type]
        (folder / status / uuid).rename(folder / home / uuid)

    spoil("a")
    if status != "completed":
        with TaskContextManager(folder, RESUMED, FAST) as task:
            assert (task.status, where(folder)) == ("running", ["running"])
    spoil("b")
    with TaskCatalog(folder, FAST) as catalog:
        assert catalog.problems == [] and catalog.get("b").has_folder
    assert where(folder, "b") == [status]
    (folder / home / "b").mkdir()
    with TaskCatalog(folder, FAST) as catalog:
        assert [problem.code for problem in catalog.problems] == ["folder_refused"]
    assert sorted(where(folder, "b")) == sorted([status, home])


def test_one_folder_that_cannot_be_removed_does_not_keep_the_others(folder: Path) -> None:
    disk = FailingDisk(errno.EBUSY, lambda operation, path: operation == "rename" and ".a.trash" in path.name)
    for uuid in ("a", "b", "c"):
        with TaskContextManager(folder, replace(KEY, uuid=uuid), FAST) as task:
            task.complete()
    for _ in range(2):
        with TaskCatalog(folder, FAST, disk=disk) as catalog:
            gone = catalog.archive(older_than_days=-1)
            assert "not_archived" in [problem.code for problem in catalog.problems]
    assert gone == [] and [where(folder, uuid) for uuid in "abc"] == [["completed"], [], []]
    with TaskCatalog(folder, FAST) as catalog:
        assert catalog.tasks() == [] and where(folder) == []


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
def test_a_database_that_is_a_link_is_not_followed(folder: Path, suffix: str) -> None:
    TaskCatalog(folder / "tasks", FAST).close()
    outside = folder / "outside"
    path = folder / "tasks" / f"tasks.db{suffix}"
    path.unlink(missing_ok=True)
    path.symlink_to(outside)
    for opens in (lambda: TaskCatalog(folder / "tasks", FAST), lambda: TaskContextManager(folder / "tasks", KEY, FAST)):
        with pytest.raises(TaskStoreError, match="is a symbolic link"):
            opens()
    assert not outside.exists()


def test_another_tasks_key_is_refused_while_it_is_open(folder: Path) -> None:
    with TaskContextManager(folder, KEY, FAST) as task:
        for name in ("task_type", "task_identifier", "repository", "user"):
            other: dict[str, Any] = {name: "other"}
            with pytest.raises(UsageError, match=f"is another one: its {name}"):
                TaskContextManager(folder, replace(KEY, **other), FAST)
        task.message_store.add_message("user", "hello")


@pytest.mark.parametrize("text", [None, "", "{", "[]", "{}", '{"uuid": "c"}'])
def test_a_folder_that_is_no_tasks_is_told(folder: Path, text: str | None) -> None:
    for home in HOMES:
        (folder / home / "b").mkdir(parents=True)
        if text is not None:
            (folder / home / "b/metadata.json").write_text(text)
    with TaskContextManager(folder, KEY, FAST), TaskCatalog(folder, FAST) as catalog:
        assert [task.row.uuid for task in catalog.tasks()] == ["a"]
        assert [problem.code for problem in catalog.problems] == ["folder_refused"] * 3
        for home, problem in zip(HOMES, catalog.problems, strict=True):
            assert str(folder / home / "b") in problem.message and "no task's folder" in problem.message


@pytest.mark.parametrize(
    ("end", "home", "status"),
    [("complete", "paused", "completed"), ("stop", "completed", "paused"), ("fail", "paused", "failed")],
)
def test_a_folder_that_was_moved_while_the_task_was_open_ends_where_it_should(
    folder: Path, end: str, home: str, status: str
) -> None:
    with TaskContextManager(folder, KEY, FAST) as task:
        task.message_store.add_message("user", "hello")
        (folder / "running/a").rename(folder / home / "a")
        with pytest.raises(FileNotFoundError):
            task.message_store.add_message("user", "nowhere")
        getattr(task, end)(*["x"] * (end == "fail"))
        assert (task.status, [m.content for m in task.message_store.current_messages()]) == (status, ["hello"])
    with TaskCatalog(folder, FAST) as catalog:
        assert (catalog.problems, catalog.get("a").row.status) == ([], status)
    assert where(folder) == [home_of(status)]


def home_of(status: str) -> str:
    return "completed" if status == "failed" else status


def test_a_task_that_moves_while_somebody_lists_is_no_problem(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    meanwhile: list[Callable[[], object]] = []
    real, real_acquire = TaskTable.rows, TaskTable.acquire
    taken: list[str] = []

    def rows(self: TaskTable, status: Any = None) -> Any:
        found = real(self, status)
        if meanwhile:
            meanwhile.pop()()
        return found

    def acquire(self: TaskTable, uuid: str, seconds: float) -> Lease:
        taken.append(uuid)
        return real_acquire(self, uuid, seconds)

    monkeypatch.setattr(TaskTable, "rows", rows)
    monkeypatch.setattr(TaskTable, "acquire", acquire)
    with TaskContextManager(folder, KEY, FAST) as task:
        for change in (
            lambda: TaskContextManager(folder, replace(KEY, uuid="b"), FAST).close(), task.stop,
            lambda: TaskContextManager(folder, RESUMED, FAST).complete(),
        ):  # fmt: skip
            meanwhile.append(change)
            with TaskCatalog(folder, FAST) as catalog:
                assert catalog.problems == [] and meanwhile == []
    assert taken == ["a"]  # by who resumed it
    assert "was not in the database" not in caplog.text
