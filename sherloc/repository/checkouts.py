"""Folders with the files of a commit for programs that are not trusted, and what such a program changed there.

A checkout is a repository of its own, with one commit and without any link to the one it came from. After a program ran
in it nothing there is used but the bytes of its files: no git command reads its ``.git``, and none compares contents,
which would run filters.
"""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from typing import IO

from sherloc.errors import GeneratorError
from sherloc.protocols import FileState
from sherloc.repository.git import Git
from sherloc.repository.new_files import new_files
from sherloc.repository.writing import ALONE, ATTRIBUTES, SETTINGS, Scratch, Stored

_CHUNK = 1 << 20
_MAX_FILES = 2_000
_MAX_BYTES = 1 << 27
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Changed:
    """What differs between a folder and the commit that it came from.

    Attributes:
        files: By path; symbolic links with the mode ``120000``.
        left_out: New files and folders that the project ignores, sorted, without the usual caches; folders of other
            repositories too.
    """

    files: tuple[FileState, ...]
    left_out: tuple[str, ...]


def check_out(scratch: Scratch, commit: str, folder: str) -> None:
    """Make a folder with a commit's files, byte for byte; submodules stay empty, and no filter or hook takes part.

    Args:
        scratch: Has the commit.
        commit: Its id.
        folder: Must not exist.

    Raises:
        RepositoryError: The commit's files cannot be read.
    """
    facts = scratch.git.run("show", "-s", "--no-show-signature", "--format=%T %ct", commit).decode("ascii")
    tree, seconds = facts.split()
    os.makedirs(folder)
    Git(folder, variables=ALONE).run(
        "init", "--quiet", "--template=", "--initial-branch=main", f"--object-format={scratch.algorithm}"
    )
    own = os.path.join(folder, ".git")
    os.makedirs(os.path.join(own, "info"), exist_ok=True)
    with open(os.path.join(own, "info", "attributes"), "w", encoding="ascii") as file:
        file.write(ATTRIBUTES)
    pack = os.path.join(own, "objects", "pack", "pack")
    scratch.git.feed(
        f"{tree}\n".encode(), "pack-objects", "--quiet", "--revs", "--delta-base-offset", "--window=0", pack
    )
    who = {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in (("NAME", "sherloc"), ("EMAIL", "sherloc@localhost"), ("DATE", f"@{seconds} +0000"))
    }
    git = Git(folder, settings=SETTINGS, variables=ALONE | who)
    made = git.feed(f"The files of {commit}\n".encode(), "commit-tree", tree).decode("ascii").strip()
    git.run("update-ref", "HEAD", made)
    git.run("read-tree", "--reset", "-u", "HEAD")
    scratch.expose()


def changed_files(scratch: Scratch, stored: dict[str, Stored], folder: str) -> Changed:
    """What a program changed in a checkout, committed or not.

    Submodules stay as they are, and devices and pipes count for nothing.

    Args:
        scratch: The checkout came from there.
        stored: Everything in the commit that was checked out.
        folder: The checkout.

    Raises:
        GeneratorError: The folder cannot be read, or too much was changed: over 2,000 files, or over 128 MiB
            together.
    """
    reader = _Reader(folder, scratch.algorithm)
    try:
        files = [state for path, each in stored.items() if (state := reader.changed(path, each)) is not None]
        new, left_out = new_files(scratch, stored, folder)
        if len(files) + len(new) > _MAX_FILES:
            raise GeneratorError(f"The generator changed {len(files) + len(new)} files; {_MAX_FILES} are read.")
        others = [state for path in new if (state := reader.changed(path, None)) is not None]
    except OSError as error:
        name = os.path.relpath(os.fsdecode(error.filename or folder), folder)[:_SHOWN]
        raise GeneratorError(f"What the generator left cannot be read: {name!r}: {error.strerror or error}.") from error
    return Changed(tuple(sorted((*files, *others), key=lambda state: state.path)), tuple(left_out))


class _Reader:
    """Reads files below a folder, and never through a symbolic link."""

    def __init__(self, folder: str, algorithm: str) -> None:
        self._folder, self._algorithm = folder, algorithm
        self._room = _MAX_BYTES
        self._real: dict[str, bool] = {"": True}

    def changed(self, path: str, stored: Stored | None) -> FileState | None:
        """What became of a path; None when it is as it was."""
        if stored is not None and stored.mode == "160000":
            return None
        gone = None if stored is None else FileState(path, None)
        status = self._status(path)
        if status is None:
            return gone
        place = os.path.join(self._folder, path)
        if stat.S_ISLNK(status.st_mode):
            data, mode = os.fsencode(os.readlink(place)), "120000"
            name = self._name(data)
        elif stat.S_ISREG(status.st_mode):
            mode = self._mode(status, stored)
            with open(os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
                data = file.read(self._room + 1)
                name = self._name(data, file)
        else:
            return gone
        if stored is not None and (mode, name) == _known(stored):
            return None
        if len(data) > self._room:
            raise GeneratorError(
                f"The generator left {path!r} with {status.st_size} bytes; {_MAX_BYTES} of all changes are read."
            )
        self._room -= len(data)
        return FileState(path, data, mode)

    def _status(self, path: str) -> os.stat_result | None:
        return self._stat(path) if self._is_folder(path.rpartition("/")[0]) else None

    def _is_folder(self, path: str) -> bool:
        if path not in self._real:
            status = self._status(path)
            self._real[path] = status is not None and stat.S_ISDIR(status.st_mode)
        return self._real[path]

    def _stat(self, path: str) -> os.stat_result | None:
        try:
            return os.lstat(os.path.join(self._folder, path))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def _mode(self, status: os.stat_result, stored: Stored | None) -> str:
        if os.name == "nt":
            return _known(stored)[0] if stored is not None and stored.mode != "120000" else "100644"
        return "100755" if status.st_mode & stat.S_IXUSR else "100644"

    def _name(self, data: bytes, rest: IO[bytes] | None = None) -> str:
        """The id of a content, of which the end may still be in a file."""
        size = len(data) if rest is None else os.fstat(rest.fileno()).st_size
        made = hashlib.new(self._algorithm, b"blob %d\0" % size, usedforsecurity=False)
        made.update(data)
        while rest is not None and (part := rest.read(_CHUNK)):
            made.update(part)
        return made.hexdigest()


def _known(stored: Stored) -> tuple[str, str]:
    """Mode and id as they are compared; old gits stored the group's rights, too."""
    mode = stored.mode if stored.mode == "120000" else "100755" if int(stored.mode, 8) & 0o100 else "100644"
    return mode, stored.content_id


__all__ = ["Changed", "changed_files", "check_out"]
