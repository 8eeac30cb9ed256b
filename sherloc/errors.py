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
    │   ├── ModelCallError                        one call of a model failed
    │   │   ├── ModelAuthError                    the key is missing, wrong or without rights or money
    │   │   ├── ModelRequestError                 the request itself was refused: model unknown, prompt too long
    │   │   ├── ModelRateLimitError               too many requests or tokens
    │   │   ├── ModelTimeoutError                 no reply in time
    │   │   ├── ModelConnectionError              no connection, or it was cut
    │   │   ├── ModelServerError                  the server failed
    │   │   ├── ModelResponseError                the server's answer is not a reply
    │   │   └── ModelCommandError                 the outside command failed
    │   ├── CassetteError                         a recording cannot be read or lacks the prompt
    │   └── LimitExceededError                    a limit on calls, tokens, money or time is reached
    └── DiagnosticsError            exit code 7   strict mode: the report has warnings or errors
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


class ModelCallError(ModelError):
    """One call of a model failed.

    Args:
        message: What happened, without any key.
        hint: What the user can do next.
        status: The HTTP status, where there was one.
        retryable: Whether the same request may succeed later; None: as is usual for the class.
        retry_after: Seconds that the server asked to wait.
        billed: Whether the provider may have charged for it; None: as is usual for the class.
    """

    usually_retryable = False
    usually_billed = False

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        status: int | None = None,
        retryable: bool | None = None,
        retry_after: float | None = None,
        billed: bool | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.retryable = self.usually_retryable if retryable is None else retryable
        self.retry_after = retry_after
        self.billed = self.usually_billed if billed is None else billed


class ModelAuthError(ModelCallError):
    """The key is missing, wrong, or without rights or money for the model."""


class ModelRequestError(ModelCallError):
    """The request itself was refused: an unknown model, a prompt that is too long, a bad parameter."""


class ModelRateLimitError(ModelCallError):
    """Too many requests or tokens; ``retry_after`` says when to try again, if the server told."""

    usually_retryable = True


class ModelTimeoutError(ModelCallError):
    """No reply in time. Not tried again: the same request would take as long, and may have been charged."""

    usually_billed = True


class ModelConnectionError(ModelCallError):
    """There was no connection, or it was cut."""

    usually_retryable = True


class ModelServerError(ModelCallError):
    """The server failed (5xx, 408, 409)."""

    usually_retryable = True


class ModelResponseError(ModelCallError):
    """The server's answer is not a reply: no JSON, no choices, or a web page."""

    usually_billed = True


class ModelCommandError(ModelCallError):
    """The outside command is missing, failed, or wrote too much."""

    usually_billed = True


class CassetteError(ModelError):
    """A recording cannot be read, or does not hold the prompt."""


class LimitExceededError(ModelError):
    """A limit on calls, tokens, money or time is reached; no further call is made."""


class DiagnosticsError(SherlocError):
    """Strict mode: the report has warnings or errors, listed in the message."""

    exit_code = 7
