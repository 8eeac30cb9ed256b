"""Applies the rules to lines of text, in time that grows with the text and not faster.

A rule is looked for only around lines that hold one of its anchors (plain ``str.find``); each rule has at most one gap,
and that gap is bounded, so no pattern backtracks over more than a fixed number of characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from sherloc.boundary.characters import hidden_characters
from sherloc.boundary.folding import prose
from sherloc.boundary.rules import RULES

_SHORT = 3
_LATIN = re.compile("[a-z]")

Found = dict[int, dict[str, float]]
"""Index of a line to the names of the rules that match, each with where, as a share of the line."""


def find(lines: list[str]) -> Found:
    """The lines that a rule matches.

    A sentence may run over several lines; it counts for the line where the match starts.

    Args:
        lines: Lines without line feeds.

    Returns:
        In no particular order.
    """
    found = hidden_characters(lines)
    plain = prose(lines)
    text = "\n".join(plain)
    starts = [0, *accumulate(len(line) + 1 for line in plain)][:-1]
    anchored: dict[str, list[int]] = {}
    for rule in RULES:
        candidates: set[int] = set()
        for anchor in rule.anchors:
            if anchor not in anchored:
                anchored[anchor] = list(_lines_with(anchor, text, starts))
            candidates.update(anchored[anchor])
        for start, end in _blocks(sorted(candidates), len(lines)):
            for at in rule.matches(text, starts[start], starts[end] if end < len(starts) else len(text)):
                number = bisect_right(starts, at) - 1
                share = (at - starts[number]) / max(1, len(plain[number]))
                found.setdefault(number, {}).setdefault(rule.name, share)
    return found


def _lines_with(anchor: str, text: str, starts: list[int]) -> Iterator[int]:
    """Indices of the lines that hold the anchor, ascending; short Latin ones only as words (``ai``, not ``main``)."""
    word = len(anchor) <= _SHORT and anchor.isascii() and anchor.isalpha()
    position = text.find(anchor)
    while position >= 0:
        end = position + len(anchor)
        if word and (_LATIN.match(text, position - 1 if position else end) or _LATIN.match(text, end)):
            position = text.find(anchor, end)
            continue
        number = bisect_right(starts, position) - 1
        yield number
        if number + 1 >= len(starts):
            return
        position = text.find(anchor, starts[number + 1])


def _blocks(lines: list[int], count: int) -> Iterator[tuple[int, int]]:
    """Runs of lines with one line more on each side, as half-open ranges that do not overlap."""
    start, end = -1, -2
    for line in lines:
        if line - 1 <= end:
            end = line + 2
        else:
            if start >= 0:
                yield start, min(end, count)
            start, end = max(0, line - 1), line + 2
    if start >= 0:
        yield start, min(end, count)
