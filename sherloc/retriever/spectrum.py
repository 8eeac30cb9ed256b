"""Spectrum-based suspiciousness: code that failing tests ran and passing tests did not."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sherloc.indexer.segment import Segment
from sherloc.retriever.cues import Cues
from sherloc.retriever.paths import PathIndex
from sherloc.schema.candidate import Signal
from sherloc.schema.failures import FailureEvidence, LineRuns

_TELLING = 0.3
_ALONE = 0.5
"""Without a passing test all that ran is alike suspicious, and that says half as much."""


def add_spectrum(cues: Cues, segment: Segment, failures: FailureEvidence) -> None:
    """Give snippets, and their files, the highest Ochiai value of their lines.

    Args:
        cues: Gets the cue ``spectrum`` of units and files, and a signal a unit that stands out.
        segment: Where they are.
        failures: What ran.

    Complexity: linear in the lines that ran, times the snippets that hold a line.
    """
    units = np.zeros(segment.unit_count, np.float32)
    files = np.zeros(segment.file_count, np.float32)
    best: dict[int, tuple[float, int, LineRuns]] = {}
    paths = PathIndex(segment)
    for path, lines in failures.spectrum.items():
        found = paths.by_suffix(path)
        if len(found) == 1:
            _add_file(found[0], lines, failures.failed, segment, best)
    factor = 1.0 if failures.passed else _ALONE
    top = max((value for value, _, _ in best.values()), default=0.0)
    for unit, (value, line, runs) in sorted(best.items()):
        units[unit] = value * factor
        file = int(segment.unit_file[unit])
        files[file] = max(files[file], units[unit])
        if failures.passed and value >= max(_TELLING, top / 2):
            words = f"{runs.failing} of {failures.failed} failing and {runs.passing} of {failures.passed} passing tests"
            signal = Signal("tests", "spectrum", words, float(units[unit]), line)
            cues.unit_signals.setdefault(unit, []).append(signal)
    cues.units["spectrum"], cues.files["spectrum"] = units, files


def _add_file(
    file: int,
    lines: Mapping[int, LineRuns],
    failed: int,
    segment: Segment,
    best: dict[int, tuple[float, int, LineRuns]],
) -> None:
    scored = [(line, runs.ochiai(failed), runs) for line, runs in lines.items()]
    scored = [each for each in scored if each[1] > 0]
    starts, ends = segment.arrays["start"], segment.arrays["end"]
    for unit in segment.units_of_file(file):
        inside = [each for each in scored if int(starts[unit]) <= each[0] <= int(ends[unit])]
        if inside:
            line, value, runs = min(inside, key=lambda each: (-each[1], each[0]))
            best[unit] = (value, line, runs)
