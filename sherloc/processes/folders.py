"""Temporary folders for outside programs: whatever these leave is removed, after a kill by a later run."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import tempfile
import uuid
from collections.abc import Iterator

from sherloc.processes.locks import HAS_LOCKS, take

_NAME = re.compile(r"sherloc-(?:repair|checkout|command|generator|tests|push)-(\d{1,10})-\w+")


@contextlib.contextmanager
def held_folder(kind: str) -> Iterator[str]:
    """A new folder ``sherloc-KIND-PID-...`` in the system's place for such; removed at the end.

    Args:
        kind: ``repair``, ``checkout``, ``command``, ``generator``, ``tests`` or ``push``.

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
    if not HAS_LOCKS:
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
    """Remove a folder, also where a program took away the right to; what cannot be removed stays.

    However deep folders are nested: each is moved up first, so that no path grows and nothing recurses. Links are not
    followed, and where the folder itself is one by now only that is removed.
    """
    if os.path.islink(folder):
        with contextlib.suppress(OSError):
            os.unlink(folder)
        return
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        with contextlib.suppress(OSError):
            os.chmod(here, 0o700)
            with os.scandir(here) as entries:
                found = list(entries)
            for entry in found:
                with contextlib.suppress(OSError):
                    if not entry.is_dir(follow_symlinks=False):
                        os.unlink(entry.path)
                        continue
                    # Only who may write to a folder may move it.
                    os.chmod(entry.path, 0o700)
                    if here == folder:
                        waiting.append(entry.path)
                        continue
                    up = os.path.join(folder, uuid.uuid4().hex)
                    os.rename(entry.path, up)
                    waiting.append(up)
            if here != folder:
                os.rmdir(here)
    with contextlib.suppress(OSError):
        os.rmdir(folder)


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
    if not HAS_LOCKS:
        return None
    handle = os.open(folder, os.O_RDONLY)
    if take(handle):
        return handle
    os.close(handle)
    return None


__all__ = ["held_folder", "remove_dead", "remove_folder"]
