"""Which folders a server may look at."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from urllib.parse import unquote, urlsplit

from sherloc.errors import UsageError
from sherloc.user_folders import home_folder


def folder_of(address: str) -> str | None:
    """The folder that a client's root means; None for what is no local folder.

    Args:
        address: A ``file:`` address.

    >>> folder_of("file:///srv/a%20b"), folder_of("https://example.org/x"), folder_of("file://other/x")
    ('/srv/a b', None, None)
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    path = unquote(parts.path, errors="surrogateescape")
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or "\0" in path:
        return None
    if os.name == "nt":
        from urllib.request import url2pathname

        return url2pathname(parts.path)
    return path or None


def allowed_roots(given: Sequence[str], of_client: Iterable[str] | None, folder: str) -> tuple[str, ...]:
    """The folders that may be looked at, real paths, the default first.

    What was given at the start counts alone; else what the client says; else the folder the server was started in,
    unless that is a whole disk or home, which nobody meant.

    Args:
        given: Folders of the command line.
        of_client: The client's ``file:`` addresses; None when it has no roots.
        folder: Where the server was started.
    """
    if given:
        return tuple(os.path.realpath(each) for each in given)
    if of_client is not None:
        found = (folder_of(address) for address in of_client)
        return tuple(os.path.realpath(each) for each in found if each is not None)
    real = os.path.realpath(folder)
    return () if _is_disk_or_home(real) else (real,)


def _is_disk_or_home(real: str) -> bool:
    home = home_folder()
    return os.path.dirname(real) == real or (home is not None and real == os.path.realpath(home))


def repository_within(repo: str | None, roots: Sequence[str]) -> str:
    """The repository that a call means, if it may be looked at.

    Args:
        repo: A path, absolute or relative to the first root; None is the first root.
        roots: See ``allowed_roots``.

    Raises:
        UsageError: There is no root, or the repository lies outside of all, or it is a whole disk or home that is no
            git repository: to look through it would take longer than any host waits.
    """
    if not roots:
        raise UsageError(
            "No folder was given to look at.",
            hint="Start the server in a repository, or with: sherloc mcp --root PATH",
        )
    try:
        real = os.path.realpath(os.path.join(roots[0], repo or ""))
    except ValueError:  # a null character, or half of a character
        real = ""
    if not any(real == root or real.startswith(root.rstrip(os.sep) + os.sep) for root in roots):
        raise UsageError(
            f"{repo!r} lies outside of the folders that may be looked at.", hint=f"Allowed: {', '.join(roots)}"
        )
    if _is_disk_or_home(real) and not os.path.lexists(os.path.join(real, ".git")):
        raise UsageError(
            f"{real} is a whole disk or home and no git repository; it is never indexed.",
            hint="Name a repository below it with the argument repo, or start the server with: sherloc mcp --root PATH",
        )
    return real
