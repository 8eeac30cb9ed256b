"""Lines that a model gave, put where they really are: by number, and by the text it quoted when the two disagree."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sherloc.json_hardening import LineRange
from sherloc.schema.diagnosis import EvidenceLines

_SHORTEST_PART = 8
_SHOWN_NUMBER = re.compile(r"^\s*\d{1,6}\s*\| ?")
_LONGEST_WHY = 300


def plain_line(text: str) -> str:
    """A line without differences of white space, and without a number that was shown before it."""
    return " ".join(_SHOWN_NUMBER.sub("", text).split())


def lines_with(quote: str, lines: Sequence[str], first: int, last: int) -> list[int]:
    """Lines of a file (1-based) that equal a quote, or else hold it as a part; none for an empty or a short one.

    Args:
        quote: As a model wrote it; of several lines the first that is not blank counts.
        lines: The whole file.
        first: First line to look at.
        last: Last one.
    """
    wanted = next((plain_line(line) for line in quote.split("\n") if plain_line(line)), "")
    if not wanted:
        return []
    numbers = range(first, min(last, len(lines)) + 1)
    equal = [number for number in numbers if plain_line(lines[number - 1]) == wanted]
    if equal or len(wanted) < _SHORTEST_PART:
        return equal
    return [number for number in numbers if wanted in plain_line(lines[number - 1])]


def anchor(
    given: LineRange, quote: str, why: str, lines: Sequence[str], first: int, last: int
) -> tuple[EvidenceLines | None, str]:
    """Absolute lines inside a snippet, or None when they stand nowhere in it.

    Numbers count from the snippet's first line, as they were shown. Where the quoted text stands at other lines than
    the numbers say, the text is believed; of several places the one nearest to the numbers is taken.

    Args:
        given: Lines as the model counted them.
        quote: The text that it quoted, or empty.
        why: What it says about them.
        lines: The file's lines.
        first: The snippet's first line, 1-based.
        last: Its last.

    Returns:
        The lines, and a note when they were moved or refused.
    """
    last = min(last, len(lines))
    start, end = given.start_line + first - 1, given.end_line + first - 1
    length = min(end, last) - start
    note = ""
    if quote.strip():
        places = lines_with(quote, lines, first, last)
        if not places:
            return None, f"the quoted text {quote.strip()[:60]!r} stands nowhere in the piece"
        if not any(start <= place <= end for place in places):
            found = min(places, key=lambda place: (abs(place - start), place))
            note = f"lines {given.start_line}-{given.end_line} were moved to where the quoted text stands"
            start, length = found, given.end_line - given.start_line
    elif start > last:
        return None, f"line {given.start_line} is beyond the end of the piece"
    end = min(start + max(length, 0), last)
    return EvidenceLines(start_line=start, end_line=end, why=" ".join(why.split())[:_LONGEST_WHY]), note
