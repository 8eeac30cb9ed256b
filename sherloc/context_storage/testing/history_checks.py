"""Checks of what is stored: records survive whatever happens to the end of a file, and nothing is lost or made up."""

from __future__ import annotations

import errno
import json
import unicodedata
from pathlib import Path
from typing import Any

from sherloc.context_storage.testing.disks import FailingDisk
from sherloc.context_storage.testing.stand import Stand, expect, expect_equal, expect_raised, say
from sherloc.errors import CorruptHistoryError, TaskStoreError, UsageError
from sherloc.protocols import ToolCall

MESSAGES, CURRENT = "messages.jsonl", "current.jsonl"


def layout_and_fields(stand: Stand) -> None:
    """Files, their fields and the numbers in them are those of the fixed layout."""
    task = stand.open()
    expect_equal(task.message_store.add_message("user", "hello"), 1)
    expect_equal(task.message_store.add_message("tool", "42", "look"), 2)
    expect_equal(task.summary_store.add_summary("short", 3, 100), 1)
    expect_equal(task.tool_store.add_tool_call("look", {"at": "a.py"}, result=[1], error=None), 1)
    expect_equal(task.planning_store.add_plan("initial", "first this"), 1)
    metadata = json.loads((task.context_dir / "metadata.json").read_text())
    task.complete()
    task.close()
    expect_equal(sorted(metadata), ["created_at", "repository", "task_identifier", "task_type", "user", "uuid"])
    first, second = stand.lines("completed", MESSAGES)
    expect_equal(list(first), ["seq", "role", "content", "timestamp", "tokens", "tool_name"])
    expect_equal((first["seq"], first["role"], first["content"], first["tool_name"]), (1, "user", "hello", None))
    expect(first["timestamp"].endswith("+00:00"), "timestamps are in UTC")
    expect_equal((second["role"], second["tool_name"]), ("tool", "look"))
    expect_equal(
        stand.lines("completed", CURRENT),
        [{"role": "user", "content": "hello"}, {"role": "tool", "content": "42", "tool_name": "look"}],
    )
    summary = stand.lines("completed", "summaries.jsonl")[0]
    expect_equal((summary["id"], summary["compressed_message_count"], summary["tokens_saved"]), (1, 3, 100))
    call = stand.lines("completed", "tools.jsonl")[0]
    expect_equal(list(call), ["seq", "tool_name", "arguments", "result", "error", "timestamp"])
    plan = stand.lines("completed", "planning.jsonl")[0]
    expect_equal(list(plan), ["id", "plan_type", "plan_content", "created_at"])


def torn_last_record(stand: Stand) -> None:
    """Behaviours 1, 4 and 8: cut at every byte, the last record is set aside, and the next one is readable."""
    with stand.open() as task:
        say(task, "first", "second")
        whole = (task.context_dir / MESSAGES).read_bytes()
        say(task, "third 語\u2028")
        path = task.context_dir / MESSAGES
    full = path.read_bytes()
    for size in range(len(whole) + 1, len(full)):
        path.write_bytes(full[:size])
        with stand.open() as task:
            expect_equal(task.message_store.count_messages(), 2, f"cut at {size}")
            expect_equal(sum(p.code == "history_torn" for p in task.problems), 1, f"cut at {size}")
            expect_equal(task.message_store.add_message("user", "third 語\u2028"), 3)
            expect_equal([r["content"] for r in task.message_store.records(strict=True)][-1], "third 語\u2028")
    expect(path.with_name("messages.jsonl.torn").exists(), "what was torn off is kept")


def padding_after_the_tail(stand: Stand) -> None:
    """Behaviour 2: blank lines and NUL bytes after a torn record are part of the tail; alone they are nothing."""
    with stand.open() as task:
        say(task, "first")
        path = task.context_dir / MESSAGES
    whole = path.read_bytes()
    for tail, torn in ((b'{"seq": 2, "con\n\n', 1), (b'{"seq": 2\0\0\0\0', 1), (b"\0" * 4096, 0), (b"\n\n", 0)):
        path.write_bytes(whole + tail)
        with stand.open() as task:
            expect_equal(task.message_store.count_messages(), 1, repr(tail))
            expect_equal(sum(p.code == "history_torn" for p in task.problems), torn, repr(tail))
        expect_equal(path.read_bytes(), whole, repr(tail))


