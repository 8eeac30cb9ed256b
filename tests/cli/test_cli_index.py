"""``sherloc index``: build, status, dry run, clear."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sherloc.indexer.cache_files import cache_folder, list_stores, store_path
from sherloc.indexer.store import IndexStore, look_up
from sherloc.settings import CacheSettings

Run = Callable[..., Any]
Write = Callable[[Path, dict[str, str]], None]


def status(run: Run, repo: Path, *more: str) -> dict[str, Any]:
    result = run("index", repo, "--status", "--json", *more)
    assert result.exit_code == 0, result.output
    value: dict[str, Any] = json.loads(result.stdout)
    return value


def test_absent_then_ready_then_partial_then_ready(run: Run, repo: Path, write: Write) -> None:
    assert status(run, repo)["status"] == "absent"
    assert run("index", repo).exit_code == 0
    ready = status(run, repo)
    assert ready["status"] == "ready"
    assert ready["up_to_date"] is True
    assert ready["parsed"] == ready["files"]
    write(repo, {"shop/stock.py": "def count(shelf):\n    return 1 + len(shelf)\n"})
    changed = status(run, repo)
    assert changed["status"] == "partial"
    assert changed["why"].startswith("1 of ")
    assert json.loads(run("index", repo, "--json").stdout)["parsed"] == 1
    assert status(run, repo)["status"] == "ready"


def test_status_writes_nothing(run: Run, repo: Path) -> None:
    status(run, repo)
    assert not list_stores(CacheSettings())


def test_all_parsed_but_not_put_together_is_not_ready(run: Run, repo: Path) -> None:
    run("index", repo)
    path = list_stores(CacheSettings())[0][0]
    database = _open(path)
    with database.transaction():
        database.execute("DELETE FROM tree")
    database.close()
    state = status(run, repo)
    assert state["status"] == "partial"
    assert "not put together" in state["why"]


def _open(path: Path) -> Any:
    from sherloc.indexer import store
    from sherloc.sqlite import Database

    return Database(path, store._MIGRATIONS)


def test_an_interrupted_first_run_is_partial(run: Run, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sherloc.indexer.builder import IndexBuilder

    def interrupt(self: IndexBuilder, *_: object) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(IndexBuilder, "_assemble", interrupt)
        result = run("index", repo)
    assert result.exit_code == 130
    assert result.stderr == "interrupted; what was done is kept, and the same command goes on from there\n"
    assert status(run, repo)["status"] == "partial"
    assert json.loads(run("index", repo, "--json").stdout)["parsed"] == 0


def test_an_index_of_no_file_is_never_ready(run: Run, repo: Path) -> None:
    nothing = ("--set", "index.exclude=*")
    run("index", repo, *nothing)
    assert status(run, repo, *nothing)["status"] == "absent"


def test_a_damaged_store_is_absent(run: Run, repo: Path) -> None:
    run("index", repo)
    path = list_stores(CacheSettings())[0][0]
    path.write_bytes(b"garbage" * 1000)
    state = status(run, repo)
    assert state["status"] == "absent"
    assert "cannot be read" in state["why"]
    assert run("index", repo).stderr.startswith("warning: The index")
    assert status(run, repo)["status"] == "ready"


def test_status_in_words(run: Run, repo: Path) -> None:
    run("index", repo)
    lines = run("index", repo, "--status").stdout.splitlines()
    assert lines[0].startswith("ready: shop-project @ ")
    assert "files parsed" in lines[1]
    assert "1 index, " in lines[2]


def test_dry_run_parses_nothing(run: Run, repo: Path) -> None:
    plan = json.loads(run("index", repo, "--dry-run", "--json").stdout)
    assert plan["files"]["python"] == 4
    assert plan["files"]["docs"] == 1
    assert plan["skipped"] == {"test": 1, "vendored": 1}
    assert plan["unknown"] == {".xyz": 1} | {name: 1 for name in plan["unknown"] if name != ".xyz"}
    assert not list_stores(CacheSettings())
    words = run("index", repo, "--dry-run").stdout
    assert "4  python" in words
    assert "1  test" in words
    assert "1  .xyz" in words
    assert "tests/test_basket.py" in run("index", repo, "--dry-run", "-v").stdout


def test_dry_run_and_index_see_the_same_files(run: Run, repo: Path) -> None:
    plan = json.loads(run("index", repo, "--dry-run", "--json").stdout)
    built = json.loads(run("index", repo, "--json").stdout)
    assert plan["files"] == built["files"]
    assert plan["skipped"] == built["skipped"]


def test_clear_removes_this_repository_only(run: Run, repo: Path, tmp_path: Path, write: Write) -> None:
    other = tmp_path / "other"
    write(other, {"a.py": "def f():\n    return 1\n"})
    run("index", repo)
    run("index", other)
    result = run("index", repo, "--clear")
    assert result.stdout.startswith("Removed 1 index, ")
    assert [path.name.split("-")[0] for path, _ in list_stores(CacheSettings())] == ["other"]
    assert run("index", repo, "--clear").stdout == "Removed 0 indexes, 0 bytes.\n"


def test_clear_all_asks_nothing_without_a_terminal(run: Run, repo: Path) -> None:
    run("index", repo)
    assert json.loads(run("index", repo, "--clear", "--all", "--json").stdout)["removed"]
    assert not list_stores(CacheSettings())


@pytest.mark.parametrize("options", [("--status", "--clear"), ("--dry-run", "--status"), ("--all",)])
def test_options_that_exclude_each_other(run: Run, repo: Path, options: tuple[str, ...]) -> None:
    result = run("index", repo, *options)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: --")


def test_the_store_has_one_name_everywhere() -> None:
    store = IndexStore("a b", "0123456789abcdef0123", CacheSettings())
    store.close()
    assert store.path == store_path("a b", "0123456789abcdef0123", CacheSettings())
    assert store_path("..", "0" * 20, CacheSettings()).name == f"repository-{'0' * 16}.sqlite"


def test_look_up_of_nothing() -> None:
    assert look_up(cache_folder(CacheSettings()) / "none.sqlite", "key", []) is None


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX signal")
def test_ctrl_c_is_one_line(tmp_path: Path, write: Write) -> None:
    import os
    import signal
    import subprocess
    import time

    body = "".join(f"def f{number}(a):\n    return a + {number}\n\n\n" for number in range(120))
    write(tmp_path / "big", {f"m{number}.py": body + f"X = {number}\n" for number in range(400)})
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "sherloc", "index", str(tmp_path / "big"), "-v"],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(2.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    if process.returncode == 0 or out:
        pytest.skip("it was done before the signal came")
    # Python ends by the signal itself when it came while source text was executed (a dataclass being made).
    assert process.returncode in (130, -signal.SIGINT), err
    said = "interrupted; what was done is kept, and the same command goes on from there"
    assert err.decode().splitlines()[-1] == said
    assert b"Traceback" not in err


def test_vectors_are_made_ahead_and_counted(run: Run, repo: Path) -> None:
    first = json.loads(run("index", repo, "--vectors", "--json").stdout)
    assert first["embedded"] > 0
    assert json.loads(run("index", repo, "--vectors", "--json").stdout)["embedded"] == 0
    assert "0 snippets embedded now" in run("index", repo, "--vectors").stdout
    without = run("index", repo, "--vectors", "--set", "vectors.embedder=none")
    assert without.exit_code == 2 and "Nothing can be embedded" in without.stderr
    assert run("index", repo, "--vectors", "--status").exit_code == 2
