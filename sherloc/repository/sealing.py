"""Telling whether somebody else changed a scratch repository: what steers git there, and every object, by its hash."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import zlib

from sherloc.errors import GitError

_CHUNK = 1 << 20
_MOST_BYTES = 1 << 31
_LOOSE = re.compile(r"objects/[0-9a-f]{2}")
_HEAD = re.compile(rb"(?:blob|tree|commit|tag) (\d{1,12})\0")


class Seal:
    """Remembers a bare repository that has no packs and no references; only loose objects may be added to it.

    Args:
        git_dir: The repository, as it was just made.
        algorithm: Of its object names: ``sha1`` or ``sha256``.
    """

    def __init__(self, git_dir: str, algorithm: str) -> None:
        self._git_dir, self._algorithm = git_dir, algorithm
        self._sound: dict[str, tuple[int, ...]] = {}
        self._fixed, _ = self._look()

    def check(self) -> None:
        """Compare the repository with what was remembered; an object that has not been touched is hashed once.

        Raises:
            GitError: Configuration, attributes, borrowed folders or the like differ, or an object is not what its name
                says.
        """
        try:
            fixed, folders = self._look()
            wrong = next((name for name in sorted(fixed | self._fixed) if fixed.get(name) != self._fixed.get(name)), "")
            wrong = wrong or next((name for folder in folders for name in self._unsound(folder)), "")
        except OSError as error:
            wrong = os.path.relpath(error.filename or self._git_dir, self._git_dir)
        if wrong:
            raise GitError(
                f"A program that was run changed the repository in which sherloc makes commits: {wrong} in "
                f"{self._git_dir} is not what it was.",
                hint="Nothing was delivered. Find out what the tests or the generator do before you run them again.",
            )

    def _look(self) -> tuple[dict[str, bytes], list[str]]:
        """All that is no loose object, by name, and the folders of those."""
        fixed: dict[str, bytes] = {}
        loose: list[str] = []
        waiting = [""]
        while waiting:
            folder = waiting.pop()
            for entry in sorted(os.listdir(os.path.join(self._git_dir, folder))):
                name = f"{folder}/{entry}" if folder else entry
                path = os.path.join(self._git_dir, name)
                mode = os.lstat(path).st_mode
                if stat.S_ISDIR(mode) and _LOOSE.fullmatch(name):
                    loose.append(name)
                elif stat.S_ISDIR(mode):
                    fixed[name] = b"/"
                    waiting.append(name)
                elif stat.S_ISREG(mode):
                    fixed[name] = _digest(path)
                else:
                    fixed[name] = b"?"
        return fixed, sorted(loose)

    def _unsound(self, folder: str) -> list[str]:
        """The objects in a folder whose content has another name."""
        found = []
        rest = 62 if self._algorithm == "sha256" else 38
        for entry in sorted(os.listdir(os.path.join(self._git_dir, folder))):
            name = f"{folder}/{entry}"
            if not re.fullmatch(rf"[0-9a-f]{{{rest}}}", entry):
                continue  # no object for git either
            path = os.path.join(self._git_dir, name)
            status = os.lstat(path)
            mark = (status.st_mode, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
            if self._sound.get(name) == mark:
                continue
            if not stat.S_ISREG(status.st_mode) or self._name_of(path) != folder[-2:] + entry:
                found.append(name)
            else:
                self._sound[name] = mark
        return found

    def _name_of(self, path: str) -> str:
        """The name that a loose object should have; empty when it is none."""
        made = hashlib.new(self._algorithm, usedforsecurity=False)
        reader = zlib.decompressobj()
        size = 0
        try:
            with open(path, "rb") as file:
                while not reader.eof and (part := reader.unconsumed_tail or file.read(_CHUNK)):
                    data = reader.decompress(part, _CHUNK)
                    if not size:
                        head = _HEAD.match(data)
                        if head is None or int(head[1]) > _MOST_BYTES:
                            return ""
                    size += len(data)
                    made.update(data)
                made.update(reader.flush())
        except zlib.error:
            return ""
        return made.hexdigest() if reader.eof else ""


def _digest(path: str) -> bytes:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read(_CHUNK)).digest()
