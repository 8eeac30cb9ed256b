"""Every measure against values computed by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.evaluation.metrics import (
    accuracy_at,
    all_at,
    all_lines_within,
    average_precision,
    chunk_scores,
    harmonic_mean,
    hit_at,
    line_density,
    line_recall,
    lines_within,
    ndcg_at,
    recall_at,
    reciprocal_rank,
    roc_auc,
    set_scores,
)

LOG3 = 1 / math.log2(3)


@pytest.mark.parametrize(
    ("ranking", "gold", "k", "accuracy", "strict", "hit", "recall", "ndcg"),
    [
        # One of two gold items first: LocAgent's Acc@1 asks for one, all-gold for both.
        (["a", "b"], ["a", "c"], 1, True, False, True, 0.5, 1.0),
        (["a", "b"], ["a", "c"], 2, False, False, True, 0.5, 1 / (1 + LOG3)),
        (["b", "a"], ["a"], 1, False, False, False, 0.0, 0.0),
        (["b", "a"], ["a"], 2, True, True, True, 1.0, LOG3),
        # Duplicates take no rank.
        (["a", "a", "b"], ["b"], 2, True, True, True, 1.0, LOG3),
        (["a", "a", "a"], ["a"], 3, True, True, True, 1.0, 1.0),
        # Nothing predicted; fewer than k predicted.
        ([], ["a"], 5, False, False, False, 0.0, 0.0),
        (["a"], ["a"], 10, True, True, True, 1.0, 1.0),
        (["a"], ["a", "b", "c"], 10, False, False, True, 1 / 3, 1 / (1 + LOG3 + 0.5)),
        # More gold than k.
        (["a", "b", "x"], ["a", "b", "c"], 2, True, False, True, 2 / 3, 1.0),
        # Gold named twice counts once.
        (["b", "a"], ["a", "a"], 1, False, False, False, 0.0, 0.0),
        # A new file's path is no gold item; a renamed file counts under its old path.
        (["new.py", "old.py"], ["old.py"], 1, False, False, False, 0.0, 0.0),
    ],
)
def test_measures_of_a_ranking(
    ranking: list[str], gold: list[str], k: int, accuracy: bool, strict: bool, hit: bool, recall: float, ndcg: float
) -> None:
    assert accuracy_at(ranking, gold, k) is accuracy
    assert all_at(ranking, gold, k) is strict
    assert hit_at(ranking, gold, k) is hit
    assert recall_at(ranking, gold, k) == recall
    assert ndcg_at(ranking, gold, k) == pytest.approx(ndcg)


@pytest.mark.parametrize(
    ("ranking", "gold", "reciprocal", "precision"),
    [
        (["x", "x", "a"], ["a"], 0.5, 0.5),
        ([], ["a"], 0.0, 0.0),
        (["a", "x", "b"], ["a", "b"], 1.0, (1 + 2 / 3) / 2),
        (["x", "y", "b", "a"], ["a", "b", "c"], 1 / 3, (1 / 3 + 2 / 4) / 3),
    ],
)
def test_reciprocal_rank_and_average_precision(
    ranking: list[str], gold: list[str], reciprocal: float, precision: float
) -> None:
    assert reciprocal_rank(ranking, gold) == pytest.approx(reciprocal)
    assert average_precision(ranking, gold) == pytest.approx(precision)


@given(st.lists(st.sampled_from("abcdef")), st.sets(st.sampled_from("abcdef"), min_size=1), st.integers(1, 6))
def test_how_measures_are_ordered(ranking: list[str], gold: set[str], k: int) -> None:
    assert all_at(ranking, gold, k) <= (recall_at(ranking, gold, k) == 1) <= hit_at(ranking, gold, k)
    assert all_at(ranking, gold, k) <= accuracy_at(ranking, gold, k) <= hit_at(ranking, gold, k)
    assert 0 <= ndcg_at(ranking, gold, k) <= 1 + 1e-12
    assert 0 <= average_precision(ranking, gold) <= 1
    assert hit_at(ranking, gold, k) <= hit_at(ranking, gold, k + 1)


def test_sets() -> None:
    assert set_scores(["a", "b", "b"], ["a", "c"]) == (0.5, 0.5, False)
    assert set_scores([], ["a"]) == (0.0, 0.0, False)
    assert set_scores(["a"], ["a"]) == (1.0, 1.0, True)
    assert harmonic_mean(0.5, 0.5) == 0.5
    assert harmonic_mean(1, 0.5) == pytest.approx(2 / 3)
    assert harmonic_mean(0, 0) == 0


def test_lines_within() -> None:
    assert lines_within([("m", 10, 12)], [("m", 17)])
    assert not lines_within([("m", 10, 12)], [("m", 18)])
    assert not lines_within([("n", 10, 12)], [("m", 11)])
    assert not lines_within([], [("m", 11)])
    assert all_lines_within([("m", 10, 12)], [("m", 17), ("m", 5)])
    assert not all_lines_within([("m", 10, 12)], [("m", 17), ("m", 4)])


def test_lines_that_spans_show() -> None:
    gold = [("m", 2), ("m", 3), ("m", 9), ("n", 1)]
    spans = [("m", 1, 4), ("m", 3, 6)]
    assert line_recall(spans, gold) == 0.5
    assert line_density(spans, gold) == pytest.approx(2 / 6)  # overlapping spans show a line once
    assert line_density([], gold) == 0.0


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
