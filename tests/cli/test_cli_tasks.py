"""``sherloc tasks``: for a person and for a program."""

from __future__ import annotations

import errno
import json
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sherloc.context_storage import TaskContextManager, TaskKey, contexts_folder
from sherloc.context_storage.disk import Disk
from sherloc.context_storage.testing import Summariser
from sherloc.settings import ContextSettings

Run = Callable[..., Any]
FAST = {"context": {"fsync": False}}


@pytest.fixture
def base(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Three tasks: ``done``, ``waiting`` and ``left``."""
    monkeypatch.setenv("SHERLOC_STATE", str(tmp_path / "state"))
    base = contexts_folder(ContextSettings())
    assert base == tmp_path / "state" / "contexts"
    for uuid, end in (("done", "complete"), ("waiting", "stop"), ("left", "close")):
        key = TaskKey(uuid, "explore", "12", "owner/name\x1b[31m", "someone")
        with TaskContextManager(base, key, FAST, Summariser("found it in a.py\x1b[31m")) as task:
            task.create_initial_context("system prompt")
            task.message_store.add_message("user", "hello")
            getattr(task, end)()
    return base


def test_list(run: Run, base: Path) -> None:
    result = run("tasks", "list")
    assert result.exit_code == 0
    *lines, last = result.stdout.splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["left", "interrupted"],
        ["waiting", "paused"],
        ["done", "completed"],
    ]
    assert last == "3 tasks" and "\x1b" not in result.stdout and r"owner/name\x1b[31m" in lines[0]
    assert run("tasks", "list", "--state", "paused").stdout.splitlines()[-1] == "1 task"
    record = json.loads(run("tasks", "list", "--json").stdout)
    assert record["base_dir"] == str(base)
    assert [(t["uuid"], t["state"], t["status"]) for t in record["tasks"]] == [
        ("left", "interrupted", "running"), ("waiting", "paused", "paused"), ("done", "completed", "completed"),
    ]  # fmt: skip


def test_show(run: Run, base: Path) -> None:
    result = run("tasks", "show", "done", "--why")
    assert result.exit_code == 0
    assert "stored:     2 messages, 2 in context, 0 summaries, 0 tool calls, 0 plans, 0 values" in result.stdout
    assert re.search(
        r"why: +Nothing was compressed: 2 messages have \d+ tokens; token_threshold is 8000\.", result.stdout
    )
    assert "why:        Nothing was inherited: there is no earlier run." in result.stdout
    assert result.stdout.endswith("\n\nfound it in a.py\\x1b[31m\n")
    record = json.loads(run("tasks", "show", "waiting", "--why", "--json").stdout)
    assert record["why"][1] == "Inherited from done."
    assert (record["stored"]["messages"], record["final_summary"], record["total_messages"]) == (3, None, 3)


def test_why_names_what_is_almost_the_same(run: Run, base: Path) -> None:
    other = TaskKey("other", "explore", "12", "owner/name\x1b[31m", "somebody else")
    with TaskContextManager(base, other, FAST):
        pass
    assert "done is like it but for user: 'someone'." in run("tasks", "show", "other", "--why").stdout
    off = TaskKey("off", "explore", "12", "owner/name\x1b[31m", "someone")
    with TaskContextManager(base, off, {"context": {"fsync": False, "inheritance": {"enabled": False}}}):
        pass
    assert "context.inheritance.enabled is false" in run("tasks", "show", "off", "--why").stdout


def test_resume(run: Run, base: Path) -> None:
    result = run("tasks", "resume", "waiting")
    assert result.exit_code == 0 and result.stdout.startswith("waiting can go on: 3 messages, 3 in context, ")
    assert (base / "running" / "waiting").is_dir() and not (base / "paused" / "waiting").exists()
    record = json.loads(run("tasks", "resume", "left", "--json").stdout)
    assert (record["uuid"], record["messages"]) == ("left", 3)
    result = run("tasks", "resume", "done")
    assert (result.exit_code, result.stdout) == (9, "")
    assert "Task done is completed" in result.stderr and "hint:" in result.stderr
    messages = base / "running" / "left" / "messages.jsonl"
    messages.write_bytes(messages.read_bytes().replace(b'{"seq": 2,', b'{"seq" 2,'))
    (base / "running" / "left" / ".marks.json").unlink()
    result = run("tasks", "resume", "left")
    assert result.exit_code == 9 and "--salvage" in result.stderr
    result = run("tasks", "resume", "left", "--salvage")
    assert result.exit_code == 0 and "left can go on: 2 messages, 2 in context" in result.stdout
    assert "were set aside" in result.stderr


def test_archive_and_vacuum(run: Run, base: Path) -> None:
    assert run("tasks", "archive").stdout == "0 tasks removed\n"
    with sqlite3.connect(base / "tasks.db") as database:
        database.execute("UPDATE tasks SET completed_at = '2020-01-01T00:00:00+00:00' WHERE uuid = 'done'")
    database.close()
    assert run("tasks", "archive", "--dry-run").stdout == "done\n1 task would be removed\n"
    assert (base / "completed" / "done").is_dir()
    assert json.loads(run("tasks", "archive", "--keep-row", "--json").stdout)["removed"] == ["done"]
    assert not (base / "completed" / "done").exists()
    assert "folder:     removed" in run("tasks", "show", "done").stdout
    assert run("tasks", "archive").stdout == "done\n1 task removed\n"
    assert run("tasks", "show", "done").exit_code == 9
    assert re.fullmatch(r"[\d,]+ bytes before, [\d,]+ after\n", run("tasks", "vacuum").stdout)


@pytest.mark.parametrize("command", [["list"], ["show", "done"], ["resume", "left"], ["vacuum"],
                                     ["archive", "--older-than", "0"]], ids=lambda each: each[0])  # fmt: skip
def test_an_empty_base_dir_is_none(run: Run, base: Path, command: list[str]) -> None:
    result = run("tasks", *command, "--base-dir", "")
    assert (result.exit_code, result.stdout) == (2, "") and "base_dir is the path of a folder" in result.stderr
    assert (base / "completed" / "done").is_dir()


def test_what_is_not_there(run: Run, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    result = run("tasks", "list", "--base-dir", empty)
    assert (result.exit_code, result.stdout) == (2, "") and "There is no folder" in result.stderr
    assert not empty.exists()
    empty.mkdir()
    assert run("tasks", "list", "--base-dir", empty).stdout == "0 tasks\n"
    result = run("tasks", "show", "nobody", "--base-dir", empty)
    assert (result.exit_code, result.stdout) == (9, "") and "no task nobody" in result.stderr
    for uuid in ("../x", "*"):
        assert run("tasks", "show", uuid, "--base-dir", empty).exit_code == 2
    file = tmp_path / "file"
    file.write_text("")
    assert run("tasks", "list", "--base-dir", file).exit_code != 0
    (empty / "tasks.db").write_bytes(b"not a database, and long enough to be looked at" * 10)
    result = run("tasks", "list", "--base-dir", empty)
    assert result.exit_code == 9 and "Move it away" in result.stderr
    result = run("tasks", "list", "--set", "context.database_url=mysql://x/y")
    assert result.exit_code == 2 and "database_url" in result.stderr


def test_what_cannot_be_removed_has_an_exit_code(run: Run, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with sqlite3.connect(base / "tasks.db") as database:
        database.execute("UPDATE tasks SET completed_at = '2020-01-01T00:00:00+00:00' WHERE uuid = 'done'")
    database.close()
    step = Disk.step

    def busy(self: Disk, operation: str, path: Path) -> None:
        if operation == "rename" and ".trash" in path.name:
            raise OSError(errno.EBUSY, "Device or resource busy", str(path))
        step(self, operation, path)

    monkeypatch.setattr(Disk, "step", busy)
    result = run("tasks", "archive")
    assert (result.exit_code, result.stdout) == (9, "0 tasks removed\n")
    assert "error: Task done could not be removed" in result.stderr and "busy" in result.stderr
