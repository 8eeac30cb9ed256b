"""PageRank by power iteration on a small weighted graph, without SciPy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

_TOLERANCE = 1e-12
_MAX_ROUNDS = 1000


def pagerank(
    neighbours: Sequence[Mapping[int, float]],
    personalisation: Sequence[float] = (),
    *,
    damping: float = 0.85,
) -> tuple[float, ...]:
    """The stationary distribution of a surfer who follows edges and now and then jumps.

    The surfer follows an edge out of a node in proportion to its weight with probability ``damping``, and otherwise
    jumps to a node in proportion to ``personalisation``. The mass of a node without edges jumps in the same way.

    Args:
        neighbours: For node ``i``, the nodes it leads to and the weights. An undirected edge stands in both. Weights
            that are not positive and finite, and nodes that do not exist, count as no edge.
        personalisation: One weight (>= 0) a node. Missing, of another length, or without a positive finite weight:
            uniform.
        damping: Between 0 and 1, both excluded.

    Returns:
        One score a node; they are finite, not negative and sum to 1 (empty for no nodes).

    Complexity: O(rounds * edges); rounds is about ``log(1e-12) / log(damping)``, 170 for the default.

    Source: L. Page, S. Brin, R. Motwani, T. Winograd, "The PageRank Citation Ranking: Bringing Order to the Web",
    Stanford InfoLab 1999; personalisation as in its section 6.

    >>> pagerank([{1: 1.0}, {0: 1.0}])
    (0.5, 0.5)
    >>> pagerank([{}, {}], [3.0, 1.0])
    (0.75, 0.25)
    """
    count = len(neighbours)
    if not count:
        return ()
    jump = _normalised(personalisation, count)
    rows = [_transition(row, count) for row in neighbours]
    dangling = [node for node, row in enumerate(rows) if not row]
    rank = list(jump)
    for _ in range(_MAX_ROUNDS):
        loose = 1 - damping + damping * math.fsum(rank[node] for node in dangling)
        new = [loose * share for share in jump]
        for node, row in enumerate(rows):
            mass = damping * rank[node]
            for target, share in row:
                new[target] += mass * share
        change = math.fsum(abs(a - b) for a, b in zip(new, rank, strict=True))
        rank = new
        if change < _TOLERANCE:
            break
    total = math.fsum(rank)
    return tuple(score / total for score in rank)


def _normalised(weights: Sequence[float], count: int) -> list[float]:
    if len(weights) == count:
        clean = [weight if math.isfinite(weight) and weight > 0 else 0.0 for weight in weights]
        # Scaled first: the sum of finite weights may not be finite.
        largest = max(clean)
        if largest > 0:
            scaled = [weight / largest for weight in clean]
            total = math.fsum(scaled)
            return [weight / total for weight in scaled]
    return [1 / count] * count


def _transition(row: Mapping[int, float], count: int) -> list[tuple[int, float]]:
    kept = sorted(
        (target, weight)
        for target, weight in row.items()
        if 0 <= target < count and math.isfinite(weight) and weight > 0
    )
    if not kept:
        return []
    largest = max(weight for _, weight in kept)
    total = math.fsum(weight / largest for _, weight in kept)
    return [(target, weight / largest / total) for target, weight in kept]
