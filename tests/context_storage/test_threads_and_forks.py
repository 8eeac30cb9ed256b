"""Many threads of a process, and a process that forks."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sherloc.context_storage import TaskCatalog, TaskContextManager
from sherloc.context_storage.databases import SqliteTasks
from sherloc.context_storage.jsonl import decode_record, encode_record, read_records
from sherloc.context_storage.task_database import Execute
from sherloc.context_storage.testing import Summariser
from sherloc.errors import (
    LeaseLostError,
    TaskStateError,
)

from .places import FAST, KEY, RESUMED


def test_locks_are_taken_in_one_order(folder: Path) -> None:
    done: list[int] = []

    def forking(task: TaskContextManager) -> None:
        for _ in range(4):
            task.fork().close()
        done.append(1)

    def opening(task: TaskContextManager) -> None:
        for number in range(8):
            with task.lock, TaskContextManager(folder, replace(KEY, uuid=f"o{number}"), FAST):
                pass
        done.append(2)

    def again() -> None:
        for _ in range(15):
            TaskContextManager(folder, KEY, FAST).close()
        done.append(3)

    with TaskContextManager(folder, KEY, FAST) as task:
        works: list[Callable[[], None]] = [lambda: forking(task), lambda: opening(task), again, again]
        threads = [threading.Thread(target=work, daemon=True) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
    assert sorted(done) == [1, 2, 3, 3]


def test_many_threads_open_and_close_one_task(folder: Path) -> None:
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(5):
                with TaskContextManager(folder, KEY, FAST) as task:
                    task.message_store.add_message("user", "x")
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert failures == []
    with TaskContextManager(folder, RESUMED, FAST) as task:
        assert [record["seq"] for record in task.message_store.records(strict=True)] == list(range(1, 21))


def test_a_task_is_ended_once(folder: Path) -> None:
    client, ran, seen = Summariser("the end"), [], []
    barrier = threading.Barrier(2)
    with TaskContextManager(folder, KEY, FAST, client) as task:
        task.message_store.add_message("user", "hello")

        def hook() -> None:
            ran.append(1)
            for end in (task.complete, task.stop):
                with pytest.raises(TaskStateError, match="being ended already"):
                    end()
            barrier.wait(10)
            barrier.wait(10)

        def other() -> None:
            barrier.wait(10)
            try:
                task.complete()
            except TaskStateError:
                seen.append(1)
            barrier.wait(10)

        task.register_completion_hook("hook", hook)
        thread = threading.Thread(target=other)
        thread.start()
        task.complete()
        thread.join()
    assert (ran, seen, len(client.requests)) == ([1], [1], 1)


def test_a_hook_that_closes_the_task(folder: Path) -> None:
    task = TaskContextManager(folder, KEY, FAST)
    task.register_completion_hook("close", task.close)
    with pytest.raises(TaskStateError):
        task.complete()
    with TaskContextManager(folder, KEY, FAST) as task:
        assert task.status == "running"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_changes_nothing(folder: Path) -> None:
    with TaskContextManager(folder, KEY, FAST) as task:
        pid = os.fork()
        if not pid:
            code = 0
            uses: tuple[Callable[[], object], ...] = (
                lambda: task.note("a", 1), lambda: task.update_statistics(7), task.stop, task.message_store.mark,
            )  # fmt: skip
            for use in uses:
                try:
                    use()
                    code = 1
                except LeaseLostError:
                    pass
            task.close()
            os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        task.message_store.add_message("user", "hello")


def test_whoever_looks_right_after_a_commit_sees_a_task_that_is_held(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []
    real, is_looking = SqliteTasks.transaction, [False]

    @contextmanager
    def watched(self: SqliteTasks, subject: str) -> Iterator[Execute]:
        with real(self, subject) as execute:
            yield execute
        if not is_looking[0]:
            is_looking[0] = True
            with TaskCatalog(folder, FAST) as catalog:
                states = [task.state for task in catalog.tasks()]
                assert catalog.problems == [] and "interrupted" not in states
            looks.append(len(states))
            is_looking[0] = False

    monkeypatch.setattr(SqliteTasks, "transaction", watched)
    with TaskContextManager(folder, KEY, FAST) as task:
        task.message_store.add_message("user", "hello")
        task.stop()
    with TaskContextManager(folder, RESUMED, FAST) as task, task.fork("b") as forked:
        forked.message_store.add_message("user", "on")
        forked.complete()
        task.fail("x")
    assert len(looks) > 10 and looks[-1] == 2


def test_threads_that_make_tasks_and_threads_that_look(folder: Path) -> None:
    failures: list[BaseException | str] = []

    def make(name: str) -> None:
        try:
            for number in range(6):
                with TaskContextManager(folder, replace(KEY, uuid=f"{name}{number}"), FAST) as task:
                    task.message_store.add_message("user", "x")
                    task.complete()
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    def look() -> None:
        for _ in range(12):
            with TaskCatalog(folder, FAST) as catalog:
                failures.extend(problem.message for problem in catalog.problems)

    threads = [threading.Thread(target=make, args=(name,)) for name in "bcd"]
    threads += [threading.Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    with TaskCatalog(folder, FAST) as catalog:
        assert [task.state for task in catalog.tasks()] == ["completed"] * 18


def test_a_record_that_is_being_written_is_no_damage(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "messages.jsonl"
    lines = [encode_record({"seq": n, "role": "user", "content": "x" * 9000}) for n in (1, 2, 3)]
    path.write_bytes(lines[0] + lines[1][:5000])

    def meanwhile(line: bytes) -> dict[str, Any] | None:
        if not line.endswith(b"\n"):
            path.write_bytes(b"".join(lines))
        return decode_record(line)

    monkeypatch.setattr("sherloc.context_storage.jsonl.decode_record", meanwhile)
    assert [record["seq"] for record in read_records(path, strict=True)] == [1]
    assert [record["seq"] for record in read_records(path, strict=True)] == [1, 2, 3]
