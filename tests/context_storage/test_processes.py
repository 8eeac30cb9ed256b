"""Several processes on one base_dir: leases, races, storms."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sherloc.context_storage import TaskCatalog, TaskContextManager, TaskKey
from sherloc.context_storage import owner as owners
from sherloc.context_storage.databases import open_table
from sherloc.context_storage.disk import Disk
from sherloc.context_storage.owner import Owner, this_process
from sherloc.context_storage.recovery import row_from
from sherloc.context_storage.session import Session
from sherloc.errors import LeaseLostError, TaskBusyError, TaskStateError
from sherloc.settings import ContextSettings

ROOT = Path(__file__).parents[2]
FAST = {"context": {"fsync": False}}
KEY = TaskKey("a", "explore", "12", "owner/name", "someone")
RESUMED = TaskKey("a", "explore", "12", "owner/name", "someone", is_resumed=True)


@contextmanager
def program(text: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """Run a program beside this one; its first line says that it is ready."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(text), *map(str, arguments)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


HOLDER = """
    import sys
    from sherloc.context_storage import TaskContextManager, TaskKey
    task = TaskContextManager(sys.argv[1], TaskKey("a", "explore", "12", "owner/name", "someone"))
    task.message_store.add_message("user", "from the other process")
    print("ready", flush=True)
    sys.stdin.read()
"""


def test_a_second_process_is_refused_and_takes_over_when_the_first_is_dead(folder: Path) -> None:
    with program(HOLDER, folder) as other:
        assert other.stdout and other.stdout.readline() == "ready\n"
        for key in (KEY, RESUMED):
            with pytest.raises(TaskBusyError, match=f"process {other.pid} on") as caught:
                TaskContextManager(folder, key, FAST)
            assert caught.value.pid == other.pid
        os.kill(other.pid, signal.SIGKILL)
        other.wait()
        with TaskContextManager(folder, RESUMED, FAST) as task:
            assert [problem.code for problem in task.problems] == ["task_interrupted"]
            assert [m.content for m in task.message_store.current_messages()] == ["from the other process"]
            assert task.message_store.add_message("user", "mine") == 2


