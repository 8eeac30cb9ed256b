from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sherloc.errors import GitError, RepositoryNotFoundError
from sherloc.evaluation.instances import Instance
from sherloc.evaluation.repositories import Repositories
from sherloc.repository.cloning import clone, has_commit


def bare(source: Path, target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "clone", "-q", "--bare", str(source), str(target)], check=True)
    return target


@pytest.mark.parametrize("name", ["acme+shop/repo", "acme__shop", "acme__shop.git", "acme/shop", "shop.git"])
def test_mirrors_by_any_usual_name(
    tmp_path: Path, make_repository: Callable[..., Path], git_tools: Any, name: str
) -> None:
    repository = make_repository({"a.py": "x = 1\n"})
    commit = git_tools.run_git(repository, "rev-parse", "HEAD")
    mirrors = tmp_path / "mirrors"
    target = bare(repository, mirrors / name)
    assert Repositories(mirrors).find(Instance("i", "acme/shop", commit, "t")) == str(target)


def test_a_fork_that_holds_the_commit_will_do(
    tmp_path: Path, make_repository: Callable[..., Path], git_tools: Any
) -> None:
    mirrors = tmp_path / "mirrors"
    old, new = make_repository({"a.py": "1\n"}, name="old"), make_repository({"a.py": "2\n"}, name="new")
    bare(old, mirrors / "acme+shop" / "repo")
    fork = bare(new, mirrors / "someone+shop" / "repo")
    commit = git_tools.run_git(new, "rev-parse", "HEAD")
    assert Repositories(mirrors).find(Instance("i", "acme/shop", commit, "t")) == str(fork)
    named = Instance("i", "acme/else", commit, "t", mirror="someone+shop")
    assert Repositories(mirrors).find(named) == str(fork)


def test_a_path_is_a_repository_itself(make_repository: Callable[..., Path], git_tools: Any) -> None:
    repository = make_repository({"a.py": "x = 1\n"})
    commit = git_tools.run_git(repository, "rev-parse", "HEAD")
    assert Repositories().find(Instance("i", str(repository), commit, "t")) == str(repository)
    plain = make_repository({"a.py": "x = 1\n"}, name="plain", git=False)
    assert Repositories().find(Instance("i", str(plain), "", "t")) == str(plain)


def test_what_no_mirror_has_is_cloned_once(
    tmp_path: Path, make_repository: Callable[..., Path], git_tools: Any
) -> None:
    origin = tmp_path / "origin" / "acme"
    repository = make_repository({"a.py": "1\n"})
    bare(repository, origin / "shop.git")
    commit = git_tools.run_git(repository, "rev-parse", "HEAD")
    clones = tmp_path / "clones"
    finder = Repositories(clones=clones, url=f"file://{tmp_path}/origin/{{repo}}.git")
    found = finder.find(Instance("i", "acme/shop", commit, "t"))
    assert found == str(clones / "acme__shop.git")
    git_tools.put(repository, {"a.py": "2\n"})
    later = git_tools.commit(repository, "later")
    git_tools.run_git(repository, "push", "-q", str(origin / "shop.git"), "main")
    assert not has_commit(found, later)
    assert finder.find(Instance("j", "acme/shop", later, "t")) == found
    assert has_commit(found, later)
    assert [path.name for path in clones.iterdir()] == ["acme__shop.git"]


def test_what_cannot_be_found_is_told_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(RepositoryNotFoundError, match=r"i: no repository of acme/shop that holds abc[\s\S]*mirrors"):
        Repositories(tmp_path).find(Instance("i", "acme/shop", "abc", "t"))
    for given, words in (
        (Repositories(), "no --mirrors was given, and no --clones"),
        (Repositories(tmp_path), f"not in --mirrors {tmp_path}, and no --clones"),
        (Repositories(tmp_path / "x"), "x, which does not exist, and no --clones"),
    ):
        with pytest.raises(RepositoryNotFoundError) as caught:
            given.find(Instance("i", "acme/shop", "abc", "t"))
        assert words in caught.value.message and "--clones FOLDER" in caught.value.hint
    with pytest.raises(GitError):
        clone(f"file://{tmp_path}/none.git", str(tmp_path / "clones" / "x.git"))
    assert list((tmp_path / "clones").iterdir()) == []
