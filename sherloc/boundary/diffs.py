"""Reads unified diffs from anywhere: git's, plain ones, combined ones, mails, broken ones. Never fails, always linear.

Every line of the text comes back, in a hunk or not: what a parser leaves out, a model still reads. Counts in hunk heads
are taken as a hint: a head that says too little or too much hides no line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from sherloc.boundary.hits import Origin

_HUNK = re.compile(r"(@@{1,9}) ((?:-\d{1,9}(?:,\d{1,9})? )+)\+(\d{1,9})(?:,(\d{1,9}))? \1(.*)", re.DOTALL)
_OLD_RANGE = re.compile(r"-(\d+)(?:,(\d+))?")
_START = ("diff --git ", "diff --cc ", "diff --combined ", "Index: ")
_HEADS = (*_START, "@@", "index ", "From ", "GIT binary patch", "Binary files ")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPED = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
_PREFIXES = {("a/", "b/"), ("b/", "a/"), ("i/", "w/"), ("c/", "i/"), ("c/", "w/"), ("o/", "w/"), ("w/", "i/"),
             ("w/", "c/"), ("i/", "c/"), ("1/", "2/"), ("2/", "1/")}  # fmt: skip
_NOWHERE = "/dev/null"


@dataclass(slots=True)
class DiffLine:
    """One line of a diff.

    Attributes:
        text: Without the columns that say where it belongs, and without the line's end.
        path: The file; None for what stands outside hunks: mails, heads, words of git.
        line: Line in the file (``DiffLine.path`` before or after), or in the diff where ``path`` is None.
        origin: Added, context or removed; ``context`` outside hunks.
        text_line: Line in the diff, 1-based.
        hunk: Number of the hunk in the diff, from 1; 0 outside.
    """

    text: str
    path: str | None
    line: int
    origin: Origin
    text_line: int
    hunk: int = 0


@dataclass(slots=True)
class Hunk:
    """A hunk of one file.

    Attributes:
        start: The first line of its old side, 1-based; of a pure insertion the old line that follows it.
        lines: (mark, text): `` `` context, ``-`` removed, ``+`` added.
        text_lines: Where each of them stands in the diff, 1-based.
    """

    start: int
    lines: list[tuple[str, str]] = field(default_factory=list)
    text_lines: list[int] = field(default_factory=list)


@dataclass(slots=True)
class FileDiff:
    """What a diff does to one file.

    Attributes:
        old: Path before; None for a file that it makes.
        new: Path after; None for a file that it deletes.
        hunks: In the diff's order; none for a mere rename, a change of mode and a binary file.
        heads: Every line that stands outside of its hunks, from its first head on: (line in the diff, text).
    """

    old: str | None
    new: str | None
    hunks: list[Hunk] = field(default_factory=list)
    heads: list[tuple[int, str]] = field(default_factory=list)


def looks_like_diff(text: str) -> bool:
    """Whether a text holds a hunk of a file; a mail or a commit's message may stand before it."""
    return bool(re.search(r"^(?:\+\+\+ .*\r?\n@@{1,9} -\d|(?:diff --git |diff --cc )\S)", text, re.MULTILINE))


def read_diff(diff: str) -> list[DiffLine]:
    """All lines of a diff, in its order.

    Args:
        diff: Text of any origin; what is no diff comes back as lines outside hunks.
    """
    return list(_Reader(diff.split("\n")).lines())


def read_files(diff: str) -> list[FileDiff]:
    """The files that a diff touches, in its order.

    Args:
        diff: As for ``read_diff``. Of a combined diff the first parent is the old side.
    """
    reader = _Reader(diff.split("\n"))
    files: list[FileDiff] = []
    open_hunk = 0
    for line in reader.lines():
        if line.hunk and line.hunk != open_hunk and files:
            open_hunk = line.hunk
            files[-1].hunks.append(Hunk(reader.hunk_start))
        if line.hunk and files:
            files[-1].hunks[-1].lines.append((_MARKS[line.origin], line.text))
            files[-1].hunks[-1].text_lines.append(line.text_line)
        elif not line.hunk:
            _note_head(files, line.text, reader)
            if files:
                files[-1].heads.append((line.text_line, line.text))
    return files


