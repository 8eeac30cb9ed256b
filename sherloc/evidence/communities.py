"""Communities of the evidence graph by Louvain's method."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import NamedTuple

_LEAST_GAIN = 1e-12
"""Of all weights: what a move must gain, so that rounding never moves a node to and fro."""


def find_communities(
    count: int, edges: Iterable[tuple[int, int, float]], *, seed: int = 0
) -> tuple[tuple[int, ...], ...]:
    """Split nodes ``0 .. count - 1`` into communities that maximise modularity.

    Args:
        count: How many nodes there are.
        edges: Undirected edges with a weight; those without a positive weight count as none. Of two between the same
            nodes the heavier one counts.
        seed: Seed of the order in which Louvain visits nodes.

    Returns:
        The communities, each in ascending order, ordered by their first node; every node is in exactly one.

    Complexity: about O(edges * log(nodes)).

    Source: V. Blondel, J.-L. Guillaume, R. Lambiotte, E. Lefebvre, "Fast unfolding of communities in large networks",
    J. Stat. Mech. 2008.

    >>> find_communities(4, [(0, 1, 1.0), (2, 3, 1.0)])
    ((0, 1), (2, 3))
    """
    weights = {(a, b): weight for a, b, weight in sorted((min(a, b), max(a, b), w) for a, b, w in edges if w > 0)}
    graph = _Graph([{} for _ in range(count)], [0.0] * count)
    for (first, second), weight in weights.items():
        graph.add(first, second, weight)
    random = Random(seed)
    members = [[node] for node in range(count)]
    while weights:
        numbers = _numbered(_moved(graph, random))
        merged: list[list[int]] = [[] for _ in range(max(numbers) + 1)]
        for node, number in enumerate(numbers):
            merged[number] += members[node]
        if len(merged) == len(members):
            break
        members, graph = merged, graph.merged(numbers, len(merged))
    return tuple(sorted(tuple(sorted(nodes)) for nodes in members))


class _Graph(NamedTuple):
    """An undirected graph: the weights of each node's edges by the other node, and of its edge to itself."""

    neighbours: list[dict[int, float]]
    loops: list[float]

    def add(self, first: int, second: int, weight: float) -> None:
        if first == second:
            self.loops[first] += weight
            return
        for near, far in ((first, second), (second, first)):
            self.neighbours[near][far] = self.neighbours[near].get(far, 0.0) + weight

    def degree(self, node: int) -> float:
        return sum(self.neighbours[node].values()) + 2 * self.loops[node]

    def merged(self, numbers: Sequence[int], count: int) -> _Graph:
        """A node for each community, with the edges of all that are in it."""
        found = _Graph([{} for _ in range(count)], [0.0] * count)
        for node, neighbours in enumerate(self.neighbours):
            found.loops[numbers[node]] += self.loops[node]
            for other, weight in neighbours.items():
                if node < other:
                    found.add(numbers[node], numbers[other], weight)
        return found


def _moved(graph: _Graph, random: Random) -> list[int]:
    """The community of each node, after nodes have moved to a neighbour's for as long as modularity rises by it."""
    degrees = [graph.degree(node) for node in range(len(graph.loops))]
    everything = sum(degrees)
    home, totals = list(range(len(degrees))), degrees.copy()
    order = list(range(len(degrees)))
    moving = True
    while moving:
        moving = False
        random.shuffle(order)
        for node in order:
            ties = {home[node]: 0.0}
            for other, weight in graph.neighbours[node].items():
                ties[home[other]] = ties.get(home[other], 0.0) + weight
            totals[home[node]] -= degrees[node]
            gains = {place: tie - totals[place] * degrees[node] / everything for place, tie in ties.items()}
            best = min(gains, key=lambda place: (-gains[place], place))
            if gains[best] > gains[home[node]] + _LEAST_GAIN * everything:
                home[node] = best
                moving = True
            totals[home[node]] += degrees[node]
    return home


def _numbered(home: Sequence[int]) -> list[int]:
    """Communities as numbers from 0, in order of their first node."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(place, len(numbers)) for place in home]
