"""Which functions commits touched, with the real git."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.repository import open_tree
from sherloc.repository import patches as patches_module
from sherloc.repository.history import History
from sherloc.repository.patches import _MOST, Patches, Place, read_patches
from sherloc.settings import RetrievalSettings

Make = Callable[..., Path]

PYTHON = (
    "import a\n\n\nclass Basket:\n    def add(self, item):\n        self.items.append(item)\n\n"
    "    async def total(self):\n        return 1\n\n\ndef tax():\n    return 2\n"
)


def touched(repo: Path, commit: int = 0) -> list[Place]:
    """The places of one commit, 0 being the last."""
    history = History(open_tree(repo), RetrievalSettings())
    with history:
        chosen = history.commits()[commit]
        return history.patches([chosen.commit_id]).places().get(chosen.commit_id, [])


def changed(make_repository: Make, git_tools: Any, name: str, before: str | bytes, after: str | bytes) -> Path:
    repo = make_repository({name: before})
    git_tools.put(repo, {name: after})
    git_tools.commit(repo, "second")
    return repo


def test_functions_of_each_hunk_once(make_repository: Make, git_tools: Any) -> None:
    after = PYTHON.replace("import a", "import b").replace("append(item)", "append(item)  # last")
    after = after.replace("return 1", "return 1.0").replace("return 2", "return 3\n    # end")
    repo = changed(make_repository, git_tools, "shop/ä b.py", PYTHON, after)
    assert touched(repo) == [("shop/ä b.py", name) for name in ("", "add", "total", "tax")]
    assert touched(repo, 1) == [("shop/ä b.py", "")]  # the commit that made the file


@pytest.mark.parametrize(
    ("name", "before", "word"),
    [
        ("a.go", "package a\n\nfunc (s *Shop) Total(n int) int {\n\treturn 1\n}\n", "Total"),
        ("a.rs", "impl Shop {\n    pub fn total<T>(&self) -> i32 {\n        1\n    }\n}\n", "total"),
        ("A.java", "class A {\n    public int total(int n) {\n        return 1;\n    }\n}\n", "total"),
        ("a.c", "int total(int n)\n{\n\treturn 1;\n}\n", "total"),
        ("a.rb", "class A\n  def total\n    1\n  end\nend\n", "total"),
        ("a.php", "<?php\nclass A {\n    public function total($n) {\n        return 1;\n    }\n}\n", "total"),
        ("a.js", "function total(n) {\n  return 1;\n}\n", "total"),
        ("a.ts", "export function total(n: number) {\n  return 1;\n}\n", "total"),
        ("A.kt", "class A {\n    fun total(n: Int): Int {\n        return 1\n    }\n}\n", "total"),
        ("A.cs", "class A\n{\n    public int Total(int n)\n    {\n        return 1;\n    }\n}\n", "Total"),
    ],
)
def test_languages(make_repository: Make, git_tools: Any, name: str, before: str, word: str) -> None:
    repo = changed(make_repository, git_tools, name, before, before.replace("1", "2"))
    assert touched(repo) == [(name, word)]


def test_what_is_no_code_touches_nothing(make_repository: Make, git_tools: Any) -> None:
    repo = make_repository({"a.md": "def a():\n    1\n", "b.py": b"\0binary", "c.py": "x = 1\n" * 300_000})
    git_tools.put(repo, {"a.md": "def a():\n    2\n", "b.py": b"\0Binary", "c.py": "x = 2\n" * 300_000})
    git_tools.commit(repo, "second")
    assert touched(repo) == []


def test_lines_that_look_like_heads_of_files_are_lines(make_repository: Make, git_tools: Any) -> None:
    before = "def total():\n    1\n-- a/forged.py\n++ b/forged.py\n@ -1 +1 @@ def forged():\n\x01" + "0" * 40 + "\n"
    after = before.replace("-- a/f", "-- a/g").replace("++ b/f", "++ b/g").replace("@ -1", "@ -2").replace("000", "111")
    repo = changed(make_repository, git_tools, "a.sql.py", before, after)
    assert touched(repo) == [("a.sql.py", "total")]


def test_a_line_without_an_end(make_repository: Make, git_tools: Any) -> None:
    repo = make_repository({"a.py": "def a():\n    1", "b.py": "def b():\n    1"})
    git_tools.put(repo, {"a.py": "def a():\n    2", "b.py": "def b():\n    2\n"})
    git_tools.commit(repo, "second")
    assert touched(repo) == [("a.py", "a"), ("b.py", "b")]


def test_a_name_that_git_quotes_is_not_the_file_before(make_repository: Make, git_tools: Any) -> None:
    repo = make_repository({"a.py": "def a():\n    1\n", 'b\n".py': "def b():\n    1\n"})
    git_tools.put(repo, {"a.py": "def a():\n    2\n", 'b\n".py': "def b():\n    2\n"})
    git_tools.commit(repo, "second")
    assert touched(repo) == [("a.py", "a")]


def test_paths_are_relative_to_the_tree(make_repository: Make, git_tools: Any) -> None:
    repo = make_repository({"pkg/a.py": "def a():\n    1\n", "b.py": "def b():\n    1\n"})
    git_tools.put(repo, {"pkg/a.py": "def a():\n    2\n", "b.py": "def b():\n    2\n"})
    git_tools.commit(repo, "second")
    assert touched(repo / "pkg") == [("a.py", "a")]


def test_settings_of_the_repository_run_nothing_and_change_nothing(
    make_repository: Make, git_tools: Any, tmp_path: Path
) -> None:
    after = PYTHON.replace("append(item)", "append(item)  # last").replace("return 1", "return 1.0")
    repo = changed(make_repository, git_tools, "a.py", PYTHON, after)
    wanted = touched(repo)
    assert wanted == [("a.py", "add"), ("a.py", "total")]
    mark, attributes = tmp_path / "ran", tmp_path / "attributes"
    attributes.write_text("*.py -diff\n")
    (repo / ".git/info/attributes").write_text("*.py diff=own\n")
    for name, value in (
        ("diff.external", f"touch {mark}"), ("diff.own.command", f"touch {mark}"),
        ("diff.own.textconv", f"touch {mark}"),
        ("gpg.program", f"touch {mark}"), ("log.showSignature", "true"), ("core.pager", f"touch {mark}"),
        ("core.attributesFile", str(attributes)), ("diff.noprefix", "true"), ("diff.mnemonicPrefix", "true"),
        ("diff.context", "7"), ("diff.interHunkContext", "9"), ("color.ui", "always"), ("log.showRoot", "false"),
        ("diff.algorithm", "patience"), ("diff.submodule", "log"), ("diff.colorMoved", "zebra"),
        ("log.diffMerges", "on"),
    ):  # fmt: skip
        git_tools.run_git(repo, "config", name, value)
    assert [path for path, _ in touched(repo)] == ["a.py"] * len(touched(repo))
    (repo / ".git/info/attributes").unlink()
    assert touched(repo) == wanted
    assert touched(repo, 1) == [("a.py", "")]
    assert not mark.exists()


@pytest.mark.parametrize("attributes", ["*.py -diff\n", "*.py diff=own\n", "*.py !diff\n", "*.ts diff=java\n"])
def test_attributes_of_the_tree_change_nothing(
    make_repository: Make, git_tools: Any, tmp_path: Path, attributes: str
) -> None:
    """A bare clone has none."""
    code = {"p/a.py": PYTHON, "p/b.ts": "class B {\n  total(n: number) {\n    return 1;\n  }\n}\n"}
    repo = make_repository({**code, ".gitattributes": attributes, "p/.gitattributes": attributes})
    git_tools.put(repo, {name: text.replace("1", "2") for name, text in code.items()})
    git_tools.commit(repo, "second")
    git_tools.run_git(tmp_path, "clone", "-q", "--bare", str(repo), str(tmp_path / "bare"))
    git_tools.run_git(repo, "worktree", "add", "-q", str(tmp_path / "linked"))
    wanted = [("p/a.py", "total"), ("p/b.ts", "")]
    for tree in (tmp_path / "bare", tmp_path / "linked", repo):
        assert touched(tree) == wanted
    assert touched(repo / "p") == [(path[2:], name) for path, name in wanted]
    (repo / ".gitattributes").unlink()
    (repo / "p/.gitattributes").unlink()
    assert touched(repo) == wanted


def test_a_submodule(make_repository: Make, git_tools: Any) -> None:
    repo = changed(make_repository, git_tools, "a.py", PYTHON, PYTHON.replace("return 2", "return 3"))
    outer = make_repository({"b.py": PYTHON}, name="outer")
    git_tools.run_git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repo), "sub")
    assert touched(outer / "sub") == [("a.py", "tax")]


def test_a_clone_without_the_contents_touched_nothing(make_repository: Make, git_tools: Any, tmp_path: Path) -> None:
    repo = changed(make_repository, git_tools, "a.py", PYTHON, PYTHON.replace("return 2", "return 3"))
    git_tools.run_git(repo, "config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    git_tools.run_git(tmp_path, "clone", "-q", "--bare", "--filter=blob:none", f"file://{repo}", str(clone))
    assert touched(clone) == []


def test_no_commit_and_an_unknown_one(make_repository: Make) -> None:
    repo = make_repository({"a.py": "a\n"})
    assert Patches(str(repo), []).places() == {}
    assert Patches(str(repo), ["0" * 40]).places() == {}
    assert Patches(str(repo / "nowhere"), ["0" * 40]).places() == {}


def test_an_id_is_no_option_of_git(make_repository: Make, tmp_path: Path) -> None:
    repo = make_repository({"a.py": "a\n"})
    assert Patches(str(repo), [f"--output={tmp_path / 'written'}", "HEAD"]).places() == {}
    assert not (tmp_path / "written").exists()


def test_git_is_ended_when_there_is_no_memory(make_repository: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    class Output(io.BytesIO):
        def read(self, _size: int | None = -1) -> bytes:
            raise MemoryError

    start, started = patches_module._start, []

    def without_memory(*arguments: Any) -> Any:
        process: Any = start(*arguments)
        process.stdout.close()
        process.stdout = Output()
        started.append(process)
        return process

    repo = make_repository({"a.py": "a\n"})
    monkeypatch.setattr(patches_module, "_start", without_memory)
    assert Patches(str(repo), ["HEAD"]).places() == {}
    assert started[0].returncode is not None and started[0].stdout.closed


@pytest.mark.skipif(os.name == "nt", reason="no timer that signals")
def test_git_is_ended_when_the_user_interrupts(make_repository: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    started: list[subprocess.Popen[bytes]] = []

    def hanging(*_: Any) -> subprocess.Popen[bytes]:
        started.append(subprocess.Popen(["sleep", "600"], stdout=subprocess.PIPE))
        return started[0]

    repo = make_repository({"a.py": "a\n"})
    monkeypatch.setattr(patches_module, "_start", hanging)
    patches = Patches(str(repo), ["HEAD"])
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            patches.places()
    finally:
        signal.signal(signal.SIGALRM, before)
    patches.close()
    try:
        assert started[0].wait(10) != 0
    finally:
        started[0].kill()


def test_patches_that_nobody_reads_are_ended(make_repository: Make) -> None:
    history = History(open_tree(make_repository({"a.py": PYTHON})), RetrievalSettings())
    commits = history.commits()
    patches = history.patches([commit.commit_id for commit in commits])
    history.close()
    patches.close()
    assert patches.places() in ({}, {commits[0].commit_id: [("a.py", "")]})


@pytest.mark.parametrize("head", ["a", "def ", "def ?", "def " + "?" * 9, "func (", "fn <", "a ", "$ (", "def a."])
def test_any_heads_are_read_quickly(head: str) -> None:
    """As long as git lets them be, and as many as are read."""
    hunk = b"@@ -1 +1 @@ " + (head * 80)[:79].encode() + b"\n-\n+\n"
    start = time.process_time()
    assert read_patches(b"\x01c\n--- a/x\n+++ b/x\n" + hunk * (_MOST // len(hunk)))["c"]
    assert time.process_time() - start < 3  # "aaa" took 6


def test_many_short_lines_take_little_memory() -> None:
    output = b"\x01c\n--- a/x\n+++ b/x\n@@ -0,0 +1,9999999 @@\n" + b"+a\n" * 300_000
    tracemalloc.start()
    try:
        assert read_patches(output) == {"c": [("x", "")]}
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


LINES = [b"\x01", b"@@ -1 +1 @@ def f():", b"--- a/x", b"+++ b/y", b"diff --git a b", b"-", b"\\", b""]


@given(st.lists(st.sampled_from(LINES) | st.binary(max_size=12), max_size=30))
def test_any_bytes_are_read(lines: list[bytes]) -> None:
    for places in read_patches(b"\n".join(lines)).values():
        assert len(places) == len(set(places)) and all(path for path, _ in places)
