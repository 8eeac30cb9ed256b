"""The diagnosis: what one candidate has to do with the issue, and how that is known."""

from __future__ import annotations

from enum import Enum
from typing import Literal

from pydantic import Field

from sherloc.schema._model import Model


class ChangeType(str, Enum):
    """What kind of change is expected; the values are the wire format."""

    FIX_CONDITION = "fix_condition"
    FIX_LOGIC = "fix_logic"
    FIX_NULL_HANDLING = "fix_null_handling"
    FIX_BOUNDARY = "fix_boundary"
    FIX_PARAMETERS = "fix_parameters"
    FIX_API_CALL = "fix_api_call"
    FIX_EXCEPTION_HANDLING = "fix_exception_handling"
    FIX_TYPE_CONVERSION = "fix_type_conversion"
    FIX_PERMISSION_CHECK = "fix_permission_check"
    ADD_INPUT_VALIDATION = "add_input_validation"
    FIX_STATE = "fix_state"
    FIX_CONCURRENCY = "fix_concurrency"
    FIX_CONFIGURATION = "fix_configuration"
    ADD_FEATURE = "add_feature"
    OTHER = "other"


class EvidenceLines(Model):
    """Lines that support a diagnosis: absolute, 1-based, inclusive."""

    start_line: int = Field(ge=1)
    end_line: int = Field(ge=1)
    why: str = ""


class Diagnosis(Model):
    """What one snippet has to do with the issue.

    ``relevance_score`` runs from 0 (unrelated) to 5 (directly causes the problem). ``unknown`` says, in plain words,
    what the diagnoser could not find out. ``evidence`` is one sentence a sign.
    """

    path: str
    qualified_name: str
    kind: str
    start_line: int = Field(ge=1)
    end_line: int = Field(ge=1)
    relevance_score: float = Field(ge=0, le=5)
    relevance: Literal["direct", "partial", "none"]
    impact: str = ""
    reason: str = ""
    potential_change_type: ChangeType = ChangeType.OTHER
    key_evidence_lines: tuple[EvidenceLines, ...] = ()
    evidence: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    content_hash: str = ""
    diagnosed_by: str = "offline"
