"""Files and rows that no sherloc wrote: an error in words or a repaired read, never anything else."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherloc.context_storage import TaskCatalog, TaskContextManager, TaskKey, ValueStore, open_task
from sherloc.context_storage.shapes import LARGEST, shape_of
from sherloc.context_storage.testing import Summariser
from sherloc.errors import CorruptHistoryError, TaskError, TaskStateError, TaskStoreError, UsageError

from .places import KEY, RESUMED
from .spoiling import FAST, FILES, ROOT, copied, fill, go_through, touched, use

ODD_NUMBERS: list[Any] = ["1", None, 1.5, 1e300, -1, 0, True, 10**30, [], {}]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("odd", ODD_NUMBERS, ids=repr)
def test_a_number_that_is_none(filled: Path, name: str, odd: object) -> None:
    fields = [field for field in ("seq", "id", "tokens", "to_seq", "tokens_saved") if field in shape_of(name)]
    with copied(filled) as base:
        path = base / "running/a" / name
        lines = path.read_bytes().splitlines(keepends=True)
        for field in fields:
            path.write_bytes(json.dumps({**json.loads(lines[0]), field: odd}).encode() + b"\n" + b"".join(lines))
            go_on = field in ("tokens", "to_seq", "tokens_saved") and (odd is None or (odd == 0 and odd is not False))
            if not go_on:
                with pytest.raises(CorruptHistoryError, match=rf"Line 1 .*{name}.* {field} is"):
                    TaskContextManager(base, RESUMED, FAST)
            with TaskContextManager(base, RESUMED, FAST, Summariser("s"), salvage=True) as task:
                use(task)


ODD = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=3,
)


@st.composite
def spoiling(draw: st.DrawFn) -> tuple[str, Callable[[list[bytes]], list[bytes]]]:
    """A file, and what happens to a line of it: a field of the wrong type or gone, or another line."""
    name = draw(st.sampled_from(FILES))
    field = draw(st.sampled_from([*shape_of(name), "result", "function", ""]))
    odd, at, gone = draw(ODD), draw(st.integers(0, 9)), draw(st.booleans())

    def spoil(lines: list[bytes]) -> list[bytes]:
        place = at % len(lines)
        record = json.loads(lines[place])
        if not field:
            record = odd
        elif field == "function" and record.get("tool_calls"):
            record["tool_calls"][0] = odd
        elif gone:
            record.pop(field, None)
        else:
            record[field] = odd
        return [*lines[:place], json.dumps(record).encode() + b"\n", *lines[place + 1 :]]

    return name, spoil


Spoilt = tuple[str, Callable[[list[bytes]], list[bytes]]]


@settings(max_examples=10, deadline=None)
@given(spoilt=spoiling())
def test_a_field_of_any_type(filled: Path, spoilt: Spoilt) -> None:
    spoil_a_field(filled, spoilt)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(spoilt=spoiling())
def test_many_fields_of_any_type(filled: Path, spoilt: Spoilt) -> None:
    spoil_a_field(filled, spoilt)


def spoil_a_field(filled: Path, spoilt: Spoilt) -> None:
    name, spoil = spoilt
    with copied(filled) as base:
        path = base / "running/a" / name
        path.write_bytes(b"".join(spoil(path.read_bytes().splitlines(keepends=True))))
        go_through(base)


@settings(max_examples=10, deadline=None)
@given(field=st.sampled_from(["uuid", "created_at", "task_type", "task_identifier", "repository", "user", ""]), odd=ODD)
def test_metadata_of_any_type(filled: Path, field: str, odd: object) -> None:
    with copied(filled) as base:
        path = base / "running/a/metadata.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), field: odd} if field else odd))
        for gone in base.glob("tasks.db*"):
            gone.unlink()
        with TaskCatalog(base, FAST) as catalog:
            for state in catalog.tasks():
                catalog.why(state.row.uuid)
        for key in (KEY, RESUMED):
            with suppress(TaskError, UsageError):
                TaskContextManager(base, key, FAST).close()
        with open_task(TaskKey("b", "explore", "12", "owner/name", "someone"), FAST, base_dir=base) as task:
            task.complete()


TABLES = {
    "tasks": ("uuid", "status", "task_type", "task_identifier", "repository", '"user"', "created_at", "updated_at",
              "completed_at", "metadata", "total_messages", "final_token_count", "error_message"),
    "leases": ("token", "host", "pid", "world", "started", "heartbeat", "seconds"),
    "moves": ("uuid", "source", "target", "status", "error_message"),
}  # fmt: skip

CELL = (
    st.none() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.binary(max_size=4)
    | st.text(st.characters(codec="utf-8"), max_size=5)
    | st.sampled_from(["../..", "..", "running", "[", '{"compression": 5}'])
)  # fmt: skip

CELLS = st.sampled_from([(table, column) for table in sorted(TABLES) for column in TABLES[table]])


@settings(max_examples=20, deadline=None)
@given(place=CELLS, cell=CELL)
def test_cells_of_any_type(filled: Path, place: tuple[str, str], cell: object) -> None:
    spoil_a_cell(filled, place, cell)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(place=CELLS, cell=CELL)
def test_many_cells_of_any_type(filled: Path, place: tuple[str, str], cell: object) -> None:
    spoil_a_cell(filled, place, cell)


def spoil_a_cell(filled: Path, place: tuple[str, str], cell: object) -> None:
    table, column = place
    with copied(filled) as base:
        outside = base.parent / "precious"
        outside.mkdir()
        with closing(sqlite3.connect(base / "tasks.db", isolation_level=None)) as database:
            database.execute("INSERT INTO leases VALUES ('a', 't', 'h', 1, 'w', 's', 0.0, 1.0)")
            database.execute("INSERT INTO moves VALUES ('a', 'running', 'completed', 'completed', NULL, 'then')")
            if table == "tasks":
                database.execute("DELETE FROM moves")
            try:
                database.execute(f"UPDATE {table} SET {column} = ?", (cell,))
            except sqlite3.IntegrityError:
                return
        try:
            with TaskCatalog(base, FAST) as catalog:
                for state in catalog.tasks():
                    catalog.why(state.row.uuid)
                catalog.archive(older_than_days=0)
        except TaskError:
            pass
        for key in (KEY, RESUMED):
            try:
                with TaskContextManager(base, key, FAST, Summariser("s")) as task:
                    use(task)
            except (TaskError, UsageError):
                pass
        assert outside.is_dir()
        assert sum(1 for home in ("running", "completed") if (base / home / "a/messages.jsonl").exists()) <= 1


def test_a_row_that_is_no_task_does_not_stand_in_the_way(filled: Path) -> None:
    with copied(filled) as base:
        with closing(sqlite3.connect(base / "tasks.db", isolation_level=None)) as database:
            database.execute("INSERT INTO tasks (uuid, status, task_type, created_at) VALUES ('x', 'odd', 't', 'c')")
            database.execute("INSERT INTO moves VALUES ('../../x', '', 'running', 'running', NULL, 'then')")
            database.execute("INSERT INTO moves VALUES ('y', '../..', 'archive', 'completed', NULL, 'then')")
        with TaskCatalog(base, FAST) as catalog:
            assert [task.row.uuid for task in catalog.tasks()] == ["a"]
            assert [p.code for p in catalog.problems] == ["move_not_completed", "move_not_completed", "row_damaged"]
            with pytest.raises(TaskStoreError, match=r"'x' .*tasks is damaged: status is 'odd'"):
                catalog.get("x")
        with TaskContextManager(base, RESUMED, FAST) as task:
            assert task.message_store.count_messages() == 5


@pytest.mark.parametrize("spoil", ["text", "empty", "column", "table", "folder", "pipe", "later"])
def test_a_database_that_is_none(filled: Path, spoil: str) -> None:
    with copied(filled) as base:
        path = base / "tasks.db"
        if spoil in ("column", "table", "later"):
            statement = {
                "column": "ALTER TABLE tasks RENAME COLUMN completed_at TO done", "table": "DROP TABLE moves",
                "later": "PRAGMA user_version=99",
            }[spoil]  # fmt: skip
            with closing(sqlite3.connect(path)) as database:
                database.execute(statement)
                database.commit()
        else:
            for each in base.glob("tasks.db*"):
                each.unlink()
            makers: dict[str, Callable[[], object]] = {
                "text": lambda: path.write_text("no database\n" * 400), "empty": path.touch, "folder": path.mkdir,
                "pipe": lambda: os.mkfifo(path),
            }  # fmt: skip
            makers[spoil]()
        if spoil == "empty":
            with TaskCatalog(base, FAST) as catalog:
                assert [task.row.uuid for task in catalog.tasks()] == ["a"]
            return
        for opens in (
            lambda: TaskCatalog(base, FAST), lambda: TaskContextManager(base, RESUMED, FAST),
            lambda: open_task(KEY, FAST, base_dir=base),
        ):  # fmt: skip
            with pytest.raises(TaskStoreError, match=r"tasks\.db") as caught:
                opens()
            assert caught.value.hint


BASES: dict[str, Callable[[Path], Path]] = {
    "device": lambda folder: Path(os.devnull),
    "file": lambda folder: touched(folder / "file"),
    "under a file": lambda folder: touched(folder / "file") / "tasks",
    "long name": lambda folder: folder / ("n" * 300),
    "home is a file": lambda folder: touched(folder / "running").parent,
    "dangling link": lambda folder: _linked(folder / "link", folder / "none") / "tasks",
    "loop": lambda folder: _linked(folder / "loop", folder / "loop"),
}


def _linked(path: Path, target: Path) -> Path:
    path.symlink_to(target)
    return path


@pytest.mark.parametrize("base", BASES.values(), ids=BASES)
def test_a_base_dir_that_cannot_be_one(folder: Path, base: Callable[[Path], Path]) -> None:
    place = base(folder)
    if place.parent.name == "link":
        place.parent.unlink()
        place.parent.write_text("")
    for opens in (
        lambda: TaskContextManager(place, KEY, FAST), lambda: TaskCatalog(place, FAST),
        lambda: open_task(KEY, FAST, base_dir=place),
    ):  # fmt: skip
        with pytest.raises(TaskStoreError, match="cannot be read or written: ") as caught:
            opens()
        assert caught.value.hint and caught.value.exit_code == 9
    done = subprocess.run(
        [sys.executable, "-m", "sherloc", "tasks", "list", "--base-dir", str(place)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 9 and "cannot be read or written" in done.stderr and "--base-dir" in done.stderr


@pytest.mark.parametrize("base", ["a\0b", 7, None, b"x"])
def test_a_base_dir_that_is_no_path(base: Any) -> None:
    with pytest.raises(UsageError, match="base_dir is the path of a folder"):
        TaskContextManager(base, KEY, FAST)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs users")
def test_a_folder_that_may_not_be_written_or_read(folder: Path) -> None:
    program = """
        import os, sys
        from pathlib import Path
        from sherloc.context_storage import MessageStore, TaskCatalog, TaskContextManager, TaskKey
        from sherloc.errors import TaskStoreError
        place = Path(sys.argv[1])
        TaskCatalog(sys.argv[2]).close()  # imports all that is needed
        if os.geteuid() == 0:
            os.seteuid(65534)
        key = TaskKey("a", "explore", "12", "owner/name", "someone")
        for opens in (lambda: TaskContextManager(place, key), lambda: TaskCatalog(place)):
            try:
                opens()
            except TaskStoreError as error:
                print(error)
    """
    folder.chmod(0o755)
    with TaskContextManager(folder / "tasks", KEY, FAST) as task:
        task.message_store.add_message("user", "hello")
    for mode in (0o555, 0o000):
        (folder / "tasks").chmod(mode)
        lines = "\n".join(line[8:] for line in program.split("\n"))
        command = [sys.executable, "-c", lines, str(folder / "tasks"), str(folder / "other")]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
        (folder / "tasks").chmod(0o755)
        assert (done.returncode, done.stdout.count("Give another") + done.stdout.count("--base-dir")) == (0, 2), done


ODD_FILES: dict[str, Callable[[Path], object]] = {
    "folder": lambda path: path.mkdir(),
    "pipe": lambda path: os.mkfifo(path),
    "link": lambda path: path.symlink_to(touched(path.parents[2] / "outside")),
    "dangling link": lambda path: path.symlink_to(path.parents[2] / "none"),
    "device": lambda path: path.symlink_to(os.devnull),
}


@pytest.mark.parametrize("odd", ODD_FILES.values(), ids=ODD_FILES)
@pytest.mark.parametrize("name", [*FILES, ".marks.json"])
def test_a_file_of_a_task_that_is_no_plain_file(filled: Path, name: str, odd: Callable[[Path], object]) -> None:
    with copied(filled) as base:
        path = base / "running/a" / name
        path.unlink(missing_ok=True)
        odd(path)
        for key in (KEY, RESUMED):
            with pytest.raises(TaskStoreError, match="not a plain file; it was neither read nor written") as caught:
                TaskContextManager(base, key, FAST)
            assert str(path) in caught.value.message and caught.value.hint
        with pytest.raises(TaskStoreError):
            TaskContextManager(base, RESUMED, FAST, salvage=True)
        assert (
            not (base / "none").exists()
            and ((base / "outside").read_bytes() if (base / "outside").exists() else b"") == b""
        )


def test_a_link_that_comes_while_the_task_is_open_is_not_written_through(folder: Path) -> None:
    outside = touched(folder / "outside")
    with TaskContextManager(folder / "tasks", KEY, FAST) as task:
        fill(task)
        for name, add in (
            ("messages.jsonl", lambda: task.message_store.add_message("user", "x")),
            ("tools.jsonl", lambda: task.tool_store.add_tool_call("x", {})),
            ("values.jsonl", lambda: task.value_store.put("x", 1)),
            (".current.jsonl.tmp", lambda: task.message_store.recreate_current_context("x")),
        ):
            path = task.context_dir / name
            kept = path.read_bytes() if path.exists() else None
            path.unlink(missing_ok=True)
            path.symlink_to(outside)
            with pytest.raises(TaskStoreError, match="is a symbolic link"):
                add()
            path.unlink()
            if kept is not None:
                path.write_bytes(kept)
            assert outside.read_bytes() == b""
        assert task.message_store.add_message("user", "on") == 6


def test_a_task_folder_that_is_a_link_is_refused(filled: Path) -> None:
    with copied(filled) as base:
        elsewhere = base.parent / "elsewhere"
        (base / "running/a").rename(elsewhere)
        (base / "running/a").symlink_to(elsewhere)
        before = {path.name: path.read_bytes() for path in elsewhere.iterdir()}
        for key in (KEY, RESUMED):
            with pytest.raises(TaskStoreError, match="is a symbolic link, not a folder of a task"):
                TaskContextManager(base, key, FAST)
        with TaskCatalog(base, FAST) as catalog:
            state = catalog.get("a")
            assert (state.has_folder, list(state.records("messages.jsonl")), state.final_summary) == (False, [], None)
        for gone in base.glob("tasks.db*"):
            gone.unlink()
        with TaskCatalog(base, FAST) as catalog:
            assert catalog.tasks() == [] and [p.code for p in catalog.problems] == ["folder_refused"]
        with pytest.raises(TaskStoreError):
            TaskContextManager(base, KEY, FAST)
        assert {path.name: path.read_bytes() for path in elsewhere.iterdir()} == before


def test_an_earlier_run_that_cannot_be_read_is_no_reason_to_fail(filled: Path) -> None:
    with copied(filled) as base:
        with TaskContextManager(base, KEY, FAST) as task:
            task.complete()
        (base / "completed/a/planning.jsonl").unlink()
        os.mkfifo(base / "completed/a/planning.jsonl")
        with open_task(TaskKey("b", "explore", "12", "owner/name", "someone"), FAST, base_dir=base) as task:
            assert not task.has_inheritance_context()


def test_numbers_that_are_used_up(folder: Path) -> None:
    with TaskContextManager(folder, KEY, FAST) as task:
        task.tool_store.add_tool_call("x", {})
        path = task.context_dir / "tools.jsonl"
    path.write_text(json.dumps({**json.loads(path.read_text()), "seq": LARGEST}) + "\n")
    (path.parent / ".marks.json").unlink()
    with (
        TaskContextManager(folder, RESUMED, FAST) as task,
        pytest.raises(CorruptHistoryError, match=f"the seq {LARGEST}"),
    ):
        task.tool_store.add_tool_call("x", {})


def test_a_value_that_changed_under_an_open_store(folder: Path) -> None:
    spoilers: list[Callable[[Path], object]] = [
        lambda path: path.unlink(), lambda path: path.write_bytes(b'{"seq": 1, "key": "k"}\n'),
    ]  # fmt: skip
    for spoil in spoilers:
        store = ValueStore(folder)
        store.put("k", 1)
        spoil(store.path)
        with pytest.raises(CorruptHistoryError, match="changed while it was open"):
            store.get("k")
        store.path.unlink(missing_ok=True)


def test_a_context_that_was_changed_where_its_mark_does_not_look(folder: Path) -> None:
    with TaskContextManager(folder, KEY, FAST) as task:
        for _ in range(30):
            task.message_store.add_message("user", "x" * 400)
        shown = task.message_store.current_messages()
        path = task.context_dir / "current.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"role": "user"', b'"role": "mine"', 1))
    with TaskContextManager(folder, KEY, FAST) as task:
        assert task.message_store.current_messages() == shown
        assert "mine" not in path.read_text()


def test_a_task_that_ended_is_no_longer_written_by_its_fork(folder: Path) -> None:
    with TaskContextManager(folder, KEY, FAST) as task:
        fill(task)
        with task.fork("b") as forked:
            task.complete()
            with pytest.raises(TaskStateError):
                task.message_store.add_message("user", "late")
            assert forked.message_store.add_message("user", "on") == 6
