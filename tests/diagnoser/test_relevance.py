from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.diagnoser import discriminates, relevance_score
from sherloc.diagnoser.relevance import relevance_level
from sherloc.schema.diagnosis import Diagnosis


@pytest.mark.parametrize(
    ("confidence", "rank", "expected"),
    [(1.0, 0, 5.0), (0.8, 0, 4.47), (0.25, 0, 2.5), (0.02, 0, 0.71), (0.25, 10, 2.38), (0.0, 0, 0.0), (2.0, 0, 5.0),
     (-1.0, 0, 0.0), (float("nan"), 0, 0.0), (0.25, -3, 2.5)],
)  # fmt: skip
def test_scores(confidence: float, rank: int, expected: float) -> None:
    assert relevance_score(confidence, rank) == expected


@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 300), st.integers(0, 300))
def test_monotone(low: float, high: float, first: int, later: int) -> None:
    low, high, first, later = min(low, high), max(low, high), min(first, later), max(first, later)
    assert 0 <= relevance_score(low, first) <= relevance_score(high, first) <= 5
    assert relevance_score(high, later) <= relevance_score(high, first)


def test_levels() -> None:
    assert relevance_level(3.0, ["lexical"]) == "direct"
    assert relevance_level(2.9, ["lexical"]) == "partial"
    assert relevance_level(2.0, ["lexical", "traceback"]) == "direct"
    assert relevance_level(1.9, ["traceback"]) == "partial"
    assert relevance_level(0.9, ["traceback"]) == "none"


def diagnoses(*scores: float) -> list[Diagnosis]:
    return [
        Diagnosis(path="a.py", qualified_name="f", kind="function", start_line=1, end_line=2, relevance_score=score,
                  relevance="none")
        for score in scores
    ]  # fmt: skip


def test_scores_that_are_all_alike_do_not_discriminate() -> None:
    assert not discriminates(diagnoses(2.0, 2.0, 2.1, 2.2))
    assert discriminates(diagnoses(4.0, 2.0, 2.0))
    assert not discriminates(diagnoses(0.0, 0.0))


def test_one_or_none_has_nothing_to_tell_apart() -> None:
    assert discriminates([])
    assert discriminates(diagnoses(0.0))
