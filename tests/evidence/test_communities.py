from __future__ import annotations

import subprocess
import sys

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


def test_without_edges_networkx_is_not_imported() -> None:
    code = (
        "import sys; from sherloc.evidence import find_communities as f; f(1, []); f(5, [(0, 1, 0.0)]);"
        "sys.exit('networkx' in sys.modules or 'community' in sys.modules or 'numpy' in sys.modules)"
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
