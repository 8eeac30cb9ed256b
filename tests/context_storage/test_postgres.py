"""Tasks, leases and moves in a real PostgreSQL: the same conformance suite, races and kills."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sherloc.context_storage import TaskCatalog, TaskContextManager, TaskKey
from sherloc.context_storage.testing import CHECKS, Stand
from sherloc.errors import MissingExtraError, SettingsError, TaskBusyError, TaskStoreError
from sherloc.settings import load_settings

from .server import Server, running_server
from .test_kill import kill_points, verify
from .test_processes import program, run_together, start

KEY = TaskKey("a", "explore", "12", "owner/name", "someone")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as started:
        yield started


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_conformance(check: Callable[[Stand], None], folder: Path, server: Server) -> None:
    config = {"context": {"fsync": False, "database_url": server.new_database()}}
    check(Stand(folder / "contexts", config=config))
    assert not (folder / "contexts" / "tasks.db").exists()


HOLDER = """
    import sys
    from sherloc.context_storage import TaskContextManager, TaskKey
    config = {"context": {"fsync": False, "database_url": sys.argv[2]}}
    task = TaskContextManager(sys.argv[1], TaskKey("a", "explore", "12", "owner/name", "someone"), config)
    print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.mark.slow
def test_a_second_process_is_refused(folder: Path, server: Server) -> None:
    url = server.new_database()
    config = {"context": {"fsync": False, "database_url": url}}
    with program(HOLDER, folder, url) as other:
        assert other.stdout and other.stdout.readline() == "ready\n"
        with pytest.raises(TaskBusyError, match=f"process {other.pid}"):
            TaskContextManager(folder, KEY, config)
    with TaskContextManager(folder, KEY, config) as task:
        task.complete()


STORM = """
    import json, sys, time
    import sherloc.context_storage.postgres
    from sherloc.context_storage import TaskContextManager, TaskKey
    folder, url, name = sys.argv[1:4]
    config = {"context": {"fsync": False, "database_url": url}}
    print("ready", flush=True)
    sys.stdin.readline()
    end, told, number = time.monotonic() + float(sys.argv[4]), {}, 0
    while time.monotonic() < end:
        uuid, number = f"{name}-{number}", number + 1
        with TaskContextManager(folder, TaskKey(uuid, "explore", str(number % 5), "owner/name", name), config) as task:
            for text in range(10):
                task.message_store.add_message("user", f"{uuid} {text}")
            how = ("complete", "stop", "fail", "close")[number % 4]
            task.fail("it broke") if how == "fail" else getattr(task, how)()
            told[uuid] = how
    print(json.dumps(told), flush=True)
"""


@pytest.mark.slow
def test_a_storm_from_an_empty_database(folder: Path, server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    url, seconds = server.new_database(), 10
    told: dict[str, str] = {}
    for line in run_together([start(STORM, folder, url, f"p{n}", seconds) for n in range(8)]):
        told.update(json.loads(line))
    states = {"complete": "completed", "stop": "paused", "fail": "failed", "close": "interrupted"}
    with TaskCatalog(folder, {"context": {"database_url": url}}) as catalog:
        assert {task.row.uuid: task.state for task in catalog.tasks()} == {u: states[how] for u, how in told.items()}
        assert all(len(list(task.records("messages.jsonl"))) == 10 for task in catalog.tasks())
    with capsys.disabled():
        print(f"\nPostgreSQL storm: {len(told)} tasks in {seconds} s")


@pytest.mark.slow
def test_kill_points(folder: Path, server: Server) -> None:
    contexts = [{"database_url": server.new_database()} for _ in range(10)]
    points = kill_points(folder, first=5, step=25, contexts=contexts)
    assert 6 < len(points) < 10
    for at, context in points.items():
        verify(folder / f"{at}", folder / f"{at}.log", context)


def test_a_server_that_is_not_there_is_told_without_the_password(folder: Path) -> None:
    pytest.importorskip("psycopg")
    pytest.importorskip("sqlalchemy")
    url = "postgresql://someone:secret-word@127.0.0.1:1/tasks"
    with pytest.raises(TaskStoreError, match=r"127\.0\.0\.1:1/tasks cannot be used") as caught:
        TaskCatalog(folder, {"context": {"database_url": url}})
    assert "secret-word" not in str(caught.value)


def test_other_databases_are_refused() -> None:
    for url in ("mysql://host/name", "sqlite:///file", "postgresql", "postgresql+asyncpg://host/name"):
        with pytest.raises(SettingsError, match="database_url"):
            load_settings({"context": {"database_url": url}})


def test_a_missing_package_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "sherloc.context_storage.postgres", raising=False)
    with pytest.raises(MissingExtraError, match="psycopg") as caught:
        TaskCatalog(folder, {"context": {"database_url": "postgresql://host/name"}})
    assert "sherloc[postgres]" in caught.value.hint
