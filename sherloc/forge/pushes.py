"""A push by git, with its failures as those of the forge."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable

from sherloc.errors import (
    ForgeAuthError,
    ForgeConnectionError,
    ForgeError,
    ForgeNotFoundError,
    ForgeRefusedError,
    GitError,
)
from sherloc.forge.token import Token
from sherloc.forge.wire import Wire
from sherloc.repository.pushing import push_branch

_RULES: tuple[tuple[str, type[ForgeError], str], ...] = (
    ("workflow", ForgeAuthError,
     "The token may not change workflow files: give it the right (classic: scope workflow), or leave them alone."),
    ("failed to update ref|cannot lock ref", ForgeConnectionError, "Another process is at work on the branch."),
    ("stale info|fetch first|non-fast-forward|already exists", ForgeRefusedError,
     "The branch exists with other commits; it is not overwritten. Delete it, or change branch_prefix."),
    ("protected|rule violation|GH006|GH013", ForgeRefusedError,
     "The project's rules forbid the branch: allow the prefix of sherloc's branches."),
    ("GH001|large|size limit", ForgeRefusedError, "A file is too large for the forge."),
    ("shallow", ForgeRefusedError, "The clone lacks history: run git fetch --unshallow."),
    ("Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|error: 40[13]",
     ForgeAuthError, "The token may not push: it needs the right to write contents."),
    ("not found|error: 404|does not appear to be a git repository", ForgeNotFoundError,
     "It does not exist, or this token may not see it."),
    ("redirect", ForgeRefusedError, "The project moved: use its new name. The token was not sent elsewhere."),
    ("error: 4", ForgeRefusedError, ""),
    ("rejected|declined|deny", ForgeRefusedError, "The project's own hooks refused it."),
)  # fmt: skip
_LOCAL = "bad object|not a valid|src refspec|could not be started|temporary file"


def push_once(
    wire: Wire, url: str, git_dir: str, sha: str, branch: str, *, user: str, seconds: float,
    head: Callable[[str], str | None],
) -> None:  # fmt: skip
    """``push``, repeated after failures without a second effect; another worker that was first is no refusal.

    Args:
        wire: Has the token and the patience.
        url: As for ``push``; likewise what follows.
        git_dir: The repository.
        sha: The commit.
        branch: The branch.
        user: Beside the token.
        seconds: For one push.
        head: The commit that a branch of the forge points to, or None.

    Raises:
        ForgeError: As ``push``.
        RepositoryError: As ``push``.
    """
    wire.ready(f"A push to {url}")

    def look() -> str | None:
        return sha if head(branch) == sha else None

    def act() -> str:
        try:
            push(git_dir, url, sha, branch, token=wire.token, user=user, seconds=seconds)
        except ForgeRefusedError:
            if look() is None:
                raise
        return sha

    wire.patience.until_done(act, look)


def push(git_dir: str, url: str, sha: str, branch: str, *, token: Token, user: str, seconds: float) -> None:
    """Create a branch on the forge at a commit by git.

    Args:
        git_dir: The repository that has it.
        url: Of the project, for git.
        sha: The commit.
        branch: The branch's name.
        token: Goes in a header to this address only; not empty.
        user: The name that the forge expects beside a token.
        seconds: As in ``push_branch``.

    Raises:
        ForgeError: It is refused; or there was no answer, and whether it was done is unknown.
        RepositoryError: Git itself, or the repository, is at fault.
    """
    pair = base64.b64encode(f"{user}:{token.reveal()}".encode()).decode()
    try:
        said = push_branch(git_dir, url, sha, branch, authorization=f"Basic {pair}", seconds=seconds)
    except GitError as error:
        words = token.masked(error.message)
        if re.search(_LOCAL, words):
            raise GitError(words, hint=token.masked(error.hint)) from None
        raise _meant(f"The push of {branch} failed: {words}", words, ForgeConnectionError) from None
    said = token.masked(said)
    if said:
        raise _meant(f"The forge refused the branch {branch}: {said}.", said, ForgeRefusedError)


def _meant(message: str, said: str, otherwise: type[ForgeError]) -> ForgeError:
    for pattern, error, hint in _RULES:
        if re.search(pattern, said, re.IGNORECASE):
            return error(message, hint=hint)
    return otherwise(message)
