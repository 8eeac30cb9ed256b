"""Channels put together: scores of units and files as weighted sums.

A convex combination of normalised channels beats fusion by rank when its weights are chosen from data (Bruch et al.,
"An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sherloc.indexer.assemble import Array
from sherloc.indexer.segment import Segment
from sherloc.retriever.cues import Cues
from sherloc.retriever.lexical import LexicalScores
from sherloc.retriever.weights import Weights

_TOP_UNITS = 4


@dataclass(frozen=True, slots=True)
class Fused:
    """Final scores, and the normalised lexical parts they were made of."""

    units: Array
    files: Array
    unit_lexical: Array
    file_lexical: Array


def normalised(scores: Array) -> Array:
    """Scores divided by the best."""
    best = float(scores.max()) if len(scores) else 0.0
    return scores / best if best > 0 else scores


def fuse(segment: Segment, lexical: LexicalScores, cues: Cues, weights: Weights, demoted: Array) -> Fused:
    """Fused scores of units and files.

    Args:
        segment: Where they are.
        lexical: BM25 scores.
        cues: Structural and graph cues.
        weights: How much each counts.
        demoted: Whether a file is an example, script or documentation source.
    """
    unit_lexical, file_lexical = normalised(lexical.units), normalised(lexical.files)
    units = unit_lexical.astype(np.float64)
    for name, column in cues.units.items():
        units += weights.unit_cues.get(name, 0.0) * column
    penalty = np.where(demoted, weights.side_code, 1.0)
    units *= penalty[segment.unit_file]
    best = best_units(segment, units)
    files = weights.best_unit * best[0] + weights.file_lexical * file_lexical * penalty
    files += weights.next_units * best[1:].sum(axis=0) / (_TOP_UNITS - 1)
    for name, column in cues.files.items():
        files += weights.file_cues.get(name, 0.0) * column
    if len(files):
        units += weights.unit_from_file * normalised(files)[segment.unit_file] * (units > 0)
    return Fused(units, files, unit_lexical, file_lexical)


def best_units(segment: Segment, units: Array) -> Array:
    """For each file its best units' scores, best first: ``_TOP_UNITS`` rows, a column a file."""
    rest = units.copy()
    rows = []
    starts = segment.file_units[:-1].astype(np.int64)
    for _ in range(_TOP_UNITS):
        if not len(rest):
            rows.append(np.zeros(segment.file_count))
            continue
        best = np.maximum.reduceat(rest, starts)
        rows.append(np.maximum(best, 0.0))
        hit = np.flatnonzero(rest == best[segment.unit_file])
        _, first = np.unique(segment.unit_file[hit], return_index=True)
        rest[hit[first]] = 0.0
    return np.stack(rows)
