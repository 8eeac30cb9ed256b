from __future__ import annotations

import os
from pathlib import Path

import pytest

from sherloc.repository import content_id_of, open_reader, open_tree, tracked


def test_a_clean_work_tree_is_its_commit(repo, git, paths, contents):
    tree = open_tree(repo)
    assert paths(tree) == ["a.py", "pkg/b.py", "pkg/c.py"]
    assert contents(tree) == {"a.py": b"A = 1\n", "pkg/b.py": b"B = 1\n", "pkg/c.py": b"C = 1\n"}
    assert tree.revision == git(repo, "rev-parse", "HEAD")
    assert (tree.name, tree.location, tree.algorithm, tree.skipped) == ("project", str(repo), "sha1", ())
    assert [entry.size for entry in tree.entries] == [6, 6, 6]
    assert tree.key == open_tree(repo, "HEAD").key


def test_content_ids_are_those_of_the_content(repo, write):
    write(repo, {"a.py": "A = 2\n", "new.py": "N = 1\n"})
    tree = open_tree(repo)
    for entry, data in tree.read(tree.entries):
        assert entry.content_id == content_id_of(data)


def test_modified_files_are_hashed_and_marked(repo, write, contents):
    before = open_tree(repo)
    write(repo, {"a.py": "A = 2\n"})
    tree = open_tree(repo)
    assert tree.revision == before.revision + "+changes"
    assert tree.key != before.key
    assert contents(tree)["a.py"] == b"A = 2\n"


def test_a_change_with_the_same_size_and_time_is_seen(repo, git, write):
    git(repo, "update-index", "--refresh")
    before = open_tree(repo)
    status = (repo / "a.py").stat()
    write(repo, {"a.py": "A = 9\n"})
    os.utime(repo / "a.py", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert open_tree(repo).key != before.key


def test_a_touched_but_equal_file_is_no_change(repo):
    before = open_tree(repo)
    os.utime(repo / "a.py", (1, 1))
    tree = open_tree(repo)
    assert (tree.revision, tree.key) == (before.revision, before.key)


def test_unmodified_files_are_not_read(repo, monkeypatch, git):
    for name in ("a.py", "pkg/b.py", "pkg/c.py"):
        os.utime(repo / name, (1_000_000_000, 1_000_000_000))
    git(repo, "update-index", "--refresh")
    monkeypatch.setattr("sherloc.repository.disk.Disk.content", lambda self, path: pytest.fail(f"read {path}"))
    assert len(open_tree(repo).entries) == 3


def test_staged_but_uncommitted_changes_are_changes(repo, git, write):
    write(repo, {"a.py": "A = 3\n"})
    git(repo, "add", "a.py")
    assert open_tree(repo).revision.endswith("+changes")


def test_untracked_files_count_and_ignored_ones_do_not(repo, write, paths):
    write(repo, {".gitignore": "*.log\nbuild/\n", "new.py": "", "x.log": "", "build/out.py": ""})
    tree = open_tree(repo)
    assert paths(tree) == [".gitignore", "a.py", "new.py", "pkg/b.py", "pkg/c.py"]
    assert tree.revision.endswith("+changes")


def test_a_nested_gitignore_can_take_back(repo, write, paths):
    write(repo, {".gitignore": "*.log\n", "pkg/.gitignore": "!keep.log\n", "pkg/keep.log": "", "pkg/drop.log": ""})
    found = paths(open_tree(repo))
    assert "pkg/keep.log" in found
    assert "pkg/drop.log" not in found


def test_a_tracked_file_that_gitignore_names_is_in(repo, git, write, paths):
    write(repo, {".gitignore": "*.gen\n", "x.gen": "x"})
    git(repo, "add", "-f", "x.gen")
    assert "x.gen" in paths(open_tree(repo))


def test_deleted_files_are_left_out(repo, paths, reasons):
    (repo / "a.py").unlink()
    tree = open_tree(repo)
    assert paths(tree) == ["pkg/b.py", "pkg/c.py"]
    assert tree.revision.endswith("+changes")
    assert reasons(tree) == {}


def test_a_file_replaced_by_a_folder(repo, write, paths):
    (repo / "a.py").unlink()
    write(repo, {"a.py/inner.py": ""})
    assert paths(open_tree(repo)) == ["a.py/inner.py", "pkg/b.py", "pkg/c.py"]


def test_intent_to_add_takes_the_content_on_disk(repo, git, write):
    write(repo, {"later.py": "L = 1\n"})
    git(repo, "add", "-N", "later.py")
    tree = open_tree(repo)
    assert {entry.path: entry.content_id for entry in tree.entries}["later.py"] == content_id_of(b"L = 1\n")
    assert tree.revision.endswith("+changes")


def test_an_unmerged_file_is_there_once_with_its_markers(repo, git, write, contents):
    git(repo, "checkout", "-qb", "other", "HEAD~1")
    write(repo, {"a.py": "A = 'other'\n"})
    git(repo, "commit", "-qam", "other")
    git(repo, "checkout", "-q", "main")
    write(repo, {"a.py": "A = 'main'\n"})
    git(repo, "commit", "-qam", "main")
    git(repo, "merge", "other", check=False)
    tree = open_tree(repo)
    assert [entry.path for entry in tree.entries].count("a.py") == 1
    data = contents(tree)["a.py"]
    assert b"<<<<<<<" in data
    assert next(entry for entry in tree.entries if entry.path == "a.py").content_id == content_id_of(data)
    assert tree.revision.endswith("+changes")


def test_sparse_files_are_not_checked_out(repo, git, paths, reasons):
    git(repo, "sparse-checkout", "set", "--no-cone", "/pkg/")
    tree = open_tree(repo)
    assert paths(tree) == ["pkg/b.py", "pkg/c.py"]
    assert reasons(tree) == {"a.py": "not_checked_out"}
    assert not tree.revision.endswith("+changes")


def test_a_sparse_index_lists_all_files(repo, git, write, reasons):
    write(repo, {"far/x.py": "", "far/y.py": ""})
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "far")
    git(repo, "sparse-checkout", "set", "--cone", "--sparse-index", "pkg")
    assert reasons(open_tree(repo)) == {"far/x.py": "not_checked_out", "far/y.py": "not_checked_out"}


