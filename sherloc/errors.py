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
    │   ├── UsageLimitError                       a limit on calls, tokens, money or time is reached
    │   ├── ModelStoppedError                     a model failed so often in a row that it is not asked any more
    │   └── ReplyError                            a reply cannot be read; holds its raw text
    │       ├── TruncatedOutput                   it was cut off
    │       ├── Refused                           the model declined to answer
    │       ├── NoJsonFound                       it holds no JSON value of the kind asked for
    │       ├── AmbiguousOutput                   it holds several, and they differ
    │       ├── MalformedJson                     it cannot be repaired without a guess
    │       │   ├── DuplicateKey                  a key stands twice with different values
    │       │   ├── InvalidNumber                 NaN, infinite, or not a number of JSON
    │       │   ├── InvalidText                   half a surrogate pair: no text can hold it
    │       │   └── ElidedOutput                  ``...`` stands for what was left out
    │       ├── LimitExceeded                     too large, too deep, or a number too long
    │       └── SchemaMismatch                    JSON, but not what the schema asks for
    │           ├── ConflictingAlias              two names of one field, with different values
    │           ├── PlaceholderInContent          a file's text with "rest unchanged" in it
    │           └── SchemaEcho                    the schema itself came back
    ├── EvaluationError             exit code 1   an evaluation cannot be made
    │   ├── DataError                             a data set or a file of predictions cannot be used
    │   └── RunMismatchError                      a run folder holds the results of another configuration
    ├── DiagnosticsError            exit code 7   strict mode: the report has warnings or errors
    ├── UnsafePathError             exit code 8   a path that came from outside is refused
    ├── RepairError                 exit code 11  no patch can be made of the brief
    │   ├── ProposalError                         a proposal is refused; ``problems`` say why and what to do
    │   ├── GeneratorError                        the patch generator gave nothing
    │   └── ApplyError                            commits or a branch cannot be made in the repository
    ├── ForgeError                  exit code 12  the forge refused or cannot be reached
    │   ├── ForgeAuthError                        the token is missing, wrong or without rights
    │   ├── ForgeNotFoundError                    there is no such repository, issue or branch, or it is hidden
    │   ├── ForgeRefusedError                     the request itself was refused
    │   ├── ForgeRateLimitError                   too many requests; ``retry_after`` says when
    │   └── ForgeConnectionError                  no answer; whether it was done is unknown
    └── TaskError                   exit code 9   what a task did cannot be kept or read
        ├── TaskNotFoundError                     there is no such task
        ├── TaskStateError                        the task is not in a state in which that can be done
        ├── TaskBusyError                         another process is at work on it
        ├── LeaseLostError                        another process took the task over or wrote to its files
        ├── CorruptHistoryError                   a record in the middle of a file cannot be read
        ├── DestinationExistsError                where a task would go, another folder is
        └── TaskStoreError                        the database of tasks cannot be read or written
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


