"""OpenAI's chat completions as plain JSON: what is sent, and what servers of all sorts send back.

Servers that call themselves compatible leave out usage, stop reasons or contents, give arguments as objects, or write
tool calls as text; all that is read here, and nothing is taken for granted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sherloc.errors import ModelCallError, ModelResponseError
from sherloc.llm.foreign_errors import error_for_status
from sherloc.llm.prices import told_tokens
from sherloc.llm.request import Request, read_tools
from sherloc.llm.schemas import is_strict, portable_schema
from sherloc.llm.tool_text import calls_in_text
from sherloc.protocols import Message, Reply, StopReason, ToolCall, Usage
from sherloc.schema.report import Diagnostic

_STOPS: dict[str, StopReason] = {
    "stop": "end", "eos": "end", "end_turn": "end", "stop_sequence": "end", "completed": "end",
    "length": "length", "max_tokens": "length", "model_length": "length", "max_output_tokens": "length",
    "tool_calls": "tool_calls", "function_call": "tool_calls", "tool_use": "tool_calls",
    "content_filter": "refusal", "refusal": "refusal", "safety": "refusal", "sensitive": "refusal",
    "error": "error", "abort": "error", "cancelled": "error", "insufficient_system_resource": "error",
}  # fmt: skip


def to_wire(request: Request) -> dict[str, Any]:
    """Messages, tools and schema of a request as chat completions take them."""
    body: dict[str, Any] = {"messages": [_message(m) for m in request.messages]}
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {"name": t.name, "description": t.description, "parameters": dict(t.parameters)},
            }
            for t in read_tools(request.tools)
        ]
    if request.schema is not None:
        schema = portable_schema(request.schema)
        form = {"name": "reply", "schema": schema, "strict": is_strict(schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": form}
    return body


def _message(message: Message) -> dict[str, Any]:
    wire: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_call_id:
        wire["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        wire["tool_calls"] = [
            {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
            for c in message.tool_calls
        ]
    return wire


def read_completion(data: object, model: str, request: Request) -> Reply:
    """A reply from a completion's JSON.

    Raises:
        ModelResponseError: It holds no choice.
        ModelCallError: It is an error in the clothes of a success (status 200).
    """
    if not isinstance(data, Mapping):
        raise ModelResponseError(f"The model {model} answered with {type(data).__name__}, not with a completion.")
    if data.get("error") and not data.get("choices"):
        raise _told_error(data["error"], model)
    choices = data.get("choices")
    if not isinstance(choices, Sequence) or not choices or not isinstance(choices[0], Mapping):
        raise ModelResponseError(f"The model {model} answered without any choice.")
    choice = choices[0]
    message = choice.get("message")
    return read_message(
        message if isinstance(message, Mapping) else {"content": choice.get("text")},
        choice.get("finish_reason"),
        read_usage(data.get("usage")),
        _text(data.get("model")) or model,
        request,
    )


def read_message(message: Mapping[str, Any], finish: object, usage: Usage, model: str, request: Request) -> Reply:
    """A reply from the parts of a choice."""
    text, refusal = _text(message.get("content")), _text(message.get("refusal"))
    calls = _tool_calls(message)
    if not calls and request.tools:
        text, written = calls_in_text(text, [tool.name for tool in read_tools(request.tools)])
        calls = tuple(written)
    stop, notes = _stop(finish, calls, refusal)
    reasoning = _text(message.get("reasoning_content")) or _text(message.get("reasoning"))
    return Reply(
        text=text or refusal, stop_reason=stop, tool_calls=calls, usage=usage, model=model, reasoning=reasoning,
        diagnostics=notes,
    )  # fmt: skip


def _stop(finish: object, calls: Sequence[ToolCall], refusal: str) -> tuple[StopReason, tuple[Diagnostic, ...]]:
    if refusal:
        return "refusal", ()
    known = _STOPS.get(finish.lower()) if isinstance(finish, str) else None
    if calls and known in (None, "end"):
        return "tool_calls", ()
    if known is not None:
        return known, ()
    note = f"The model gave the stop reason {finish!r}; the reply may be cut."
    return "end", (Diagnostic(code="stop_reason_unknown", severity="info", message=note),)


def _tool_calls(message: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    found = message.get("tool_calls") or (
        [{"function": message["function_call"]}] if message.get("function_call") else []
    )
    calls = []
    for number, call in enumerate(found if isinstance(found, Sequence) else []):
        function = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
            continue
        arguments = function.get("arguments")
        text = arguments if isinstance(arguments, str) else json.dumps(arguments if arguments is not None else {})
        calls.append(ToolCall(_text(call.get("id")) or f"call_{number}", function["name"], text or "{}"))
    return tuple(calls)


def read_usage(usage: object) -> Usage:
    """Token counts; zeros where the server counts nothing."""
    if not isinstance(usage, Mapping):
        return Usage()
    prompt, completion = _part(usage, "prompt_tokens_details"), _part(usage, "completion_tokens_details")
    cached = told_tokens(prompt, "cached_tokens") or told_tokens(usage, "prompt_cache_hit_tokens")
    return Usage(
        input_tokens=told_tokens(usage, "prompt_tokens") or told_tokens(usage, "input_tokens"),
        output_tokens=told_tokens(usage, "completion_tokens") or told_tokens(usage, "output_tokens"),
        cached_tokens=cached,
        cache_write_tokens=told_tokens(prompt, "cache_write_tokens"),
        reasoning_tokens=told_tokens(completion, "reasoning_tokens"),
    )


class StreamFold:
    """Puts the chunks of a streamed completion together to what one body would have held."""

    def __init__(self) -> None:
        self.usage = Usage()
        self.finish: object = None
        self.model = ""
        self._texts: dict[str, list[str]] = {"content": [], "refusal": [], "reasoning_content": [], "reasoning": []}
        self._calls: dict[int, dict[str, Any]] = {}
        self._any = False

    def add(self, chunk: Mapping[str, Any]) -> None:
        """Take in one chunk."""
        self.model = _text(chunk.get("model")) or self.model
        if chunk.get("usage"):
            self.usage = read_usage(chunk["usage"])
        for choice in (chunk.get("choices") or ())[:1]:
            self._any = True
            self.finish = choice.get("finish_reason") or self.finish
            delta = choice.get("delta") or {}
            for key, texts in self._texts.items():
                texts.append(_text(delta.get(key)))
            for position, call in enumerate(delta.get("tool_calls") or ()):
                self._add_call(call, position)

    def _add_call(self, call: Mapping[str, Any], position: int) -> None:
        index = call.get("index")
        index = index if isinstance(index, int) else position
        function = call.get("function") or {}
        held = self._calls.get(index)
        if held is not None and call.get("id") and held["id"] and call["id"] != held["id"]:
            index = max(self._calls) + 1  # some servers number every call 0
            held = None
        if held is None:
            held = self._calls[index] = {"id": "", "name": "", "arguments": []}
        held["id"] = held["id"] or _text(call.get("id"))
        held["name"] = held["name"] or _text(function.get("name"))
        arguments = function.get("arguments")
        held["arguments"].append(json.dumps(arguments) if isinstance(arguments, Mapping) else _text(arguments))

    def reply(self, model: str, request: Request) -> Reply:
        """The reply that the chunks make.

        Raises:
            ModelResponseError: There was no choice in any of them.
        """
        if not self._any:
            raise ModelResponseError(f"The model {model} answered without any choice.")
        message: dict[str, Any] = {key: "".join(texts) for key, texts in self._texts.items()}
        message["tool_calls"] = [
            {"id": call["id"], "function": {"name": call["name"], "arguments": "".join(call["arguments"])}}
            for _, call in sorted(self._calls.items())
        ]
        return read_message(message, self.finish, self.usage, self.model or model, request)


def _told_error(error: object, model: str) -> ModelCallError:
    part = error if isinstance(error, Mapping) else {}
    code = part.get("code")
    message = f"The model {model} answered with an error: {_text(part.get('message')) or error}"
    if isinstance(code, int) and code >= 400:
        return error_for_status(code, message)
    return ModelResponseError(message)


def _text(value: object) -> str:
    """A text; of a list of parts, their texts."""
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        return "".join(_text(part.get("text")) if isinstance(part, Mapping) else _text(part) for part in value)
    return ""


def _part(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    part = value.get(key)
    return part if isinstance(part, Mapping) else {}
