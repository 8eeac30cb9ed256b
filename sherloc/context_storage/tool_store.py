"""What tools were called with, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sherloc.context_storage.record_store import RecordStore
from sherloc.context_storage.task_key import now
from sherloc.errors import UsageError


class ToolStore(RecordStore):
    """``tools.jsonl``: seq, tool_name, arguments, result, error, timestamp.

    Args:
        context_dir: The task's folder.
    """

    file_name = "tools.jsonl"
    number = "seq"

    def add_tool_call(
        self, tool_name: str, arguments: Mapping[str, Any], result: Any = None, error: str | None = None
    ) -> int:
        """Keep a call.

        Args:
            tool_name: The tool.
            arguments: What it was called with; JSON by name.
            result: What it gave; JSON.
            error: What went wrong.

        Returns:
            Its number, from 1.

        Raises:
            UsageError: Arguments or result would not come back equal, or a field is not of its kind; nothing is
                stored then.
        """
        if not isinstance(arguments, Mapping):
            raise UsageError(f"The arguments of a call are a mapping, not {type(arguments).__name__}.")
        return self._add({
            "tool_name": tool_name, "arguments": dict(arguments), "result": result, "error": error, "timestamp": now(),
        })  # fmt: skip

    def count_tool_calls(self) -> int:
        """How many calls there are."""
        return self.count()
