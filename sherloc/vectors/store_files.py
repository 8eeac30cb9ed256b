"""The files of the vector stores: which go when their folder grows too large."""

from __future__ import annotations

import contextlib
from pathlib import Path


def keep_to_limit(keep: Path, limit: int) -> None:
    """Remove the other embedders' stores, least recently written first, until all hold at most ``limit`` bytes.

    Args:
        keep: The store in use, which stays.
        limit: In bytes.
    """
    stores = []
    for path in keep.parent.glob("vectors-*.sqlite"):
        with contextlib.suppress(OSError):
            state, log = path.stat(), Path(f"{path}-wal")
            stores.append((state.st_mtime, str(path), state.st_size + (log.stat().st_size if log.exists() else 0)))
    total = sum(size for _, _, size in stores)
    for _, name, size in sorted(stores):
        if total <= limit:
            return
        if name != str(keep):
            remove_store(Path(name))
            total -= size


def remove_store(path: Path) -> None:
    """Remove a store with its side files."""
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(OSError):
            Path(f"{path}{suffix}").unlink()
