"""Evaluation on issues with known fixes: runs, gold, measures, comparisons, reports.

>>> from sherloc.evaluation import Source, run_source, score_runs
>>> source = Source("dev.jsonl", mirrors="mirrors/")
>>> predictions = run_source(source, "runs/base", workers=2)  # doctest: +SKIP
>>> (scored,) = score_runs({"base": predictions}, source)  # doctest: +SKIP
"""

from __future__ import annotations

from sherloc.evaluation.comparing import compare
from sherloc.evaluation.formats import export, read_predictions
from sherloc.evaluation.gold import Gold, gold_of_patch
from sherloc.evaluation.harness import Source, run_source, score_runs
from sherloc.evaluation.instances import Instance, load_instances, select
from sherloc.evaluation.predictions import Prediction
from sherloc.evaluation.report import write_report
from sherloc.evaluation.repositories import Repositories
from sherloc.evaluation.resolving import read_resolved
from sherloc.evaluation.scores import Scored, score, summarise

__all__ = [
    "Gold",
    "Instance",
    "Prediction",
    "Repositories",
    "Scored",
    "Source",
    "compare",
    "export",
    "gold_of_patch",
    "load_instances",
    "read_predictions",
    "read_resolved",
    "run_source",
    "score",
    "score_runs",
    "select",
    "summarise",
    "write_report",
]
