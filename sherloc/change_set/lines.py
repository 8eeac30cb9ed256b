"""The tight span of suspect lines inside a snippet."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sherloc.schema.snippet import Snippet
from sherloc.terms import WORD, TermTable

_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|--\s|;;|<!--)")
_QUOTES = re.compile(r'"""|\'\'\'')
_MAX_LINE = 1000
_COMMENT_WEIGHT = 0.3
_DOCSTRING_WEIGHT = 0.3
_SIGNATURE_WEIGHT = 0.5


def suspect_lines(
    snippet: Snippet, text: str, term_weights: Mapping[str, float], anchors: Sequence[int], max_lines: int
) -> tuple[int, int]:
    """The lines of a snippet that most likely must change.

    Anchors inside the snippet win: the window holds as many of them as fit, the first one always. Without anchors it is
    the window whose terms, each counted once, weigh most; comments, docstring and signature count less. A snippet that
    fits is given whole.

    Args:
        snippet: Where to look.
        text: The file's text, lines parted by line feeds.
        term_weights: The issue's terms and their weights.
        anchors: Absolute lines that are known to matter, most telling first.
        max_lines: Longest span.

    Returns:
        First and last line, 1-based and inclusive, within the snippet and the file; at most ``max_lines`` of them. When
        the snippet lies past the end of the file: the file's last line, twice.

    Complexity: O(lines * max_lines).
    """
    lines = text.split("\n")
    count = len(lines) - 1 if len(lines) > 1 and not lines[-1] else len(lines)
    first, last = snippet.start_line, min(snippet.end_line, count)
    if first > last:
        return min(first, count), min(first, count)
    if last - first + 1 <= max_lines:
        return first, last
    inside = [line for line in anchors if first <= line <= last]
    if inside:
        return _around(inside, first, last, max_lines)
    return _densest(lines, first, last, term_weights, max_lines)


def _around(anchors: Sequence[int], first: int, last: int, max_lines: int) -> tuple[int, int]:
    low = high = anchors[0]
    for line in anchors[1:]:
        if max(high, line) - min(low, line) < max_lines:
            low, high = min(low, line), max(high, line)
    spare = max_lines - (high - low + 1)
    start = max(first, min(low - spare // 2, last - max_lines + 1))
    return start, min(last, start + max_lines - 1)


def _densest(
    lines: Sequence[str], first: int, last: int, weights: Mapping[str, float], max_lines: int
) -> tuple[int, int]:
    table = TermTable()
    shares = line_shares(lines, first, last)
    terms = [
        {term for word in WORD.findall(lines[n - 1][:_MAX_LINE]) for term in table[word] if term in weights}
        for n in range(first, last + 1)
    ]
    best_start, best = first, -1.0
    for start in range(first, last - max_lines + 2):
        seen: dict[str, float] = {}
        for offset in range(start - first, start - first + max_lines):
            for term in terms[offset]:
                seen[term] = max(seen.get(term, 0.0), shares[offset])
        score = sum(weights[term] * share for term, share in sorted(seen.items()))
        if score > best + 1e-9:
            best_start, best = start, score
    return best_start, best_start + max_lines - 1


def line_shares(lines: Sequence[str], first: int, last: int) -> list[float]:
    """How much each line of a snippet counts: less for signature, docstring, comments."""
    shares, in_string = [], False
    for number in range(first, last + 1):
        line = lines[number - 1][:_MAX_LINE]
        share = 1.0
        marks = len(_QUOTES.findall(line))
        if in_string or (marks and line.lstrip()[:4].lstrip("rRbBuUfF").startswith(('"""', "'''"))):
            share = _DOCSTRING_WEIGHT
        elif _COMMENT.match(line):
            share = _COMMENT_WEIGHT
        elif number == first:
            share = _SIGNATURE_WEIGHT
        in_string ^= marks % 2 == 1
        shares.append(share)
    return shares
