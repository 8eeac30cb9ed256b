"""What exists in a tree, so that a path can be held against it."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterable, Sequence
from typing import Literal, Protocol

from sherloc.paths.folding import fold

PathKind = Literal["file", "folder", "symlink", "submodule", "special"]

_KINDS: dict[str, PathKind] = {
    "symlink": "symlink",
    "outside_root": "symlink",
    "submodule": "submodule",
    "not_regular": "special",
    "ignored_folder": "folder",
}


class HasPath(Protocol):
    """A file of a tree; ``path`` is POSIX and relative to the root."""

    @property
    def path(self) -> str:
        """Where it stands."""


class HasReason(HasPath, Protocol):
    """A file or folder that a tree lists but does not read."""

    @property
    def reason(self) -> str:
        """Why: ``symlink``, ``submodule``, ``not_regular``, ``outside_root``, ``ignored_folder``; others are files."""


class PathTree(Protocol):
    """What ``check_path`` has to know of a tree; a ``sherloc.repository.Tree`` is one."""

    @property
    def entries(self) -> Sequence[HasPath]:
        """Its files."""

    @property
    def skipped(self) -> Sequence[HasReason]:
        """What else stands there."""


class KnownPaths:
    """The names of a tree, for look-ups by exact and by folded spelling.

    Args:
        files: Paths of regular files.
        others: Paths of what is none, with its kind.
    """

    def __init__(self, files: Iterable[str], others: Iterable[tuple[str, PathKind]] = ()) -> None:
        self._kinds: dict[str, PathKind] = dict.fromkeys(files, "file")
        self._kinds.update(others)
        for path in list(self._kinds):
            folder = path.rpartition("/")[0]
            while folder and folder not in self._kinds:
                self._kinds[folder] = "folder"
                folder = folder.rpartition("/")[0]
            if self._kinds.get(folder) in ("symlink", "submodule"):
                self._kinds[path] = self._kinds[folder]
        self._spellings: dict[str, str] | None = None

    @classmethod
    def of(cls, tree: PathTree | KnownPaths) -> KnownPaths:
        """The names of a tree; built once for each tree object, in time linear in its size."""
        return tree if isinstance(tree, KnownPaths) else _remembered(tree)

    def kind(self, path: str) -> PathKind | None:
        """What stands at a path, spelled exactly so, or None."""
        return self._kinds.get(path)

    def add_file(self, path: str) -> None:
        """Take up a file that is made at a path where nothing stands."""
        names = [path]
        while (folder := names[-1].rpartition("/")[0]) and folder not in self._kinds:
            names.append(folder)
        for name in names:
            self._kinds[name] = "file" if name == path else "folder"
            if self._spellings is not None:
                key = fold(name)
                self._spellings[key] = min(name, self._spellings.get(key, name))

    def spelling(self, path: str) -> str:
        """An existing path that a case-insensitive file system takes for this one, or empty."""
        if self._spellings is None:
            # The first in order wins where a tree holds two that collide already.
            self._spellings = {fold(each): each for each in sorted(self._kinds, reverse=True)}
        return self._spellings.get(fold(path), "")

    def files(self) -> list[str]:
        """The paths of all files, sorted."""
        return sorted(path for path, kind in self._kinds.items() if kind == "file")


_memory: dict[int, tuple[weakref.ref[object], KnownPaths]] = {}


def _remembered(tree: PathTree) -> KnownPaths:
    number = id(tree)
    found = _memory.get(number)
    if found is not None and found[0]() is tree:
        return found[1]
    others = [(skip.path, _KINDS.get(skip.reason, "file")) for skip in tree.skipped]
    known = KnownPaths((entry.path for entry in tree.entries), others)
    with contextlib.suppress(TypeError):  # some objects cannot be referred to weakly; they are indexed each time
        _memory[number] = (weakref.ref(tree, lambda _: _memory.pop(number, None)), known)
    return known
