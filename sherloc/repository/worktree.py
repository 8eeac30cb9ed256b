"""A work tree: tracked files, and untracked ones that git does not ignore, as they are on disk.

Git's index tells the content id of every tracked file and what its status on disk was then. A file whose status is
the same is unmodified; any other is read and hashed. Git itself is not asked which files are modified: to know, it may
run programs that the repository configures (clean filters).
"""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from sherloc.repository.disk import Disk
from sherloc.repository.folder import look
from sherloc.repository.git import Git
from sherloc.repository.git_index import open_index
from sherloc.repository.tracked import INTENT_TO_ADD, SKIP_WORKTREE, SUBMODULE, SYMLINK, Tracked
from sherloc.repository.tree import Entry, Skip, content_id_of


class Listing(NamedTuple):
    """What a work tree holds.

    Attributes:
        entries: Its files.
        skipped: What is left out.
        tracked: How many names git's index has here.
        revision: HEAD's commit id, with ``+changes`` when anything differs from it; empty before the first commit.
    """

    entries: list[Entry]
    skipped: list[Skip]
    tracked: int
    revision: str


def list_work_tree(git: Git, disk: Disk, algorithm: str, git_folder: str) -> Listing:
    """List the work tree below a folder.

    Args:
        git: Runs in the folder.
        disk: Reads below the folder.
        algorithm: The repository's hash.
        git_folder: The work tree's own git directory, where its index is.
    """
    index_time = _index_time(git_folder)
    with (
        open_index(git, git_folder) as index,
        index.git.start("ls-files", "-o", "--exclude-standard", "-z") as others,
        index.git.start("rev-parse", "--verify", "-q", "HEAD^{commit}") as head,
        index.git.start("diff-index", "--cached", "--quiet", "--ignore-submodules=all", "HEAD", "--", ".") as diff,
    ):
        tracked = index.tracked()
        look_at = _WorkTree(disk, algorithm, index_time)
        look_at.add_tracked(tracked)
        look_at.add_untracked(others.finish()[1].split(b"\0"))
        unborn, commit = head.finish((0, 1))
        differs, _ = diff.finish((0, 1, 128))
    revision = "" if unborn else commit.decode("ascii").strip()
    if revision and (differs == 1 or look_at.changed):
        revision += "+changes"
    return Listing(look_at.entries, look_at.skipped, len(tracked), revision)


def _index_time(git_folder: str) -> int:
    try:
        return os.stat(os.path.join(git_folder, "index")).st_mtime_ns
    except OSError:
        return 0


class _WorkTree:
    """Collects what is found on disk."""

    def __init__(self, disk: Disk, algorithm: str, index_time: int) -> None:
        self.entries: list[Entry] = []
        self.skipped: list[Skip] = []
        self.changed = False
        self._disk = disk
        self._algorithm = algorithm
        self._index_time = index_time

    def add_tracked(self, tracked: list[Tracked]) -> None:
        previous = ""
        for item in tracked:
            if item.stage and item.path == previous:
                continue
            previous = item.path
            if item.mode == SUBMODULE:
                self.skipped.append(Skip(item.path, "submodule"))
            elif item.mode == SYMLINK:
                self.skipped.append(Skip(item.path, "symlink"))
            else:
                self._add_file(item)

    def add_untracked(self, names: list[bytes]) -> None:
        for name in names:
            path = name.decode("utf-8", "surrogateescape")
            if not path:
                continue
            self.changed = True
            if path.endswith("/"):
                self.skipped.append(Skip(path.rstrip("/"), "submodule"))
            elif (found := self._disk.stat(path)) is not None:
                self._look(path, found)

    def _add_file(self, item: Tracked) -> None:
        found = self._disk.stat(item.path)
        if found is not None and not self._disk.holds(item.path):
            self.changed = True
            self.skipped.append(Skip(item.path, "outside_root"))
        elif found is None and item.flags & SKIP_WORKTREE:
            self.skipped.append(Skip(item.path, "not_checked_out"))
        elif found is None or stat.S_ISDIR(found.st_mode):
            self.changed = True
        elif self._is_unmodified(item, found):
            self.entries.append(Entry(item.path, item.content_id, found.st_size))
        else:
            entry = self._look(item.path, found)
            if entry is None or not self._same(entry, item):
                self.changed = True

    def _look(self, path: str, found: os.stat_result) -> Entry | None:
        entry = look(self._disk, path, found.st_mode, found.st_size, self._algorithm)
        if isinstance(entry, Entry):
            self.entries.append(entry)
            return entry
        self.skipped.append(entry)
        return None

    def _is_unmodified(self, item: Tracked, found: os.stat_result) -> bool:
        """Whether the status on disk proves that the content is the one in git's index."""
        if item.status is None or item.stage or item.flags & INTENT_TO_ADD or not stat.S_ISREG(found.st_mode):
            return False
        mtime, ctime, size = item.status
        # A file written after the index, or in the same instant, may have changed without a trace in its status.
        if mtime >= self._index_time:
            return False
        if ctime not in (0, found.st_ctime_ns):  # some programs that write git's index leave it zero
            return False
        return (found.st_mtime_ns, found.st_size & 0xFFFFFFFF) == (mtime, size)

    def _same(self, entry: Entry, item: Tracked) -> bool:
        """Whether a file that was read is the one in git's index, line endings aside."""
        if item.stage or item.flags & INTENT_TO_ADD:
            return False
        if entry.content_id == item.content_id:
            return True
        data = self._disk.content(item.path) or b""
        return b"\r\n" in data and content_id_of(data.replace(b"\r\n", b"\n"), self._algorithm) == item.content_id
