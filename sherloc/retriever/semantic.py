"""The semantic channel: the best candidates of the other channels, compared with the issue in meaning.

Only they are embedded: embedding a whole repository costs minutes, and what neither words, names, paths nor calls tie
to the issue is hardly ever its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sherloc.indexer.segment import Segment
from sherloc.indexer.stored_record import Array
from sherloc.retriever.cues import Cues
from sherloc.retriever.fusion import Fused
from sherloc.schema.candidate import Signal

FUNCTIONS = 70
FILES = 25
PER_FILE = 2
FLOOR = 0.2
"""Similarity that lies further than this below the best counts nothing."""
_TELLING = 0.15
_WINDOW = 450
"""Characters; an embedder reads about so many."""
_FURTHER = 2

Similarity = Callable[[Sequence[int]], Array]
"""From unit numbers to a row each: how alike to the issue its beginning is, how alike its most alike window is, and how
alike to the title the window is that is most so; -1 to 1."""


def chosen_units(segment: Segment, fused: Fused) -> list[int]:
    """The units that are worth comparing: the best functions, and the best units of the best files."""
    kinds = segment.arrays["kind"]
    units = np.where(kinds == 4, 0.0, fused.units)
    functions = np.where((kinds == 2) | (kinds == 3), units, 0.0)
    chosen = {int(unit) for unit in np.argsort(-functions, kind="stable")[:FUNCTIONS] if functions[unit] > 0}
    for file in np.argsort(-fused.files, kind="stable")[:FILES]:
        inside = segment.units_of_file(int(file))
        order = inside.start + np.argsort(-units[inside.start : inside.stop], kind="stable")[:PER_FILE]
        chosen.update(int(unit) for unit in order if units[unit] > 0)
    return sorted(chosen)


def add_similarity(cues: Cues, segment: Segment, fused: Fused, similarity: Similarity) -> None:
    """Give the best units, and their files, their similarity to the issue.

    Args:
        cues: Gets ``compared``, ``similarity`` and the relative file cue ``semantic``: how far above the floor, 0 to
            ``FLOOR``.
        segment: Where the units are.
        fused: Scores so far.
        similarity: See ``Similarity``; fewer rows than units means that it could not say.
    """
    units = chosen_units(segment, fused)
    rows = similarity(units) if units else np.zeros((0, 3))
    if not len(rows) or len(rows) != len(units):
        return
    cues.compared = (units, rows)
    values = rows[:, 0]
    above = np.maximum(0.0, values - (float(values.max()) - FLOOR)).astype(np.float32)
    cues.similarity = np.zeros(segment.unit_count, np.float32)
    cues.similarity[units] = above
    files = np.zeros(segment.file_count, np.float32)
    np.maximum.at(files, segment.unit_file[units], above)
    cues.relative_files["semantic"] = files
    for unit, value in zip(units, above.tolist(), strict=True):
        if value >= _TELLING:
            name = segment.qualified_names[unit] or segment.paths[int(segment.unit_file[unit])]
            cues.unit_signals.setdefault(unit, []).append(Signal("semantic", "meaning", name, value))


def text_of(path: str, name: str, docstring: str, code: str, neighbours: str = "") -> str:
    """What is embedded of a snippet; what it calls and who calls it stand before its code, which embedders cut off."""
    return f"{path} {name}\n{docstring[:200]}\n{neighbours}{code}"[:1200]


def windows_of(path: str, name: str, code: str) -> list[str]:
    """What is embedded of a function beside its beginning: its next stretches of whole lines, two at most."""
    windows = [""]
    for line in code.split("\n"):
        if windows[-1] and len(windows[-1]) + len(line) > _WINDOW:
            if len(windows) > _FURTHER:
                break
            windows.append("")
        windows[-1] += line[:_WINDOW] + "\n"
    return [f"{path} {name}\n{window}" for window in windows[1:] if window.strip()]
