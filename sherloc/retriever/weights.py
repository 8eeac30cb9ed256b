"""The numbers of retrieval: field weights, cue weights, mixing weights.

They were chosen on the development set by leaving repositories out; docs/benchmarks.md says how and benchmarks/LOG.md
what did not help.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class FieldWeights:
    """How much a term counts by where it stands."""

    code: float = 1.0
    doc: float = 1.0
    string: float = 1.0
    name: float = 3.0
    path: float = 3.0


@dataclass(frozen=True, slots=True)
class Weights:
    """All weights of the fused score; cue weights are in units of the best lexical score."""

    unit_fields: FieldWeights = FieldWeights()
    file_fields: FieldWeights = FieldWeights()
    file_b: float = 0.75
    unit_cues: dict[str, float] = field(
        default_factory=lambda: {
            "name": 0.30, "name_block": 0.15, "name_prose": 0.10, "member": 0.10, "qualified": 0.40, "frame": 0.50,
            "message": 0.30, "raises": 0.05, "callee": 0.0, "caller": 0.0, "override": 0.0,
        }
    )  # fmt: skip
    file_cues: dict[str, float] = field(
        default_factory=lambda: {"path": 0.80, "frame": 0.50, "module": 0.40, "message": 0.0}
    )
    file_lexical: float = 0.5
    best_unit: float = 1.0
    next_units: float = 0.3
    unit_from_file: float = 0.5
    side_code: float = 0.5
