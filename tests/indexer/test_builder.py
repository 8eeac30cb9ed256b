from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sherloc.indexer.builder import build_index
from sherloc.indexer.index import Index
from sherloc.repository import open_tree
from sherloc.settings import Settings, load_settings
from sherloc.sqlite import MEMORY

Make = Callable[..., Path]
ROOT = Path(__file__).parents[2]


def index(repo: Path, revision: str | None = None, **settings: Any) -> Index:
    return build_index(open_tree(repo, revision), load_settings({"cache": {"workers": 1}, **settings}))


def content(i: Index) -> tuple[Any, ...]:
    snippets = tuple(i.snippet(u) for u in range(i.unit_count))
    return snippets, {t: i.code.postings(t)[0].tolist() for t in sorted(i.code._term_numbers)}


FILES = {f"pkg/m{n}.py": f"def f{n}(x):\n    return g{n}(x)\n" for n in range(12)}


def test_a_second_run_parses_nothing_and_gives_the_same(make_repository: Make) -> None:
    repo = make_repository(FILES)
    first, second = index(repo), index(repo)
    assert (first.info.parsed, first.info.reused) == (12, 0)
    assert (second.info.parsed, second.info.reused) == (0, 12)
    assert content(first) == content(second)


def test_only_what_changed_is_parsed_and_revisions_share_the_rest(make_repository: Make, git_tools: Any) -> None:
    repo = make_repository(FILES)
    old = git_tools.run_git(repo, "rev-parse", "HEAD")
    index(repo)
    git_tools.put(repo, {"pkg/m3.py": "def changed():\n    pass\n", "pkg/new.py": "def new():\n    pass\n"})
    git_tools.commit(repo, "second")
    assert index(repo).info.parsed == 2
    assert index(repo, old).info.parsed == 0
    assert index(repo, "HEAD").info.parsed == 0
    assert index(repo, "HEAD").units_named("changed") and not index(repo, old).units_named("changed")


def test_a_moved_file_is_not_parsed_again(make_repository: Make) -> None:
    repo = make_repository(FILES)
    index(repo)
    (repo / "pkg/m1.py").rename(repo / "pkg/renamed.py")
    again = index(repo)
    assert again.info.parsed == 0
    assert again.units_of("pkg/renamed.py") and not again.units_of("pkg/m1.py")


def test_two_files_with_the_same_content_are_two_files(make_repository: Make) -> None:
    i = index(make_repository({"a.py": "def f():\n    pass\n", "b.py": "def f():\n    pass\n"}))
    assert i.info.parsed == 1
    assert [i.snippet(u).path for u in i.units_named("f")] == ["a.py", "b.py"]


