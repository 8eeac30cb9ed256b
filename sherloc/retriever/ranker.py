"""Learned ranking of files and of functions: boosted trees over the channels' features, as plain arrays.

LambdaMART (Burges, "From RankNet to LambdaRank to LambdaMART", 2010), trained by ``benchmarks/train_ranker.py`` with
LightGBM; here the trees are only walked. docs/benchmarks.md has the figures with each repository left out.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sherloc.indexer.stored_record import Array

TREES = Path(__file__).parent / "trees.npz"
FILE_TREES = Path(__file__).parent / "file_trees.npz"


class Trees(NamedTuple):
    """All trees' nodes in one table; leaves point at themselves.

    Attributes:
        roots: First node of each tree.
        feature: Column that a node looks at.
        threshold: Values up to this go left.
        left: Next node.
        right: Next node.
        value: What a leaf adds.
        depth: Most steps from a root to a leaf.
    """

    roots: Array
    feature: Array
    threshold: Array
    left: Array
    right: Array
    value: Array
    depth: int

    def predict(self, rows: Array) -> Array:
        """The score of each row; only their order means something.

        Args:
            rows: Shape ``(n, features)``, with the columns that the trees were trained on.

        Complexity: ``n * trees * depth``.
        """
        if not len(rows):
            return np.zeros(0)
        at = np.repeat(self.roots[np.newaxis, :], len(rows), axis=0)
        each = np.arange(len(rows))[:, np.newaxis]
        for _ in range(self.depth):
            at = np.where(rows[each, self.feature[at]] <= self.threshold[at], self.left[at], self.right[at])
        found: Array = self.value[at].sum(axis=1)
        return found


@lru_cache(maxsize=2)
def load_trees(path: Path, features: tuple[str, ...]) -> Trees:
    """The trees that come with sherloc.

    Args:
        path: ``TREES``, for functions, or ``FILE_TREES``.
        features: The columns of the rows that they will see.

    Raises:
        ValueError: They were trained on other features.
    """
    with np.load(path, allow_pickle=False) as stored:
        if tuple(stored["features"].tolist()) != features:
            raise ValueError(f"{path.name} was trained on other features: run benchmarks/train_ranker.py")
        return Trees(
            stored["roots"], stored["feature"], stored["threshold"], stored["left"], stored["right"], stored["value"],
            int(stored["depth"]),
        )  # fmt: skip


def reordered(scores: Array, places: Array, learned: Array) -> Array:
    """Scores in which some units, or files, share out the scores they had, in the order of ``learned``.

    What the scores are, and hence what confidence makes of them, stays; only who has which changes.

    Args:
        scores: Score of every unit or file.
        places: The numbers of those to put in order.
        learned: The value of each, higher is better; equal ones keep the order they had.
    """
    before = np.lexsort((places, -scores[places]))
    after = np.lexsort((np.argsort(before, kind="stable"), -learned))
    found: Array = scores.copy()
    found[places[after]] = scores[places[before]]
    return found
