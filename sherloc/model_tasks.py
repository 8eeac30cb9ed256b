"""A run with a model as a task: what it paid for is kept, so that it can be interrupted anywhere and go on.

Replies are kept by the whole request (``CallLog``), tool calls and the conversation of an exploration in the task's own
stores. A run that goes on asks the same questions in the same order, and gets the replies that are there.
"""

from __future__ import annotations

import getpass
import hashlib
import json
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sherloc.context_storage import InheritanceContext, TaskContextManager, TaskKey, open_task, value_key
from sherloc.errors import SherlocError, TaskStoreError
from sherloc.explorer.explore import ExplorationLog
from sherloc.explorer.toolbelt import ToolResult
from sherloc.llm.records import record_of_reply, reply_from_record
from sherloc.llm.request import Request
from sherloc.llm.secrets import redact
from sherloc.protocols import ChatModel, Message, Reply

if TYPE_CHECKING:
    from sherloc.plans import Work

_INHERITED = "inherited"
_LONGEST_RESULT = 4_000
_LONGEST_INHERITED = 6_000


class TaskRun(ExplorationLog):
    """The task of one run; a ``CallLog`` and an ``ExplorationLog``.

    Args:
        task: Open.
        summariser: Writes summaries; None: long conversations are shortened without one.
    """

    def __init__(self, task: TaskContextManager, summariser: ChatModel | None) -> None:
        self.task = task
        self._summariser = summariser
        self._lock = threading.Lock()
        self._tools_known = task.tool_store.count_tool_calls()
        self._tools_used = 0
        self._stages_known = {str(record.get("plan_type")) for record in task.planning_store.records()}
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
        return reply_from_record(record) if isinstance(record, dict) else None

    def record(self, key: str, role: str, model: str, request: Request, reply: Reply) -> None:
        """Keep a reply; a kill no longer loses it when this returns."""
        self.task.value_store.put(key, _clean(record_of_reply(reply)))

    # -- an exploration

    def called(self, name: str, arguments: str, result: ToolResult) -> None:
        """Keep a tool call, unless an earlier part of this run did."""
        with self._lock:
            self._tools_used += 1
            known = self._tools_used <= self._tools_known
        if not known:
            text = redact(result.text)[0][:_LONGEST_RESULT]
            shown = {"arguments": redact(arguments)[0][:_LONGEST_RESULT]}
            self.task.tool_store.add_tool_call(name[:100], shown, text, None if result.ok else text[:500])

    def said(self, messages: Sequence[Message]) -> None:
        """Keep the messages of the conversation that are not kept yet; they are numbered as they stand in it."""
        for message in messages[self.task.message_store.count_messages() :]:
            self.task.message_store.add(
                Message(message.role, redact(message.content)[0], message.tool_call_id, message.tool_calls)
            )

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
        kept = self.task.value_store.get(key)
        if isinstance(kept, list):
            return int(kept[0]), str(kept[1])
        if self._summariser is None:
            return None
        self.said(messages)
        self.task.set_llm_client(self._summariser)
        self.task.compressor().compress()
        latest = self.task.summary_store.get_latest_summary()
        if latest is None or not isinstance(latest.get("to_seq"), int):
            return None
        self.task.value_store.put(key, [latest["to_seq"], latest["summary"]])
        return int(latest["to_seq"]), str(latest["summary"])

    # -- stages and the end

    def stage_done(self, name: str, outcome: Any) -> None:
        """Keep what a stage came to, once.

        Args:
            name: The stage.
            outcome: JSON.
        """
        if name not in self._stages_known:
            self._stages_known.add(name)
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


def open_run(work: Work, mode: str, summariser: ChatModel | None) -> TaskRun:
    """The task of a run: the one that was interrupted on the same issue, else a new one.

    Args:
        work: What an offline run begins with.
        mode: The plan.
        summariser: Condenses long explorations.

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
        return TaskRun(open_task(key, work.settings), summariser)
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
        elif isinstance(error, (KeyboardInterrupt, SherlocError)):
            run.stop()
    finally:
        run.close()


def _in_words(inherited: InheritanceContext | None) -> str:
    if inherited is None:
        return ""
    parts = [inherited.final_summary or ""]
    return "\n".join(filter(None, parts))[:_LONGEST_INHERITED]


def _clean(value: Any) -> Any:
    """A record without secrets, should the model have made one up."""
    if isinstance(value, str):
        return redact(value)[0]
    if isinstance(value, dict):
        return {key: _clean(part) for key, part in value.items()}
    return [_clean(part) for part in value] if isinstance(value, list) else value
