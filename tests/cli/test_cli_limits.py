"""Little memory and few threads: words and an exit code, and never mistaken for Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
THREADS = """
import sys
from sherloc.cli import main
try:
    main()
except SystemExit:
    pass
assert "numpy" in sys.modules
with open("/proc/self/status") as status:
    print(next(line for line in status if line.startswith("Threads:")).split()[1], file=sys.stderr)
"""

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits are Linux's")


def locate(
    repo: Path, issue: Path, cache: Path, *options: str, kilobytes: int = 0
) -> subprocess.CompletedProcess[bytes]:
    limit = f"ulimit -v {kilobytes}; " if kilobytes else ""
    return subprocess.run(
        ["sh", "-c", f'{limit}exec "$@"', "sh", sys.executable, "-m", "sherloc", "locate", str(issue),
         "--repo", str(repo), "--set", "cache.workers=1", *options],
        env={**os.environ, "PYTHONPATH": str(ROOT), "SHERLOC_CACHE": str(cache)},
        capture_output=True, check=False, timeout=120,
    )  # fmt: skip


@pytest.mark.slow
def test_little_memory(repo: Path, issue: Path, tmp_path: Path) -> None:
    """From what loads no library to what is nearly enough: an answer, words, or a native library's own abort.

    OpenBLAS, Rust's allocator (pydantic, tokenizers) and CPython's loader of libraries end the process where they get
    no memory, and nothing in Python can catch that. Whichever way it ends, the cache stays whole.
    """
    outcomes = set()
    for kilobytes in range(30_000, 400_000, 12_000):
        done = locate(repo, issue, tmp_path / "starved", kilobytes=kilobytes)
        outcomes.add(done.returncode)
        assert b"Traceback" not in done.stderr, (kilobytes, done.stderr)
        if done.returncode == -signal.SIGABRT:
            assert b"memory allocation of" in done.stderr, (kilobytes, done.stderr)
        elif done.returncode == 1:
            assert b"not enough memory" in done.stderr or b"OpenBLAS error" in done.stderr, (kilobytes, done.stderr)
        else:
            assert done.returncode in (0, -signal.SIGSEGV), (kilobytes, done.returncode, done.stderr)
    assert {0, 1} <= outcomes
    starved, fresh = (locate(repo, issue, tmp_path / name, "--json") for name in ("starved", "fresh"))
    assert starved.returncode == fresh.returncode == 0
    assert without_run(starved.stdout) == without_run(fresh.stdout)


def without_run(report: bytes) -> dict[str, object]:
    return {key: value for key, value in json.loads(report).items() if key != "run"}


def test_out_of_memory_in_words(repo: Path, issue: Path) -> None:
    code = (
        "import sys\nfrom sherloc import plans\nfrom sherloc.cli import main\n"
        "def full(*_, **__):\n    raise MemoryError\nplans.open_retriever = full\nmain()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "locate", str(issue), "--repo", str(repo)],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith(b"error: There is not enough memory.\nhint: ")


def test_an_error_that_c_code_did_not_set(repo: Path, issue: Path) -> None:
    code = (
        "from sherloc import plans\nfrom sherloc.cli import main\n"
        "def full(*_, **__):\n    raise SystemError('error return without exception set')\n"
        "plans.open_retriever = full\nmain()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "locate", str(issue), "--repo", str(repo)],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith(b"error: There is not enough memory.\nhint: ")


def test_a_library_that_does_not_load(repo: Path, issue: Path, tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken/numpy.py").write_text("raise ImportError('first line\\nno good reason')\n")
    done = subprocess.run(
        [sys.executable, "-m", "sherloc", "locate", str(issue), "--repo", str(repo)],
        env={**os.environ, "PYTHONPATH": f"{tmp_path / 'broken'}:{ROOT}"}, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == b"error: A library cannot be loaded: no good reason\nhint: See: sherloc doctor\n"


def test_loading_numpy_starts_no_threads(repo: Path, issue: Path) -> None:
    """OpenBLAS starts one a core, and raises SIGINT where the system refuses one."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("OPENBLAS_NUM_THREADS", None)
    done = subprocess.run(
        [sys.executable, "-c", THREADS, "locate", str(issue), "--repo", str(repo), "--set", "cache.workers=1",
         "--set", "retrieval.commits=0", "--set", "vectors.embedder=none"],
        env=environment, capture_output=True, check=True,
    )  # fmt: skip
    assert done.stderr.split() == [b"1"]
