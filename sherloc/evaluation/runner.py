"""Locating many issues: in parallel, resumable, each answer kept as soon as it is there."""

from __future__ import annotations

import contextlib
import multiprocessing
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime, timezone

from sherloc.errors import EvaluationError
from sherloc.evaluation.conditions import this_machine
from sherloc.evaluation.predicting import Task, failure, predict
from sherloc.evaluation.predictions import Prediction
from sherloc.evaluation.run_folder import RunFolder, RunInfo

_DIED = "the worker process died; it may have run out of memory"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is.

    Attributes:
        done: Predictions there, those of earlier sessions included.
        total: Instances.
        failed: How many of those done have an error.
        seconds_left: Estimate from this session's pace; None before the first answer.
        latest: The answer that just came; None at the start.
    """

    done: int
    total: int
    failed: int
    seconds_left: float | None
    latest: Prediction | None = None


OnProgress = Callable[[Progress], None]


def run(
    tasks: Sequence[Task],
    folder: RunFolder,
    info: RunInfo,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    retry_failed: bool = False,
    on_progress: OnProgress | None = None,
) -> dict[str, Prediction]:
    """Locate the tasks that the folder does not have yet.

    Args:
        tasks: In the data set's order, which is the order of the finished file.
        folder: Where predictions go.
        info: The run's configuration; a folder with another one is refused.
        workers: Local processes; with ``executor``, how many tasks it is given at a time.
        executor: Where to run instead: any ``concurrent.futures.Executor``. It is not shut down.
        retry_failed: Whether failed predictions are made again.
        on_progress: Called at the start and after each answer.

    Returns:
        All predictions of these tasks by id.

    Raises:
        RunMismatchError: The folder belongs to another configuration, or is in use.
        EvaluationError: The executor broke.
    """
    inputs = {task.instance_id: task.fingerprint for task in tasks}
    with folder.opened(info, inputs, retry_failed=retry_failed) as session:
        left = [task for task in tasks if task.instance_id not in session.done]
        clock = _Clock(len(tasks), len(tasks) - len(left), on_progress)
        clock.failed = sum(bool(session.done[key].error) for key in inputs if key in session.done)
        clock.tell(None)
        try:
            for prediction in _results(left, workers, executor):
                session.add(prediction)
                clock.tell(prediction)
        finally:
            if clock.made:
                folder.note_session(clock.record(workers))
        return {key: session.done[key] for key in inputs}


class _Clock:
    def __init__(self, total: int, done: int, on_progress: OnProgress | None) -> None:
        self.total, self.done, self.failed, self.made = total, done, 0, 0
        self._on_progress = on_progress
        self._start = time.monotonic()
        self._started_at = datetime.now(timezone.utc).isoformat(timespec="seconds")

    def tell(self, latest: Prediction | None) -> None:
        seconds_left = None
        if latest is not None:
            self.done, self.made, self.failed = self.done + 1, self.made + 1, self.failed + bool(latest.error)
            seconds_left = (time.monotonic() - self._start) / self.made * (self.total - self.done)
        if self._on_progress is not None:
            self._on_progress(Progress(self.done, self.total, self.failed, seconds_left, latest))

    def record(self, workers: int) -> dict[str, object]:
        seconds = round(time.monotonic() - self._start, 2)
        return {
            "started_at": self._started_at, "seconds": seconds, "located": self.made, "workers": workers,
            "machine": this_machine(),
        }  # fmt: skip


def _results(left: Sequence[Task], workers: int, executor: Executor | None) -> Iterator[Prediction]:
    if executor is not None:
        lanes = _Lanes(left, workers)
        try:
            yield from _drain(executor, lanes, workers)
        except BrokenExecutor as error:
            raise EvaluationError(
                f"The executor broke: {error}.", hint="What was located is kept; run again to go on."
            ) from error
    elif workers < 2:
        yield from map(predict, left)
    else:
        yield from _in_processes(left, workers)


def _in_processes(left: Sequence[Task], workers: int) -> Iterator[Prediction]:
    """In local processes; a task that kills its process fails alone, and the rest goes on."""
    lanes = _Lanes(left, workers)
    while lanes:
        suspects: list[Task] = []
        # When a process dies it is not told which of those at work did it: each is tried by itself.
        with contextlib.suppress(BrokenExecutor), _pool(workers) as pool:
            yield from _drain(pool, lanes, workers, suspects)
        for task in suspects:
            with _pool(1) as alone:
                try:
                    yield alone.submit(predict, task).result()
                except BrokenExecutor:
                    yield failure(task, _DIED)


@contextlib.contextmanager
def _pool(workers: int) -> Iterator[Executor]:
    """A pool whose end does not wait for what is not begun."""
    pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _drain(executor: Executor, lanes: _Lanes, at_once: int, suspects: list[Task] | None = None) -> Iterator[Prediction]:
    """Answers as they come, with at most ``at_once`` tasks given out.

    Raises:
        BrokenExecutor: ``suspects`` then holds the tasks that were given out and not answered.
    """
    running: dict[Future[Prediction], tuple[Task, int]] = {}
    try:
        for lane in range(max(at_once, 1)):
            _give(executor, lanes, lane, running)
        while running:
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                prediction = _answer(future, running[future][0])
                _, lane = running.pop(future)
                _give(executor, lanes, lane, running)
                yield prediction
    except BrokenExecutor:
        if suspects is not None:
            suspects.extend(task for task, _ in running.values())
        raise
    finally:
        for future in running:
            future.cancel()


def _give(executor: Executor, lanes: _Lanes, lane: int, running: dict[Future[Prediction], tuple[Task, int]]) -> None:
    task = lanes.take(lane)
    if task is not None:
        try:
            running[executor.submit(predict, task)] = task, lane
        except BrokenExecutor:
            lanes.put_back(lane, task)
            raise


def _answer(future: Future[Prediction], task: Task) -> Prediction:
    try:
        return future.result()
    except BrokenExecutor:
        raise
    except Exception as error:  # noqa: BLE001 - an executor's own failure of one task (Dask's KilledWorker) is its answer
        return failure(task, f"{type(error).__name__}: {' '.join(str(error).split())[:300]}")


class _Lanes:
    """Tasks in lanes of one or a few repositories each, so that who works on a lane finds the index of its neighbour.

    A lane that runs dry takes from the end of the longest one.

    Args:
        tasks: To do; neighbours in time share most of their files, and ids mostly count up with time.
        lanes: How many.
    """

    def __init__(self, tasks: Sequence[Task], lanes: int) -> None:
        by_repository: dict[str, list[Task]] = {}
        for task in tasks:
            by_repository.setdefault(task.repository, []).append(task)
        self._lanes: list[deque[Task]] = [deque() for _ in range(max(lanes, 1))]
        for part in sorted(by_repository.values(), key=lambda part: (-len(part), part[0].repository)):
            min(self._lanes, key=len).extend(part)

    def __bool__(self) -> bool:
        return any(self._lanes)

    def take(self, lane: int) -> Task | None:
        """The next task for a lane, or None when all are given out."""
        own = self._lanes[lane]
        if own:
            return own.popleft()
        longest = max(self._lanes, key=len)
        return longest.pop() if longest else None

    def put_back(self, lane: int, task: Task) -> None:
        """Return a task that could not be given out."""
        self._lanes[lane].appendleft(task)
