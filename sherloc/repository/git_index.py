"""Reading git's index so that nothing in the git directory changes.

Two kinds of index are written to by commands that only read: to list the files of a sparse one, git writes the trees
that it took apart, or renews their times; and each time that it reads a split one, it renews the time of the shared
part. Both are read from copies outside of the repository.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from sherloc.errors import GitError, RepositoryError
from sherloc.repository.git import Git, Process
from sherloc.repository.tracked import FOLDER, LISTED, SKIP_WORKTREE, Tracked, parse_tracked

_SPARSE = b"sdir\0\0\0\0"
"""The extension of a sparse index; found by chance in another one, it only costs time."""

_KEPT_SPARSE = (
    "core.sparseCheckout=true",
    "core.sparseCheckoutCone=true",
    "index.sparse=true",
    "sparse.expectFilesOutsideOfPatterns=true",
)
_PLAIN = ("core.sparseCheckout=false", "core.splitIndex=false", "core.untrackedCache=false")
_AFTER_SLASH = b"0"
_OWN_PARTS = ("HEAD", "index", "config.worktree", "info/sparse-checkout")


@dataclass
class GitIndex:
    """An index that may be read.

    Attributes:
        git: Runs in the same folder as before, and reads this index.
        rows: What is tracked below that folder, where that is known; else git is asked.
        listing: Git at work on that.
    """

    git: Git
    rows: list[Tracked] | None = None
    listing: Process | None = None

    def tracked(self) -> list[Tracked]:
        """What is tracked below the folder, in git's order."""
        if self.rows is not None or self.listing is None:
            return self.rows or []
        return parse_tracked(self.listing.finish()[1], lambda: self.git.run(*LISTED))


@contextlib.contextmanager
def open_index(git: Git, git_folder: str) -> Iterator[GitIndex]:
    """The index of a work tree, or a copy of it where reading would write.

    Args:
        git: Runs in the work tree or a folder of it.
        git_folder: The work tree's own git directory.

    Raises:
        RepositoryError: Git fails.
    """
    with contextlib.ExitStack() as stack:
        if _is_sparse(git_folder):
            yield stack.enter_context(_taken_apart(git))
            return
        if _is_split(git_folder):
            git = stack.enter_context(_beside(git, git_folder))
        listing = stack.enter_context(git.start(*LISTED, "--debug"))
        yield GitIndex(git, listing=listing)


def _is_sparse(git_folder: str) -> bool:
    try:
        with open(os.path.join(git_folder, "index"), "rb") as file:
            return _SPARSE in file.read()
    except OSError:
        return False


def _is_split(git_folder: str) -> bool:
    try:
        return any(name.startswith("sharedindex.") for name in os.listdir(git_folder))
    except OSError:
        return False


@contextlib.contextmanager
def _beside(git: Git, git_folder: str) -> Iterator[Git]:
    """Git with a copy of what a work tree has for its own; refs, objects and settings stay where they are."""
    top = os.fsdecode(_line(git, "--show-toplevel"))
    common = os.path.join(git.location, os.fsdecode(_line(git, "--git-common-dir")))
    with _temporary_folder(git.location) as copy:
        try:
            _copy_own_parts(git_folder, common, copy)
        except OSError as error:
            raise _not_copied(git.location, error) from error
        yield Git(git.location, variables={"GIT_DIR": copy, "GIT_WORK_TREE": top})


def _copy_own_parts(git_folder: str, common: str, copy: str) -> None:
    os.mkdir(os.path.join(copy, "info"))
    shared = [name for name in os.listdir(git_folder) if name.startswith("sharedindex.")]
    for name in (*_OWN_PARTS, *shared):
        with contextlib.suppress(FileNotFoundError):
            # With its times: git compares the index's with those of files.
            shutil.copy2(os.path.join(git_folder, name), os.path.join(copy, name))
    # As in a linked work tree; the variable GIT_COMMON_DIR would not be heard where refs are looked up.
    with open(os.path.join(copy, "commondir"), "wb") as file:
        file.write(os.fsencode(common) + b"\n")


@contextlib.contextmanager
def _temporary_folder(location: str) -> Iterator[str]:
    try:
        folder = tempfile.TemporaryDirectory(prefix="sherloc-")
    except OSError as error:
        raise _not_copied(location, error) from error
    with folder as path:
        yield path


def _not_copied(location: str, error: OSError) -> GitError:
    return GitError(f"Git's index of {location} could not be copied in order to read it: {error.strerror}.")


@contextlib.contextmanager
def _taken_apart(git: Git) -> Iterator[GitIndex]:
    """A sparse index with its folders taken apart into files, which are marked as not checked out."""
    prefix = _line(git, "--show-prefix").decode("utf-8", "surrogateescape")
    top = Git(os.fsdecode(_line(git, "--show-toplevel")), settings=_KEPT_SPARSE)
    listed = top.run(*LISTED, "--debug", "--sparse")
    rows = parse_tracked(listed, lambda: top.run(*LISTED, "--sparse"))
    rows = _without_folders(top, rows)
    with _temporary_folder(git.location) as folder:
        full = Git(git.location, settings=_PLAIN, variables={"GIT_INDEX_FILE": os.path.join(folder, "index")})
        full.feed(b"".join(map(_wire, rows)), "update-index", "-z", "--index-info")
        below = [row._replace(path=row.path[len(prefix) :]) for row in rows if row.path.startswith(prefix)]
        yield GitIndex(full, rows=below)


def _wire(row: Tracked) -> bytes:
    return b"%s %s %d\t%s\0" % (row.mode, row.content_id.encode("ascii"), row.stage, _bytes(row.path))


def _without_folders(git: Git, rows: list[Tracked]) -> list[Tracked]:
    if not any(row.mode == FOLDER for row in rows):
        return rows
    # Nearly always a folder of the index is that of HEAD, so that one listing serves all of them.
    try:
        head = _Trees(git, "HEAD")
    except RepositoryError:
        head = None
    full: list[Tracked] = []
    for row in rows:
        if row.mode != FOLDER:
            full.append(row)
        elif head is not None and head.folders.get(row.path) == row.content_id:
            full += head.below(row.path)
        else:
            full += [file._replace(path=row.path + file.path) for file in _Trees(git, row.content_id).files]
    return sorted(full, key=lambda row: (_bytes(row.path), row.stage))


class _Trees:
    """Files and folders of a commit or tree, as rows of an index."""

    def __init__(self, git: Git, tree: str) -> None:
        self.files: list[Tracked] = []
        self.folders: dict[str, str] = {}
        for line in git.run("ls-tree", "-r", "-t", "-z", "--full-tree", tree).split(b"\0"):
            facts, _, name = line.partition(b"\t")
            if not name:
                continue
            mode, _, content_id = facts.split()
            path = name.decode("utf-8", "surrogateescape")
            if mode == FOLDER:
                self.folders[f"{path}/"] = content_id.decode("ascii")
            else:
                self.files.append(Tracked(mode, content_id.decode("ascii"), 0, path, None, SKIP_WORKTREE))
        self._names = [_bytes(file.path) for file in self.files]

    def below(self, folder: str) -> list[Tracked]:
        """The files below a folder; its path ends with a slash."""
        key = _bytes(folder)
        return self.files[bisect_left(self._names, key) : bisect_left(self._names, key[:-1] + _AFTER_SLASH)]


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _line(git: Git, question: str) -> bytes:
    return git.run("rev-parse", question).removesuffix(b"\n")
