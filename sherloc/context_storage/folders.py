"""Folders of tasks: where they are, how one is made, moved and removed so that a kill leaves a state that says itself.

Names that begin with a dot are work in progress: ``.new-UUID`` is being made, ``.UUID.tmp`` is a copy from another
file system that is not whole yet, ``.UUID.trash`` is being removed. Whoever holds the task's lease may throw the first
two away and must finish the third.
"""

from __future__ import annotations

import errno
import filecmp
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sherloc.context_storage.disk import Disk
from sherloc.context_storage.exact import load_exact
from sherloc.context_storage.plain import absolute_path, in_words, is_real_folder, open_plain
from sherloc.context_storage.task_key import Status
from sherloc.errors import DestinationExistsError, TaskError, TaskStoreError

HOMES = ("running", "paused", "completed")
HOME_OF: dict[Status, str] = {
    "running": "running", "paused": "paused", "completed": "completed", "failed": "completed",
}  # fmt: skip
METADATA = "metadata.json"
FINAL_SUMMARY = "final_summary.txt"


class FolderLostError(TaskError):
    """A task's folder is in no place where it could be."""


def check_base_dir(base_dir: Path | str) -> Path:
    """The folder of tasks, if it can be one; the same wherever the process goes to later.

    Raises:
        UsageError: It is no path.
    """
    return absolute_path(base_dir, "base_dir", "a folder")


class Folders:
    """The folders of a base_dir.

    Args:
        base_dir: Holds ``running``, ``paused`` and ``completed``; made when missing.
        disk: What writes.

    Raises:
        TaskStoreError: They cannot be made.
    """

    def __init__(self, base_dir: Path, disk: Disk) -> None:
        self.base_dir, self._disk = base_dir, disk
        with in_words(base_dir):
            for home in HOMES:
                disk.mkdir(base_dir / home)

    def path(self, home: str, uuid: str) -> Path:
        """Where the task lies, or would lie."""
        return self.base_dir / home / uuid

    def find(self, uuid: str) -> str:
        """The home in which the task lies; empty if in none. The first of running, paused, completed.

        Raises:
            TaskStoreError: What is there is no folder, or a link to one.
        """
        return next((home for home in HOMES if self.holds(home, uuid)), "")

    def holds(self, home: str, uuid: str) -> bool:
        """Whether the task lies there.

        Raises:
            TaskStoreError: What is there is no folder, or a link to one.
        """
        return is_real_folder(self.path(home, uuid))

    def create(self, uuid: str, metadata: Mapping[str, Any], source: Path | None = None) -> None:
        """Make ``running/uuid``, whole at once.

        Args:
            uuid: The task.
            metadata: Content of ``metadata.json``.
            source: A folder whose files it begins with.

        Raises:
            DestinationExistsError: It is there.
        """
        target = self.path("running", uuid)
        if target.exists():
            raise _exists(target)
        new = target.with_name(f".new-{uuid}")
        self._disk.remove_tree(new)
        if source is None:
            self._disk.mkdir(new)
        else:
            self._disk.copy_tree(source, new)
        self._disk.create(new / METADATA, json.dumps(metadata, indent=2, ensure_ascii=False).encode() + b"\n")
        self._disk.sync_folder(new)
        self._disk.rename(new, target)
        self._disk.sync_folder(target.parent)

    def discard_new(self, uuid: str) -> None:
        """Throw away what ``create`` left half done."""
        self._disk.remove_tree(self.base_dir / "running" / f".new-{uuid}")

    def check_free(self, home: str, uuid: str) -> None:
        """Make sure that a task can go there.

        Raises:
            DestinationExistsError: Something is there.
        """
        target = self.path(home, uuid)
        if target.exists() or target.is_symlink():
            raise _exists(target)

    def move(self, uuid: str, source: str, target: str) -> None:
        """Move a task from one home to another; begun and not finished, it can simply be called again.

        Within a file system it is one rename. Between two, the copy gets its name when it is whole; until then the
        source is the task, from then on the copy.

        Raises:
            DestinationExistsError: Both are there, and they differ.
            FolderLostError: Neither is there.
            TaskStoreError: One of them is no folder, or a link to one.
        """
        old, new = self.path(source, uuid), self.path(target, uuid)
        self._disk.remove_tree(_temporary(new))
        here, there = self.holds(source, uuid), self.holds(target, uuid)
        if here and there:
            if old.samefile(new) or not _same(old, new):
                raise _exists(new)
            self.remove(source, uuid)
        elif here:
            self._carry(old, new)
        elif not there:
            raise FolderLostError(f"The folder of task {uuid} is neither in {source} nor in {target}.")
        self._disk.remove_tree(_trash(old))
        self._disk.sync_folder(new.parent)
        self._disk.sync_folder(old.parent)

    def _carry(self, old: Path, new: Path) -> None:
        try:
            self._disk.rename(old, new)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            self._disk.copy_tree(old, _temporary(new))
            self._disk.rename(_temporary(new), new)
            self._disk.sync_folder(new.parent)
            self._disk.rename(old, _trash(old))

    def remove(self, home: str, uuid: str) -> None:
        """Remove a task's folder; begun and not finished, it can simply be called again."""
        folder = self.path(home, uuid)
        if folder.is_symlink() or folder.exists():
            self._disk.remove_tree(_trash(folder))
            self._disk.rename(folder, _trash(folder))
        self._disk.remove_tree(_trash(folder))
        self._disk.sync_folder(folder.parent)


def _temporary(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.tmp")


def _trash(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.trash")


def _exists(path: Path) -> DestinationExistsError:
    return DestinationExistsError(
        f"{path} exists already; nothing was moved.", hint="Compare the two folders and take one of them away."
    )


def _same(one: Path, other: Path) -> bool:
    """Whether two folders hold the same names and bytes."""
    names = sorted(os.listdir(one))
    if names != sorted(os.listdir(other)):
        return False
    for name in names:
        a, b = one / name, other / name
        if a.is_dir() != b.is_dir():
            return False
        if not (_same(a, b) if a.is_dir() else filecmp.cmp(a, b, shallow=False)):
            return False
    return True


def read_metadata(folder: Path) -> dict[str, Any]:
    """The content of ``metadata.json``; empty if it cannot be read."""
    try:
        with open_plain(folder / METADATA) as file:
            found = load_exact(file.read().decode("utf-8"))
    except (OSError, ValueError, RecursionError, TaskStoreError):
        return {}
    return found if isinstance(found, dict) else {}


def read_final_summary(folder: Path) -> str | None:
    """The content of ``final_summary.txt``; None if there is none that can be read."""
    try:
        with open_plain(folder / FINAL_SUMMARY) as file:
            return file.read().decode("utf-8", "replace")
    except (OSError, TaskStoreError):
        return None
