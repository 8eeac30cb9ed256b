"""A plain folder, without git: every file in it counts, except what tools leave behind."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from sherloc.repository._names import words
from sherloc.repository.disk import Disk
from sherloc.repository.tree import MAX_READ_BYTES, Entry, Skip, content_id_of

_IGNORED = words(
    """.git .hg .svn .bzr CVS _darcs .jj node_modules bower_components __pycache__ .tox .nox .mypy_cache .pytest_cache
    .ruff_cache .hypothesis .eggs .ipynb_checkpoints .gradle .terraform .cache"""
)


def list_folder(disk: Disk) -> tuple[list[Entry], list[Skip]]:
    """All files below a folder, hashed by reading; .gitignore has no meaning without git."""
    entries: list[Entry] = []
    skipped: list[Skip] = []
    for path, mode, size in _walk(disk, skipped):
        found = look(disk, path, mode, size, "sha1")
        if isinstance(found, Entry):
            entries.append(found)
        else:
            skipped.append(found)
    return entries, skipped


def look(disk: Disk, path: str, mode: int, size: int, algorithm: str) -> Entry | Skip:
    """The entry of a file that must be read for its hash, or why there is none."""
    if stat.S_ISLNK(mode):
        return Skip(path, "symlink")
    if not stat.S_ISREG(mode):
        return Skip(path, "not_regular")
    if size > MAX_READ_BYTES:
        return Skip(path, "too_large")
    data = disk.content(path)
    if data is None:
        return Skip(path, "unreadable")
    return Entry(path, content_id_of(data, algorithm), len(data))


def _walk(disk: Disk, skipped: list[Skip]) -> Iterator[tuple[str, int, int]]:
    """Path, mode and size of everything below the root that is no real folder."""
    pending = [""]
    while pending:
        folder = pending.pop()
        found = _children(disk, folder)
        if found is None:
            skipped.append(Skip(folder or ".", "unreadable"))
            continue
        if folder and "pyvenv.cfg" in found:
            skipped.append(Skip(folder, "ignored_folder"))
            continue
        for name, status in found.items():
            path = f"{folder}/{name}" if folder else name
            if status is None:
                skipped.append(Skip(path, "unreadable"))
            elif not stat.S_ISDIR(status.st_mode):
                if name not in _IGNORED:
                    yield path, status.st_mode, status.st_size
            elif name in _IGNORED:
                skipped.append(Skip(path, "ignored_folder"))
            else:
                pending.append(path)


def _children(disk: Disk, folder: str) -> dict[str, os.stat_result | None] | None:
    """What stands in a folder by name, without following links; None when it cannot be listed."""
    found: dict[str, os.stat_result | None] = {}
    try:
        with os.scandir(disk.native(folder)) as children:
            for child in children:
                name = child.name if isinstance(child.name, str) else child.name.decode("utf-8", "surrogateescape")
                try:
                    found[name] = child.stat(follow_symlinks=False)
                except OSError:
                    found[name] = None
    except OSError:
        return None
    return found
