"""What commits touched that the issue names, by their ids or by tickets that their messages tell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from sherloc.indexer.segment import Segment
from sherloc.repository.named_commits import Named
from sherloc.repository.patches import Place
from sherloc.retriever.commits import named_units
from sherloc.retriever.cues import Cues
from sherloc.schema.candidate import Signal

NAMED: Final = "named_commit"
_MANY_FILES = 30
"""Commits that touch more say nothing about any of them."""
_BY_TICKET = 0.8
"""How much a commit counts of which the issue names only a ticket."""


def add_named(cues: Cues, segment: Segment, named: Sequence[Named], places: Mapping[str, Sequence[Place]]) -> None:
    """Give files and functions what the named commits say of them.

    Args:
        cues: Gets the cue ``named_commit`` of files and of units (1 when a commit whose id the issue has touched
            nothing else, less for tickets and where more was touched), and a signal each.
        segment: Where they are.
        named: The commits.
        places: What each touched, by its id.

    Complexity: linear in the places and the units of their files.
    """
    cues.files[NAMED] = np.zeros(segment.file_count, np.float32)
    cues.units[NAMED] = np.zeros(segment.unit_count, np.float32)
    for commit in named:
        inside = [place for place in places.get(commit.commit_id, ()) if place[0] in segment.file_numbers]
        paths = dict.fromkeys(path for path, _ in inside)
        if not 0 < len(paths) <= _MANY_FILES:
            continue
        weight = _BY_TICKET if commit.by_ticket else 1.0
        said = f"{'#' if commit.name.isdigit() else ''}{commit.name}: {commit.subject}"
        value = weight / (1 + math.log(len(paths)))
        for path in paths:
            file = segment.file_numbers[path]
            cues.files[NAMED][file] = max(float(cues.files[NAMED][file]), value)
            cues.file_signals.setdefault(file, []).append(Signal("history", NAMED, said, value))
        units = named_units(segment, paths)
        value = weight / (1 + math.log(len(inside)))
        for place in inside:
            for unit in units.get(place, ()):
                cues.units[NAMED][unit] = max(float(cues.units[NAMED][unit]), value)
                cues.unit_signals.setdefault(unit, []).append(Signal("history", NAMED, said, value))
