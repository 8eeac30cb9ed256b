"""Only plain files are read and written: no links, folders, pipes or devices, and what cannot be opened gets words."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from sherloc.errors import TaskStoreError, UsageError

_BINARY = getattr(os, "O_BINARY", 0)
# A pipe would wait for its other end, and a link could lead anywhere.
_CAREFUL = _BINARY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_KINDS = (
    (stat.S_ISLNK, "a symbolic link"), (stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"), (stat.S_ISCHR, "a device"), (stat.S_ISBLK, "a device"), (stat.S_ISREG, "a file"),
)  # fmt: skip


def absolute_path(path: Path | str, name: str, what: str) -> Path:
    """A path that stays the same when the process goes to another folder.

    Args:
        path: As given.
        name: Of the argument, for the message.
        what: It is the path of.

    Raises:
        UsageError: It is no path.
        TaskStoreError: It is relative to a folder that is gone.
    """
    if not isinstance(path, (str, Path)) or "\0" in str(path) or path == "":
        raise UsageError(f"{name} is the path of {what}, not empty and without NUL, not {path!r:.160}.")
    with in_words(Path(path)):
        return Path(path).absolute()


def kind_of(mode: int) -> str:
    """What a path is, for a sentence.

    Args:
        mode: ``st_mode``.
    """
    return next((words for is_it, words in _KINDS if is_it(mode)), "no plain file")


def open_plain(path: Path) -> BinaryIO:
    """Open a plain file for reading.

    Raises:
        FileNotFoundError: It is not there.
        TaskStoreError: It is no plain file, or cannot be read.
    """
    return os.fdopen(_descriptor(path, os.O_RDONLY, 0), "rb")


def require_plain(path: Path) -> None:
    """Make sure that what is there, if anything, is a plain file: for files that something else opens.

    Raises:
        TaskStoreError: It is none.
    """
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise unusable(path, error) from error
    _check(path, mode)


def descriptor_for_writing(path: Path, flags: int) -> int:
    """Open a plain file for writing, made when missing.

    Args:
        path: The file.
        flags: Beside ``O_WRONLY`` and ``O_CREAT``.

    Raises:
        OSError: It cannot be written.
        TaskStoreError: It is no plain file.
    """
    return _descriptor(path, os.O_WRONLY | os.O_CREAT | flags, 0o666)


def _descriptor(path: Path, flags: int, mode: int) -> int:
    with contextlib.suppress(FileNotFoundError):
        _check(path, path.lstat().st_mode)
    try:
        descriptor = os.open(path, flags | _CAREFUL, mode)
    except FileNotFoundError:
        raise
    except OSError as error:
        if flags & os.O_WRONLY:
            raise
        raise unusable(path, error) from error
    try:
        _check(path, os.fstat(descriptor).st_mode)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _check(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise TaskStoreError(
            f"{path} is {kind_of(mode)}, not a plain file; it was neither read nor written.",
            hint="Take it away, or put the task's file there.",
        )


def is_real_folder(path: Path) -> bool:
    """Whether a folder is there.

    Raises:
        TaskStoreError: Something else is there; a link to a folder counts as something else.
    """
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    if not stat.S_ISDIR(mode):
        raise TaskStoreError(
            f"{path} is {kind_of(mode)}, not a folder of a task; nothing was read or written through it.",
            hint="Take it away, or put the task's folder there.",
        )
    return True


@contextlib.contextmanager
def in_words(path: Path) -> Iterator[None]:
    """Turn what the system says about files into what to do about it.

    Args:
        path: What is worked on, should the system name no file.

    Raises:
        TaskStoreError: The system could not do what was asked.
    """
    try:
        yield
    except OSError as error:
        raise unusable(path, error) from error


def unusable(path: Path, error: OSError) -> TaskStoreError:
    """The error for a file or folder that the system cannot read or write."""
    name = error.filename or path
    return TaskStoreError(
        f"{os.fsdecode(name) if isinstance(name, bytes) else name} cannot be read or written: "
        f"{error.strerror or error}.",
        hint="Check its name and permissions, or give another folder for the tasks (context.base_dir, --base-dir).",
    )
