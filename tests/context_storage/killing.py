"""Kills a child at the n-th change of a long scenario, for many n. Run as a program; see test_kill.py.

The program imports everything once and forks, so that a kill costs no start of an interpreter.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from sherloc.context_storage import TaskCatalog, TaskContextManager, TaskKey
from sherloc.context_storage.testing import CountingDisk, CrashingDisk, SplitDisk, Summariser
from sherloc.context_storage.wording import summary_message
from sherloc.tokens import estimate_tokens

LONG = "The parser reads the header and then the body of every file. " * 6
SYNC = {"fsync": False, "compression": {"keep_recent": 2, "min_to_compress": 2}}
State = dict[str, str]


class Run:
    """The scenario: a list of operations, and what the tasks' states are after each."""

    def __init__(self, base: Path, disk: Any, context: dict[str, Any]) -> None:
        self.base, self.disk = base, disk
        self.config = {"context": {**SYNC, **context}}
        self.open_tasks: dict[str, TaskContextManager] = {}

    def open(self, uuid: str, *, resumed: bool = False) -> None:
        key = TaskKey(uuid, "explore", "12", "owner/name", "someone", resumed)
        client = Summariser(f"summary of {uuid}")
        self.open_tasks[uuid] = TaskContextManager(self.base, key, self.config, client, disk=self.disk)

    def end(self, uuid: str, how: str) -> None:
        task = self.open_tasks.pop(uuid)
        task.fail("it broke") if how == "fail" else getattr(task, how)()
        task.close()

    def say(self, uuid: str, text: str) -> None:
        self.open_tasks[uuid].message_store.add_message("user", text)

    def fork(self, uuid: str, new: str) -> None:
        self.open_tasks[uuid].fork(new).close()

    def archive(self) -> None:
        with TaskCatalog(self.base, self.config, disk=self.disk) as catalog:
            assert catalog.archive(older_than_days=-1, keep_row=False)

    def operations(self) -> list[tuple[list[Any], Callable[[], object], State]]:
        """What is acknowledged, what is done, and which states it leads to."""

        def say(uuid: str, seq: int, text: str) -> tuple[list[Any], Callable[[], object], State]:
            return ["message", uuid, seq, text], lambda: self.say(uuid, text), {}

        def task(uuid: str) -> TaskContextManager:
            return self.open_tasks[uuid]

        return [
            (["open", "a"], lambda: self.open("a"), {"a": "running"}),
            *(say("a", seq, f"{seq} {LONG}") for seq in range(1, 9)),
            (["value", "a", "key", {"score": 4}], lambda: task("a").value_store.put("key", {"score": 4}), {}),
            (["tool", "a", 1], lambda: task("a").tool_store.add_tool_call("look", {}), {}),
            (["plan", "a", 1], lambda: task("a").planning_store.add_plan("initial", "look"), {}),
            (["compress", "a"], lambda: task("a").compressor().compress(), {}),
            say("a", 9, "nine"),
            (["stop", "a"], lambda: self.end("a", "stop"), {"a": "paused"}),
            (["resume", "a"], lambda: self.open("a", resumed=True), {"a": "running"}),
            say("a", 10, "ten"),
            (["complete", "a"], lambda: self.end("a", "complete"), {"a": "completed"}),
            (["open", "b"], lambda: self.open("b"), {"b": "running"}),
            say("b", 1, "one"),
            (["fail", "b"], lambda: self.end("b", "fail"), {"b": "failed"}),
            (["open", "c"], lambda: self.open("c"), {"c": "running"}),
            say("c", 1, "one"),
            (["fork", "d"], lambda: self.fork("c", "d"), {"d": "running"}),
            (["stop", "c"], lambda: self.end("c", "stop"), {"c": "paused"}),
            (["archive"], self.archive, {"a": "gone", "b": "gone"}),
        ]


def child(base: Path, log: Path, disk: CountingDisk, context: dict[str, Any]) -> None:
    """Run the scenario, writing a line to the log after each operation, until the disk kills this process."""
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for acknowledged, operation, _ in Run(base, disk, context).operations():
        operation()
        os.write(descriptor, json.dumps(acknowledged).encode() + b"\n")


class SplitCrashingDisk(SplitDisk, CrashingDisk):
    """Kills, where moving a folder takes a copy."""


def in_a_child(work: Callable[[], None]) -> int:
    """Do something in a forked process; how it ended, as ``waitpid`` says."""
    pid = os.fork()
    if not pid:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(pid, 0)[1]


def all_points(folder: Path, half: bool, split: bool, context: dict[str, Any]) -> list[int]:
    """Which changes the scenario makes, from 1; with ``half`` only those that are writes."""
    disk, listed = (SplitDisk if split else CountingDisk)(), folder / "steps.json"

    def work() -> None:
        child(folder / "whole", folder / "whole.log", disk, context)
        listed.write_text(json.dumps(disk.steps))

    assert in_a_child(work) == 0
    steps = json.loads(listed.read_text())
    return [at for at, (operation, _) in enumerate(steps, 1) if not half or operation == "write"]


def warm_up(context: dict[str, Any]) -> None:
    """Load and compile in this process what each child would otherwise."""
    if context.get("database_url"):
        importlib.import_module("sherloc.context_storage.postgres")
        importlib.import_module("sqlalchemy.dialects.postgresql.psycopg")
    estimate_tokens("warm")
    summary_message("warm")
    Run(Path(), None, {}).operations()
    importlib.import_module("sherloc.sqlite")


def main() -> None:
    """``killing.py FOLDER FIRST STEP HALF SPLIT CONTEXTS``: kill at every STEP-th change from the FIRST on.

    CONTEXTS is a JSON list of sections ``context``: one for the whole scenario, then one a kill; the last is repeated.
    """
    folder, first, step = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    half, split, contexts = sys.argv[4] == "half", sys.argv[5] == "split", json.loads(sys.argv[6])
    warm_up(contexts[0])
    for at in all_points(folder, half, split, contexts[0])[first - 1 :: step]:
        context = contexts.pop(1) if len(contexts) > 2 else contexts[-1]
        disk = (SplitCrashingDisk if split else CrashingDisk)(at, half=half)
        status = in_a_child(partial(child, folder / f"{at}", folder / f"{at}.log", disk, context))
        assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL, at
        print(json.dumps([at, context]), flush=True)


if __name__ == "__main__":
    main()
