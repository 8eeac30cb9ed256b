"""What a fix changed: the gold that predictions are compared with, from a unified diff and the old files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sherloc.boundary.diffs import FileDiff, Hunk, read_files
from sherloc.indexer.decoding import decode
from sherloc.syntax import Definition, outline

Runs = list[tuple[str, int, int]]


@dataclass
class Gold:
    """What existed before a fix and was changed by it. No list repeats anything; names are ``path::qualified name``.

    Attributes:
        files: In the patch's order.
        functions: The innermost function around each changed line, files in the patch's order, names sorted.
        outer_functions: Likewise, but the outermost function (a closure counts for the function that holds it).
        classes: The innermost class-like thing around each changed line.
        lines: (path, line) in the old file; a pure insertion touches its two neighbours.
        chunks: (path, first, last): maximal runs of those lines.
        owners: (path, qualified name) of the innermost definition of any kind around each changed line; module code has
            the empty name.
        renamed: Old path to new path of files that the fix moves.
        new_files: How many files the fix adds; they are in none of the lists.
        unplaced: How many hunks match nowhere in the old file; they are taken at the line that they name.
    """

    files: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    outer_functions: list[str] = field(default_factory=list)
    classes: list[str] = field(default_factory=list)
    lines: list[tuple[str, int]] = field(default_factory=list)
    chunks: Runs = field(default_factory=list)
    owners: set[tuple[str, str]] = field(default_factory=set)
    renamed: dict[str, str] = field(default_factory=dict)
    new_files: int = 0
    unplaced: int = 0


def gold_of_patch(
    patch: str, read: Callable[[str], bytes | None], language_of: Callable[[str], str], counts: Callable[[str], bool]
) -> Gold:
    """The gold of a fix.

    A removed line belongs to the innermost function around it in the old file; an added one to the innermost function
    around it in the new file that existed before. Blank lines belong to none. A hunk stands where its old side is
    found, nearest to the line that it names, for a diff may have been made against a later revision.

    Args:
        patch: Unified diff of any maker.
        read: Old content of a path.
        language_of: Language of a path for the outline; empty when it has none.
        counts: Whether a path counts (a code file that is no test).
    """
    gold = Gold()
    for file in read_files(patch):
        if file.old is None:
            gold.new_files += 1
            continue
        if not counts(file.old):
            continue
        if file.new is not None and file.new != file.old:
            gold.renamed[file.old] = file.new
        if file.old not in gold.files:
            gold.files.append(file.old)
            _add_file(gold, file, decode(read(file.old) or b"")[0].split("\n"), language_of(file.old))
    return gold


def _add_file(gold: Gold, file: FileDiff, old: Sequence[str], language: str) -> None:
    assert file.old is not None
    path = file.old
    placed = _placed(gold, old, file.hunks)
    change = _Change.of(old, placed)
    touched = sorted(change.touched)
    gold.lines.extend((path, line) for line in touched)
    gold.chunks.extend((path, first, last) for first, last in stretches(touched))
    if not language:
        return
    before = outline(language, "\n".join(old).encode("utf-8", "surrogatepass")).definitions
    after = outline(language, "\n".join(change.new).encode("utf-8", "surrogatepass")).definitions
    functions = _changed(before, after, change, is_class=False)
    gold.functions.extend(f"{path}::{name}" for name in functions)
    gold.outer_functions.extend(f"{path}::{name}" for name in outermost(functions, before))
    gold.classes.extend(f"{path}::{name}" for name in _changed(before, after, change, is_class=True))
    gold.owners.update((path, name) for name in functions)
    gold.owners.update((path, _owner(before, line)) for line in touched)


def _placed(gold: Gold, old: Sequence[str], hunks: Sequence[Hunk]) -> list[Hunk]:
    """Hunks at the line where their old side really stands, in order of line, none before the end of another."""
    stripped = [line.rstrip() for line in old]
    where: dict[str, list[int]] = {}
    for number, line in enumerate(stripped, 1):
        where.setdefault(line, []).append(number)
    placed: list[Hunk] = []
    free = 1
    for hunk in sorted(hunks, key=lambda hunk: hunk.start):
        want = [text.rstrip() for mark, text in hunk.lines if mark != "+"]
        at = max(free, min(hunk.start, len(old) + 1))
        if want:
            # Of equally near places the earlier one, as ``patch`` has it.
            near = sorted(where.get(want[0], ()), key=lambda line: (abs(line - hunk.start), line))
            found = (n for n in near if n >= free and stripped[n - 1 : n - 1 + len(want)] == want)
            at = next(found, 0) or _unplaced(gold, hunk.start, free)
        placed.append(Hunk(at, hunk.lines))
        free = at + len(want)
    return placed


def _unplaced(gold: Gold, start: int, free: int) -> int:
    gold.unplaced += 1
    return max(start, free)


@dataclass
class _Change:
    """What placed hunks do to a file: the new lines; old lines touched and removed; new lines added (not blank)."""

    new: list[str] = field(default_factory=list)
    touched: set[int] = field(default_factory=set)
    removed: list[int] = field(default_factory=list)
    added: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, old: Sequence[str], hunks: Iterable[Hunk]) -> _Change:
        change, position = cls(), 1
        for hunk in hunks:
            change.new.extend(old[position - 1 : hunk.start - 1])
            position = hunk.start
            for run, neighbours in _runs(hunk):
                change.touched.update(run or (n for n in neighbours if 1 <= n <= len(old)))
            for mark, text in hunk.lines:
                if mark == "+":
                    change._add(text)
                    continue
                if mark == " ":
                    change.new.append(old[position - 1] if position <= len(old) else text)
                elif text.strip():
                    change.removed.append(position)
                position += 1
        change.new.extend(old[position - 1 :])
        return change

    def _add(self, text: str) -> None:
        self.new.append(text)
        if text.strip():
            self.added.append(len(self.new))


def _runs(hunk: Hunk) -> Iterator[tuple[list[int], tuple[int, int]]]:
    """Each run of changed lines: the removed ones, and the neighbours of what is only inserted."""
    position = hunk.start
    run: list[int] = []
    inserts = False
    for mark, _ in (*hunk.lines, (" ", "")):
        if mark == " ":
            if run or inserts:
                yield run, (position - 1, position)
            run, inserts = [], False
        if mark == "-":
            run.append(position)
        inserts = inserts or mark == "+"
        position += mark != "+"


def stretches(lines: Sequence[int]) -> Iterator[tuple[int, int]]:
    """(first, last) of each maximal run of consecutive numbers.

    >>> list(stretches([1, 2, 5]))
    [(1, 2), (5, 5)]
    """
    start = previous = None
    for line in lines:
        if start is None or previous is None:
            start = line
        elif line != previous + 1:
            yield start, previous
            start = line
        previous = line
    if start is not None and previous is not None:
        yield start, previous


def _changed(
    before: Sequence[Definition], after: Sequence[Definition], change: _Change, *, is_class: bool
) -> list[str]:
    known = {d.qualified_name for d in before if (d.kind == "class") == is_class}
    found: set[str] = set()
    for line in change.removed:
        found.update(d.qualified_name for d in _around(before, line, is_class)[:1])
    for line in change.added:
        found.update([d.qualified_name for d in _around(after, line, is_class) if d.qualified_name in known][:1])
    return sorted(found)


def _around(definitions: Sequence[Definition], line: int, is_class: bool) -> list[Definition]:
    """The functions (or classes) around a line, innermost first."""
    inside = [d for d in definitions if (d.kind == "class") == is_class and d.start_line <= line <= d.end_line]
    return sorted(inside, key=lambda d: (-d.start_byte, d.end_byte))


def _owner(definitions: Sequence[Definition], line: int) -> str:
    inside = [d for d in definitions if d.start_line <= line <= d.end_line]
    return max(inside, key=lambda d: (d.start_byte, -d.end_byte)).qualified_name if inside else ""


def outermost(names: Iterable[str], definitions: Sequence[Definition]) -> list[str]:
    """The outermost function or method that holds each named function, sorted.

    Args:
        names: Qualified names of functions among ``definitions``.
        definitions: Of one file.
    """
    found: set[str] = set()
    by_name = {d.qualified_name: d for d in reversed(definitions) if d.kind != "class"}
    for name in names:
        outer = by_name[name]
        parent = outer.parent
        while parent >= 0:
            if definitions[parent].kind != "class":
                outer = definitions[parent]
            parent = definitions[parent].parent
        found.add(outer.qualified_name)
    return sorted(found)
