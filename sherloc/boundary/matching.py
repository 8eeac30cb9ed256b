"""Applies the rules to lines of text, in time that grows with the text and not faster.

A rule is looked for only around its anchors (plain ``str.find``). Gaps in patterns are few and bounded, so none of them
backtracks over more than a fixed number of characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate, islice

from sherloc.boundary.characters import hidden_characters
from sherloc.boundary.folding import prose, simplified
from sherloc.boundary.rules import CJK, READS_LIKE, RULES, WEIGHED

_SHORT = 3
_STRIDE = 400
_REACH = 800
"""Characters around an anchor that are looked at in long lines; no pattern is longer."""

_LATIN = re.compile("[a-z]")
_WORD = re.compile("[a-z]+")
_TOKEN = re.compile(r"\S{2,}")

_WITHOUT_CJK = [rule for rule in RULES if not rule.of_cjk]
_PIECE = {
    anchor: max(_WORD.findall(anchor), key=len, default="") if len(anchor) > 1 else ""
    for rule in RULES
    for anchor in rule.anchors
}
"""The longest Latin word of each anchor; of short ones, the whole, since they count only as words."""
_SHORT_PIECES = {piece for piece in _PIECE.values() if 0 < len(piece) < 3}
_PIECES_BY_START: dict[str, list[str]] = {}
for _piece in sorted(set(_PIECE.values()) - _SHORT_PIECES - {""}):
    _PIECES_BY_START.setdefault(_piece[:3], []).append(_piece)

Found = dict[int, dict[str, float]]
"""Index of a line to the names of the rules that match, each with where, as a share of the line."""


def find(lines: list[str]) -> Found:
    """The lines that a rule matches and that do not read like ordinary text, and those that read like directions.

    A sentence may run over several lines; it counts for the line where the match starts.

    Args:
        lines: Lines without line feeds.

    Returns:
        In no particular order.

    Raises:
        SherlocError: The learned weights are missing or damaged.
    """
    plain = prose(lines)
    simple = simplified(plain)
    found = _by_rules(plain, simple)
    text = "\n".join(simple)
    if _may_hold_a_sentence(text):
        _weigh(found, text, _starts(plain), plain)
    for number, names in hidden_characters(lines).items():
        found[number] = {**found.get(number, {}), **names}
    return found


def _may_hold_a_sentence(text: str) -> bool:
    """Whether there are four words, or eight kana and Chinese characters: the learned score looks at nothing less."""
    return any(
        sum(1 for _ in islice(pattern.finditer(text), count)) == count for pattern, count in ((_TOKEN, 4), (CJK, 8))
    )


def _weigh(found: Found, text: str, starts: list[int], plain: list[str]) -> None:
    """Take back rules where a line reads like ordinary text, and add lines that read like directions."""
    # Here, since NumPy takes longer to import than all of this room.
    from sherloc.boundary.learned import score_lines

    scores = score_lines(text)
    for number in [number for number in found if scores.ordinary(number)]:
        kept = {name: at for name, at in found.pop(number).items() if name not in WEIGHED}
        if kept:
            found[number] = kept
    for number, at in list(scores.hits(found)):
        found[number] = {READS_LIKE: (at - starts[number]) / max(1, len(plain[number]))}


def by_rules(lines: list[str]) -> Found:
    """The lines that a rule matches, whatever else is in them; as ``find``, without hidden characters."""
    plain = prose(lines)
    return _by_rules(plain, simplified(plain))


def _starts(lines: list[str]) -> list[int]:
    return [0, *accumulate(len(line) + 1 for line in lines)][:-1]


def _by_rules(plain: list[str], simple: list[str]) -> Found:
    found: Found = {}
    texts = {False: "\n".join(plain), True: "\n".join(simple)}
    starts = _starts(plain)
    pieces = _pieces(texts[False])
    anchored: dict[tuple[str, bool], list[int]] = {}
    for rule in RULES if CJK.search(texts[False]) else _WITHOUT_CJK:
        text = texts[rule.simplified]
        near: set[int] = set()
        for anchor in rule.anchors:
            if _PIECE[anchor] in pieces or not _PIECE[anchor]:
                key = anchor, rule.simplified
                if key not in anchored:
                    anchored[key] = list(_positions(anchor, text, starts))
                near.update(anchored[key])
        if not near:
            continue
        for start, end in _ranges(sorted(near), starts, len(text)):
            for at in rule.matches(text, start, end):
                number = bisect_right(starts, at) - 1
                share = (at - starts[number]) / max(1, len(plain[number]))
                found.setdefault(number, {}).setdefault(rule.name, share)
    return found


def _pieces(text: str) -> set[str]:
    """The pieces of anchors that words of the text hold: most texts hold few, and each word is looked at once."""
    held: set[str] = set()
    for word in set(_WORD.findall(text)):
        if word in _SHORT_PIECES:
            held.add(word)
        for at in range(len(word) - 2):
            for piece in _PIECES_BY_START.get(word[at : at + 3], ()):
                if word.startswith(piece, at):
                    held.add(piece)
    return held


def _positions(anchor: str, text: str, starts: list[int]) -> Iterator[int]:
    """Where the anchor stands, ascending: once a line, in long lines once a stride.

    Short Latin anchors count only as words: ``ai``, not ``main``.
    """
    word = len(anchor) <= _SHORT and anchor.isascii() and anchor.isalpha()
    position = text.find(anchor)
    while position >= 0:
        end = position + len(anchor)
        if word and (_LATIN.match(text, end) or (position and _LATIN.match(text, position - 1))):
            position = text.find(anchor, end)
            continue
        yield position
        following = bisect_right(starts, position)
        line_end = starts[following] if following < len(starts) else len(text)
        position = text.find(anchor, min(line_end, end + _STRIDE))


def _ranges(positions: list[int], starts: list[int], length: int) -> Iterator[tuple[int, int]]:
    """Half-open ranges around positions, from the line before to the line after; they do not overlap."""
    start = end = -1
    for position in positions:
        number = bisect_right(starts, position) - 1
        first = max(starts[max(0, number - 1)], position - _REACH)
        last = min(starts[number + 2] if number + 2 < len(starts) else length, position + _STRIDE + _REACH)
        if first <= end:
            end = max(end, last)
        else:
            if start >= 0:
                yield start, end
            start, end = first, last
    if start >= 0:
        yield start, end
