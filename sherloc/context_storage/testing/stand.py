"""What a check is run on: an implementation of the task context manager, and a base_dir of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sherloc.context_storage.jsonl import Record
from sherloc.context_storage.task_context_manager import TaskContextManager
from sherloc.context_storage.task_key import TaskKey
from sherloc.protocols import Message, Reply


@dataclass(frozen=True, slots=True)
class Stand:
    """An implementation under test.

    Args:
        base_dir: An empty folder.
        config: What the implementation is configured with; ``context`` is merged with what a check asks for.
        open_task: The implementation: called as ``TaskContextManager`` is.
    """

    base_dir: Path
    config: Mapping[str, Any] = field(default_factory=dict)
    open_task: Callable[..., TaskContextManager] = TaskContextManager

    def key(self, uuid: str = "task-1", **fields: Any) -> TaskKey:
        """A key; the other fields are alike unless given."""
        return replace(TaskKey(uuid, "explore", "12", "owner/name", "someone"), **fields)

    def open(
        self,
        key: TaskKey | None = None,
        client: Any = None,
        *,
        context: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> TaskContextManager:
        """Open a task.

        Args:
            key: Of the task; ``self.key()`` unless given.
            client: Writes summaries.
            context: Settings of the section ``context``.
            **options: For the implementation.
        """
        merged = {**self.config, "context": {**self.config.get("context", {}), **(context or {})}}
        return self.open_task(self.base_dir, key or self.key(), merged, client, **options)

    def resume(self, uuid: str = "task-1", client: Any = None, **options: Any) -> TaskContextManager:
        """Open a task that is to go on."""
        return self.open(self.key(uuid, is_resumed=True), client, **options)

    def lines(self, home: str, name: str, uuid: str = "task-1") -> list[Record]:
        """The records of a task's file, straight from the disk."""
        data = (self.base_dir / home / uuid / name).read_bytes()
        return [json.loads(line) for line in data.split(b"\n")[:-1]]


class Summariser:
    """A client that answers with given texts, or with what a function makes of the request; it keeps the requests.

    Args:
        *answers: Texts, or an exception to raise; the last one is repeated.
    """

    def __init__(self, *answers: str | Exception) -> None:
        self._answers = list(answers) or ["summary"]
        self.requests: list[str] = []
        self.before: Callable[[], object] = lambda: None

    @property
    def name(self) -> str:
        """What it is called."""
        return "summariser"

    def complete(
        self, messages: Sequence[Message], *, tools: Any = (), schema: Any = None, max_tokens: int | None = None
    ) -> Reply:
        """The next answer."""
        self.requests.append("\n".join(message.content for message in messages))
        self.before()
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return Reply(answer)

    async def acomplete(
        self, messages: Sequence[Message], *, tools: Any = (), schema: Any = None, max_tokens: int | None = None
    ) -> Reply:
        """The next answer."""
        return self.complete(messages)


def expect(holds: object, words: str) -> None:
    """Fail a check unless something holds.

    Raises:
        AssertionError: It does not.
    """
    if not holds:
        raise AssertionError(words)


def expect_equal(found: object, wanted: object, words: str = "") -> None:
    """Fail a check unless two things are equal.

    Raises:
        AssertionError: They differ.
    """
    if found != wanted:
        raise AssertionError(f"{words or 'unequal'}: found {found!r:.500}, wanted {wanted!r:.500}")


@contextmanager
def expect_raised(*kinds: type[BaseException]) -> Iterator[None]:
    """Fail a check unless an exception of one of the kinds comes.

    Raises:
        AssertionError: None came.
    """
    try:
        yield
    except kinds:
        return
    raise AssertionError(f"none of {', '.join(kind.__name__ for kind in kinds)} was raised")


def say(task: TaskContextManager, *texts: str, role: str = "user") -> None:
    """Add messages of one role."""
    for text in texts:
        task.message_store.add_message(role, text)
