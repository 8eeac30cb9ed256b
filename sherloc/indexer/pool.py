"""Parsing many files with several processes, surviving the death of any of them."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sherloc.indexer.job import Job

BATCH = 48
_SMALLEST = 3
IN_PROCESS = 64
"""Up to so many files are parsed without starting a process: starting one costs as much."""

_START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from sherloc.indexer.worker import main; main()"


@dataclass(frozen=True, slots=True)
class Parsed:
    """The outcome for one job: an encoded record, or the reason why there is none."""

    job: Job
    reason: str
    record: bytes


@contextlib.contextmanager
def parsing(
    jobs: Sequence[Job], recipe: dict[str, str], *, max_snippet_lines: int, max_line_bytes: int, workers: int = 0
) -> Iterator[Iterator[Parsed]]:
    """Parse every job; results come as they are ready. Processes are at work from the start of the block.

    Args:
        jobs: Files to parse.
        recipe: What ``Tree.reader()`` gave.
        max_snippet_lines: See ``IndexSettings``.
        max_line_bytes: See ``IndexSettings``.
        workers: Processes; 0 is one a core, at most 8.
    """
    count = workers or min(8, available_cores())
    if len(jobs) <= IN_PROCESS or count < 2 or not sys.executable:
        # Where others parse, this process does without the parser.
        from sherloc.indexer.extract import Extractor
        from sherloc.indexer.worker import parse

        results = parse(dict(recipe), Extractor(max_snippet_lines), max_line_bytes, jobs)
        yield (Parsed(job, *outcome) for job, outcome in zip(jobs, results, strict=True))
        return
    head = {"reader": recipe, "max_snippet_lines": max_snippet_lines, "max_line_bytes": max_line_bytes}
    with _Pool(jobs, head, count) as pool:
        yield pool.results()


def _module_folders() -> list[str]:
    """Where this process finds modules, but for the current folder; what holds sherloc, in any case."""
    home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    folders = [os.path.abspath(folder) for folder in sys.path if folder]
    return folders if home in folders else [*folders, home]


def available_cores() -> int:
    """Cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def _batches(jobs: Sequence[Job], count: int) -> list[Sequence[Job]]:
    """Ever smaller, so that no process is left with much to do when the others have nothing; each is a start of git."""
    found: list[Sequence[Job]] = []
    at = 0
    while at < len(jobs):
        found.append(jobs[at : at + max(_SMALLEST, min(BATCH, (len(jobs) - at) // (2 * count)))])
        at += len(found[-1])
    return found


class _Pool:
    """One thread a process: it hands out batches, reads answers, and starts a new process after a crash."""

    def __init__(self, jobs: Sequence[Job], head: dict[str, Any], count: int) -> None:
        self._head = json.dumps(head).encode() + b"\n"
        self._batches: queue.SimpleQueue[Sequence[Job]] = queue.SimpleQueue()
        batches = _batches(jobs, count)
        for batch in batches:
            self._batches.put(batch)
        self._done: queue.Queue[Parsed | BaseException | None] = queue.Queue(maxsize=8 * BATCH)
        self._stopping = threading.Event()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(min(count, len(batches)))]

    def __enter__(self) -> _Pool:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        for process in list(self._processes):
            process.kill()
        while any(thread.is_alive() for thread in self._threads):
            with contextlib.suppress(queue.Empty):
                self._done.get(timeout=0.05)
        for thread in self._threads:
            thread.join()

    def results(self) -> Iterator[Parsed]:
        left = len(self._threads)
        while left:
            item = self._done.get()
            if isinstance(item, BaseException):
                raise item
            if item is None:
                left -= 1
            else:
                yield item

    def _serve(self) -> None:
        worker: _Worker | None = None
        try:
            while not self._stopping.is_set():
                try:
                    batch = self._batches.get_nowait()
                except queue.Empty:
                    break
                while batch and not self._stopping.is_set():
                    worker = worker or self._start()
                    answered = self._ask(worker, batch)
                    if answered < len(batch):
                        worker.close()
                        worker = None
                        if not self._stopping.is_set():
                            self._done.put(Parsed(batch[answered], "parser_crashed", b""))
                    batch = batch[answered + 1 :]
        except BaseException as error:  # noqa: BLE001 - handed to the consuming thread, which raises it
            self._done.put(error)
        finally:
            if worker:
                worker.close()
            self._done.put(None)

    def _start(self) -> _Worker:
        worker = _Worker(self._head)
        self._processes.add(worker.process)
        return worker

    def _ask(self, worker: _Worker, batch: Sequence[Job]) -> int:
        answered = 0
        for job, answer in zip(batch, worker.ask(batch), strict=False):
            self._done.put(Parsed(job, *answer))
            answered += 1
        return answered


class _Worker:
    """One parsing process and its pipes."""

    def __init__(self, head: bytes) -> None:
        self.process = subprocess.Popen(
            # Isolated: without it Python looks for modules in the current folder first, which may be a stranger's.
            [sys.executable, "-I", "-c", _START, json.dumps(_module_folders())],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._send(head)

    def _send(self, data: bytes) -> None:
        with contextlib.suppress(BrokenPipeError):
            assert self.process.stdin
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def ask(self, batch: Sequence[Job]) -> Iterator[tuple[str, bytes]]:
        """Answers in order; fewer than jobs when the process died."""
        self._send(json.dumps(batch).encode() + b"\n")
        assert self.process.stdout
        for _ in batch:
            sizes = self.process.stdout.readline().split()
            if len(sizes) != 2:
                return
            reason, record = int(sizes[0]), int(sizes[1])
            body = self.process.stdout.read(reason + record)
            if len(body) < reason + record:
                return
            yield body[:reason].decode(), body[reason:]

    def close(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                assert pipe
                pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=5)
            return
        self.process.kill()
        self.process.wait()
