"""Predictions in other systems' files: read to be scored side by side, written to feed them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sherloc.errors import DataError, UsageError
from sherloc.evaluation.formats import agentless, locagent, sherloc_paper, swebench
from sherloc.evaluation.instances import Instance
from sherloc.evaluation.predictions import Prediction, by_id, prediction_of, read_records
from sherloc.evaluation.repositories import Repositories
from sherloc.evaluation.run_folder import RunFolder

Record = Mapping[str, Any]

_READERS: Mapping[str, Callable[[Record, str], Prediction]] = {
    "locagent": locagent.read,
    "agentless": agentless.read,
    "sherloc-paper": sherloc_paper.read,
    "swebench": swebench.read,
    "sherloc": prediction_of,
}
FORMATS = tuple(_READERS)
"""Names of the formats that can be read."""

_WRITERS: Mapping[str, Callable[[Prediction, str], dict[str, Any]]] = {
    "locagent": locagent.write,
    "agentless": agentless.write,
    "sherloc-paper": sherloc_paper.write,
    "swebench": swebench.write,
    "sherloc": lambda prediction, _: prediction.model_dump(mode="json", exclude_defaults=True),
}


def read_predictions(
    path: str | os.PathLike[str],
    *,
    form: str = "",
    instances: Sequence[Instance] = (),
    repositories: Repositories | None = None,
) -> dict[str, Prediction]:
    """The predictions of a run's folder or of a file, by id.

    Args:
        path: A run's folder, or a .json or .jsonl file.
        form: One of ``FORMATS``; empty: told by the fields.
        instances: With ``repositories``: what a patch changes is then known as functions and classes, too.
        repositories: Find those of the instances.

    Raises:
        DataError: The file cannot be read, is of no known format, a field of it has a wrong type, no patch of it is a
            diff, or it has two predictions for an instance.
        UsageError: The format is unknown.
    """
    place = Path(path)
    if form and form not in _READERS:
        raise UsageError(f"The format {form!r} is unknown.", hint=f"There are: {', '.join(FORMATS)}.")
    if place.is_dir():
        folder = RunFolder(place)
        folder.info()
        return folder.predictions()
    found = by_id((_read(record, where, form) for where, record in read_records(place)), str(path))
    if found and all(prediction.error == swebench.NO_DIFF for prediction in found.values()):
        raise DataError(
            f"{path}: no model_patch of its {len(found)} predictions is a unified diff.",
            hint="A patch begins with 'diff --git a/PATH b/PATH', or with '--- a/PATH' and '+++ b/PATH'.",
        )
    if repositories is not None:
        found = swebench.with_places(found, instances, repositories)
    return found


def _read(record: Any, where: str, form: str) -> Prediction:
    if not isinstance(record, dict) or not isinstance(record.get("instance_id"), str):
        raise DataError(f"{where} is not an object with an instance_id.")
    return _READERS[form or told_by_fields(record, where)](record, f"{where}, instance {record['instance_id']:.200}")


def told_by_fields(record: Record, where: str = "") -> str:
    """The format of a record.

    Raises:
        DataError: It is of none.
    """
    if "found_entities" in record or "found_modules" in record:
        return "locagent"
    if any(name in record for name in ("found_edit_locs", "found_related_locs", "found_files")):
        return "agentless"
    if "locations" in record:
        return "sherloc-paper"
    if any(name in record for name in ("files", "functions", "lines", "error", "change_sets")):
        return "sherloc"
    if "model_patch" in record:
        return "swebench"
    raise DataError(
        f"{where} is of no known format: its fields are {', '.join(sorted(record)[:12])}.",
        hint=f"Known formats: {', '.join(FORMATS)}; see docs/evaluation.md.",
    )


def export(predictions: Iterable[Prediction], form: str, *, model_name: str) -> list[dict[str, Any]]:
    """Predictions as another system's records, in the given order.

    Args:
        predictions: What to write.
        form: One of ``FORMATS``.
        model_name: ``model_name_or_path`` of SWE-bench predictions.

    Raises:
        UsageError: The format is unknown.
    """
    if form not in _WRITERS:
        raise UsageError(f"The format {form!r} is unknown.", hint=f"There are: {', '.join(FORMATS)}.")
    return [_WRITERS[form](prediction, model_name) for prediction in predictions]
