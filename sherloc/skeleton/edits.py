"""Replacements in a file's bytes, and the map from each line of the outcome to its line in the file."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple


class Edit(NamedTuple):
    """What stands in the place of some bytes.

    Attributes:
        start: First byte that is replaced.
        end: The byte after the last.
        text: What stands there instead.
        lines: The file's line for each line that begins inside of ``text``.
    """

    start: int
    end: int
    text: bytes
    lines: tuple[int, ...] = ()


def apply(source: bytes, newlines: Sequence[int], edits: Sequence[Edit]) -> tuple[bytes, tuple[int, ...]]:
    """The source with all edits done, and the original line of each of its lines.

    Args:
        source: The file.
        newlines: Positions of its line feeds.
        edits: Sorted, not overlapping.

    Returns:
        The new bytes, and for each line (parted by line feeds, the last one too) the 1-based line of the source.

    Complexity: linear.
    """
    pieces: list[bytes] = []
    lines: list[int] = [1]
    position = 0
    for edit in edits:
        pieces.append(source[position : edit.start])
        _copied(newlines, position, edit.start, lines)
        pieces.append(edit.text)
        lines.extend(edit.lines)
        position = edit.end
        if not edit.start and not edit.text:
            lines[-1] = bisect_left(newlines, position) + 1
    pieces.append(source[position:])
    _copied(newlines, position, len(source), lines)
    return b"".join(pieces), tuple(lines)


def _copied(newlines: Sequence[int], start: int, end: int, lines: list[int]) -> None:
    first, last = bisect_left(newlines, start), bisect_left(newlines, end)
    lines.extend(range(first + 2, last + 2))


def covered(edits: Sequence[Edit], starts: Sequence[int], start: int, end: int) -> bool:
    """Whether a span touches what an edit replaces.

    Args:
        edits: Sorted, not overlapping.
        starts: Where each begins.
        start: First byte of the span.
        end: The byte after its last.
    """
    at = bisect_right(starts, start) - 1
    if at >= 0 and edits[at].end > start:
        return True
    return at + 1 < len(edits) and edits[at + 1].start < end
