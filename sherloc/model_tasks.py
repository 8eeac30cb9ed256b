"""A run with a model as a task: what it paid for is kept, so that it can be interrupted anywhere and go on.

Replies are kept by the whole request (``CallLog``), tool calls and the conversation of an exploration in the task's own
stores. A run that goes on asks the same questions in the same order, and gets the replies that are there.
"""

from __future__ import annotations

import asyncio
import getpass
import hashlib
import json
import threading
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sherloc.context_storage import InheritanceContext, TaskContextManager, TaskKey, open_task, value_key
from sherloc.errors import SherlocError, TaskStoreError
from sherloc.explorer.explore import ExplorationLog
from sherloc.explorer.toolbelt import ToolResult
from sherloc.llm.questions import AskedModel, Asker
from sherloc.llm.records import record_of_reply, reply_from_record
from sherloc.llm.request import Request
from sherloc.llm.secrets import redact
from sherloc.protocols import Message, Reply

if TYPE_CHECKING:
    from sherloc.plans import Work

_INHERITED, _BEGIN = "inherited", "conversation_begin"
_OTHER_WAY = "[An earlier part of this run, with other models, settings or code, went another way.]"
_LONGEST_RESULT = 4_000
_LONGEST_INHERITED = 6_000


class TaskRun(ExplorationLog):
    """The task of one run; a ``CallLog`` and an ``ExplorationLog``.

    What an earlier part of the run kept of an exploration counts as long as this part goes the same way. Where it goes
    another one (a model, a setting or the code was changed in between), it is kept anew behind the old.

    Args:
        task: Open.

    Attributes:
        asker: Asks for summaries (role ``summarise``); None: long conversations are shortened without one.
        inherited: What an earlier run on the same issue left, in words.
    """

    def __init__(self, task: TaskContextManager) -> None:
        self.task = task
        self.asker: Asker | None = None
        self._lock = threading.Lock()
        calls = (_call_of(record) for record in task.tool_store.records())
        self._calls = deque(calls)
        begin = task.value_store.get(_BEGIN)
        self._begin = begin if type(begin) is int else 0
        kept = (record for record in task.message_store.records() if record["seq"] > self._begin)
        self._kept = [_said(str(record.get("role")), str(record.get("content"))) for record in kept]
        self._compared = 0
        self._same: Counter[str] = Counter()
        self._stages = {str(r.get("plan_type")): r.get("plan_content") for r in task.planning_store.records()}
        self.inherited = self._inherit()

    def _inherit(self) -> str:
        """What an earlier run on the same issue left, in words; the same each time this run goes on."""
        kept = self.task.value_store.get(_INHERITED)
        if isinstance(kept, str):
            return kept
        text = _in_words(self.task.get_inheritance_context())
        self.task.value_store.put(_INHERITED, text)
        return text

    # -- replies

    def recall(self, key: str) -> Reply | None:
        """The reply that a request got before, or None."""
        record = self.task.value_store.get(key)
        try:
            return reply_from_record(record) if isinstance(record, dict) else None
        except ValueError:  # damaged, or written by another version: it is asked again
            return None

    def record(self, key: str, role: str, model: str, request: Request, reply: Reply) -> None:
        """Keep a reply; a kill no longer loses it when this returns."""
        told = [diagnostic.model_dump() for diagnostic in reply.diagnostics]
        self.task.value_store.put(key, {**record_of_reply(reply), **({"diagnostics": told} if told else {})})

    def same(self, key: str, value: list[str]) -> list[str]:
        """What an earlier part of the run had here, or else the value, which is kept; by turn, for a key used twice."""
        self._same[key] += 1
        numbered = f"{key} {self._same[key]}"
        kept = self.task.value_store.get(numbered)
        if isinstance(kept, list) and all(isinstance(each, str) for each in kept):
            return kept
        self.task.value_store.put(numbered, value)
        return value

    # -- an exploration

    def called(self, name: str, arguments: str, result: ToolResult) -> None:
        """Keep a tool call, unless an earlier part of this run did."""
        text = redact(result.text)[0][:_LONGEST_RESULT]
        call = name[:100], redact(arguments)[0][:_LONGEST_RESULT]
        with self._lock:
            if self._calls and self._calls.popleft() == call:
                return
            self._calls.clear()
        self.task.tool_store.add_tool_call(call[0], {"arguments": call[1]}, text, None if result.ok else text[:500])

    def said(self, messages: Sequence[Message]) -> None:
        """Keep the messages of the conversation that are not kept yet; they are numbered as they stand in it."""
        for message in messages[self._compared : len(self._kept)]:
            if self._kept[self._compared] != _said(message.role, redact(message.content)[0]):
                self._begin_anew()
                break
            self._compared += 1
        for message in messages[len(self._kept) :]:
            content = redact(message.content)[0]
            self.task.message_store.add(Message(message.role, content, message.tool_call_id, message.tool_calls))
            self._kept.append(_said(message.role, content))
            self._compared = len(self._kept)

    def _begin_anew(self) -> None:
        """Put what was kept of a conversation that went another way behind a summary: no later one takes it in."""
        messages, summaries = self.task.message_store, self.task.summary_store
        first, last = self._begin + 1, messages.last_seq
        messages.take_summary(lambda: summaries.add_summary(_OTHER_WAY, last - first + 1, 0, from_seq=1, to_seq=last))
        self.task.value_store.put(_BEGIN, last)
        self._begin, self._compared = last, 0
        self._kept.clear()

    def condense(self, messages: Sequence[Message]) -> tuple[int, str] | None:
        """A summary of the beginning of a conversation that has grown too long.

        Args:
            messages: The whole conversation.

        Returns:
            How many of the messages the summary stands for (those it covers, and all before), and the summary; None
            when there is none.
        """
        digest = hashlib.sha256(repr([(m.role, m.content) for m in messages]).encode("utf-8", "backslashreplace"))
        key = value_key("condensed", digest.hexdigest())
        if self.asker is None:
            return None
        self.said(messages)
        kept = self.task.value_store.get(key)
        if isinstance(kept, list) and len(kept) == 3:
            self.asker.count_kept("summarise", str(kept[2]))
            return int(kept[0]), str(kept[1])
        summariser = AskedModel(self.asker, "summarise")
        self.task.set_llm_client(summariser)
        self.task.compressor().compress()
        latest = self.task.summary_store.get_latest_summary()
        if latest is None or not isinstance(latest.get("to_seq"), int) or latest["to_seq"] <= self._begin:
            return None
        found = latest["to_seq"] - self._begin, str(latest["summary"])
        self.task.value_store.put(key, [*found, summariser.last_key])
        return found

    # -- stages and the end

    def stage_done(self, name: str, outcome: Any) -> None:
        """Keep what a stage came to, unless it is what an earlier part of this run came to.

        Args:
            name: The stage.
            outcome: JSON.
        """
        outcome = json.loads(json.dumps(outcome))
        if name not in self._stages or self._stages[name] != outcome:
            self._stages[name] = outcome
            self.task.planning_store.add_plan(name, outcome)

    def complete(self, summary: str) -> None:
        """End the task well."""
        self.task.set_llm_client(None)
        self.task.write_final_summary(redact(summary)[0])
        self.task.complete()

    def stop(self) -> None:
        """Pause the task: the next run on the same issue goes on with it."""
        self.task.stop()

    def close(self) -> None:
        """Let go of the task; one that has not ended can go on."""
        self.task.close()


