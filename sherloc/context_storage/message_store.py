"""The conversation of a task: all of it, and what the model sees of it."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from sherloc.context_storage.config import Config, read_config
from sherloc.context_storage.disk import Disk
from sherloc.context_storage.jsonl import JsonlFile, Mark, Record, encode_record, read_records
from sherloc.context_storage.plain import absolute_path, in_words, open_plain
from sherloc.context_storage.record_store import MARKS, Guard, hinting, may_write, read_marks, write_marks
from sherloc.context_storage.shapes import CURRENT_SHAPE, ROLES, is_store_file
from sherloc.context_storage.summary_store import SummaryStore
from sherloc.context_storage.task_key import now
from sherloc.context_storage.view import current_form, newest_with_range, tokens_of, view
from sherloc.errors import CorruptHistoryError, LeaseLostError, UsageError
from sherloc.protocols import Message, Reply, Tokenizer, ToolCall
from sherloc.schema.report import Diagnostic
from sherloc.tokens import get_tokenizer

MESSAGES, CURRENT = "messages.jsonl", "current.jsonl"
_MARK_EVERY = 1000
_TOKENS = "tokens"


class MessageStore:
    """``messages.jsonl`` and ``current.jsonl`` of a task's folder.

    Threads may share a store; processes may not, but through a task's lease. Opening it repairs what a kill left: a
    torn record is moved aside, and ``current.jsonl`` is made anew where it does not follow from messages and
    summaries.

    Args:
        context_dir: The task's folder.
        config: Settings, or a mapping with a section ``context``.
        disk: What writes.
        tokenizer: Counts tokens; sherloc's estimator unless given.
        guard: Called before each write; raises if this process may not write.
        lock: Shared by the stores of a task.

    Attributes:
        messages_file: All messages.
        current_file: What the model sees.
        found_last: The highest sequence number when it was opened: what comes from those who wrote before.

    Raises:
        TaskStoreError: One of them is no plain file, or cannot be read.
    """

    def __init__(
        self,
        context_dir: Path | str,
        config: Config = None,
        *,
        disk: Disk | None = None,
        tokenizer: Tokenizer | None = None,
        guard: Guard = may_write,
        lock: threading.RLock | None = None,
    ) -> None:
        self._folder = absolute_path(context_dir, "context_dir", "a task's folder")
        self.messages_file, self.current_file = self._folder / MESSAGES, self._folder / CURRENT
        self._disk = disk or Disk(fsync=read_config(config).fsync)
        self.tokenizer: Tokenizer = tokenizer or get_tokenizer()
        self._guard, self._lock = guard, lock or threading.RLock()
        with in_words(self._folder):
            self._open(read_marks(self._folder))
        self.found_last = self._messages.last

    def follow(self, folder: Path) -> None:
        """The task's folder was moved: read there from now on."""
        self._folder, self.messages_file, self.current_file = folder, folder / MESSAGES, folder / CURRENT
        for file in (self._messages, self._current):
            file.follow(folder)

    def _open(self, marks: Mapping[str, Mark]) -> None:
        messages, current, tokens = (marks.get(name) for name in (MESSAGES, CURRENT, _TOKENS))
        if messages is None or current is None or tokens is None:
            messages = current = tokens = None
        new: list[Record] = []
        self._messages = JsonlFile(
            self.messages_file, self._disk, mark=messages,
            visit=lambda record, *_: new.append(record) if messages else None,
        )  # fmt: skip
        self._current = self._open_current(current)
        if current and tokens and self._messages.from_mark and self._current.from_mark:
            self._tokens = tokens.size
            self._follow(current, new)
        else:
            self._verify()
        self._marked = self._messages.count
        self._whole = True

    def _open_current(self, mark: Mark | None) -> JsonlFile:
        return JsonlFile(self.current_file, self._disk, number="", forced=False, mark=mark)

    def _follow(self, mark: Mark, new: Sequence[Record]) -> None:
        """After the mark, the context must be the new messages; what is else is made so."""
        expected = b"".join(encode_record(current_form(message)) for message in new)
        with self._reading() as file:
            file.seek(mark.size)
            found = file.read()
        self._tokens += sum(map(tokens_of, new))
        if found != expected:
            self._disk.truncate(self.current_file, mark.size)
            self._current = self._open_current(mark)
            for message in new:
                self._current.append(encode_record(current_form(message)))
            self._tell_rebuilt()

    def _verify(self) -> None:
        """The context must be what follows from messages and summaries; else it is made anew."""
        self._tokens, right = 0, 0
        rest: list[bytes] = []
        summary = self._newest_summary()
        if summary is not None and self._messages.rise(summary["to_seq"]):
            self._tell_lost(summary["to_seq"])
        with self._reading() as file:
            for line, tokens in self._view():
                self._tokens += tokens
                if rest or file.readline() != line:
                    rest.append(line)
                else:
                    right += len(line)
            file.seek(right)
            if not rest and not file.read(1):
                return
            file.seek(0)
            begin = file.read(right)
        had_any = self._current.size > 0
        self._replace_current([begin, *rest])
        if had_any:
            self._tell_rebuilt()

    def _reading(self) -> BinaryIO:
        try:
            return open_plain(self.current_file)
        except FileNotFoundError:
            return io.BytesIO()

    def _newest_summary(self) -> Record | None:
        return newest_with_range(read_records(self._folder / SummaryStore.file_name))

    def _view(self) -> Iterator[tuple[bytes, int]]:
        for shown in view(self._messages.records(), self._newest_summary()):
            tokens = self.tokenizer.count(shown.form["content"]) if shown.tokens is None else shown.tokens
            yield encode_record(shown.form), tokens

    def _tell_lost(self, to_seq: int) -> None:
        self._messages.problems.append(
            Diagnostic(
                code="history_lost", severity="warning", path=self.messages_file.as_posix(),
                message=f"{MESSAGES} ends before message {to_seq}, up to which the newest summary goes.",
            )
        )  # fmt: skip

    def _tell_rebuilt(self) -> None:
        self._messages.problems.append(
            Diagnostic(
                code="context_rebuilt", severity="info", path=self.current_file.as_posix(),
                message="current.jsonl did not follow from messages and summaries and was made anew.",
            )
        )  # fmt: skip

    @property
    def problems(self) -> list[Diagnostic]:
        """What was repaired, or cannot be read."""
        return [*self._messages.problems, *self._current.problems]

    def add_message(
        self,
        role: str,
        content: str,
        tool_name: str | None = None,
        *,
        tool_calls: Iterable[ToolCall] = (),
        tool_call_id: str = "",
        reasoning: str = "",
        kind: str = "",
    ) -> int:
        """Keep a message. When this returns, a kill no longer loses it; when it raises, nothing was added.

        Args:
            role: ``system``, ``user``, ``assistant`` or ``tool``.
            content: Its text.
            tool_name: Of a tool's answer: which tool.
            tool_calls: Of an assistant's message: the tools it wants used.
            tool_call_id: Of a tool's answer: the call it belongs to.
            reasoning: What the model thought before it called tools, where it has to see that again.
            kind: ``inherited``: it tells of an earlier task.

        Returns:
            Its sequence number, one above the highest stored. O(1) in the length of the history.

        Raises:
            UsageError: The role is unknown, or what should be a text is none.
            OSError: It cannot be written.
            TaskStoreError: A file of the conversation is no plain one any more.
            LeaseLostError: Another process took the task over.
        """
        if role not in ROLES:
            raise UsageError(f"A message's role is one of {', '.join(ROLES)}, not {role!r:.80}.")
        if not isinstance(content, str):
            raise UsageError(f"A message's content is a text, not {type(content).__name__}.")
        for name, text in (("tool_call_id", tool_call_id), ("reasoning", reasoning), ("kind", kind)):
            if not isinstance(text, str):
                raise UsageError(f"A message's {name} is a text, not {type(text).__name__}.")
        calls = _stored_calls(tool_calls)
        tokens = sum(map(self.tokenizer.count, filter(None, (content, json.dumps(calls) if calls else "", reasoning))))
        beside = {"tool_calls": calls, "tool_call_id": tool_call_id, "reasoning": reasoning, "kind": kind}
        with self._lock:
            self._guard()
            if not self._whole:
                self._open({})
            seq = self._messages.next_number()
            message: Record = {
                "seq": seq, "role": role, "content": content, "timestamp": now(), "tokens": tokens,
                "tool_name": tool_name, **{name: value for name, value in beside.items() if value},
            }  # fmt: skip
            self._append(seq, self._messages.encode(message), encode_record(current_form(message)))
            self._tokens += tokens
            if self._messages.count - self._marked >= _MARK_EVERY:
                self._marked = self._messages.count
                with hinting(self._folder):
                    self.mark()
            return seq

    def _append(self, seq: int, line: bytes, shown: bytes) -> None:
        # Should anything stop this half-way, the next one looks at the files anew.
        self._whole = False
        try:
            self._messages.append(line, number=seq)
            try:
                self._current.append(shown)
            except BaseException:
                self._messages.undo()
                raise
        except LeaseLostError:
            self._whole = True
            raise
        self._whole = True

    def add(self, message: Message | Reply, *, tool_name: str | None = None, reasoning: str = "") -> int:
        """Keep a message of ``sherloc.protocols``, or a model's reply as the assistant's.

        Args:
            message: The message or reply, with its tool calls.
            tool_name: Of a tool's answer: which tool.
            reasoning: As in ``add_message``.

        Returns:
            Its sequence number.

        Raises:
            UsageError: It is neither; else as ``add_message``.
        """
        if not isinstance(message, (Message, Reply)):
            raise UsageError(f"What is kept is a Message or a Reply, not {type(message).__name__}.")
        if isinstance(message, Reply):
            return self.add_message("assistant", message.text, tool_calls=message.tool_calls, reasoning=reasoning)
        return self.add_message(
            message.role, message.content, tool_name, tool_calls=message.tool_calls,
            tool_call_id=message.tool_call_id, reasoning=reasoning,
        )  # fmt: skip

    def records(self, *, strict: bool = False) -> Iterator[Record]:
        """All messages as they are stored, first to last.

        Args:
            strict: Whether an unreadable line raises, instead of being skipped.

        Raises:
            CorruptHistoryError: ``strict``, and a line between records cannot be read.
        """
        return self._messages.records(strict=strict)

    def current_messages(self) -> tuple[Message, ...]:
        """What the model sees, as a ``ChatModel`` takes it; made anew first, should the file be damaged."""
        with self._lock:
            try:
                return tuple(map(_message, self._current.records(strict=True)))
            except CorruptHistoryError:
                self._guard()
                self._open({})
                return tuple(map(_message, self._current.records(strict=True)))

    def get_current_context_file(self, unsummarized_file_path: Path | str | None = None) -> Path:
        """The file with what the model sees; the one given instead, if one is given."""
        return self.current_file if unsummarized_file_path is None else Path(unsummarized_file_path)

    def get_current_token_count(self) -> int:
        """Tokens of what the model sees. O(1)."""
        return self._tokens

    def count_messages(self) -> int:
        """How many messages there are. What is torn or unreadable does not count. O(1)."""
        return self._messages.count

    @property
    def last_seq(self) -> int:
        """The highest sequence number; 0 if there is no message."""
        return self._messages.last

    def count_current(self) -> int:
        """How many messages the model sees. O(1)."""
        return self._current.count

    def recreate_current_context(self, summary: str, unsummarized_file: Path | str | None = None) -> int:
        """Put a summary and kept messages in the place of what the model sees, by hand.

        ``ContextCompressor`` does it so that it can be made anew from messages and summaries. What is put here is kept
        as long as the folder's files are whole.

        Args:
            summary: Content of a system message that comes first.
            unsummarized_file: JSONL of the messages that follow; removed when they are taken over, unless its name is
                that of a file that stores write.

        Returns:
            How many messages the model sees now.

        Raises:
            CorruptHistoryError: A line of the file cannot be read or is no message; nothing was changed.
            UsageError: The summary is no text, or the file no path.
        """
        if not isinstance(summary, str):
            raise UsageError(f"A summary is a text, not {type(summary).__name__}.")
        kept: list[Record] = []
        if unsummarized_file is not None:
            unsummarized_file = absolute_path(unsummarized_file, "unsummarized_file", "a file")
            kept = list(read_records(unsummarized_file, strict=True, shape=CURRENT_SHAPE))
        forms = [{"role": "system", "content": summary}, *map(current_form, kept)]
        with self._lock:
            self._guard()
            self._replace_current(encode_record(form) for form in forms)
            self._tokens = sum(self.tokenizer.count(form["content"] or "") for form in forms)
            self.mark()
            if unsummarized_file is not None and not is_store_file(unsummarized_file):
                self._disk.unlink(unsummarized_file)
            return self._current.count

    def take_summary(self, add: Callable[[], object]) -> None:
        """Store a summary that has a range, and show the model what follows from it.

        Args:
            add: Stores it. Between that and the new context a kill leaves what the next opening completes.
        """
        with self._lock:
            self._guard()
            self._whole = False
            self._disk.unlink(self._folder / MARKS)
            add()
            self._replace_current(line for line, _ in self._view())
            self._tokens = sum(tokens for _, tokens in self._view())
            with hinting(self._folder):
                self.mark()
            self._whole = True

    def _replace_current(self, lines: Iterable[bytes]) -> None:
        # First the marks: they would vouch for another file.
        self._disk.unlink(self._folder / MARKS)
        self._disk.replace(self.current_file, b"".join(lines))
        self._current = self._open_current(None)

    def mark(self) -> None:
        """Write down how far the files are whole, so that the next opening need not read them all."""
        self._guard()
        with self._lock:
            write_marks(self._folder, self._disk, self.marks())
            self._marked = self._messages.count

    def marks(self) -> dict[str, Mark]:
        """How far the files are whole now."""
        return {
            MESSAGES: self._messages.mark(), CURRENT: self._current.mark(), _TOKENS: Mark(self._tokens, 0, 0, 0),
        }  # fmt: skip

    def salvage(self) -> None:
        """Set unreadable lines aside."""
        with self._lock:
            self._guard()
            told = self._messages.problems
            self._messages.salvage()
            self._open({})
            self._messages.problems[:0] = told


def _stored_calls(calls: Iterable[ToolCall]) -> list[Record]:
    if not isinstance(calls, Iterable):
        raise UsageError(f"The tool calls of a message are a sequence of ToolCall, not {type(calls).__name__}.")
    return [_stored_call(call) for call in calls]


def _stored_call(call: ToolCall) -> Record:
    """A call as OpenAI's format has it."""
    if not isinstance(call, ToolCall) or not all(
        isinstance(each, str) for each in (call.id, call.name, call.arguments)
    ):
        raise UsageError(f"A tool call is a ToolCall of texts, not {call!r:.120}.")
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _message(record: Record) -> Message:
    calls = tuple(
        ToolCall(str(call["id"]), str(call["function"]["name"]), str(call["function"]["arguments"]))
        for call in record.get("tool_calls") or ()
    )
    return Message(record["role"], record["content"] or "", record.get("tool_call_id") or "", calls)
