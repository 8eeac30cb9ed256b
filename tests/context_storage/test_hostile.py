"""Files, rows and values that no sherloc wrote: an error in words or a repaired read, never anything else."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherloc.context_storage import MessageStore, TaskCatalog, TaskContextManager, TaskKey, ValueStore, open_task
from sherloc.context_storage.exact import dump_exact, load_exact, whole_text
from sherloc.context_storage.jsonl import decode_record, encode_record
from sherloc.context_storage.shapes import LARGEST, shape_of
from sherloc.context_storage.testing import Summariser
from sherloc.errors import CorruptHistoryError, TaskError, TaskStateError, TaskStoreError, UsageError
from sherloc.protocols import ToolCall

from .conftest import MEMORY

ROOT = Path(__file__).parents[2]
FAST = {"context": {"fsync": False, "compression": {"keep_recent": 1, "min_to_compress": 1}}}
KEY = TaskKey("a", "explore", "12", "owner/name", "someone")
RESUMED = TaskKey("a", "explore", "12", "owner/name", "someone", is_resumed=True)
FILES = ("messages.jsonl", "summaries.jsonl", "tools.jsonl", "planning.jsonl", "values.jsonl", "current.jsonl")
ODD_NUMBERS: list[Any] = ["1", None, 1.5, 1e300, -1, 0, True, 10**30, [], {}]


def fill(task: TaskContextManager) -> None:
    """One record in each file, and a few messages."""
    store = task.message_store
    store.add_message("system", "prompt")
    store.add_message("user", "the issue")
    store.add_message("assistant", "", tool_calls=[ToolCall("c", "look", "{}")], reasoning="hm")
    store.add_message("tool", "42", "look", tool_call_id="c")
    store.add_message("user", "thanks")
    store.take_summary(lambda: task.summary_store.add_summary("short", 2, 1, from_seq=3, to_seq=4))
    task.tool_store.add_tool_call("look", {"at": 1}, [2], "no")
    task.planning_store.add_plan("initial", {"first": "this"})
    task.value_store.put("key", {"score": 4})


@pytest.fixture(scope="module")
def filled() -> Iterator[Path]:
    """A base_dir with a running task of which nothing is marked as whole."""
    made = Path(tempfile.mkdtemp(prefix="sherloc-", dir=MEMORY if os.access(MEMORY, os.W_OK) else None))
    with TaskContextManager(made, KEY, FAST) as task:
        fill(task)
    (made / "running/a/.marks.json").unlink()
    yield made
    shutil.rmtree(made)


@contextmanager
def copied(base: Path) -> Iterator[Path]:
    """A copy to spoil."""
    folder = Path(tempfile.mkdtemp(prefix="sherloc-", dir=MEMORY if os.access(MEMORY, os.W_OK) else None))
    try:
        yield Path(shutil.copytree(base, folder / "contexts"))
    finally:
        shutil.rmtree(folder)


def use(task: TaskContextManager) -> None:
    """Read everything, in every way."""
    for each in task.message_store.current_messages():
        assert isinstance(each.content, str)
    for key in list(task.value_store.keys()):
        task.value_store.get(key)
    task.summary_store.get_latest_summary()
    list(task.message_store.records())
    task.message_store.add_message("user", "next")
    task.tool_store.add_tool_call("look", {})
    task.planning_store.add_plan("revision", None)
    task.summary_store.add_summary("s", 0, 0)
    task.value_store.put("other", None)
    task.compressor().compress()


def go_through(base: Path) -> None:
    """Whatever somebody may do with the task; only what the errors' page lists may come."""
    client = Summariser("s")
    for key, salvage in ((KEY, False), (RESUMED, False), (RESUMED, True)):
        try:
            with TaskContextManager(base, key, FAST, client, salvage=salvage) as task:
                use(task)
                task.fork().close()
        except TaskError:
            continue
    with TaskCatalog(base, FAST) as catalog:
        for state in catalog.tasks():
            catalog.why(state.row.uuid)
            for name in FILES:
                list(state.records(name))
    with TaskContextManager(base, RESUMED, FAST, client, salvage=True) as task:
        use(task)
        task.complete()
    with open_task(
        TaskKey("b", "explore", "12", "owner/name", "someone"), FAST, client, base_dir=base, resume=False
    ) as task:
        task.create_initial_context("prompt")
        assert task.has_inheritance_context()


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
    "file": lambda folder: _touched(folder / "file"),
    "under a file": lambda folder: _touched(folder / "file") / "tasks",
    "long name": lambda folder: folder / ("n" * 300),
    "home is a file": lambda folder: _touched(folder / "running").parent,
    "dangling link": lambda folder: _linked(folder / "link", folder / "none") / "tasks",
    "loop": lambda folder: _linked(folder / "loop", folder / "loop"),
}


