"""A task's key, a long text, and where a task's folder lies."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from sherloc.context_storage import TaskKey

MEMORY = Path("/dev/shm")
FAST = {"context": {"fsync": False}}
KEY = TaskKey("a", "explore", "12", "owner/name", "someone")
RESUMED = replace(KEY, is_resumed=True)
LONG = "The parser reads the header and then the body of every file. " * 8
HOMES = ("running", "paused", "completed")


def execute(base: Path, *statements: str) -> None:
    with closing(sqlite3.connect(base / "tasks.db", isolation_level=None)) as database:
        for statement in statements:
            database.execute(statement)


def where(base: Path, uuid: str = "a") -> list[str]:
    return [home for home in HOMES if (base / home / uuid).is_dir()]
