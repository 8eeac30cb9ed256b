"""A repository that finds the objects of another one, without writing there."""

from __future__ import annotations

import os

from sherloc.repository.git import Git

_ALTERNATE = b"alternate: "


def borrow(source: Git, git_dir: str) -> None:
    """Let a repository find all objects that another one has, and know where its history ends if that is shallow.

    What the other one borrows itself is named, too, the farthest first: git follows a chain for five steps only, and
    this repository would be one more.

    Args:
        source: The other one.
        git_dir: The repository, bare.

    Raises:
        RepositoryError: The other one cannot be read.
    """
    said = source.run("count-objects", "-v").split(b"\n")
    # Git quotes these as it reads them.
    farther = [line.removeprefix(_ALTERNATE) for line in said if line.startswith(_ALTERNATE)]
    with open(os.path.join(git_dir, "objects", "info", "alternates"), "wb") as file:
        file.writelines(line + b"\n" for line in (*reversed(farther), quoted(path_in(source, "objects"))))
    try:
        with open(path_in(source, "shallow"), "rb") as shallow, open(os.path.join(git_dir, "shallow"), "wb") as file:
            file.write(shallow.read())
    except FileNotFoundError:
        pass


def path_in(git: Git, name: str) -> str:
    """Where a part of a repository is, wherever its git directory is.

    Args:
        git: The repository.
        name: As in ``.git``, such as ``objects``.
    """
    found = os.fsdecode(git.run("rev-parse", "--git-path", name).removesuffix(b"\n"))
    return os.path.abspath(os.path.join(git.location, found))


def quoted(path: str) -> bytes:
    """A path as a line of an alternates file has it; any bytes."""
    raw = os.fsencode(path)
    if raw.startswith((b'"', b"#")) or b"\n" in raw:
        raw = b'"%s"' % raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return raw
