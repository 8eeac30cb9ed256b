"""What a scan finds."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Origin = Literal["added", "context", "removed"]

LONGEST_TEXT = 300
"""Characters of a line that a hit shows; minified files have lines of megabytes."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One line that reads like an instruction, or hides characters.

    Attributes:
        path: The file, as the caller or the diff names it; None for text outside any file.
        line: Line in the file, 1-based: in the old file for removed lines, in the new one otherwise. Outside any
            file, the line of the scanned text.
        text: The line as it stands there, without white space at its ends; of a long line the part around the match.
        rules: Names of the rules that match, in the order of ``RULE_NAMES``.
        origin: Whether a diff adds it, shows it as context, or removes it; of plain text everything is ``added``.
        text_line: Line in the scanned text: of a diff, the line of the diff.
    """

    path: str | None
    line: int
    text: str
    rules: tuple[str, ...]
    origin: Origin = "added"
    text_line: int = 0

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {**asdict(self), "rules": list(self.rules)}


def shown(line: str, where: float) -> str:
    """A line as a hit shows it.

    Args:
        line: The line.
        where: Where the match starts, as a share of the line.
    """
    text = line.strip()
    if len(text) <= LONGEST_TEXT:
        return text
    start = max(0, min(int(len(text) * where) - LONGEST_TEXT // 3, len(text) - LONGEST_TEXT))
    end = start + LONGEST_TEXT
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
