"""New files in a checkout that a program has changed, and which of them the project's ignore files leave out.

Git looks for the first and reads the second, but would do so in a folder that is not trusted, where a named pipe called
``.gitignore``, or in a nested repository, holds it up for ever. So the folder is read here, and git is asked in another
one that has copies of the ignore files and nothing else.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Mapping

from sherloc.errors import GeneratorError
from sherloc.repository.git import Git
from sherloc.repository.writing import ALONE, SETTINGS, Scratch, Stored

_MAX_ENTRIES = 1_000_000
_MAX_IGNORE_BYTES = 1 << 20
_IGNORE = ".gitignore"
_CACHES = frozenset(
    ("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".tox", ".venv", "node_modules")
)


def new_files(scratch: Scratch, stored: Mapping[str, Stored], folder: str) -> tuple[list[str], list[str]]:
    """New files and links in a checkout, and what is left out of them, both sorted.

    Args:
        scratch: Lends its git directory.
        stored: Everything that was checked out.
        folder: The checkout; no program may change it any more.

    Returns:
        Paths; and files and folders that the project ignores, without the usual caches, and those that are repositories
        of their own.

    Raises:
        OSError: The folder cannot be read.
        GeneratorError: It holds over a million entries, or an ignore file of over a megabyte.

    Complexity: linear in the entries, besides what git takes for its patterns.
    """
    walk = _Walk(stored, folder)
    ignored = _ignored(scratch, folder, walk.found, walk.ignore_files)
    kept = [name for name in walk.found if name not in ignored]
    open_folders = _folders([*stored, *kept])
    left_out = {_top(name, open_folders) for name in ignored}
    left_out = {name for name in left_out if _CACHES.isdisjoint(name.split("/")) and not name.endswith(".pyc")}
    return sorted(kept), sorted(left_out | walk.nested)


class _Walk:
    """Everything below a folder that the base does not have; repositories in it are not entered."""

    def __init__(self, stored: Mapping[str, Stored], folder: str) -> None:
        self._stored, self._folder = stored, folder
        self._known = _folders(stored)
        self.found: list[str] = []
        self.ignore_files: list[str] = []
        self.nested: set[str] = set()
        entries, waiting = 0, [""]
        while waiting:
            below = waiting.pop()
            with os.scandir(os.path.join(folder, below)) as listed:
                for entry in listed:
                    entries += 1
                    self._take(below, entry, waiting)
            if entries > _MAX_ENTRIES:
                raise GeneratorError(f"The generator left over {_MAX_ENTRIES} files and folders, which are not read.")

    def _take(self, below: str, entry: os.DirEntry[str], waiting: list[str]) -> None:
        path = f"{below}/{entry.name}" if below else entry.name
        if entry.name.lower() == ".git":
            return
        mode = entry.stat(follow_symlinks=False).st_mode
        if stat.S_ISDIR(mode):
            if path in self._known or not os.path.lexists(os.path.join(entry.path, ".git")):
                if not (path in self._stored and self._stored[path].mode == "160000"):
                    waiting.append(path)
            elif path not in self._stored:
                self.nested.add(path)
        elif stat.S_ISREG(mode) or stat.S_ISLNK(mode):
            if entry.name == _IGNORE and stat.S_ISREG(mode):
                self.ignore_files.append(path)
            if path not in self._stored:
                self.found.append(path)


def _ignored(scratch: Scratch, folder: str, names: Iterable[str], ignore_files: Iterable[str]) -> set[str]:
    """Those of some names that ignore files of the folder leave out."""
    # With a mark before it no name is a pattern.
    asked = "".join(f"./{name}\0" for name in names).encode("utf-8", "surrogateescape")
    if not asked or not ignore_files:
        return set()
    with tempfile.TemporaryDirectory(prefix="sherloc-ignore-") as mirror:
        for path in ignore_files:
            with open(os.path.join(folder, path), "rb") as file:
                patterns = file.read(_MAX_IGNORE_BYTES + 1)
            if len(patterns) > _MAX_IGNORE_BYTES:
                raise GeneratorError(f"The generator left {path!r} with over {_MAX_IGNORE_BYTES} bytes: too many.")
            copy = os.path.join(mirror, path)
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            with open(copy, "wb") as file:
                file.write(patterns)
        scratch.check()
        git = Git(mirror, settings=SETTINGS, variables=ALONE | {
            "GIT_DIR": scratch.git_dir, "GIT_WORK_TREE": mirror, "GIT_INDEX_FILE": os.path.join(mirror, ".git"),
            "GIT_LITERAL_PATHSPECS": "0",
        })  # fmt: skip
        options = ("--no-index", "--verbose", "--non-matching", "-z", "--stdin")
        # 1: none of them is.
        told = git.feed(asked, "check-ignore", *options, allowed=(0, 1)).split(b"\0")
    return {
        name[2:].decode("utf-8", "surrogateescape")
        for pattern, name in zip(told[2::4], told[3::4], strict=False)
        if pattern and not pattern.startswith(b"!")
    }


def _folders(paths: Iterable[str]) -> set[str]:
    """All folders that hold some paths."""
    found: set[str] = set()
    for path in paths:
        while (path := path.rpartition("/")[0]) and path not in found:
            found.add(path)
    return found


def _top(path: str, open_folders: set[str]) -> str:
    """The uppermost folder of a path in which nothing is kept, or the path."""
    at = path.find("/")
    while at >= 0 and path[:at] in open_folders:
        at = path.find("/", at + 1)
    return path if at < 0 else path[:at]


__all__ = ["new_files"]