def damage_in_the_middle(stand: Stand) -> None:
    """Behaviour 3: who looks goes on after it; who builds on the history does not, but with ``salvage``."""
    with stand.open() as task:
        say(task, "first", "second", "third")
        path = task.context_dir / MESSAGES
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([lines[0], b'{"seq": 2, "role"', *lines[2:]]))
    with stand.open() as task:
        expect_equal([r["content"] for r in task.message_store.records()], ["first", "third"])
        with expect_raised(CorruptHistoryError):
            list(task.message_store.records(strict=True))
        with expect_raised(CorruptHistoryError):
            task.fork()
    with expect_raised(CorruptHistoryError):
        stand.resume()
    with stand.resume(salvage=True) as task:
        expect_equal([r["content"] for r in task.message_store.records(strict=True)], ["first", "third"])
        expect_equal(task.message_store.add_message("user", "fourth"), 4)
    with stand.resume() as task:
        expect_equal(task.message_store.count_messages(), 3)
        expect_equal([m.content for m in task.message_store.current_messages()], ["first", "third", "fourth"])
    expect(b'"role"' in path.with_name("messages.jsonl.torn").read_bytes(), "the line is kept")


def numbers_that_jump(stand: Stand) -> None:
    """Behaviour 4: gaps and duplicates are reported, and numbers go on from the highest."""
    with stand.open() as task:
        say(task, "first")
        path = task.context_dir / MESSAGES
        marks = task.context_dir / ".marks.json"
    line = json.loads(path.read_bytes())
    path.write_text("".join(json.dumps({**line, "seq": seq}) + "\n" for seq in (1, 7, 7)))
    marks.unlink(missing_ok=True)
    with stand.open() as task:
        codes = [p.code for p in task.problems]
        expect("history_gap" in codes and "history_duplicate" in codes, f"reported: {codes}")
        expect_equal(task.message_store.add_message("user", "next"), 8)


