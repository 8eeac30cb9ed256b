"""What holds for any history: records round-trip, the context follows from it, a cut parts nothing."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherloc.context_storage import MessageStore, SummaryStore, value_key
from sherloc.context_storage.context_inheritance_manager import ContextInheritanceManager
from sherloc.context_storage.disk import Disk
from sherloc.context_storage.jsonl import JsonlFile, decode_record, encode_record, read_records
from sherloc.context_storage.task_key import TaskKey
from sherloc.context_storage.view import cut
from sherloc.errors import UsageError
from sherloc.protocols import ToolCall

ANY_TEXT = st.text(st.characters(codec=None), max_size=40)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=5,
)
FAST = {"context": {"fsync": False}}


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(ANY_TEXT, JSON, max_size=5))
def test_records_round_trip(record: dict[str, Any]) -> None:
    line = encode_record(record)
    assert line.count(b"\n") == 1 and line.endswith(b"\n")
    assert decode_record(line) == record


@settings(max_examples=40, deadline=None)
@given(st.lists(st.dictionaries(ANY_TEXT, JSON, max_size=3), max_size=5), st.binary(max_size=60))
def test_any_tail_leaves_the_records_before_it(records: list[dict[str, Any]], tail: bytes) -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        path = folder / "records.jsonl"
        path.write_bytes(b"".join(map(encode_record, records)) + tail)
        extra = [decode_record(line + b"\n") for line in tail.split(b"\n")[:-1]]
        wanted = records + [record for record in extra if record is not None]
        assert list(read_records(path)) == wanted
        file = JsonlFile(path, Disk(fsync=False))
        assert file.count == len(wanted)
        file.append(encode_record({"next": 1}))
        assert list(read_records(path)) == [*wanted, {"next": 1}]
        again = JsonlFile(path, Disk(fsync=False))
        assert (again.count, again.torn) == (len(wanted) + 1, 0)
    finally:
        shutil.rmtree(folder)


OPERATIONS = st.lists(
    st.tuples(st.sampled_from(["system", "user", "assistant", "tool", "summary", "reopen"]), ANY_TEXT), max_size=25
)


@settings(max_examples=40, deadline=None)
@given(OPERATIONS, st.integers(0, 2**32))
def test_the_context_is_the_same_made_at_once_or_in_steps(operations: list[tuple[str, str]], seed: int) -> None:
    folder, dice = Path(tempfile.mkdtemp()), random.Random(seed)
    try:
        store, summaries = MessageStore(folder, FAST), SummaryStore(folder, disk=Disk(fsync=False))
        for what, text in operations:
            if what == "reopen":
                store.mark() if dice.random() < 0.5 else None
                store = MessageStore(folder, FAST)
            elif what == "summary" and store.last_seq:
                seq = dice.randint(1, store.last_seq)
                store.take_summary(lambda t=text, s=seq: summaries.add_summary(t, 1, 1, from_seq=1, to_seq=s))
            elif what != "summary":
                store.add_message(what, text)
        in_steps, tokens = store.current_messages(), store.get_current_token_count()
        (folder / "current.jsonl").unlink(missing_ok=True)
        (folder / ".marks.json").unlink(missing_ok=True)
        at_once = MessageStore(folder, FAST)
        assert at_once.current_messages() == in_steps
        assert at_once.get_current_token_count() == tokens
        assert at_once.count_current() == len(in_steps)
    finally:
        shutil.rmtree(folder)


MESSAGES = st.lists(st.sampled_from(["user", "assistant", "call", "calls", "answer", "reasoned"]), max_size=30)


@given(MESSAGES, st.integers(0, 12))
def test_a_cut_parts_no_call_from_its_answer(kinds: list[str], keep: int) -> None:
    records: list[dict[str, Any]] = []
    waiting: list[str] = []
    for number, kind in enumerate(kinds):
        if kind in ("call", "calls", "reasoned"):
            ids = [f"{number}-{n}" for n in range(2 if kind == "calls" else 1)]
            records.append({"role": "assistant", "tool_calls": [{"id": each} for each in ids]})
            records[-1].update({"reasoning": "hm"} if kind == "reasoned" else {})
            waiting += ids
        elif kind == "answer" and waiting:
            records.append({"role": "tool", "tool_call_id": waiting.pop(0)})
        elif kind in ("user", "assistant"):
            records.append({"role": kind})
    at = cut(records, keep)
    assert at == 0 or len(records) - at >= keep
    assert at == len(records) or records[at]["role"] != "tool"
    for part in (records[:at], records[at:]):
        called = {call["id"] for record in part for call in record.get("tool_calls", ())}
        answered = {record["tool_call_id"] for record in part if record["role"] == "tool"}
        assert answered <= called
        assert part is not records[:at] or called == answered
    head = records[:at]
    assert {c["id"] for r in head for c in r.get("tool_calls", ())} == {
        r["tool_call_id"] for r in head if "tool_call_id" in r
    }


@pytest.fixture(scope="module")
def manager(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ContextInheritanceManager]:
    config = {"context": {"fsync": False, "inheritance": {"max_summary_tokens": 60}}}
    made = ContextInheritanceManager(tmp_path_factory.mktemp("tasks"), config)
    yield made
    made.close()


@settings(max_examples=50, deadline=None)
@given(text=st.text(max_size=1500))
def test_what_is_cut_keeps_to_its_budget_and_says_so(manager: ContextInheritanceManager, text: str) -> None:
    short = manager.truncate(text)
    assert manager._tokenizer.count(short) <= 60
    assert short == text or ("more tokens]" in short and text.startswith(short[: short.rindex("\n[cut:")]))


def test_no_character_is_cut_in_two(manager: ContextInheritanceManager) -> None:
    for unit in ("e\u0301", "👩\u200d👩\u200d👧", "葛\ufe00"):
        short = manager.truncate(unit * 500)
        kept = short[: short.rindex("\n[cut:")]
        assert len(kept) % len(unit) == 0 and kept == unit * (len(kept) // len(unit))


def test_the_store_alone(folder: Path) -> None:
    store = MessageStore(folder, {"context": {"fsync": False}})
    for text in ("one", "two", "three"):
        store.add_message("user", text)
    assert store.get_current_context_file() == folder / "current.jsonl"
    assert store.get_current_context_file(folder / "other") == folder / "other"
    kept = folder / "unsummarized.jsonl"
    kept.write_bytes(encode_record({"role": "user", "content": "three"}))
    assert store.recreate_current_context("one and two", kept) == 2
    assert not kept.exists()
    again = MessageStore(folder)
    assert [(m.role, m.content) for m in again.current_messages()] == [("system", "one and two"), ("user", "three")]
    assert again.get_current_token_count() == store.get_current_token_count() > 0
    assert (again.count_messages(), again.add_message("user", "four")) == (3, 4)
    assert again.recreate_current_context("all") == 1


def test_times_do_not_order(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = MessageStore(folder)
    for hour in ("2026-10-25T02:30:00+00:00", "2026-10-25T01:30:00+00:00", "2020-01-01T00:00:00+00:00"):
        monkeypatch.setattr("sherloc.context_storage.message_store.now", lambda hour=hour: hour)
        store.add_message("user", hour[:4] + hour[11:13])
    assert [m.content for m in MessageStore(folder).current_messages()] == ["202602", "202601", "202000"]


def test_another_tokenizer_counts(folder: Path) -> None:
    class Words:
        name = "words"

        def count(self, text: str) -> int:
            return len(text.split())

    store = MessageStore(folder, tokenizer=Words())
    store.add_message("user", "one two three")
    store.add_message("assistant", "", tool_calls=[ToolCall("1", "look", "{}")])
    records = list(store.records())
    assert records[0]["tokens"] == 3 and records[1]["tokens"] > 0
    assert store.get_current_token_count() == sum(record["tokens"] for record in records)


def test_keys_of_values() -> None:
    assert value_key("a", 1) == value_key("a", 1) != value_key("a1")
    assert value_key({"a": 1, "b": 2}) == value_key({"b": 2, "a": 1})
    assert value_key(["a"], "b") != value_key("a", ["b"])
    with pytest.raises(UsageError):
        value_key(object())


@given(st.text(max_size=150))
def test_any_text_as_uuid_is_safe_or_refused(text: str) -> None:
    try:
        TaskKey(text, "a", "b", "c", "d")
    except UsageError:
        return
    assert Path("base", text).resolve().parent == Path("base").resolve()
    assert not set(text) & set("*?[]./\\\0~ ")
