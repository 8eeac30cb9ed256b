"""Bringing a repository here: the one place where git may reach the network, and only when it is asked to."""

from __future__ import annotations

import os
import shutil
import tempfile

from sherloc.errors import GitError, NotARepositoryError, RevisionNotFoundError
from sherloc.repository.git import Git
from sherloc.repository.revision import resolve

_TRANSPORTS = ("protocol.https.allow=always", "protocol.ssh.allow=always", "protocol.file.allow=always")


def has_commit(location: str, revision: str) -> bool:
    """Whether a folder is a git repository that holds a revision.

    Args:
        location: A work tree or git directory; it may be missing.
        revision: Commit, branch or tag; empty is HEAD.
    """
    if not os.path.isdir(location):
        return False
    try:
        resolve(Git(location), revision or "HEAD")
    except (NotARepositoryError, RevisionNotFoundError):
        return False
    return True


def clone(url: str, folder: str) -> None:
    """Clone a repository, bare and whole, or bring an earlier clone up to date.

    A clone that is interrupted leaves nothing behind.

    Args:
        url: Address or path.
        folder: The git directory to make.

    Raises:
        GitError: Git failed; its own words are in the message.
    """
    if os.path.isdir(folder):
        Git(folder, settings=_TRANSPORTS).run("fetch", "--quiet", "--prune", url, "+refs/*:refs/*")
        return
    parent = os.path.dirname(os.path.abspath(folder))
    os.makedirs(parent, exist_ok=True)
    unfinished = tempfile.mkdtemp(prefix=os.path.basename(folder) + ".", suffix=".unfinished", dir=parent)
    try:
        Git(parent, settings=_TRANSPORTS).run("clone", "--quiet", "--bare", "--", url, unfinished)
        os.rename(unfinished, folder)
    except OSError as error:
        if not os.path.isdir(folder):  # else another process was first
            raise GitError(f"{folder} cannot be made: {error.strerror}.") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
