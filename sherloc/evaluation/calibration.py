"""How far a stated confidence can be trusted: reliability, expected calibration error, Brier score, coverage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sherloc.evaluation.metrics import roc_auc


@dataclass(frozen=True, slots=True)
class Bin:
    """Predictions of about the same confidence: how many, their mean confidence, and the share that is right."""

    count: int
    confidence: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """How confidence and truth go together.

    Attributes:
        n: How many predictions state a confidence.
        ece: Expected calibration error: mean over predictions of the gap between a bin's confidence and its accuracy.
        brier: Mean squared difference between confidence and truth (0 or 1).
        base_brier: The Brier score of always saying the share that is right.
        auroc: Chance that a right prediction is surer than a wrong one; NaN when all are right or none is.
        bins: Of equal mass, by ascending confidence.
        coverage_at: (precision, share of predictions) at 0.7, 0.8 and 0.9: the largest share of the surest predictions
            of which so many are right.
    """

    n: int
    ece: float
    brier: float
    base_brier: float
    auroc: float
    bins: tuple[Bin, ...]
    coverage_at: tuple[tuple[float, float], ...]


def calibration(confidences: Sequence[float], right: Sequence[bool], *, bins: int = 10) -> Calibration | None:
    """Calibration of predictions; None when there are none.

    Args:
        confidences: 0-1, one a prediction.
        right: Whether each came true.
        bins: How many bins of equal mass.

    Complexity: O(n log n).
    """
    n = len(confidences)
    if not n:
        return None
    order = sorted(range(n), key=lambda i: (confidences[i], i))
    made = []
    for number in range(min(bins, n)):
        part = order[number * n // min(bins, n) : (number + 1) * n // min(bins, n)]
        mean = sum(confidences[i] for i in part) / len(part)
        made.append(Bin(len(part), mean, sum(right[i] for i in part) / len(part)))
    rate = sum(right) / n
    return Calibration(
        n=n,
        ece=sum(b.count * abs(b.confidence - b.accuracy) for b in made) / n,
        brier=sum((c - r) ** 2 for c, r in zip(confidences, right, strict=True)) / n,
        base_brier=rate * (1 - rate),
        auroc=roc_auc(confidences, right),
        bins=tuple(made),
        coverage_at=tuple((p, _coverage(confidences, right, p)) for p in (0.7, 0.8, 0.9)),
    )


def _coverage(confidences: Sequence[float], right: Sequence[bool], precision: float) -> float:
    order = sorted(range(len(right)), key=lambda i: -confidences[i])
    best = good = 0
    for count, index in enumerate(order, 1):
        good += right[index]
        last_of_tie = count == len(order) or confidences[order[count]] != confidences[index]
        if last_of_tie and good >= precision * count:
            best = count
    return best / len(right)
