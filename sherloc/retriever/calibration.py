"""From scores to chances: how likely it is that a file or function must change.

Logistic models of a candidate's score against the others', fitted on the development issues (Python and eight other
languages); with each repository left out in turn their AUC is 0.89 for files and 0.82 for functions, and a file that
gets 0.75 or more must change in 91% of cases (docs/benchmarks.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

FILES = 12
UNITS = 20

_FILE = (-0.187, -1.029, 3.275, -0.609, 0.364, -0.155, -0.177, 0.042)
_UNIT = (3.076, -5.439, 3.89, -0.962, 0.855, -0.179)
_LEAST = 1e-9


def file_chances(scores: Sequence[float], cues: Sequence[tuple[float, float, float]]) -> list[float]:
    """The chance of each file that it must change.

    Args:
        scores: Fused scores, best first.
        cues: For each file how clearly the issue names it: by path or traceback, by a qualified name, by a name.
    """
    chances: list[float] = []
    for rank, score in enumerate(scores[:FILES]):
        chances.append(_logistic(_FILE, (*_against(scores[:FILES], rank), score, *cues[rank])))
    return _tail(chances, len(scores))


def unit_chances(scores: Sequence[float], file_ranks: Sequence[int]) -> list[float]:
    """The chance of each snippet that it must change.

    Args:
        scores: Own fused scores, best first.
        file_ranks: Rank of each snippet's file, 0 is the best.
    """
    chances: list[float] = []
    for rank, score in enumerate(scores[:UNITS]):
        place = math.log1p(min(file_ranks[rank], FILES))
        chances.append(_logistic(_UNIT, (*_against(scores[:UNITS], rank), score, place)))
    return _tail(chances, len(scores))


def _against(scores: Sequence[float], rank: int) -> tuple[float, float, float]:
    """The score relative to the best, the logarithm of its lead over the best other one, and the rank's logarithm."""
    others = max((score for at, score in enumerate(scores) if at != rank), default=_LEAST)
    lead = math.log(max(scores[rank], _LEAST) / max(others, _LEAST))
    return scores[rank] / max(scores[0], _LEAST), min(lead, 3.0), math.log1p(rank)


def _logistic(weights: Sequence[float], features: Sequence[float]) -> float:
    total = weights[0] + math.fsum(w * f for w, f in zip(weights[1:], features, strict=True))
    return 1.0 / (1.0 + math.exp(-total))


def _tail(chances: list[float], count: int) -> list[float]:
    """Chances never rise with rank, and go on falling after the modelled ones."""
    for rank in range(1, len(chances)):
        chances[rank] = min(chances[rank], chances[rank - 1])
    last = chances[-1] if chances else 0.0
    known = len(chances)
    return chances + [last * known / (known + 1 + extra) for extra in range(count - known)]
