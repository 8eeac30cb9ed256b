"""Diffs of every kind of change, against what git itself says, and without a trace in the repository."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sherloc.errors import NotARepositoryError, RevisionNotFoundError
from sherloc.indexer.decoding import decode
from sherloc.repository.changes import Change, Changes, changed_lines, find_changes


def changes_of(repo: Path, base: str | None = "main", **options: Any) -> Changes:
    return find_changes(repo, base, decode=lambda data: decode(data)[0], **options)


def by_path(found: Changes) -> dict[str, Change]:
    return {change.path: change for change in found.changes}


def test_all_kinds_of_change(shop: Path, git_tools: Any) -> None:
    run = git_tools.run_git
    git_tools.put(shop, {"picture.png": b"\0\1", "gone.py": "x = 1\n", "a name.py": "y = 1\n", "run.sh": "echo\n"})
    git_tools.commit(shop, "more")
    run(shop, "checkout", "-q", "-b", "work")
    git_tools.put(
        shop, {"picture.png": b"\0\2", "a name.py": "y = 2\n", "new\nline.py": "z = 1\n", "tab\t.py": "t = 1\n"}
    )
    run(shop, "mv", "shop/stock.py", "shop/shelf stock.py")
    (shop / "gone.py").unlink()
    (shop / "run.sh").chmod(0o755)
    git_tools.commit(shop, "work")
    (shop / "shop/price.py").write_text((shop / "shop/price.py").read_text() + "\n\nVAT = 0.2\n")
    (shop / "untracked.py").write_text("u = 1\n")
    found = changes_of(shop)
    status = {path: change.status for path, change in by_path(found).items()}
    assert status == {
        "a name.py": "modified", "gone.py": "deleted", "new\\x0aline.py": "added", "picture.png": "modified",
        "run.sh": "mode", "shop/price.py": "modified", "shop/shelf stock.py": "renamed", "tab\\x09.py": "added",
        "untracked.py": "added",
    }  # fmt: skip
    assert by_path(found)["picture.png"].binary
    assert by_path(found)["shop/shelf stock.py"].old_path == "shop/stock.py"
    assert by_path(found)["shop/price.py"].lines == ((9, 11),)
    assert by_path(found)["a name.py"].text == (
        "diff --git a/a name.py b/a name.py\n--- a/a name.py\n+++ b/a name.py\n@@ -1 +1 @@\n-y = 1\n+y = 2\n"
    )
    assert "old mode 100644\nnew mode 100755" in by_path(found)["run.sh"].text
    assert run(shop, "status", "--porcelain") == "M shop/price.py\n?? untracked.py"
    assert not [name for name in os.listdir(shop) if name.startswith("sherloc")]


def test_what_is_no_content_is_told_of_a_work_tree_as_of_a_commit(shop: Path, git_tools: Any) -> None:
    run = git_tools.run_git
    git_tools.put(shop, {"run.sh": "echo\n", "both.sh": "echo\n", "staged.sh": "echo\n"})
    git_tools.commit(shop, "scripts")
    for name in ("run.sh", "both.sh", "staged.sh"):
        (shop / name).chmod(0o755)
    (shop / "both.sh").write_text("echo 2\n")
    run(shop, "add", "staged.sh")
    (shop / "link.py").symlink_to("shop/price.py")
    git_tools.put(shop.parent / "sub", {"a.py": "a = 1\n"})
    run(shop.parent / "sub", "init", "-q")
    git_tools.commit(shop.parent / "sub", "one")
    run(shop, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(shop.parent / "sub"), "sub")
    run(shop, "add", "link.py")
    uncommitted = by_path(changes_of(shop))
    mode = "old mode 100644\nnew mode 100755\n"
    assert {path: change.status for path, change in uncommitted.items()} == {
        ".gitmodules": "added", "both.sh": "modified", "link.py": "symlink", "run.sh": "mode", "staged.sh": "mode",
        "sub": "submodule",
    }  # fmt: skip
    assert uncommitted["run.sh"].text == f"diff --git a/run.sh b/run.sh\n{mode}"
    assert uncommitted["both.sh"].text.startswith(f"diff --git a/both.sh b/both.sh\n{mode}--- a/both.sh\n")
    base = run(shop, "rev-parse", "HEAD")
    git_tools.commit(shop, "all of it")
    committed = changes_of(shop, base, revision="HEAD")
    assert by_path(committed) == uncommitted == by_path(changes_of(shop, base))


def test_modes_do_not_count_where_git_is_told_so(shop: Path, git_tools: Any) -> None:
    git_tools.run_git(shop, "config", "core.fileMode", "false")
    (shop / "shop/price.py").chmod(0o755)
    assert changes_of(shop).changes == ()


def test_hunks_are_those_of_git(shop: Path, git_tools: Any) -> None:
    path = shop / "shop/basket.py"
    path.write_text(path.read_text().replace("total - discount", "max(0, total - discount)").replace("pop()", "pop(0)"))
    own = by_path(changes_of(shop, unified=2))["shop/basket.py"].text
    git = git_tools.run_git(shop, "diff", "--unified=2", "--diff-algorithm=histogram", "main")
    assert own.split("\n@@ ", 1)[1].strip() == git.split("\n@@ ", 1)[1].strip()


def test_the_base_is_the_merge_base(shop: Path, git_tools: Any) -> None:
    run = git_tools.run_git
    fork = run(shop, "rev-parse", "HEAD")
    run(shop, "checkout", "-q", "-b", "work")
    git_tools.put(shop, {"w.py": "w = 1\n"})
    git_tools.commit(shop, "work")
    run(shop, "checkout", "-q", "main")
    git_tools.put(shop, {"m.py": "m = 1\n"})
    git_tools.commit(shop, "main")
    found = changes_of(shop, "main", revision="work")
    assert found.base == fork and list(by_path(found)) == ["w.py"]
    assert found.notes == ()


def test_without_a_merge_base_it_is_the_base_itself_and_says_so(shop: Path, git_tools: Any) -> None:
    git_tools.run_git(shop, "checkout", "-q", "--orphan", "alone")
    git_tools.put(shop, {"shop/price.py": "x = 1\n"})
    git_tools.commit(shop, "alone")
    found = changes_of(shop)
    assert list(by_path(found)) == ["shop/price.py"]
    assert found.notes == ("There is no merge base with main: compared with main itself.",)


def test_a_shallow_clone_says_so(shop: Path, git_tools: Any, tmp_path: Path) -> None:
    run = git_tools.run_git
    run(shop, "checkout", "-q", "-b", "work")
    git_tools.put(shop, {"w.py": "w = 1\n"})
    git_tools.commit(shop, "work")
    run(tmp_path, "clone", "-q", "--depth=1", "--no-single-branch", f"file://{shop}", "clone")
    found = changes_of(tmp_path / "clone", "origin/main")
    assert list(by_path(found)) == ["w.py"]
    assert "shallow" in found.notes[0]


def test_nothing_differs(shop: Path) -> None:
    assert changes_of(shop).changes == ()


def test_the_default_base_is_the_remotes(shop: Path, git_tools: Any, tmp_path: Path) -> None:
    git_tools.run_git(tmp_path, "clone", "-q", str(shop), "clone")
    assert changes_of(tmp_path / "clone", None).asked == "origin/HEAD"
    assert changes_of(shop, None).asked == "main"


def test_errors(shop: Path, git_tools: Any, tmp_path: Path) -> None:
    with pytest.raises(RevisionNotFoundError, match="nowhere"):
        changes_of(shop, "nowhere")
    git_tools.run_git(shop, "branch", "-m", "trunk")
    with pytest.raises(RevisionNotFoundError, match="origin/HEAD"):
        changes_of(shop, None)
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/a.py").write_text("a = 1\n")
    with pytest.raises(NotARepositoryError):
        changes_of(tmp_path / "plain")


def test_submodules_and_links(shop: Path, git_tools: Any) -> None:
    commit = git_tools.run_git(shop, "rev-parse", "HEAD")
    git_tools.run_git(shop, "checkout", "-q", "-b", "work")
    git_tools.run_git(shop, "update-index", "--add", "--cacheinfo", f"160000,{commit},sub")
    (shop / "link.py").symlink_to("shop/price.py")
    git_tools.run_git(shop, "add", "link.py")
    git_tools.run_git(shop, "commit", "-qm", "sub")
    status = {path: change.status for path, change in by_path(changes_of(shop)).items()}
    assert status == {"link.py": "symlink", "sub": "submodule"}


def test_what_a_repository_configures_is_not_run(shop: Path, git_tools: Any, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    for name in ("filter.x.clean", "diff.x.textconv", "diff.external", "diff.x.command"):
        git_tools.run_git(shop, "config", name, f"touch {mark}; cat")
    (shop / ".gitattributes").write_text("*.py filter=x diff=x\n")
    (shop / "shop/price.py").write_text("x = 1\n")
    assert set(by_path(changes_of(shop))) == {".gitattributes", "shop/price.py"}
    assert not mark.exists()


def test_a_bare_repository(shop: Path, git_tools: Any, tmp_path: Path) -> None:
    git_tools.run_git(shop, "checkout", "-q", "-b", "work")
    git_tools.put(shop, {"w.py": "w = 1\n"})
    git_tools.commit(shop, "work")
    subprocess.run(["git", "clone", "-q", "--bare", str(shop), str(tmp_path / "bare.git")], check=True)
    assert list(by_path(changes_of(tmp_path / "bare.git"))) == ["w.py"]


@pytest.mark.parametrize(
    ("hunks", "lines"),
    [
        ("@@ -1,2 +1,3 @@\n a\n+b\n c\n", ((2, 2),)),
        ("@@ -1,3 +1,2 @@\n a\n-b\n c\n", ((1, 2),)),
        ("@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n", ((1, 1),)),
        ("@@ -0,0 +1,2 @@\n+a\n+b\n@@ -9 +11 @@\n-x\n+y\n", ((1, 2), (10, 11))),
        ("", ()),
    ],
)
def test_changed_lines(hunks: str, lines: tuple[tuple[int, int], ...]) -> None:
    assert changed_lines(hunks) == lines
