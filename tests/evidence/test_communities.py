from __future__ import annotations

import subprocess
import sys
from itertools import combinations

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.evidence import find_communities

TRIANGLES = [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (3, 4, 1.0), (4, 5, 1.0), (3, 5, 1.0), (2, 3, 0.1)]


def test_two_triangles() -> None:
    assert find_communities(6, TRIANGLES) == ((0, 1, 2), (3, 4, 5))


def test_the_order_of_edges_does_not_matter() -> None:
    turned = [(b, a, weight) for a, b, weight in reversed(TRIANGLES)]
    assert find_communities(6, turned) == find_communities(6, TRIANGLES)


def test_no_node_and_one_node() -> None:
    assert find_communities(0, []) == ()
    assert find_communities(1, []) == ((0,),)


def test_without_edges_each_node_is_alone() -> None:
    assert find_communities(3, []) == ((0,), (1,), (2,))


def test_weights_of_zero_are_no_edges() -> None:
    assert find_communities(3, [(0, 1, 0.0), (1, 2, -1.0)]) == ((0,), (1,), (2,))


def test_cliques_in_a_ring_are_the_communities() -> None:
    cliques = [range(first, first + 5) for first in range(0, 30, 5)]
    edges = [(a, b, 2.0) for clique in cliques for a, b in combinations(clique, 2)]
    edges += [(clique[-1], (clique[-1] + 1) % 30, 2.0) for clique in cliques]
    for seed in range(5):
        assert find_communities(30, edges, seed=seed) == tuple(tuple(clique) for clique in cliques)


def test_communities_merge_again_as_long_as_modularity_rises() -> None:
    """32 triangles in a ring: neighbours go together in twos, which no single node's move would do."""
    edges = [(3 * n + a, 3 * n + b, 1.0) for n in range(32) for a, b in ((0, 1), (1, 2), (0, 2))]
    edges += [(3 * n + 2, (3 * n + 3) % 96, 1.0) for n in range(32)]
    graph = networkx.Graph((a, b) for a, b, _ in edges)
    triangles = networkx.community.modularity(graph, [{3 * n, 3 * n + 1, 3 * n + 2} for n in range(32)])
    found = find_communities(96, edges)
    assert networkx.community.modularity(graph, found) > triangles
    assert all(len(group) % 3 == 0 and len(group) > 3 for group in found)


@pytest.mark.parametrize("seed", range(8))
def test_the_karate_club_is_split_as_well_as_by_others(seed: int) -> None:
    """The best known modularity, 0.4198 without weights, is Brandes et al.'s ("On Modularity Clustering", 2008)."""
    club = networkx.karate_club_graph()
    found = find_communities(34, [(a, b, 1.0) for a, b in club.edges], seed=seed)
    assert 0.38 < networkx.community.modularity(club, found, weight=None) < 0.4199


def test_edges_to_oneself_and_edges_told_twice() -> None:
    # Degrees 1 + 2 * 9 and 1 of 20: together 0, apart 9/10 - (19/20)^2 - (1/20)^2 = -0.005.
    assert find_communities(2, [(0, 1, 1.0), (0, 0, 9.0)]) == ((0, 1),)
    # Of 17 in all: apart from its neighbour only the node with a loop of its own and one edge to a pair.
    assert find_communities(3, [(0, 0, 4.0), (0, 1, 0.5), (1, 2, 4.0)]) == ((0,), (1, 2))
    assert find_communities(3, [(1, 2, 4.0), (0, 1, 3.0), (1, 0, 0.1)]) == find_communities(
        3, [(0, 1, 3.0), (1, 2, 4.0)]
    )


def test_networkx_is_not_imported() -> None:
    code = (
        "import sys; from sherloc.evidence import find_communities as f; f(1, []); f(5, [(0, 1, 1.0)]);"
        "sys.exit('networkx' in sys.modules or 'numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@given(
    st.integers(0, 9),
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8), st.sampled_from([0.0, 0.5, 1.0, 4.5]))),
)
def test_every_node_is_in_one_community(count: int, edges: list[tuple[int, int, float]]) -> None:
    groups = find_communities(count, [edge for edge in edges if max(edge[:2]) < count])
    assert sorted(node for group in groups for node in group) == list(range(count))
    assert list(groups) == sorted(groups)
    graph = networkx.Graph()
    graph.add_nodes_from(range(count))
    graph.add_weighted_edges_from(sorted(edge for edge in edges if edge[2] > 0 and max(edge[:2]) < count))
    parts = list(networkx.connected_components(graph))
    assert all(any(set(group) <= part for part in parts) for group in groups)
    if graph.size():
        alone = networkx.community.modularity(graph, [{node} for node in range(count)])
        assert networkx.community.modularity(graph, groups) >= alone - 1e-9
