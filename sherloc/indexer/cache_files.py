"""The files of the index cache: where they lie, which are there, which go when the folder grows too large."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

from sherloc.settings import CacheSettings
from sherloc.user_folders import chosen_path, user_folder


def cache_folder(settings: CacheSettings) -> Path:
    """The folder of all index stores: ``SHERLOC_CACHE``, the setting, or the platform's cache folder.

    Raises:
        SettingsError: What was chosen begins with ``~`` and there is no such home folder.
    """
    if os.environ.get("SHERLOC_CACHE"):
        return chosen_path(os.environ["SHERLOC_CACHE"], "SHERLOC_CACHE") / "index"
    if settings.folder:
        return chosen_path(settings.folder, "cache.folder") / "index"
    return user_folder("cache") / "index"


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
