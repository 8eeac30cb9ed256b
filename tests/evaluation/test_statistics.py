"""SciPy does the work; here is what is asked of it, against values from the literature or by hand."""

from __future__ import annotations

import sys
from math import comb

import pytest

from sherloc.errors import MissingExtraError
from sherloc.evaluation import statistics


def test_wilson_by_hand() -> None:
    # p = 0.8, n = 10, z = 1.96: centre (0.8 + z²/20) / (1 + z²/10) = 0.71674, half width 0.22658.
    assert statistics.wilson(8, 10) == pytest.approx((0.49016, 0.94332), abs=1e-5)
    low, high = statistics.wilson(0, 7)
    assert low == pytest.approx(0.0, abs=1e-12)
    assert high == pytest.approx(1.9599639845**2 / (7 + 1.9599639845**2))


@pytest.mark.parametrize(("gained", "lost"), [(0, 0), (1, 0), (5, 0), (1, 9), (7, 7), (74, 12)])
def test_mcnemar_is_the_exact_binomial(gained: int, lost: int) -> None:
    n, most = gained + lost, max(gained, lost)
    tail = sum(comb(n, i) for i in range(most, n + 1)) / 2**n
    assert statistics.mcnemar(gained, lost) == pytest.approx(min(1.0, 2 * tail) if n else 1.0)


def test_the_sign_test_leaves_ties_out() -> None:
    assert statistics.sign_test([1.0, 0.5, 0.1, -0.2, 0.0, 0.0]) == pytest.approx(2 * (1 + 4) / 16)
    assert statistics.sign_test([0.0]) == 1.0


def test_the_randomization_test_is_exact_when_small() -> None:
    # Of 8 ways to give signs to 1, 1, 1 two have a mean as far from 0.
    assert statistics.randomization_test([1, 1, 1]) == pytest.approx(0.25)
    assert statistics.randomization_test([0, 0]) == 1.0


def test_bootstrap_intervals_hold_the_value_and_repeat() -> None:
    values = [0.0, 1.0, 1.0, 0.5] * 20
    low, high = statistics.bootstrap(values)
    assert low < 0.625 < high
    assert (low, high) == statistics.bootstrap(values)
    assert statistics.bootstrap([3.0, 3.0]) == (3.0, 3.0)
    assert statistics.bootstrap([2.0]) == (2.0, 2.0)
    assert statistics.bootstrap([1.0, 2.0, 9.0] * 30, median=True) == (2.0, 2.0)


def test_false_discovery_rates_by_hand() -> None:
    # Sorted 0.01, 0.02, 0.9: 0.01*3/1, 0.02*3/2, 0.9*3/3, made monotone from above.
    assert statistics.false_discovery_rates([0.9, 0.01, 0.02]) == pytest.approx([0.9, 0.03, 0.03])
    assert statistics.false_discovery_rates([]) == []


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(MissingExtraError, match=r"scipy[\s\S]*sherloc\[eval\]"):
        statistics.wilson(1, 2)
