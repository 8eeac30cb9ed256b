"""Asking a model for a summary: what it is shown, within a budget, and what counts as an answer."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, Protocol, runtime_checkable

from sherloc.context_storage.jsonl import Record
from sherloc.context_storage.wording import as_material, cut_note, left_out_note, transcript_line
from sherloc.errors import ModelError, UsageError
from sherloc.protocols import ChatModel, Message, Reply, Tokenizer

_REPLY_TOKENS = 2048
_LEAST = 32
"""Tokens of a message of which less would say nothing."""


@runtime_checkable
class CompletionClient(Protocol):
    """A model that takes OpenAI's messages, where it is no ``ChatModel``."""

    def create_chat_completion(self, messages: list[dict[str, str]]) -> Any:
        """Answer: a text, or OpenAI's response as an object or a mapping."""


Client = ChatModel | CompletionClient


def check_client(client: object) -> Client:
    """The client, if it can be asked.

    Raises:
        UsageError: It can not.
    """
    if isinstance(client, ChatModel) or hasattr(client, "create_chat_completion"):
        return client
    raise UsageError(
        f"llm_client must be a ChatModel or have create_chat_completion(messages), not {type(client).__name__}."
    )


def summary_request(
    instruction: str, summary: str, messages: Sequence[Record], *, budget: int, tokenizer: Tokenizer
) -> tuple[Message, ...]:
    """What the model is asked. Where it would be too much, messages are cut in their middle to the same length.

    Where even that is too much, messages in the middle are left out; both is said in the text.

    Args:
        instruction: What to write.
        summary: Of what came before the messages, or empty.
        messages: Records, in order.
        budget: Most tokens of the whole request, as long as the instruction leaves room.
        tokenizer: Counts.
    """
    lines = [transcript_line(message, str(message.get("content") or "")) for message in messages]
    counts = [tokenizer.count(line) for line in lines]
    room = budget - tokenizer.count(instruction) - tokenizer.count(as_material("", "conversation"))
    while True:
        material = as_material(_fitted(summary, lines, counts, room, tokenizer), "conversation")
        used = tokenizer.count(instruction) + tokenizer.count(material)
        if used <= budget or room < 1:
            return (Message("system", instruction), Message("user", material))
        room = min(room - 1, room * budget // used * 9 // 10)


def _fitted(summary: str, lines: Sequence[str], counts: Sequence[int], room: int, tokenizer: Tokenizer) -> str:
    """The conversation in about so many tokens."""
    parts = []
    if summary:
        limit = max(room // 3, room - sum(counts))
        parts.append(shorten(f"[summary of what came before]\n{summary}", limit, tokenizer))
        room -= tokenizer.count(parts[0])
    first, last = len(lines), len(lines)
    least = [min(count, _LEAST) + 1 for count in counts]
    if sum(least) > room and len(lines) > 2:
        first = max(1, bisect(list(accumulate(least)), room // 2))
        last = len(lines) - max(1, bisect(list(accumulate(reversed(least))), room // 2))
    limit = _limit([*counts[:first], *counts[last:]], max(1, room))
    parts += [shorten(line, limit, tokenizer) for line in lines[:first]]
    parts += [left_out_note(last - first)] if last > first else []
    parts += [shorten(line, limit, tokenizer) for line in lines[last:]]
    return "\n\n".join(parts)


def _limit(counts: Sequence[int], budget: int) -> int:
    """The largest number that, as a limit on each count, keeps the sum within the budget."""
    if sum(counts) <= budget:
        return max(counts, default=0) or budget
    low, high = 1, budget
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(count, middle) for count in counts) <= budget:
            low = middle
        else:
            high = middle - 1
    return low


def shorten(text: str, limit: int, tokenizer: Tokenizer) -> str:
    """A text of at most about ``limit`` tokens: its begin and end, and how much is missing between."""
    tokens = tokenizer.count(text)
    if tokens <= limit:
        return text
    half = max(8, len(text) * limit // tokens // 2)
    kept = f"{text[:half]}{text[-half:]}"
    return f"{text[:half]}{cut_note(max(1, tokens - tokenizer.count(kept)))}\n{text[-half:]}"


def ask(client: Client, messages: Sequence[Message]) -> str:
    """The model's summary.

    Raises:
        ModelError: It gave none: nothing, a part, a refusal, or tool calls. What the client raises passes.
    """
    if isinstance(client, ChatModel):
        return _text(client.complete(messages, max_tokens=_REPLY_TOKENS))
    return _whole(_completion_text(client.create_chat_completion(_plain(messages))))


async def aask(client: Client, messages: Sequence[Message]) -> str:
    """``ask`` without blocking the event loop, where the client can do that.

    Raises:
        ModelError: As in ``ask``.
    """
    if isinstance(client, ChatModel):
        return _text(await client.acomplete(messages, max_tokens=_REPLY_TOKENS))
    import asyncio

    return _whole(_completion_text(await asyncio.to_thread(client.create_chat_completion, _plain(messages))))


def _plain(messages: Sequence[Message]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in messages]


def _text(reply: Reply) -> str:
    if reply.stop_reason != "end":
        raise ModelError(f"The model's summary is no whole answer (stop reason {reply.stop_reason!r}).")
    return _whole(reply.text)


def _whole(text: str) -> str:
    if not any(character.isprintable() and not character.isspace() for character in text):
        raise ModelError("The model's summary is empty.")
    return text.strip()


def _completion_text(answer: Any) -> str:
    """The text of what ``create_chat_completion`` gave."""
    if isinstance(answer, str):
        return answer
    choices = _get(answer, "choices")
    if choices:
        if _get(choices[0], "finish_reason") in ("length", "content_filter"):
            raise ModelError("The model's summary is no whole answer.")
        answer = _get(choices[0], "message")
    for name in ("content", "text"):
        if isinstance(text := _get(answer, name), str):
            return text
    raise ModelError(f"The client's answer holds no text: {type(answer).__name__}.")


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
