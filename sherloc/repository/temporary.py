"""Temporary folders that say whose they are, so that those of a process which was killed can be removed later."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_NAME = re.compile(r"sherloc-(?:repair|checkout)-(\d{1,10})-\w+")


@contextlib.contextmanager
def held_folder(kind: str) -> Iterator[str]:
    """A new folder ``sherloc-KIND-PID-...`` in the system's place for such; removed at the end.

    Args:
        kind: ``repair`` or ``checkout``.

    Yields:
        Its real path. It is locked meanwhile, so that no process takes it for one that is left over, in another
        container with other process numbers neither.
    """
    folder = os.path.realpath(tempfile.mkdtemp(prefix=f"sherloc-{kind}-{os.getpid()}-"))
    lock = _locked(folder)
    try:
        yield folder
    finally:
        remove_folder(folder)
        if lock is not None:
            os.close(lock)


def remove_dead() -> None:
    """Remove folders of ``held_folder`` whose process is dead; only this user's. On Windows nothing is removed."""
    if fcntl is None:
        return
    try:
        entries = [entry for entry in os.scandir(tempfile.gettempdir()) if _NAME.fullmatch(entry.name)]
    except OSError:
        return
    for entry in entries:
        found = _NAME.fullmatch(entry.name)
        with contextlib.suppress(OSError):
            status = entry.stat(follow_symlinks=False)
            if found is None or not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
                continue
            if _is_alive(int(found[1])):
                continue
            lock = _locked(entry.path)
            if lock is not None:
                remove_folder(entry.path)
                os.close(lock)


def remove_folder(folder: str) -> None:
    """Remove a folder, also where a program took away the right to; what cannot be removed stays."""
    with contextlib.suppress(OSError):
        os.chmod(folder, 0o700)
    for top, names, _ in os.walk(folder):
        for name in names:
            path = os.path.join(top, name)
            with contextlib.suppress(OSError):
                if not os.path.islink(path):
                    os.chmod(path, 0o700)
    shutil.rmtree(folder, ignore_errors=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _locked(folder: str) -> int | None:
    """A handle that holds a folder's lock; None when another process has it, or there are no locks."""
    if fcntl is None:
        return None
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


__all__ = ["held_folder", "remove_dead", "remove_folder"]
