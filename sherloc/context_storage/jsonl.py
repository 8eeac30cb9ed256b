"""Files of JSON records, a line each, that only grow: how they are read, repaired and appended to.

A record is what ends with a line feed and is a JSON object. What stands after the last record was being written when
the writer died: it is moved to a file of its own (``.torn``) and counted. A line that cannot be read *between* records,
or is JSON and not made as the file's records are (``shapes``), is damage: whoever only looks goes on after it, whoever
builds on the history does not.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sherloc.context_storage.disk import Disk
from sherloc.context_storage.exact import dump_exact, load_exact
from sherloc.context_storage.plain import in_words, open_plain
from sherloc.context_storage.shapes import LARGEST, Shape, is_count, misfit, number_of, shape_of
from sherloc.errors import CorruptHistoryError, LeaseLostError, UsageError
from sherloc.schema.report import Diagnostic

Record = dict[str, Any]
Visit = Callable[[Record, int, int], None]

_SAMPLE = 4096
_PADDING = b"\0 \t\r\n"


def encode_record(record: Mapping[str, Any], shape: Shape | None = None) -> bytes:
    """A record as a line of its file.

    Half characters (lone surrogates), which UTF-8 has not, are written as JSON's escapes and come back as they were.

    Args:
        record: Values by name.
        shape: What it must be made of, so that it can be read again.

    Raises:
        UsageError: A value would not come back equal (see ``exact``), or a field is not of its kind.
    """
    wrong = misfit(record, shape or {})
    if wrong:
        raise UsageError(f"It cannot be stored: {wrong}.")
    return dump_exact(record).encode() + b"\n"


def decode_record(line: bytes) -> Record | None:
    """The record of a line; None if it is no whole one."""
    if not line.endswith(b"\n"):
        return None
    try:
        record = load_exact(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def read_records(path: Path, *, strict: bool = False, shape: Shape | None = None) -> Iterator[Record]:
    """The records of a file, first to last; none if it is not there. What is torn off at the end is left out.

    Args:
        path: The file.
        strict: Whether damage ends it; else it is skipped.
        shape: What a record is made of; None: what the file's name says.

    Raises:
        CorruptHistoryError: ``strict``, and a line between records cannot be read, a record is not made as it must
            be, or its number is not above the one before.
        TaskStoreError: It is no plain file, or cannot be read.
    """
    damaged = last = 0
    shape = shape_of(path.name) if shape is None else shape
    name = number_of(shape)
    for number, (_, line) in enumerate(_lines(path, 0), 1):
        record = decode_record(line)
        if record is None:
            damaged = damaged or (number if line.strip(_PADDING) else 0)
            continue
        if damaged and strict:
            raise corrupt(path, damaged)
        wrong = misfit(record, shape)
        if not wrong and strict and name:
            wrong = "" if record[name] > last else f"{name} is {record[name]}, not above the {last} before it"
            last = record[name]
        if wrong and strict:
            raise corrupt(path, number, wrong)
        if not wrong:
            yield record


def corrupt(path: Path, line: int, wrong: str = "") -> CorruptHistoryError:
    """The error for a line that cannot be read.

    Args:
        path: The file.
        line: Which, from 1.
        wrong: What is wrong with the record in it; empty if there is none in it.
    """
    said = f"is no record of such a file: {wrong}" if wrong else "cannot be read, and records follow it"
    return CorruptHistoryError(
        f"Line {line} of {path} {said}.",
        hint="Open the task with salvage=True (sherloc tasks resume --salvage) to go on without the line; it is kept "
        "beside the file.",
        path=str(path),
        line=line,
    )


def _lines(path: Path, start: int) -> Iterator[tuple[int, bytes]]:
    """Lines with their places. One without its line feed is the last, even if its rest is written meanwhile."""
    try:
        file = open_plain(path)
    except FileNotFoundError:
        return
    with file, in_words(path):
        file.seek(start)
        for line in file:
            yield start, line
            if not line.endswith(b"\n"):
                return
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
    return mark if all(map(is_count, asdict(mark).values())) else None


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
        damaged: Lines that are no record of the file, 1-based, among those read.
        problems: What the user should know.
        from_mark: Whether the mark was used.
        shape: What a record is made of.

    Raises:
        TaskStoreError: It is no plain file, or cannot be read or repaired.
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
        self.shape = shape_of(path.name)
        self.problems: list[Diagnostic] = []
        self.torn = 0
        self._sound = True
        with in_words(path):
            self.from_mark = mark is not None and self._fits(mark)
            self._scan(mark if self.from_mark else None, visit)

    def _fits(self, mark: Mark) -> bool:
        try:
            sample = self._sample(mark.size)
        except FileNotFoundError:
            return mark == Mark(0, 0, 0, 0)
        return len(sample) == min(mark.size, _SAMPLE) and zlib.crc32(sample) == mark.check and self._ends(sample, mark)

    def _ends(self, sample: bytes, mark: Mark) -> bool:
        """Whether the last record before the mark has the mark's number, where that can be seen."""
        *before, line, _ = (b"\n" + sample).split(b"\n") if sample else [b"", b""]
        if not self._number or (not before and mark.size > _SAMPLE):
            return True
        record = decode_record(line + b"\n") or {}
        return bool(record.get(self._number, 0) == mark.last)

    def _sample(self, size: int) -> bytes:
        """The last bytes before ``size``."""
        if not size:
            return b""
        with open_plain(self.path) as file:
            file.seek(max(0, size - _SAMPLE))
            return file.read(min(size, _SAMPLE))

    def mark(self) -> Mark:
        """How far the file is whole now: to its end."""
        return Mark(self.size, self.count, self.last, zlib.crc32(self._sample(self.size)))

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
            self.size = offset + len(line)
            if misfit(record, self.shape):
                self.damaged.append(number)
                continue
            self.count += 1
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
            with open_plain(self.path) as file:
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
        """Put records in the order of their numbers; keep what cannot be read, or has another's number, beside it.

        The file has to be opened anew then.
        """
        bad: list[bytes] = []
        good: list[tuple[int, bytes]] = []
        for _, line in _lines(self.path, 0):
            record = decode_record(line)
            if record is None or misfit(record, self.shape):
                bad.append(line if line.endswith(b"\n") else line + b"\n")
            else:
                good.append((record[self._number] if self._number else len(good), line))
        ordered = sorted(good, key=lambda each: each[0])
        if moved := ordered != good:
            self._tell("history_salvaged", f"Records of {self.path.name} were put back in order.")
        kept = [line for at, (number, line) in enumerate(ordered) if not at or ordered[at - 1][0] != number]
        bad += [line for at, (number, line) in enumerate(ordered) if at and ordered[at - 1][0] == number]
        if bad:
            self.set_aside(b"".join(bad))
            self._tell("history_salvaged", f"{len(bad)} unreadable lines of {self.path.name} were set aside.", len(bad))
        if bad or moved:
            self._disk.replace(self.path, b"".join(kept))

    def rise(self, number: int) -> bool:
        """Go on above a number that another file names; whether none so high was stored here."""
        lower = self.last < number
        self.last = max(self.last, number)
        return lower

    def next_number(self) -> int:
        """The number of the next record: one above the highest stored.

        Raises:
            CorruptHistoryError: There is none left; only another program can have written such a record.
        """
        if self.last >= LARGEST:
            raise CorruptHistoryError(
                f"A record of {self.path} has the {self._number} {self.last}: there is no higher one for the next.",
                hint="Only another program can have written it; take its line away.",
                path=str(self.path),
            )
        return self.last + 1

    def encode(self, record: Mapping[str, Any]) -> bytes:
        """A record as a line; see ``encode_record``."""
        return encode_record(record, self.shape)

    def append(self, line: bytes, *, number: int = 0) -> None:
        """Add a record; when this returns it is kept.

        An error leaves the file as it was, or, where even that fails, to be repaired before the next append.

        Args:
            line: From ``encode``.
            number: The record's number.

        Raises:
            OSError: The disk is full or broken, or may not be written.
            TaskStoreError: It is no plain file any more.
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

    def follow(self, folder: Path) -> None:
        """The file lies in another folder now."""
        self.path = folder / self.path.name

    def records(self, *, strict: bool = False) -> Iterator[Record]:
        """The records; see ``read_records``."""
        return read_records(self.path, strict=strict)
