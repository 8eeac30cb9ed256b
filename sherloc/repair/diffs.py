"""Unified diffs from models and tools: read, placed where their lines really stand, and written anew for git.

Line numbers and counts in hunk heads are only believed where the file bears them out. A hunk whose lines stand in the
file exactly once is placed there; one that could go to several places, or to none, is refused in words. Nothing is
matched loosely but line ends and the byte-order mark, which models do not see. Git applies what comes out of this.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from sherloc.boundary.diffs import FileDiff, Hunk, read_files
from sherloc.repair.edits import MAX_FAILED, nearest
from sherloc.repair.texts import BOM, MAX_PLACES

_NUMBERLESS = re.compile(r"@@(?! -\d).*", re.DOTALL)
_OPEN_END = "@@ -1,999999999 +1,999999999 @@"
_LOST = re.compile(r"\+(?!\+\+ )|-(?:\S|\s\s)(?<!--)")
_MODES = ("new file mode ", "new mode ")
_BINARY = ("GIT binary patch", "Binary files ")
_SHOWN_PLACES = 5
_MAX_LINES = 100_000
"""Of a diff; longer ones are not looked at."""


@dataclass(frozen=True, slots=True)
class PatchHunk:
    """A hunk as it was sent.

    Attributes:
        number: Of the hunk in its file, from 1.
        start: The line of its old side that the head names, 1-based; None when it names none.
        lines: (mark, text): `` `` context, ``-`` removed, ``+`` added; a carriage return stays.
        ends: Whether the last line of the old and of the new side was said to have no line feed; None when nothing was.
    """

    number: int
    start: int | None
    lines: tuple[tuple[str, str], ...]
    ends: tuple[bool, bool] | None = None

    @property
    def old(self) -> list[str]:
        """The lines that must be there."""
        return [text for mark, text in self.lines if mark != "+"]


@dataclass(slots=True)
class FilePatch:
    """What a diff does to one file.

    Attributes:
        old: Path before; None for a file that it makes.
        new: Path after; None for a file that it deletes.
        mode: Git's mode after, where the diff names one; else empty.
        renamed: Whether the diff says so.
        copied: Whether the old file stays.
        hunks: In the diff's order.
    """

    old: str | None
    new: str | None
    mode: str = ""
    renamed: bool = False
    copied: bool = False
    hunks: list[PatchHunk] = field(default_factory=list)

    @property
    def path(self) -> str:
        """The path that it is known by."""
        return self.new or self.old or ""

    def without_marks(self) -> None:
        """Leave byte-order marks out of its lines, for a file whose own is kept in any case."""
        self.hunks = [
            replace(hunk, lines=tuple((mark, text.removeprefix(BOM)) for mark, text in hunk.lines))
            for hunk in self.hunks
        ]


@dataclass(frozen=True, slots=True)
class Placed:
    """A part of a file to be replaced.

    Attributes:
        start: Its first line, 0-based.
        size: How many lines it has.
        lines: What comes in their place.
        open_end: Whether the last of them, being the file's last, has no line feed.
    """

    start: int
    size: int
    lines: tuple[str, ...]
    open_end: bool


def read_patch(diff: str) -> tuple[list[FilePatch], list[str]]:
    """The files of a diff, and what makes it unreadable, one sentence each."""
    if diff.count("\n") > _MAX_LINES:
        return [], [f"The diff has over {_MAX_LINES} lines: change only what the ticket needs."]
    raw = diff.split("\n")
    bare = {number for number, line in enumerate(raw, 1) if _NUMBERLESS.match(line) and not line.startswith("@@@")}
    shown = "\n".join(_OPEN_END if number in bare else line for number, line in enumerate(raw, 1))
    patches: list[FilePatch] = []
    problems: list[str] = []
    for file in read_files(shown):
        patch = FilePatch(*_sides(file))
        name = patch.path or "a file"
        texts = [text for _, text in file.heads]
        patch.mode = next((text.split(" mode ")[1].strip() for text in texts if text.startswith(_MODES)), "")
        patch.copied = any(text.startswith("copy from ") for text in texts)
        patch.renamed = patch.copied or any(text.startswith("rename from ") for text in texts)
        if not patch.path:
            problems.append("The diff has a part that names no file: write --- a/PATH and +++ b/PATH before its hunks.")
            continue
        if any(text.startswith(_BINARY) for text in texts):
            problems.append(f"{name}: binary patches are not taken; only text can be changed.")
            continue
        if any(text.startswith(("diff --cc", "diff --combined")) for text in texts):
            problems.append(f"{name}: a combined diff of a merge is not taken; send a plain unified diff.")
            continue
        if not file.hunks and patch.new and not patch.mode and not patch.renamed:
            problems.append(f"{name}: the diff has no hunk for it.")
        open_ends = {line - 1 for line, text in file.heads if text.startswith("\\")}
        for number, hunk in enumerate(file.hunks, 1):
            patch.hunks.append(_read_hunk(number, hunk, open_ends, raw, bare))
        problems += [f"{name}: {text}" for text in _lost(file, raw)]
        patches.append(patch)
    return patches, problems


def _sides(file: FileDiff) -> tuple[str | None, str | None]:
    return tuple(None if path in (None, "", "/dev/null") else path for path in (file.old, file.new))  # type: ignore[return-value]


def _read_hunk(number: int, hunk: Hunk, open_ends: set[int], raw: Sequence[str], bare: set[int]) -> PatchHunk:
    marks = [mark for mark, _ in hunk.lines]
    texts = [raw[line - 1][1:] if raw[line - 1].strip("\r") else raw[line - 1] for line in hunk.text_lines]
    last = len(texts)
    # What editors and models leave behind at the end of a hunk is no context.
    while last and marks[last - 1] == " " and not raw[hunk.text_lines[last - 1] - 1]:
        last -= 1
    sides = [False, False]
    told = False
    for line, mark in zip(hunk.text_lines, marks, strict=True):
        if line in open_ends:
            told = True
            sides[0] |= mark != "+"
            sides[1] |= mark != "-"
    start = None if hunk.text_lines and hunk.text_lines[0] - 1 in bare else hunk.start
    lines = tuple(zip(marks[:last], texts[:last], strict=True))
    return PatchHunk(number, start, lines, (sides[0], sides[1]) if told else None)


def _lost(file: FileDiff, raw: Sequence[str]) -> list[str]:
    """Lines of the diff that look like content and belong to no hunk."""
    if not file.hunks:
        return []
    problems = []
    spans = [(hunk.text_lines[0], hunk.text_lines[-1]) for hunk in file.hunks if hunk.text_lines]
    for line, text in file.heads:
        before = bisect_left(spans, (line, 0)) - 1
        inside = before >= 0 and line < spans[before][1]
        behind = before >= 0 and spans[0][1] < line
        if text.startswith("\\") or raw[line - 1].startswith("@@"):
            continue
        if inside or (behind and _LOST.match(text) and not text.startswith(("--- ", "+++ "))):
            problems.append(
                f"line {line} of the diff ({text[:80]!r}) belongs to no hunk. Each line of a hunk begins with a blank, "
                "+ or -, empty context lines too; write the counts in the @@ line as they are."
            )
    return problems[:3]


def place(patch: FilePatch, text: str) -> tuple[list[Placed], list[str]]:
    """Where the hunks of a patch go in a file.

    Args:
        patch: Whose.
        text: Of the file; not empty.

    Returns:
        The parts that are replaced, in order, and what is wrong with the hunks that were left out.
    """
    lines = text.split("\n")
    ended = not lines[-1]
    if ended:
        lines.pop()
    places = _Places(lines)
    parts: list[Placed] = []
    problems: list[str] = []
    for hunk in patch.hunks:
        if len(problems) >= MAX_FAILED:
            problems.append(f"After {MAX_FAILED} hunks of {patch.path} that do not apply no more were looked at.")
            break
        which = f"hunk {hunk.number} of {len(patch.hunks)} of {patch.path}"
        if all(mark == " " for mark, _ in hunk.lines):
            continue
        found, exact = places.of(hunk.old, None if hunk.start is None else hunk.start - 1)
        at = _chosen(hunk, found)
        if not hunk.old:
            problems.append(f"{which} has no context: take at least one unchanged line of the file into it.")
        elif at is not None:
            parts.append(_placed(hunk, at, lines, ended, exact))
        elif found:
            shown = ", ".join(str(place + 1) for place in found[:_SHOWN_PLACES])
            often = f"{len(found)} times" if len(found) < MAX_PLACES else f"{MAX_PLACES} times or more"
            problems.append(
                f"{which}: its lines stand {often} in the file (at lines {shown}) and not at the line that "
                "the @@ line names. Take more context into it, or correct the line number."
            )
        else:
            problems.append(f"{which} does not apply: {nearest(text, chr(10).join(hunk.old))}")
    parts.sort(key=lambda part: (part.start, part.size))
    for one, other in zip(parts, parts[1:], strict=False):
        if other.start < one.start + one.size or (other.start == one.start and not one.size and not other.size):
            problems.append(f"two hunks of {patch.path} change line {other.start + 1}: make one hunk of them.")
            break
    return parts, problems


class _Places:
    """Finds runs of lines in a file.

    Args:
        lines: The file's.

    Complexity: linear in the file for each run, at the speed of ``str.find``.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self._exact = _Rows(lines)
        self._loose = _Rows([line.removesuffix("\r") for line in lines])

    def of(self, wanted: list[str], named: int | None) -> tuple[list[int], bool]:
        """Where lines stand in the file, at most ``MAX_PLACES`` besides the place that is named.

        Args:
            wanted: The lines.
            named: A line, 0-based, at which they may stand; it is among the places if they do.

        Returns:
            Lines, 0-based, and whether they stand there exactly, line ends and all.
        """
        if not wanted:
            return [], True
        exact = self._exact.of(wanted, named)
        if exact:
            return exact, True
        return self._loose.of([line.removesuffix("\r") for line in wanted], named), False


