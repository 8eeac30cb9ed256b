"""The one seam through which everything is written: each change of a file, and each commit of the database.

A test that puts itself here can stop a process between any two changes, or in the middle of one; see
``sherloc.context_storage.testing``.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from sherloc.context_storage.plain import descriptor_for_writing, open_plain

_CHUNK = 1 << 20


class Disk:
    """Changes to files that a kill leaves either undone or done.

    Args:
        fsync: Whether what was written is forced to the disk, so that a power cut cannot take it back either.
    """

    def __init__(self, *, fsync: bool = True) -> None:
        self.fsync = fsync

    def step(self, operation: str, path: Path) -> None:
        """Called before each change; does nothing here.

        Args:
            operation: ``write``, ``sync``, ``rename``, ``unlink``, ``rmdir``, ``mkdir``, ``truncate`` or ``commit``.
            path: What is changed.
        """

    def write(self, descriptor: int, data: bytes, path: Path) -> None:
        """Write all of the data at the end or current place of an open file."""
        self.step("write", path)
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]

    def sync(self, descriptor: int, path: Path) -> None:
        """Force a file's content to the disk."""
        if self.fsync:
            self.step("sync", path)
            os.fsync(descriptor)

    def sync_folder(self, folder: Path) -> None:
        """Force names made, changed or removed in a folder to the disk; nothing on Windows, which cannot."""
        if not self.fsync or os.name == "nt":
            return
        self.step("sync", folder)
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def rename(self, source: Path, target: Path) -> None:
        """Give a file or folder another name, over a file of that name."""
        self.step("rename", target)
        os.replace(source, target)

    def unlink(self, path: Path) -> None:
        """Remove a file, if it is there."""
        self.step("unlink", path)
        path.unlink(missing_ok=True)

    def mkdir(self, path: Path) -> None:
        """Make a folder, with those above it, if it is not there."""
        if not path.is_dir():
            self.step("mkdir", path)
            path.mkdir(parents=True, exist_ok=True)

    def truncate(self, path: Path, size: int) -> None:
        """Cut a file off after ``size`` bytes."""
        self.step("truncate", path)
        os.truncate(path, size)

    def commit(self, path: Path) -> None:
        """Called when a transaction's work is done and only its commit is left."""
        self.step("commit", path)

    def create(self, path: Path, data: bytes) -> None:
        """Write a whole file at once, anew. Not atomic: for files that nobody looks at yet."""
        descriptor = descriptor_for_writing(path, os.O_TRUNC)
        try:
            self.write(descriptor, data, path)
            self.sync(descriptor, path)
        finally:
            os.close(descriptor)

    def replace(self, path: Path, data: bytes) -> None:
        """Put new content in the place of a file's: whoever looks sees the old or the new."""
        temporary = path.with_name(f".{path.name}.tmp")
        self.create(temporary, data)
        self.rename(temporary, path)
        self.sync_folder(path.parent)

    def copy_file(self, source: Path, target: Path) -> None:
        """Copy the content of a file."""
        with open_plain(source) as file:
            descriptor = descriptor_for_writing(target, os.O_TRUNC)
            try:
                while chunk := file.read(_CHUNK):
                    self.write(descriptor, chunk, target)
                self.sync(descriptor, target)
            finally:
                os.close(descriptor)

    def copy_tree(self, source: Path, target: Path) -> None:
        """Copy a folder of plain files and folders; links are left out."""
        self.mkdir(target)
        for name in sorted(os.listdir(source)):
            mode = (source / name).lstat().st_mode
            if stat.S_ISDIR(mode):
                self.copy_tree(source / name, target / name)
            elif stat.S_ISREG(mode):
                self.copy_file(source / name, target / name)
        self.sync_folder(target)

    def remove_tree(self, folder: Path) -> None:
        """Remove a folder with all in it; links are removed, not followed. Nothing, if it is not there."""
        if folder.is_symlink() or not folder.is_dir():
            if folder.is_symlink() or folder.exists():
                self.unlink(folder)
            return
        for name in sorted(os.listdir(folder)):
            self.remove_tree(folder / name)
        self.step("rmdir", folder)
        folder.rmdir()

    @contextlib.contextmanager
    def appending(self, path: Path) -> Iterator[int]:
        """An open file whose writes go to its end; made when missing.

        Raises:
            OSError: It cannot be written.
            TaskStoreError: It is no plain file.
        """
        descriptor = descriptor_for_writing(path, os.O_APPEND)
        try:
            yield descriptor
        finally:
            os.close(descriptor)