class ReplyError(ModelError):
    """A model's reply cannot be read.

    Args:
        message: What is wrong with it, in words that can be shown to the model.
        text: The raw reply.
        needs_more_tokens: Whether the next try needs room for a longer reply.
    """

    def __init__(self, message: str, *, text: str = "", needs_more_tokens: bool = False, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.text = text
        self.needs_more_tokens = needs_more_tokens
        self.attempts: tuple[object, ...] = ()
        """Every try, when the model was asked more than once (``json_hardening.Attempt``)."""


class TruncatedOutput(ReplyError):
    """The reply was cut off: by its stop reason, or because a value in it never ends."""


class Refused(ReplyError):
    """The model, or a filter before it, declined to answer."""


class NoJsonFound(ReplyError):
    """The reply holds no JSON value of the kind asked for."""


class AmbiguousOutput(ReplyError):
    """The reply holds several answers that differ; ``candidates`` has the text of each."""

    def __init__(self, message: str, *, text: str = "", candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message, text=text)
        self.candidates = candidates


class MalformedJson(ReplyError):
    """The JSON is broken in a way that cannot be repaired without a guess."""


class DuplicateKey(MalformedJson):
    """A key stands twice in one object, with different values."""


class InvalidNumber(MalformedJson):
    """NaN, an infinite number, or digits that JSON does not know (``0x2d``, ``045``)."""


class InvalidText(MalformedJson):
    """A string holds half a surrogate pair, which no encoding can store."""


class ElidedOutput(MalformedJson):
    """``...`` stands in place of data that was left out."""


class LimitExceeded(ReplyError):
    """The reply is too large, nested too deeply, or holds a number with too many digits."""


class SchemaMismatch(ReplyError):
    """The reply is JSON, but not what the schema asks for; ``problems`` has one sentence each."""

    def __init__(self, message: str, *, text: str = "", problems: tuple[str, ...] = ()) -> None:
        super().__init__(message, text=text)
        self.problems = problems


class ConflictingAlias(SchemaMismatch):
    """Two names of one field stand in one object, with different values."""


class PlaceholderInContent(SchemaMismatch):
    """A text that must be complete says "rest unchanged" instead."""


class SchemaEcho(SchemaMismatch):
    """The model sent the schema back instead of an answer."""


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


class UsageLimitError(ModelError):
    """A limit on calls, tokens, money or time is reached; no further call is made.

    Attributes:
        may_pass: Whether there would be room if requests in flight turned out smaller than they may be.
    """

    may_pass = False


class ModelStoppedError(ModelError):
    """A model failed, or could not be read, so often in a row that this run does not ask it any more."""


class EvaluationError(SherlocError):
    """An evaluation cannot be made."""


class DataError(EvaluationError):
    """A data set, a file of predictions or a report cannot be used; the message says which and where."""


class RunMismatchError(EvaluationError):
    """A run folder holds the results of another configuration, or another process is writing to it."""


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


class RepairError(SherlocError):
    """No patch can be made of the brief."""

    exit_code = 11


class ProposalError(RepairError):
    """A patch proposal is refused.

    Args:
        problems: What is wrong, one sentence each, with what to do about it; at least one.
    """

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("The proposed patch is refused:\n" + "\n".join(f"- {problem}" for problem in problems))
        self.problems = problems


class GeneratorError(RepairError):
    """The patch generator gave nothing."""


class ApplyError(RepairError):
    """Commits or a branch cannot be made in the repository."""


class ForgeError(SherlocError):
    """The forge refused or cannot be reached."""

    exit_code = 12


class ForgeAuthError(ForgeError):
    """The token is missing, wrong or without rights."""


class ForgeNotFoundError(ForgeError):
    """There is no such repository, issue or branch, or it is hidden from this token."""


class ForgeRefusedError(ForgeError):
    """The forge understood the request and refused it."""


class ForgeRateLimitError(ForgeError):
    """Too many requests.

    Args:
        message: As in ``SherlocError``.
        retry_after: When the next may be made, if the forge said so. Seconds from now.
        hint: As in ``SherlocError``.
    """

    def __init__(self, message: str, *, retry_after: float | None = None, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class ForgeConnectionError(ForgeError):
    """No answer came; whether the request was carried out is unknown."""


class TaskError(SherlocError):
    """What a task did cannot be kept or read."""

    exit_code = 9


class TaskNotFoundError(TaskError):
    """There is no such task."""


class TaskStateError(TaskError):
    """The task is not in a state in which that can be done."""


class TaskBusyError(TaskError):
    """Another process is at work on the task; ``host`` and ``pid`` say which."""

    def __init__(self, message: str, *, hint: str = "", host: str = "", pid: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.host = host
        self.pid = pid


class LeaseLostError(TaskError):
    """Another process took the task over, or wrote to its files; nothing more may be written."""


class CorruptHistoryError(TaskError):
    """A record in the middle of a file cannot be read; ``path`` and ``line`` (1-based) say which."""

    def __init__(self, message: str, *, hint: str = "", path: str = "", line: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.path = path
        self.line = line


class DestinationExistsError(TaskError):
    """Where a task's folder would go, another one is; neither was touched."""


class TaskStoreError(TaskError):
    """The database of tasks cannot be read or written."""
