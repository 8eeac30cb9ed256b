"""Files on disk: looked at without following links, and read only when they are regular files below the root."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence

from sherloc.repository.tree import MAX_READ_BYTES, Entry

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class Disk:
    """Reads files below a folder.

    Args:
        root: The folder; links on the way to it are followed, links below it are not.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self._prefix = os.fsencode(os.path.join(root, ""))
        self._folders: dict[str, bool] = {"": True}

    def read(self, entries: Sequence[Entry]) -> Iterator[tuple[Entry, bytes | None]]:
        """See ``Tree.read``."""
        self._folders = {"": True}
        for entry in entries:
            yield entry, self.content(entry.path)

    def recipe(self) -> dict[str, str]:
        """See ``Tree.reader``."""
        return {"kind": "disk", "location": self.root}

    def content(self, path: str) -> bytes | None:
        """The bytes of a regular file that no link leads to, or None."""
        if not self.holds(path):
            return None
        try:
            descriptor = os.open(self.native(path), _FLAGS)
        except (OSError, ValueError):
            return None
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_READ_BYTES:
                return None
            with open(descriptor, "rb", closefd=False) as file:
                # Space is taken for all that is asked for: for a small file it must be small.
                data = file.read(found.st_size + 1) or b""
                if len(data) > found.st_size:
                    data += file.read(MAX_READ_BYTES + 1 - len(data))
        except (OSError, MemoryError):
            return None
        finally:
            os.close(descriptor)
        return data if len(data) <= MAX_READ_BYTES else None

    def stat(self, path: str) -> os.stat_result | None:
        """What stands at a path, a link itself for a link, or None."""
        try:
            return os.lstat(self.native(path))
        except (OSError, ValueError):
            return None

    def holds(self, path: str) -> bool:
        """Whether all folders on the way to a path are real folders below the root."""
        known = self._folders
        folder = path.rpartition("/")[0]
        unknown = []
        while folder not in known:
            unknown.append(folder)
            folder = folder.rpartition("/")[0]
        held = known[folder]
        for folder in reversed(unknown):
            held = known[folder] = held and self._is_folder(folder)
        return held

    def _is_folder(self, path: str) -> bool:
        if path.rpartition("/")[2] in ("", ".", ".."):
            return False
        found = self.stat(path)
        return found is not None and stat.S_ISDIR(found.st_mode)

    def native(self, path: str) -> str | bytes:
        """The absolute path as the operating system takes it, whatever the locale."""
        if os.name == "nt":
            return os.path.join(self.root, path)
        return self._prefix + path.encode("utf-8", "surrogateescape")
