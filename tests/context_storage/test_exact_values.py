"""What is kept comes back equal, or is refused in words before anything is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherloc.context_storage import MessageStore, TaskCatalog, TaskContextManager, ValueStore
from sherloc.context_storage.exact import dump_exact, load_exact, whole_text
from sherloc.context_storage.jsonl import decode_record, encode_record
from sherloc.context_storage.shapes import LARGEST
from sherloc.errors import UsageError
from sherloc.protocols import ToolCall

from .places import KEY
from .spoiling import FAST

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
        with TaskCatalog(folder, FAST) as catalog:
            assert "name" not in (catalog.get("a").row.metadata or {})


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
