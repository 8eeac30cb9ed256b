"""Opening what the user points at: a work tree, a git directory, a revision or a plain folder."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from typing import NamedTuple

from sherloc.errors import GitError, NotARepositoryError, RepositoryNotFoundError
from sherloc.repository.disk import Disk
from sherloc.repository.folder import list_folder
from sherloc.repository.git import Git
from sherloc.repository.revision import Blobs, list_revision, resolve
from sherloc.repository.tree import Entry, Reader, Skip, Tree
from sherloc.repository.worktree import list_work_tree


class _Facts(NamedTuple):
    """What git says of a folder."""

    in_work_tree: bool
    algorithm: str
    git_folder: str
    common_folder: str


def open_tree(repo: str | os.PathLike[str], revision: str | None = None) -> Tree:
    """Open a repository as a tree of files.

    Args:
        repo: A work tree or a folder in one (then only what is below it counts), a git directory, or a plain folder.
        revision: A branch, tag, commit or anything else that git resolves to a commit. None is a work tree as it is
            on disk, tracked and untracked-but-not-ignored files alike, and a git directory's HEAD.

    Raises:
        RepositoryNotFoundError: The path does not exist or is not a folder.
        NotARepositoryError: A revision of something without git.
        RevisionNotFoundError: The revision is not in the repository.
        GitError: Git is missing, or refuses to read the repository.
    """
    location = _absolute(os.fspath(repo))
    if not os.path.isdir(location):
        problem = "is not a folder" if os.path.lexists(location) else "does not exist"
        raise RepositoryNotFoundError(
            f"The repository {location} {problem}.", hint="Give the folder that holds the code, or a git directory."
        )
    facts = _facts(Git(location)) if _has_git(location) else None
    if facts is None:
        if revision is not None:
            raise NotARepositoryError(
                f"{location} is not under git, so there is no revision {revision!r} of it.",
                hint="Give no revision to read the folder as it is.",
            )
        return _open_folder(location)
    if revision is not None or not facts.in_work_tree:
        return _open_revision(location, facts, "HEAD" if revision is None else revision)
    return _open_work_tree(location, facts)


def _absolute(repo: str) -> str:
    try:
        return os.path.abspath(repo)
    except OSError as error:  # only a relative path needs the current folder
        raise RepositoryNotFoundError(
            f"The current folder cannot be found ({error.strerror}), so neither can {repo!r}.",
            hint="It may have been removed: change to one that exists, or give an absolute path.",
        ) from error


def open_reader(recipe: Mapping[str, str]) -> Reader:
    """The reader that a tree's ``reader()`` describes.

    Raises:
        ValueError: The recipe is of no known kind.
    """
    if recipe.get("kind") == "disk":
        return Disk(recipe["location"])
    if recipe.get("kind") == "blobs":
        return Blobs(Git(recipe["location"]))
    raise ValueError(f"not a reader's recipe: {dict(recipe)!r}")


def _open_folder(location: str) -> Tree:
    disk = Disk(location)
    entries, skipped = list_folder(disk)
    return _tree(location, "", _store_key(location), "sha1", entries, skipped, disk)


def _open_work_tree(location: str, facts: _Facts) -> Tree:
    disk = Disk(location)
    found = list_work_tree(Git(location), disk, facts.algorithm, facts.git_folder)
    if not (found.tracked or found.entries or os.path.lexists(os.path.join(location, ".git"))):
        # A folder that a repository around it ignores: a build, a download, an unpacked snapshot.
        return _open_folder(location)
    key = _store_key(facts.common_folder)
    return _tree(location, found.revision, key, facts.algorithm, found.entries, found.skipped, disk)


def _open_revision(location: str, facts: _Facts, revision: str) -> Tree:
    git = Git(location)
    commit = resolve(git, revision)
    entries, skipped = list_revision(git, commit, facts.common_folder)
    key = _store_key(facts.common_folder)
    return _tree(location, commit, key, facts.algorithm, entries, skipped, Blobs(git))


def _tree(
    location: str, revision: str, key: str, algorithm: str, entries: list[Entry], skipped: list[Skip], files: Reader
) -> Tree:
    return Tree(
        location=location,
        name=_name(location),
        revision=revision,
        store_key=key,
        algorithm=algorithm,
        entries=tuple(sorted(entries, key=lambda entry: entry.path)),
        skipped=tuple(sorted(skipped, key=lambda skip: (skip.path, skip.reason))),
        files=files,
    )


def _has_git(location: str) -> bool:
    """Whether there can be a repository here, so that a plain folder never needs git."""
    if all(os.path.exists(os.path.join(location, part)) for part in ("HEAD", "objects", "refs")):
        return True
    folder = location
    while not os.path.lexists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return False
        folder = parent
    return True


def _facts(git: Git) -> _Facts | None:
    """What git says, or None when it finds no repository after all."""
    wanted = ("is-inside-work-tree", "is-inside-git-dir", "show-object-format", "absolute-git-dir")
    try:
        output = git.run("rev-parse", *(f"--{name}" for name in wanted))
    except NotARepositoryError:
        return None
    in_work_tree, in_git_folder, algorithm, git_folder = os.fsdecode(output).split("\n", len(wanted) - 1)
    if in_work_tree != "true" and in_git_folder != "true":
        return None
    git_folder = git_folder.removesuffix("\n")
    return _Facts(in_work_tree == "true", algorithm, git_folder, _common_folder(git_folder))


def _common_folder(git_folder: str) -> str:
    """The git directory that a linked work tree shares with the others (see gitrepository-layout)."""
    try:
        with open(os.path.join(git_folder, "commondir"), "rb") as file:
            return os.path.normpath(os.path.join(git_folder, os.fsdecode(file.read().strip())))
    except FileNotFoundError:
        return git_folder
    except OSError as error:
        raise GitError(f"{git_folder} cannot be read: {error.strerror}.") from error


def _store_key(folder: str) -> str:
    return hashlib.sha256(os.fsencode(os.path.realpath(folder))).hexdigest()


def _name(location: str) -> str:
    """The last part of a path that says something: of ``x/y.git`` and ``x/y/.git`` it is y, of ``x/A+y/repo`` too."""
    *parents, last = [part for part in location.replace(os.sep, "/").split("/") if part not in ("", ".git")] or [""]
    if last in ("repo", "repo.git") and parents and "+" in parents[-1]:
        last = parents[-1].rpartition("+")[2]
    return last.removesuffix(".git") or "repository"
