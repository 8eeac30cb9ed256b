"""How a task's plan came about."""

from __future__ import annotations

from typing import Any

from sherloc.context_storage.record_store import RecordStore
from sherloc.context_storage.task_key import now


class PlanningHistoryStore(RecordStore):
    """``planning.jsonl``: id, plan_type, plan_content, created_at.

    Args:
        context_dir: The task's folder.
    """

    file_name = "planning.jsonl"

    def add_plan(self, plan_type: str, plan_content: Any) -> int:
        """Keep a plan, or a change of it.

        Args:
            plan_type: For example ``initial`` or ``revision``.
            plan_content: Text, or any JSON.

        Returns:
            Its id, from 1.

        Raises:
            UsageError: The content would not come back equal, or the type is no text; nothing is stored then.
        """
        return self._add({"plan_type": plan_type, "plan_content": plan_content, "created_at": now()})

    def count_plans(self) -> int:
        """How many plans there are."""
        return self.count()
