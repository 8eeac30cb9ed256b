"""Verdicts against offline evidence: exact values, and the bounds on what a model can do."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherloc.evidence.weighing import Look, Trust, judge_scores, weighed_chance, weighed_order
from sherloc.settings import WeighingSettings

S = WeighingSettings()
CHANCES = [0.6, 0.3, 0.1, 0.05, 0.04, 0.03, 0.02, 0.01, 0.01, 0.01, 0.005, 0.005]
SURE = Look(score=5, reranked=0)


def test_log_odds_by_hand() -> None:
    assert Look(score=5).log_odds == 4.5
    assert Look(score=4.5).log_odds == 3.5
    assert Look(score=0).log_odds == -2.5
    assert Look(score=2.5).log_odds == pytest.approx(-0.25)
    assert Look(reranked=0).log_odds == 1.5
    assert Look(reranked=2).log_odds == 0.75
    assert Look(narrowed=3).log_odds == pytest.approx(0.4)
    assert Look(explored=0.5).log_odds == 2.0
    assert weighed_chance(0.0, Look()) == pytest.approx(1e-4)


def test_two_looks_bring_a_candidate_from_the_tail_to_the_top() -> None:
    looks = [Look(score=0)] * 11 + [SURE]
    order = weighed_order(CHANCES, looks, Trust(True, newcomers=1), S)
    assert order == (11, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)


def test_one_look_does_not() -> None:
    looks = [Look(score=0)] * 11 + [Look(score=5)]
    order = weighed_order(CHANCES, looks, Trust(True, newcomers=1), S)
    assert order[:10] == tuple(range(10))
    assert order[10] == 11


def test_a_no_of_the_diagnosis_outweighs_what_was_said_from_afar() -> None:
    looks = [Look(score=3)] * 11 + [Look(score=0, reranked=0, narrowed=0)]
    assert 11 not in weighed_order(CHANCES, looks, Trust(True, newcomers=3), S)[:10]


def test_within_the_best_five_the_model_decides() -> None:
    looks = [Look(score=0), Look(score=0), Look(score=0), Look(score=5), Look(score=0)]
    assert weighed_order(CHANCES[:5], looks, Trust(True, newcomers=1), S) == (3, 0, 1, 2, 4)


def test_a_model_that_is_not_heard_changes_nothing() -> None:
    looks = [Look(score=0)] * 11 + [SURE]
    assert weighed_order(CHANCES, looks, Trust(False), S) == tuple(range(12))


@pytest.mark.parametrize(
    ("scores", "probes", "heard", "why"),
    [
        ([5, 0, 0, 0, 0, 0], [0, 0, 0], True, ""),
        ([5, 5, 5, 5, 0, 0], [0, 0, 0], False, "blames 4 of 6"),
        ([3, 3, 3, 3, 3, 2.5], [0], False, "all alike"),
        ([5, 0, 0, 0, 0, 0], [4, 0, 0], False, "nothing ties to the issue"),
        ([5, 0, 0, 0, 0, 0], [2, 2, 2], False, "nothing ties to the issue"),
        ([5, 0, 0, 0, 0, 0], [None, None], True, ""),
        ([None] * 6, [0], False, "no candidate was diagnosed"),
        ([5], [0], True, ""),
        ([0, 0, 5, None, 0, 0, 4], [1], True, ""),
    ],
)
def test_who_is_heard(scores: list[float | None], probes: list[float | None], heard: bool, why: str) -> None:
    trust = judge_scores(scores, CHANCES[: len(scores)], probes, S)
    assert trust.heard is heard
    assert why in trust.why


def test_agreement_gives_more_room() -> None:
    assert judge_scores([5, 0, 0, 0, 0, 0], CHANCES[:6], [], S).newcomers == 3  # confirms 0.6 of 1.09
    assert judge_scores([0, 0, 0, 0, 0, 5], CHANCES[:6], [], S).newcomers == 1


looks = st.builds(
    Look,
    st.one_of(st.none(), st.floats(0, 5)), st.one_of(st.none(), st.integers(0, 14)),
    st.one_of(st.none(), st.integers(0, 14)), st.one_of(st.none(), st.floats(0, 1)),
)  # fmt: skip


@given(st.lists(st.tuples(st.floats(0, 1), looks), max_size=30), st.integers(0, 5))
@settings(deadline=None)
def test_the_order_is_a_permutation_and_the_best_stay_near(found: list[tuple[float, Look]], newcomers: int) -> None:
    chances = sorted((chance for chance, _ in found), reverse=True)
    order = weighed_order(chances, [look for _, look in found], Trust(True, newcomers=newcomers), S)
    assert sorted(order) == list(range(len(found)))
    assert set(range(min(5 - newcomers, len(found)))) <= set(order[:5])
    assert set(range(min(10 - newcomers - 2, len(found)))) <= set(order[:10])
    for at in order[:5]:
        assert at < 5 or found[at][1].agrees_twice(S.newcomer_score)


@given(st.floats(0, 1), looks)
@settings(deadline=None)
def test_a_chance_stays_a_chance(chance: float, look: Look) -> None:
    assert 0 < weighed_chance(chance, look) < 1