def _touched(path: Path) -> Path:
    path.touch()
    return path


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
    "link": lambda path: path.symlink_to(_touched(path.parents[2] / "outside")),
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
    outside = _touched(folder / "outside")
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


INEXACT: list[tuple[Any, str]] = [
    ({1: 2}, "has the key 1, a int"), ({None: 2}, "NoneType"), ({True: 2}, "bool"), ({1.5: 2}, "float"),
    ({(1,): 2}, "tuple"), ((1, 2), "is a tuple"), ({1, 2}, "is a set"), (b"x", "is a bytes"), (1j, "is a complex"),
    (float("nan"), "is nan"), (float("inf"), "is inf"), (object(), "is a object"), (Path("x"), "Path"),
    ({"\ud83d\ude00": 1, "😀": 2}, "two keys that are one"), ({1: 2, "1": 3}, "has the key 1"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "words"), INEXACT, ids=[words for _, words in INEXACT])
def test_what_would_not_come_back_equal_is_refused_by_every_store(folder: Path, value: Any, words: str) -> None:
    with TaskContextManager(folder, KEY, FAST) as task:
        for place, add in (
            (r"arguments\.x\[1\]\.y", lambda: task.tool_store.add_tool_call("t", {"x": [0, {"y": value}]})),
            ("result", lambda: task.tool_store.add_tool_call("t", {}, value)),
            ("plan_content", lambda: task.planning_store.add_plan("initial", value)),
            ("value", lambda: task.value_store.put("k", value)),
            ("name", lambda: task.note("name", value)),
        ):
            with pytest.raises(UsageError, match=f"{place} .*{words}") as caught:
                add()
            assert "comes back equal" in caught.value.hint
        assert (task.tool_store.count(), task.planning_store.count(), len(task.value_store)) == (0, 0, 0)
        assert "name" not in ((TaskCatalog(folder, FAST)).get("a").row.metadata or {})


def test_depth_and_size_have_words(folder: Path) -> None:
    deep: Any = 1
    for _ in range(150):
        deep = [deep]
    circle: list[Any] = []
    circle.append(circle)
    store = ValueStore(folder)
    store.put("deep", deep)
    assert ValueStore(folder).get("deep") == deep
    for bad, words in ((circle, "nested deeper than 200"), (10**5000, "stored as JSON")):
        with pytest.raises(UsageError, match=words):
            store.put("k", bad)
    with pytest.raises(UsageError, match=r"arguments of a call are a mapping, not list"):
        TaskContextManager(folder, KEY, FAST).tool_store.add_tool_call("t", [1])  # type: ignore[arg-type]


ANY_TEXT = st.text(st.characters(codec=None), max_size=12)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT | st.binary(max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT | st.integers(), inner, max_size=3)
        | st.tuples(inner)
    ),
    max_leaves=6,
)  # fmt: skip


def _joined(value: Any) -> Any:
    if isinstance(value, str):
        return whole_text(value)
    if isinstance(value, list):
        return list(map(_joined, value))
    return {whole_text(k): _joined(v) for k, v in value.items()} if isinstance(value, dict) else value


@settings(max_examples=300, deadline=None)
@given(value=ANY)
def test_a_value_comes_back_equal_or_is_refused(value: Any) -> None:
    try:
        line = encode_record({"value": value})
    except UsageError:
        return
    back = decode_record(line)
    assert back == {"value": _joined(value)} and encode_record(back) == line
    assert load_exact(dump_exact({"value": value}, ascii_only=True)) == back


