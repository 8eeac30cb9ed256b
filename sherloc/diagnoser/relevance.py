"""How relevant a candidate is, as a number and as a word."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal

from sherloc.schema.candidate import SignalKind
from sherloc.schema.diagnosis import Diagnosis

NAMING_KINDS: frozenset[SignalKind] = frozenset({"traceback", "message", "qualified_name", "defined_name"})
"""Signs by which the issue points at the snippet itself."""

_RANK_LOSS = 0.1
_RANK_SCALE = 10.0
_DIRECT = 3.0
_DIRECT_IF_NAMED = 2.0
_PARTIAL = 1.0
_SPREAD = 0.25


def relevance_score(confidence: float, rank: int) -> float:
    """The score from 0 (unrelated) to 5 (directly causes the problem).

    ``5 * sqrt(confidence) * (1 - 0.1 * rank / (rank + 10))``, to two decimals: it rises with the confidence and falls,
    by 10% at most, with the rank. Confidence 0.8 gives about 4.5 at the top, 0.25 gives 2.5, 0.02 less than 1. The root
    spreads the low confidences, which are the most common.

    Args:
        confidence: Estimated chance that the snippet must change; clamped to 0-1, not a number counts as 0.
        rank: 0-based rank among the candidates.

    >>> relevance_score(0.8, 0), relevance_score(0.8, 10), relevance_score(0.02, 0)
    (4.47, 4.25, 0.71)
    """
    if not confidence > 0:
        return 0.0
    rank = max(rank, 0)
    return round(5 * math.sqrt(min(confidence, 1.0)) * (1 - _RANK_LOSS * rank / (rank + _RANK_SCALE)), 2)


def relevance_level(score: float, kinds: Iterable[SignalKind]) -> Literal["direct", "partial", "none"]:
    """The word for a score: direct from 3.0, or from 2.0 when the issue points at the snippet; partial from 1.0.

    Args:
        score: 0-5.
        kinds: Kinds of the candidate's signals.
    """
    if score >= _DIRECT or (score >= _DIRECT_IF_NAMED and not NAMING_KINDS.isdisjoint(kinds)):
        return "direct"
    return "partial" if score >= _PARTIAL else "none"


def discriminates(diagnoses: Sequence[Diagnosis]) -> bool:
    """Whether the relevance scores tell the candidates apart.

    They do not when the best is less than 0.25 above the median of all. One diagnosis or none has nothing to tell apart
    and counts as discriminating.

    Args:
        diagnoses: All diagnoses of one issue, in any order.
    """
    if len(diagnoses) < 2:
        return True
    scores = sorted(diagnosis.relevance_score for diagnosis in diagnoses)
    return scores[-1] - scores[(len(scores) - 1) // 2] >= _SPREAD
