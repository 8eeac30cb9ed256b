"""Values that a task must not work out, or pay for, twice: kept by key as soon as they are known."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from sherloc.context_storage.exact import dump_exact, whole_text
from sherloc.context_storage.jsonl import Mark, Record, decode_record
from sherloc.context_storage.plain import open_plain
from sherloc.context_storage.record_store import RecordStore
from sherloc.context_storage.shapes import misfit
from sherloc.context_storage.task_key import now
from sherloc.errors import CorruptHistoryError, UsageError


def value_key(*parts: Any) -> str:
    """A key made of everything that a value depends on: SHA-256 over the parts' JSON.

    Args:
        *parts: JSON values, for example an issue's hash, a snippet's hash, a prompt's version and a model's name.

    Raises:
        UsageError: A part is not JSON, or JSON would make it equal to another one: a tuple, a key that is no text.
    """
    dump_exact({"parts": list(parts)}, ascii_only=True)
    try:
        text = json.dumps(parts, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"A key must be made of JSON: {error}.") from error
    return hashlib.sha256(text.encode()).hexdigest()


def _checked(key: object) -> str:
    if not isinstance(key, str):
        raise UsageError(f"The key of a value is text, not {type(key).__name__}.", hint="See value_key.")
    return whole_text(key)


class ValueStore(RecordStore):
    """``values.jsonl``: seq, key, value, timestamp. Of several values of a key the last one counts.

    Only keys and places are held in memory; a value is read when it is asked for. When ``put`` returns, a kill no
    longer loses the value.

    Args:
        context_dir: The task's folder.
    """

    file_name = "values.jsonl"
    number = "seq"

    def _open(self, mark: Mark | None) -> None:
        self._places: dict[str, tuple[int, int]] = {}
        super()._open(None)

    def _visit(self, record: Record, offset: int, length: int) -> None:
        self._places[record["key"]] = (offset, length)

    def put(self, key: str, value: Any) -> None:
        """Keep a value.

        Args:
            key: Any text; see ``value_key``.
            value: JSON.

        Raises:
            UsageError: The key is no text, or the value would not come back equal; nothing is stored then.
        """
        key = _checked(key)
        with self._lock:
            self._guard()
            number, offset = self._file.next_number(), self._file.size
            line = self._file.encode({"seq": number, "key": key, "value": value, "timestamp": now()})
            self._file.append(line, number=number)
            self._places[key] = (offset, len(line))

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key, or ``default``.

        Raises:
            UsageError: The key is no text.
            CorruptHistoryError: It was there when the file was opened and cannot be read now.
        """
        key = _checked(key)
        with self._lock:
            place = self._places.get(key)
            if place is None:
                return default
            record = self._read(*place)
        if record is None or misfit(record, self._file.shape) or record["key"] != key:
            raise CorruptHistoryError(f"A value in {self.path} changed while it was open.", path=str(self.path))
        return record["value"]

    def _read(self, offset: int, length: int) -> Record | None:
        try:
            with open_plain(self.path) as file:
                file.seek(offset)
                return decode_record(file.read(length))
        except FileNotFoundError:
            return None

    def __contains__(self, key: object) -> bool:
        with self._lock:
            return isinstance(key, str) and whole_text(key) in self._places

    def __len__(self) -> int:
        return len(self._places)

    def keys(self) -> list[str]:
        """All keys, in the order in which they were first put."""
        with self._lock:
            return list(self._places)