def every_separator(stand: Stand) -> None:
    """Behaviour 5: no character but the line feed ends a record, and every one comes back."""
    odd = "".join(c for c in map(chr, range(0x3000)) if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Zs"))
    with stand.open() as task:
        say(task, *odd, odd)
    with stand.open() as task:
        expect_equal([r["content"] for r in task.message_store.records(strict=True)], [*odd, odd])
        expect_equal([m.content for m in task.message_store.current_messages()], [*odd, odd])


def half_characters(stand: Stand) -> None:
    """Behaviour 6: lone surrogates come back as they were; what is no JSON is refused before anything is written."""
    with stand.open() as task:
        say(task, "a\ud800b", "語\udfff")
        with expect_raised(UsageError):
            task.tool_store.add_tool_call("look", {"at": object()})
        with expect_raised(UsageError):
            task.tool_store.add_tool_call("look", {}, result=float("nan"))
        with expect_raised(UsageError):
            task.message_store.add_message("user", None)  # type: ignore[arg-type]
        with expect_raised(UsageError):
            task.message_store.add_message("robot", "text")
    with stand.open() as task:
        expect_equal([r["content"] for r in task.message_store.records(strict=True)], ["a\ud800b", "語\udfff"])
        expect_equal(task.tool_store.count_tool_calls(), 0)


def context_follows_from_the_history(stand: Stand) -> None:
    """Behaviour 7: a context that lacks messages, has too many, is torn or gone is made anew."""
    with stand.open() as task:
        say(task, "first", "second", "third")
        path = task.context_dir / CURRENT
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    for broken in (b"".join(lines[:2]), whole + lines[0], whole[:-5], b"", b"what\n" + whole, b"".join(lines[1:])):
        path.write_bytes(broken)
        with stand.open():
            expect_equal(path.read_bytes(), whole, repr(broken))
    path.unlink()
    with stand.open() as task:
        expect_equal(path.read_bytes(), whole)
        expect_equal(task.message_store.count_current(), 3)


def full_and_forbidden_disks(stand: Stand) -> None:
    """Behaviour 16: an append that fails says so, adds nothing, and the next one is whole."""
    for error in (errno.ENOSPC, errno.EACCES, errno.EIO):
        for name, operation in ((MESSAGES, "write"), (MESSAGES, "sync"), (CURRENT, "write")):
            _fail_once(stand, f"{errno.errorcode[error]}-{name[:3]}-{operation}", error, operation, name)


def _fail_once(stand: Stand, uuid: str, error: int, operation: str, name: str) -> None:
    armed = [False]
    disk = FailingDisk(error, lambda what, path: armed[0] and what == operation and path.name == name)
    key = stand.key(uuid)
    with stand.open(key, disk=disk) as task:
        say(task, "first")
        armed[0] = True
        with expect_raised(OSError):
            say(task, "second")
        expect_equal(task.message_store.count_messages(), 1, uuid)
        armed[0] = False
        expect_equal(task.message_store.add_message("user", "third"), 2, uuid)
    with stand.open(key) as task:
        for records in (task.message_store.records(strict=True), stand.lines("running", CURRENT, uuid)):
            expect_equal([r["content"] for r in records], ["first", "third"], uuid)


def a_disk_that_cannot_even_undo(stand: Stand) -> None:
    """Behaviour 16: half a line that could not be taken back is repaired before the next append."""
    armed = [False]

    def fails(operation: str, path: Path) -> bool:
        return armed[0] and operation in ("write", "truncate")

    with stand.open(disk=FailingDisk(errno.EIO, fails)) as task:
        say(task, "first")
        armed[0] = True
        with expect_raised(OSError):
            say(task, "second")
        armed[0] = False
        say(task, "third")
        expect_equal([r["content"] for r in task.message_store.records(strict=True)], ["first", "third"])
        expect_equal([m.content for m in task.message_store.current_messages()], ["first", "third"])


def long_lines_and_many(stand: Stand) -> None:
    """Behaviour 27: a message of 3 MB comes back, and numbers have no width to outgrow."""
    long = "x" * 3_000_000
    with stand.open() as task:
        say(task, long, role="tool")
        path = task.context_dir / MESSAGES
        marks = task.context_dir / ".marks.json"
    record = json.loads(path.read_bytes())
    path.write_bytes(path.read_bytes() + json.dumps({**record, "seq": 99_999, "content": "late"}).encode() + b"\n")
    marks.unlink(missing_ok=True)
    with stand.open() as task:
        expect_equal([task.message_store.add_message("user", each) for each in "abc"], [100_000, 100_001, 100_002])
    with stand.resume() as task:
        contents = [record["content"] for record in task.message_store.records(strict=True)]
        expect_equal(contents[1:], ["late", "a", "b", "c"])
        expect(contents[0] == long, "the long message comes back")


def tool_calls_survive(stand: Stand) -> None:
    """Calls and their ids are stored beside OpenAI's fields, and come back as messages of the protocol."""
    calls = (ToolCall("c1", "look", '{"at": 1}'), ToolCall("c2", "look", "not json"))
    with stand.open() as task:
        task.message_store.add_message("assistant", "", tool_calls=calls)
        task.message_store.add_message("tool", "one", "look", tool_call_id="c1")
        task.message_store.add_message("tool", "two", "look", tool_call_id="c2")
    with stand.resume() as task:
        messages = task.message_store.current_messages()
        expect_equal(messages[0].tool_calls, calls)
        expect_equal([m.tool_call_id for m in messages[1:]], ["c1", "c2"])
    shown = stand.lines("running", CURRENT)[0]
    expect_equal(shown["tool_calls"][0], {
        "id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at": 1}'},
    })  # fmt: skip


def values_by_key(stand: Stand) -> None:
    """A value that was put is there after the process is gone; of several the last one counts."""
    with stand.open() as task:
        task.value_store.put("a", {"score": 4, "why": ["語", None]})
        task.value_store.put("b", 1)
        task.value_store.put("b", 2)
        with expect_raised(UsageError):
            task.value_store.put("c", {1, 2})
        path = task.context_dir / "values.jsonl"
    path.write_bytes(path.read_bytes() + b'{"seq": 4, "key": "d", "val')
    with stand.resume() as task:
        expect_equal(task.value_store.get("a"), {"score": 4, "why": ["語", None]})
        expect_equal((task.value_store.get("b"), len(task.value_store)), (2, 2))
        expect("c" not in task.value_store and task.value_store.get("d", "none") == "none", "nothing is made up")


