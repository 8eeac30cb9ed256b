"""Damage, locks, missing rights, full disks, many processes: never a wrong vector, never an error."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sherloc.sqlite import MEMORY, Database, DatabaseUnwritableError
from sherloc.vectors import sqlite_store
from sherloc.vectors.arrays import Matrix, to_unit
from sherloc.vectors.sqlite_store import SqliteVectorStore

ROOT = Path(__file__).parents[2]
AXES = np.eye(4, dtype=np.float32)
KEYS = ["a", "b", "c", "d"]


def make(folder: Path, identity: str = "e-1", **options: Any) -> SqliteVectorStore:
    return SqliteVectorStore(identity, 4, folder, **options)


def codes(store: SqliteVectorStore) -> list[str]:
    return [problem.code for problem in store.problems]


def is_right(found: dict[str, Matrix]) -> bool:
    return all(np.array_equal(row, AXES[KEYS.index(key)]) for key, row in found.items())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with four vectors in it."""
    store = make(tmp_path)
    store.upsert(KEYS, AXES)
    store.close()
    return Path(store.path)


def change(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_the_file_is_named_after_the_embedder(tmp_path: Path) -> None:
    names = {Path(make(tmp_path, name).path).name for name in ("e-1", "e-2", "e 1", "../x\0")}
    assert len(names) == 4
    assert all(name.startswith("vectors-") and name.endswith(".sqlite") for name in names)
    assert sorted(p.name for p in tmp_path.iterdir() if p.suffix == ".sqlite") == sorted(names)


@pytest.mark.parametrize(
    ("statement", "left"),
    [
        ("UPDATE vector SET data = zeroblob(8) WHERE key = 'b'", 3),
        ("UPDATE vector SET data = x'' WHERE key = 'b'", 3),
        ("UPDATE vector SET data = 'text1234' WHERE key = 'b'", 3),
        ("UPDATE vector SET data = 17 WHERE key = 'b'", 3),
        ("UPDATE vector SET checksum = 'x' WHERE key = 'b'", 3),
        ("UPDATE vector SET used = 'yesterday' WHERE key = 'b'", 4),
        ("UPDATE vector SET data = (SELECT data FROM vector WHERE key = 'c') WHERE key = 'b'", 3),
        ("UPDATE vector SET key = 'z' WHERE key = 'b'", 3),
        ("UPDATE vector SET key = x'00ff' WHERE key = 'b'", 3),
        ("DROP TABLE vector", 0),
        ("ALTER TABLE vector RENAME COLUMN data TO date", 0),
        ("PRAGMA user_version = 99", 0),
        ("PRAGMA user_version = 0", 0),
    ],
)
@pytest.mark.parametrize("first", ["get", "nearest", "count", "upsert"])
def test_a_changed_vector_is_never_used(path: Path, statement: str, left: int, first: str) -> None:
    change(path, statement)
    store = make(path.parent)
    if first == "upsert":
        store.upsert(["a"], AXES[:1])
        left = max(left, 1)
    elif first == "nearest":
        assert len(store.nearest(AXES[0], 9)) == left
    elif first == "count":
        store.count()
    found = store.get([*KEYS, "z"])
    assert (len(found), is_right(found)) == (left, True)
    assert {key for key, _ in store.nearest(AXES[0], 9)} == set(found)
    assert codes(store) in ([], ["vectors_rebuilt"])
    store.upsert(KEYS, AXES)
    store.close()
    again = make(path.parent)
    assert (len(again.get(KEYS)), again.count(), codes(again)) == (4, 4, [])


def test_a_file_of_another_embedder_under_this_name_holds_nothing(path: Path) -> None:
    other = make(path.parent, "e-2")
    other.close()
    os.replace(path, other.path)
    assert make(path.parent, "e-2").get(KEYS) == {}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 12287), st.binary(min_size=1, max_size=200))
