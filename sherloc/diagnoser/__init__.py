"""Diagnosis: candidates -> diagnoses."""

from sherloc.diagnoser.offline import OfflineDiagnoser
from sherloc.diagnoser.relevance import discriminates, relevance_score

__all__ = ["OfflineDiagnoser", "discriminates", "relevance_score"]