def values_come_back_equal(stand: Stand) -> None:
    """What JSON would give back as something else is refused by every store, and nothing is stored."""
    with stand.open() as task:
        for value in ({1: 2}, {"a": (1, 2)}, [b"x"], {"a": {1, 2}}, float("nan"), {"a": {None: 1}}, object()):
            for add in (
                lambda value=value: task.tool_store.add_tool_call("look", {"at": value}),
                lambda value=value: task.tool_store.add_tool_call("look", {}, result=value),
                lambda value=value: task.planning_store.add_plan("initial", value),
                lambda value=value: task.value_store.put("key", value),
                lambda value=value: task.note("name", value),
            ):
                with expect_raised(UsageError):
                    add()
        exact: dict[str, Any] = {"a": [None, True, 2**80, 0.1, "\u2028", {"": []}]}
        task.tool_store.add_tool_call("look", exact, exact)
        task.planning_store.add_plan("initial", exact)
        task.value_store.put("key", exact)
    with stand.resume() as task:
        expect_equal(task.value_store.get("key"), exact)
        expect_equal([(r["arguments"], r["result"]) for r in task.tool_store.records(strict=True)], [(exact, exact)])
        expect_equal([record["plan_content"] for record in task.planning_store.records(strict=True)], [exact])


def records_of_another_hand(stand: Stand) -> None:
    """JSON that is no record of its file is damage: told, refused by who goes on, set aside by ``salvage``."""
    odd = {
        MESSAGES: {"seq": "2", "role": "user", "content": "x"},
        "tools.jsonl": {"seq": 1.5, "tool_name": "look", "arguments": {}},
        "values.jsonl": {"seq": 1, "key": "lost"},
        "planning.jsonl": {"id": None, "plan_type": "initial", "plan_content": ""},
        "summaries.jsonl": {"id": True, "summary": "x"},
    }
    for number, (name, record) in enumerate(odd.items()):
        uuid = f"odd-{number}"
        with stand.open(stand.key(uuid)) as task:
            say(task, "first")
            path = task.context_dir / name
        before = path.read_bytes() if path.exists() else b""
        path.write_bytes(before + json.dumps(record).encode() + b"\n")
        with expect_raised(CorruptHistoryError):
            stand.resume(uuid)
        with stand.resume(uuid, salvage=True) as task:
            expect_equal([m.content for m in task.message_store.current_messages()], ["first"], name)
            expect_equal(path.read_bytes(), before, name)


def only_plain_files(stand: Stand) -> None:
    """A link in the place of a task's folder or file is refused, and what it leads to stays as it is."""
    with stand.open() as task:
        say(task, "first")
        folder = task.context_dir
    outside = stand.base_dir / "outside"
    (folder / MESSAGES).rename(outside)
    before = outside.read_bytes()
    try:
        (folder / MESSAGES).symlink_to(outside)
    except OSError:  # Windows, without the right to
        return
    with expect_raised(TaskStoreError):
        stand.resume()
    (folder / MESSAGES).unlink()
    outside.rename(folder / MESSAGES)
    folder.rename(outside)
    folder.symlink_to(outside, target_is_directory=True)
    with expect_raised(TaskStoreError):
        stand.resume()
    expect_equal((outside / MESSAGES).read_bytes(), before, "what the link leads to")


CHECKS = (
    layout_and_fields,
    torn_last_record,
    padding_after_the_tail,
    damage_in_the_middle,
    numbers_that_jump,
    every_separator,
    half_characters,
    context_follows_from_the_history,
    full_and_forbidden_disks,
    a_disk_that_cannot_even_undo,
    long_lines_and_many,
    tool_calls_survive,
    values_by_key,
    values_come_back_equal,
    records_of_another_hand,
    only_plain_files,
)
