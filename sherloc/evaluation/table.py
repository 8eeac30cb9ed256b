"""A table of measures over predictions and gold, by repository and as means."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from sherloc.evaluation.gold import Gold
from sherloc.evaluation.metrics import (
    accuracy_at,
    chunk_scores,
    hit_at,
    lines_within,
    reciprocal_rank,
    roc_auc,
    set_scores,
)

FILE_MEASURES = ("file Acc@1", "file Acc@3", "file Acc@5", "file Acc@10", "file Hit@1", "file Hit@5", "MRR")
FUNCTION_MEASURES = ("func Acc@1", "func Acc@5", "func Acc@10")
SET_MEASURES = (
    "set recall", "set precision", "set exact", "sets", "line recall", "tightness", "first within 5", "first lines",
)  # fmt: skip
_PERCENT = frozenset({"sets", "first lines", "MRR", "seconds"})


def measure(prediction: Mapping[str, Any], gold: Gold) -> dict[str, float]:
    """All measures of one instance; shares are 0-1. A missing prediction is a miss everywhere."""
    files = list(prediction.get("files") or [])
    row: dict[str, float] = {"MRR": reciprocal_rank(files, gold.files)}
    for k in (1, 3, 5, 10):
        row[f"file Acc@{k}"] = accuracy_at(files, gold.files, k)
        row[f"file Hit@{k}"] = hit_at(files, gold.files, k)
    if gold.functions:
        functions = list(prediction.get("functions") or [])
        for k in (1, 5, 10):
            row[f"func Acc@{k}"] = accuracy_at(functions, gold.functions, k)
    row.update(_change_sets(prediction.get("change_sets") or [], gold))
    if prediction.get("seconds") is not None:
        row["seconds"] = float(prediction["seconds"])
    return row


def _change_sets(sets: Sequence[Sequence[Any]], gold: Gold) -> dict[str, float]:
    spans = [(str(path), int(first), int(last)) for path, first, last, *_ in sets]
    recall, precision, exact = set_scores([path for path, *_ in spans], gold.files)
    line_recall, tightness, _ = chunk_scores(spans, gold.chunks)
    row: dict[str, float] = {
        "set recall": recall, "set precision": precision, "set exact": exact, "sets": len(spans),
        "line recall": line_recall, "tightness": tightness, "first within 5": lines_within(spans[:1], gold.lines),
    }  # fmt: skip
    if spans:
        row["first lines"] = spans[0][2] - spans[0][1] + 1
    return row


def relevance_auc(predictions: Mapping[str, Mapping[str, Any]], golds: Mapping[str, Gold]) -> float:
    """AUC of the relevance score: diagnosed snippets that own a changed line against the others, over all instances."""
    scores: list[float] = []
    relevant: list[bool] = []
    for instance, gold in golds.items():
        for path, name, score in predictions.get(instance, {}).get("diagnoses") or ():
            scores.append(float(score))
            relevant.append((path, name) in gold.owners)
    return roc_auc(scores, relevant)


def summary(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Mean of each measure over the rows that have it; the median for numbers of lines and seconds."""
    found: dict[str, float] = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        values = [row[name] for row in rows if name in row]
        found[name] = statistics.median(values) if name in ("first lines", "seconds") else statistics.fmean(values)
    return found


def macro(groups: Mapping[str, Sequence[Mapping[str, float]]]) -> dict[str, float]:
    """The mean over groups (repositories) of each group's mean."""
    return summary([summary(rows) for rows in groups.values()])


def formatted(name: str, value: float | None) -> str:
    """A measure as text: shares in percent with one decimal."""
    if value is None or value != value:
        return "-"
    if name in _PERCENT:
        return f"{value:.3f}" if name == "MRR" else f"{value:.2f}"
    return f"{100 * value:.1f}"


def lines(groups: Mapping[str, Sequence[Mapping[str, float]]], names: Sequence[str]) -> list[str]:
    """The table as Markdown: a row a group, then all, then the mean over groups."""
    everything = [row for rows in groups.values() for row in rows]
    body = [(group, len(rows), summary(rows)) for group, rows in sorted(groups.items())]
    body += [("**all**", len(everything), summary(everything)), ("*mean of groups*", len(groups), macro(groups))]
    head = ["| | n | " + " | ".join(names) + " |", "|---|---|" + "---|" * len(names)]
    return head + [
        f"| {group} | {count} | " + " | ".join(formatted(name, row.get(name)) for name in names) + " |"
        for group, count, row in body
    ]
