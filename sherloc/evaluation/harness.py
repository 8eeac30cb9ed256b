"""Evaluations as a whole: instances, repositories, settings and a folder in; a run out, or its scores."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sherloc.errors import DataError, RepositoryError
from sherloc.evaluation.golds import Progress as GoldProgress
from sherloc.evaluation.golds import golds_of
from sherloc.evaluation.instances import Instance, load_instances, select
from sherloc.evaluation.predicting import Task, code_fingerprint
from sherloc.evaluation.predictions import Prediction
from sherloc.evaluation.repositories import Repositories
from sherloc.evaluation.run_folder import RunFolder, RunInfo, data_record, make_config
from sherloc.evaluation.runner import OnProgress, run
from sherloc.evaluation.scores import Scored, score

_LISTED = 5


@dataclass(frozen=True)
class Source:
    """Which instances are evaluated, and where their repositories lie.

    Attributes:
        data: See ``load_instances``.
        split: Likewise.
        where: See ``select``; likewise ``ids`` and ``limit``.
        mirrors: See ``Repositories``; likewise ``clones``.
    """

    data: str
    split: str = "test"
    where: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    limit: int | None = None
    mirrors: str = ""
    clones: str = ""

    @classmethod
    def of_run(cls, info: RunInfo) -> Source:
        """The source of an earlier run."""
        data = info.data
        return cls(
            data["source"], data["split"], tuple(data["where"]), tuple(data["ids"]), data["limit"], info.mirrors,
            info.clones,
        )  # fmt: skip

    def instances(self) -> list[Instance]:
        """The instances.

        Raises:
            DataError: They cannot be read, or none is left.
        """
        return select(load_instances(self.data, split=self.split), ids=self.ids, where=self.where, limit=self.limit)

    def repositories(self) -> Repositories:
        """Finds theirs."""
        return Repositories(
            Path(self.mirrors) if self.mirrors else None, Path(self.clones) if self.clones else None
        )  # fmt: skip

    def record(self) -> dict[str, Any]:
        """For ``run.json``."""
        return data_record(self.data, self.split, self.where, self.ids, self.limit)


def run_source(
    source: Source,
    folder: str | os.PathLike[str],
    *,
    settings: Mapping[str, Any] | None = None,
    workers: int = 1,
    executor: Executor | None = None,
    scheduler: str = "",
    retry_failed: bool = False,
    on_progress: OnProgress | None = None,
) -> dict[str, Prediction]:
    """Locate every instance of a source; a folder that has some of them is gone on with.

    A repository that cannot be found is a failed prediction, like any other failure of one instance; where none is
    found the run does not begin.

    Args:
        source: What to locate.
        folder: The run's.
        settings: Overrides for ``locate``, as nested sections.
        workers: Local processes, or with an executor how many tasks it gets at a time.
        executor: Any ``concurrent.futures.Executor`` instead of local processes.
        scheduler: Address of a Dask scheduler instead.
        retry_failed: Whether failed predictions are made again.
        on_progress: See ``run``.

    Returns:
        Predictions by id, in the data set's order.

    Raises:
        DataError: The data set cannot be used.
        RepositoryError: No instance's repository can be found, and the folder holds no earlier answers.
        RunMismatchError: The folder holds another configuration's results, or is in use.
        SettingsError: A setting is unknown or out of range.
        EvaluationError: The executor broke, or the scheduler does not answer.
    """
    config = make_config(settings)
    instances, repositories = source.instances(), source.repositories()
    parallel = workers > 1 or executor is not None or bool(scheduler)
    tasks = [_task(instance, repositories, _tuned(settings, parallel)) for instance in instances]
    run_folder = RunFolder(folder)
    if all(task.trouble for task in tasks) and not run_folder.predictions_path.exists():
        repositories.find(instances[0])  # says why
    place = (_absolute(source.mirrors), _absolute(source.clones))
    info = RunInfo(run_folder.path.resolve().name, config, source.record(), *place)
    with _executor(executor, scheduler, workers) as (chosen, at_once):
        return run(
            tasks, run_folder, info, workers=at_once, executor=chosen, retry_failed=retry_failed,
            on_progress=on_progress,
        )  # fmt: skip


@contextlib.contextmanager
def _executor(executor: Executor | None, scheduler: str, workers: int) -> Iterator[tuple[Executor | None, int]]:
    if not scheduler:
        yield executor, workers
        return
    from sherloc.evaluation.clusters import dask_executor

    with dask_executor(scheduler) as found:
        yield found


def _task(instance: Instance, repositories: Repositories, settings: Mapping[str, Any]) -> Task:
    location, trouble = instance.repo, ""
    try:
        location = repositories.find(instance)
    except RepositoryError as error:
        trouble = f"{type(error).__name__}: {error}"
    return Task(
        instance.instance_id, instance.problem_statement, location, instance.base_commit, instance.fingerprint,
        settings, code_fingerprint(), trouble,
    )  # fmt: skip


def _tuned(settings: Mapping[str, Any] | None, parallel: bool) -> dict[str, Any]:
    """Settings in which each of several workers keeps to one core, where nothing else was asked for."""
    tuned = {name: dict(section) for name, section in (settings or {}).items()}
    if parallel:
        tuned.setdefault("cache", {}).setdefault("workers", 1)
        tuned.setdefault("vectors", {}).setdefault("threads", 1)
    return tuned


def _absolute(path: str) -> str:
    return os.path.abspath(path) if path else ""


def strays(predictions: Iterable[str], instances: Iterable[Instance]) -> list[str]:
    """Ids of predictions that are of none of the instances, in order."""
    known = {instance.instance_id for instance in instances}
    return [key for key in predictions if key not in known]


def ids_in_words(ids: Sequence[str]) -> str:
    """Some of the ids, and how many more there are."""
    more = f" and {len(ids) - _LISTED} more" if len(ids) > _LISTED else ""
    return ", ".join(ids[:_LISTED]) + more


def _check_ids(name: str, predictions: Mapping[str, Prediction], instances: Sequence[Instance], data: str) -> None:
    stray = strays(predictions, instances)
    if len(stray) < len(predictions):
        return
    of = ids_in_words([instance.instance_id for instance in instances])
    said = f"all of its {len(stray)} are of others: {ids_in_words(stray)}" if stray else "it has none at all"
    raise DataError(
        f"{name} has no prediction for any of the {len(instances)} chosen instances of {data}; {said}.",
        hint=f"The instances are {of}. Check --data, --where, --id and --limit.",
    )


def score_runs(
    runs: Mapping[str, Mapping[str, Prediction]],
    source: Source,
    *,
    resolved: Mapping[str, Mapping[str, bool]] | None = None,
    on_progress: GoldProgress | None = None,
) -> list[Scored]:
    """Score runs against the gold of one source, so that they can be compared.

    Args:
        runs: Predictions by id, by name of the run.
        source: What they are scored on: all of its instances are the denominator of each run.
        resolved: By name of the run, which instances its patches resolve.
        on_progress: Called while the gold is read.

    Raises:
        DataError: An instance has neither patch nor stated gold, or a run has no prediction for any instance.
        RepositoryError: A repository cannot be found or read.
    """
    instances = source.instances()
    for name, predictions in runs.items():
        _check_ids(name, predictions, instances, source.data)
    golds = golds_of(instances, source.repositories(), on_progress=on_progress)
    return [
        score(name, predictions, instances, golds, resolved=(resolved or {}).get(name))
        for name, predictions in runs.items()
    ]
