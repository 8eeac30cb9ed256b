"""A unified diff put into the texts that it is for, in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sherloc.boundary.diffs import DiffLine, read_diff, read_files

_FUZZ = 400  # lines that a hunk may have moved


@dataclass(frozen=True, slots=True)
class Patched:
    """A file as a patch leaves it.

    Attributes:
        path: Its path.
        text: Its text with the patch; only the added lines when the patch does not fit.
        added: Numbers of the lines that the patch adds, 1-based.
        fits: Whether every hunk was found in the file.
    """

    path: str
    text: str
    added: frozenset[int]
    fits: bool = True


def patched_files(patch: str, sources: Mapping[str, str]) -> list[Patched]:
    """All files that a patch adds lines to, by path.

    A hunk is looked for at its line, then around it. A hunk that is in the file already is taken as it is.

    Args:
        patch: A unified diff.
        sources: Path to text, without the patch.
    """
    found = []
    hunks = _hunks(patch)
    for path in sorted(hunks):
        if any(line.origin == "added" for lines in hunks[path] for line in lines):
            placed = _placed(hunks[path], sources.get(path), doubt=False)
            found.append(_only_added(path, hunks[path]) if placed is None else _patched(path, placed))
    return found


def texts_before(patch: str, sources: Mapping[str, str]) -> dict[str, str | None]:
    """What the files that have a patch already were before it; None for one that it made.

    Hunks that are not in a file yet leave it as it is.

    Args:
        patch: A unified diff.
        sources: Path to text, with or without the patch.

    Returns:
        Only files that have hunks of the patch.
    """
    files = read_files(patch)
    made, removed = {file.new for file in files if file.old is None}, {file.old for file in files if file.new is None}
    found: dict[str, str | None] = {}
    for path, hunks in _hunks(patch).items():
        text = sources.get(path)
        placed = _placed(hunks, text, doubt=True) if text is not None or path in removed else None
        if placed is not None and placed.was_there:
            emptied = not any(row.strip() for row in placed.before)
            found[path] = None if emptied and path in made else "\n".join(placed.before)
    return found


def _hunks(patch: str) -> dict[str, list[list[DiffLine]]]:
    """The hunks of each file, in the patch's order."""
    found: dict[str, dict[int, list[DiffLine]]] = {}
    for line in read_diff(patch):
        if line.path and line.hunk:
            found.setdefault(line.path, {}).setdefault(line.hunk, []).append(line)
    return {path: list(hunks.values()) for path, hunks in found.items()}


@dataclass
class _Placed:
    """A file without and with a patch.

    Attributes:
        before: Its rows without it.
        after: Its rows with it.
        added: As in ``Patched``.
        was_there: Whether some hunk was in the file already.
    """

    before: list[str]
    after: list[str]
    added: set[int]
    was_there: bool = False


def _patched(path: str, placed: _Placed) -> Patched:
    return Patched(path, "\n".join(placed.after), frozenset(placed.added))


def _placed(hunks: Sequence[Sequence[DiffLine]], text: str | None, *, doubt: bool) -> _Placed | None:
    """A file's hunks at their places; None when one of them has none.

    Args:
        hunks: In their order.
        text: The file's.
        doubt: Whether a hunk that can be put in may be there already.
    """
    rows = text.split("\n") if text is not None else []
    found = _Placed([], [], set())
    position = 0
    for lines in hunks:
        old = [line.text for line in lines if line.origin != "added"]
        new = [line.text for line in lines if line.origin != "removed"]
        expected = _expected(lines, position - len(found.before), position - len(found.after))
        place = _place(rows, old, new, expected, position, doubt)
        if place is None:
            return None
        start, there = place
        for result in (found.before, found.after):
            result += rows[position:start]
        found.was_there = found.was_there or there
        for line in lines:
            if line.origin == "added":
                found.added.add(len(found.after) + 1)
            if line.origin != "removed":
                found.after.append(line.text)
            if line.origin != "added":
                found.before.append(line.text)
        position = start + len(new if there else old)
    for result in (found.before, found.after):
        result += rows[position:]
    return found


def _place(
    rows: Sequence[str], old: Sequence[str], new: Sequence[str], expected: int, least: int, doubt: bool
) -> tuple[int, bool] | None:
    """Where a hunk belongs, and whether it is there already; None for nowhere.

    Context beside which nothing but additions stand is found whether they are there or not; ``doubt`` then decides
    by what is nearer to its line, and of two that are equally near by the longer one, since it holds the other.
    """
    if not old:
        # Nothing but its line says where it belongs.
        there = doubt and _matches(rows, new, expected)
        return (expected if there else min(max(least, expected), len(rows))), there
    before = _find(rows, old, expected, least)
    if before is not None and not doubt:
        return before, False
    after = _find(rows, new, expected, least)
    if before is None or after is None:
        return (before, False) if before is not None else (after, True) if after is not None else None
    far = abs(after - expected) - abs(before - expected)
    return (after, True) if far < 0 or (far == 0 and len(new) > len(old)) else (before, False)


def _expected(lines: Sequence[DiffLine], before: int, after: int) -> int:
    """Where a hunk says that it begins in the file, 0-based.

    Args:
        lines: The hunk's.
        before: How far the file's rows are ahead of those without the patch.
        after: How far they are ahead of those with it.
    """
    for number, line in enumerate(lines):
        if line.origin == "removed":
            return line.line - 1 - number + before
        if line.origin == "context":
            # Its line is that of the new file; lines added before it in the hunk count, too.
            return line.line - 1 - number + after
    return lines[0].line - 1 + after


def _find(rows: Sequence[str], block: Sequence[str], expected: int, least: int) -> int | None:
    """Where a block stands, nearest to where it is expected; white space at line ends does not count."""
    for distance in range(_FUZZ):
        for start in {expected - distance, expected + distance}:
            if start >= least and _matches(rows, block, start):
                return start
    return None


def _matches(rows: Sequence[str], block: Sequence[str], start: int) -> bool:
    if start < 0 or start + len(block) > len(rows):
        return False
    return all(rows[start + at].rstrip() == row.rstrip() for at, row in enumerate(block))


def _only_added(path: str, hunks: Sequence[Sequence[DiffLine]]) -> Patched:
    rows = [line.text for lines in hunks for line in lines if line.origin == "added"]
    return Patched(path, "\n".join(rows), frozenset(range(1, len(rows) + 1)), fits=False)
