from __future__ import annotations

import os
import subprocess
import sys

import pytest

from sherloc.errors import GitError, NotARepositoryError, RepositoryNotFoundError
from sherloc.repository import open_reader, open_tree
from sherloc.repository.git import Git, environment, failure
from sherloc.repository.opening import _name


@pytest.mark.parametrize("revision", [None, "HEAD"])
def test_a_path_that_does_not_exist(tmp_path, revision):
    with pytest.raises(RepositoryNotFoundError, match="does not exist"):
        open_tree(tmp_path / "nowhere", revision)


def test_a_file_instead_of_a_folder(tmp_path, write):
    write(tmp_path, {"a.py": ""})
    with pytest.raises(RepositoryNotFoundError, match="is not a folder"):
        open_tree(tmp_path / "a.py")


def test_a_path_with_a_nul():
    with pytest.raises(RepositoryNotFoundError):
        open_tree("a\0b")


def test_a_revision_of_a_plain_folder(tmp_path, write):
    write(tmp_path, {"a.py": ""})
    with pytest.raises(NotARepositoryError, match="HEAD"):
        open_tree(tmp_path, "HEAD")


@pytest.mark.parametrize("content", ["gitdir: /nowhere/else\n", "nonsense"])
def test_a_git_file_that_leads_nowhere_leaves_a_folder(tmp_path, write, paths, content):
    write(tmp_path, {"a.py": "", ".git": content})
    try:
        assert paths(open_tree(tmp_path)) == ["a.py"]
    except GitError as error:
        assert content == "nonsense"
        assert "gitfile" in str(error)


def test_an_empty_git_folder_leaves_a_folder(tmp_path, write, paths):
    write(tmp_path, {"a.py": ""})
    (tmp_path / ".git").mkdir()
    assert paths(open_tree(tmp_path)) == ["a.py"]


def test_without_git_a_folder_still_works_and_a_repository_says_what_is_missing(
    repo, tmp_path, write, monkeypatch, paths
):
    write(tmp_path, {"plain/a.py": ""})
    monkeypatch.setenv("PATH", str(tmp_path))
    assert paths(open_tree(tmp_path / "plain")) == ["a.py"]
    with pytest.raises(GitError) as caught:
        open_tree(repo)
    assert "Install git" in caught.value.hint


def test_a_repository_of_somebody_else_names_the_remedy(repo, tmp_path, write, monkeypatch):
    words = "fatal: detected dubious ownership in repository at '/x'"
    write(tmp_path, {"bin/git": f'#!/bin/sh\necho "{words}" >&2\nexit 128\n'})
    (tmp_path / "bin" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(GitError, match="dubious ownership") as caught:
        open_tree(repo)
    assert f"safe.directory {repo}" in caught.value.hint


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_a_repository_that_really_is_somebody_elses(repo):
    for path in [repo, repo / ".git"]:
        os.chown(path, 12345, 12345)
    with pytest.raises(GitError) as caught:
        open_tree(repo)
    assert "safe.directory" in caught.value.hint


def test_gits_own_words_are_in_other_failures():
    error = failure("/x", ["ls-tree"], 3, b"warning: this\nfatal: that went wrong\n")
    assert isinstance(error, GitError)
    assert str(error) == "git ls-tree failed in /x with exit code 3: that went wrong"


def test_a_failed_command_is_an_error(repo):
    with pytest.raises(GitError, match="no-such-command"):
        Git(str(repo)).run("no-such-command")


def test_the_environment_of_git():
    kept = environment(
        {"PATH": "p", "GIT_DIR": "x", "GIT_CONFIG_PARAMETERS": "x", "GIT_CONFIG_GLOBAL": "g", "LC_ALL": "de"}
    )
    assert kept["PATH"] == "p"
    assert kept["GIT_CONFIG_GLOBAL"] == "g"
    assert (kept["LC_ALL"], kept["GIT_OPTIONAL_LOCKS"], kept["GIT_TERMINAL_PROMPT"]) == ("C", "0", "0")
    assert not {"GIT_DIR", "GIT_CONFIG_PARAMETERS"} & set(kept)


@pytest.mark.parametrize(
    ("location", "name"),
    [
        ("/x/django", "django"),
        ("/x/django/.git", "django"),
        ("/x/django.git", "django"),
        ("/mirrors/owner+django/repo", "django"),
        ("/mirrors/owner+django/repo.git", "django"),
        ("/x/repo", "repo"),
        ("/x/c++", "c++"),
        ("/", "repository"),
    ],
)
def test_names(location, name):
    assert _name(location) == name


def test_store_keys_follow_the_real_folder(tmp_path, write):
    write(tmp_path, {"one/a.py": "", "two/a.py": ""})
    (tmp_path / "link").symlink_to("one")
    keys = [open_tree(tmp_path / name).store_key for name in ("one", "link", "two")]
    assert keys[0] == keys[1] != keys[2]


def test_an_unknown_recipe():
    with pytest.raises(ValueError, match="recipe"):
        open_reader({"kind": "telepathy"})


def test_importing_the_room_loads_nothing_heavy():
    heavy = ("numpy", "pydantic", "tree_sitter", "sqlite3")
    code = f"import sys, sherloc.repository; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
