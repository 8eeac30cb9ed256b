"""Keeps the context of a long task within what a model can read: its earlier part becomes a summary."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sherloc.context_storage.config import Config, read_config
from sherloc.context_storage.exact import said
from sherloc.context_storage.jsonl import Record
from sherloc.context_storage.summarising import Client, aask, ask, check_client, summary_request
from sherloc.context_storage.view import Pins, cut, newest_with_range, tokens_of
from sherloc.context_storage.wording import CONCLUDE, SUMMARISE, summary_message
from sherloc.errors import SherlocError
from sherloc.logs import logger
from sherloc.protocols import Message

if TYPE_CHECKING:
    from sherloc.context_storage.task_context_manager import TaskContextManager

_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a compression did.

    Attributes:
        result: ``compressed``, ``skipped``, or ``failed``.
        reason: Why nothing was compressed; empty if something was.
        tokens_saved: By how much the context became shorter. Tokens.
    """

    result: Literal["compressed", "skipped", "failed"]
    reason: str = ""
    tokens_saved: int = 0


@dataclass(frozen=True, slots=True)
class _Plan:
    """What would be summarised: ``messages``, after ``earlier``, the summary before them."""

    messages: list[Record]
    earlier: Record | None

    @property
    def from_seq(self) -> int:
        first = self.earlier.get("from_seq") if self.earlier else None
        return first if type(first) is int else int(self.messages[0]["seq"])

    @property
    def to_seq(self) -> int:
        return int(self.messages[-1]["seq"])


class ContextCompressor:
    """Summarises the earlier part of a task's context.

    System prompt and first message of the user stay, and the newest messages. A tool call is never parted from its
    result. A second summary takes the first one in.

    Args:
        task_ctx: The task.
        config: Settings, or a mapping with a section ``context``.
        llm_client: A ``ChatModel``, or anything with ``create_chat_completion(messages)``.

    Attributes:
        outcome: What the last ``compress`` did; None before the first.

    Raises:
        UsageError: The client can not be asked.
    """

    def __init__(self, task_ctx: TaskContextManager, config: Config, llm_client: Client) -> None:
        self._task, self._client = task_ctx, check_client(llm_client)
        self._settings = read_config(config).compression
        self.outcome: Outcome | None = None

    def should_compress(self) -> bool:
        """Whether the context has more tokens than ``token_threshold``. O(1)."""
        return self._task.message_store.get_current_token_count() > self._settings.token_threshold

    def compress(self) -> int:
        """Summarise what is older than the ``keep_recent`` newest messages.

        Returns:
            By how many tokens the context became shorter; 0 when there was too little to summarise, or the model gave
            no summary that is shorter. The context is then as it was, and ``outcome`` says why.

        Raises:
            CorruptHistoryError: A message cannot be read.
            LeaseLostError: Another process took the task over.
        """
        plan = self._plan()
        if isinstance(plan, Outcome):
            return self._end(plan)
        request = self._request(plan)
        try:
            summary = ask(self._client, request)
        except Exception as error:  # noqa: BLE001 - whatever a client raises, the task goes on with the context it has
            return self._end(_failure(error))
        return self._end(self._apply(plan, summary))

    async def acompress(self) -> int:
        """``compress``, without blocking the event loop while the model answers; messages may be added meanwhile."""
        plan = self._plan()
        if isinstance(plan, Outcome):
            return self._end(plan)
        request = self._request(plan)
        try:
            summary = await aask(self._client, request)
        except Exception as error:  # noqa: BLE001 - as in ``compress``
            return self._end(_failure(error))
        return self._end(self._apply(plan, summary))

    def _plan(self) -> _Plan | Outcome:
        self._task.check()
        earlier = newest_with_range(self._task.summary_store.records(strict=True))
        end, pins = (earlier["to_seq"] if earlier else 0), Pins()
        open_messages = [
            message
            for message in self._task.message_store.records(strict=True)
            if not pins.take(message) and message.get("seq", 0) > end
        ]
        count = cut(open_messages, self._settings.keep_recent, left=self._task.message_store.found_last)
        if count < self._settings.min_to_compress:
            return Outcome(
                "skipped",
                f"{count} messages could be summarised, fewer than min_to_compress ({self._settings.min_to_compress}): "
                f"{len(open_messages)} are not summarised yet, the newest {self._settings.keep_recent} stay, and so do "
                "tool calls with their results.",
            )
        return _Plan(open_messages[:count], earlier)

    def _request(self, plan: _Plan) -> tuple[Message, ...]:
        return summary_request(
            SUMMARISE, plan.earlier["summary"] if plan.earlier else "", plan.messages,
            budget=self._settings.max_request_tokens, tokenizer=self._task.message_store.tokenizer,
        )  # fmt: skip

    def _apply(self, plan: _Plan, summary: str) -> Outcome:
        count = self._task.message_store.tokenizer.count
        before = sum(map(tokens_of, plan.messages))
        before += count(summary_message(plan.earlier["summary"])) if plan.earlier else 0
        saved = before - count(summary_message(summary))
        if saved <= 0:
            return Outcome("failed", "The model's summary is not shorter than what it stands for.")
        with self._task.lock:
            if newest_with_range(self._task.summary_store.records()) != plan.earlier:
                return Outcome("skipped", "The context was compressed by somebody else meanwhile.")
            self._task.message_store.take_summary(
                lambda: self._task.summary_store.add_summary(
                    summary, len(plan.messages), saved, from_seq=plan.from_seq, to_seq=plan.to_seq
                )
            )
        return Outcome("compressed", tokens_saved=saved)

    def _end(self, outcome: Outcome) -> int:
        self.outcome = outcome
        level = logging.WARNING if outcome.result == "failed" else logging.INFO
        _log.log(level, "Task %s: context %s. %s", self._task.uuid, outcome.result, outcome.reason)
        try:
            self._task.note("compression", {"result": outcome.result, "reason": outcome.reason})
        except SherlocError as error:
            _log.warning("Task %s: that could not be noted in its row: %s", self._task.uuid, said(error))
        return outcome.tokens_saved

    def create_final_summary(self) -> int:
        """Summarise the whole task and keep it as ``final_summary.txt``.

        All messages are shown to the model; where they are more than ``max_request_tokens``, the newest summary stands
        for those that it covers.

        Returns:
            Characters of the summary; 0 if there is no message.

        Raises:
            ModelError: The model gave no summary.
            CorruptHistoryError: A message cannot be read.
        """
        self._task.check()
        messages = list(self._task.message_store.records(strict=True))
        if not messages:
            return 0
        earlier, budget = "", self._settings.max_request_tokens
        newest = newest_with_range(self._task.summary_store.records(strict=True))
        if newest and sum(map(tokens_of, messages)) > budget:
            pins = Pins()
            messages = [m for m in messages if pins.take(m) or m.get("seq", 0) > newest["to_seq"]]
            earlier = newest["summary"]
        request = summary_request(
            CONCLUDE, earlier, messages, budget=budget, tokenizer=self._task.message_store.tokenizer
        )
        text = ask(self._client, request)
        self._task.write_final_summary(text)
        return len(text)


def _failure(error: Exception) -> Outcome:
    words = said(error)
    if isinstance(error, SherlocError):
        words = words.removeprefix(f"{type(error).__name__}: ")
    return Outcome("failed", f"The model gave no summary: {words}")
