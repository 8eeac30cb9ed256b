"""Every measure by name: what one prediction scores against one gold. docs/metrics.md has the formulas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sherloc.evaluation.gold import Gold
from sherloc.evaluation.metrics import (
    Span,
    accuracy_at,
    all_at,
    all_lines_within,
    average_precision,
    chunk_scores,
    distinct,
    harmonic_mean,
    hit_at,
    line_density,
    line_recall,
    lines_shown,
    lines_within,
    ndcg_at,
    recall_at,
    reciprocal_rank,
    set_scores,
)
from sherloc.evaluation.predictions import Prediction

Kind = Literal["share", "mean", "median"]
KS = (1, 3, 5, 10)
LEVELS = ("file", "class", "function")


@dataclass(frozen=True, slots=True)
class Measure:
    """How a measure is summed up and shown.

    Attributes:
        name: As in tables.
        kind: ``share``: 0 or 1 for each instance (Wilson interval); ``mean``: a number (bootstrap); ``median``:
            likewise, of which the middle one tells more.
        percent: Whether it is shown in percent.
        higher_is_better: For gained and lost in a comparison.
        group: The table that it stands in.
        needs: The fields of a prediction that it reads; a run in which no prediction has one of them is not measured.
    """

    name: str
    kind: Kind
    percent: bool
    higher_is_better: bool
    group: str
    needs: str


_AT_K: tuple[tuple[str, Kind], ...] = (
    ("Acc", "share"), ("All", "share"), ("Hit", "share"), ("Recall", "mean"), ("nDCG", "mean")
)  # fmt: skip
_SETS: tuple[tuple[str, Kind], ...] = (
    ("set recall", "mean"), ("set precision", "mean"), ("set F1", "mean"), ("set exact", "share"),
    ("set all", "share"), ("chunk recall", "mean"), ("chunk tightness", "mean"), ("chunk precision", "mean"),
    ("first within 5", "share"),
)  # fmt: skip


def _registry() -> Iterator[Measure]:
    for level, field in zip(LEVELS, ("files", "classes", "functions"), strict=True):
        for name, kind in _AT_K:
            for k in KS:
                yield Measure(f"{level} {name}@{k}", kind, True, True, level, field)
        yield Measure(f"{level} MRR", "mean", False, True, level, field)
        yield Measure(f"{level} MAP", "mean", False, True, level, field)
    for name in ("Hit", "All", "Recall"):
        for k in KS:
            yield Measure(f"line {name}@{k}", "mean" if name == "Recall" else "share", True, True, "line", "lines")
    yield Measure("lines in top 5", "median", False, False, "line", "lines")
    for name, kind in _SETS:
        yield Measure(name, kind, True, True, "change set", "change_sets")
    yield Measure("places", "mean", False, False, "change set", "change_sets")
    yield Measure("first lines", "median", False, False, "change set", "change_sets")
    yield Measure("context recall", "mean", True, True, "context", "context")
    yield Measure("context density", "mean", True, True, "context", "context")
    yield Measure("context lines", "median", False, False, "context", "context")
    yield Measure("context tokens", "median", False, False, "context", "context_tokens")
    for field in ("seconds", "input_tokens", "output_tokens", "unknown_names"):
        yield Measure(field.replace("_", " "), "median", False, False, "cost", field)
    yield Measure("cost", "mean", False, False, "cost", "cost")
    yield Measure("tests passed", "share", True, True, "repair", "tests_passed")
    yield Measure("resolved", "share", True, True, "repair", "")


MEASURES: Mapping[str, Measure] = {measure.name: measure for measure in _registry()}
"""All measures, in the order of the tables."""

Row = dict[str, float]


def offered(predictions: Iterable[Prediction]) -> frozenset[str]:
    """The fields that any prediction of a run fills: what its method answers at all."""
    fields: set[str] = set()
    for prediction in predictions:
        fields.update(name for name in prediction.model_fields_set if getattr(prediction, name) is not None)
    return frozenset(fields)


def measure(prediction: Prediction | None, gold: Gold, fields: frozenset[str]) -> Row:
    """All measures of one instance; shares are 0-1.

    A missing or failed prediction is a miss of everything that the run's method answers. A level at which nothing that
    existed was changed (a fix outside of all functions) is left out: it has no denominator.

    Args:
        prediction: None when there is none.
        gold: With at least one file.
        fields: What the run answers, see ``offered``.
    """
    given = prediction or Prediction(instance_id="")
    row: Row = {}
    for level, field, wanted in (
        ("file", "files", gold.files), ("class", "classes", gold.classes), ("function", "functions", gold.functions)
    ):  # fmt: skip
        if field in fields and wanted:
            row.update(_ranked(level, distinct(getattr(given, field) or ()), wanted))
    if "lines" in fields and gold.lines:
        row.update(_lines(given.lines or (), gold))
    if "change_sets" in fields:
        row.update(_change_sets([(path, first, last) for path, first, last, _ in given.change_sets or ()], gold))
    if "context" in fields and gold.lines:
        row.update(_context(given.context or (), gold))
    row.update(_costs(given))
    return row


def _ranked(level: str, ranking: Sequence[str], wanted: Sequence[str]) -> Row:
    row: Row = {}
    scores: tuple[tuple[str, Callable[[Sequence[str], Iterable[str], int], float]], ...] = (
        ("Acc", accuracy_at), ("All", all_at), ("Hit", hit_at), ("Recall", recall_at), ("nDCG", ndcg_at)
    )  # fmt: skip
    for name, score in scores:
        for k in KS:
            row[f"{level} {name}@{k}"] = float(score(ranking, wanted, k))
    row[f"{level} MRR"] = reciprocal_rank(ranking, wanted)
    row[f"{level} MAP"] = average_precision(ranking, wanted)
    return row


def _lines(spans: Sequence[Span], gold: Gold) -> Row:
    row: Row = {}
    for k in KS:
        row[f"line Hit@{k}"] = float(lines_within(spans[:k], gold.lines))
        row[f"line All@{k}"] = float(all_lines_within(spans[:k], gold.lines))
        row[f"line Recall@{k}"] = line_recall(spans[:k], gold.lines)
    if spans:
        row["lines in top 5"] = float(len(lines_shown(spans[:5])))
    return row


def _change_sets(spans: Sequence[Span], gold: Gold) -> Row:
    recall, precision, exact = set_scores([path for path, *_ in spans], gold.files)
    row: Row = {
        "set recall": recall, "set precision": precision, "set F1": harmonic_mean(recall, precision),
        "set exact": float(exact), "set all": float(recall == 1), "places": float(len(spans)),
    }  # fmt: skip
    if gold.lines:
        row["chunk recall"], row["chunk tightness"], row["chunk precision"] = chunk_scores(spans, gold.chunks)
        row["first within 5"] = float(lines_within(spans[:1], gold.lines))
    if spans:
        row["first lines"] = float(spans[0][2] - spans[0][1] + 1)
    return row


def _context(spans: Sequence[Span], gold: Gold) -> Row:
    row: Row = {"context recall": line_recall(spans, gold.lines), "context density": line_density(spans, gold.lines)}
    if spans:
        row["context lines"] = float(len(lines_shown(spans)))
    return row


_COSTS = ("context tokens", "seconds", "input tokens", "output tokens", "cost", "unknown names", "tests passed")


def _costs(given: Prediction) -> Row:
    values = ((name, getattr(given, MEASURES[name].needs)) for name in _COSTS)
    return {name: float(value) for name, value in values if value is not None}
