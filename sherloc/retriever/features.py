"""What the learned ranking sees of a function: one row a function, one column a feature."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sherloc.indexer.record import KINDS
from sherloc.indexer.segment import Segment
from sherloc.indexer.stored_record import Array
from sherloc.retriever.commits import TOUCHED
from sherloc.retriever.cues import Cues
from sherloc.retriever.fusion import Fused

CUES = (
    "name", "name_block", "name_prose", "member", "qualified", "frame", "message", "raises", "callee", "caller",
    "override", "name_words", "title_words", "named_commit",
)  # fmt: skip
FEATURES = (
    "own_share", "own", "for_file", "lexical", "lines", "is_method", "file_share", "file_rank", "own_rank",
    "lexical_in_file", "own_in_file", "others_in_file", *CUES, "class_lexical", "is_dunder", "is_private",
    "is_constructor", "namesakes", "place", "is_nested", "similarity", "similarity_lead", "similarity_in_file",
    "similarity_rank", "window", "window_lead", "window_rank", "title_window", "title_window_lead", "title_window_rank",
    *TOUCHED, "touched_in_file", "file_alike",
)  # fmt: skip
"""The columns, in order."""

_CLASS, _METHOD, _FUNCTION = (KINDS.index(kind) for kind in ("class", "method", "function"))
FUNCTION_KINDS = (_FUNCTION, _METHOD)
_FRAME = FEATURES.index("frame")
_FARTHEST = 60
_CONSTRUCTORS = frozenset({"__init__", "constructor", "initialize", "__construct"})
_TINY = 1e-9


def features(
    segment: Segment, fused: Fused, cues: Cues, units: Sequence[int], similarity: Array
) -> tuple[Array, Array]:
    """The functions among ``units`` and their features.

    Args:
        segment: Where the units are.
        fused: Scores of the channels put together.
        cues: Cues of the same query.
        units: Unit numbers, ascending.
        similarity: How alike each is to the issue, see ``Similarity``; shape ``(len(units), 3)``.

    Returns:
        Unit numbers, shape ``(n,)``, and rows, shape ``(n, len(FEATURES))``. Linear in ``len(units)``, apart from
        sorting.
    """
    numbers = np.asarray(units, np.int64)
    kinds = segment.arrays["kind"][numbers]
    is_function = (kinds == _FUNCTION) | (kinds == _METHOD)
    chosen, (alike, window, title) = numbers[is_function], np.asarray(similarity, np.float64)[is_function].T
    if not len(chosen):
        return chosen, np.zeros((0, len(FEATURES)))
    own, lexical = fused.units[chosen], fused.unit_lexical[chosen].astype(np.float64)
    files = segment.unit_file[chosen].astype(np.int64)
    _, group = np.unique(files, return_inverse=True)

    def of_cue(name: str) -> Array:
        found: Array = cues.units[name][chosen] if name in cues.units else np.zeros(len(chosen))
        return found

    touched, like = of_cue(TOUCHED[0]), cues.relative_files.get("alike")
    lines = segment.arrays["end"][chosen].astype(np.float64) - segment.arrays["start"][chosen] + 1
    columns = [
        own / max(float(own.max()), _TINY), own, fused.for_file[chosen], lexical, np.log1p(lines),
        kinds[is_function] == _METHOD, fused.files[files] / max(float(fused.files.max()), _TINY),
        _file_ranks(fused.files, files), ranks(own),
        lexical / np.maximum(_best(lexical, group), _TINY), own / np.maximum(_best(own, group), _TINY),
        np.bincount(group)[group],
        *(of_cue(name) for name in CUES),
        *_of_names(segment, fused, chosen.tolist()),
        alike, alike - alike.max(), alike - _best(alike, group), ranks(alike),
        window, window - window.max(), ranks(window), title, title - title.max(), ranks(title),
        *(of_cue(name) for name in TOUCHED), touched / np.maximum(_best(touched, group), _TINY),
        np.zeros(len(chosen)) if like is None else like[files],
    ]  # fmt: skip
    return chosen, np.stack([np.asarray(column, np.float64) for column in columns], axis=1)


def may_move(rows: Array) -> Array:
    """Which functions the learned ranking may put elsewhere: all but those that a traceback names.

    Args:
        rows: What ``features`` gave.

    Returns:
        A truth value a row.
    """
    movable: Array = rows[:, _FRAME] == 0
    return movable


def _best(values: Array, group: Array) -> Array:
    """For each value the best of its group."""
    best = np.full(int(group.max()) + 1, -np.inf)
    np.maximum.at(best, group, values)
    found: Array = best[group]
    return found


def ranks(values: Array) -> Array:
    """0 for the best; the first of equals comes first."""
    found = np.empty(len(values))
    found[np.argsort(-values, kind="stable")] = np.arange(len(values))
    return found


def _file_ranks(scores: Array, files: Array) -> Array:
    order = np.argsort(-scores, kind="stable")[:_FARTHEST]
    ranks = np.full(len(scores), _FARTHEST)
    ranks[order] = np.arange(len(order))
    found: Array = ranks[files]
    return found


def _of_names(segment: Segment, fused: Fused, units: Sequence[int]) -> tuple[list[float], ...]:
    """The class's words, what kind of name it is, and where in its file a function stands."""
    rows = []
    for unit in units:
        parent, name = segment.parent(unit), segment.short_names[unit]
        kind = int(segment.arrays["kind"][parent]) if parent >= 0 else -1
        inside = segment.units_of_file(int(segment.unit_file[unit]))
        is_dunder = name.startswith("__")
        rows.append((
            float(fused.unit_lexical[parent]) if kind == _CLASS else 0.0, float(is_dunder),
            float(name.startswith("_") and not is_dunder), float(name in _CONSTRUCTORS),
            float(np.log1p(len(segment.units_named(name)))), (unit - inside.start) / max(1, len(inside)),
            float(kind in (_METHOD, _FUNCTION)),
        ))  # fmt: skip
    return tuple(list(column) for column in zip(*rows, strict=True))
