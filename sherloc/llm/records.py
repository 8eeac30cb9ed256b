"""Replies as JSON records: in scripts, cassettes and tasks."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from sherloc.llm.secrets.redaction import redact
from sherloc.protocols import Reply, ToolCall, Usage

_REPLY = TypeAdapter(Reply)


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
        ValueError: A field is unknown, or not what it must be.
    """
    if not isinstance(record, Mapping):
        raise ValueError(f"a reply must be an object, not {type(record).__name__}")
    calls = record.get("tool_calls") or ()
    _check_fields(Reply, record)
    _check_fields(Usage, record.get("usage"))
    for call in calls if isinstance(calls, (list, tuple)) else ():
        _check_fields(ToolCall, call)
    stop = "tool_calls" if record.get("tool_calls") else "end"
    try:
        return _REPLY.validate_python({"text": "", "stop_reason": stop, **record})
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        raise ValueError(f"{'.'.join(map(str, wrong['loc']))}: {wrong['msg']}") from error


def _check_fields(kind: type[Reply | Usage | ToolCall], record: object) -> None:
    known = {field.name for field in dataclasses.fields(kind)}
    for name in record if isinstance(record, Mapping) else ():
        if name not in known:
            raise ValueError(f"{kind.__name__} has no field {name!r}")


def without_secrets_in(reply: Reply) -> Reply:
    """A reply whose texts hold no keys and passwords, should its model have made some up."""
    calls = tuple(dataclasses.replace(call, arguments=redact(call.arguments)[0]) for call in reply.tool_calls)
    return dataclasses.replace(
        reply, text=redact(reply.text)[0], reasoning=redact(reply.reasoning)[0], tool_calls=calls
    )
