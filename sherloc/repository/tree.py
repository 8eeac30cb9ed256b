"""What a repository looks like to the rest of sherloc: a list of entries, and a way to read them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

MAX_READ_BYTES = 1 << 25
"""Larger files are never read: ``read`` gives None, and what would need a hash is skipped as too_large. Bytes."""


class Entry(NamedTuple):
    """A file of a tree.

    Attributes:
        path: POSIX, relative to the root; names that are not UTF-8 are decoded with surrogateescape.
        content_id: Git's blob id of the content. For a file that git calls unmodified it is the id in git's index,
            so a content that git converts on checkout (line endings, filters) hashes to another id when read.
        size: Bytes; -1 when not known cheaply.
    """

    path: str
    content_id: str
    size: int


@dataclass(frozen=True, slots=True)
class Skip:
    """A file or folder that is left out.

    Attributes:
        path: As in ``Entry``.
        reason: ``symlink``, ``submodule``, ``not_checked_out``, ``unreadable``, ``not_regular``, ``missing_blob`` (of a
            partial clone), ``broken_blob`` (missing or damaged in any other), ``outside_root`` (a folder on the way is
            a symbolic link), ``too_large`` or ``ignored_folder``.
    """

    path: str
    reason: str


class Reader(Protocol):
    """Reads the files of one tree."""

    def read(self, entries: Sequence[Entry]) -> Iterator[tuple[Entry, bytes | None]]:
        """Each entry with its content, in the given order; None when it cannot be read."""
        ...

    def recipe(self) -> dict[str, str]:
        """What ``open_reader`` needs to make the same reader in another process; JSON-able."""
        ...


@dataclass(frozen=True)
class Tree:
    """The files of a folder, a work tree or a revision.

    Attributes:
        location: Absolute path of the folder or git directory.
        name: Short name of the repository, for reports.
        revision: The full commit id; for a work tree HEAD's, with ``+changes`` when anything differs from it; empty
            for a plain folder and before the first commit.
        store_key: Equal for all work trees, subfolders and revisions of one repository.
        algorithm: What content ids are made with: ``sha1`` or ``sha256``.
        entries: Sorted by path, by code points.
        skipped: Sorted likewise.
        files: How the files are read.
    """

    location: str
    name: str
    revision: str
    store_key: str
    algorithm: str
    entries: tuple[Entry, ...]
    skipped: tuple[Skip, ...]
    files: Reader

    @cached_property
    def key(self) -> str:
        """A hash of all paths and content ids: equal keys are equal trees."""
        lines = [f"{entry.path}\0{entry.content_id}\0" for entry in self.entries]
        return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()

    def read(self, entries: Sequence[Entry]) -> Iterator[tuple[Entry, bytes | None]]:
        """Each entry with its content, streamed in the given order.

        Args:
            entries: Of this tree, in any number and order.

        Yields:
            The entry, and its bytes as they are, or None when they cannot be read.
        """
        return self.files.read(entries)

    def reader(self) -> dict[str, str]:
        """A JSON-able recipe: ``open_reader(recipe).read`` does the same in another process."""
        return self.files.recipe()


def content_id_of(data: bytes, algorithm: str = "sha1") -> str:
    """Git's blob id of a content.

    >>> content_id_of(b"")
    'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'
    """
    digest = hashlib.new(algorithm, b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()