def test_an_unborn_branch_has_no_revision(tmp_path, git, write, paths):
    git(tmp_path, "init", "-q")
    write(tmp_path, {"a.py": ""})
    tree = open_tree(tmp_path)
    assert (tree.revision, paths(tree)) == ("", ["a.py"])


def test_an_empty_repository_is_allowed(tmp_path, git):
    git(tmp_path, "init", "-q")
    assert open_tree(tmp_path).entries == ()


def test_a_subfolder_is_a_root_of_its_own(repo, write, paths, contents):
    write(repo, {"new.py": "", "pkg/new.py": "N = 1\n"})
    tree = open_tree(repo / "pkg")
    assert paths(tree) == ["b.py", "c.py", "new.py"]
    assert contents(tree)["new.py"] == b"N = 1\n"
    assert tree.store_key == open_tree(repo).store_key
    assert (tree.location, tree.name) == (str(repo / "pkg"), "pkg")


def test_changes_outside_a_subfolder_do_not_mark_it(repo, write):
    write(repo, {"a.py": "A = 2\n", "new.py": ""})
    assert not open_tree(repo / "pkg").revision.endswith("+changes")


def test_a_folder_that_git_ignores_is_read_as_a_folder(repo, write, paths):
    write(repo, {".gitignore": "build/\n", "build/out.py": "O = 1\n"})
    tree = open_tree(repo / "build")
    assert (paths(tree), tree.revision) == (["out.py"], "")


def test_a_linked_work_tree_shares_the_store(repo, git, tmp_path, paths):
    git(repo, "worktree", "add", "-q", str(tmp_path / "linked"), "HEAD~1")
    linked = open_tree(tmp_path / "linked")
    assert (tmp_path / "linked" / ".git").is_file()
    assert paths(linked) == ["a.py", "pkg/c.py"]
    assert linked.store_key == open_tree(repo).store_key
    assert linked.revision == git(repo, "rev-parse", "HEAD~1")


def test_a_submodule_is_skipped_and_can_be_opened_itself(repo, git, tmp_path, paths, reasons):
    git(tmp_path, "clone", "-q", str(repo), "library")
    git(repo, "submodule", "-q", "add", str(tmp_path / "library"), "vendor/library")
    git(repo, "commit", "-qm", "submodule")
    tree = open_tree(repo)
    assert reasons(tree) == {"vendor/library": "submodule"}
    assert reasons(open_tree(repo, "HEAD")) == {"vendor/library": "submodule"}
    assert paths(open_tree(repo / "vendor" / "library")) == ["a.py", "pkg/b.py", "pkg/c.py"]


def test_an_untracked_repository_inside_is_not_entered(repo, git, write, reasons):
    write(repo, {"inner/x.py": ""})
    git(repo / "inner", "init", "-q")
    git(repo / "inner", "add", "-A")
    git(repo / "inner", "commit", "-qm", "inner")
    assert reasons(open_tree(repo)) == {"inner": "submodule"}


NAMES = [
    "with space.py",
    "line\nbreak.py",
    'quo"te.py',
    "back\\slash.py",
    "名前/ファイル.py",
    "-option.py",
    "tab\t.py",
    "é.py",
]


@pytest.mark.parametrize("tracked", [True, False])
def test_names_of_any_kind(repo, git, write, paths, contents, tracked):
    write(repo, {name: name for name in NAMES})
    if tracked:
        git(repo, "add", "-A")
        git(repo, "commit", "-qm", "names")
    tree = open_tree(repo)
    assert set(NAMES) < set(paths(tree))
    assert paths(tree) == sorted(paths(tree))
    assert all(contents(tree)[name] == name.encode() for name in NAMES)
    if tracked:
        assert open_tree(repo, "HEAD").entries == tree.entries


