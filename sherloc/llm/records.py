"""Replies as JSON records, in scripts and cassettes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, get_args

from sherloc.protocols import Reply, StopReason, ToolCall, Usage


def record_of_reply(reply: Reply) -> dict[str, Any]:
    """What is kept of a reply: all but its diagnostics and attempts; empty fields are left out."""
    record: dict[str, Any] = {
        "text": reply.text,
        "stop_reason": reply.stop_reason,
        "model": reply.model,
        "reasoning": reply.reasoning,
        "tool_calls": [dataclasses.asdict(call) for call in reply.tool_calls],
        "usage": {
            key: value
            for key, value in dataclasses.asdict(reply.usage).items()
            # A cost of 0 is known, one of None is not.
            if value or (key == "cost" and value is not None)
        },
    }
    return {key: value for key, value in record.items() if value or key == "text"}


def reply_from_record(record: Mapping[str, Any]) -> Reply:
    """The reply that a record holds.

    Raises:
        TypeError: A field is unknown or of the wrong type.
        ValueError: The stop reason is unknown.
    """
    fields = dict(record)
    calls = tuple(ToolCall(**call) for call in fields.pop("tool_calls", ()))
    usage = Usage(**fields.pop("usage", {}))
    stop = fields.get("stop_reason", "tool_calls" if calls else "end")
    if stop not in get_args(StopReason):
        raise ValueError(f"{stop!r} is not a stop reason")
    if not isinstance(fields.get("text", ""), str):
        raise TypeError("the text of a reply must be a string")
    return Reply(**{"text": "", **fields, "stop_reason": stop}, tool_calls=calls, usage=usage)
