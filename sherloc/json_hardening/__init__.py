"""Reads what language models answer: one JSON value out of a reply that may hold anything, or one typed error.

Usable alone. ``parse_reply`` gives the value and every repair that it needed. It never returns a value from a text that
was cut off, never chooses silently between two answers, and never alters exact texts. The whole contract is in
docs/model-output.md.
"""

from sherloc.errors import (
    AmbiguousOutput,
    ConflictingAlias,
    DuplicateKey,
    ElidedOutput,
    InvalidNumber,
    InvalidText,
    LimitExceeded,
    MalformedJson,
    NoJsonFound,
    PlaceholderInContent,
    Refused,
    ReplyError,
    SchemaEcho,
    SchemaMismatch,
    TruncatedOutput,
)
from sherloc.json_hardening.asking import Asking, Attempt, aask_for, ask_for, re_ask_message
from sherloc.json_hardening.checks import placeholder_line
from sherloc.json_hardening.limits import Limits
from sherloc.json_hardening.lines import LineNumber, LineRange, locate_lines
from sherloc.json_hardening.outcome import REPAIRS, Parsed, Repair
from sherloc.json_hardening.parse import check_ending, parse_reply
from sherloc.json_hardening.scalars import (
    CompleteText,
    Confidence,
    ConfidenceReader,
    ExactText,
    LooseList,
    LooseModel,
    PercentConfidence,
    ReplyPath,
    Score,
    ScoreReader,
    Synonyms,
)

__all__ = [
    "REPAIRS",
    "AmbiguousOutput",
    "Asking",
    "Attempt",
    "CompleteText",
    "Confidence",
    "ConfidenceReader",
    "ConflictingAlias",
    "DuplicateKey",
    "ElidedOutput",
    "ExactText",
    "InvalidNumber",
    "InvalidText",
    "LimitExceeded",
    "Limits",
    "LineNumber",
    "LineRange",
    "LooseList",
    "LooseModel",
    "MalformedJson",
    "NoJsonFound",
    "Parsed",
    "PercentConfidence",
    "PlaceholderInContent",
    "Refused",
    "Repair",
    "ReplyError",
    "ReplyPath",
    "SchemaEcho",
    "SchemaMismatch",
    "Score",
    "ScoreReader",
    "Synonyms",
    "TruncatedOutput",
    "aask_for",
    "ask_for",
    "check_ending",
    "locate_lines",
    "parse_reply",
    "placeholder_line",
    "re_ask_message",
]
