"""A process killed at any change: what it acknowledged is there, tasks have one state, recovery happens once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sherloc.context_storage import TaskCatalog, TaskContextManager
from sherloc.context_storage.jsonl import encode_record, read_records
from sherloc.context_storage.view import newest_with_range, view

from .killing import SYNC, Run

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
HOMES = ("running", "paused", "completed")


Context = dict[str, Any]


def kill_points(
    folder: Path,
    *,
    first: int,
    step: int,
    half: bool = False,
    split: bool = False,
    contexts: list[Context] | None = None,
) -> dict[int, Context]:
    """Kill children at every STEP-th change, or write, from the FIRST on; at which changes that was, with settings."""
    program = [sys.executable, "-m", "tests.context_storage.killing", str(folder), str(first), str(step)]
    done = subprocess.run(
        [*program, "half" if half else "whole", "split" if split else "one", json.dumps(contexts or [{}])],
        cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    return dict(json.loads(line) for line in done.stdout.splitlines())


def acknowledged(log: Path) -> list[list[Any]]:
    return [json.loads(line) for line in log.read_bytes().splitlines()] if log.exists() else []


def snapshot(base: Path, catalog: TaskCatalog) -> dict[str, Any]:
    """Every byte below the base_dir but the database's, and every row."""
    files = {
        str(path.relative_to(base)): path.read_bytes()
        for path in sorted(base.rglob("*"))
        if path.is_file() and not path.name.startswith("tasks.db")
    }
    return {"files": files, "rows": [task.row for task in catalog.tasks()]}


def verify(base: Path, log: Path, context: Context) -> None:
    """All that must hold after a kill."""
    config = {"context": {**SYNC, **context}}
    done = acknowledged(log)
    operations = Run(base, None, {}).operations()
    assert done == [operation[0] for operation in operations[: len(done)]]
    before: dict[str, str] = {}
    for _, _, states in operations[: len(done)]:
        before.update(states)
    after = {**before, **(operations[len(done)][2] if len(done) < len(operations) else {})}
    with TaskCatalog(base, config) as catalog:
        assert catalog.problems == []
        first = snapshot(base, catalog)
        states = {task.row.uuid: task.row.status for task in catalog.tasks()}
    for uuid in "abcd":
        found = states.get(uuid, "gone" if before.get(uuid) else None)
        assert found in (before.get(uuid), after.get(uuid)), (uuid, found)
        homes = [home for home in HOMES if (base / home / uuid).exists()]
        expected = {"failed": "completed", "gone": "", None: ""}.get(found, found)
        assert homes == ([expected] if expected else []), uuid
    with TaskCatalog(base, config) as catalog:
        assert snapshot(base, catalog) == first, "a second recovery changes nothing"
        open_tasks = [task.row.uuid for task in catalog.tasks() if task.state in ("interrupted", "paused")]
        for uuid in open_tasks:
            verify_task(base, uuid, done, lambda uuid=uuid: catalog.resume(uuid))
        assert [p.name for home in HOMES for p in (base / home).iterdir() if p.name.startswith(".")] == []
    for uuid in [uuid for uuid, state in states.items() if state in ("completed", "failed")]:
        verify_records(base / "completed" / uuid, uuid, done)
        if ["complete", uuid] in done:
            assert (base / "completed" / uuid / "final_summary.txt").read_text() == f"summary of {uuid}"


def verify_task(base: Path, uuid: str, done: list[list[Any]], resume: Any) -> None:
    task: TaskContextManager = resume()
    with task:
        folder = task.context_dir
        verify_records(folder, uuid, done)
        messages = list(read_records(folder / "messages.jsonl", strict=True))
        summary = newest_with_range(read_records(folder / "summaries.jsonl", strict=True))
        expected = b"".join(encode_record(shown.form) for shown in view(messages, summary))
        current = folder / "current.jsonl"
        assert (current.read_bytes() if current.exists() else b"") == expected
        if ["compress", uuid] in done:
            assert summary is not None and task.message_store.count_current() < 7
        before = task.message_store.count_messages()
        assert task.message_store.add_message("user", "after") == before + 1
        assert task.message_store.count_current() == len(task.message_store.current_messages())


def verify_records(folder: Path, uuid: str, done: list[list[Any]]) -> None:
    messages = [(m["seq"], m["content"]) for m in read_records(folder / "messages.jsonl", strict=True)]
    told = [(seq, text) for kind, *rest in done if kind == "message" for who, seq, text in [rest] if who == uuid]
    assert messages[: len(told)] == told or uuid == "d"
    assert len(messages) <= len(told) + 1 or uuid == "d"
    assert len({seq for seq, _ in messages}) == len(messages)
    if ["value", uuid, "key", {"score": 4}] in done:
        assert [r["value"] for r in read_records(folder / "values.jsonl", strict=True)] == [{"score": 4}]
    for kind, name in (("tool", "tools.jsonl"), ("plan", "planning.jsonl")):
        if [kind, uuid, 1] in done:
            assert len(list(read_records(folder / name, strict=True))) == 1


@pytest.mark.parametrize(("half", "split", "first"), [(False, False, 3), (True, False, 2), (False, True, 7)])
def test_a_sample_of_kill_points(folder: Path, half: bool, split: bool, first: int) -> None:
    points = kill_points(folder, first=first, step=15 if half else 66, half=half, split=split)
    assert points
    for at, context in points.items():
        verify(folder / f"{at}", folder / f"{at}.log", context)


@pytest.mark.slow
@pytest.mark.parametrize(("half", "split"), [(False, False), (True, False), (False, True), (True, True)])
def test_every_kill_point(folder: Path, half: bool, split: bool) -> None:
    points = kill_points(folder, first=1, step=1, half=half, split=split)
    assert len(points) > (35 if half else 150)
    for at, context in points.items():
        verify(folder / f"{at}", folder / f"{at}.log", context)
