"""What a fix changed: the gold that predictions are compared with, from a unified diff and the old files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from sherloc.indexer.decoding import decode
from sherloc.syntax import Definition, outline

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True)
class Hunk:
    """A hunk: its first old line (1-based; for a pure insertion the line it comes after, plus one) and its body."""

    start: int
    body: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class FilePatch:
    """The hunks of one file; ``old`` is None for a new file, ``new`` for a deleted one."""

    old: str | None
    new: str | None
    hunks: tuple[Hunk, ...]


@dataclass
class Gold:
    """Existing files, functions (``path::qualified name``) and old lines that a fix changed; lines as runs, too.

    ``owners`` are (path, qualified name) of the innermost definition around each changed line, of any kind; module code
    has the empty name.
    """

    files: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    lines: list[tuple[str, int]] = field(default_factory=list)
    chunks: list[tuple[str, int, int]] = field(default_factory=list)
    owners: set[tuple[str, str]] = field(default_factory=set)
    new_files: int = 0


def parse_patch(patch: str) -> list[FilePatch]:
    """The files of a unified diff as git writes it."""
    found: list[FilePatch] = []
    old: str | None = None
    lines = iter(patch.split("\n"))
    for line in lines:
        if line.startswith("--- "):
            old = _name(line[4:])
        elif line.startswith("+++ "):
            found.append(FilePatch(old, _name(line[4:]), ()))
        elif (head := _HUNK.match(line)) and found:
            last = found[-1]
            hunk = _hunk(head, lines)
            found[-1] = FilePatch(last.old, last.new, (*last.hunks, hunk))
    return found


def _name(text: str) -> str | None:
    name = text.split("\t")[0]
    return None if name == "/dev/null" else name[2:]


def _hunk(head: re.Match[str], lines: Iterator[str]) -> Hunk:
    old_left, new_left = int(head[2] or 1), int(head[3] or 1)
    start = int(head[1]) + (old_left == 0)
    body: list[tuple[str, str]] = []
    while old_left > 0 or new_left > 0:
        line = next(lines, None)
        if line is None:
            break
        mark, text = (line[:1] or " "), line[1:]
        if mark == "\\":
            continue
        body.append((mark, text))
        old_left -= mark in " -"
        new_left -= mark in " +"
    return Hunk(start, tuple(body))


def gold_of_patch(
    patch: str, read: Callable[[str], bytes | None], language_of: Callable[[str], str], counts: Callable[[str], bool]
) -> Gold:
    """The gold of a fix.

    A removed line belongs to the innermost function around it in the old file; an added one to the innermost function
    around it in the new file that existed before. A pure insertion touches its two neighbours.

    Args:
        patch: Unified diff.
        read: Old content of a path.
        language_of: Language of a path for the outline; empty when it has none.
        counts: Whether a path counts (a code file that is no test).
    """
    gold = Gold()
    for file in parse_patch(patch):
        if file.old is None:
            gold.new_files += 1
            continue
        if not counts(file.old):
            continue
        gold.files.append(file.old)
        old = decode(read(file.old) or b"")[0].split("\n")
        _add_file(gold, file.old, old, _placed(old, file.hunks), language_of(file.old))
    return gold


def _placed(old: Sequence[str], hunks: Sequence[Hunk]) -> list[Hunk]:
    """Hunks at the line where their old side really stands, nearest first, as ``patch`` finds it."""
    placed = []
    for hunk in hunks:
        want = [text.rstrip() for mark, text in hunk.body if mark in " -"]
        starts = sorted(range(1, len(old) - len(want) + 2), key=lambda s: abs(s - hunk.start))
        at = next((s for s in starts if all(old[s - 1 + i].rstrip() == w for i, w in enumerate(want))), hunk.start)
        placed.append(Hunk(at, hunk.body))
    return placed


def _add_file(gold: Gold, path: str, old: Sequence[str], hunks: Sequence[Hunk], language: str) -> None:
    new: list[str] = []
    removed: list[int] = []
    added: list[int] = []
    touched: set[int] = set()
    position = 1
    for hunk in hunks:
        new.extend(old[position - 1 : hunk.start - 1])
        position = hunk.start
        for run, inserted in _runs(hunk, position):
            touched.update(run or (n for n in inserted if 1 <= n <= len(old)))
        for mark, text in hunk.body:
            if mark == "+":
                new.append(text)
                if text.strip():
                    added.append(len(new))
                continue
            if mark == " ":
                new.append(old[position - 1])
            elif text.strip():
                removed.append(position)
            position += 1
    new.extend(old[position - 1 :])
    gold.lines.extend((path, line) for line in sorted(touched))
    gold.chunks.extend((path, first, last) for first, last in _stretches(sorted(touched)))
    if language:
        before = outline(language, "\n".join(old).encode()).definitions
        functions = _functions(language, before, new, removed, added)
        gold.functions.extend(f"{path}::{name}" for name in functions)
        gold.owners.update((path, name) for name in functions)
        gold.owners.update((path, _owner(before, line)) for line in touched)


def _runs(hunk: Hunk, position: int) -> Iterator[tuple[list[int], tuple[int, ...]]]:
    """Each run of changed lines: the removed ones, and the neighbours of what is only inserted."""
    run: list[int] = []
    inserts = False
    for mark, _ in (*hunk.body, (" ", "")):
        if mark == " ":
            if run or inserts:
                yield run, (position - 1, position)
            run, inserts = [], False
        if mark == "-":
            run.append(position)
        inserts = inserts or mark == "+"
        position += mark in " -"


def _stretches(lines: Sequence[int]) -> Iterator[tuple[int, int]]:
    start = previous = None
    for line in lines:
        if previous is not None and start is not None and line != previous + 1:
            yield start, previous
            start = line
        start = line if start is None else start
        previous = line
    if start is not None and previous is not None:
        yield start, previous


def _functions(
    language: str, before: Sequence[Definition], new: Sequence[str], removed: Sequence[int], added: Sequence[int]
) -> list[str]:
    after = outline(language, "\n".join(new).encode()).definitions
    known = {d.qualified_name for d in before if d.kind != "class"}
    found = {around[0].qualified_name for line in removed if (around := _around(before, line))}
    for line in added:
        found.update([d.qualified_name for d in _around(after, line) if d.qualified_name in known][:1])
    return sorted(found)


def _around(definitions: Sequence[Definition], line: int) -> list[Definition]:
    """The functions around a line, innermost first."""
    inside = [d for d in definitions if d.kind != "class" and d.start_line <= line <= d.end_line]
    return sorted(inside, key=lambda d: (-d.start_byte, d.end_byte))


def _owner(definitions: Sequence[Definition], line: int) -> str:
    inside = [d for d in definitions if d.start_line <= line <= d.end_line]
    return max(inside, key=lambda d: (d.start_byte, -d.end_byte)).qualified_name if inside else ""
