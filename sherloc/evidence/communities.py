"""Communities of the evidence graph by Louvain's method."""

from __future__ import annotations

from collections.abc import Iterable


def find_communities(
    count: int, edges: Iterable[tuple[int, int, float]], *, seed: int = 0
) -> tuple[tuple[int, ...], ...]:
    """Split nodes ``0 .. count - 1`` into communities that maximise modularity.

    Args:
        count: How many nodes there are.
        edges: Undirected edges with a weight; those without a positive weight count as none.
        seed: Seed of the order in which Louvain visits nodes.

    Returns:
        The communities, each in ascending order, ordered by their first node; every node is in exactly one.

    Complexity: about O(edges * log(nodes)).

    Source: V. Blondel, J.-L. Guillaume, R. Lambiotte, E. Lefebvre, "Fast unfolding of communities in large networks",
    J. Stat. Mech. 2008; the implementation is python-louvain's.

    >>> find_communities(4, [(0, 1, 1.0), (2, 3, 1.0)])
    ((0, 1), (2, 3))
    """
    kept = sorted((min(a, b), max(a, b), weight) for a, b, weight in edges if weight > 0)
    if count < 2 or not kept:
        return tuple((node,) for node in range(count))
    # Here, not above: the two cost 0.2 s to import, and most callers of the package never get here.
    import community
    import networkx

    # Louvain's result depends on the order of nodes and edges, so both are sorted (networkx issues 6655 and 8095).
    graph = networkx.Graph()
    graph.add_nodes_from(range(count))
    graph.add_weighted_edges_from(kept)
    members: dict[int, list[int]] = {}
    for node, number in sorted(community.best_partition(graph, weight="weight", random_state=seed).items()):
        members.setdefault(number, []).append(node)
    return tuple(sorted(tuple(nodes) for nodes in members.values()))
