from __future__ import annotations

import math

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python

from sherloc.evidence import pagerank


def undirected(count: int, edges: list[tuple[int, int, float]]) -> list[dict[int, float]]:
    rows: list[dict[int, float]] = [{} for _ in range(count)]
    for a, b, weight in edges:
        rows[a][b] = weight
        rows[b][a] = weight
    return rows


def networkx_pagerank(
    count: int, edges: list[tuple[int, int, float]], personalisation: list[float] | None = None
) -> list[float]:
    graph = networkx.Graph()
    graph.add_nodes_from(range(count))
    graph.add_weighted_edges_from(edges)
    given_weights = dict(enumerate(personalisation)) if personalisation else None
    ranks = _pagerank_python(graph, alpha=0.85, personalization=given_weights, max_iter=1000, tol=1e-13)
    return [ranks[node] for node in range(count)]


def test_a_star_as_computed_by_hand() -> None:
    # r0 = 0.05 + 0.85 (r1 + r2), r1 = r2 = 0.05 + 0.425 r0, so r0 = 0.135 / 0.2775.
    ranks = pagerank(undirected(3, [(0, 1, 1.0), (0, 2, 1.0)]))
    assert ranks == pytest.approx((0.135 / 0.2775, 0.05 + 0.425 * 0.135 / 0.2775, 0.05 + 0.425 * 0.135 / 0.2775))


def test_a_self_loop_keeps_its_mass() -> None:
    # The other node dangles: r1 = (0.15 + 0.85 r1) / 2, so r1 = 0.075 / 0.575.
    assert pagerank([{0: 1.0}, {}]) == pytest.approx((1 - 0.075 / 0.575, 0.075 / 0.575))


def test_a_dangling_node_gives_its_mass_to_the_personalisation() -> None:
    assert pagerank([{}, {}, {}], [3.0, 1.0, 0.0]) == pytest.approx((0.75, 0.25, 0.0))


def test_no_nodes() -> None:
    assert pagerank([]) == ()


def test_one_node() -> None:
    assert pagerank([{}]) == (1.0,)
    assert pagerank([{0: 2.0}], [5.0]) == (1.0,)


@pytest.mark.parametrize("personalisation", [[], [0.0, 0.0], [1.0], [-1.0, -2.0], [math.nan, math.inf]])
def test_a_personalisation_that_says_nothing_is_uniform(personalisation: list[float]) -> None:
    assert pagerank([{}, {}], personalisation) == (0.5, 0.5)


@pytest.mark.parametrize("weight", [0.0, -1.0, math.nan, math.inf])
def test_weights_that_are_no_edge(weight: float) -> None:
    assert pagerank([{1: weight, 9: 1.0, -1: 1.0}, {}]) == (0.5, 0.5)


def test_huge_weights_do_not_overflow() -> None:
    assert pagerank([{1: 1e308, 2: 1e308}, {0: 1e308}, {0: 1e308}], [1e308, 1e308, 1e308]) == pytest.approx(
        pagerank([{1: 1.0, 2: 1.0}, {0: 1.0}, {0: 1.0}])
    )


GRAPHS = {
    "path": (4, [(0, 1, 1.0), (1, 2, 2.0), (2, 3, 0.5)], None),
    "personalised": (4, [(0, 1, 1.0), (1, 2, 2.0), (2, 3, 0.5)], [4.0, 0.0, 1.0, 2.5]),
    "disconnected": (6, [(0, 1, 1.0), (2, 3, 3.0), (3, 4, 1.0)], [1.0, 2.0, 3.0, 4.0, 5.0, 0.5]),
    "self loops": (3, [(0, 0, 2.0), (0, 1, 1.0), (2, 2, 1.0)], [1.0, 0.0, 1.0]),
    "no edges": (3, [], [1.0, 2.0, 0.0]),
    "complete": (5, [(a, b, float(a + b)) for a in range(5) for b in range(a + 1, 5)], None),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_equals_networkx(name: str) -> None:
    count, edges, personalisation = GRAPHS[name]
    ours = pagerank(undirected(count, edges), personalisation or ())
    assert ours == pytest.approx(networkx_pagerank(count, edges, personalisation), abs=1e-6)


@st.composite
def weighted_graphs(draw: st.DrawFn) -> tuple[list[dict[int, float]], list[float]]:
    count = draw(st.integers(1, 8))
    any_float = st.floats(allow_nan=True, allow_infinity=True)
    rows = draw(st.lists(st.dictionaries(st.integers(-2, 9), any_float), min_size=count, max_size=count))
    return rows, draw(st.lists(any_float, max_size=9))


@given(weighted_graphs(), st.floats(0.01, 0.99))
def test_scores_are_finite_and_sum_to_one(graph: tuple[list[dict[int, float]], list[float]], damping: float) -> None:
    ranks = pagerank(*graph, damping=damping)
    assert all(math.isfinite(rank) and rank >= 0 for rank in ranks)
    assert sum(ranks) == pytest.approx(1)
