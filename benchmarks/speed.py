#!/usr/bin/env python3
"""Time sherloc as whole processes on a real repository: cold, unchanged, another revision, locate, import.

    python benchmarks/speed.py REPOSITORY [--rev HEAD] [--other HEAD~100] [--issue FILE] [--runs 5] [--cold-only]

Each row is the least and the median of the runs, in seconds, and the largest memory of a process, in MB. The cache is a
folder of its own. `import` is told over a bare interpreter.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ISSUE = """QuerySet.delete() ignores the database chosen with using()

Calling `QuerySet.delete()` after `.using("other")` collects from the default database: `Collector.collect` gets the
wrong alias.
"""
_MEMORY = (
    "import resource, subprocess, sys; code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL); "
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024); sys.exit(code)"
)


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
    probe = subprocess.run(
        [sys.executable, "-c", _MEMORY, *command],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    memory = int(probe.stdout)
    print(f"| {name} | {min(seconds):.2f} | {statistics.median(seconds):.2f} | {memory} |", flush=True)


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
    cache = Path(tempfile.mkdtemp(prefix="sherloc-speed-"))
    issue = cache.with_suffix(".md")
    issue.write_text(args.issue.read_text() if args.issue else ISSUE)
    sherloc = [sys.executable, "-m", "sherloc"]
    revision = ["--rev", args.rev] if args.rev else []
    index = [*sherloc, "index", args.repository, "-q"]
    locate = [*sherloc, "locate", str(issue), "--repo", args.repository, "--json"]
    print("| | least s | median s | MB |\n|---|---|---|---|")
    try:
        measure("cold index", [*index, *revision], 1 if args.cold_only else args.runs, cache, cold=True)
        measure("nothing changed", [*index, *revision], args.runs, cache)
        if not args.cold_only:
            other(args, index, cache)
        measure("locate, warm", [*locate, *revision], args.runs, cache)
        measure("from sherloc import locate", [sys.executable, "-c", "from sherloc import locate"], args.runs, cache)
        measure("bare interpreter", [sys.executable, "-c", ""], args.runs, cache)
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
        subprocess.run([*index, "--rev", args.other], env={**os.environ, "SHERLOC_CACHE": str(kept)}, check=True)
        seconds.append(time.perf_counter() - start)
    shutil.rmtree(kept, ignore_errors=True)
    print(f"| another revision ({args.other}) | {min(seconds):.2f} | {statistics.median(seconds):.2f} | |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
