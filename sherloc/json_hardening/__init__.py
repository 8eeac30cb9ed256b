"""Reads what language models answer: one JSON value out of a reply that may hold anything, or one typed error.

Usable alone. ``parse_reply`` gives the value and every repair that it needed; it never returns a value from a text that
was cut off, never chooses silently between two answers, and never alters exact texts. docs/model-output.md has the whole
contract.
"""

from sherloc.json_hardening.limits import Limits
from sherloc.json_hardening.lines import LineNumber, LineRange, locate_lines
from sherloc.json_hardening.outcome import REPAIRS, Parsed, Repair
from sherloc.json_hardening.parse import parse_reply
from sherloc.json_hardening.scalars import (
    CompleteText,
    Confidence,
    ConfidenceReader,
    ExactText,
    PercentConfidence,
    ReplyPath,
    Score,
    ScoreReader,
    Synonyms,
)
from sherloc.errors import ReplyError
