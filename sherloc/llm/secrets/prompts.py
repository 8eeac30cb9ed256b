"""Redaction of a whole prompt."""

from __future__ import annotations

import dataclasses

from sherloc.llm.request import Request
from sherloc.llm.secrets.redaction import Redaction, redact
from sherloc.protocols import Message, ToolCall
from sherloc.schema.report import Diagnostic

_SHOWN = 5


def without_secrets(request: Request) -> tuple[Request, tuple[Diagnostic, ...]]:
    """The request with every message redacted, and one diagnostic (``redacted``) for each kind of secret left out."""
    messages: list[Message] = []
    places: dict[str, list[str]] = {}
    for number, message in enumerate(request.messages, 1):
        clean, found = _clean(message)
        messages.append(clean)
        for redaction in found:
            places.setdefault(redaction.kind, []).append(f"message {number}, line {redaction.line}")
    if not places:
        return request, ()
    return dataclasses.replace(request, messages=tuple(messages)), tuple(
        Diagnostic(
            code="redacted",
            severity="info",
            message=f"A secret was kept from the model: {kind} ({_shortened(where)}).",
            count=len(where),
        )
        for kind, where in sorted(places.items())
    )


def _clean(message: Message) -> tuple[Message, list[Redaction]]:
    content, found = redact(message.content)
    calls = []
    for call in message.tool_calls:
        arguments, more = redact(call.arguments)
        calls.append(ToolCall(call.id, call.name, arguments))
        found += more
    if not found:
        return message, []
    return dataclasses.replace(message, content=content, tool_calls=tuple(calls)), found


def _shortened(places: list[str]) -> str:
    more = len(places) - _SHOWN
    return "; ".join(places[:_SHOWN]) + (f"; {more} more" if more > 0 else "")