_MARKS: dict[Origin, str] = {"added": "+", "removed": "-", "context": " "}
_NO_START = ("--- ", "+++ ", "rename ", "copy ", "new file mode ", "deleted file mode ")


def _note_head(files: list[FileDiff], head: str, reader: _Reader) -> None:
    """Bring the last file up to what a line outside of hunks says."""
    if head.startswith(_START) or (head.startswith("--- ") and (not files or files[-1].hunks)):
        files.append(FileDiff(reader.old_path, reader.new_path))
    elif files and head.startswith(_NO_START):
        last = files[-1]
        if head.startswith("new file mode "):
            last.old = None
        elif head.startswith("deleted file mode "):
            last.new = None
        else:
            last.old = None if reader.old_path == _NOWHERE else reader.old_path
            last.new = None if reader.new_path == _NOWHERE else reader.new_path


@dataclass
class _Reader:
    """A machine with two states: in a hunk, or not."""

    raw: list[str]
    old_path: str | None = None
    new_path: str | None = None
    parents: int = 0
    old: int = 0
    new: int = 0
    old_left: int = 0
    new_left: int = 0
    hunk: int = 0
    hunk_start: int = 0

    def lines(self) -> Iterator[DiffLine]:
        last = len(self.raw) - 1
        for number, raw in enumerate(self.raw):
            line = raw[:-1] if raw.endswith("\r") else raw
            if number == last and not line:
                return
            yield self._in_hunk(number, line) or self._outside(number, line)

    def _outside(self, number: int, line: str) -> DiffLine:
        """A line that is no content of a file; heads change the state."""
        self.parents = 0
        text = line
        head = _HUNK.match(line)
        if head and (self.new_path or self.old_path):
            self._open(head)
            text = head[5].strip()
        elif line.startswith(_START):
            self.old_path, self.new_path = _named_by_git(line)
        elif line.startswith("--- "):
            self.old_path = _path(line[4:])
        elif line.startswith("+++ "):
            self.new_path = _path(line[4:])
            self.old_path, self.new_path = _without_prefixes(self.old_path, self.new_path)
        elif line.startswith(("rename from ", "copy from ")):
            self.old_path = _unquoted(line.split(" from ", 1)[1])
        elif line.startswith(("rename to ", "copy to ")):
            self.new_path = _unquoted(line.split(" to ", 1)[1])
        return DiffLine(text, None, number + 1, "context", number + 1)

    def _open(self, head: re.Match[str]) -> None:
        olds = _OLD_RANGE.findall(head[2])
        self.parents = len(olds)
        self.old, self.new = int(olds[0][0]), int(head[3])
        self.old_left = max(int(count or 1) for _, count in olds)
        self.new_left = int(head[4] or 1)
        self.hunk += 1
        self.hunk_start = self.old + (self.old_left == 0)

    def _in_hunk(self, number: int, line: str) -> DiffLine | None:
        """The line as content of the open hunk; None when it is none."""
        if not self.parents:
            return None
        marks = line[: self.parents]
        if line.startswith("\\"):
            return DiffLine(line, None, number + 1, "context", number + 1)
        if not line:
            # Mailers and editors cut the blank of an empty context line.
            if self.old_left <= 0 and self.new_left <= 0:
                return None
            marks = " " * self.parents
        elif self._is_head(number, line):
            return None
        elif marks.strip("+- ") or len(marks) < self.parents:
            # A wrapped line of a mail; the counts say that the hunk goes on.
            return None if self._used_up else DiffLine(line, None, number + 1, "context", number + 1)
        origin: Origin = "removed" if "-" in marks else "added" if "+" in marks else "context"
        path = self._of(origin)
        at = self.old if origin == "removed" else self.new
        made = DiffLine(line[self.parents :], path, at, origin, number + 1, self.hunk)
        if origin != "added":
            self.old += 1
            self.old_left -= 1
        if origin != "removed":
            self.new += 1
            self.new_left -= 1
        return made

    def _is_head(self, number: int, line: str) -> bool:
        """Whether a head stands here.

        ``--- old`` and ``+++ new`` are heads when a hunk's head follows that is not the next one of the same file, and
        else when the counts are used up.
        """
        if line.startswith(_HEADS):
            return True
        following = self.raw[number + 1 : number + 3]
        if line.startswith("--- ") and following and following[0].startswith("+++ "):
            if self._used_up:
                return True
            return len(following) > 1 and following[1].startswith("@@") and not self._ends_hunk(line, *following)
        # The mark of a mail's signature; the last hunk stands before it.
        return self._used_up and line == "-- "

    def _ends_hunk(self, line: str, other: str, head: str) -> bool:
        """Whether what looks like a file's heads is the last change of a hunk: ``-- old`` made ``++ new``.

        So the counts must say, the next hunk must be one further down, and the names those of no file.
        """
        old, new = _path(line[4:].removesuffix("\r")), _path(other[4:].removesuffix("\r"))
        named = old == new or _NOWHERE in (old, new) or (old[:2], new[:2]) in _PREFIXES
        following = _HUNK.match(head)
        olds = _OLD_RANGE.findall(following[2]) if following else []
        return not named and (self.old_left, self.new_left) == (1, 1) and bool(olds) and int(olds[0][0]) > self.old

    @property
    def _used_up(self) -> bool:
        return self.old_left <= 0 and self.new_left <= 0

    def _of(self, origin: Origin) -> str:
        first, second = (self.old_path, self.new_path) if origin == "removed" else (self.new_path, self.old_path)
        return next((path for path in (first, second) if path and path != _NOWHERE), "")


