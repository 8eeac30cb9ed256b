"""What the learned ranking sees of a file: one row a file, one column a feature."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sherloc.indexer.segment import Segment
from sherloc.indexer.stored_record import Array
from sherloc.retriever.cues import Cues
from sherloc.retriever.features import CUES, FUNCTION_KINDS, ranks
from sherloc.retriever.fusion import Fused, best_units

_FILE_CUES = ("path", "frame", "module", "stem", "prose_stem", "folder", "named_commit")
_RELATIVE_CUES = ("semantic", "alike", "recent")
_BEST_UNITS = ("best_unit", "second_unit", "third_unit", "fourth_unit")
FILE_FEATURES = (
    "score", "share", "rank", "lexical", "lexical_rank", *_BEST_UNITS, "own", "own_rank", "units", "penalty", "gap",
    "similarity", "similarity_lead", "similarity_rank", "similarity_of_three", "compared", "in_ten", "in_thirty",
    "depth", "is_init", "lines", *(f"unit_{name}" for name in CUES), *(f"file_{name}" for name in _FILE_CUES),
    *(f"relative_{name}" for name in _RELATIVE_CUES),
)  # fmt: skip
"""The columns, in order."""

_MOST = 40
_UNLIKE = -0.2
"""Stands for the similarity of a file of which nothing was compared."""
_TINY = 1e-9


def file_features(segment: Segment, fused: Fused, cues: Cues, penalty: Array) -> tuple[Array, Array]:
    """The best files by hand, at most forty, and their features.

    Args:
        segment: Where the files are.
        fused: Scores of the channels put together, functions in the order by hand.
        cues: Cues of the same query; ``compared`` is there.
        penalty: Factor of each file.

    Returns:
        File numbers, best first, shape ``(n,)``, and rows, shape ``(n, len(FILE_FEATURES))``. Linear in the units.
    """
    chosen = np.flatnonzero(fused.files > 0)
    files = chosen[np.lexsort((chosen, -fused.files[chosen]))][:_MOST]
    if not len(files):
        return files, np.zeros((0, len(FILE_FEATURES)))
    scores, starts = fused.files[files], segment.file_units[:-1].astype(np.int64)

    def best_of(units: Array) -> Array:
        found: Array = np.maximum.reduceat(units, starts)
        return found

    own = best_of(fused.units)
    lexical, units = fused.file_lexical[files], np.diff(segment.file_units)[files]
    similar = _similarity(segment, cues, files)
    paths = [segment.paths[file] for file in files]
    columns = [
        scores, scores / scores[0], np.arange(len(files)), lexical, ranks(lexical),
        *best_units(segment, fused.for_file)[:, files], own[files] / max(float(own.max()), _TINY), ranks(own[files]),
        np.log1p(units), penalty[files], np.concatenate([[0.0], scores[:-1] - scores[1:]]) / scores[0],
        similar[0], similar[0] - similar[0].max(), ranks(similar[0]), similar[1], similar[2],
        *_held_by_the_best(segment, fused, files),
        [path.count("/") for path in paths], [path.endswith("__init__.py") for path in paths],
        np.log1p(best_of(segment.arrays["end"].astype(np.float64))[files]),
        *_named(cues.units, CUES, lambda column: best_of(column)[files], len(files)),
        *_named(cues.files, _FILE_CUES, lambda column: column[files], len(files)),
        *_named(cues.relative_files, _RELATIVE_CUES, lambda column: column[files], len(files)),
    ]  # fmt: skip
    return files, np.stack([np.asarray(column, np.float64) for column in columns], axis=1)


def _named(
    cues: dict[str, Array], names: tuple[str, ...], of_files: Callable[[Array], Array], count: int
) -> list[Array]:
    return [of_files(cues[name]) if name in cues else np.zeros(count) for name in names]


def _similarity(segment: Segment, cues: Cues, files: Array) -> tuple[Array, Array, Array]:
    """Similarity of each file's best unit, mean of its best three, and how many were compared."""
    units, rows = cues.compared or ((), np.zeros((0, 3)))
    values = np.asarray(rows, np.float64)[:, 0]
    owners = segment.unit_file[np.asarray(units, np.int64)]
    best, three, count = np.full(len(files), _UNLIKE), np.full(len(files), _UNLIKE), np.zeros(len(files))
    for at, file in enumerate(files):
        inside = np.sort(values[owners == file])[::-1]
        count[at] = len(inside)
        if len(inside):
            best[at], three[at] = inside[0], inside[:3].mean()
    return best, three, count


def _held_by_the_best(segment: Segment, fused: Fused, files: Array) -> list[Array]:
    """How many of the ten and of the thirty best functions each file has."""
    functions = np.flatnonzero(np.isin(segment.arrays["kind"], FUNCTION_KINDS) & (fused.units > 0))
    order = functions[np.lexsort((functions, -fused.units[functions]))]
    counts = (np.bincount(segment.unit_file[order[:most]], minlength=segment.file_count) for most in (10, 30))
    return [count[files] for count in counts]