def test_a_name_that_is_not_utf8_is_decoded_with_surrogates(repo, git, contents):
    name = os.fsencode(repo) + b"/caf\xe9.py"
    try:
        with open(name, "wb") as file:
            file.write(b"x = 1\n")
    except OSError:
        pytest.skip("the file system takes UTF-8 names only")
    assert contents(open_tree(repo))["caf\udce9.py"] == b"x = 1\n"
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "latin")
    assert contents(open_tree(repo, "HEAD"))["caf\udce9.py"] == b"x = 1\n"
    assert open_tree(repo).key == open_tree(repo, "HEAD").key


def test_bytes_are_not_touched(repo, git, write, contents):
    files = {
        "crlf.py": b"a = 1\r\nb = 2\r\n",
        "bom.py": b"\xef\xbb\xbfa = 1\n",
        "latin.py": b"# caf\xe9\n",
        "nul.bin": b"\0",
    }
    write(repo, dict(files))
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "bytes")
    for tree in (open_tree(repo), open_tree(repo, "HEAD")):
        assert {name: contents(tree)[name] for name in files} == files


def test_line_ends_that_git_converts_are_no_change(repo, git, write):
    git(repo, "config", "core.autocrlf", "true")
    write(repo, {"a.py": b"A = 1\r\n"})
    assert not open_tree(repo).revision.endswith("+changes")


def test_a_clean_filter_of_the_repository_is_never_run(repo, git, write, tmp_path):
    git(repo, "config", "filter.evil.clean", f"touch {tmp_path / 'ran'}; cat")
    write(repo, {".gitattributes": "*.py filter=evil\n", "a.py": "A = 2\n"})
    open_tree(repo)
    assert not (tmp_path / "ran").exists()


def test_a_file_system_monitor_of_the_repository_is_never_run(repo, git, tmp_path):
    program = tmp_path / "monitor"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path / 'ran'}\n")
    program.chmod(0o755)
    git(repo, "config", "core.fsmonitor", str(program))
    open_tree(repo)
    assert not (tmp_path / "ran").exists()


def test_the_checkout_is_never_written_to(repo, write):
    write(repo, {"a.py": "A = 2\n", "new.py": ""})
    os.utime(repo / "pkg" / "b.py", (1, 1))
    before = {path: path.lstat() for path in sorted(repo.rglob("*"))}
    open_tree(repo)
    open_tree(repo, "HEAD")
    after = {path: path.lstat() for path in sorted(repo.rglob("*"))}
    assert {p: (s.st_mtime_ns, s.st_size) for p, s in before.items()} == {
        p: (s.st_mtime_ns, s.st_size) for p, s in after.items()
    }


def test_an_unknown_format_of_the_index_listing_only_costs_time(repo, monkeypatch, write):
    write(repo, {"new.py": ""})
    expected = open_tree(repo)
    changed = tracked._STAGED.pattern.replace(b"ctime", b"xtime")
    monkeypatch.setattr(tracked, "_STAGED", tracked.re.compile(changed))
    tree = open_tree(repo)
    assert (tree.entries, tree.revision) == (expected.entries, expected.revision)


def test_a_reader_goes_to_another_process(repo):
    tree = open_tree(repo)
    reader = open_reader(tree.reader())
    assert list(reader.read(tree.entries)) == list(tree.read(tree.entries))
    assert reader.recipe() == tree.reader()


def test_a_file_that_went_away_gives_none(repo):
    tree = open_tree(repo)
    (repo / "a.py").unlink()
    assert [data for _, data in tree.read(tree.entries)] == [None, b"B = 1\n", b"C = 1\n"]


def test_ambient_git_variables_do_not_redirect(repo, tmp_path, git, write, monkeypatch, paths):
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    write(other, {"wrong.py": ""})
    git(other, "add", "-A")
    for name, value in {
        "GIT_DIR": other / ".git",
        "GIT_WORK_TREE": other,
        "GIT_INDEX_FILE": other / ".git/index",
        "GIT_OBJECT_DIRECTORY": other / ".git/objects",
        "GIT_COMMON_DIR": other / ".git",
        "GIT_CONFIG_PARAMETERS": "'core.worktree=/'",
    }.items():
        monkeypatch.setenv(name, str(value))
    assert paths(open_tree(repo)) == ["a.py", "pkg/b.py", "pkg/c.py"]
    assert paths(open_tree(repo, "HEAD~1")) == ["a.py", "pkg/c.py"]


def test_a_work_tree_configured_elsewhere_is_not_followed(repo, git, tmp_path, write, paths):
    write(tmp_path / "elsewhere", {"secret.py": ""})
    git(repo, "config", "core.worktree", str(tmp_path / "elsewhere"))
    assert "secret.py" not in paths(open_tree(repo))


def test_git_directory_path_type(repo, paths):
    assert paths(open_tree(str(repo))) == paths(open_tree(Path(repo)))