def test_no_damage_gives_a_wrong_vector(path: Path, at: int, junk: bytes) -> None:
    folder = path.parent
    store = make(folder)
    store.upsert(KEYS, AXES)
    store.close()
    data = path.read_bytes()
    path.write_bytes(data[:at] + junk + data[at + len(junk) :])
    damaged = make(folder)
    assert is_right(damaged.get(KEYS))
    assert set(dict(damaged.nearest(AXES[0], 9))) <= set(KEYS)
    damaged.upsert(KEYS, AXES)
    assert is_right(damaged.get(KEYS)) and len(damaged.get(KEYS)) == 4
    damaged.close()
    path.unlink(missing_ok=True)


@pytest.mark.parametrize("content", [b"", b"not a database" * 100, b"SQLite format 3\0" + b"\xff" * 4000])
def test_what_is_no_database_is_replaced(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    store = make(path.parent)
    assert store.get(KEYS) == {}
    store.upsert(KEYS, AXES)
    store.close()
    assert len(make(path.parent).get(KEYS)) == 4


def test_a_folder_in_the_files_place_goes_on_in_memory(tmp_path: Path) -> None:
    name = Path(make(tmp_path / "x").path).name
    (tmp_path / name).mkdir()
    store = make(tmp_path)
    store.upsert(KEYS, AXES)
    assert (len(store.get(KEYS)), store.path, codes(store)) == (4, MEMORY, ["vectors_in_memory"])


def test_a_file_that_can_only_be_read_is_used(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Database.__init__

    def unwritable(self: Database, where: Any, migrations: Any, **options: Any) -> None:
        if where != MEMORY and not options.get("read_only"):
            raise DatabaseUnwritableError("attempt to write a readonly database")
        real(self, where, migrations, **options)

    monkeypatch.setattr(Database, "__init__", unwritable)
    store = make(path.parent)
    assert (len(store.get(KEYS)), store.count(), codes(store)) == (4, 4, ["vectors_in_memory"])
    store.upsert(["new", "a"], AXES[2:])
    assert store.nearest(AXES[3], 2) == [("a", 1.0), ("d", 1.0)]
    assert (store.count(), list(store.get(["new", "b"]))) == (5, ["new", "b"])
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    damaged = make(path.parent)
    damaged.upsert(["new"], AXES[:1])
    assert list(damaged.get(["new"])) == ["new"] and is_right(damaged.get(KEYS))
    assert damaged.nearest(AXES[0], 9)[0] == ("new", 1.0)


def test_a_full_disk_keeps_what_was_stored(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Database.__init__

    def small(self: Database, where: Any, *rest: Any, **options: Any) -> None:
        real(self, where, *rest, **options)
        if where != MEMORY:
            self.execute("PRAGMA max_page_count = 10")

    monkeypatch.setattr(Database, "__init__", small)
    store = make(path.parent)
    many = to_unit(np.random.default_rng(0).normal(size=(2000, 4)))
    keys = [f"k{n}" for n in range(2000)]
    store.upsert(keys, many)
    assert (len(store.get(keys)), len(store.get(KEYS)), codes(store)) == (2000, 4, ["vectors_in_memory"])
    assert (store.count(), store.nearest(many[5], 1)[0][1]) == (2004, 1.0)
    store.close()
    monkeypatch.undo()
    assert len(make(path.parent).get(KEYS)) == 4


HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def hold() -> Iterator[Callable[[Path], None]]:
    running: list[subprocess.Popen[str]] = []

    def start(path: Path) -> None:
        process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        running.append(process)
        assert process.stdout and process.stdout.readline() == "held\n"

    yield start
    for process in running:
        process.communicate("")


def test_a_held_file_is_read_and_writing_goes_on_in_memory(
    path: Path, hold: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Database.__init__
    monkeypatch.setattr(Database, "__init__", lambda self, *a, **k: real(self, *a, **{**k, "busy_seconds": 0.2}))
    change(path, "UPDATE vector SET used = 0")
    hold(path)
    store = make(path.parent)
    assert (len(store.get(KEYS)), codes(store)) == (4, [])
    store.upsert(["new"], AXES[:1])
    assert (codes(store), "another process" in store.problems[0].message) == (["vectors_in_memory"], True)
    assert list(store.get(["a", "new"])) == ["a", "new"]
    assert store.nearest(AXES[0], 2) == [("a", 1.0), ("new", 1.0)]


def test_the_least_used_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1_000_000]
    monkeypatch.setattr(sqlite_store.time, "time", lambda: now[0])
    many = to_unit(np.random.default_rng(0).normal(size=(1500, 384)))
    store = SqliteVectorStore("e", 384, tmp_path, max_bytes=1_000_000)
    for part in range(5):
        now[0] += 10_000
        keys = [f"{part}-{n}" for n in range(300)]
        store.get([f"0-{n}" for n in range(100)])  # half of the first are in use
        store.upsert(keys, many[300 * part : 300 * part + 300])
    assert len(store.get([f"0-{n}" for n in range(100)])) == 100
    assert store.get([f"0-{n}" for n in range(100, 300)]) == {}
    assert len(store.get([f"4-{n}" for n in range(300)])) == 300
    assert 900 < store.count() < 1200
    assert sum(path.stat().st_size for path in tmp_path.glob("*.sqlite")) < 1_400_000
    assert store.problems == []


def test_stores_of_other_embedders_go_when_the_folder_is_full(tmp_path: Path) -> None:
    many = to_unit(np.random.default_rng(0).normal(size=(1200, 384)))
    keys = [f"k{n}" for n in range(1200)]
    paths = []
    for name in ("old", "new"):
        store = SqliteVectorStore(name, 384, tmp_path, max_bytes=1_500_000)
        store.upsert(keys, many)
        store.close()
        paths.append(Path(store.path))
        os.utime(paths[-1], (1, 1))
    assert [path.exists() for path in paths] == [False, True]


WRITER = """
import sys, numpy as np
from pathlib import Path
from sherloc.vectors.arrays import to_unit
from sherloc.vectors.sqlite_store import SqliteVectorStore
me, folder = int(sys.argv[1]), Path(sys.argv[2])
vectors = to_unit(np.random.default_rng(me).normal(size=(600, 8)))
store = SqliteVectorStore("storm", 8, folder)
for at in range(0, 600, 20):
    store.upsert([f"{me}-{n}" for n in range(at, at + 20)], vectors[at : at + 20])
    assert store.nearest(vectors[at], 1)[0][1] == 1.0
print([p.message for p in store.problems])
"""


def test_many_processes_write_at_once(tmp_path: Path) -> None:
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(n), str(tmp_path)], cwd=ROOT,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for n in range(4)
    ]  # fmt: skip
    outputs = [worker.communicate() for worker in workers]
    assert outputs == [("[]\n", "")] * 4
    store = SqliteVectorStore("storm", 8, tmp_path)
    assert store.count() == 2400
    for n in range(4):
        vectors = to_unit(np.random.default_rng(n).normal(size=(600, 8)))
        found = store.get([f"{n}-{at}" for at in range(600)])
        assert np.array_equal(np.stack(list(found.values())), vectors)


@pytest.mark.slow
def test_killed_writers_leave_whole_vectors(tmp_path: Path) -> None:
    for round_ in range(10):
        worker = subprocess.Popen([sys.executable, "-c", WRITER, "0", str(tmp_path)], cwd=ROOT)
        with pytest.raises(subprocess.TimeoutExpired):
            worker.wait(0.25 + 0.01 * round_)
            raise subprocess.TimeoutExpired("", 0)  # finished before
        worker.kill()
        worker.wait()
        store = SqliteVectorStore("storm", 8, tmp_path)
        vectors = to_unit(np.random.default_rng(0).normal(size=(600, 8)))
        for key, row in store.get([f"0-{n}" for n in range(600)]).items():
            assert np.array_equal(row, vectors[int(key[2:])])
        assert store.problems == []
        store.close()
