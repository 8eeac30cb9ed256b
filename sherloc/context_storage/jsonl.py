"""Files of JSON records, a line each, that only grow: how they are read, repaired and appended to.

A record is what ends with a line feed and is a JSON object. What stands after the last record was being written when
the writer died: it is moved to a file of its own (``.torn``) and counted. A line that cannot be read *between* records
is damage: whoever only looks goes on after it, whoever builds on the history does not.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sherloc.context_storage.disk import Disk
from sherloc.errors import CorruptHistoryError, LeaseLostError, UsageError
from sherloc.schema.report import Diagnostic

Record = dict[str, Any]
Visit = Callable[[Record, int, int], None]

_SAMPLE = 4096
_PADDING = b"\0 \t\r\n"


def encode_record(record: Mapping[str, Any]) -> bytes:
    """A record as a line of its file.

    Half characters (lone surrogates), which UTF-8 has not, are written as JSON's escapes and come back as they were.

    Raises:
        UsageError: A value is none of JSON's kinds, or a number is not finite.
    """
    try:
        text = json.dumps(record, ensure_ascii=False, allow_nan=False)
        try:
            return text.encode() + b"\n"
        except UnicodeEncodeError:
            return json.dumps(record, allow_nan=False).encode() + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"It cannot be stored as JSON: {error}.") from error


def decode_record(line: bytes) -> Record | None:
    """The record of a line; None if it is no whole one."""
    if not line.endswith(b"\n"):
        return None
    try:
        record = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def read_records(path: Path, *, strict: bool = False, start: int = 0) -> Iterator[Record]:
    """The records of a file, first to last; none if it is not there. What is torn off at the end is left out.

    Args:
        path: The file.
        strict: Whether damage between records ends it; else it is skipped.
        start: Where to begin. Bytes; the start of a line.

    Raises:
        CorruptHistoryError: ``strict``, and a line between records cannot be read.
    """
    damaged = 0
    for number, (_, line) in enumerate(_lines(path, start), 1):
        record = decode_record(line)
        if record is None:
            damaged = damaged or (number if line.strip(_PADDING) else 0)
        else:
            if damaged and strict:
                raise corrupt(path, damaged)
            yield record


def corrupt(path: Path, line: int) -> CorruptHistoryError:
    """The error for a line that cannot be read."""
    return CorruptHistoryError(
        f"Line {line} of {path} cannot be read, and records follow it.",
        hint="Open the task with salvage=True (sherloc tasks resume --salvage) to go on without the line; it is kept "
        "beside the file.",
        path=str(path),
        line=line,
    )


def _lines(path: Path, start: int) -> Iterator[tuple[int, bytes]]:
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        file.seek(start)
        for line in file:
            yield start, line
            start += len(line)


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a file is known to be whole, so that opening it need not read it all.

    Attributes:
        size: Bytes.
        count: Records in them.
        last: The highest number of a record.
        check: CRC-32 of the last bytes before ``size``.
    """

    size: int
    count: int
    last: int
    check: int

    def record(self) -> dict[str, int]:
        """As JSON."""
        return asdict(self)


def read_mark(record: Any) -> Mark | None:
    """A mark from JSON; None if it is none."""
    try:
        mark = Mark(**record)
    except TypeError:
        return None
    return mark if all(type(each) is int and each >= 0 for each in asdict(mark).values()) else None


