"""Asking a model for a summary: what it is shown, within a budget, and what counts as an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from sherloc.context_storage.jsonl import Record
from sherloc.context_storage.view import tokens_of
from sherloc.context_storage.wording import as_material, cut_note, transcript_line
from sherloc.errors import ModelError, UsageError
from sherloc.protocols import ChatModel, Message, Reply, Tokenizer

_REPLY_TOKENS = 2048


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
    """What the model is asked.

    Args:
        instruction: What to write.
        summary: Of what came before the messages, or empty.
        messages: Records, in order.
        budget: Most tokens of the conversation; if it has more, each message is cut in its middle to the same length.
        tokenizer: Counts.
    """
    lines = [f"[summary of what came before]\n{summary}"] if summary else []
    limit = _limit([tokens_of(message) for message in messages], max(budget - tokenizer.count(summary), budget // 4))
    lines += [transcript_line(m, shorten(str(m.get("content") or ""), limit, tokenizer)) for m in messages]
    material = as_material("\n\n".join(lines), "conversation")
    return (Message("system", instruction), Message("user", material))


def _limit(counts: Sequence[int], budget: int) -> int:
    """The largest number that, as a limit on each count, keeps the sum within the budget; at least 16."""
    if sum(counts) <= budget:
        return max(counts, default=0) or budget
    low, high = 16, budget
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
    if not text.strip():
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
