"""Every error that sherloc raises on purpose.

::

    SherlocError                    exit code 1
    ├── UsageError                  exit code 2   arguments that cannot mean anything
    │   ├── EmptyIssueError                       the issue has no text
    │   └── SettingsError                         a setting is unknown or out of range
    ├── RepositoryError             exit code 3   the repository cannot be read
    │   ├── NotARepositoryError                   a revision was asked of something without git
    │   ├── RepositoryNotFoundError               the path does not exist
    │   ├── RevisionNotFoundError                 the revision is not in the repository
    │   ├── EmptyRepositoryError                  there is no file to look at
    │   └── GitError                              git failed; its own words are in the message
    ├── IndexStoreError             exit code 4   the index can be neither read nor rebuilt
    ├── MissingExtraError           exit code 5   an optional dependency is not installed
    ├── ModelError                  exit code 6   a model failed or gave nothing usable
    ├── DiagnosticsError            exit code 7   strict mode: the report has warnings or errors
    └── UnsafePathError             exit code 8   a path that came from outside is refused
"""

from __future__ import annotations


class SherlocError(Exception):
    """Base of all errors that sherloc raises on purpose.

    Args:
        message: What happened, and with which input.
        hint: What the user can do next, one sentence, or empty.
    """

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class UsageError(SherlocError):
    """Arguments that cannot mean anything."""

    exit_code = 2


class EmptyIssueError(UsageError):
    """The issue has no text."""


class SettingsError(UsageError):
    """A setting is unknown, out of range, or may not be set from where it was set."""


class RepositoryError(SherlocError):
    """The repository cannot be read."""

    exit_code = 3


class NotARepositoryError(RepositoryError):
    """A revision was asked of a folder that is not under git."""


class RepositoryNotFoundError(RepositoryError):
    """The path of the repository does not exist or is not a folder."""


class RevisionNotFoundError(RepositoryError):
    """The revision is not in the repository."""


class EmptyRepositoryError(RepositoryError):
    """The repository holds no file to look at."""


class GitError(RepositoryError):
    """Git failed; its own words are in the message."""


class IndexStoreError(SherlocError):
    """The index can be neither read nor rebuilt."""

    exit_code = 4


class MissingExtraError(SherlocError):
    """An optional dependency is not installed.

    Args:
        package: The distribution that is missing, for example ``chromadb``.
        extra: The extra of sherloc that brings it, for example ``chroma``.
        purpose: What it is needed for.
    """

    exit_code = 5

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package!r}, which is not installed.",
            hint=f"Install it with: pip install 'sherloc[{extra}]'",
        )
        self.package = package
        self.extra = extra


class ModelError(SherlocError):
    """A model failed or gave nothing usable."""

    exit_code = 6


class DiagnosticsError(SherlocError):
    """Strict mode: the report has warnings or errors, listed in the message."""

    exit_code = 7


class UnsafePathError(SherlocError):
    """A path that came from outside, from a model or a ticket, is refused.

    Args:
        message: What is wrong with it.
        reason: A code of ``sherloc.paths.PathReason``, for programs.
        path: The path as it was given, shortened when very long.
        hint: What was probably meant, or empty.
    """

    exit_code = 8

    def __init__(self, message: str, *, reason: str = "", path: str = "", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.reason = reason
        self.path = path
