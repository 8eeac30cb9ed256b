"""Summaries that stand for the earlier part of a task's conversation."""

from __future__ import annotations

from collections import deque

from sherloc.context_storage.jsonl import Record
from sherloc.context_storage.record_store import RecordStore
from sherloc.context_storage.task_key import now
from sherloc.errors import UsageError


class SummaryStore(RecordStore):
    """``summaries.jsonl``: id, summary, compressed_message_count, tokens_saved, created_at, from_seq, to_seq.

    Args:
        context_dir: The task's folder.
    """

    file_name = "summaries.jsonl"

    def add_summary(
        self,
        summary: str,
        compressed_count: int,
        tokens_saved: int,
        *,
        from_seq: int | None = None,
        to_seq: int | None = None,
    ) -> int:
        """Keep a summary.

        Args:
            summary: Its text.
            compressed_count: Messages that it stands for and no summary before it did.
            tokens_saved: By which the context became shorter. Tokens.
            from_seq: The first message that it, or a summary that went into it, stands for.
            to_seq: The last one. With it the summary is part of what the context is rebuilt from.

        Returns:
            Its id, from 1.

        Raises:
            UsageError: A field is not of its kind; nothing is stored then.
        """
        if type(from_seq) is int and type(to_seq) is int and from_seq > to_seq:
            raise UsageError(f"A summary cannot stand for messages from {from_seq} to {to_seq}.")
        return self._add({
            "summary": summary,
            "compressed_message_count": compressed_count,
            "tokens_saved": tokens_saved,
            "created_at": now(),
            "from_seq": from_seq,
            "to_seq": to_seq,
        })  # fmt: skip

    def get_latest_summary(self) -> Record | None:
        """The newest summary; None if there is none."""
        latest = deque(self.records(), maxlen=1)
        return latest[0] if latest else None

    def count_summaries(self) -> int:
        """How many summaries there are."""
        return self.count()
