"""What fails half-way, and files whose numbers or marks do not fit."""

from __future__ import annotations

import errno
import logging
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sherloc.context_storage import MessageStore, TaskCatalog, TaskContextManager, open_task
from sherloc.context_storage.summary_store import SummaryStore
from sherloc.context_storage.testing import FailingDisk, Summariser
from sherloc.errors import (
    CorruptHistoryError,
    TaskStateError,
    TaskStoreError,
    UsageError,
)

from .places import FAST, HOMES, KEY, LONG, RESUMED, where


@pytest.mark.parametrize("name", ["messages.jsonl", "current.jsonl", "tools.jsonl", "Messages.jsonl", "mine.jsonl"])
def test_a_file_of_a_store_is_never_removed(folder: Path, name: str) -> None:
    with TaskContextManager(folder / "tasks", KEY, FAST) as task:
        task.message_store.add_message("user", "hello")
        given = task.context_dir / name
        if not given.exists():
            shutil.copy(task.message_store.current_file, given)
        assert task.message_store.recreate_current_context("short", given) == 2
        assert given.exists() is (name != "mine.jsonl")
        assert [m.content for m in task.message_store.current_messages()] == ["short", "hello"]
        assert task.message_store.count_messages() == 1


def test_a_relative_folder_stays_where_it_was(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        (folder / name).mkdir()
    monkeypatch.chdir(folder / "one")
    Path("alone").mkdir()
    store = MessageStore("alone", FAST)
    with TaskContextManager("tasks", KEY, FAST) as task, TaskCatalog(Path("tasks"), FAST) as catalog:
        monkeypatch.chdir(folder / "two")
        task.message_store.add_message("user", "hello")
        assert store.add_message("user", "hello") == 1
        task.complete()
        assert catalog.get("a").has_folder and catalog.base_dir == folder / "one/tasks"
    assert list((folder / "two").iterdir()) == [] and where(folder / "one/tasks") == ["completed"]


@pytest.mark.parametrize("base", ["", "a\0b"])
def test_an_empty_path_names_no_folder(base: str) -> None:
    for opens in (lambda: TaskContextManager(base, KEY, FAST), lambda: TaskCatalog(base, FAST),
                  lambda: open_task(KEY, FAST, base_dir=base), lambda: MessageStore(base),
                  lambda: SummaryStore(base)):  # fmt: skip
        with pytest.raises(UsageError, match="is the path of a"):
            opens()


def test_marks_that_cannot_be_written_fail_nothing(folder: Path) -> None:
    disk = FailingDisk(errno.ENOSPC, lambda operation, path: path.name.startswith(".marks") and operation == "write")
    client, config = Summariser("short"), {"context": {"fsync": False, "compression": {"keep_recent": 1}}}
    with TaskContextManager(folder, KEY, config, client, disk=disk) as task:
        assert [task.message_store.add_message("user", LONG[:40]) for _ in range(1003)] == list(range(1, 1004))
        assert task.compressor().compress() > 0
        assert task.message_store.add_message("user", "on") == 1004
        task.stop()
    with TaskContextManager(folder, RESUMED, FAST) as task:
        assert task.message_store.count_messages() == 1004


def test_a_lease_that_cannot_be_given_back_does_not_lock_out_its_own_process(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("sherloc.context_storage.databases._BUSY_SECONDS", 0.05)

    with TaskContextManager(folder, KEY, FAST) as task:
        task.message_store.add_message("user", "hello")
    task = TaskContextManager(folder, KEY, FAST)
    with closing(sqlite3.connect(folder / "tasks.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(TaskStoreError, match="held by another process"):
            task.close()
    task = TaskContextManager(folder, KEY, FAST)
    with (
        caplog.at_level(logging.WARNING),
        closing(sqlite3.connect(folder / "tasks.db", isolation_level=None)) as other,
        pytest.raises(KeyError, match="mine"),
        task,
    ):
        other.execute("BEGIN IMMEDIATE")
        raise KeyError("mine")
    assert "could not be closed" in caplog.text
    with TaskContextManager(folder, KEY, FAST) as task:
        assert task.message_store.count_messages() == 1


@pytest.mark.parametrize("name", [".marks.json", "messages.jsonl"])
def test_an_odd_file_at_the_end_is_no_reason_to_keep_the_lease(folder: Path, name: str) -> None:
    task = TaskContextManager(folder, KEY, FAST)
    task.message_store.add_message("user", "hello")
    path = task.context_dir / name
    path.unlink(missing_ok=True)
    path.symlink_to(folder / "nothing")
    task.close()
    path.unlink()
    with TaskContextManager(folder, KEY, FAST) as task:
        assert task.status == "running"


def test_a_commit_that_fails_after_the_rename_leaves_a_running_task(folder: Path) -> None:
    armed = [0]

    def when(operation: str, path: Path) -> bool:
        if operation == "rename" and path.parent.name in HOMES and armed[0]:
            armed[0] = 2
        return operation == "commit" and armed[0] == 2

    with TaskContextManager(folder, KEY, FAST, disk=FailingDisk(errno.EIO, when)) as task:
        for end in (task.complete, task.stop, lambda: task.fail("x")):
            armed[0] = 1
            with pytest.raises(TaskStoreError):
                end()
            armed[0] = 0
            assert (task.status, where(folder)) == ("running", ["running"])
            task.message_store.add_message("user", "still here")
        task.complete()
    with TaskCatalog(folder, FAST) as catalog:
        assert (catalog.problems, catalog.get("a").row.status, where(folder)) == ([], "completed", ["completed"])


def test_a_move_that_cannot_be_taken_back_is_completed_later(folder: Path) -> None:
    armed = [False]

    def when(operation: str, path: Path) -> bool:
        moved = (folder / "completed/a").is_dir()
        return (
            armed[0] and moved and (operation == "commit" or (operation == "rename" and path.parent.name == "running"))
        )

    with TaskContextManager(folder, KEY, FAST, disk=FailingDisk(errno.EIO, when)) as task:
        armed[0] = True
        with pytest.raises(TaskStoreError):
            task.complete()
        with pytest.raises(TaskStateError, match="closed"):
            task.message_store.add_message("user", "x")
        armed[0] = False
    with TaskCatalog(folder, FAST) as catalog:
        assert (catalog.problems, catalog.get("a").row.status, where(folder)) == ([], "completed", ["completed"])


def test_records_out_of_order_are_refused_and_put_back(folder: Path) -> None:
    with TaskContextManager(folder, KEY, FAST) as task:
        for number in range(1, 31):
            task.message_store.add_message("user", f"{number} {LONG}")
        path = task.context_dir / "messages.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:19], lines[29], *lines[19:29], lines[4]]))
    (path.parent / ".marks.json").unlink()
    with TaskContextManager(folder, KEY, FAST, Summariser("short")) as task:
        with pytest.raises(CorruptHistoryError, match="seq is 20, not above the 30 before it"):
            task.compressor().compress()
        assert len(task.message_store.current_messages()) == 31
    with pytest.raises(CorruptHistoryError):
        TaskContextManager(folder, RESUMED, FAST)
    with TaskContextManager(folder, RESUMED, FAST, Summariser("short"), salvage=True) as task:
        assert [record["seq"] for record in task.message_store.records(strict=True)] == list(range(1, 31))
        assert path.with_name("messages.jsonl.torn").read_bytes() == lines[4]
        assert task.compressor().compress() > 0
        assert [m.content.split()[0] for m in task.message_store.current_messages()][2:] == [
            str(n) for n in range(21, 31)
        ]


def test_marks_that_do_not_fit_the_last_record_are_not_believed(folder: Path) -> None:
    with TaskContextManager(folder, KEY, FAST) as task:
        for _ in range(5):
            task.message_store.add_message("user", "x")
            task.tool_store.add_tool_call("look", {})
        marks = task.context_dir / ".marks.json"
    marks.write_text(marks.read_text().replace('"last": 5', '"last": 3'))
    with TaskContextManager(folder, KEY, FAST) as task:
        assert task.message_store.add_message("user", "x") == 6
        assert task.tool_store.add_tool_call("look", {}) == 6


@pytest.mark.parametrize("left", [0, 1, 4])
def test_messages_that_are_lost_hide_none_that_come(folder: Path, left: int) -> None:
    config = {"context": {"fsync": False, "compression": {"keep_recent": 2}}}
    with TaskContextManager(folder, KEY, config, Summariser("short")) as task:
        for _ in range(12):
            task.message_store.add_message("user", LONG)
        assert task.compressor().compress() > 0
        path = task.context_dir / "messages.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:left]))
    if not left:
        path.unlink()
    for number in range(3):
        with TaskContextManager(folder, RESUMED, config, Summariser("short")) as task:
            if not number:
                assert "history_lost" in [problem.code for problem in task.problems]
            assert task.message_store.add_message("assistant", f"new {number}") == 11 + number
            shown = [m.content for m in task.message_store.current_messages()]
            assert shown[-1 - number :] == [f"new {n}" for n in range(number + 1)]
    with TaskContextManager(folder, RESUMED, config, Summariser("short")) as task, task.fork() as forked:
        assert forked.message_store.last_seq == 13 and forked.message_store.count_messages() == left + 3


@pytest.mark.parametrize("end", ["complete", "stop", "fail"])
def test_what_ended_can_still_be_read(folder: Path, end: str) -> None:
    with TaskContextManager(folder, KEY, FAST) as task, TaskContextManager(folder, KEY, FAST) as shared:
        task.message_store.add_message("user", "hello")
        task.value_store.put("k", [1])
        task.tool_store.add_tool_call("look", {})
        task.planning_store.add_plan("initial", "look")
        task.summary_store.add_summary("short", 1, 1)
        getattr(task, end)(*["x"] * (end == "fail"))
    for each in (task, shared):
        assert [record["content"] for record in each.message_store.records(strict=True)] == ["hello"]
        assert [m.content for m in each.message_store.current_messages()] == ["hello"]
        assert each.value_store.get("k") == [1] and each.message_store.get_current_context_file().exists()
        assert [each.tool_store.count(), len(list(each.tool_store.records()))] == [1, 1]
        assert len(list(each.planning_store.records())) == 1
        assert (each.summary_store.get_latest_summary() or {})["summary"] == "short"
        with pytest.raises(TaskStateError):
            each.value_store.put("k", 2)
