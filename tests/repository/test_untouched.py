"""The checkout is only read: no name, time or byte of it changes, and no program that it names is run."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from sherloc import locate
from sherloc.errors import RevisionNotFoundError
from sherloc.repository import open_tree

Git = Callable[..., str]
Write = Callable[[Path, dict[str, "str | bytes"]], None]
FILES = {
    "a/x/one.py": "def parse_one():\n    return 1\n",
    "b/y/two.py": "def parse_two():\n    return 2\n",
    "b/z/deep/three.py": "def parse_three():\n    return 3\n",
    "c/four.py": "def parse_four():\n    return 4\n",
    "top.py": "def parse_top():\n    return 0\n",
    ".gitignore": "*.log\n",
}


def snapshot(root: Path) -> dict[str, tuple[object, ...]]:
    """Everything that stands below a folder: kind and permissions, number, time of change of content and of status."""
    found: dict[str, tuple[object, ...]] = {}
    for folder, names, files in os.walk(root):
        for name in (".", *names, *files):
            path = os.path.join(folder, name)
            status = os.lstat(path)
            content = b""
            if stat.S_ISREG(status.st_mode):
                with open(path, "rb") as file:
                    content = hashlib.sha256(file.read()).digest()
            key = os.path.normpath(os.path.relpath(path, root))
            found[key] = (
                status.st_mode,
                status.st_ino,
                status.st_mtime_ns,
                status.st_ctime_ns,
                status.st_size,
                content,
            )
    return found


@pytest.fixture
def project(tmp_path: Path, git: Git, write: Write) -> Path:
    folder = tmp_path / "checkout"
    folder.mkdir()
    write(folder, dict(FILES))
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    return folder


def plain(project: Path, git: Git) -> None:
    """As it is."""


def packed(project: Path, git: Git) -> None:
    git(project, "gc", "-q")


def sparse(project: Path, git: Git) -> None:
    git(project, "sparse-checkout", "set", "--no-cone", "/a/")


def sparse_index(project: Path, git: Git) -> None:
    git(project, "sparse-checkout", "set", "--cone", "--sparse-index", "a")
    assert b"sdir" in (project / ".git/index").read_bytes()


def sparse_index_packed(project: Path, git: Git) -> None:
    sparse_index(project, git)
    git(project, "gc", "-q")


def sparse_index_with_files_outside(project: Path, git: Git) -> None:
    sparse_index(project, git)
    (project / "b/y").mkdir(parents=True)
    (project / "b/y/two.py").write_text(FILES["b/y/two.py"])
    (project / "b/y/new.py").write_text("def parse_new():\n    return 9\n")
    (project / "c").mkdir()


def sparse_index_with_a_change(project: Path, git: Git) -> None:
    sparse_index(project, git)
    (project / "a/x/one.py").write_text("def parse_one():\n    return 11\n")
    git(project, "add", "-A")


def index_that_is_to_be_sparse(project: Path, git: Git) -> None:
    """The setting says sparse, the index is not yet."""
    git(project, "sparse-checkout", "set", "--cone", "a")
    git(project, "config", "index.sparse", "true")


def split_index(project: Path, git: Git) -> None:
    git(project, "update-index", "--split-index")
    (project / "top.py").write_text("def parse_top():\n    return 7\n")
    git(project, "add", "-A")
    assert list((project / ".git").glob("sharedindex.*"))


def untracked_cache(project: Path, git: Git) -> None:
    git(project, "config", "core.untrackedCache", "true")
    (project / "new.py").write_text("def parse_new():\n    return 9\n")
    git(project, "update-index", "--force-untracked-cache")
    git(project, "status")
    (project / "newer.py").write_text("def parse_newer():\n    return 9\n")


def stale_index(project: Path, git: Git) -> None:
    """Every file looks changed, so that git would like to refresh its index."""
    for path in project.rglob("*.py"):
        os.utime(path, (1, 1))


def linked_work_tree(project: Path, git: Git) -> None:
    git(project, "worktree", "add", "-q", "linked", "-b", "other")


def with_submodule(project: Path, git: Git) -> None:
    inner = project.parent / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    (inner / "i.py").write_text("I = 1\n")
    git(inner, "add", "-A")
    git(inner, "commit", "-qm", "i")
    git(project, "submodule", "add", "-q", str(inner), "dep")
    git(project, "commit", "-qm", "dep")
    (project / "dep/i.py").write_text("I = 2\n")


SHAPES = [
    plain, packed, sparse, sparse_index, sparse_index_packed, sparse_index_with_files_outside,
    sparse_index_with_a_change, index_that_is_to_be_sparse, split_index, untracked_cache, stale_index, linked_work_tree,
    with_submodule,
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_nothing_in_the_checkout_changes(project: Path, git: Git, shape: Callable[[Path, Git], None]) -> None:
    shape(project, git)
    before = snapshot(project)
    locate("parse_one returns the wrong number", project)
    open_tree(project / "a")
    open_tree(project, "HEAD")
    after = snapshot(project)
    assert {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)} == set()


@pytest.mark.parametrize("revision", [":top.py", ":0:b/y/two.py", ":b/y/two.py", ":", "::", ":!x"])
def test_a_revision_that_would_read_the_index_is_none(project: Path, git: Git, revision: str) -> None:
    sparse_index(project, git)
    before = snapshot(project)
    with pytest.raises(RevisionNotFoundError):
        open_tree(project, revision)
    assert snapshot(project) == before


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_what_is_listed_is_what_git_lists(project: Path, git: Git, shape: Callable[[Path, Git], None]) -> None:
    """That it is read from a copy changes nothing; asked of git itself last, because git may write."""
    shape(project, git)
    trees = {"": open_tree(project), "a": open_tree(project / "a")}
    for folder, tree in trees.items():
        tracked = set(git(project / folder, "ls-files").splitlines())
        others = set(git(project / folder, "ls-files", "-o", "--exclude-standard").splitlines())
        listed = [entry.path for entry in tree.entries] + [skip.path for skip in tree.skipped]
        assert sorted(listed) == sorted({name.rstrip("/") for name in tracked | others})
        assert all((project / folder / entry.path).is_file() for entry in tree.entries)
        assert all(skip.reason in ("not_checked_out", "submodule") for skip in tree.skipped)
    clean = not git(project, "status", "--porcelain", "--ignore-submodules=all")
    assert trees[""].revision == git(project, "rev-parse", "HEAD") + ("" if clean else "+changes")


def test_a_sparse_index_that_is_not_heads(project: Path, git: Git) -> None:
    """Folders of the index that HEAD does not have so are listed all the same."""
    git(project, "checkout", "-q", "-b", "other")
    (project / "c/five.py").write_text("F = 5\n")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "two")
    sparse_index(project, git)
    git(project, "reset", "-q", "--soft", "main")
    before = snapshot(project)
    tree = open_tree(project)
    assert {skip.path for skip in tree.skipped} == {
        "b/y/two.py", "b/z/deep/three.py", "c/five.py", "c/four.py",
    }  # fmt: skip
    assert tree.revision.endswith("+changes")
    assert snapshot(project) == before


def test_a_folder_outside_of_the_sparse_cone(project: Path, git: Git) -> None:
    sparse_index_with_files_outside(project, git)
    before = snapshot(project)
    tree = open_tree(project / "b")
    assert [entry.path for entry in tree.entries] == ["y/new.py", "y/two.py"]
    assert [(skip.path, skip.reason) for skip in tree.skipped] == [("z/deep/three.py", "not_checked_out")]
    assert snapshot(project) == before


def test_nothing_is_left_in_the_temporary_folder(
    project: Path, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    sparse_index(project, git)
    open_tree(project)
    git(project, "sparse-checkout", "disable")
    split_index(project, git)
    open_tree(project)
    assert os.listdir(folder) == []


PROGRAMS = [
    "core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "core.gitProxy", "gpg.program",
    "core.alternateRefsCommand", "diff.external", "diff.evil.command", "diff.evil.textconv", "filter.evil.clean",
    "filter.evil.smudge", "filter.evil.process", "merge.evil.driver", "credential.helper", "remote.origin.uploadpack",
    "remote.origin.receivepack", "remote.origin.vcs", "uploadpack.packObjectsHook", "alias.ls-files",
    "alias.rev-parse",
    "alias.cat-file", "alias.ls-tree", "alias.diff-index", "sequence.editor", "interactive.diffFilter",
    "pager.ls-files",
    "pager.diff-index", "pager.ls-tree", "trace2.eventTarget", "submodule.dep.update", "web.browser", "gc.auto",
]  # fmt: skip
HOOKS = ["post-index-change", "fsmonitor-watchman", "reference-transaction", "post-checkout", "pre-auto-gc"]


@pytest.mark.parametrize("shape", [plain, sparse_index, split_index, with_submodule], ids=lambda shape: shape.__name__)
def test_no_program_that_the_repository_names_is_run(
    project: Path, git: Git, tmp_path: Path, shape: Callable[[Path, Git], None]
) -> None:
    shape(project, git)
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {ran}\n')
    program.chmod(0o755)
    (project / ".gitattributes").write_text("*.py diff=evil filter=evil merge=evil\n")
    (project / "top.py").write_text("def parse_top():\n    return 77\n")
    hooks = project / "hooks"
    for folder in (project / ".git/hooks", hooks):
        folder.mkdir(exist_ok=True)
        for name in HOOKS:
            (folder / name).write_bytes(program.read_bytes())
            (folder / name).chmod(0o755)
    with open(project / ".git/config", "a", encoding="utf-8") as config:
        for name in PROGRAMS:
            *section, key = name.split(".")
            quoted = section[0] + (f' "{section[1]}"' if len(section) > 1 else "")
            prefix = "!" if name.startswith(("alias", "submodule", "credential")) else ""
            config.write(f"[{quoted}]\n\t{key} = {'1' if name == 'gc.auto' else prefix + str(program)}\n")
        config.write(f'[core]\n\thooksPath = {hooks}\n[remote "origin"]\n\turl = ext::{program}\n\tpromisor = true\n')
    before = snapshot(project)
    locate("parse_one returns the wrong number", project)
    locate("parse_one returns the wrong number", project, revision="HEAD")
    assert not ran.exists(), ran.read_text()
    assert snapshot(project) == before
    git(project, "status", check=False)
    assert ran.exists()  # who does not take care runs them
