"""An open folder, in which names are used without ever following a link.

Two ways: by descriptor (POSIX), where no exchange of a folder for a link can lead elsewhere; and by path (Windows),
where every step is checked before and after.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from typing import Protocol

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
READ = os.O_RDONLY | _NOFOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | getattr(os, "O_BINARY", 0)

DESCRIPTORS = {os.open, os.mkdir, os.stat, os.unlink, os.rename} <= os.supports_dir_fd
"""Whether this system opens relative to a folder's descriptor."""

_REPARSE_LINKS = (0xA0000003, 0xA000000C)
"""Windows' tags of junctions and symbolic links; those of cloud storage and the like are no links."""


class Folder(Protocol):
    """An open folder. Names are single; a method raises ``OSError`` as the system does."""

    def enter(self, name: str, *, make: bool) -> Folder:
        """The folder of that name, made when asked for; ELOOP or ENOTDIR for a link or a file."""

    def stat(self, name: str) -> os.stat_result | None:
        """What stands there, a link itself for a link, or None."""

    def open(self, name: str, flags: int, mode: int = 0o600) -> int:
        """A descriptor; ``flags`` is ``READ`` or ``CREATE``."""

    def rename(self, old: str, new: str) -> None:
        """Rename a file, replacing what is there."""

    def unlink(self, name: str) -> None:
        """Remove a file or a link."""

    def close(self) -> None:
        """Let go of it."""


def is_link(found: os.stat_result) -> bool:
    """Whether a status is that of a symbolic link or a junction."""
    return stat.S_ISLNK(found.st_mode) or getattr(found, "st_reparse_tag", 0) in _REPARSE_LINKS


def open_folder(path: str, *, descriptors: bool = DESCRIPTORS) -> Folder:
    """Open a folder; links on the way to it are followed.

    Args:
        path: Where it is.
        descriptors: Whether to work by descriptor.

    Raises:
        OSError: It cannot be opened.
    """
    if descriptors:
        return DescriptorFolder(os.open(path, _FOLDER | getattr(os, "O_CLOEXEC", 0)))
    return CheckedFolder.root(os.path.realpath(path))


class DescriptorFolder:
    """A folder by its descriptor: what it stands for never changes, whatever happens to its path."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def enter(self, name: str, *, make: bool) -> DescriptorFolder:
        """See ``Folder``."""
        if make:
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, dir_fd=self._descriptor)
        return DescriptorFolder(os.open(name, _FOLDER | _NOFOLLOW, dir_fd=self._descriptor))

    def stat(self, name: str) -> os.stat_result | None:
        """See ``Folder``."""
        try:
            return os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def open(self, name: str, flags: int, mode: int = 0o600) -> int:
        """See ``Folder``."""
        return os.open(name, flags, mode, dir_fd=self._descriptor)

    def rename(self, old: str, new: str) -> None:
        """See ``Folder``."""
        os.replace(old, new, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)

    def unlink(self, name: str) -> None:
        """See ``Folder``."""
        os.unlink(name, dir_fd=self._descriptor)

    def close(self) -> None:
        """See ``Folder``."""
        os.close(self._descriptor)


class CheckedFolder:
    """A folder by its path; that it is still the same, and so are all above it, is checked around every step.

    Between a check and its step there is a moment in which another process can exchange a folder for a link; then the
    second check raises, but a file may have been made, renamed or removed elsewhere.
    """

    def __init__(self, path: str, chain: tuple[tuple[str, int, int], ...]) -> None:
        self._path = path
        self._chain = chain

    @classmethod
    def root(cls, path: str) -> CheckedFolder:
        """The first folder of a chain."""
        return cls(path, (_identity(path),))

    def enter(self, name: str, *, make: bool) -> CheckedFolder:
        """See ``Folder``."""
        path = self._checked(name)
        if make:
            with contextlib.suppress(FileExistsError):
                os.mkdir(path)
        child = CheckedFolder(path, (*self._chain, _identity(path)))
        child._check()
        return child

    def stat(self, name: str) -> os.stat_result | None:
        """See ``Folder``."""
        try:
            return os.lstat(self._checked(name))
        except FileNotFoundError:
            return None

    def open(self, name: str, flags: int, mode: int = 0o600) -> int:
        """See ``Folder``."""
        path = self._checked(name)
        if not flags & os.O_CREAT and is_link(os.lstat(path)):
            raise _replaced(path)
        descriptor = os.open(path, flags, mode)
        try:
            self._check()
            found, opened = os.lstat(path), os.fstat(descriptor)
            if is_link(found) or (found.st_dev, found.st_ino) != (opened.st_dev, opened.st_ino):
                raise _replaced(path)
        except OSError:
            os.close(descriptor)
            raise
        return descriptor

    def rename(self, old: str, new: str) -> None:
        """See ``Folder``."""
        os.replace(self._checked(old), os.path.join(self._path, new))
        self._check()

    def unlink(self, name: str) -> None:
        """See ``Folder``."""
        os.unlink(self._checked(name))
        self._check()

    def close(self) -> None:
        """See ``Folder``."""

    def _checked(self, name: str) -> str:
        self._check()
        return os.path.join(self._path, name)

    def _check(self) -> None:
        for known in self._chain:
            if _identity(known[0]) != known:
                raise _replaced(known[0])


def _identity(path: str) -> tuple[str, int, int]:
    """A real folder's path, device and number."""
    found = os.lstat(path)
    if is_link(found):
        raise _replaced(path)
    if not stat.S_ISDIR(found.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
    return path, found.st_dev, found.st_ino


def _replaced(path: str) -> OSError:
    return OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
