"""One question to a model, and what a provider must offer to be asked it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from sherloc.protocols import ChatModel, Message, Reply, ToolCall
from sherloc.tokens import estimate_tokens


@dataclass(frozen=True, slots=True)
class Request:
    """What ``ChatModel.complete`` is called with, as one value."""

    messages: tuple[Message, ...]
    tools: tuple[Mapping[str, Any], ...] = ()
    schema: Mapping[str, Any] | None = None
    max_tokens: int | None = None

    @classmethod
    def of(
        cls,
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, Any]] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
    ) -> Request:
        """The request of a ``complete`` call; half characters, which no endpoint takes, become U+FFFD.

        Raises:
            ValueError: There is no message, something else than messages, a tool without a name, or a schema that is
                no JSON schema.
        """
        if not messages:
            raise ValueError("a conversation needs at least one message")
        if isinstance(messages, str) or not all(isinstance(message, Message) for message in messages):
            raise ValueError("a conversation is a list of Message, for example [Message('user', 'Hello')]")
        if schema is not None and not isinstance(schema, Mapping):
            raise ValueError("schema is a JSON schema; of a pydantic model it is Model.model_json_schema()")
        read_tools(tools)
        return cls(tuple(map(_whole, messages)), tuple(tools), schema, max_tokens)

    def digest(self) -> str:
        """SHA-256 (hexadecimal) of all that the model sees: the key of a recording."""
        messages = [
            [m.role, m.content, m.tool_call_id, [[c.id, c.name, c.arguments] for c in m.tool_calls]]
            for m in self.messages
        ]
        parts = [messages, [dict(tool) for tool in self.tools], self.schema, self.max_tokens]
        text = json.dumps(parts, sort_keys=True, separators=(",", ":"), default=str)
        return hashlib.sha256(text.encode()).hexdigest()

    def estimated_tokens(self) -> int:
        """Tokens of all that the model sees, tools and schema included, by sherloc's estimator."""
        texts = [m.content for m in self.messages]
        texts += [call.arguments for m in self.messages for call in m.tool_calls]
        texts += [json.dumps(part, default=str) for part in (*self.tools, self.schema) if part]
        return estimate_tokens("\n".join(texts))


def identity_of(model: ChatModel | Provider) -> str:
    """By what caches tell models apart: an attribute ``identity`` where a model has one, else its name."""
    return str(getattr(model, "identity", "") or model.name)


@runtime_checkable
class Provider(Protocol):
    """Asks a model once: no retries, no limits, no redaction. Runs on sherloc's own asyncio loop (see ``loop``)."""

    @property
    def name(self) -> str:
        """What the model is called in reports, settings and recordings."""

    async def ask(self, request: Request) -> Reply:
        """One attempt. Cancelling it really ends the request.

        Raises:
            ModelError: The attempt failed. No message of it holds a key.
        """


def _whole(message: Message) -> Message:
    calls = tuple(ToolCall(*map(_whole_characters, (c.id, c.name, c.arguments))) for c in message.tool_calls)
    told = _whole_characters(message.tool_call_id)
    return dataclasses.replace(message, content=_whole_characters(message.content), tool_call_id=told, tool_calls=calls)


def _whole_characters(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as sherloc's rooms describe it."""

    name: str
    description: str
    parameters: Mapping[str, Any]


def read_tools(tools: Sequence[Mapping[str, Any]]) -> list[Tool]:
    """Tools in the form that ``ChatModel`` documents, flat or nested under ``function``.

    Raises:
        ValueError: A tool has no name.
    """
    found = []
    for tool in tools:
        parts = tool.get("function", tool)
        if not parts.get("name"):
            raise ValueError(f"a tool has no name: {tool!r}")
        parameters = parts.get("parameters") or {"type": "object", "properties": {}}
        found.append(Tool(str(parts["name"]), str(parts.get("description", "")), parameters))
    return found