class _Rows:
    """Lines as one text, each between two line feeds."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._text = "\n".join(("", *lines, ""))
        self._starts = list(accumulate((len(line) + 1 for line in lines), initial=0))

    def of(self, wanted: Sequence[str], named: int | None) -> list[int]:
        text = "\n".join(("", *wanted, ""))
        found: list[int] = []
        at = self._text.find(text)
        while at >= 0 and len(found) < MAX_PLACES:
            found.append(bisect_left(self._starts, at))
            at = self._text.find(text, at + 1)
        stands = named is not None and 0 <= named < len(self._starts) and named not in found
        if stands and named is not None and self._text.startswith(text, self._starts[named]):
            found.append(named)
        return found


def _chosen(hunk: PatchHunk, found: Sequence[int]) -> int | None:
    if hunk.start is not None and hunk.start - 1 in found:
        return hunk.start - 1
    return found[0] if len(found) == 1 else None


def _placed(hunk: PatchHunk, at: int, lines: list[str], ended: bool, exact: bool) -> Placed:
    """The part of the file that a hunk really changes, without the context around it."""
    old: list[str] = []
    new: list[str] = []
    first = last = None
    returns = lines[at].endswith("\r")
    row = at
    for mark, text in hunk.lines:
        if mark != " ":
            first = (len(old), len(new)) if first is None else first
        if mark == "+":
            new.append(text if exact else _with_end(text, returns))
        else:
            returns = lines[row].endswith("\r")
            old.append(lines[row])
            row += 1
            if mark == " ":
                new.append(old[-1])
        if mark != " ":
            last = (len(old), len(new))
    assert first is not None and last is not None
    at_end = at + last[0] == len(lines)
    open_end = at_end and not (ended if hunk.ends is None or hunk.ends[0] == ended else not hunk.ends[1])
    if at_end and (not ended or open_end) and (first[0] == last[0] or first[1] == last[1]) and first[0] and first[1]:
        # The line before changes, too: it gains or loses the line feed at its end.
        first = (first[0] - 1, first[1] - 1)
    part = tuple(new[first[1] : last[1]])
    return Placed(at + first[0], last[0] - first[0], part, open_end and bool(part))


def _with_end(text: str, returns: bool) -> str:
    return text.removesuffix("\r") + ("\r" if returns else "")


def rewrite(name: str, text: str, parts: Sequence[Placed]) -> bytes:
    """A patch that git takes to the letter: no context, every count and line number right.

    Args:
        name: The plain name of the content in git.
        text: The old text.
        parts: Sorted, not overlapping.
    """
    lines = text.split("\n")
    ended = not lines[-1]
    if ended:
        lines.pop()
    out = [f"diff --git a/{name} b/{name}", f"--- a/{name}", f"+++ b/{name}"]
    grown = 0
    for part in parts:
        new_size = len(part.lines)
        old_start = part.start + (part.size > 0)
        new_start = part.start + grown + (new_size > 0)
        out.append(f"@@ -{old_start},{part.size} +{new_start},{new_size} @@")
        out += [f"-{line}" for line in lines[part.start : part.start + part.size]]
        if part.size and part.start + part.size == len(lines) and not ended:
            out.append("\\ No newline at end of file")
        out += [f"+{line}" for line in part.lines]
        if part.open_end:
            out.append("\\ No newline at end of file")
        grown += new_size - part.size
    return ("\n".join(out) + "\n").encode("utf-8")


def deletes_all(patch: FilePatch, text: str) -> bool:
    """Whether the hunks of a patch that deletes a file remove all of its lines, as git asks for; or there are none."""
    if not patch.hunks:
        return True
    removed = [line for hunk in patch.hunks for line in hunk.lines]
    if any(mark != "-" for mark, _ in removed):
        return False
    rows = text.removesuffix("\n").split("\n") if text else []
    return [line.removesuffix("\r") for _, line in removed] == [row.removesuffix("\r") for row in rows]


def made_text(patch: FilePatch) -> tuple[str, list[str]]:
    """The text of a file that a patch makes, and what is wrong with it."""
    if any(mark != "+" for hunk in patch.hunks for mark, _ in hunk.lines):
        return "", [f"{patch.path} does not exist, so it has no lines to keep or remove: begin each line with +."]
    lines = [text for hunk in patch.hunks for _, text in hunk.lines]
    ends = patch.hunks[-1].ends if patch.hunks else None
    return "\n".join(lines) + ("" if not lines or (ends and ends[1]) else "\n"), []