def _path(text: str) -> str:
    """The path of a ``---`` or ``+++`` line: a tab ends it, and a time may follow."""
    return _unquoted(text.split("\t", 1)[0])


def _unquoted(text: str) -> str:
    """Git quotes names with odd characters as C does; octal escapes are bytes of UTF-8."""
    if len(text) < 2 or not (text.startswith('"') and text.endswith('"')):
        return text
    raw = text[1:-1].encode("utf-8", "surrogatepass")
    return _ESCAPE.sub(_byte, raw).decode("utf-8", "replace")


def _byte(found: re.Match[bytes]) -> bytes:
    escape = found[1]
    return bytes([int(escape, 8) & 0xFF]) if len(escape) == 3 else _ESCAPED.get(escape, escape)


def _without_prefixes(old: str | None, new: str | None) -> tuple[str | None, str | None]:
    """Paths without the letters that git puts before them, where both sides have them."""
    if old and new and (old[:2], new[:2]) in _PREFIXES and len(old) > 2 and len(new) > 2:
        return old[2:], new[2:]
    if old == _NOWHERE and new and new[:2] in ("b/", "w/", "i/"):
        return old, new[2:]
    if new == _NOWHERE and old and old[:2] in ("a/", "i/", "c/"):
        return old[2:], new
    return old, new


def _named_by_git(line: str) -> tuple[str | None, str | None]:
    """Paths of a ``diff --git`` line, where they can be told: both are the same, or quoted."""
    if line.startswith("Index: "):
        return line[7:].strip(), line[7:].strip()
    names = line.split(" ", 2)[2] if line.count(" ") >= 2 else ""
    if not line.startswith("diff --git "):
        return names, names
    middle = len(names) // 2
    if len(names) % 2 and names[middle] == " ":
        old, new = _without_prefixes(_unquoted(names[:middle]), _unquoted(names[middle + 1 :]))
        if old == new:
            return old, new
    return None, None
