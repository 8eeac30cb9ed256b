"""SWE-bench's predictions: a patch an instance. As a localization it is the set of places that the patch edits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from sherloc.boundary.diffs import read_files
from sherloc.evaluation.formats._places import unique
from sherloc.evaluation.golds import gold_of
from sherloc.evaluation.instances import Instance
from sherloc.evaluation.predictions import Prediction, prediction_of
from sherloc.evaluation.repositories import Repositories

NO_DIFF = "model_patch is no unified diff"
"""Why a prediction has no answer whose patch cannot be read."""


def read(record: Mapping[str, Any], where: str) -> Prediction:
    """A prediction out of a record; without the repository only the files are known."""
    patch = record.get("model_patch")
    patch = "" if patch is None else patch
    fields: dict[str, Any] = {"instance_id": record["instance_id"], "model_patch": patch}
    if isinstance(patch, str):
        changed = read_files(patch)
        fields["files"] = list(unique(file.old or "" for file in changed))
        fields["error"] = NO_DIFF if patch.strip() and not changed else ""
    return prediction_of(fields, where)


def with_places(
    predictions: Mapping[str, Prediction], instances: Iterable[Instance], repositories: Repositories
) -> dict[str, Prediction]:
    """Predictions that are only a patch, with the functions, classes and lines that it changes (Agentless' measure).

    Args:
        predictions: By id.
        instances: Those that have a base revision to read.
        repositories: Find theirs.

    Raises:
        RepositoryError: A repository cannot be found or read.
    """
    found = dict(predictions)
    for instance in instances:
        prediction = predictions.get(instance.instance_id)
        if prediction is None or not prediction.model_patch or prediction.error or prediction.functions is not None:
            continue
        changed = gold_of(replace(instance, patch=prediction.model_patch), repositories.find(instance))
        found[instance.instance_id] = prediction.model_copy(
            update={
                "functions": tuple(changed.functions),
                "classes": tuple(changed.classes),
                "lines": tuple(changed.chunks),
                "change_sets": tuple((*chunk, 1.0) for chunk in changed.chunks),
            }
        )
    return found


def write(prediction: Prediction, model_name: str) -> dict[str, Any]:
    """A record as the official harness reads it; an instance without a patch has an empty one."""
    patch = prediction.model_patch or ""
    if patch and not patch.endswith("\n"):
        patch += "\n"  # else git and patch call it malformed
    return {"instance_id": prediction.instance_id, "model_name_or_path": model_name, "model_patch": patch}