def test_halves_of_a_character(folder: Path) -> None:
    store, values = MessageStore(folder, FAST), ValueStore(folder)
    store.add_message("user", "\ud83d\ude00 and \ud83d")
    values.put("\ud83d\ude00", "\ude00\ud83d")
    assert (values.get("😀"), values.get("\ud83d\ude00"), "\ud83d\ude00" in values) == ("\ude00\ud83d",) * 2 + (True,)
    again = MessageStore(folder, FAST)
    assert [m.content for m in again.current_messages()] == ["😀 and \ud83d"] and again.problems == []
    assert ValueStore(folder).keys() == ["😀"]


@pytest.mark.parametrize("key", [1, None, b"k", ("a",), 1.5, True, ["a"], {}], ids=repr)
def test_a_key_that_is_no_text_is_refused_and_nothing_is_stored(folder: Path, key: Any) -> None:
    store = ValueStore(folder)
    with pytest.raises(UsageError, match=f"The key of a value is text, not {type(key).__name__}"):
        store.put(key, 1)
    assert (key in store if not isinstance(key, (list, dict)) else False) is False
    with pytest.raises(UsageError, match="is text"):
        store.get(key)
    assert (len(store), store.keys(), (folder / "values.jsonl").exists()) == (0, [], False)


FIELDS: list[Callable[[TaskContextManager], object]] = [
    lambda task: task.message_store.add_message("user", "x", 5),  # type: ignore[arg-type]
    lambda task: task.message_store.add_message("tool", "x", tool_call_id=5),  # type: ignore[arg-type]
    lambda task: task.message_store.add_message("user", "x", reasoning=["x"]),  # type: ignore[arg-type]
    lambda task: task.message_store.add_message("user", "x", kind=b"x"),  # type: ignore[arg-type]
    lambda task: task.message_store.add_message("user", b"x"),  # type: ignore[arg-type]
    lambda task: task.message_store.add_message(["user"], "x"),  # type: ignore[arg-type]
    lambda task: task.message_store.add_message("assistant", "", tool_calls=[{"id": "1"}]),  # type: ignore[list-item]
    lambda task: task.message_store.add_message("assistant", "", tool_calls=[ToolCall("1", "x", {})]),  # type: ignore[arg-type]
    lambda task: task.message_store.recreate_current_context(None),  # type: ignore[arg-type]
    lambda task: task.summary_store.add_summary(None, 1, 1),  # type: ignore[arg-type]
    lambda task: task.summary_store.add_summary("s", "1", 1),  # type: ignore[arg-type]
    lambda task: task.summary_store.add_summary("s", 1, -1),
    lambda task: task.summary_store.add_summary("s", 1, 1, from_seq=1, to_seq=True),
    lambda task: task.summary_store.add_summary("s", 1, 1, to_seq=LARGEST + 1),
    lambda task: task.planning_store.add_plan(None, "x"),  # type: ignore[arg-type]
    lambda task: task.tool_store.add_tool_call(None, {}),  # type: ignore[arg-type]
    lambda task: task.tool_store.add_tool_call("x", {}, error=5),  # type: ignore[arg-type]
    lambda task: task.update_statistics(total_messages=2**63),
    lambda task: task.update_statistics(total_messages="5"),  # type: ignore[arg-type]
    lambda task: task.update_statistics(final_token_count=-1),
    lambda task: task.update_status("running", 5),  # type: ignore[arg-type]
    lambda task: task.fail(None),  # type: ignore[arg-type]
    lambda task: task.write_final_summary(None),  # type: ignore[arg-type]
    lambda task: task.note(5, 5),  # type: ignore[arg-type]
]


def test_a_field_of_the_wrong_kind_is_refused_before_it_is_written(folder: Path) -> None:
    with TaskContextManager(folder, KEY, FAST) as task:
        for number, add in enumerate(FIELDS):
            with pytest.raises(UsageError):
                add(task)
                pytest.fail(f"number {number} was taken")
        assert task.status == "running" and sorted(p.name for p in task.context_dir.iterdir()) == ["metadata.json"]


def test_error_messages_of_any_text(folder: Path) -> None:
    with TaskContextManager(folder, KEY, FAST) as task:
        task.fail("half \ud800 and \0")
    with TaskCatalog(folder, FAST) as catalog:
        assert catalog.get("a").row.error_message == "half \\ud800 and \\0"
        assert catalog.archive(older_than_days=1e300) == []
        with pytest.raises(UsageError, match="number of days"):
            catalog.archive(older_than_days=float("nan"))
        assert catalog.archive(older_than_days=-1e300) == ["a"]


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
