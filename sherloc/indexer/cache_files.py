"""The files of the index cache: where they lie, which are there, which go when the folder grows too large."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

from sherloc.settings import CacheSettings


def cache_folder(settings: CacheSettings) -> Path:
    """The folder of all index stores: ``SHERLOC_CACHE``, the setting, or the platform's cache folder."""
    chosen = os.environ.get("SHERLOC_CACHE") or settings.folder
    if chosen:
        return Path(chosen).expanduser() / "index"
    from platformdirs import user_cache_path

    return user_cache_path("sherloc", appauthor=False) / "index"


def store_path(name: str, store_key: str, settings: CacheSettings) -> Path:
    """The file of a repository's store, whether it exists or not.

    Args:
        name: The repository's short name.
        store_key: ``Tree.store_key``.
        settings: Where.
    """
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:40].strip("-.") or "repository"
    return cache_folder(settings) / f"{readable}-{store_key[:16]}.sqlite"


def list_stores(settings: CacheSettings) -> list[tuple[Path, int]]:
    """The stores of all repositories with their size in bytes, by path."""
    found = []
    for path in sorted(cache_folder(settings).glob("*.sqlite")):
        with contextlib.suppress(OSError):
            found.append((path, path.stat().st_size))
    return found
