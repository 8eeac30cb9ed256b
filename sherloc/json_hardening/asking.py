"""Asks again when a reply cannot be read: a bounded number of times, saying exactly what was wrong."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sherloc.errors import Refused, ReplyError, TruncatedOutput
from sherloc.json_hardening.limits import Limits
from sherloc.json_hardening.outcome import Parsed
from sherloc.json_hardening.parse import parse_reply
from sherloc.protocols import Message

EXCERPT = 200
"""How much of a bad reply is shown to the model again. Characters."""

Answer = tuple[str, "str | None"]
"""What a model said, and why it stopped (None: unknown)."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try: what was allowed, what came, and why it could not be read (None for the one that could)."""

    max_tokens: int | None
    text: str
    stop_reason: str | None
    error: ReplyError | None = None


@dataclass(frozen=True, slots=True)
class Asking:
    """How often and with how many tokens a model may be asked.

    Args:
        attempts: Calls in all, at least 1.
        max_tokens: Output tokens of the first call; None leaves it to the model.
        token_ceiling: Most that a call may be given after replies that were cut off; None is four times the first.
        limits: Bounds on each reply.
        originals: As for ``parse_reply``.
    """

    attempts: int = 3
    max_tokens: int | None = None
    token_ceiling: int | None = None
    limits: Limits = Limits()
    originals: Mapping[str, str] | None = None


def re_ask_message(error: ReplyError) -> str:
    """What to tell a model whose reply could not be read: the exact error and the first 200 characters of the reply."""
    lines = [f"Your reply could not be read: {error.message}"]
    if error.text:
        excerpt = json.dumps(error.text[:EXCERPT], ensure_ascii=False)
        lines.append(f"It began with {excerpt}.")
    if isinstance(error, TruncatedOutput):
        lines.append("Answer again, complete, and as short as the task allows.")
    lines.append("Answer with one JSON value in the format asked for, and nothing else.")
    return "\n".join(lines)


def ask_for(
    ask: Callable[[Sequence[Message], int | None], Answer],
    messages: Sequence[Message],
    schema: Any,
    how: Asking = Asking(),  # noqa: B008 - immutable
) -> tuple[Parsed[Any], tuple[Attempt, ...]]:
    """Ask a model until its reply can be read.

    Args:
        ask: Makes one call with messages and a bound on output tokens. It is called once an attempt, so that each is
            charged; what it raises passes through.
        messages: The conversation so far.
        schema: As for ``parse_reply``.
        how: The bounds.

    Returns:
        The answer, and every attempt in order.

    Raises:
        ReplyError: The last one, when no attempt could be read or another cannot help: a refusal, or a reply that was
            cut off and may not be longer. Its ``attempts`` has all of them.
    """
    turns = _conversation(messages, schema, how)
    request = next(turns)
    try:
        while True:
            request = turns.send(ask(*request))
    except StopIteration as stop:
        result: tuple[Parsed[Any], tuple[Attempt, ...]] = stop.value
        return result


async def aask_for(
    ask: Callable[[Sequence[Message], int | None], Awaitable[Answer]],
    messages: Sequence[Message],
    schema: Any,
    how: Asking = Asking(),  # noqa: B008 - immutable
) -> tuple[Parsed[Any], tuple[Attempt, ...]]:
    """``ask_for`` for callers in an event loop."""
    turns = _conversation(messages, schema, how)
    request = next(turns)
    try:
        while True:
            answer = await ask(*request)
            request = turns.send(answer)
    except StopIteration as stop:
        result: tuple[Parsed[Any], tuple[Attempt, ...]] = stop.value
        return result


Request = tuple[Sequence[Message], "int | None"]


def _conversation(
    messages: Sequence[Message], schema: Any, how: Asking
) -> Generator[Request, Answer, tuple[Parsed[Any], tuple[Attempt, ...]]]:
    """The whole exchange without any input or output of its own: yields requests, is sent answers."""
    tokens = how.max_tokens
    ceiling = how.token_ceiling if how.token_ceiling is not None or tokens is None else 4 * tokens
    tries: list[Attempt] = []
    asked: Sequence[Message] = tuple(messages)
    while True:
        text, stop_reason = yield asked, tokens
        try:
            parsed = parse_reply(text, schema, stop_reason, limits=how.limits, originals=how.originals or {})
        except ReplyError as error:
            tries.append(Attempt(tokens, text, stop_reason, error))
            longer = _more_tokens(tokens, ceiling) if error.needs_more_tokens else tokens
            cannot_help = error.needs_more_tokens and tokens is not None and longer == tokens
            if len(tries) >= how.attempts or isinstance(error, Refused) or cannot_help:
                error.attempts = tuple(tries)
                raise
            tokens = longer
            asked = (*messages, *_correction(error))
        else:
            return parsed, (*tries, Attempt(tokens, text, stop_reason))


def _more_tokens(tokens: int | None, ceiling: int | None) -> int | None:
    return None if tokens is None else max(tokens, min(2 * tokens, ceiling or 2 * tokens))


def _correction(error: ReplyError) -> tuple[Message, ...]:
    """The exchange to add: only the last bad reply is shown, shortened, so that prompts do not grow with attempts."""
    asking = Message("user", re_ask_message(error))
    return (Message("assistant", error.text[:EXCERPT]), asking) if error.text.strip() else (asking,)
