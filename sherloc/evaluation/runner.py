"""Locating many issues: in parallel, resumable, one JSON line an instance."""

from __future__ import annotations

import json
import multiprocessing
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sherloc.errors import SherlocError
from sherloc.schema.report import Report


@dataclass(frozen=True, slots=True)
class Instance:
    """An issue with the revision that it was filed against.

    ``settings`` are overrides for ``locate``. ``repository`` is a path (a bare git directory will do).
    """

    instance_id: str
    issue: str
    repository: str
    revision: str
    settings: Mapping[str, Any] = field(default_factory=dict)


def predict(instance: Instance) -> dict[str, Any]:
    """Locate one instance; a failure is a prediction with ``error`` and counts as a miss."""
    from sherloc.locator import locate

    start = time.perf_counter()
    try:
        report = locate(
            instance.issue, instance.repository, revision=instance.revision, settings=dict(instance.settings)
        )
    except SherlocError as error:
        return {"instance_id": instance.instance_id, "files": [], "functions": [], "error": str(error)}
    except Exception as error:  # noqa: BLE001 - one instance must not end the run; it is reported as a crash
        return {"instance_id": instance.instance_id, "files": [], "functions": [], "error": f"crash: {error!r}"}
    return {**prediction(report), "instance_id": instance.instance_id, "seconds": time.perf_counter() - start}


def prediction(report: Report) -> dict[str, Any]:
    """A report in locbench's format, with what the further measures need.

    ``lines`` are the suspect spans by rank; ``change_sets`` are spans with the file's confidence; ``diagnoses`` are
    (path, qualified name, relevance score).
    """
    return {
        "files": [file.path for file in report.ranked_files],
        "functions": [f"{f.path}::{f.qualified_name}" for f in report.ranked_functions],
        "lines": [[s.path, s.start_line, s.end_line] for s in report.ranked_spans[:10]],
        "change_sets": [
            [c.file_path, c.target_location.start_line or 1, c.target_location.end_line or 1, round(c.confidence, 4)]
            for c in report.change_sets
        ],
        "diagnoses": [[d.path, d.qualified_name, d.relevance_score] for d in report.diagnoses],
        "file_confidence": [file.confidence for file in report.ranked_files[:10]],
        "level": report.confidence,
        "short_cut": report.short_cut,
    }


def read_predictions(path: Path) -> dict[str, dict[str, Any]]:
    """Predictions by instance; a last line that was cut off by a kill is left out."""
    found: dict[str, dict[str, Any]] = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").split("\n"):
            try:
                row = json.loads(line)
            except json.JSONDecodeError:
                continue
            found[row["instance_id"]] = row
    return found


def run(
    instances: Sequence[Instance],
    out: Path,
    *,
    workers: int = 1,
    retry_failed: bool = False,
    executor: Executor | None = None,
) -> Iterator[dict[str, Any]]:
    """Locate the instances that ``out`` does not have yet; each line is written as soon as it is there.

    Args:
        instances: What to locate. Give them in order of repository, so that neighbours share an index.
        out: JSONL file; made anew whole (old lines kept) before the first prediction, so that a half line goes.
        workers: Processes.
        retry_failed: Whether predictions with an error are made again.
        executor: Where to run instead of local processes.
    """
    done = {k: row for k, row in read_predictions(out).items() if not (retry_failed and row.get("error"))}
    out.parent.mkdir(parents=True, exist_ok=True)
    whole = out.with_suffix(out.suffix + ".tmp")
    whole.write_text("".join(json.dumps(row) + "\n" for row in done.values()), encoding="utf-8")
    whole.replace(out)
    left = [instance for instance in instances if instance.instance_id not in done]
    with out.open("a", encoding="utf-8") as file:
        for row in _results(left, workers, executor):
            file.write(json.dumps(row) + "\n")
            file.flush()
            yield row


def _results(left: Sequence[Instance], workers: int, executor: Executor | None) -> Iterable[dict[str, Any]]:
    if executor is None and workers < 2:
        yield from map(predict, left)
        return
    pool = executor or ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
    try:
        for future in as_completed([pool.submit(predict, instance) for instance in left]):
            yield future.result()
    finally:
        if executor is None:
            pool.shutdown(cancel_futures=True)
