"""What a model says about pieces of code, as it must look to be believed."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AliasChoices, Field, field_validator

from sherloc.json_hardening import LineRange, LooseList, LooseModel, Score, Synonyms
from sherloc.llm.pieces import bare_id
from sherloc.schema.diagnosis import ChangeType

_SYNONYMS = Synonyms(
    ("null check", "fix_null_handling"),
    ("fix_null_check", "fix_null_handling"),
    ("fix_off_by_one", "fix_boundary"),
    ("fix_error_handling", "fix_exception_handling"),
    ("fix_validation", "add_input_validation"),
    ("fix_type", "fix_type_conversion"),
    ("fix_race_condition", "fix_concurrency"),
    ("fix_config", "fix_configuration"),
    ("none", "other"),
)


class KeyLines(LooseModel):
    """Lines of a piece, counted as they were shown, with the text of the first of them."""

    lines: LineRange
    quote: str = ""
    why: str = ""


class Verdict(LooseModel):
    """What one piece has to do with the issue."""

    id: str
    relevance_score: Score = Field(validation_alias=AliasChoices("relevance_score", "score"))
    impact: str = ""
    reason: str = Field(default="", validation_alias=AliasChoices("reason", "reasoning", "explanation"))
    potential_change_type: Annotated[ChangeType, _SYNONYMS] = Field(
        default=ChangeType.OTHER, validation_alias=AliasChoices("potential_change_type", "change_type")
    )
    key_evidence_lines: LooseList[KeyLines] = []

    @field_validator("id")
    @classmethod
    def _bare(cls, value: str) -> str:
        return bare_id(value)


class DiagnosisReply(LooseModel):
    """The verdicts on the pieces of one call."""

    diagnoses: LooseList[Verdict]
    directions_in_material: LooseList[str] = []


class FilterVerdict(LooseModel):
    """Whether one piece deserves a closer look."""

    id: str
    relevant: bool

    @field_validator("id")
    @classmethod
    def _bare(cls, value: str) -> str:
        return bare_id(value)


class FilterReply(LooseModel):
    """The quick look at the pieces of one call."""

    pieces: LooseList[FilterVerdict]
    directions_in_material: LooseList[str] = []


def level_of(score: float) -> Literal["direct", "partial", "none"]:
    """A score in a word: direct from 4, partial from 2, else none; the prompt's scale says the same.

    >>> level_of(4), level_of(3.9), level_of(1.5)
    ('direct', 'partial', 'none')
    """
    return "direct" if score >= 4 else "partial" if score >= 2 else "none"