def test_of_many_who_resume_one_wins(folder: Path) -> None:
    racer = """
        import sys
        from sherloc.context_storage import TaskContextManager, TaskKey
        from sherloc.errors import TaskError
        print("ready", flush=True)
        sys.stdin.readline()
        try:
            TaskContextManager(sys.argv[1], TaskKey("a", "explore", "12", "owner/name", "someone", is_resumed=True))
            print("won", flush=True)
            sys.stdin.readline()
        except TaskError as error:
            print(type(error).__name__, flush=True)
    """
    with TaskContextManager(folder, KEY, FAST) as task:
        task.stop()
    with program(racer, folder) as one, program(racer, folder) as two, program(racer, folder) as three:
        racers = (one, two, three)
        assert [each.stdout.readline() for each in racers if each.stdout] == ["ready\n"] * 3
        for each in racers:
            assert each.stdin
            each.stdin.write("go\n")
            each.stdin.flush()
        said = sorted(each.stdout.readline().strip() for each in racers if each.stdout)
    assert said == ["TaskBusyError", "TaskBusyError", "won"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_may_not_write_what_its_parent_opened(folder: Path) -> None:
    forker = """
        import os, sys
        from sherloc.context_storage import TaskContextManager, TaskKey
        from sherloc.errors import LeaseLostError, TaskBusyError
        key = TaskKey("a", "explore", "12", "owner/name", "someone")
        task = TaskContextManager(sys.argv[1], key)
        pid = os.fork()
        if not pid:
            try:
                task.message_store.add_message("user", "child")
            except LeaseLostError:
                try:
                    TaskContextManager(sys.argv[1], key)
                except TaskBusyError:
                    os._exit(7)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
        task.message_store.add_message("user", "parent")
        task.complete()
        print("ready", flush=True)
    """
    with program(forker, folder) as process:
        assert process.stdout and process.stdout.readline() == "ready\n"


def test_whose_process_is_known_to_be_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    here = this_process()
    assert here.is_surely_alive() and not here.is_surely_dead()
    with program("print('ready', flush=True); input()") as other:
        their = Owner(here.host, other.pid, here.world, owners._started(other.pid))
        assert their.is_surely_alive() and not their.is_surely_dead()
    assert their.is_surely_dead() and not their.is_surely_alive()
    far = Owner("elsewhere", other.pid, here.world, "1")
    assert not far.is_surely_dead() and not far.is_surely_alive()
    if here.world:
        reused = Owner(here.host, here.pid, here.world, "1")
        assert reused.is_surely_dead(), "the number was given to another process"
        boot, _, space = here.world.partition("/")
        assert Owner(here.host, here.pid, f"other/{space}", here.started).is_surely_dead(), "before a reboot"
        container = Owner(here.host, here.pid, f"{boot}/other", here.started)
        assert not container.is_surely_dead() and not container.is_surely_alive(), "another process namespace"


def test_a_lease_from_elsewhere_holds_until_it_is_silent_for_too_long(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = Owner("elsewhere", 1, "boot/space", "1")
    with monkeypatch.context() as patch:
        patch.setattr("sherloc.context_storage.task_table.this_process", lambda: far)
        held = TaskContextManager(folder, KEY, FAST)
        held.message_store.add_message("user", "from elsewhere")
    other = Sessionless(folder)
    with pytest.raises(TaskBusyError, match="on elsewhere"):
        other.open()
    with sqlite3.connect(folder / "tasks.db") as database:
        database.execute("UPDATE leases SET heartbeat = heartbeat - 61")
    database.close()
    other.open()
    other.add("taken over")
    with pytest.raises(LeaseLostError, match="changed by another process"):
        held.message_store.add_message("user", "a zombie that has not noticed")
    held._session.beat()
    with pytest.raises(LeaseLostError, match="taken over"):
        held.message_store.add_message("user", "a zombie that has")
    assert other.contents() == ["from elsewhere", "taken over"]
    held.close()
    other.close()


class Sessionless:
    """Another process's view, without another process: a session that this one's registry does not know."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def open(self) -> None:
        settings = ContextSettings(fsync=False)
        self._session = Session(self._folder, RESUMED, settings, Disk(fsync=False), None, salvage=False, source=None)

    def add(self, text: str) -> None:
        self._session.messages.add_message("user", text)

    def close(self) -> None:
        self._session.close()

    def contents(self) -> list[str]:
        return [m.content for m in self._session.messages.current_messages()]


def test_signs_of_life_keep_a_lease(folder: Path) -> None:
    with TaskContextManager(folder, KEY, {"context": {"fsync": False, "lease_seconds": 0.3}}) as task:
        begin, renewed = time.monotonic(), False
        with TaskCatalog(folder, FAST) as catalog:
            while not renewed and time.monotonic() < begin + 30:
                time.sleep(0.5)
                holder = catalog.get("a").holder
                assert holder is not None
                renewed = holder.age < time.monotonic() - begin - 0.3
        assert renewed
        task.message_store.add_message("user", "still mine")


def test_a_writer_that_was_not_asked_is_noticed(folder: Path) -> None:
    with TaskContextManager(folder, KEY, FAST) as task:
        task.message_store.add_message("user", "one")
        with task.message_store.messages_file.open("ab") as file:
            file.write(b'{"seq": 2, "role": "user", "content": "stranger"}\n')
        for _ in range(2):
            with pytest.raises(LeaseLostError, match="changed by another process"):
                task.message_store.add_message("user", "two")


def test_an_insert_that_fails_leaves_nothing_locked(folder: Path) -> None:
    table = open_table(folder, ContextSettings(fsync=False), Disk(fsync=False))
    row = row_from({"uuid": "a"}, "running")
    broken = type(row)(**{**{name: getattr(row, name) for name in row.__slots__}, "total_messages": object()})
    with pytest.raises(sqlite3.Error):
        table.add(broken)
    independent = sqlite3.connect(folder / "tasks.db", timeout=0)
    independent.execute("BEGIN IMMEDIATE")
    independent.execute("UPDATE tasks SET status = 'failed'")
    independent.execute("COMMIT")
    independent.close()
    table.add(row)
    assert [each.uuid for each in table.rows()] == ["a"]
    table.close()


COUNTER = """
    import sys
    from pathlib import Path
    from sherloc.context_storage.databases import open_table
    from sherloc.context_storage.disk import Disk
    from sherloc.context_storage.recovery import row_from
    from sherloc.settings import ContextSettings
    print("ready", flush=True)
    sys.stdin.readline()
    table = open_table(Path(sys.argv[1]), ContextSettings(fsync=False), Disk(fsync=False))
    for number in range(int(sys.argv[2])):
        table.add(row_from({"uuid": "a"}, "running"))
        with table._database.transaction("a") as execute:
            count = execute("SELECT total_messages FROM tasks WHERE uuid = 'a'", {})[0][0]
            execute("UPDATE tasks SET total_messages = :count WHERE uuid = 'a'", {"count": count + 1})
    print("done", flush=True)
"""


def run_together(programs: list[subprocess.Popen[str]]) -> list[str]:
    """Let programs that are ready go at once; their last lines."""
    for each in programs:
        assert each.stdout and each.stdout.readline() == "ready\n"
    for each in programs:
        assert each.stdin
        each.stdin.write("go\n")
        each.stdin.flush()
    return [each.communicate()[0].strip() for each in programs]


def start(text: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(text), *map(str, arguments)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def counted(folder: Path) -> int:
    with TaskCatalog(folder, FAST) as catalog:
        return catalog.get("a").row.total_messages


def test_a_few_processes_read_and_write_one_row(folder: Path) -> None:
    assert run_together([start(COUNTER, folder, 30) for _ in range(2)]) == ["done"] * 2
    assert counted(folder) == 60


@pytest.mark.slow
def test_six_processes_read_and_write_one_row_100_times(folder: Path) -> None:
    assert run_together([start(COUNTER, folder, 100) for _ in range(6)]) == ["done"] * 6
    assert counted(folder) == 600


FIRST = """
    import os, sys
    from pathlib import Path
    from sherloc.context_storage.databases import open_table
    from sherloc.context_storage.disk import Disk
    from sherloc.context_storage.recovery import row_from
    from sherloc.settings import ContextSettings

    def work(folder, number):
        table = open_table(folder, ContextSettings(fsync=False), Disk(fsync=False))
        table.add(row_from({"uuid": f"p{number}"}, "running"))
        assert table.get(f"p{number}") is not None

    for turn in range(int(sys.argv[2])):
        reading, writing = os.pipe()
        children = []
        for number in range(8):
            pid = os.fork()
            if not pid:
                os.close(writing)
                os.read(reading, 1)  # until all are there
                try:
                    work(Path(sys.argv[1], str(turn)), number)
                except BaseException as error:
                    print(error, flush=True)
                    os._exit(1)
                os._exit(0)
            children.append(pid)
        os.close(reading)
        os.close(writing)
        print([os.waitpid(pid, 0)[1] for pid in children], flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("turns", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_eight_processes_make_the_database_at_once(folder: Path, turns: int) -> None:
    with program(FIRST, folder, turns) as process:
        assert process.communicate()[0].splitlines() == ["[0, 0, 0, 0, 0, 0, 0, 0]"] * turns
    for turn in range(turns):
        with TaskCatalog(folder / f"{turn}", FAST) as catalog:
            assert len(catalog.tasks()) == 8


STORM = """
    import json, sys, time
    from sherloc.context_storage import TaskContextManager, TaskKey
    folder, name, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    print("ready", flush=True)
    sys.stdin.readline()
    end, told, slowest, number = time.monotonic() + seconds, {}, 0.0, 0
    while time.monotonic() < end:
        uuid, number = f"{name}-{number}", number + 1
        with TaskContextManager(folder, TaskKey(uuid, "explore", str(number % 5), "owner/name", name)) as task:
            for text in range(10):
                before = time.monotonic()
                task.message_store.add_message("user", f"{uuid} {text}")
                slowest = max(slowest, time.monotonic() - before)
            how = ("complete", "stop", "fail", "close")[number % 4]
            task.fail("it broke") if how == "fail" else getattr(task, how)()
            told[uuid] = how
    print(json.dumps({"told": told, "slowest": slowest}), flush=True)
"""


@pytest.mark.slow
def test_a_storm_of_eight_processes_loses_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seconds = 30
    said = [json.loads(line) for line in run_together([start(STORM, folder, f"p{n}", seconds) for n in range(8)])]
    told: dict[str, str] = {uuid: how for each in said for uuid, how in each["told"].items()}
    states = {"complete": "completed", "stop": "paused", "fail": "failed", "close": "interrupted"}
    with TaskCatalog(folder, FAST) as catalog:
        assert {task.row.uuid: task.state for task in catalog.tasks()} == {u: states[how] for u, how in told.items()}
        for task in catalog.tasks():
            assert [m["content"] for m in task.records("messages.jsonl")] == [f"{task.row.uuid} {n}" for n in range(10)]
    with capsys.disabled():
        slowest = max(each["slowest"] for each in said)
        rate = len(told) / seconds
        print(f"\nstorm: {len(told)} tasks, {rate:.0f} a second, {10 * rate:.0f} messages a second, {slowest=:.2f} s")


def test_a_task_that_somebody_moved_by_hand_is_brought_back(folder: Path) -> None:
    with TaskContextManager(folder, KEY, FAST) as task:
        task.message_store.add_message("user", "one")
    (folder / "running/a").rename(folder / "paused/a")
    with TaskContextManager(folder, RESUMED, FAST) as task:
        assert task.message_store.count_messages() == 1
        assert task.context_dir == folder / "running/a"
    (folder / "running/a").rename(folder / "elsewhere")
    with pytest.raises(TaskStateError, match="is gone"):
        TaskContextManager(folder, RESUMED, FAST)
