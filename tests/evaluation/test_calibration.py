from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.evaluation.calibration import calibration


def test_by_hand() -> None:
    found = calibration([0.9, 0.8, 0.6, 0.2], [True, True, False, False], bins=2)
    assert found is not None
    # Bins: (0.2, 0.6) none right, mean 0.4; (0.8, 0.9) all right, mean 0.85.
    assert [(b.count, b.accuracy) for b in found.bins] == [(2, 0.0), (2, 1.0)]
    assert [b.confidence for b in found.bins] == pytest.approx([0.4, 0.85])
    assert found.ece == pytest.approx((2 * 0.4 + 2 * 0.15) / 4)
    assert found.brier == pytest.approx((0.01 + 0.04 + 0.36 + 0.04) / 4)
    assert (found.base_brier, found.auroc) == (0.25, 1.0)
    # The three surest are 67% right, all four 50%: at 70% two of four get an answer.
    assert found.coverage_at == ((0.7, 0.5), (0.8, 0.5), (0.9, 0.5))


def test_ties_are_answered_together() -> None:
    found = calibration([0.5, 0.5, 0.5], [True, True, False])
    assert found is not None
    assert found.coverage_at == ((0.7, 0.0), (0.8, 0.0), (0.9, 0.0))


def test_few_and_none() -> None:
    assert calibration([], []) is None
    one = calibration([0.3], [True])
    assert one is not None
    assert (one.n, len(one.bins), one.ece) == (1, 1, pytest.approx(0.7))
    assert math.isnan(one.auroc)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40))
def test_every_prediction_is_in_one_bin(pairs: list[tuple[float, bool]]) -> None:
    found = calibration([c for c, _ in pairs], [r for _, r in pairs])
    assert found is not None
    assert sum(b.count for b in found.bins) == len(pairs) == found.n
    assert 0 <= found.ece <= 1
