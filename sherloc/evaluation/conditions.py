"""Under which conditions a run's times were measured: two runs' seconds say something only under the same ones."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sherloc.evaluation.predictions import Prediction

_SHARE = 0.1
"""By how much of the larger one two runs' parsed files may differ."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a run's times depend on besides the method.

    Attributes:
        machines: Machine and number of workers of each session, without repetitions; empty where that is not known.
        files_parsed: Files that the index did not have yet, over all answers; None where that is not known.
    """

    machines: tuple[str, ...] = ()
    files_parsed: int | None = None


def this_machine() -> str:
    """The machine that asks: its name, processor and cores."""
    return f"{platform.node()}, {platform.machine()}, {os.cpu_count()} cores"


def conditions_of(sessions: Iterable[Mapping[str, Any]], predictions: Iterable[Prediction]) -> Conditions:
    """The conditions of a run.

    Args:
        sessions: Of its folder; none for a file.
        predictions: Its answers.
    """
    machines = {f"{s['machine']}, {s.get('workers')} workers" for s in sessions if isinstance(s.get("machine"), str)}
    parsed = [each.files_parsed for each in predictions if not each.error]
    known = bool(parsed) and None not in parsed
    return Conditions(tuple(sorted(machines)), sum(each or 0 for each in parsed) if known else None)


def why_not_comparable(first: Conditions, second: Conditions, names: tuple[str, str]) -> list[str]:
    """Why the seconds of two runs cannot be compared, a sentence each; none where they can.

    Args:
        first: Of the first run.
        second: Of the second.
        names: Theirs.
    """
    found = []
    for name, run in zip(names, (first, second), strict=True):
        if not run.machines or run.files_parsed is None:
            found.append(f"it is not known on which machine, or with how much of an index, {name} was timed")
    if first.machines and second.machines and first.machines != second.machines:
        told = " and ".join(
            f"{name} on {'; '.join(run.machines)}" for name, run in zip(names, (first, second), strict=True)
        )
        found.append(f"the machines differ: {told}")
    if first.files_parsed is not None and second.files_parsed is not None:
        few, many = sorted((first.files_parsed, second.files_parsed))
        if many - few > _SHARE * many:
            found.append(
                f"the index was not equally warm: {names[0]} parsed {first.files_parsed:,} files, {names[1]} "
                f"{second.files_parsed:,}"
            )
    return found
