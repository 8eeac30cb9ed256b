"""The graph channel: units one hop from the best ones, as additions to the tail."""

from __future__ import annotations

import numpy as np

from sherloc.indexer.graph import CodeGraph
from sherloc.indexer.segment import Segment
from sherloc.indexer.stored_record import Array
from sherloc.retriever.cues import Cues
from sherloc.schema.candidate import Signal, SignalKind

SEEDS = 12
_MAX_NEIGHBOURS = 12


def add_neighbours(cues: Cues, segment: Segment, graph: CodeGraph, scores: Array, seeds: int = SEEDS) -> None:
    """Give the callees, callers and overrides of the best units a share of their score.

    Args:
        cues: Gets the cues ``callee``, ``caller`` and ``override``, each at most the best seed's share.
        segment: Where the units are.
        graph: Their neighbours.
        scores: Score of each unit, the best is 1.
        seeds: How many of the best functions are looked at.
    """
    for name in ("callee", "caller", "override"):
        cues.units[name] = np.zeros(segment.unit_count, np.float32)
    kinds = segment.arrays["kind"]
    functions = np.flatnonzero((scores > 0) & ((kinds == 2) | (kinds == 3)))
    order = functions[np.lexsort((functions, -scores[functions]))][:seeds]
    for seed in order.tolist():
        share = float(scores[seed])
        found: tuple[tuple[SignalKind, str, list[int]], ...] = (
            ("callee", "called by", graph.callees(seed)),
            ("caller", "calls", graph.callers(seed)),
            ("override", "same method as", graph.overrides(seed)),
        )
        for kind, words, others in found:
            for other in others[:_MAX_NEIGHBOURS]:
                value = share / (1 + np.log(len(others)))
                cues.units[kind][other] = max(float(cues.units[kind][other]), value)
                detail = f"{words} {segment.qualified_names[seed]}"
                cues.unit_signals.setdefault(other, []).append(Signal("graph", kind, detail, float(value)))
