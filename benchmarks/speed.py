#!/usr/bin/env python3
"""Time sherloc as whole processes on a real repository: cold, unchanged, another revision, locate, import.

    python benchmarks/speed.py REPOSITORY [--rev HEAD] [--other HEAD~100] [--issue FILE] [--runs 5] [--cold-only]

Each row is the least and the median of the runs, in seconds, and, of one more run, the most memory at one moment of all
its processes together and of the largest one, in MB (proportional set size; Linux only). The cache is a folder of its
own. The last line is a yardstick for the machine at that hour: how many MB a second ``ast`` parses of the standard
library, before and after the runs.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import os
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

ISSUE = """QuerySet.delete() ignores the database chosen with using()

Calling `QuerySet.delete()` after `.using("other")` collects from the default database: `Collector.collect` gets the
wrong alias.
"""


def memory(command: list[str], environment: dict[str, str]) -> tuple[int, int]:
    """The most memory at one moment of a command's processes together, and of the largest one. MB."""
    together = largest = 0
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, start_new_session=True)
    while process.poll() is None:
        sizes = [proportional_size(folder) for folder in Path("/proc").glob("[0-9]*") if session(folder) == process.pid]
        together, largest = max(together, sum(sizes)), max(largest, *sizes, 0)
        time.sleep(0.05)
    if process.returncode:
        sys.exit(f"{' '.join(command)} failed")
    return together // 1024, largest // 1024


def yardstick() -> float:
    """How fast ``ast`` parses the standard library, site-packages left out. MB a second, of one core."""
    files = sorted(Path(sysconfig.get_paths()["stdlib"]).rglob("*.py"))
    texts = [file.read_bytes() for file in files if "site-packages" not in file.parts]
    start = time.perf_counter()
    for text in texts:
        with contextlib.suppress(SyntaxError, ValueError):
            ast.parse(text)
    return sum(map(len, texts)) / 1e6 / (time.perf_counter() - start)


def session(folder: Path) -> int:
    """The session of a process; 0 when it is gone."""
    try:
        return int((folder / "stat").read_text().rpartition(")")[2].split()[3])
    except (OSError, IndexError):
        return 0


def proportional_size(folder: Path) -> int:
    """Memory of a process, what it shares counted in parts. KiB; 0 when it is gone."""
    try:
        lines = (folder / "smaps_rollup").read_text().split("\n")
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def measure(name: str, command: list[str], runs: int, cache: Path, *, cold: bool = False) -> None:
    """Run a command several times and print its row; ``cold`` empties the cache before each run."""
    seconds = []
    environment = {**os.environ, "SHERLOC_CACHE": str(cache)}
    for _ in range(runs):
        if cold:
            shutil.rmtree(cache, ignore_errors=True)
        start = time.perf_counter()
        done = subprocess.run(command, env=environment, capture_output=True, check=False)
        seconds.append(time.perf_counter() - start)
        if done.returncode:
            sys.exit(f"{' '.join(command)} failed: {done.stderr.decode()}")
    if cold:
        shutil.rmtree(cache, ignore_errors=True)
    together, largest = memory(command, environment)
    print(f"| {name} | {min(seconds):.2f} | {statistics.median(seconds):.2f} | {together} | {largest} |", flush=True)


def main() -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository")
    parser.add_argument("--rev", default="HEAD")
    parser.add_argument("--other", default="HEAD~100")
    parser.add_argument("--issue", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--cold-only", action="store_true", help="one cold index and one locate: for very large trees")
    args = parser.parse_args()
    # What is installed has its byte code; to compile it anew in each run would take a fifth of the time of a locate.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    cache = Path(tempfile.mkdtemp(prefix="sherloc-speed-"))
    issue = cache.with_suffix(".md")
    issue.write_text(args.issue.read_text() if args.issue else ISSUE)
    sherloc = [sys.executable, "-m", "sherloc"]
    revision = ["--rev", args.rev] if args.rev else []
    index = [*sherloc, "index", args.repository, "-q"]
    locate = [*sherloc, "locate", str(issue), "--repo", args.repository, "--json"]
    before = 0.0 if args.cold_only else yardstick()
    print("| | least s | median s | MB, all processes | MB, largest |\n|---|---|---|---|---|")
    try:
        measure("cold index", [*index, *revision], 1 if args.cold_only else args.runs, cache, cold=True)
        measure("nothing changed", [*index, *revision], args.runs, cache)
        if not args.cold_only:
            other(args, index, cache)
        measure("locate, warm", [*locate, *revision], args.runs, cache)
        measure("from sherloc import locate", [sys.executable, "-c", "from sherloc import locate"], args.runs, cache)
        measure("bare interpreter", [sys.executable, "-c", ""], args.runs, cache)
        if not args.cold_only:
            print(f"ast.parse, standard library: {before:.1f} MB/s before, {yardstick():.1f} after")
    finally:
        shutil.rmtree(cache, ignore_errors=True)
        issue.unlink()
    return 0


def other(args: argparse.Namespace, index: list[str], cache: Path) -> None:
    """Another revision: each run starts from a cache that knows only the first."""
    kept = cache.with_suffix(".kept")
    seconds = []
    for _ in range(args.runs):
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(cache, kept)
        start = time.perf_counter()
        environment = {**os.environ, "SHERLOC_CACHE": str(kept)}
        subprocess.run([*index, "--rev", args.other], env=environment, stdout=subprocess.DEVNULL, check=True)
        seconds.append(time.perf_counter() - start)
    shutil.rmtree(kept, ignore_errors=True)
    print(
        f"| another revision ({args.other}) | {min(seconds):.2f} | {statistics.median(seconds):.2f} | | |", flush=True
    )


if __name__ == "__main__":
    sys.exit(main())
