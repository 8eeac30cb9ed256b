"""What a task is called, and which states it can be in."""

from __future__ import annotations

import re
import uuid as uuids
from dataclasses import dataclass, fields
from datetime import datetime, timezone
from typing import Literal, get_args

from sherloc.errors import UsageError

Status = Literal["running", "completed", "failed", "paused"]
STATUSES: tuple[Status, ...] = get_args(Status)

# It names a folder: nothing that a path, a glob or a file system could take for something else.
_UUID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])")
_LONGEST = 2000


@dataclass(frozen=True, slots=True)
class TaskKey:
    """Which task it is.

    Args:
        uuid: Of this run of the task; names its folder. Letters, digits, ``-`` and ``_``, at most 128.
        task_type: ``locate``, ``explore``, ``fix``, or what your tasks are called.
        task_identifier: What it is about: an issue's number, a hash. Runs of the same task share it.
        repository: For example ``owner/name``.
        user: On whose behalf.
        is_resumed: Whether a task that was stopped or interrupted is to go on.

    Raises:
        UsageError: The uuid cannot name a folder, or a text is too long or holds a NUL or half a character.
    """

    uuid: str
    task_type: str
    task_identifier: str
    repository: str
    user: str
    is_resumed: bool = False

    def __post_init__(self) -> None:
        check_uuid(self.uuid)
        for field in fields(self)[1:5]:
            text = getattr(self, field.name)
            if not isinstance(text, str) or len(text) > _LONGEST or "\0" in text or _is_broken(text):
                raise UsageError(
                    f"TaskKey.{field.name} must be a text of at most {_LONGEST} whole characters without NUL, "
                    f"not {text!r:.120}."
                )

    @classmethod
    def new(cls, task_type: str, task_identifier: str, repository: str = "", user: str = "") -> TaskKey:
        """The key of a new run, with a uuid of its own."""
        return cls(str(uuids.uuid4()), task_type, task_identifier, repository, user)


def check_task_key(key: object) -> None:
    """Make sure that it is a key.

    Raises:
        UsageError: It is none.
    """
    if not isinstance(key, TaskKey):
        raise UsageError(f"A task is named by a TaskKey, not {type(key).__name__}.", hint="TaskKey.new(...) makes one.")


def check_uuid(uuid: str) -> str:
    """The uuid, if it can name a folder.

    Raises:
        UsageError: It cannot.
    """
    if not isinstance(uuid, str) or not _UUID.fullmatch(uuid) or _RESERVED.fullmatch(uuid):
        raise UsageError(
            f"A task's uuid is made of letters, digits, - and _, at most 128, not {uuid!r:.160}.",
            hint="TaskKey.new(...) makes one.",
        )
    return uuid


def _is_broken(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def now() -> str:
    """The time in UTC, as ISO 8601 with microseconds."""
    return datetime.now(timezone.utc).isoformat(timespec="microseconds")
