"""Intervals and tests, through SciPy (extra ``eval``). Everything random has a fixed seed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sherloc.errors import MissingExtraError

if TYPE_CHECKING:
    from types import ModuleType

Interval = tuple[float, float]
CONFIDENCE = 0.95
RESAMPLES = 9_999
_SEED = 0


def scipy_stats() -> ModuleType:
    """``scipy.stats``.

    Raises:
        MissingExtraError: SciPy is not installed.
    """
    try:
        import scipy.stats
    except ImportError as error:
        raise MissingExtraError("scipy", "eval", "Intervals and tests") from error
    stats: ModuleType = scipy.stats
    return stats


def wilson(successes: int, n: int, confidence: float = CONFIDENCE) -> Interval:
    """Wilson's score interval of a share.

    >>> tuple(round(x, 4) for x in wilson(8, 10))
    (0.4902, 0.9433)
    """
    interval = scipy_stats().binomtest(successes, n).proportion_ci(confidence, method="wilson")
    return float(interval.low), float(interval.high)


def bootstrap(values: Sequence[float], *, median: bool = False, confidence: float = CONFIDENCE) -> Interval:
    """Percentile bootstrap interval of a mean or median over instances.

    Equal values have no spread to draw from, so their interval is the value itself.
    """
    import numpy

    if len(set(values)) < 2:
        return values[0], values[0]
    found = scipy_stats().bootstrap(
        (numpy.asarray(values),), numpy.median if median else numpy.mean, n_resamples=RESAMPLES,
        confidence_level=confidence, method="percentile", batch=500, rng=numpy.random.default_rng(_SEED),
    )  # fmt: skip
    return float(found.confidence_interval.low), float(found.confidence_interval.high)


def mcnemar(gained: int, lost: int) -> float:
    """McNemar's exact test, two-sided: whether discordant pairs fall to both sides alike. 1 when there are none.

    It is the binomial test of ``gained`` out of ``gained + lost``, exact at any count.

    >>> round(mcnemar(1, 9), 5)
    0.02148
    """
    return _binomial(gained, gained + lost)


def sign_test(differences: Sequence[float]) -> float:
    """The sign test, two-sided; instances without a difference are left out. 1 when none is left."""
    positive = sum(value > 0 for value in differences)
    return _binomial(positive, positive + sum(value < 0 for value in differences))


def _binomial(successes: int, n: int) -> float:
    return float(scipy_stats().binomtest(successes, n, 0.5).pvalue) if n else 1.0


def randomization_test(differences: Sequence[float]) -> float:
    """The paired randomization test of a mean difference, two-sided: signs are flipped at random, all ways if few."""
    import numpy

    if not any(differences):
        return 1.0
    found: Any = scipy_stats().permutation_test(
        (numpy.asarray(differences, dtype=float),), numpy.mean, permutation_type="samples", n_resamples=RESAMPLES,
        batch=500, rng=numpy.random.default_rng(_SEED),
    )  # fmt: skip
    value = float(found.pvalue)
    return value if math.isfinite(value) else 1.0


def false_discovery_rates(p_values: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's adjusted values: below 0.05 for a set of which 5% are expected to be chance."""
    return [float(value) for value in scipy_stats().false_discovery_control(p_values)] if p_values else []
