"""Ctrl-C at every change of a file, and before and after every commit: the same process goes on with the task."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from sherloc.context_storage import TaskCatalog, TaskContextManager
from sherloc.context_storage.databases import SqliteTasks
from sherloc.context_storage.disk import Disk
from sherloc.context_storage.task_database import Execute
from sherloc.context_storage.testing import Summariser
from sherloc.errors import TaskStateError

from .places import HOMES, KEY, LONG, RESUMED, where

CONFIG = {"context": {"fsync": False, "compression": {"keep_recent": 1, "min_to_compress": 1}}}


class Interrupts(Disk):
    """Raises KeyboardInterrupt at one of its steps, or of those after a commit; each counts as one."""

    def __init__(self, at: int) -> None:
        super().__init__(fsync=False)
        self.left = at

    def step(self, operation: str, path: Path) -> None:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt(f"{operation} {path.name}")


def go_on(base: Path, end: str, disk: Interrupts, kept: list[str]) -> None:
    """Use a task until it ends; the list has what was acknowledged."""
    with TaskContextManager(base, KEY, CONFIG, Summariser("short"), disk=disk) as task:
        for number in range(3):
            task.message_store.add_message("user", f"{number} {LONG * 3}")
            kept.append(f"{number} {LONG * 3}")
        assert task.compressor().compress() > 0
        if end == "close":
            return
        try:
            getattr(task, end)()
        except KeyboardInterrupt:
            disk.left = 0
            with suppress(TaskStateError):  # It ended, or it runs: never both.
                task.message_store.add_message("user", "still here")
                kept.append("still here")
            raise


@pytest.mark.parametrize(
    "end", ["complete", pytest.param("stop", marks=pytest.mark.slow), pytest.param("close", marks=pytest.mark.slow)]
)
def test_an_interrupt_anywhere_leaves_a_task_that_goes_on(
    folder: Path, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Interrupts(0)
    real = SqliteTasks.transaction

    @contextmanager
    def interrupted(self: SqliteTasks, subject: str) -> Iterator[Execute]:
        with real(self, subject) as execute:
            yield execute
        disk.step("after a commit", folder)

    monkeypatch.setattr(SqliteTasks, "transaction", interrupted)
    for at in itertools.count(1):
        base, kept = folder / str(at), list[str]()
        disk.left = at
        try:
            go_on(base, end, disk, kept)
        except KeyboardInterrupt as error:
            words = f"{at}: {error}"
            still_here = kept[-1:] == ["still here"]
        else:
            break
        disk.left = 0
        check(base, kept, words, end, still_here=still_here)
    assert at > 20


def check(base: Path, kept: list[str], words: str, end: str, *, still_here: bool) -> None:
    """Whoever looks afterwards, in the same process, finds one state, all that was acknowledged, and no problem."""
    with TaskCatalog(base, CONFIG) as catalog:
        assert catalog.problems == [], words
        states = [task.state for task in catalog.tasks()]
    if not states:
        assert (kept, where(base)) == ([], []), words
        return
    assert states[0] in ("interrupted", {"complete": "completed", "stop": "paused", "close": "interrupted"}[end]), words
    assert not still_here or states == ["interrupted"], words
    home = states[0] if states[0] in HOMES else "running"
    assert where(base) == [home] and not list((base / home).glob(".*")), words
    if states[0] != "completed":
        with TaskContextManager(base, RESUMED, CONFIG) as task:
            found = [record["content"] for record in task.message_store.records(strict=True)]
            assert found[: len(kept)] == kept, words
            task.message_store.add_message("user", "on")
            assert task.message_store.current_messages()[-1].content == "on", words
            task.complete()
    with TaskCatalog(base, CONFIG) as catalog:
        assert [task.state for task in catalog.tasks()] == ["completed"], words
