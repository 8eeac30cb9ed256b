"""What went wrong is called by its name: damage, exhaustion and a folder that is gone are no other faults."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sherloc import locate
from sherloc.errors import GitError
from sherloc.repository import open_tree
from sherloc.repository.git import failure

Git = Callable[..., str]
SOURCE = Path(__file__).parents[2]
posix = pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")


def object_file(repo: Path, content_id: str) -> Path:
    path = repo / ".git/objects" / content_id[:2] / content_id[2:]
    path.chmod(0o644)
    return path


def remove(path: Path) -> None:
    path.unlink()


def overwrite(path: Path) -> None:
    path.write_bytes(b"garbage that is no object")


def empty(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:12])


DAMAGES = pytest.mark.parametrize("damage", [remove, overwrite, empty, cut], ids=lambda damage: damage.__name__)


@DAMAGES
def test_a_damaged_blob_is_no_partial_clone(repo: Path, git: Git, damage: Callable[[Path], None]) -> None:
    damage(object_file(repo, git(repo, "rev-parse", "HEAD:pkg/b.py")))
    tree = open_tree(repo, "HEAD")
    listed = {entry.path for entry in tree.entries}
    reasons = {skip.path: skip.reason for skip in tree.skipped}
    contents = {entry.path: data for entry, data in tree.read(tree.entries)}
    # Where git still reads the head of the object, the damage shows itself when it is read.
    assert reasons == ({} if "pkg/b.py" in listed else {"pkg/b.py": "broken_blob"})
    assert contents.pop("pkg/b.py", None) is None
    assert contents == {"a.py": b"A = 1\n", "pkg/c.py": b"C = 1\n"}


@DAMAGES
def test_the_report_names_the_damage(repo: Path, git: Git, damage: Callable[[Path], None]) -> None:
    damage(object_file(repo, git(repo, "rev-parse", "HEAD:pkg/b.py")))
    report = locate("A is wrong", repo, revision="HEAD")
    (told,) = [d for d in report.diagnostics if d.path == "pkg/b.py"]
    assert (told.code, told.severity) in [("skipped_broken_blob", "warning"), ("skipped_unreadable", "warning")]
    assert "partial" not in told.message


@DAMAGES
@pytest.mark.parametrize("name", ["HEAD^{tree}", "HEAD:pkg"])
def test_a_damaged_tree(repo: Path, git: Git, damage: Callable[[Path], None], name: str) -> None:
    damage(object_file(repo, git(repo, "rev-parse", name)))
    with pytest.raises(GitError) as caught:
        open_tree(repo, "HEAD")
    assert "partial" not in str(caught.value)
    assert caught.value.hint == "See what is broken with: git fsck"


@posix
def test_without_file_handles_nobody_is_told_to_install_git(repo: Path) -> None:
    code = """
import os, resource, sys
from sherloc.errors import GitError
from sherloc.repository import open_tree
resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
held = []
try:
    while True:
        held.append(os.open(os.devnull, os.O_RDONLY))
except OSError:
    os.close(held.pop())
try:
    open_tree(sys.argv[1])
except GitError as error:
    sys.stdout.write(str(error))
"""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run([sys.executable, "-c", code, str(repo)], env=environment, capture_output=True, check=False)
    text = done.stdout.decode()
    assert "could not be started" in text, done.stderr
    assert "Too many open files" in text
    assert "ulimit -n" in text
    assert "Install" not in text


def test_without_git_one_is_told_to_install_it(repo: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match="Install git"):
        open_tree(repo)


@posix
def test_a_git_that_may_not_be_run(repo: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "git").write_text("#!/bin/sh\n")
    (tmp_path / "git").chmod(0o644)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match="may not be run"):
        open_tree(repo)


def test_without_a_temporary_folder(repo: Path, monkeypatch: pytest.MonkeyPatch, git: Git) -> None:
    tree = open_tree(repo, "HEAD")
    monkeypatch.setattr("tempfile.tempdir", str(repo / "none"))
    with pytest.raises(GitError, match="temporary file"):
        list(tree.read(tree.entries))
    git(repo, "update-index", "--split-index")
    with pytest.raises(GitError, match="could not be copied"):
        open_tree(repo)


@posix
@pytest.mark.parametrize("where", [".", "sub", "../other"])
def test_a_current_folder_that_is_gone(tmp_path: Path, where: str) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = [sys.executable, "-m", "sherloc", "locate", "it is broken", "--repo", where]
    shell = ["sh", "-c", 'cd "$0" && rmdir "$0" && exec "$@"', str(gone), *command]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(shell, env=environment, capture_output=True, check=False)
    text = done.stderr.decode()
    assert done.returncode == 3, text
    assert "The current folder cannot be found" in text
    assert "give an absolute path" in text
    assert "Errno" not in text
    assert "Traceback" not in text


@posix
def test_an_absolute_repository_needs_no_current_folder(tmp_path: Path, repo: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    here = ["--repo", str(repo)]
    for arguments in (["locate", "A x", *here], ["explain", "A x", "a.py", *here], ["index", str(repo)], ["doctor"]):
        gone.mkdir(exist_ok=True)
        command = [sys.executable, "-m", "sherloc", *arguments]
        shell = ["sh", "-c", 'cd "$0" && rmdir "$0" && exec "$@"', str(gone), *command]
        environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
        done = subprocess.run(shell, env=environment, capture_output=True, check=False)
        assert done.returncode == 0, (arguments, done.stderr)


MEMORY = """
import resource, sys
from sherloc.repository import open_tree
import sherloc.repository.revision, subprocess, tempfile
tree = open_tree(sys.argv[1], sys.argv[2] or None)
list(tree.read([entry for entry in tree.entries if entry.path == "small.py"]))
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (16 << 20), -1))
again = open_tree(sys.argv[1], sys.argv[2] or None)
found = {entry.path: data and len(data) for entry, data in tree.read(tree.entries)}
sys.stdout.write(repr((found, {skip.path: skip.reason for skip in again.skipped})))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("kind", ["folder", "work tree", "revision"])
def test_a_file_for_which_memory_is_too_small_is_skipped(tmp_path: Path, git: Git, kind: str) -> None:
    folder = tmp_path / "big"
    folder.mkdir()
    (folder / "big.py").write_bytes(b"x = 1\n" * (5 << 20))
    (folder / "small.py").write_bytes(b"x = 1\n")
    if kind != "folder":
        git(folder, "init", "-q")
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", "one")
    if kind == "work tree":
        os.utime(folder / "big.py", (1, 1))
    revision = "HEAD" if kind == "revision" else ""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-c", MEMORY, str(folder), revision]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.stderr == b""
    skipped = {} if kind == "revision" else {"big.py": "unreadable"}
    assert done.stdout.decode() == repr(({"big.py": None, "small.py": 6}, skipped))


@pytest.mark.parametrize(
    "words",
    [
        "fatal: loose object abc is corrupt",
        "error: object file ab/c is empty",
        "error: Could not read abc",
    ],
)
def test_what_git_says_of_damage_has_a_hint(words: str) -> None:
    assert failure("/x", ("ls-tree",), 128, words.encode()).hint == "See what is broken with: git fsck"
