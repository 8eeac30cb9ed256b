"""One run against the gold: rows by instance, and what they sum up to, overall and by group."""

from __future__ import annotations

import statistics as plain
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sherloc.evaluation import statistics
from sherloc.evaluation.calibration import Calibration, calibration
from sherloc.evaluation.cues import cue_of, named_in, query_of
from sherloc.evaluation.gold import Gold
from sherloc.evaluation.instances import Instance
from sherloc.evaluation.measures import MEASURES, Row, measure, offered
from sherloc.evaluation.metrics import roc_auc
from sherloc.evaluation.predictions import Prediction

GROUPINGS = ("repo", "language", "files", "cue", "named", "level")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measure over instances: its value, a 95% interval where one was asked for, and over how many instances."""

    value: float
    n: int
    low: float | None = None
    high: float | None = None


@dataclass
class Scored:
    """A run and what each instance scored.

    Attributes:
        name: Of the run.
        instances: Those that have gold, in the data set's order.
        golds: By id.
        predictions: By id; missing ones are misses.
        rows: Measures by id, for each of ``instances``.
        without_gold: Ids whose fix changes nothing that existed; they are in no denominator.
    """

    name: str
    instances: list[Instance]
    golds: Mapping[str, Gold]
    predictions: Mapping[str, Prediction]
    rows: dict[str, Row]
    without_gold: list[str] = field(default_factory=list)

    @property
    def missing(self) -> list[str]:
        """Ids without a prediction."""
        return [i.instance_id for i in self.instances if i.instance_id not in self.predictions]

    @property
    def failed(self) -> list[str]:
        """Ids whose prediction says why there is no answer."""
        found = ((i.instance_id, self.predictions.get(i.instance_id)) for i in self.instances)
        return [key for key, prediction in found if prediction is not None and prediction.error]


def score(
    name: str,
    predictions: Mapping[str, Prediction],
    instances: Iterable[Instance],
    golds: Mapping[str, Gold],
    *,
    resolved: Mapping[str, bool] | None = None,
) -> Scored:
    """Measure a run; see ``measure`` for what is a miss.

    Args:
        name: Of the run.
        predictions: By id; those of other instances are ignored.
        instances: All that are evaluated: they are the denominator.
        golds: By id.
        resolved: By id, from the official harness; instances that it lacks are not resolved.
    """
    chosen = list(instances)
    known = [instance for instance in chosen if golds[instance.instance_id].files]
    fields = offered(predictions[i.instance_id] for i in known if i.instance_id in predictions)
    rows = {i.instance_id: measure(predictions.get(i.instance_id), golds[i.instance_id], fields) for i in known}
    if resolved is not None:
        for key, row in rows.items():
            row["resolved"] = float(resolved.get(key, False))
    left = [i.instance_id for i in chosen if not golds[i.instance_id].files]
    return Scored(name, known, golds, predictions, rows, left)


def summarise(rows: Iterable[Row], *, intervals: bool = False, names: Iterable[str] = MEASURES) -> dict[str, Estimate]:
    """Each measure over the rows that have it, in the order of ``MEASURES``.

    Args:
        rows: One an instance.
        intervals: Whether 95% intervals are computed: Wilson's for shares, bootstrap for the rest.
        names: Only these measures.

    Raises:
        MissingExtraError: Intervals without the extra ``eval``.
    """
    kept, wanted = list(rows), set(names)
    found = {}
    for name in (each for each in MEASURES if each in wanted):
        values = [row[name] for row in kept if name in row]
        if values:
            found[name] = _estimate(name, values, intervals)
    return found


def _estimate(name: str, values: Sequence[float], intervals: bool) -> Estimate:
    kind = MEASURES[name].kind
    value = plain.median(values) if kind == "median" else plain.fmean(values)
    if not intervals:
        return Estimate(value, len(values))
    if kind == "share":
        low, high = statistics.wilson(round(sum(values)), len(values))
    else:
        low, high = statistics.bootstrap(values, median=kind == "median")
    return Estimate(value, len(values), low, high)


def groups(scored: Scored, by: str) -> dict[str, list[str]]:
    """Ids by group, groups in order of name.

    Args:
        scored: A run.
        by: One of ``GROUPINGS``: the repository; the language; single- or multi-file fixes; the strongest cue in the
            issue; what of the gold the issue names; how sure the method says it is.
    """
    key: Callable[[Instance], str] = {
        "repo": lambda i: i.repo,
        "language": lambda i: i.language or "(unknown)",
        "files": lambda i: "single-file" if len(scored.golds[i.instance_id].files) == 1 else "multi-file",
        "cue": lambda i: cue_of(query_of(i.problem_statement)),
        "named": lambda i: named_in(query_of(i.problem_statement), scored.golds[i.instance_id]),
        "level": lambda i: _level(scored.predictions.get(i.instance_id)),
    }[by]
    found: dict[str, list[str]] = {}
    for instance in scored.instances:
        found.setdefault(key(instance), []).append(instance.instance_id)
    return dict(sorted(found.items()))


def _level(prediction: Prediction | None) -> str:
    return (prediction.level if prediction else "") or "(none)"


def macro(scored: Scored, by: str = "repo") -> dict[str, float]:
    """The mean over groups of each group's value: repositories count alike, however many issues they have."""
    summaries = [summarise(scored.rows[key] for key in ids) for ids in groups(scored, by).values()]
    found = {}
    for name in MEASURES:
        values = [summary[name].value for summary in summaries if name in summary]
        if values:
            found[name] = plain.fmean(values)
    return found