class JsonlFile:
    """A file of records with one writer. Opening it repairs its end.

    Args:
        path: The file; made at the first append.
        disk: What writes.
        number: The field that numbers records, or empty.
        forced: Whether each append is forced to the disk; not needed where the file can be made anew from others.
        mark: From an earlier ``mark()``: what is before is not read again, if the file still fits.
        visit: Called with each record read, in order, its place and its length. Bytes.

    Attributes:
        size: Bytes of whole records.
        count: Records.
        last: Highest number so far, 0 for none.
        torn: Records that were torn off at the end and moved away (0 or 1 a repair).
        damaged: Lines between records that cannot be read, 1-based, among those read.
        problems: What the user should know.
        from_mark: Whether the mark was used.
    """

    def __init__(
        self,
        path: Path,
        disk: Disk,
        *,
        number: str = "seq",
        forced: bool = True,
        mark: Mark | None = None,
        visit: Visit | None = None,
    ) -> None:
        self.path, self._disk, self._number, self._forced = path, disk, number, forced
        self.problems: list[Diagnostic] = []
        self.torn = 0
        self._sound = True
        self.from_mark = mark is not None and self._fits(mark)
        self._scan(mark if self.from_mark else None, visit)

    def _fits(self, mark: Mark) -> bool:
        try:
            return self.path.stat().st_size >= mark.size and self._check(mark.size) == mark.check
        except FileNotFoundError:
            return mark.size == 0

    def _check(self, size: int) -> int:
        if not size:
            return 0
        with self.path.open("rb") as file:
            file.seek(max(0, size - _SAMPLE))
            return zlib.crc32(file.read(min(size, _SAMPLE)))

    def mark(self) -> Mark:
        """How far the file is whole now: to its end."""
        return Mark(self.size, self.count, self.last, self._check(self.size))

    def _scan(self, mark: Mark | None, visit: Visit | None) -> None:
        mark = mark or Mark(0, 0, 0, 0)
        self.size, self.count, self.last = mark.size, mark.count, mark.last
        self.damaged: list[int] = []
        unread: list[int] = []
        gaps = doubles = 0
        for number, (offset, line) in enumerate(_lines(self.path, mark.size), mark.count + 1):
            record = decode_record(line)
            if record is None:
                unread += [number] if line.strip(_PADDING) else []
                continue
            self.damaged += unread
            unread = []
            self.size, self.count = offset + len(line), self.count + 1
            order = record.get(self._number)
            if self._number and type(order) is int:
                gaps += order > self.last + 1
                doubles += order <= self.last
                self.last = max(self.last, order)
            if visit:
                visit(record, offset, len(line))
        self._report(gaps, doubles)
        self._repair_tail()

    def _report(self, gaps: int, doubles: int) -> None:
        for code, count, words in (
            ("history_damaged", len(self.damaged), f"unreadable lines, the first is {self.damaged[:1]}"),
            ("history_gap", gaps, f"gaps in {self._number}"),
            ("history_duplicate", doubles, f"records whose {self._number} is not above the one before"),
        ):
            if count:
                self._tell(code, f"{self.path.name} has {count} {words}.", count)

    def _tell(self, code: str, message: str, count: int = 1) -> None:
        self.problems.append(
            Diagnostic(code=code, severity="warning", message=message, path=self.path.as_posix(), count=count)
        )

    def _repair_tail(self) -> None:
        """Move what stands after the last record aside; a kill in between leaves it to the next one."""
        try:
            with self.path.open("rb") as file:
                file.seek(self.size)
                tail = file.read()
        except FileNotFoundError:
            return
        if not tail:
            return
        torn = tail.strip(_PADDING)
        if torn:
            self.torn += 1
            self.set_aside(torn)
            words = f"The last record of {self.path.name} was never completed ({len(tail)} bytes)."
            self._tell("history_torn", words)
        self._disk.truncate(self.path, self.size)

    def set_aside(self, data: bytes) -> None:
        """Keep bytes that are no record in a file beside this one."""
        aside = self.path.with_name(f"{self.path.name}.torn")
        with self._disk.appending(aside) as descriptor:
            self._disk.write(descriptor, data.rstrip(b"\n") + b"\n", aside)
            self._disk.sync(descriptor, aside)

    def salvage(self) -> None:
        """Take lines that cannot be read out of the file and keep them beside it; then open it anew."""
        bad: list[bytes] = []
        good: list[bytes] = []
        for _, line in _lines(self.path, 0):
            (bad if decode_record(line) is None else good).append(line)
        if bad:
            self.set_aside(b"".join(line if line.endswith(b"\n") else line + b"\n" for line in bad))
            self._disk.replace(self.path, b"".join(good))
            self._tell("history_salvaged", f"{len(bad)} unreadable lines of {self.path.name} were set aside.", len(bad))

    def append(self, line: bytes, *, number: int = 0) -> None:
        """Add a record; when this returns it is kept.

        An error leaves the file as it was, or, where even that fails, to be repaired before the next append.

        Args:
            line: From ``encode_record``.
            number: The record's number.

        Raises:
            OSError: The disk is full or broken, or may not be written.
            LeaseLostError: Somebody else wrote to the file since.
        """
        if not self._sound:
            self._repair_tail()
            self._sound = True
        fresh = self.size == 0 and not self.path.exists()
        with self._disk.appending(self.path) as descriptor:
            if os.fstat(descriptor).st_size != self.size:
                raise LeaseLostError(
                    f"{self.path} was changed by another process.", hint="Close the task and open it again."
                )
            try:
                self._disk.write(descriptor, line, self.path)
                if self._forced:
                    self._disk.sync(descriptor, self.path)
            except BaseException:
                self._sound = False
                self._disk.truncate(self.path, self.size)
                self._sound = True
                raise
        if fresh:
            self._disk.sync_folder(self.path.parent)
        self._before = (self.size, self.count, self.last)
        self.size, self.count, self.last = self.size + len(line), self.count + 1, max(self.last, number)

    def undo(self) -> None:
        """Take the last append back."""
        self.size, self.count, self.last = self._before
        self._sound = False
        self._disk.truncate(self.path, self.size)
        self._sound = True

    def records(self, *, strict: bool = False) -> Iterator[Record]:
        """The records; see ``read_records``."""
        return read_records(self.path, strict=strict)
