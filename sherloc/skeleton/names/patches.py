"""A unified diff put into the texts that it is for, in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sherloc.boundary.diffs import DiffLine, read_diff

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

    A hunk is looked for at its line, then around it. A patch that is in the file already is taken as it is.

    Args:
        patch: A unified diff.
        sources: Path to text, without the patch.
    """
    hunks: dict[str, dict[int, list[DiffLine]]] = {}
    for line in read_diff(patch):
        if line.path and line.hunk:
            hunks.setdefault(line.path, {}).setdefault(line.hunk, []).append(line)
    found = []
    for path in sorted(hunks):
        if any(line.origin == "added" for lines in hunks[path].values() for line in lines):
            found.append(_patched(path, list(hunks[path].values()), sources.get(path)))
    return found


def _patched(path: str, hunks: Sequence[Sequence[DiffLine]], text: str | None) -> Patched:
    rows = text.split("\n") if text is not None else []
    result: list[str] = []
    added: set[int] = set()
    position = 0
    for lines in hunks:
        old = [line.text for line in lines if line.origin != "added"]
        new = [line.text for line in lines if line.origin != "removed"]
        expected = _expected(lines, len(result) - position)
        start = _find(rows, old, expected, position) if old else min(max(position, expected), len(rows))
        if start is None:
            start = _find(rows, new, expected, position)
            if start is None:
                return _only_added(path, hunks)
            old = new
        result += rows[position:start]
        for line in lines:
            if line.origin == "added":
                added.add(len(result) + 1)
            if line.origin != "removed":
                result.append(line.text)
        position = start + len(old)
    result += rows[position:]
    return Patched(path, "\n".join(result), frozenset(added))


def _expected(lines: Sequence[DiffLine], grown: int) -> int:
    """Where a hunk says that it begins in the old file, 0-based.

    Args:
        lines: The hunk's.
        grown: How many lines the file has gained before it.
    """
    for number, line in enumerate(lines):
        if line.origin == "removed":
            return line.line - 1
        if line.origin == "context":
            # Its line is that of the new file; lines added before it in the hunk count, too.
            return line.line - 1 - number - grown
    return lines[0].line - 1 - grown


def _find(rows: Sequence[str], block: Sequence[str], expected: int, least: int) -> int | None:
    """Where a block stands, nearest to where it is expected; white space at line ends does not count."""
    wanted = [row.rstrip() for row in block]
    for distance in range(_FUZZ):
        for start in {expected - distance, expected + distance}:
            if start >= least and [row.rstrip() for row in rows[start : start + len(wanted)]] == wanted:
                return start
    return None


def _only_added(path: str, hunks: Sequence[Sequence[DiffLine]]) -> Patched:
    rows = [line.text for lines in hunks for line in lines if line.origin == "added"]
    return Patched(path, "\n".join(rows), frozenset(range(1, len(rows) + 1)), fits=False)
