"""Damage, locks and missing rights: the answer stays that of a clean cache."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sherloc.indexer import store as store_module
from sherloc.indexer.builder import build_index
from sherloc.indexer.cache_files import cache_folder
from sherloc.indexer.index import Index
from sherloc.indexer.store import look_up
from sherloc.repository import open_tree
from sherloc.settings import CacheSettings, load_settings
from sherloc.sqlite import MEMORY, Database, DatabaseBusyError, DatabaseCorruptError, DatabaseUnwritableError

Make = Callable[..., Path]
FILES = {f"pkg/m{n}.py": f'def f{n}(x):\n    """Doc {n}."""\n    return g{n}(x)\n' for n in range(12)}
OTHERS = {"docs/a.rst": "Words of the docs.\n"}


def index(repo: Path) -> Index:
    return build_index(open_tree(repo), load_settings({"cache": {"workers": 1}}))


def content(i: Index) -> tuple[Any, ...]:
    arrays = {f"{name}{n}": a.tolist() for name, s in (("c", i.code), ("s", i.side)) for n, a in s.arrays.items()}
    return arrays, i.code._texts, i.side._texts


def change(store: Path, *statements: str) -> None:
    connection = sqlite3.connect(store)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def codes(i: Index) -> list[str]:
    return [d.code for d in i.info.diagnostics]


@pytest.fixture
def repo(make_repository: Make) -> Path:
    return make_repository({**FILES, **OTHERS})


@pytest.fixture
def first(repo: Path) -> Index:
    return index(repo)


def test_each_stored_column_is_covered_by_the_checksum(repo: Path, first: Index) -> None:
    store = Path(first.info.storage)
    wanted = content(first)
    connection = sqlite3.connect(store)
    names = [name for (name,) in connection.execute("SELECT name FROM tree_column WHERE length(data) > 0")]
    connection.close()
    assert "code.term_starts" in names and "code.post_tf" in names
    for name in names:
        change(store, f"UPDATE tree_column SET data = zeroblob(length(data)) WHERE name = '{name}'")
        before = sqlite3.connect(store).execute("SELECT count(*) FROM tree").fetchone()
        again = index(repo)
        assert content(again) == wanted, name
        if again.info.parsed:  # a column of zeros is not changed by writing zeros
            assert (codes(again), before) == (["index_rebuilt"], (1,))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE record SET data = substr(data, 1, length(data) - 1) || x'07'",
        "UPDATE record SET data = x''",
        "UPDATE record SET data = 'text'",
        "UPDATE record SET data = 17",
        "UPDATE record SET reason = 'binary'",
        "UPDATE record SET checksum = 'x'",
        "UPDATE record SET key = (SELECT max(key) FROM record) || rowid, used = 'yesterday'",
    ],
)
def test_a_changed_record_is_never_used(repo: Path, first: Index, statement: str) -> None:
    change(Path(first.info.storage), "DELETE FROM tree", "DELETE FROM tree_column", statement)
    again = index(repo)
    assert content(again) == content(first)
    assert again.info.parsed == 13


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE tree SET head = '[]'",
        "UPDATE tree SET head = x'ff00'",
        "UPDATE tree SET head = replace(head, '13', '14')",
        "UPDATE tree SET used = 'yesterday'",
        "UPDATE tree SET checksum = checksum + 1",
        "DELETE FROM tree_column WHERE name = 'code.kind'",
        "UPDATE tree_column SET name = name || 'x' WHERE name = 'code.kind'",
        "DROP TABLE tree_column",
        "DROP TABLE record",
        "DROP TABLE tree",
        "ALTER TABLE tree RENAME COLUMN head TO foot",
        "ALTER TABLE record RENAME COLUMN data TO date",
        "PRAGMA user_version = 99",
        "PRAGMA user_version = 1",
        "PRAGMA user_version = 0",
    ],
)
def test_a_changed_index_is_rebuilt(repo: Path, first: Index, statement: str) -> None:
    change(Path(first.info.storage), statement)
    again = index(repo)
    assert content(again) == content(first)
    assert codes(again) in ([], ["index_rebuilt"])
    third = index(repo)
    assert (content(third), third.info.parsed, codes(third)) == (content(first), 0, [])


@pytest.mark.parametrize("head", ["[]", "{}", "1", '{"files": 1}', "null"])
def test_a_head_that_means_nothing_counts_as_damage(repo: Path, first: Index, head: str) -> None:
    connection = sqlite3.connect(first.info.storage)
    ((key,),) = connection.execute("SELECT key FROM tree").fetchall()
    columns = dict(connection.execute("SELECT name, data FROM tree_column"))
    checksum = store_module._tree_checksum(key, head, columns)
    connection.execute("UPDATE tree SET head = ?, checksum = ?", (head, checksum))
    connection.commit()
    connection.close()
    again = index(repo)
    assert content(again) == content(first)
    assert codes(again) == ["index_rebuilt"]


HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute(sys.argv[2])
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def hold() -> Iterator[Callable[[Path, str], None]]:
    running: list[subprocess.Popen[str]] = []

    def start(path: Path, statement: str) -> None:
        process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(path), statement],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        running.append(process)
        assert process.stdout and process.stdout.readline() == "held\n"

    yield start
    for process in running:
        process.communicate("")


@pytest.mark.parametrize("statement", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
def test_a_held_index_is_read_at_once(repo: Path, first: Index, hold: Any, statement: str) -> None:
    change(Path(first.info.storage), "UPDATE tree SET used = 0")
    hold(Path(first.info.storage), statement)
    began = time.monotonic()
    again = index(repo)
    assert time.monotonic() - began < 2
    assert (content(again), again.info.parsed, codes(again)) == (content(first), 0, [])
    stored = look_up(Path(first.info.storage), first.info.key, [])
    assert stored and (stored.records, stored.problem) == (13, "")


def test_a_held_index_that_must_be_written_goes_on_in_memory(
    repo: Path, first: Index, hold: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Database.__init__
    monkeypatch.setattr(Database, "__init__", lambda self, *a, **k: real(self, *a, **{**k, "busy_seconds": 0.2}))
    (repo / "pkg/new.py").write_text("def new():\n    pass\n")
    hold(Path(first.info.storage), "BEGIN IMMEDIATE")
    again = index(repo)
    assert (again.info.parsed, again.info.storage, codes(again)) == (1, MEMORY, ["index_in_memory"])
    assert "is held by another process" in again.info.diagnostics[0].message
    assert again.units_named("new") and again.units_named("f3")


def test_an_index_held_from_the_first_moment_on_goes_on_in_memory(
    repo: Path, first: Index, hold: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Database.__init__
    monkeypatch.setattr(Database, "__init__", lambda self, *a, **k: real(self, *a, **{**k, "busy_seconds": 0.2}))
    store = Path(first.info.storage)
    for each in store.parent.glob(store.name + "*"):
        each.unlink()
    hold(store, "BEGIN EXCLUSIVE")
    again = index(repo)
    assert (content(again), again.info.storage, codes(again)) == (content(first), MEMORY, ["index_in_memory"])
    stored = look_up(store, first.info.key, [])
    assert stored and "locked" in stored.problem


def test_a_cache_that_can_only_be_read_is_used(repo: Path, first: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Database.__init__

    def unwritable(self: Database, path: Any, migrations: Any, **options: Any) -> None:
        if path != MEMORY and not options.get("read_only"):
            raise DatabaseUnwritableError("attempt to write a readonly database")
        real(self, path, migrations, **options)

    monkeypatch.setattr(Database, "__init__", unwritable)
    again = index(repo)
    assert (content(again), again.info.parsed, codes(again)) == (content(first), 0, ["index_in_memory"])
    (repo / "pkg/new.py").write_text("def new():\n    pass\n")
    changed = index(repo)
    assert changed.info.parsed == 1
    assert changed.units_named("new") and changed.units_named("f3")
    data = Path(first.info.storage).read_bytes()
    Path(first.info.storage).write_bytes(data[:8192] + b"\0" * (len(data) - 8192))
    damaged = index(repo)
    assert damaged.units_named("new") and damaged.units_named("f3")


def test_a_full_disk_keeps_the_records_that_were_stored(make_repository: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = make_repository({f"m{n}.py": f"def f{n}():\n    return {n} + {'g' * n}\n" for n in range(1, 400)})
    real = Database.__init__

    def small(self: Database, path: Any, *rest: Any, **options: Any) -> None:
        real(self, path, *rest, **options)
        if path != MEMORY:
            self.execute("PRAGMA max_page_count = 48")

    monkeypatch.setattr(Database, "__init__", small)
    full = index(repo)
    assert (full.info.storage, full.info.parsed) == (MEMORY, 399)
    (store,) = cache_folder(CacheSettings()).glob("*.sqlite")
    stored = look_up(store, full.info.key, [])
    assert stored and stored.records == 256  # one flush of two was stored
    monkeypatch.setattr(Database, "__init__", real)
    assert content(index(repo)) == content(full)


def test_errors_of_sqlite_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    migrations = ["CREATE TABLE t (x)"]
    database = Database(path, migrations, busy_seconds=0.05)
    with pytest.raises(DatabaseCorruptError, match="no such table"):
        database.execute("SELECT * FROM missing")
    with pytest.raises(DatabaseCorruptError, match="another version"):
        Database(path, [])
    other = Database(path, migrations, busy_seconds=0.05)
    with database.transaction():
        database.execute("INSERT INTO t VALUES (1)")
        with pytest.raises(DatabaseBusyError), other.transaction():
            pass
        began = time.monotonic()
        slow = Database(path, migrations, busy_seconds=5)
        with pytest.raises(DatabaseBusyError), slow.transaction(wait=False):
            pass
        assert time.monotonic() - began < 1
    assert other.execute("SELECT x FROM t") == [(1,)]
    with pytest.raises(sqlite3.OperationalError, match="syntax error"):
        database.execute("SELEC")
    for each in (database, other, slow):
        each.close()
    assert Database(path, migrations, read_only=True).execute("SELECT x FROM t") == [(1,)]
    with pytest.raises(DatabaseUnwritableError):
        Database(tmp_path / "none.sqlite", migrations, read_only=True)


def test_columns_in_parts_are_the_same_and_each_part_is_covered(
    repo: Path, first: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Path(first.info.storage)
    change(store, "DELETE FROM tree", "DELETE FROM tree_column")
    monkeypatch.setattr(store_module, "_PART", 100)
    assert content(index(repo)) == content(first)
    again = index(repo)
    assert content(again) == content(first)
    assert not again.info.parsed and not codes(again)
    for statement in (
        "DELETE FROM tree_column WHERE name = 'code.post_unit' AND part = 100",
        "UPDATE tree_column SET part = part + 7 WHERE name = 'code.post_unit' AND part = 100",
        "UPDATE tree_column SET data = zeroblob(length(data)) WHERE name = 'code.post_unit' AND part = 100",
        "UPDATE tree_column SET data = 'text' WHERE name = 'code.post_unit' AND part = 100",
    ):
        change(store, statement)
        rebuilt = index(repo)
        assert content(rebuilt) == content(first)
        assert codes(rebuilt) == ["index_rebuilt"]


def test_a_tree_key_is_part_of_the_checksum() -> None:
    columns: store_module.Columns = {"a": b"12", "b": b""}
    sums = {
        store_module._tree_checksum("k", json.dumps({}), columns),
        store_module._tree_checksum("j", json.dumps({}), columns),
        store_module._tree_checksum("k", json.dumps({}), {"a": b"1", "b": b"2"}),
        store_module._tree_checksum("k", json.dumps({}), {"a": b"12"}),
        store_module._tree_checksum("k", json.dumps([]), columns),
    }
    assert len(sums) == 5


def test_room_is_made_without_losing_more_than_must_go(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    database = Database(path, ["CREATE TABLE t (x)"])
    database.execute_many("INSERT INTO t VALUES (zeroblob(4000))", [()] * 500)
    full = database.size()
    assert full > 2_000_000
    database.execute("DELETE FROM t WHERE rowid <= 400")
    left = database.shrink()
    assert left < full / 4
    database.close()
    assert path.stat().st_size < full / 3


def test_a_store_over_its_limit_drops_only_unused_records(repo: Path, first: Index) -> None:
    store = store_module.IndexStore("x", "0" * 40, CacheSettings(max_bytes=3_000_000))
    old = {f"old{n}": ("", bytes([n % 251]) * 2000) for n in range(3000)}
    store.put_records(old)
    store._database.execute("UPDATE record SET used = 1")
    store.put_records({"new": ("", b"x")})
    store.save_tree("tree", {}, {"c": b"y"}, ["new"])
    kept = store.known([*old, "new"])
    assert "new" in kept and len(kept) == 1001  # two thousand had to go, and no more
    store.close()


def test_damaged_words_of_the_schema_are_damage(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    Database(path, ["CREATE TABLE some_table (x)"]).close()
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE some_table", b"CREATE\xa7TABLE\xa7some_table"))
    with pytest.raises(DatabaseCorruptError):
        Database(path, ["CREATE TABLE some_table (x)"]).execute("SELECT x FROM some_table")