@pytest.mark.parametrize("damage", [b"", b"not a database at all" * 99, None])
def test_a_damaged_store_is_rebuilt_with_the_same_result(make_repository: Make, damage: bytes | None) -> None:
    repo = make_repository(FILES)
    first = index(repo)
    store = Path(first.info.storage)
    data = store.read_bytes()
    for side in store.parent.glob(store.name + "-*"):
        side.unlink()
    store.write_bytes(data[: len(data) // 2] if damage is None else damage)
    again = index(repo)
    assert content(again) == content(first)
    assert again.info.parsed == 12
    if damage != b"":
        assert [d.code for d in again.info.diagnostics] == ["index_rebuilt"]


def test_bytes_overwritten_inside_the_store_never_change_the_answer(make_repository: Make) -> None:
    repo = make_repository(FILES)
    first = index(repo)
    store = Path(first.info.storage)
    data = store.read_bytes()
    for at in range(4096, len(data), 4096):
        for side in store.parent.glob(store.name + "-*"):
            side.unlink()
        store.write_bytes(data[:at] + b"\xa5" * 4096 + data[at + 4096 :])
        assert content(index(repo)) == content(first)


def test_a_cache_that_cannot_be_written_is_kept_in_memory(
    make_repository: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = make_repository(FILES)
    wanted = content(index(repo))
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("SHERLOC_CACHE", str(tmp_path / "file"))
    again = index(repo)
    assert again.info.storage == MEMORY
    assert [d.code for d in again.info.diagnostics] == ["index_in_memory"]
    assert content(again) == wanted


def test_a_full_disk_is_survived_in_memory(make_repository: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    from sherloc.indexer import store as store_module

    repo = make_repository(FILES)
    real = store_module.Database

    def small(path: Any, migrations: Any) -> Any:
        database = real(path, migrations)
        if path != MEMORY:
            database.execute("PRAGMA max_page_count = 10")
        return database

    monkeypatch.setattr(store_module, "Database", small)
    full = index(repo)
    assert full.info.storage == MEMORY
    assert "index_in_memory" in [d.code for d in full.info.diagnostics]
    monkeypatch.setattr(store_module, "Database", real)
    assert content(index(repo)) == content(full)


def test_tests_are_candidates_only_when_asked_for(make_repository: Make) -> None:
    repo = make_repository({"pkg/a.py": "def f():\n    pass\n", "tests/test_a.py": "def test_f():\n    pass\n"})
    assert not index(repo).units_named("test_f")
    assert index(repo, index={"include_tests": True}).units_named("test_f")


def test_what_is_left_out_is_told_with_its_reason(make_repository: Make) -> None:
    repo = make_repository(
        {
            "a.py": "def f():\n    pass\n",
            "broken.py": "def good():\n    pass\n\ndef bad(:\n    pass\n\n\ndef fine():\n    pass\n",
            "nul.py": b"x = 1\x00\n",
            "big.py": "x = 1\n" * 400_000,
            "one_line.js": "a=1;" * 1_300_000,
            "latin.py": "def né():\n    pass\n".encode("latin-1"),
            "node_modules/x/index.js": "function f() {}\n",
        }
    )
    i = index(repo)
    codes = {d.code for d in i.info.diagnostics}
    assert {"skipped_binary", "skipped_too_large", "skipped_vendored", "parse_partial", "encoding_guessed"} <= codes
    assert i.info.skipped == {"binary": 1, "too_large": 2, "vendored": 1}
    assert i.units_named("good") and i.units_named("fine") and i.units_named("né")


def test_a_5_mb_line_is_skipped_fast(make_repository: Make) -> None:
    repo = make_repository({"a.js": "f(" * 700_000, "b.js": "function ok() {}\n"})
    i = index(repo)
    assert i.info.skipped == {"minified": 1}
    assert i.units_named("ok")


def test_nested_brackets_do_no_harm(make_repository: Make) -> None:
    deep = "x = " + "[" * 9_000 + "]" * 9_000 + "\n"
    i = index(make_repository({"deep.py": deep + "def after():\n    pass\n", "ok.py": "def ok():\n    pass\n"}))
    assert i.units_named("ok")


def test_many_files_in_processes_equal_few_in_one(make_repository: Make) -> None:
    files = {f"p{n % 7}/m{n}.py": f"class C{n}(B{n % 5}):\n    def f(self):\n        return {n}\n" for n in range(200)}
    repo = make_repository(files)
    tree = open_tree(repo)
    many = build_index(tree, load_settings({"cache": {"workers": 3, "folder": str(repo.parent / "x")}}))
    Path(many.info.storage).unlink()
    assert content(many) == content(index(repo))


def test_a_parser_that_crashes_loses_only_its_file(make_repository: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    from sherloc.indexer import pool

    start = (
        "import json, os, sys; sys.path[:] = json.loads(sys.argv[1]); import sherloc.indexer.extract as e; "
        "real = e.outline; "
        "e.outline = lambda language, source: os._exit(9) if b'BOOM' in source else real(language, source); "
        "from sherloc.indexer.worker import main; main()"
    )
    monkeypatch.setattr(pool, "_START", start)
    files = {f"m{n:03}.py": f"def f{n}():\n    pass\n" for n in range(120)}
    repo = make_repository({**files, "m050.py": "BOOM = 1\n", "m051.py": "BOOM = 2\n"})
    i = build_index(open_tree(repo), load_settings({"cache": {"workers": 2}}))
    assert i.info.skipped == {"parser_crashed": 2}
    assert len([u for n in range(120) for u in i.units_named(f"f{n}")]) == 118
    monkeypatch.undo()


_BUILD = """
import sys
from sherloc.indexer.builder import build_index
from sherloc.repository import open_tree
from sherloc.settings import load_settings
i = build_index(open_tree(sys.argv[1]), load_settings({"cache": {"workers": 1}}))
print(i.info.parsed, i.unit_count, i.info.storage)
"""


def _start(repo: Path, **more: Any) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-c", _BUILD, str(repo)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )


def test_two_processes_at_once_give_the_same_index(make_repository: Make) -> None:
    repo = make_repository({f"m{n}.py": f"def f{n}():\n    return {n}\n" for n in range(60)})
    outcomes = [process.communicate() for process in [_start(repo), _start(repo), _start(repo)]]
    assert [error for _, error in outcomes] == ["", "", ""]
    assert {out.split()[1] for out, _ in outcomes} == {"120"}
    assert {out.split()[2] for out, _ in outcomes} == {index(repo).info.storage}


@pytest.mark.slow
def test_killed_at_any_moment_the_next_run_is_whole(make_repository: Make) -> None:
    repo = make_repository({f"m{n}.py": f"def f{n}():\n    return {n}\n" * 40 for n in range(600)})
    for delay in [0.05 * n for n in range(1, 30)]:
        process = _start(repo)
        try:
            process.wait(delay)
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        store = next(iter(Path(os.environ["SHERLOC_CACHE"]).glob("index/*.sqlite")), None)
        if store is not None:
            assert Settings().cache.max_bytes > store.stat().st_size
    whole = index(repo)
    assert whole.unit_count == 600 * 41
    assert "index_rebuilt" not in [d.code for d in whole.info.diagnostics]


@pytest.mark.parametrize(("times", "kept"), [(1, 1), (255, 255), (256, 255), (300, 255)])
def test_a_word_that_fills_a_path_counts_255_times_at_most(tmp_path: Path, times: int, kept: int) -> None:
    name = "/".join("-".join(["word"] * min(30, times - first)) for first in range(0, times, 30))
    (tmp_path / name).mkdir(parents=True)
    (tmp_path / name / "a.py").write_text("def run():\n    pass\n")
    code = index(tmp_path).code
    assert code.arrays["path_tf"].max() == kept
