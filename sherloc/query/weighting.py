"""Terms and their weights: how much each kind of segment says, and how repetition saturates."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import sqrt

from sherloc.query.segments import Piece
from sherloc.query.weights import QueryWeights
from sherloc.schema.query import SegmentKind
from sherloc.terms import TermTable

_MACHINE = ("code", "log", "traceback", "environment")


def weigh(
    pieces: Sequence[Piece], texts: Sequence[str], names: Iterable[str], weights: QueryWeights
) -> tuple[tuple[tuple[str, float], ...], tuple[float, ...]]:
    """Weigh the terms of an issue and its pieces.

    Args:
        pieces: The issue's pieces.
        texts: Their words: the text of each without links and noise.
        names: Names whose terms the text does not give by itself, of operators and settings.
        weights: The table of weights.

    Returns:
        Terms with weights, by descending weight, then term; and the weight of each piece.
    """
    table = TermTable()
    counts = [table.count(text) for text in texts]
    piece_weights = tuple(
        weights.of(piece.kind) * _damping(piece, count, weights) for piece, count in zip(pieces, counts, strict=True)
    )
    frequency = _frequencies(pieces, counts, piece_weights, weights)
    for name in names:
        for term in table[name]:
            frequency[term] = max(frequency[term], weights.named)
    k = weights.saturation
    scored = {term: (k + 1) * f / (k + f) for term, f in frequency.items() if f > 0}
    return tuple(sorted(scored.items(), key=lambda item: (-item[1], item[0]))), piece_weights


def _frequencies(
    pieces: Sequence[Piece], counts: Sequence[Counter[str]], piece_weights: Sequence[float], weights: QueryWeights
) -> dict[str, float]:
    """Each term's effective frequency: the sum over the kinds of pieces, each up to its ceiling; 0 for any other."""
    by_kind: dict[SegmentKind, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for piece, count, weight in zip(pieces, counts, piece_weights, strict=True):
        sums = by_kind["log" if piece.kind == "traceback" else piece.kind]
        for term, times in count.items():
            sums[term] += weight * times
    frequency: dict[str, float] = defaultdict(float)
    for kind, sums in by_kind.items():
        ceiling = weights.ceiling(kind)
        for term, total in sums.items():
            frequency[term] += min(ceiling, total)
    return frequency


def _damping(piece: Piece, count: Counter[str], weights: QueryWeights) -> float:
    """How far a long, broad or generated piece is weighed down; 1 for what somebody wrote."""
    if piece.kind not in _MACHINE:
        return 1.0
    lines = piece.text.count("\n") + 1
    long = sqrt(min(1.0, weights.long_lines / lines))
    broad = sqrt(min(1.0, weights.broad_terms / max(1, len(count))))
    return min(long, broad) * (weights.generated if piece.generated else 1.0)