def confidence_of(scored: Scored, level: str = "file") -> Calibration | None:
    """Calibration of the confidence that the first file (or function) of each ranking states.

    Args:
        scored: A run.
        level: ``file`` or ``function``.
    """
    confidences, right = [], []
    for instance in scored.instances:
        prediction, gold = scored.predictions.get(instance.instance_id), scored.golds[instance.instance_id]
        if prediction is None:
            continue
        ranking = prediction.files if level == "file" else prediction.functions
        stated = prediction.file_confidence if level == "file" else prediction.function_confidence
        wanted = gold.files if level == "file" else gold.functions
        if ranking and stated and wanted:
            confidences.append(stated[0])
            right.append(ranking[0] in wanted)
    return calibration(confidences, right)


def diagnosis_scores(scored: Scored) -> tuple[list[float], list[bool]]:
    """The relevance score of each diagnosed snippet, and whether a line of it was changed."""
    scores, relevant = [], []
    for instance in scored.instances:
        prediction = scored.predictions.get(instance.instance_id)
        for path, name, value in (prediction.diagnoses or ()) if prediction else ():
            scores.append(value)
            relevant.append((path, name) in scored.golds[instance.instance_id].owners)
    return scores, relevant


def relevance_auc(scored: Scored) -> float:
    """AUC of the relevance score, over all diagnosed snippets; NaN when there is nothing to tell apart."""
    return roc_auc(*diagnosis_scores(scored))


def scores_record(scored: Scored, *, by: Sequence[str] = GROUPINGS, intervals: bool = True) -> dict[str, Any]:
    """The scores as a JSON document.

    Args:
        scored: A run.
        by: Groupings.
        intervals: See ``summarise``.
    """
    auc = relevance_auc(scored)
    return {
        "schema_version": "1.0",
        "name": scored.name,
        "instances": len(scored.instances),
        "without_gold": scored.without_gold,
        "missing": scored.missing,
        "failed": scored.failed,
        "measures": _plain(summarise(scored.rows.values(), intervals=intervals)),
        "macro_by_repo": macro(scored),
        "groups": {
            name: {
                group: {"instances": len(ids), "measures": _plain(summarise(scored.rows[i] for i in ids))}
                for group, ids in groups(scored, name).items()
            }
            for name in by
        },
        "calibration": {
            level: asdict(found) for level in ("file", "function") if (found := confidence_of(scored, level))
        },
        "relevance_auc": None if auc != auc else auc,
    }


def _plain(summary: Mapping[str, Estimate]) -> dict[str, dict[str, float | int]]:
    return {name: {k: v for k, v in asdict(e).items() if v is not None} for name, e in summary.items()}
