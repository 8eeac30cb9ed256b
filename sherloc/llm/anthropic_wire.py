"""Anthropic's messages as plain JSON: what is sent and what comes back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sherloc.errors import ModelConnectionError, ModelResponseError
from sherloc.llm.prices import told_tokens
from sherloc.llm.request import Request, read_tools
from sherloc.llm.schemas import portable_schema
from sherloc.protocols import Message, Reply, StopReason, ToolCall, Usage
from sherloc.schema.report import Diagnostic

_STOPS: dict[str, StopReason] = {
    "end_turn": "end", "stop_sequence": "end", "max_tokens": "length", "model_context_window_exceeded": "length",
    "tool_use": "tool_calls", "refusal": "refusal", "pause_turn": "error",
}  # fmt: skip


def to_wire(request: Request) -> dict[str, Any]:
    """A request as the messages endpoint takes it: the system prompt apart, tool results as user blocks, no empty text.

    Neighbouring messages of one role are joined, because all results of one turn's tool calls must come together.
    """
    system = "\n\n".join(m.content for m in request.messages if m.role == "system" and m.content.strip())
    turns: list[dict[str, Any]] = []
    for message in request.messages:
        if message.role == "system":
            continue
        role, blocks = _blocks(message)
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        elif blocks:
            turns.append({"role": role, "content": blocks})
    body: dict[str, Any] = {"messages": turns or [{"role": "user", "content": [{"type": "text", "text": "Go on."}]}]}
    if system:
        body["system"] = system
    if request.tools:
        body["tools"] = [
            {"name": t.name, "description": t.description, "input_schema": dict(t.parameters)}
            for t in read_tools(request.tools)
        ]
    if request.schema is not None:
        body["output_config"] = {"format": {"type": "json_schema", "schema": portable_schema(request.schema)}}
    return body


def _blocks(message: Message) -> tuple[str, list[dict[str, Any]]]:
    if message.role == "tool":
        result = {"type": "tool_result", "tool_use_id": message.tool_call_id, "content": message.content or "(empty)"}
        return "user", [result]
    blocks: list[dict[str, Any]] = [{"type": "text", "text": message.content}] if message.content.strip() else []
    blocks += [
        {"type": "tool_use", "id": c.id, "name": c.name, "input": _arguments(c.arguments)} for c in message.tool_calls
    ]
    return message.role, blocks


def _arguments(text: str) -> dict[str, Any]:
    """A call's arguments as the object that the endpoint insists on; what is none is kept as text."""
    try:
        value = json.loads(text or "{}")
        json.dumps(value, ensure_ascii=False).encode()  # half characters, written as escapes, can never be sent
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"arguments": text}


def read_message(data: object, model: str) -> Reply:
    """A reply from a message's JSON.

    Raises:
        ModelResponseError: It holds no content.
    """
    content = data.get("content") if isinstance(data, Mapping) else None
    if not isinstance(data, Mapping) or not isinstance(content, Sequence) or isinstance(content, str):
        raise ModelResponseError(f"The model {model} answered with something that is not a message.")
    blocks = [block for block in content if isinstance(block, Mapping)]
    calls = tuple(
        ToolCall(str(b.get("id", "")), str(b.get("name", "")), json.dumps(b.get("input") or {}))
        for b in blocks
        if b.get("type") == "tool_use"
    )
    stop, notes = _stop(data.get("stop_reason"), bool(calls))
    return Reply(
        text=_joined(blocks, "text"), stop_reason=stop, tool_calls=calls, usage=read_usage(data.get("usage")),
        model=str(data.get("model") or model), reasoning=_joined(blocks, "thinking"), diagnostics=notes,
    )  # fmt: skip


def _joined(blocks: Sequence[Mapping[str, Any]], kind: str) -> str:
    return "".join(str(b.get(kind) or "") for b in blocks if b.get("type") == kind)


def _stop(reason: object, has_calls: bool) -> tuple[StopReason, tuple[Diagnostic, ...]]:
    if isinstance(reason, str) and reason in _STOPS:
        return _STOPS[reason], ()
    note = f"The model gave the stop reason {reason!r}; the reply may be cut."
    notes = (Diagnostic(code="stop_reason_unknown", severity="info", message=note),)
    return ("tool_calls" if has_calls else "end"), notes


def read_usage(usage: object) -> Usage:
    """Token counts. Anthropic counts cached input apart; here it is a part of the input."""
    if not isinstance(usage, Mapping):
        return Usage()
    read, written = told_tokens(usage, "cache_read_input_tokens"), told_tokens(usage, "cache_creation_input_tokens")
    details = usage.get("output_tokens_details")
    return Usage(
        input_tokens=told_tokens(usage, "input_tokens") + read + written,
        output_tokens=told_tokens(usage, "output_tokens"),
        cached_tokens=read,
        cache_write_tokens=written,
        reasoning_tokens=told_tokens(details, "thinking_tokens") if isinstance(details, Mapping) else 0,
    )


class StreamFold:
    """Puts the events of a streamed message together to what one body would have held."""

    def __init__(self) -> None:
        self._message: dict[str, Any] | None = None
        self._blocks: dict[int, dict[str, Any]] = {}
        self._arguments: dict[int, list[str]] = {}
        self._stopped = False

    def add(self, event: Mapping[str, Any]) -> None:
        """Take in one event."""
        kind = event.get("type")
        if kind == "message_start":
            self._message = dict(event["message"])
        elif kind == "message_stop":
            self._stopped = True
        elif kind == "content_block_start":
            self._blocks[event["index"]] = dict(event["content_block"])
        elif kind == "content_block_delta":
            self._add_delta(event["index"], event["delta"])
        elif kind == "message_delta" and self._message is not None:
            self._message |= event["delta"]
            told = {key: value for key, value in (event.get("usage") or {}).items() if value is not None}
            self._message["usage"] = {**(self._message.get("usage") or {}), **told}

    def _add_delta(self, index: int, delta: Mapping[str, Any]) -> None:
        block = self._blocks.setdefault(index, {"type": "text"})
        if delta.get("type") == "input_json_delta":
            self._arguments.setdefault(index, []).append(delta.get("partial_json") or "")
        for key in ("text", "thinking"):
            if delta.get("type") == f"{key}_delta":
                block[key] = (block.get(key) or "") + (delta.get(key) or "")

    def reply(self, model: str) -> Reply:
        """The reply that the events make.

        Raises:
            ModelResponseError: There was no message.
            ModelConnectionError: It has no end.
        """
        if self._message is None:
            raise ModelResponseError(f"The model {model} answered without any message.")
        if not self._stopped:
            raise ModelConnectionError(f"The reply of the model {model} ended in its midst.", billed=True)
        for index, parts in self._arguments.items():
            self._blocks[index]["input"] = _arguments("".join(parts))
        return read_message({**self._message, "content": [b for _, b in sorted(self._blocks.items())]}, model)