def open_run(work: Work, mode: str) -> TaskRun:
    """The task of a run: the one that was interrupted on the same issue, else a new one.

    Args:
        work: What an offline run begins with.
        mode: The plan.

    Raises:
        SherlocError: The task cannot be opened.
    """
    text = json.dumps([work.issue.title, work.issue.body, list(work.issue.comments)])
    issue = hashlib.sha256(text.encode()).hexdigest()[:32]
    kind = "explore" if mode == "explore" else "locate"
    try:
        user = getpass.getuser()
    except (KeyError, ImportError, OSError):
        user = ""
    key = TaskKey.new(kind, issue, f"{work.tree.name}-{work.tree.store_key[:16]}", user)
    try:
        return TaskRun(open_task(key, work.settings))
    except OSError as error:
        raise TaskStoreError(f"The folder of tasks cannot be used: {error}.") from error


def end_run(run: TaskRun, error: BaseException | None, summary: str) -> None:
    """End a run's task as the run ended: completed, paused by an interrupt, or left as it is for the next run.

    Args:
        run: The task.
        error: What ended the run, or None.
        summary: What it came to.
    """
    try:
        if error is None:
            run.complete(summary)
        elif isinstance(error, (KeyboardInterrupt, asyncio.CancelledError, SherlocError)):
            run.stop()
    finally:
        run.close()


def _in_words(inherited: InheritanceContext | None) -> str:
    if inherited is None:
        return ""
    parts = [inherited.final_summary or ""]
    return "\n".join(filter(None, parts))[:_LONGEST_INHERITED]


def _call_of(record: Mapping[str, Any]) -> tuple[str, str]:
    arguments = record.get("arguments")
    return str(record.get("tool_name")), str(arguments.get("arguments") if isinstance(arguments, dict) else arguments)


def _said(role: str, content: str) -> bytes:
    return hashlib.sha256(f"{role}\0{content}".encode("utf-8", "backslashreplace")).digest()
