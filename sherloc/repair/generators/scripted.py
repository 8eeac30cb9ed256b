"""A patch generator that answers from a script: for tests, demonstrations and dry runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from sherloc.errors import GeneratorError, SherlocError
from sherloc.protocols import PatchRequest

Answer = str | SherlocError


class ScriptedGenerator:
    """Gives its replies in order and keeps every request.

    Args:
        replies: Proposals as text, or errors to raise, one a request; or a function of the request.
        name: What it is called in reports.

    Attributes:
        requests: Every request so far, oldest first.
    """

    def __init__(self, replies: Iterable[Answer] | Callable[[PatchRequest], Answer], *, name: str = "scripted") -> None:
        self._answer = replies if callable(replies) else None
        self._replies = iter(()) if callable(replies) else iter(replies)
        self._name = name
        self.requests: list[PatchRequest] = []

    @property
    def name(self) -> str:
        """What it is called in reports."""
        return self._name

    def propose(self, request: PatchRequest) -> str:
        """The next reply.

        Raises:
            SherlocError: The script says so, or has no reply left.
        """
        self.requests.append(request)
        answer = self._answer(request) if self._answer else next(self._replies, None)
        if answer is None:
            raise GeneratorError(f"The generator {self._name} has no reply left at request {len(self.requests)}.")
        if isinstance(answer, SherlocError):
            raise answer
        return answer


def read_replies(path: Path | str) -> list[str]:
    """The replies of a script file: JSONL, each line a text, or a proposal as an object.

    Raises:
        GeneratorError: The file cannot be read, or a line is neither.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise GeneratorError(f"The script {path} cannot be read: {error}.") from error
    replies = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            reply = json.loads(line)
        except ValueError as error:
            raise GeneratorError(f"Line {number} of the script {path} is no JSON: {error}.") from error
        if not isinstance(reply, str | dict):
            raise GeneratorError(f"Line {number} of the script {path} is neither a text nor an object.")
        replies.append(reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False))
    return replies
