"""The tight span of suspect lines inside a snippet."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import accumulate

from sherloc.schema.snippet import Snippet
from sherloc.terms import WORD, expand

WHOLE_LINES = 10
"""A snippet of so many lines is given whole, and no span is chosen shorter."""

_SHARPNESS = 2.5
_DOCUMENTATION = 2.0
_COMMENT = 0.6
_QUIET_SHARE = 0.3
_SIGNATURE_SHARE = 0.5
_SLACK = 5
_INNER = 0.3
_MAX_LINE = 1000
_MAX_SNAP = 3

_HASH_IS_CODE = frozenset({"c", "cpp", "csharp", "rust", "javascript", "typescript", "tsx", "go", "java", "kotlin"})
_SLASHES = re.compile(r"\s*(?://|/\*|\*(?:[\s/]|$)|<!--)")
_HASH = re.compile(r"\s*#")
_TRIPLE = re.compile(r'"""|\'\'\'')
_OPENS_DOCSTRING = re.compile(r'\s*[rRbBuUfF]{0,2}(?:"""|\'\'\')')
_OPEN, _CLOSE = re.compile(r"[(\[{]"), re.compile(r"[)\]}]")


def suspect_lines(
    snippet: Snippet,
    text: str,
    term_weights: Mapping[str, float],
    anchors: Sequence[int],
    max_lines: int,
    *,
    share: float = 0.7,
) -> tuple[int, int]:
    """The lines of a snippet that most likely must change.

    Each line gets a chance that grows with the weight of the issue's terms in it; documentation, comments and the
    signature count less. The span is the shortest that holds, with five lines around it, ``share`` of the chance, from
    10 lines up to ``max_lines``: short where the terms stand close together, longer where they are scattered. Anchors
    win: the span holds the first of them, and the others as far as they fit. Its ends do not stand on blank lines, and
    an open bracket is closed where three lines more are enough. A snippet of at most 10 lines is given whole.

    Args:
        snippet: Where to look.
        text: The file's text, lines parted by line feeds.
        term_weights: The issue's terms and their weights.
        anchors: Absolute lines that are known to matter, most telling first; those outside are left out.
        max_lines: Longest span.
        share: How much of the chance the span and its surroundings must hold.

    Returns:
        First and last line, 1-based and inclusive, within the snippet and the file. When the snippet lies past the end
        of the file: the file's last line, twice.

    Complexity: O(lines * max_lines).
    """
    lines = text.split("\n")
    count = len(lines) - 1 if len(lines) > 1 and not lines[-1] else len(lines)
    first, last = snippet.start_line, min(snippet.end_line, count)
    if first > last:
        return min(first, count), min(first, count)
    if last - first + 1 <= min(WHOLE_LINES, max_lines):
        return first, last
    body = lines[first - 1 : last]
    low, high = _fitting([line - first for line in anchors if first <= line <= last], max_lines)
    start, end = _shortest_window(_chances(snippet, body, term_weights), low, high, max_lines, share)
    start, end = _snapped(body, start, end, low, high, max_lines)
    return first + start, first + end


def _fitting(anchors: Sequence[int], max_lines: int) -> tuple[int, int]:
    """The stretch from the least to the greatest of the anchors that fit into a span; (-1, -1) for none."""
    if not anchors:
        return -1, -1
    low = high = anchors[0]
    for line in anchors[1:]:
        if max(high, line) - min(low, line) < max_lines:
            low, high = min(low, line), max(high, line)
    return low, high


def _chances(snippet: Snippet, body: Sequence[str], weights: Mapping[str, float]) -> list[float]:
    """The chance of each line to be the one that must change; they sum to 1."""
    kinds = _line_kinds(snippet, body)
    scores = []
    for line, kind in zip(body, kinds, strict=True):
        # In the order of the line: a sum over a set would differ in its last bits from run to run.
        terms = dict.fromkeys(
            term for word in WORD.findall(line[:_MAX_LINE]) for term in expand(word) if term in weights
        )
        quiet = _SIGNATURE_SHARE if kind == "signature" else 1.0 if kind == "code" else _QUIET_SHARE
        scores.append(quiet * sum(max(weights[term], 0.0) for term in terms))
    top = max(scores)
    loss = {"documentation": _DOCUMENTATION, "comment": _COMMENT}
    raw = [
        math.exp(_SHARPNESS * (score / top if top > 0 else 0.0) - loss.get(kind, 0.0))
        for score, kind in zip(scores, kinds, strict=True)
    ]
    total = sum(raw)
    return [value / total for value in raw]


def _line_kinds(snippet: Snippet, body: Sequence[str]) -> list[str]:
    """``documentation``, ``comment``, ``signature`` (once) or ``code`` for each line."""
    kinds: list[str] = []
    in_string = in_block = signed = False
    for line in body:
        line = line[:_MAX_LINE]
        marks = len(_TRIPLE.findall(line))
        if in_string or _OPENS_DOCSTRING.match(line):
            kinds.append("documentation")
        elif in_block or _SLASHES.match(line) or (snippet.language not in _HASH_IS_CODE and _HASH.match(line)):
            kinds.append("comment")
        elif not signed and snippet.name in line:
            signed = True
            kinds.append("signature")
        else:
            kinds.append("code")
        in_string ^= marks % 2 == 1
        in_block = line.rfind("/*") > line.rfind("*/") or (in_block and "*/" not in line)
    return kinds


def _shortest_window(chances: Sequence[float], low: int, high: int, max_lines: int, share: float) -> tuple[int, int]:
    count = len(chances)
    sums = [0.0, *accumulate(chances)]
    start = end = 0
    for length in range(min(max(WHOLE_LINES, high - low + 1), max_lines, count), min(max_lines, count) + 1):
        best = -1.0
        earliest, latest = (0, count - length) if low < 0 else (max(0, high - length + 1), min(low, count - length))
        for at in range(earliest, latest + 1):
            around = sums[min(count, at + length + _SLACK)] - sums[max(0, at - _SLACK)]
            worth = around + _INNER * (sums[at + length] - sums[at])
            # A difference in the last bits is none: the earlier window stays.
            if worth > best + 1e-9:
                best, held, start, end = worth, around, at, at + length - 1
        if held >= share:
            break
    return start, end


def _snapped(body: Sequence[str], start: int, end: int, low: int, high: int, max_lines: int) -> tuple[int, int]:
    depth = sum(len(_OPEN.findall(line)) - len(_CLOSE.findall(line)) for line in body[start : end + 1])
    for further in range(end + 1, min(end + _MAX_SNAP, start + max_lines - 1, len(body) - 1) + 1):
        if depth <= 0:
            break
        depth += len(_OPEN.findall(body[further])) - len(_CLOSE.findall(body[further]))
        if depth <= 0:
            end = further
    least, most = (low, high) if low >= 0 else (end, start)
    while start < min(end, least) and not body[start].strip():
        start += 1
    while end > max(start, most) and not body[end].strip():
        end -= 1
    return start, end
