"""The lines of a snippet that support its diagnosis."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sherloc.schema.candidate import Signal, SignalKind
from sherloc.schema.diagnosis import EvidenceLines
from sherloc.schema.snippet import Snippet
from sherloc.terms import WORD, TermTable

_LITERAL = re.compile(r"\"([^\"\\\n]{1,400})\"|'([^'\\\n]{1,400})'|`([^`\\\n]{1,400})`")
_HOLE = re.compile(r"%\(\w+\)[sdr]|%[sdrifx]|\{[^{}\n]{0,60}\}|\$\{[^{}\n]{0,60}\}")
_LEAST_PIECE = 10
_MOST_LINES = 4
_DENSE_LINES = 2
_SEARCHED_LINES = 400
_MAX_LINE = 1000

_WHY: Mapping[SignalKind, str] = {
    "traceback": "The traceback passes here.",
    "message": "Holds the message that the issue quotes.",
    "path": "The issue gives this line.",
    "exception": "Raises or handles the exception of the issue.",
    "setting": "Names the setting of the issue.",
}


def key_lines(
    snippet: Snippet,
    lines: Sequence[str],
    signals: Sequence[Signal],
    messages: Sequence[str],
    weights: Mapping[str, float],
    table: TermTable,
) -> tuple[EvidenceLines, ...]:
    """At most four telling lines: where signals point, where messages stand, and where the issue's terms are densest.

    Args:
        snippet: The snippet; lines outside of it or of the file are never named.
        lines: The file's lines.
        signals: The candidate's signals, strongest first.
        messages: Messages that the issue quotes.
        weights: The issue's terms.
        table: Memo of terms.

    Returns:
        Lines, most telling first; each line once.
    """
    first, last = snippet.start_line, min(snippet.end_line, len(lines), snippet.start_line + _SEARCHED_LINES - 1)
    found: dict[int, str] = {}
    for signal in signals:
        if signal.line is not None and snippet.start_line <= signal.line <= min(snippet.end_line, len(lines)):
            found.setdefault(signal.line, _WHY.get(signal.kind, f"Shows the sign: {signal.kind.replace('_', ' ')}."))
    for number in range(first, last + 1):
        if holds_message(lines[number - 1], messages):
            found.setdefault(number, _WHY["message"])
    dense = sorted(
        ((-_weight(lines[number - 1], weights, table)[0], number) for number in range(first, last + 1)),
    )
    for negative, number in dense[:_DENSE_LINES]:
        if negative < 0 and len(found) < _MOST_LINES:
            terms = _weight(lines[number - 1], weights, table)[1]
            found.setdefault(number, f"Shares the issue's words: {', '.join(terms[:5])}.")
    return tuple(
        EvidenceLines(start_line=number, end_line=number, why=why) for number, why in list(found.items())[:_MOST_LINES]
    )


def holds_message(line: str, messages: Sequence[str]) -> bool:
    """Whether a literal of the line is a part of a message, its format fields left out.

    Args:
        line: A line of code.
        messages: Messages that the issue quotes.

    >>> holds_message('raise ValueError("cannot open %s twice" % name)', ["ValueError: cannot open a.txt twice"])
    True
    """
    if not messages:
        return False
    for literal in _LITERAL.finditer(line[:_MAX_LINE]):
        text = next(group for group in literal.groups() if group is not None)
        pieces = [piece.strip() for piece in _HOLE.split(text)]
        longest = max(pieces, key=len)
        if len(longest) >= _LEAST_PIECE and " " in longest and any(longest in message for message in messages):
            return True
    return False


def _weight(line: str, weights: Mapping[str, float], table: TermTable) -> tuple[float, list[str]]:
    terms = {term for word in WORD.findall(line[:_MAX_LINE]) for term in table[word] if term in weights}
    ordered = sorted(terms, key=lambda term: (-weights[term], term))
    return sum(weights[term] for term in ordered), ordered
