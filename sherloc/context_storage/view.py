"""What the model sees of a task's history, and where that history may be cut.

``current.jsonl`` is a function of the messages and the newest summary with a range: the system prompt and the first
message of the user (*pinned*), then the summary, then every message after its range. So it can always be made anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sherloc.context_storage.jsonl import Record
from sherloc.context_storage.wording import summary_message

INHERITED = "inherited"
"""``kind`` of a message that tells of an earlier task: it comes from the user's side, but is not the user's."""

_BESIDE = ("tool_name", "tool_calls", "tool_call_id", "reasoning")


def current_form(message: Record) -> Record:
    """A message as ``current.jsonl`` holds it: OpenAI's fields, and ``tool_name`` and ``reasoning``."""
    return {
        "role": message.get("role"),
        "content": message.get("content"),
        **{name: message[name] for name in _BESIDE if message.get(name)},
    }


def summary_form(summary: Record) -> Record:
    """A summary as ``current.jsonl`` holds it."""
    return {"role": "system", "content": summary_message(summary["summary"])}


class Pins:
    """Finds the messages that outlive every compression, when shown all messages in order."""

    def __init__(self) -> None:
        self._missing = {"system", "user"}

    def take(self, message: Record) -> bool:
        """Whether this message is pinned."""
        role = message.get("role")
        if role not in self._missing or message.get("kind") == INHERITED:
            return False
        self._missing.discard(role)
        return True


def tokens_of(message: Record) -> int:
    """What a message was counted as; 0 if that is not known."""
    tokens = message.get("tokens")
    return tokens if type(tokens) is int else 0


@dataclass(frozen=True, slots=True)
class Shown:
    """A line of the view.

    Attributes:
        form: As ``current.jsonl`` holds it.
        tokens: As counted when the message came; None for a summary.
    """

    form: Record
    tokens: int | None


def view(messages: Iterable[Record], summary: Record | None) -> Iterator[Shown]:
    """What the model sees, in order.

    Args:
        messages: All, in order.
        summary: The newest one that has ``to_seq``, if any.
    """
    pins = Pins()
    end = summary["to_seq"] if summary else 0
    told = summary is None
    for message in messages:
        pinned = pins.take(message)
        if message.get("seq", 0) <= end and not pinned:
            continue
        if not told and summary is not None and message.get("seq", 0) > end:
            yield Shown(summary_form(summary), None)
            told = True
        yield Shown(current_form(message), tokens_of(message))
    if not told and summary is not None:
        yield Shown(summary_form(summary), None)


def newest_with_range(summaries: Iterable[Record]) -> Record | None:
    """The summary that the view is built with: the last one that says up to which message it goes."""
    newest = None
    for summary in summaries:
        if type(summary.get("to_seq")) is int and isinstance(summary.get("summary"), str):
            newest = summary
    return newest


def cut(messages: Sequence[Record], keep: int, *, left: int = 0) -> int:
    """How many of the messages, from the first on, may go into a summary so that at least ``keep`` stay.

    A tool call stays with its results and with what was said in between; results never begin what is kept; an answer
    that is still missing blocks the cut. While a model reasons over several calls, the whole loop stays together.

    Args:
        messages: What is not summarised yet, without the pinned ones, in order.
        keep: How many of the newest stay.
        left: The last message of those that are gone: an answer to one of their calls that is missing, though the
            conversation went on, will not come any more.
    """
    largest = at = 0
    for unit in _units(messages, _given_up(messages, left)):
        at += len(unit.messages)
        if unit.waiting or len(messages) - at < keep:
            break
        largest = at
    return largest


class _Unit:
    """Messages that stay together."""

    def __init__(self, first: Record, given_up: set[str]) -> None:
        self.messages, self._given_up = [first], given_up
        self.waiting = _calls(first) - given_up
        self.reasons = bool(first.get("reasoning")) and bool(self.waiting)

    def takes(self, message: Record) -> bool:
        """Whether the message belongs here, too."""
        if self.waiting or message.get("role") == "tool":
            return True
        return self.reasons and message.get("role") == "assistant" and self.messages[-1].get("role") == "tool"

    def add(self, message: Record) -> None:
        self.messages.append(message)
        if message.get("role") == "tool":
            self.waiting.discard(message.get("tool_call_id") or "")
        else:
            self.waiting |= _calls(message) - self._given_up


def _calls(message: Record) -> set[str]:
    if message.get("role") != "assistant":
        return set()
    return {str(call.get("id")) for call in message.get("tool_calls") or () if isinstance(call, dict)}


def _given_up(messages: Sequence[Record], left: int) -> set[str]:
    """Calls of messages up to ``left`` that have no answer, but not those with which the conversation ends."""
    spoken = [at for at, message in enumerate(messages) if message.get("role") != "tool"]
    older = [message for message in messages[: spoken[-1] if spoken else 0] if 0 < message.get("seq", 0) <= left]
    answered = {message.get("tool_call_id") for message in messages if message.get("role") == "tool"}
    return {call for message in older for call in _calls(message) if call not in answered}


def _units(messages: Sequence[Record], given_up: set[str]) -> Iterator[_Unit]:
    unit: _Unit | None = None
    for message in messages:
        if unit is not None and unit.takes(message):
            unit.add(message)
            continue
        if unit is not None:
            yield unit
        unit = _Unit(message, given_up)
    if unit is not None:
        yield unit
