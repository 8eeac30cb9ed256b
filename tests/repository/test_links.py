"""Links, loops, devices and folders that cannot be read: nothing outside the root is ever opened."""

from __future__ import annotations

import os

import pytest

from sherloc.repository import Entry, open_reader, open_tree

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX files")


@pytest.fixture(params=["git", "folder"])
def place(request, tmp_path, git, write):
    """A folder with one file, under git or not."""
    folder = tmp_path / "place"
    write(folder, {"a.py": "A = 1\n"})
    write(tmp_path, {"outside/secret.py": "S = 1\n"})
    if request.param == "git":
        git(folder, "init", "-q")
    return folder


def test_links_are_named_and_not_followed(place, tmp_path, paths, reasons):
    (place / "inner.py").symlink_to("a.py")
    (place / "outer.py").symlink_to(tmp_path / "outside" / "secret.py")
    (place / "folder").symlink_to(tmp_path / "outside")
    (place / "dangling.py").symlink_to("nowhere")
    (place / "loop").symlink_to("loop")
    (place / "self").symlink_to(".")
    tree = open_tree(place)
    assert paths(tree) == ["a.py"]
    assert reasons(tree) == dict.fromkeys(["dangling.py", "folder", "inner.py", "loop", "outer.py", "self"], "symlink")


def test_tracked_links_are_skipped_in_work_tree_and_revision(repo, git, reasons):
    (repo / "link.py").symlink_to("a.py")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "link")
    for tree in (open_tree(repo), open_tree(repo, "HEAD")):
        assert reasons(tree) == {"link.py": "symlink"}


def test_a_tracked_file_replaced_by_a_link(repo, tmp_path, write, paths, reasons):
    write(tmp_path, {"secret.py": "S = 1\n"})
    (repo / "a.py").unlink()
    (repo / "a.py").symlink_to(tmp_path / "secret.py")
    tree = open_tree(repo)
    assert "a.py" not in paths(tree)
    assert reasons(tree) == {"a.py": "symlink"}
    assert tree.revision.endswith("+changes")


def test_a_folder_replaced_by_a_link_is_not_entered(repo, tmp_path, write, paths, reasons):
    write(tmp_path, {"elsewhere/b.py": "B = 1\n", "elsewhere/c.py": "C = 1\n"})
    (repo / "pkg").rename(tmp_path / "old")
    (repo / "pkg").symlink_to(tmp_path / "elsewhere")
    tree = open_tree(repo)
    assert paths(tree) == ["a.py"]
    assert reasons(tree) == {"pkg": "symlink", "pkg/b.py": "outside_root", "pkg/c.py": "outside_root"}


def test_a_link_put_there_after_listing_is_not_read(repo, tmp_path, write):
    write(tmp_path, {"elsewhere/b.py": "B = 1\n"})
    tree = open_tree(repo)
    (repo / "pkg").rename(tmp_path / "old")
    (repo / "pkg").symlink_to(tmp_path / "elsewhere")
    (repo / "a.py").unlink()
    (repo / "a.py").symlink_to(tmp_path / "elsewhere" / "b.py")
    assert [data for _, data in tree.read(tree.entries)] == [None, None, None]


@pytest.mark.parametrize(
    "path", ["../outside/secret.py", "/etc/hostname", "pkg/../../outside/secret.py", "a\0b", "", "."]
)
def test_a_reader_stays_below_its_root(place, path):
    reader = open_reader(open_tree(place).reader())
    assert [data for _, data in reader.read([Entry(path, "", 0)])] == [None]


def test_pipes_are_skipped_and_never_block(repo, write, reasons):
    (repo / "a.py").unlink()
    os.mkfifo(repo / "a.py")
    os.mkfifo(repo / "other")
    assert reasons(open_tree(repo)) == {"a.py": "not_regular"}


def test_pipes_in_a_folder(tmp_path, reasons):
    os.mkfifo(tmp_path / "pipe")
    assert reasons(open_tree(tmp_path)) == {"pipe": "not_regular"}


def test_a_pipe_put_there_after_listing_gives_none(place):
    tree = open_tree(place)
    (place / "a.py").unlink()
    os.mkfifo(place / "a.py")
    assert [data for _, data in tree.read(tree.entries)] == [None]


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root reads everything")
def test_unreadable_files_and_folders_are_named(place, write, paths, reasons):
    write(place, {"locked.py": "", "closed/x.py": ""})
    (place / "locked.py").chmod(0)
    (place / "closed").chmod(0)
    try:
        tree = open_tree(place)
        assert paths(tree) == ["a.py"]
        assert reasons(tree)["locked.py"] == "unreadable"
    finally:
        (place / "closed").chmod(0o700)


def test_files_that_cannot_be_opened_are_named(repo, monkeypatch, write, reasons):
    write(repo, {"a.py": "A = 2\n"})
    monkeypatch.setattr("sherloc.repository.disk._FLAGS", os.O_WRONLY | os.O_DIRECTORY)
    assert reasons(open_tree(repo))["a.py"] == "unreadable"


def test_very_large_files_are_skipped(place, monkeypatch, reasons):
    monkeypatch.setattr("sherloc.repository.folder.MAX_READ_BYTES", 3)
    assert reasons(open_tree(place)) == {"a.py": "too_large"}


def test_a_file_that_grew_large_gives_none(place, monkeypatch):
    tree = open_tree(place)
    monkeypatch.setattr("sherloc.repository.disk.MAX_READ_BYTES", 3)
    assert [data for _, data in tree.read(tree.entries)] == [None]
