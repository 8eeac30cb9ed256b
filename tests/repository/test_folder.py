from __future__ import annotations

import os

import pytest

from sherloc.repository import content_id_of, open_reader, open_tree


def test_a_plain_folder(tmp_path, write, contents):
    write(tmp_path, {"b.py": "B = 1\n", "pkg/a.py": "A = 1\n", ".gitignore": "pkg/\n"})
    tree = open_tree(tmp_path)
    assert contents(tree) == {".gitignore": b"pkg/\n", "b.py": b"B = 1\n", "pkg/a.py": b"A = 1\n"}
    assert (tree.revision, tree.name, tree.skipped) == ("", tmp_path.name, ())
    assert all(entry.content_id == content_id_of(data) for entry, data in tree.read(tree.entries))
    assert list(open_reader(tree.reader()).read(tree.entries)) == list(tree.read(tree.entries))


@pytest.mark.parametrize("name", [".git", ".hg", ".svn", "node_modules", "__pycache__", ".tox", ".mypy_cache"])
def test_what_tools_leave_behind_is_left_out(tmp_path, write, paths, reasons, name):
    write(tmp_path, {f"pkg/{name}/x.py": "", "a.py": ""})
    tree = open_tree(tmp_path)
    assert (paths(tree), reasons(tree)) == (["a.py"], {f"pkg/{name}": "ignored_folder"})


@pytest.mark.parametrize("name", [".venv", "venv", "env"])
def test_virtual_environments_are_known_by_what_they_hold(tmp_path, write, paths, name):
    write(tmp_path, {f"{name}/pyvenv.cfg": "", f"{name}/lib/x.py": "", "a.py": "", "other/venv/x.py": ""})
    assert paths(open_tree(tmp_path)) == ["a.py", "other/venv/x.py"]


def test_a_root_that_is_a_virtual_environment_is_still_read(tmp_path, write, paths):
    write(tmp_path, {"pyvenv.cfg": "", "x.py": ""})
    assert paths(open_tree(tmp_path)) == ["pyvenv.cfg", "x.py"]


def test_the_order_is_by_code_points(tmp_path, write, paths):
    names = ["a-b.py", "a.py", "a/b.py", "B.py", "é.py", "名.py"]
    write(tmp_path, dict.fromkeys(names, ""))
    assert paths(open_tree(tmp_path)) == sorted(names)


def test_a_deep_folder_is_no_recursion(tmp_path):
    depth = 1_200
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(os.open("x.py", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    try:
        tree = open_tree(tmp_path)
        assert [entry.path.count("/") for entry in tree.entries] == [depth]
    finally:
        _remove_deep(tmp_path)


def test_an_empty_folder(tmp_path):
    tree = open_tree(tmp_path)
    assert (tree.entries, tree.skipped, list(tree.read([]))) == ((), (), [])


def test_os_path_relpath_is_not_needed(tmp_path, write, monkeypatch, paths):
    def fail(*_arguments):
        raise ValueError("path is on mount 'C:'")

    write(tmp_path, {"pkg/a.py": ""})
    monkeypatch.setattr(os.path, "relpath", fail)
    assert paths(open_tree(tmp_path)) == ["pkg/a.py"]


def _remove_deep(folder):
    """Remove what ``shutil.rmtree`` cannot, from the top."""
    top, lifted = folder / "d", folder / "lifted"
    while (top / "d").exists():
        (top / "d").rename(lifted)
        top.rmdir()
        lifted.rename(top)
