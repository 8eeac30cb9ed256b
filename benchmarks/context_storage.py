"""What appending, opening and counting cost as a task's history grows.

    python benchmarks/context_storage.py [--sizes 10 10000 100000] [--base-dir FOLDER] [--no-fsync]

Of each size: microseconds of an append (median and 95th percentile of 200), milliseconds to open the task after a clean
close, after a kill, and to resume it with every record checked, microseconds to count messages and tokens.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sherloc.context_storage import TaskContextManager, TaskKey
from sherloc.context_storage.jsonl import encode_record

TEXT = "The parser reads the header and then the body of every file. " * 8
APPENDS = 200


def seconds(work: Callable[[], object]) -> float:
    """How long something takes."""
    before = time.perf_counter()
    work()
    return time.perf_counter() - before


def fill(folder: Path, count: int) -> None:
    """Write a history of ``count`` messages, as the store would have."""
    record = {
        "role": "user",
        "content": TEXT,
        "timestamp": "2026-01-01T00:00:00+00:00",
        "tokens": 120,
        "tool_name": None,
    }
    with (folder / "messages.jsonl").open("wb") as file:
        file.writelines(encode_record({"seq": seq, **record}) for seq in range(1, count + 1))


def measure(base: Path, count: int, fsync: bool) -> dict[str, float]:
    """The figures of one size."""
    config = {"context": {"fsync": fsync}}
    key = TaskKey(f"task-{count}", "explore", "1", "owner/name", "someone")
    with TaskContextManager(base, key, config) as task:
        fill(task.context_dir, count)
        (task.context_dir / ".marks.json").unlink(missing_ok=True)
    (base / "running" / key.uuid / ".marks.json").unlink(missing_ok=True)
    after_kill = seconds(lambda: TaskContextManager(base, key, config).close())
    opened: list[TaskContextManager] = []
    clean = seconds(lambda: opened.append(TaskContextManager(base, key, config)))
    store = opened[0].message_store
    appends = sorted(seconds(lambda: store.add_message("user", TEXT)) for _ in range(APPENDS))
    counting = seconds(lambda: [(store.count_messages(), store.get_current_token_count()) for _ in range(1000)]) / 1000
    assert store.count_messages() == count + APPENDS
    opened[0].stop()
    opened[0].close()
    resumed = TaskKey(*(key.uuid, "explore", "1", "owner/name", "someone"), is_resumed=True)
    checked = seconds(lambda: TaskContextManager(base, resumed, config).close())
    return {
        "messages": count,
        "append_median_us": round(statistics.median(appends) * 1e6),
        "append_p95_us": round(appends[int(0.95 * APPENDS)] * 1e6),
        "open_ms": round(clean * 1e3, 1),
        "open_after_kill_ms": round(after_kill * 1e3, 1),
        "resume_checked_ms": round(checked * 1e3, 1),
        "count_us": round(counting * 1e6, 1),
    }


def main() -> None:
    """Measure and print a line of JSON a size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 10_000, 100_000])
    parser.add_argument("--base-dir", type=Path)
    parser.add_argument("--no-fsync", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.base_dir) as folder:
        measure(Path(folder), 1, fsync=False)  # loads what is loaded late
        for size in options.sizes:
            print(json.dumps(measure(Path(folder), size, not options.no_fsync)), flush=True)


if __name__ == "__main__":
    main()
