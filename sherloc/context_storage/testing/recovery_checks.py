"""Checks with processes that are killed: whatever they leave, the next one finds a whole task, old or new.

They fork, and do nothing where that cannot be done.
"""

from __future__ import annotations

import errno
import os
import signal
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch

from sherloc.context_storage.catalog import TaskCatalog
from sherloc.context_storage.disk import Disk
from sherloc.context_storage.testing.disks import CrashingDisk, FailingDisk, SplitDisk
from sherloc.context_storage.testing.stand import Stand, Summariser, expect, expect_equal, expect_raised, say
from sherloc.errors import TaskBusyError, TaskStoreError

HOMES = ("running", "paused", "completed")
LONG = "The parser reads the header and then the body of every file. " * 6


class _SplitCrashingDisk(SplitDisk, CrashingDisk):
    """Kills, where moving a folder takes a copy."""


def _in_a_child(work: Callable[[], object]) -> int:
    """Do something in a forked process; the signal that ended it, or 0."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Threads are none of the child's: it opens its own tasks.
        pid = os.fork()
    if not pid:
        try:
            work()
            os._exit(0)
        except BaseException:  # noqa: BLE001 - it must never get into the parent's code
            traceback.print_exc()
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    expect(code in (0, -signal.SIGKILL), "what is killed at a step gets to that step")
    return -code


def _each_kill(work: Callable[[int, Disk], object], *, half: bool = False, split: bool = False) -> Iterator[int]:
    """Do something again and again, each time killed one change later, until it comes to its end."""
    if not hasattr(os, "fork"):
        return
    at, was_killed = 0, True
    while was_killed:
        at += 1
        disk = (_SplitCrashingDisk if split else CrashingDisk)(at, half=half)
        was_killed = _in_a_child(lambda at=at, disk=disk: work(at, disk)) != 0  # type: ignore[misc]
        yield at


def _where(stand: Stand, uuid: str) -> list[str]:
    return [home for home in HOMES if (stand.base_dir / home / uuid).is_dir()]


def _recovered(stand: Stand) -> dict[str, str]:
    """State by task, after what was left half done was completed; folders agree, and nothing lies about."""
    with TaskCatalog(stand.base_dir, stand.config) as catalog:
        expect_equal(catalog.problems, [])
        found: dict[str, str] = {task.row.uuid: task.row.status for task in catalog.tasks()}
    for uuid, status in found.items():
        expect_equal(_where(stand, uuid), [status], f"folders of {uuid}, which is {status}")
    left = [path.name for home in HOMES for path in (stand.base_dir / home).iterdir() if path.name.startswith(".")]
    expect_equal(left, [], "work in progress that nobody finishes")
    return found


def ends_that_are_killed(stand: Stand) -> None:
    """Behaviours 13 and 15: a kill leaves a task that is running or has ended, with all it stored; then it goes on."""

    def end(at: int, disk: Disk) -> None:
        with stand.open(stand.key(f"task-{at}"), disk=disk) as task:
            say(task, "hello")
            task.complete()

    seen = set()
    for at in _each_kill(end, split=True):
        uuid = f"task-{at}"
        status = _recovered(stand).get(uuid, "")
        seen.add(status)
        said = (
            [record["content"] for record in stand.lines(status, "messages.jsonl", uuid)] if _has(stand, uuid) else []
        )
        expect(said == ["hello"] or (said == [] and status in ("", "running")), f"kept of {uuid}, {status}: {said}")
        if status == "running":
            with stand.open(stand.key(uuid)) as task:
                say(task, "again")
                task.complete()
    expect(set(_recovered(stand).values()) <= {"completed"}, "what was left running was completed")
    expect(not seen or seen == {"", "running", "completed"}, f"states after kills: {seen}")


def _has(stand: Stand, uuid: str) -> bool:
    return any((stand.base_dir / home / uuid / "messages.jsonl").exists() for home in HOMES)


def archives_that_are_killed(stand: Stand) -> None:
    """Behaviours 13 and 30: a task is removed with its row, or neither is."""

    def archive(_: int, disk: Disk) -> None:
        with TaskCatalog(stand.base_dir, stand.config, disk=disk) as catalog:
            expect_equal(catalog.archive(older_than_days=-1), ["task-1"])

    def fill() -> None:
        with stand.open() as task:
            say(task, "hello")
            task.complete()

    fill()
    for _ in _each_kill(archive):
        if _recovered(stand):
            expect_equal([record["content"] for record in stand.lines("completed", "messages.jsonl")], ["hello"])
        else:
            fill()


def a_move_that_fails(stand: Stand) -> None:
    """Behaviour 13: what was not moved is not moved later, either, and what was moved is taken back or completed."""
    armed = [False]

    def before(operation: str, path: Path) -> bool:
        return armed[0] and operation == "rename" and path.parent.name == "completed"

    def after(operation: str, _: Path) -> bool:
        return armed[0] and operation == "commit" and (stand.base_dir / "completed" / "task-1").is_dir()

    for number, when in enumerate((before, after), 1):
        with stand.open(disk=FailingDisk(errno.EBUSY, when)) as task:
            say(task, "hello")
            armed[0] = True
            with expect_raised(TaskStoreError):
                task.complete()
            armed[0] = False
            expect_equal((task.status, _where(stand, "task-1")), ("running", ["running"]))
        expect_equal(_recovered(stand), {"task-1": "running"})
        with stand.open() as task:
            expect_equal(task.message_store.count_messages(), number)


def a_holder_that_is_killed(stand: Stand) -> None:
    """Behaviour 9: while a process has a task open, others are refused; when it is dead, the next one is not."""
    if not hasattr(os, "fork"):
        return

    def hold() -> None:
        task = stand.open()
        say(task, "from the first")
        expect_equal(_in_a_child(refused), 0, "a second process is refused")
        os.kill(os.getpid(), signal.SIGKILL)

    def refused() -> None:
        with expect_raised(TaskBusyError):
            stand.open()

    expect_equal(_in_a_child(hold), signal.SIGKILL)
    with stand.open() as task:
        expect_equal([m.content for m in task.message_store.current_messages()], ["from the first"])
        say(task, "from the second")


def compressions_that_are_killed(stand: Stand) -> None:
    """Behaviours 7 and 20: the model sees the summary and what follows it, or no summary; never a part twice."""
    context = {"compression": {"keep_recent": 1, "min_to_compress": 1}}

    def compress(at: int, disk: Disk) -> None:
        with stand.open(stand.key(f"task-{at}"), Summariser("short"), context=context, disk=disk) as task:
            task.compressor().compress()

    def fill(at: int) -> None:
        with stand.open(stand.key(f"task-{at}"), context=context) as task:
            say(task, "the issue", *[LONG * 4] * 3)

    fill(1)
    seen = set()
    for at in _each_kill(compress, half=True):
        with stand.open(stand.key(f"task-{at}"), Summariser("short"), context=context) as task:
            shown = [message.role for message in task.message_store.current_messages()]
            seen.add(task.summary_store.count_summaries())
            expect_equal(shown, ["user", "system", "user"] if task.summary_store.count_summaries() else ["user"] * 4)
            task.compressor().compress()
            expect_equal([(r["from_seq"], r["to_seq"]) for r in task.summary_store.records()], [(2, 3)])
        fill(at + 1)
    expect(not seen or seen == {0, 1}, f"summaries after kills: {seen}")


def replacements_that_are_killed(stand: Stand) -> None:
    """Behaviour 20: a file that is written anew is the old one or the new one, also after a kill within a write."""
    with stand.open() as task:
        say(task, "one", "two", "three")
        task.write_final_summary("old " * 50)
        path = task.context_dir
    whole = (path / "messages.jsonl").read_bytes()
    first, second, third = whole.splitlines(keepends=True)

    def write(_: int, disk: Disk) -> None:
        with stand.open(disk=disk) as task:
            task.write_final_summary("new " * 50)

    for _ in _each_kill(write, half=True):
        text = (path / "final_summary.txt").read_text()
        expect(text in ("old " * 50, "new " * 50), f"the final summary is {text!r:.80}")
        (path / "final_summary.txt").write_text("old " * 50)

    def salvage(_: int, disk: Disk) -> None:
        stand.resume(salvage=True, disk=disk).close()

    def spoil() -> None:
        (path / "messages.jsonl").write_bytes(first + b"{\n" + second + third)
        (path / ".marks.json").unlink(missing_ok=True)

    spoil()
    for _ in _each_kill(salvage, half=True):
        with stand.resume(salvage=True) as task:
            expect_equal([record["content"] for record in task.message_store.records()], ["one", "two", "three"])
        spoil()


def short_writes(stand: Stand) -> None:
    """Behaviour 16: a system that writes less than it was given is asked again."""
    write = os.write
    with patch("os.write", lambda descriptor, data: write(descriptor, bytes(data[:7]))), stand.open() as task:
        say(task, "hello, and more than seven bytes")
        task.value_store.put("key", [1, 2, 3])
        task.write_final_summary("It is longer than seven bytes.")
        path = task.context_dir
    expect_equal((path / "final_summary.txt").read_text(), "It is longer than seven bytes.")
    with stand.resume() as task:
        expect_equal([m.content for m in task.message_store.current_messages()], ["hello, and more than seven bytes"])
        expect_equal((task.value_store.get("key"), task.problems), ([1, 2, 3], []))


CHECKS = (
    ends_that_are_killed,
    archives_that_are_killed,
    a_move_that_fails,
    a_holder_that_is_killed,
    compressions_that_are_killed,
    replacements_that_are_killed,
    short_writes,
)
