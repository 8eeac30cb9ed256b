from __future__ import annotations

import math

import pytest

from sherloc.evaluation.metrics import (
    accuracy_at,
    all_at,
    chunk_scores,
    hit_at,
    lines_within,
    recall_at,
    reciprocal_rank,
    roc_auc,
    set_scores,
)


@pytest.mark.parametrize(
    ("ranking", "gold", "k", "accuracy", "strict", "hit", "recall"),
    [
        (["a", "b"], ["a", "c"], 1, True, False, True, 0.5),
        (["a", "b"], ["a", "c"], 2, False, False, True, 0.5),
        (["b", "a"], ["a"], 1, False, False, False, 0.0),
        (["b", "a"], ["a"], 2, True, True, True, 1.0),
        (["a", "a", "b"], ["b"], 2, True, True, True, 1.0),
        ([], ["a"], 5, False, False, False, 0.0),
    ],
)
def test_measures_of_a_ranking(
    ranking: list[str], gold: list[str], k: int, accuracy: bool, strict: bool, hit: bool, recall: float
) -> None:
    assert accuracy_at(ranking, gold, k) is accuracy
    assert all_at(ranking, gold, k) is strict
    assert hit_at(ranking, gold, k) is hit
    assert recall_at(ranking, gold, k) == recall


def test_reciprocal_rank_counts_distinct_items() -> None:
    assert reciprocal_rank(["x", "x", "a"], ["a"]) == 0.5
    assert reciprocal_rank([], ["a"]) == 0.0


def test_sets() -> None:
    assert set_scores(["a", "b", "b"], ["a", "c"]) == (0.5, 0.5, False)
    assert set_scores([], ["a"]) == (0.0, 0.0, False)
    assert set_scores(["a"], ["a"]) == (1.0, 1.0, True)


def test_lines_within() -> None:
    assert lines_within([("m", 10, 12)], [("m", 17)])
    assert not lines_within([("m", 10, 12)], [("m", 18)])
    assert not lines_within([("n", 10, 12)], [("m", 11)])
    assert not lines_within([], [("m", 11)])


def test_chunks_as_sherloc_counts_them() -> None:
    spans = [("m", 1, 10), ("m", 4, 5), ("n", 1, 1)]
    assert chunk_scores(spans, [("m", 4, 5), ("m", 20, 20)]) == (0.5, 1.0, pytest.approx(2 / 3))
    assert chunk_scores([("m", 1, 10)], [("m", 4, 5)]) == (1.0, 0.2, 1.0)
    assert chunk_scores([], [("m", 4, 5)]) == (0.0, 0.0, 0.0)


def test_auc() -> None:
    assert roc_auc([0.9, 0.8, 0.1], [True, False, False]) == 1.0
    assert roc_auc([0.5, 0.5], [True, False]) == 0.5
    assert roc_auc([0.1, 0.9, 0.5, 0.5], [True, True, False, False]) == 0.5
    assert math.isnan(roc_auc([0.1], [True]))
