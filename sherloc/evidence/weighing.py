"""A model's verdicts weighed against the offline evidence.

A good model moves what must change to the top, from anywhere in the pool. A bad one, which answers at random or the
contrary of the truth, must not cost what was known without it. Three things bound what it can do: a model that blames
code which nothing ties to the issue, or blames nearly everything, is not heard; what it says is added to the offline
chance as log-odds, so that evidence counts; and of the best five (and ten) it can replace only a few, only from the
end, and only where two looks of its own agree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sherloc.settings import WeighingSettings

_SCORES = (-2.5, -2.0, -1.0, 0.5, 2.5, 4.5)
"""What a score from 0 to 5 adds to the log-odds; between two it is drawn straight."""
_RERANKED = 1.5
_NARROWED = 0.8
_EXPLORED = 4.0
_LEAST_CHANCE = 1e-4
_DIRECT = 4.0
_CLOSE_RANK = 4
_HEADS = (5, 10)
_WIDER = 2


@dataclass(frozen=True, slots=True)
class Look:
    """What a model said of one candidate, each by a question of its own.

    Attributes:
        score: 0-5 of the diagnosis; None when there is none.
        reranked: Its rank among those that the reranker put first, 0-based; None when it is not among them.
        narrowed: Rank of its file among those named from the paths alone; None when not named.
        explored: Confidence of an exploration's finding there, 0-1; None without.
    """

    score: float | None = None
    reranked: int | None = None
    narrowed: int | None = None
    explored: float | None = None

    @property
    def log_odds(self) -> float:
        """What all of it adds to the log-odds of the chance that the candidate must change."""
        total = 0.0
        if self.score is not None:
            low = min(int(self.score), 4)
            total += _SCORES[low] + (self.score - low) * (_SCORES[low + 1] - _SCORES[low])
        if self.reranked is not None:
            total += _RERANKED / (1 + self.reranked / 2)
        if self.narrowed is not None:
            total += _NARROWED / (1 + self.narrowed / 3)
        if self.explored is not None:
            total += _EXPLORED * self.explored
        return total

    def agrees_twice(self, least_score: float) -> bool:
        """Whether two looks say that the candidate must change."""
        signs = (
            self.score is not None and self.score >= least_score,
            self.reranked is not None and self.reranked < _CLOSE_RANK,
            self.narrowed is not None and self.narrowed < _CLOSE_RANK,
            self.explored is not None and self.explored >= 0.5,
        )
        # A diagnosis that says no outweighs what was said from afar.
        return sum(signs) >= 2 and (self.score is None or self.score >= 2)


@dataclass(frozen=True, slots=True)
class Trust:
    """Whether a model's scores are used.

    Attributes:
        heard: Whether they tell anything apart.
        why: Why not, for a person; empty when they are heard.
        newcomers: How many of the best five it may replace.
    """

    heard: bool
    why: str = ""
    newcomers: int = 0


def judge_scores(
    scores: Sequence[float | None], chances: Sequence[float], probes: Sequence[float | None], settings: WeighingSettings
) -> Trust:
    """Whether a model's scores deserve to be heard.

    Args:
        scores: Of the candidates, best offline chance first; None for those that it did not diagnose.
        chances: Their offline chances.
        probes: Scores that it gave to code which nothing ties to the issue.
        settings: The thresholds.
    """
    given = [score for score in scores if score is not None]
    if not given:
        return Trust(False, "no candidate was diagnosed")
    if len(given) > 3 and max(given) - min(given) < 1:
        return Trust(False, "its scores are all alike")
    direct = sum(score >= _DIRECT for score in given)
    if len(given) > 3 and direct > max(1, settings.most_direct * len(given)):
        return Trust(False, f"it blames {direct} of {len(given)} candidates directly")
    tried = [score for score in probes if score is not None]
    if tried and (max(tried) >= settings.probe_score or sum(tried) / len(tried) >= settings.probe_mean):
        return Trust(False, "it blames code that nothing ties to the issue")
    head = [(chance, score) for chance, score in list(zip(chances, scores, strict=True))[:5] if score is not None]
    mass = sum(chance for chance, _ in head)
    confirmed = sum(chance * score / 5 for chance, score in head)
    agrees = mass > 0 and confirmed / mass >= settings.agreement
    return Trust(True, newcomers=settings.trusted_newcomers if agrees else settings.newcomers)


def weighed_chance(chance: float, look: Look) -> float:
    """An offline chance with what a model said added to its log-odds.

    >>> round(weighed_chance(0.5, Look(score=5)), 3), round(weighed_chance(0.5, Look(score=0)), 3)
    (0.989, 0.076)
    """
    chance = min(max(chance, _LEAST_CHANCE), 1 - _LEAST_CHANCE)
    return 1 / (1 + math.exp(-(math.log(chance / (1 - chance)) + look.log_odds)))


def weighed_order(
    chances: Sequence[float], looks: Sequence[Look], trust: Trust, settings: WeighingSettings
) -> tuple[int, ...]:
    """Positions of candidates in their new order.

    By descending weighed chance, but of the offline best five at least ``5 - newcomers`` stay among the best five, the
    first ones, and who replaces the others needs two looks that agree; likewise of the best ten, with two newcomers
    more. A model that is not heard changes nothing.

    Args:
        chances: Offline chances, best first.
        looks: What the model said of each.
        trust: Whether it is heard.
        settings: The least score of a newcomer.

    Complexity: O(n log n).
    """
    positions = range(len(chances))
    if not trust.heard:
        return tuple(positions)
    new = [weighed_chance(chance, look) for chance, look in zip(chances, looks, strict=True)]
    ranked = sorted(positions, key=lambda at: (-new[at], at))
    placed: list[int] = []
    for number, head in enumerate(_HEADS):
        allowed = trust.newcomers + (_WIDER if number else 0)
        placed = _fill(placed, ranked, looks, head, allowed, settings.newcomer_score)
    taken = set(placed)
    return (*placed, *(at for at in ranked if at not in taken))


def _fill(
    placed: list[int], ranked: Sequence[int], looks: Sequence[Look], head: int, allowed: int, least: float
) -> list[int]:
    """The first ``head`` positions: who stays, and newcomers that the looks agree on, by weighed chance."""
    taken = set(placed)
    used = sum(at >= head for at in placed)
    newcomers = [at for at in ranked if at >= head and at not in taken and looks[at].agrees_twice(least)]
    # A newcomer has to be likelier than whom it replaces; the last ones are replaced first, in any order of the model.
    room = head - len(placed)
    stays = [at for at in range(min(head, len(ranked))) if at not in taken][:room]
    order = {at: number for number, at in enumerate(ranked)}
    chosen: list[int] = []
    for newcomer in newcomers[: max(0, allowed - used)]:
        if len(stays) + len(chosen) < room:
            chosen.append(newcomer)
        elif stays and order[newcomer] < order[stays[-1]]:
            stays.pop()
            chosen.append(newcomer)
    return [*placed, *sorted([*stays, *chosen], key=order.__getitem__)]
