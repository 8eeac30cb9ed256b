"""Any revision of a repository, read from git's objects without a checkout."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from sherloc.errors import NotARepositoryError, RepositoryError, RevisionNotFoundError
from sherloc.repository.git import Git
from sherloc.repository.tree import MAX_READ_BYTES, Entry, Skip

_COMMIT = re.compile(rb"[0-9a-f]{40}([0-9a-f]{24})?\n?")
_SKIPPED_MODES = {b"160000": "submodule", b"120000": "symlink"}


class Blobs:
    """Reads files from git's objects.

    Args:
        git: Runs in the repository.
    """

    def __init__(self, git: Git) -> None:
        self._git = git

    def read(self, entries: Sequence[Entry]) -> Iterator[tuple[Entry, bytes | None]]:
        """See ``Tree.read``."""
        blobs = self._git.blobs([entry.content_id for entry in entries], MAX_READ_BYTES)
        try:
            for entry, blob in zip(entries, blobs, strict=True):
                yield entry, blob.data
        finally:
            blobs.close()

    def recipe(self) -> dict[str, str]:
        """See ``Tree.reader``."""
        return {"kind": "blobs", "location": self._git.location}


def resolve(git: Git, revision: str) -> str:
    """The commit id that a revision names.

    Raises:
        RevisionNotFoundError: It names none.
    """
    missing = RevisionNotFoundError(
        f"The revision {revision!r} is not in {git.location}.",
        hint="See what is there with: git log --all; bring what is not with: git fetch",
    )
    by_text = revision.startswith(":/")
    # Any other colon at the start names a file of git's index, which to read may write; and a file is no commit.
    if not revision or "\0" in revision or (revision.startswith(":") and not by_text):
        raise missing
    try:
        if by_text:
            # All that follows is the text to search for, so that a suffix would be searched for too.
            revision = git.run("rev-parse", "--verify", "--end-of-options", revision).decode("ascii", "replace").strip()
        output = git.run("rev-parse", "--verify", "--end-of-options", revision + "^{commit}")
    except NotARepositoryError:
        raise
    except RepositoryError as error:
        if error.hint:
            raise
        raise missing from error
    if not _COMMIT.fullmatch(output):
        raise missing
    return output.decode("ascii").strip()


def list_revision(git: Git, commit: str, common_folder: str) -> tuple[list[Entry], list[Skip]]:
    """The files of a commit, below the folder in which git runs.

    Args:
        git: Runs in the repository.
        commit: A commit id.
        common_folder: The git directory that holds the objects.
    """
    partial = _is_partial(common_folder)
    # In a partial clone sizes would have to be fetched, a blob at a time.
    missing: set[bytes] = set()
    with git.start("ls-tree", "-r", "-z", *(() if partial else ("--long",)), commit) as listing:
        if partial:
            asked = ("rev-list", "--objects", "--missing=print", "--no-object-names", "--no-walk", commit)
            missing = {line[1:] for line in git.run(*asked).split(b"\n") if line.startswith(b"?")}
        rows = listing.finish()[1].split(b"\0")
    entries: list[Entry] = []
    skipped: list[Skip] = []
    for row in rows:
        facts, _, name = row.partition(b"\t")
        if not name:
            continue
        path = name.decode("utf-8", "surrogateescape")
        mode, _, content_id, *size = facts.split()
        reason = _SKIPPED_MODES.get(mode, "")
        if not reason and content_id in missing:
            reason = "missing_blob"
        elif not reason and size == [b"BAD"]:
            reason = "broken_blob"
        if reason:
            skipped.append(Skip(path, reason))
        else:
            entries.append(Entry(path, content_id.decode("ascii"), int(size[0]) if size else -1))
    return entries, skipped


def _is_partial(common_folder: str) -> bool:
    """Whether the repository was cloned with a filter, so that objects may be missing."""
    try:
        names = os.listdir(os.path.join(common_folder, "objects", "pack"))
    except OSError:
        return False
    return any(name.endswith(".promisor") for name in names)
