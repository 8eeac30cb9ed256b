"""A lock between processes that work on one machine."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

HAS_LOCKS = fcntl is not None
"""Whether this system has locks that end with their process; Windows has none."""
_POLL = 0.05


@contextlib.contextmanager
def held_lock(path: Path, seconds: float) -> Iterator[bool]:
    """Hold a lock; the system frees it when the process ends, however that is.

    Args:
        path: The lock's file; made when it is not there, and left.
        seconds: Longest wait for somebody else. Seconds.

    Yields:
        Whether it is held: not where the wait was too long, or there are no locks (Windows, some network disks).
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        yield False
        return
    try:
        yield take(handle, seconds)
    finally:
        os.close(handle)


def take(handle: int, seconds: float = 0.0) -> bool:
    """Lock an open file or folder; closing it lets go.

    Args:
        handle: Its descriptor.
        seconds: Longest wait for somebody else. Seconds.

    Returns:
        Whether it is locked; False, too, where there are no locks.
    """
    end = time.monotonic() + seconds
    while fcntl is not None:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                return False
            time.sleep(_POLL)
        except OSError:
            return False
        else:
            return True
    return False


__all__ = ["HAS_LOCKS", "held_lock", "take"]
