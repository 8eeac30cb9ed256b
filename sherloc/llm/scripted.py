"""A model that answers from a script: for tests, demonstrations and dry runs."""

from __future__ import annotations

import asyncio
import json
import math
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sherloc import errors
from sherloc.errors import ModelError
from sherloc.llm.records import reply_from_record
from sherloc.llm.request import Request
from sherloc.protocols import Message, Reply, Usage


@dataclass(frozen=True, slots=True)
class Delayed:
    """A step of a script that takes ``seconds``."""

    step: str | Reply | ModelError
    seconds: float


Step = str | Reply | ModelError | Delayed
Answer = Callable[[Sequence[Message]], Step]


class ScriptedModel:
    """Gives its replies in order and keeps every conversation it was asked. Safe in threads.

    Args:
        replies: Texts, whole replies, errors to raise, or any of them ``Delayed``, used one a call; or a function of
            the messages, for scripts in which order does not matter.
        name: What the model is called in reports.

    Attributes:
        calls: The messages of every call so far, oldest first.
        requests: The same with tools, schema and length limit.
    """

    def __init__(self, replies: Iterable[Step] | Answer, *, name: str = "scripted") -> None:
        self._answer = replies if callable(replies) else None
        self._replies = iter(()) if callable(replies) else iter(replies)
        self._name = name
        self._lock = threading.Lock()
        self.calls: list[tuple[Message, ...]] = []
        self.requests: list[Request] = []

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
            ModelError: The script says so, or has no reply left.
        """
        step, seconds = self._next(Request(tuple(messages), tuple(tools), schema, max_tokens))
        time.sleep(seconds)
        return self._reply(step)

    async def acomplete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """The next reply of the script, as ``complete`` gives it; a delay needs asyncio."""
        step, seconds = self._next(Request(tuple(messages), tuple(tools), schema, max_tokens))
        if seconds:
            await asyncio.sleep(seconds)
        return self._reply(step)

    async def ask(self, request: Request) -> Reply:
        """The next reply, as a provider gives it."""
        return await self.acomplete(
            request.messages, tools=request.tools, schema=request.schema, max_tokens=request.max_tokens
        )

    def _next(self, request: Request) -> tuple[str | Reply | ModelError, float]:
        with self._lock:
            self.calls.append(request.messages)
            self.requests.append(request)
            step = self._answer(request.messages) if self._answer else next(self._replies, None)
            count = len(self.calls)
        if step is None:
            raise ModelError(f"The scripted model {self._name!r} has no reply left at call {count}.")
        return (step.step, step.seconds) if isinstance(step, Delayed) else (step, 0.0)

    def _reply(self, step: str | Reply | ModelError) -> Reply:
        if isinstance(step, ModelError):
            raise step
        if isinstance(step, Reply):
            return step
        return Reply(text=step, usage=Usage(cost=0.0), model=self._name)


def read_script(path: Path | str) -> list[Step]:
    """The steps of a script file: JSONL, each line a text, or an object.

    An object has the fields of a reply (``text``, ``stop_reason``, ``tool_calls``, ``usage`` ...), or ``error`` (the
    name of a class of ``sherloc.errors`` under ``ModelError``) with ``message``; and ``delay`` in seconds.

    Raises:
        ModelError: The file cannot be read, or a line says nothing that can be understood.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"The script {path} cannot be read: {error}.") from error
    steps = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                steps.append(_step(json.loads(line)))
            except (ValueError, TypeError, KeyError, RecursionError) as error:
                raise ModelError(f"Line {number} of the script {path} is no step: {error}.") from error
    return steps


def _step(record: Any) -> Step:
    if isinstance(record, str):
        return record
    if not isinstance(record, dict):
        raise TypeError("it must be a text or an object")
    delay = float(record.pop("delay", 0.0))
    if not 0 <= delay < math.inf:
        raise ValueError(f"the delay {delay} is not a number of seconds")
    step: str | Reply | ModelError
    if "error" in record:
        kind = getattr(errors, str(record["error"]), None)
        if not (isinstance(kind, type) and issubclass(kind, ModelError)):
            raise ValueError(f"{record['error']!r} is not an error of models")
        step = kind(str(record.get("message", "scripted")))
    else:
        step = reply_from_record(record)
    return Delayed(step, delay) if delay else step
