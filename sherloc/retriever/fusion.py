"""Channels put together: scores of units and files as weighted sums.

A convex combination of normalised channels beats fusion by rank when its weights are chosen from data (Bruch et al.,
"An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sherloc.indexer.segment import Segment
from sherloc.indexer.stored_record import Array
from sherloc.retriever.cues import Cues
from sherloc.retriever.lexical import LexicalScores
from sherloc.retriever.weights import Weights

_TOP_UNITS = 4


@dataclass(frozen=True, slots=True)
class Fused:
    """Final scores, what a unit counts for its file, and the normalised lexical parts they were made of."""

    units: Array
    files: Array
    for_file: Array
    unit_lexical: Array
    file_lexical: Array


def normalised(scores: Array) -> Array:
    """Scores divided by the best."""
    best = float(scores.max()) if len(scores) else 0.0
    return scores / best if best > 0 else scores


def fuse(segment: Segment, lexical: LexicalScores, cues: Cues, weights: Weights, penalty: Array) -> Fused:
    """Fused scores of units and files.

    A unit has two scores: one that counts for its file, and its own, to which the file's score is added. Names count
    more for finding the file than for choosing among its functions.

    Args:
        segment: Where they are.
        lexical: BM25 scores.
        cues: Structural and graph cues.
        weights: How much each counts.
        penalty: Factor of each file's snippets (examples, scripts, code about testing).
    """
    unit_lexical, file_lexical = normalised(lexical.units), normalised(lexical.files)
    for_file, own = unit_lexical.astype(np.float64), unit_lexical.astype(np.float64)
    for name, column in cues.units.items():
        for_file += weights.unit_cues.get(name, 0.0) * column
        own += weights.own_cues.get(name, 0.0) * column
    own += weights.unit_size * log_size(segment.arrays["end"] - segment.arrays["start"] + 1) * (own > 0)
    own += weights.semantic_unit * cues.unit_similarity(len(own))
    for scores in (for_file, own):
        scores *= penalty[segment.unit_file]
    best = best_units(segment, for_file)
    files = best[0] + weights.file_lexical * file_lexical * penalty
    files += weights.next_units * best[1:].sum(axis=0) / (_TOP_UNITS - 1)
    for name, column in cues.files.items():
        files += weights.file_cues.get(name, 0.0) * column
    files += weights.file_size * log_size(np.diff(segment.file_units)) * (files > 0)
    top = float(files.max()) if len(files) else 0.0
    for name, column in cues.relative_files.items():
        files += top * weights.relative_cues.get(name, 0.0) * column * penalty * (files > 0)
    if len(files):
        own += weights.unit_from_file * normalised(files)[segment.unit_file] * (own > 0)
    return Fused(own, files, for_file, unit_lexical, file_lexical)


def log_size(counts: Array) -> Array:
    """Logarithm of a size, about 1 for 400: much code has more faults than little."""
    return np.log1p(counts.astype(np.float64)) / 6.0


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
