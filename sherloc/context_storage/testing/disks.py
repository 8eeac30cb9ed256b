"""Disks that fail on purpose: the one seam of ``Disk``, used to stop a process or refuse a write at any step."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable
from pathlib import Path

from sherloc.context_storage.disk import Disk


class CountingDisk(Disk):
    """Keeps a list of what was changed. It forces nothing to the disk, but counts where that would be done.

    Attributes:
        steps: Each change's operation and the name of what was changed, in order.
    """

    def __init__(self) -> None:
        super().__init__(fsync=False)
        self.steps: list[tuple[str, str]] = []

    def step(self, operation: str, path: Path) -> None:
        """Note it."""
        self.steps.append((operation, path.name))

    def sync(self, descriptor: int, path: Path) -> None:
        """Only count."""
        self.step("sync", path)

    def sync_folder(self, folder: Path) -> None:
        """Only count."""
        self.step("sync", folder)


class CrashingDisk(CountingDisk):
    """Kills its process, as ``kill -9`` does, before the n-th change.

    Args:
        at: Which change, from 1.
        half: Whether, if it is a write, its first half gets through.
    """

    def __init__(self, at: int, *, half: bool = False) -> None:
        super().__init__()
        self._at, self._half = at, half

    def step(self, operation: str, path: Path) -> None:
        """Count it, and die if it is the one."""
        super().step(operation, path)
        if len(self.steps) == self._at and not (self._half and operation == "write"):
            _die()

    def write(self, descriptor: int, data: bytes, path: Path) -> None:
        """Write, or half of it."""
        if self._half and len(self.steps) + 1 == self._at:
            os.write(descriptor, data[: len(data) // 2])
            _die()
        super().write(descriptor, data, path)


def _die() -> None:
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))


class FailingDisk(Disk):
    """Raises an ``OSError`` where it is told to; a write that fails has written half of its bytes.

    Args:
        error: Its number, for example ``errno.ENOSPC``.
        when: Whether to fail, by operation and path. Change it to let the disk recover.
    """

    def __init__(self, error: int, when: Callable[[str, Path], bool]) -> None:
        super().__init__()
        self._error, self.when = error, when

    def step(self, operation: str, path: Path) -> None:
        """Fail, if told to."""
        if operation != "write" and self.when(operation, path):
            raise OSError(self._error, os.strerror(self._error), str(path))

    def write(self, descriptor: int, data: bytes, path: Path) -> None:
        """Write, or half of it and fail."""
        if self.when("write", path):
            os.write(descriptor, data[: len(data) // 2])
            raise OSError(self._error, os.strerror(self._error), str(path))
        super().write(descriptor, data, path)


class SplitDisk(CountingDisk):
    """A disk on which every folder is a file system of its own: moving from one to another takes a copy."""

    def rename(self, source: Path, target: Path) -> None:
        """Rename within a folder only."""
        if source.parent != target.parent:
            self.step("rename", target)
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), str(target))
        super().rename(source, target)
