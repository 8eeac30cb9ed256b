"""Measures of localization, by their field's definitions.

Several papers call different things accuracy; each function here says whose it is. Rankings are deduplicated, keeping
the first occurrence; an empty gold set scores nothing and must be left out by the caller.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Hashable)
Span = tuple[str, int, int]
"""(path, first line, last line), 1-based and inclusive."""


def distinct(ranking: Iterable[T]) -> list[T]:
    """The ranking without repetitions."""
    return list(dict.fromkeys(ranking))


def accuracy_at(ranking: Sequence[T], gold: Iterable[T], k: int) -> bool:
    """LocAgent's and SweRank's Acc@k: as many gold items in the top k as can be, ``min(k, number of gold)``."""
    wanted = set(gold)
    return len(set(distinct(ranking)[:k]) & wanted) == min(k, len(wanted))


def all_at(ranking: Sequence[T], gold: Iterable[T], k: int) -> bool:
    """Whether every gold item is in the top k."""
    return set(gold) <= set(distinct(ranking)[:k])


def hit_at(ranking: Sequence[T], gold: Iterable[T], k: int) -> bool:
    """Whether any gold item is in the top k (Top-N, Hit@N)."""
    return bool(set(distinct(ranking)[:k]) & set(gold))


def recall_at(ranking: Sequence[T], gold: Iterable[T], k: int) -> float:
    """The share of gold items in the top k."""
    wanted = set(gold)
    return len(set(distinct(ranking)[:k]) & wanted) / len(wanted)


def reciprocal_rank(ranking: Sequence[T], gold: Iterable[T]) -> float:
    """1 / rank of the first gold item, 0 when there is none."""
    wanted = set(gold)
    return next((1 / rank for rank, item in enumerate(distinct(ranking), 1) if item in wanted), 0.0)


def average_precision(ranking: Sequence[T], gold: Iterable[T]) -> float:
    """Mean over the gold items of the precision at each one's rank; an item that is not ranked brings 0 (MAP's AP)."""
    wanted = set(gold)
    found, total = 0, 0.0
    for rank, item in enumerate(distinct(ranking), 1):
        if item in wanted:
            found += 1
            total += found / rank
    return total / len(wanted)


def ndcg_at(ranking: Sequence[T], gold: Iterable[T], k: int) -> float:
    """Normalised discounted cumulative gain with gains of 0 and 1 and a discount of 1 / log2(rank + 1)."""
    wanted = set(gold)
    gain = sum(1 / math.log2(rank + 1) for rank, item in enumerate(distinct(ranking)[:k], 1) if item in wanted)
    return gain / sum(1 / math.log2(rank + 1) for rank in range(1, min(k, len(wanted)) + 1))


def set_scores(predicted: Iterable[T], gold: Iterable[T]) -> tuple[float, float, bool]:
    """Recall, precision and exact match of a set, without rank (SHERLOC's file metrics)."""
    found, wanted = set(predicted), set(gold)
    common = len(found & wanted)
    return common / len(wanted), (common / len(found) if found else 0.0), found == wanted


def harmonic_mean(recall: float, precision: float) -> float:
    """F1; 0 when both are 0."""
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


def lines_within(spans: Sequence[Span], gold: Iterable[tuple[str, int]], slack: int = 5) -> bool:
    """Whether any span comes within ``slack`` lines of a gold line."""
    return any(_near(spans, where, line, slack) for where, line in gold)


def all_lines_within(spans: Sequence[Span], gold: Iterable[tuple[str, int]], slack: int = 5) -> bool:
    """Whether every gold line is within ``slack`` lines of a span."""
    return all(_near(spans, where, line, slack) for where, line in gold)


def line_recall(spans: Sequence[Span], gold: Iterable[tuple[str, int]]) -> float:
    """The share of gold lines inside the spans: chunk recall with each line a chunk, as SHERLOC's release counts."""
    wanted = set(gold)
    return sum(_near(spans, where, line, 0) for where, line in wanted) / len(wanted)


def _near(spans: Sequence[Span], where: str, line: int, slack: int) -> bool:
    return any(path == where and first - slack <= line <= last + slack for path, first, last in spans)


def lines_shown(spans: Sequence[Span]) -> set[tuple[str, int]]:
    """The distinct lines that spans show.

    Complexity: linear in the number of lines.
    """
    return {(path, line) for path, first, last in spans for line in range(first, last + 1)}


def line_density(spans: Sequence[Span], gold: Iterable[tuple[str, int]]) -> float:
    """The share of the shown lines that are gold: how much of the context is worth its tokens; 0 when none is shown."""
    shown = lines_shown(spans)
    return len(shown & set(gold)) / len(shown) if shown else 0.0


def chunk_scores(spans: Sequence[Span], chunks: Sequence[Span]) -> tuple[float, float, float]:
    """SHERLOC's chunk recall, tightness and precision.

    Recall: share of gold chunks that lie whole inside a predicted span. Tightness: mean over covered chunks of chunk
    length over the length of the tightest span that covers it (0 when none is covered). Precision: share of spans that
    hold at least one whole chunk.
    """
    covering = [
        min((last - first for path, first, last in spans if path == p and first <= s and e <= last), default=None)
        for p, s, e in chunks
    ]
    tight = [(e - s + 1) / (size + 1) for (_, s, e), size in zip(chunks, covering, strict=True) if size is not None]
    useful = sum(any(path == p and first <= s and e <= last for p, s, e in chunks) for path, first, last in spans)
    recall = len(tight) / len(chunks) if chunks else 0.0
    return recall, (sum(tight) / len(tight) if tight else 0.0), (useful / len(spans) if spans else 0.0)


def roc_auc(scores: Sequence[float], relevant: Sequence[bool]) -> float:
    """Area under the ROC curve: the chance that a relevant item scores above another (ties count half).

    Returns:
        NaN when all items are relevant or none is.

    Complexity: O(n log n).
    """
    order = sorted(range(len(scores)), key=lambda i: scores[i])
    ranks = [0.0] * len(scores)
    at = 0
    while at < len(order):
        end = at
        while end + 1 < len(order) and scores[order[end + 1]] == scores[order[at]]:
            end += 1
        for i in order[at : end + 1]:
            ranks[i] = (at + end) / 2 + 1
        at = end + 1
    positive = sum(relevant)
    negative = len(relevant) - positive
    if not positive or not negative:
        return float("nan")
    total = sum(rank for rank, is_relevant in zip(ranks, relevant, strict=True) if is_relevant)
    return (total - positive * (positive + 1) / 2) / (positive * negative)
