"""The numbers of retrieval: field weights, cue weights, mixing weights.

They were chosen on the development set by leaving repositories out; docs/benchmarks.md says how and benchmarks/LOG.md
what did not help.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class FieldWeights(NamedTuple):
    """How much a term counts by where it stands."""

    code: float = 1.0
    doc: float = 1.0
    string: float = 1.0
    name: float = 3.0
    path: float = 3.0


def _unit_cues() -> Mapping[str, float]:
    return {
        "name": 0.28, "name_block": 0.20, "member": 0.05, "qualified": 0.47, "frame": 0.62, "raises": 0.05,
        "callee": 0.05, "caller": 0.05, "override": 0.30, "name_words": 0.10, "title_words": 0.38, "spectrum": 0.5,
        "named_commit": 0.6,
    }  # fmt: skip


def _own_cues() -> Mapping[str, float]:
    return {
        "name": 0.30, "name_block": 0.20, "member": 0.05, "qualified": 0.68, "frame": 0.38, "raises": 0.05,
        "callee": 0.10, "caller": 0.03, "name_words": 0.10, "title_words": 0.28, "spectrum": 0.5, "named_commit": 1.2,
    }  # fmt: skip


def _file_cues() -> Mapping[str, float]:
    return {
        "path": 0.33, "frame": 0.70, "module": 0.04, "stem": 0.08, "prose_stem": 0.12, "folder": 0.065,
        "spectrum": 0.3, "tests": 0.2, "named_commit": 0.9,
    }  # fmt: skip


def _relative_cues() -> Mapping[str, float]:
    return {"semantic": 0.5, "alike": 0.2, "recent": 0.1}


@dataclass(frozen=True, slots=True)
class Weights:
    """All weights of the fused scores; cue weights are in units of the best lexical score.

    Attributes:
        unit_fields: Field weights for scoring units.
        file_fields: Field weights for scoring files.
        file_b: Length normalisation for files.
        unit_cues: Cue weights of a unit's score that counts for its file.
        own_cues: Cue weights of a unit's own score.
        file_cues: Cue weights of files.
        relative_cues: Weights of what is added to a file's score in units of the best file's.
        semantic_unit: Weight of a unit's similarity to the issue in its own score.
        file_lexical: Weight of BM25 over whole files.
        next_units: Weight of the mean of a file's second to fourth best unit; the best counts 1.
        unit_from_file: How much of the file's score its units get.
        unit_size: Weight of the logarithm of a unit's lines.
        file_size: Weight of the logarithm of a file's number of units.
        aside: Factor for examples, scripts, documentation sources.
        testing: Factor for library code about testing.
        generated: Factor for files that say a program wrote them.
        package: Factor for files that only open a package (``__init__.py``).
    """

    unit_fields: FieldWeights = FieldWeights(path=5.25)
    file_fields: FieldWeights = FieldWeights(name=5.25)
    file_b: float = 0.805
    unit_cues: Mapping[str, float] = field(default_factory=_unit_cues)
    own_cues: Mapping[str, float] = field(default_factory=_own_cues)
    file_cues: Mapping[str, float] = field(default_factory=_file_cues)
    relative_cues: Mapping[str, float] = field(default_factory=_relative_cues)
    semantic_unit: float = 0.1
    file_lexical: float = 0.69
    next_units: float = 0.415
    unit_from_file: float = 0.75
    unit_size: float = 0.05
    file_size: float = 0.26
    aside: float = 0.575
    generated: float = 0.6
    testing: float = 0.725
    package: float = 0.89
