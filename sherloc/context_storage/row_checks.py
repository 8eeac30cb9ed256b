"""What rows of the tables must be made of: others can write to a database, too, and SQLite checks no types."""

from __future__ import annotations

from typing import Any

from sherloc.context_storage.folders import HOME_OF, HOMES
from sherloc.context_storage.task_key import STATUSES, TaskKey, check_uuid
from sherloc.errors import UsageError

_LARGEST = 2**63 - 1
_ARCHIVES = ("archive", "archive-keep-row")
_COUNTS = ("total_messages", "total_summaries", "total_tool_calls", "final_token_count", "final_message_count")
_TEXTS = ("updated_at", "completed_at", "metadata", "error_message")
_SOURCES = {"running": ("", "paused"), "paused": ("running",), "completed": ("running",)}
"""From where a task is moved to a home; from nowhere, when it is made."""
_LARGEST_PID = 2**31 - 1


def is_stored_count(value: object) -> bool:
    """Whether a whole number from 0 that every database can hold."""
    return type(value) is int and 0 <= value <= _LARGEST


def task_problem(fields: dict[str, Any]) -> str:
    """What is wrong with a row of ``tasks``; empty if nothing is.

    Args:
        fields: Value by column, as read.
    """
    identifier, repository, user = (fields[name] or "" for name in ("task_identifier", "repository", "user"))
    try:
        TaskKey(fields["uuid"], fields["task_type"], identifier, repository, user)
    except UsageError as error:
        return error.message.rstrip(".")
    if not (isinstance(fields["status"], str) and fields["status"] in STATUSES):
        return f"status is {fields['status']!r:.80}, not one of {', '.join(STATUSES)}"
    if not isinstance(fields["created_at"], str):
        return f"created_at is {fields['created_at']!r:.80}, not a text"
    for name in _TEXTS:
        if not (fields[name] is None or isinstance(fields[name], str)):
            return f"{name} is {fields[name]!r:.80}, not a text"
    for name in _COUNTS:
        if not (fields[name] is None or is_stored_count(fields[name])):
            return f"{name} is {fields[name]!r:.80}, not a count"
    return ""


def move_problem(fields: dict[str, Any]) -> str:
    """What is wrong with a row of ``moves``, whose texts name folders; empty if nothing is.

    Args:
        fields: Value by column, as read.
    """
    try:
        check_uuid(fields["uuid"])
    except UsageError as error:
        return error.message.rstrip(".")
    for name, known in (("source", ("", *HOMES)), ("target", (*HOMES, *_ARCHIVES)), ("status", STATUSES)):
        if not (isinstance(fields[name], str) and fields[name] in known):
            return f"{name} is {fields[name]!r:.80}, not one of {', '.join(filter(None, known))}"
    if not (fields["error_message"] is None or isinstance(fields["error_message"], str)):
        return f"error_message is {fields['error_message']!r:.80}, not a text"
    source, target, status = fields["source"], fields["target"], fields["status"]
    sources = ("completed",) if target in _ARCHIVES else _SOURCES[target]
    home = "completed" if target in _ARCHIVES else target
    if source not in sources or HOME_OF[status] != home:
        return f"nothing moves from {source or 'nowhere'} to {target} to be {status}"
    return ""


def lease_problem(fields: dict[str, Any]) -> str:
    """What is wrong with a row of ``leases``; empty if nothing is.

    Args:
        fields: Value by column, as read.
    """
    for name in ("token", "host", "world", "started"):
        if not isinstance(fields[name], str):
            return f"{name} is {fields[name]!r:.80}, not a text"
    if type(fields["pid"]) is not int or not 0 < fields["pid"] <= _LARGEST_PID:
        return f"pid is {fields['pid']!r:.80}, not the number of a process"
    for name in ("heartbeat", "seconds"):
        if type(fields[name]) not in (int, float):
            return f"{name} is {fields[name]!r:.80}, not a number of seconds"
    return ""
