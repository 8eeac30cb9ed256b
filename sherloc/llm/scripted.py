"""A model that answers from a script: for tests, demonstrations and dry runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sherloc.errors import ModelError
from sherloc.protocols import Message, Reply, Usage


class ScriptedModel:
    """Gives its replies in order and keeps every conversation it was asked.

    Args:
        replies: Texts or whole replies, used one a call.
        name: What the model is called in reports.

    Attributes:
        calls: The messages of every call so far, oldest first.
    """

    def __init__(self, replies: Iterable[str | Reply], *, name: str = "scripted") -> None:
        self._replies = iter(replies)
        self._name = name
        self.calls: list[tuple[Message, ...]] = []

    @property
    def name(self) -> str:
        """What the model is called in reports."""
        return self._name

    def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """The next reply of the script.

        Raises:
            ModelError: The script has no reply left.
        """
        self.calls.append(tuple(messages))
        reply = next(self._replies, None)
        if reply is None:
            raise ModelError(f"The scripted model {self._name!r} has no reply left at call {len(self.calls)}.")
        if isinstance(reply, Reply):
            return reply
        return Reply(text=reply, usage=Usage(cost=0.0), model=self._name)

    async def acomplete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """The next reply of the script, as ``complete`` gives it."""
        return self.complete(messages, tools=tools, schema=schema, max_tokens=max_tokens)
