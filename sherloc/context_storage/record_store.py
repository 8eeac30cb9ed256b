"""What the stores of a task's folder share: a file of records, who may write to it, and how far it is known whole."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sherloc.context_storage.disk import Disk
from sherloc.context_storage.jsonl import JsonlFile, Mark, Record, read_mark
from sherloc.context_storage.plain import absolute_path, open_plain
from sherloc.errors import TaskStoreError
from sherloc.logs import logger
from sherloc.schema.report import Diagnostic

_log = logger(__name__)
Guard = Callable[[], None]
MARKS = ".marks.json"


def may_write() -> None:
    """The guard of a store that is used alone: its caller sees to it that there is one writer."""


def read_marks(folder: Path) -> dict[str, Mark]:
    """How far each file of a task's folder is known to be whole; empty if that is not known.

    Raises:
        TaskStoreError: They are no plain file.
    """
    try:
        with open_plain(folder / MARKS) as file:
            found = json.loads(file.read())
        marks = {name: read_mark(mark) for name, mark in found.items()}
    except (OSError, ValueError, AttributeError, RecursionError):
        return {}
    return {name: mark for name, mark in marks.items() if mark is not None}


def write_marks(folder: Path, disk: Disk, marks: Mapping[str, Mark]) -> None:
    """Set some marks. They are checked when they are used, so they need not be forced to the disk."""
    merged = {**read_marks(folder), **marks}
    text = json.dumps({name: merged[name].record() for name in sorted(merged)})
    temporary = folder / f"{MARKS}.tmp"
    with disk.appending(temporary) as descriptor:
        disk.truncate(temporary, 0)
        disk.write(descriptor, text.encode(), temporary)
    disk.rename(temporary, folder / MARKS)


@contextlib.contextmanager
def hinting(folder: Path) -> Iterator[None]:
    """For marks that only make the next opening faster: that they cannot be written is no reason to fail."""
    try:
        yield
    except (OSError, TaskStoreError) as error:
        _log.info("It could not be noted how far the files of %s are whole: %s", folder, error)


class RecordStore:
    """A file of numbered records. Threads may share it; processes may not, but through a task's lease.

    Args:
        context_dir: The task's folder.
        disk: What writes.
        guard: Called before each write; raises if this process may not write.
        lock: Shared by the stores of a task.

    Attributes:
        path: The file.
        problems: What was repaired or cannot be read.

    Raises:
        TaskStoreError: The file is no plain one, or cannot be read.
    """

    file_name = ""
    number = "id"

    def __init__(
        self,
        context_dir: Path | str,
        *,
        disk: Disk | None = None,
        guard: Guard = may_write,
        lock: threading.RLock | None = None,
    ) -> None:
        self._folder = absolute_path(context_dir, "context_dir", "a task's folder")
        self._disk, self._guard, self._lock = disk or Disk(), guard, lock or threading.RLock()
        self._open(read_marks(self._folder).get(self.file_name))

    def _open(self, mark: Mark | None) -> None:
        self._file = JsonlFile(self.path, self._disk, number=self.number, mark=mark, visit=self._visit)

    def _visit(self, record: Record, offset: int, length: int) -> None:
        """Look at a record that is read when the file is opened."""

    @property
    def path(self) -> Path:
        """The file."""
        return self._folder / self.file_name

    @property
    def problems(self) -> list[Diagnostic]:
        """What was repaired, or cannot be read."""
        return self._file.problems

    def _add(self, fields: Mapping[str, Any]) -> int:
        with self._lock:
            self._guard()
            number = self._file.next_number()
            self._file.append(self._file.encode({self.number: number, **fields}), number=number)
            return number

    def follow(self, folder: Path) -> None:
        """The task's folder was moved: read there from now on."""
        self._folder = folder
        self._file.follow(folder)

    def count(self) -> int:
        """How many records there are. What is torn or unreadable does not count. O(1)."""
        return self._file.count

    def records(self, *, strict: bool = False) -> Iterator[Record]:
        """All records, first to last.

        Args:
            strict: Whether an unreadable line raises, instead of being skipped.

        Raises:
            CorruptHistoryError: ``strict``, and a line between records cannot be read.
        """
        return self._file.records(strict=strict)

    def marks(self) -> dict[str, Mark]:
        """How far the store's files are whole now."""
        return {self.file_name: self._file.mark()}

    def salvage(self) -> None:
        """Set unreadable lines aside."""
        with self._lock:
            self._guard()
            self._file.salvage()
            told = self._file.problems
            self._open(None)
            self._file.problems[:0] = told
