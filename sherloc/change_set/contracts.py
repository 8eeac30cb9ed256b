"""The contract that a change must keep: a class's head, attributes and signatures, without bodies."""

from __future__ import annotations

from bisect import bisect_left

from sherloc.schema.brief import GlobalContext
from sherloc.schema.snippet import Snippet
from sherloc.skeleton import make_skeleton
from sherloc.skeleton.hiding import GAP, PLACEHOLDERS

_HEAD = 3
_SAYS_NOTHING = ("", GAP, *(mark.decode() for mark in PLACEHOLDERS))


def contract_of(owner: Snippet, near: int, purpose: str, text: str, *, most_lines: int = 30) -> GlobalContext | None:
    """A class without bodies, documentation and blank lines: its first lines, and what stands nearest to a line.

    Args:
        owner: The class, with its whole span.
        near: The line of the file that matters, 1-based.
        purpose: Why it is shown.
        text: The file's text.
        most_lines: Of the snippet; a mark stands for lines that had no room.

    Returns:
        The piece, with the class's span as its lines; None when the file does not have them any more.

    Complexity: that of ``make_skeleton``.
    """
    made = make_skeleton(text, owner.language, docs="none")
    rows = [
        (row, line)
        for row, line in zip(made.text.split("\n"), made.lines, strict=False)
        if owner.start_line <= line <= owner.end_line and row.strip() not in _SAYS_NOTHING
    ]
    if not rows:
        return None
    shown = [row for row, _ in rows]
    if len(rows) > most_lines:
        room = most_lines - _HEAD - 2
        at = bisect_left([line for _, line in rows], near)
        first = max(_HEAD, min(at - room // 2, len(rows) - room))
        shown = [*shown[:_HEAD], *([GAP] if first > _HEAD else []), *shown[first : first + room]]
        shown += [GAP] if first + room < len(rows) else []
    return GlobalContext(
        file_path=owner.path, purpose=purpose, snippet="\n".join(shown), start_line=owner.start_line,
        end_line=owner.end_line,
    )  # fmt: skip
