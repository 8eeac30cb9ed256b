"""Reading and writing below one folder, so that no path, link or race leads out of it."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from typing import BinaryIO

from sherloc.paths.checking import check_path
from sherloc.paths.folders import CREATE, DESCRIPTORS, READ, Folder, is_link, open_folder
from sherloc.paths.known import KnownPaths, PathTree
from sherloc.paths.policy import WRITING, PathPolicy
from sherloc.paths.reasons import refusal

MAX_READ_BYTES = 1 << 25
_NO_FOLDER = (errno.ELOOP, errno.ENOTDIR, errno.EMLINK)
_PERMISSIONS = 0o777


class SafeRoot:
    """The files below a folder. Every path is checked as text, then walked name by name without following links.

    On POSIX each step is relative to an open folder, so that exchanging a folder for a link meanwhile changes nothing.
    Where the system cannot do that (Windows), each step is checked before and after; a folder exchanged in between is
    noticed, but only afterwards. A process that may move folders out of the root can still take their content along.

    Args:
        root: The folder; links on the way to it are followed once, now.
        policy: For writing and removing; reading is judged by the same without its protected places.
        tree: What exists, as for ``check_path``; the disk itself is looked at in any case.
        descriptors: False forces the way of systems that cannot open relative to a folder.

    Raises:
        OSError: The root cannot be opened.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        policy: PathPolicy = WRITING,
        tree: PathTree | KnownPaths | None = None,
        descriptors: bool = DESCRIPTORS,
    ) -> None:
        self._writing = policy
        self._reading = PathPolicy(
            policy.platforms, (), (), policy.max_path_bytes, policy.max_name_bytes, policy.max_depth
        )
        self._tree = None if tree is None else KnownPaths.of(tree)
        self._root: Folder | None = open_folder(os.fspath(root), descriptors=descriptors)

    def __enter__(self) -> SafeRoot:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the folder; nothing can be read or written after that."""
        if self._root is not None:
            self._root.close()
            self._root = None

    def read(self, path: str, *, max_bytes: int = MAX_READ_BYTES) -> bytes:
        """The content of a regular file.

        Raises:
            UnsafePathError: The path is refused, or nothing is there.
            OSError: The system cannot read it.
        """
        normal = check_path(path, self._tree, self._reading)
        with self._parent(path, normal, make=False) as (folder, name):
            _look(path, folder, name, must_exist=True)
            try:
                descriptor = folder.open(name, READ)
            except OSError as error:
                raise _explained(path, folder, name, error) from error
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise refusal("not_a_file", path)
            data = file.read(max_bytes + 1)
        if len(data) > max_bytes:
            raise refusal("too_large", path, detail=f"over {max_bytes} bytes")
        return data

    def replace(self, path: str, data: bytes) -> None:
        """Write a whole file at once; see ``open_for_write``."""
        with self.open_for_write(path) as file:
            file.write(data)

    @contextlib.contextmanager
    def open_for_write(self, path: str) -> Iterator[BinaryIO]:
        """A new content for a file, existing or not; missing folders are made.

        What is written stands under another name until the block ends, then takes the file's place in one step, so
        that nobody sees half of it and a hard link elsewhere keeps the old content. If the block raises, the file
        stays as it was. Permissions of an existing file are kept. It is not flushed to the disk.

        Raises:
            UnsafePathError: The path is refused.
            OSError: The system cannot write it.
        """
        normal = check_path(path, self._tree, self._writing)
        with self._parent(path, normal, make=True) as (folder, name):
            before = _look(path, folder, name)
            temporary = f".sherloc-{secrets.token_hex(8)}.tmp"
            try:
                descriptor = folder.open(temporary, CREATE, 0o666)
            except OSError as error:
                raise _explained(path, folder, temporary, error) from error
            try:
                with open(descriptor, "wb") as file:
                    if before is not None and hasattr(os, "fchmod"):
                        os.fchmod(descriptor, before.st_mode & _PERMISSIONS)
                    yield file
                _look(path, folder, name)
                folder.rename(temporary, name)
            except BaseException:
                with contextlib.suppress(OSError):
                    folder.unlink(temporary)
                raise

    def remove(self, path: str) -> None:
        """Remove a regular file; its folder stays.

        Raises:
            UnsafePathError: The path is refused, or nothing is there.
            OSError: The system cannot remove it.
        """
        normal = check_path(path, self._tree, self._writing)
        with self._parent(path, normal, make=False) as (folder, name):
            _look(path, folder, name, must_exist=True)
            folder.unlink(name)

    @contextlib.contextmanager
    def _parent(self, given: str, path: str, *, make: bool) -> Iterator[tuple[Folder, str]]:
        """The open folder of a path, and the path's last name."""
        if self._root is None:
            raise ValueError("this SafeRoot is closed")
        current: Folder = self._root
        *folders, last = path.split("/")
        try:
            for name in folders:
                child = _enter(given, current, name, make=make)
                if current is not self._root:
                    current.close()
                current = child
                if current.stat(".git") is not None:
                    raise refusal("submodule", given, detail=name)
            yield current, last
        finally:
            if current is not self._root:
                current.close()


def _enter(given: str, folder: Folder, name: str, *, make: bool) -> Folder:
    try:
        return folder.enter(name, make=make)
    except OSError as error:
        raise _explained(given, folder, name, error) from error


def _look(given: str, folder: Folder, name: str, *, must_exist: bool = False) -> os.stat_result | None:
    """The status of a regular file, or None where a new one may be made."""
    try:
        found = folder.stat(name)
    except OSError as error:
        raise _explained(given, folder, name, error) from error
    if found is None and must_exist:
        raise refusal("missing", given)
    if found is not None and is_link(found):
        raise refusal("symlink", given, detail=name)
    if found is not None and not stat.S_ISREG(found.st_mode):
        raise refusal("not_a_file", given, detail=name)
    return found


def _explained(given: str, folder: Folder, name: str, error: OSError) -> Exception:
    """What an error of the system says of the path, where it says anything; else the error itself."""
    if error.errno == errno.ENOENT:
        return refusal("missing", given, detail=name)
    if error.errno not in _NO_FOLDER:
        return error
    try:
        found = folder.stat(name)
    except OSError:
        return refusal("changed", given)
    if found is not None and is_link(found):
        return refusal("symlink", given, detail=name)
    if found is not None and not stat.S_ISDIR(found.st_mode):
        return refusal("not_a_folder", given, detail=name)
    return refusal("changed", given, detail=name)
