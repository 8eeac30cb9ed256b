"""The tests channel: tests that resemble the issue lead to the code that they call.

Off by default: it parses all tests, and on the development set it moves the first places by less than noise
(docs/benchmarks.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from sherloc.indexer.index import Index
from sherloc.indexer.record import KINDS
from sherloc.indexer.segment import Segment
from sherloc.indexer.stored_record import Array
from sherloc.repository import classify
from sherloc.retriever.cues import Cues
from sherloc.retriever.lexical import Bm25Settings, LexicalScores
from sherloc.retriever.weights import Weights
from sherloc.schema.candidate import Signal

_FUNCTIONS = tuple(KINDS.index(kind) for kind in ("function", "method"))
_ALIKE = 40
"""Tests that are followed, best first."""
_TELLING = 0.3


@dataclass(frozen=True, slots=True)
class BridgeCues:
    """For each path how much tests like the issue call it, relative to the best, and the test that does so most."""

    reached: Mapping[str, float]
    tests: Mapping[str, str]


def cues_of_tests(index: Index, terms: Iterable[tuple[str, float]], bm25: Bm25Settings, weights: Weights) -> BridgeCues:
    """What tests like the issue call.

    A test's part falls with its rank and with the square root of the number of places that it calls: a test that calls
    everything says little of any.

    Args:
        index: Of code and tests together.
        terms: The issue's terms with weights.
        bm25: Numbers of BM25.
        weights: Field weights.

    Complexity: that of BM25, and of the calls of the 40 best tests.
    """
    segment, reached, tests = index.code, dict[str, float](), dict[str, str]()
    of_tests = _is_test(segment)
    scores = LexicalScores(segment, terms, weights.unit_fields, weights.file_fields, bm25, weights.file_b).units
    chosen = np.flatnonzero(of_tests & np.isin(segment.arrays["kind"], _FUNCTIONS) & (scores > 0))
    best = chosen[np.lexsort((chosen, -scores[chosen]))][:_ALIKE].tolist()
    for rank, test in enumerate(best):
        called = [unit for unit in index.callees(test) if not of_tests[unit]]
        for unit in called:
            path = segment.paths[int(segment.unit_file[unit])]
            reached[path] = reached.get(path, 0.0) + 1 / (1 + rank / 5) / math.sqrt(len(called))
            tests.setdefault(path, segment.qualified_names[test])
    most = max(reached.values(), default=1.0)
    return BridgeCues({path: value / most for path, value in reached.items()}, tests)


def _is_test(segment: Segment) -> Array:
    """Which units stand in test files."""
    files: Array = np.array([classify(path).partition == "test" for path in segment.paths], bool)
    return files[segment.unit_file] if len(files) else np.zeros(segment.unit_count, bool)


def add_tests(cues: Cues, segment: Segment, found: BridgeCues) -> None:
    """Give files what tests like the issue say of them.

    Args:
        cues: Gets the file cue ``tests``, also for files that share no word with the issue, and a signal a file that
            such tests call much.
        segment: Where the files are.
        found: See ``cues_of_tests``.
    """
    column = np.zeros(segment.file_count, np.float32)
    for path, value in found.reached.items():
        number = segment.file_numbers.get(path)
        if number is not None:
            column[number] = value
            if value >= _TELLING:
                signal = Signal("tests", "test", found.tests[path], value)
                cues.file_signals.setdefault(number, []).append(signal)
    cues.files["tests"] = column
