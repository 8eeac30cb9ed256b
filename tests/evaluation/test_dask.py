"""A real Dask scheduler and two workers on loopback."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sherloc.errors import EvaluationError, MissingExtraError
from sherloc.evaluation.clusters import dask_executor
from sherloc.evaluation.harness import Source, run_source
from sherloc.evaluation.runner import Progress

ROOT = Path(__file__).parents[2]


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"sherloc\[dask\]"), dask_executor("tcp://127.0.0.1:1"):
        pass


@pytest.fixture
def cluster() -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    pytest.importorskip("distributed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    dask = [sys.executable, "-m", "dask"]
    common = ["--host", "127.0.0.1", "--no-dashboard"]
    quiet: dict[str, Any] = {"cwd": ROOT, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = [subprocess.Popen([*dask, "scheduler", "--port", str(port), *common], **quiet)]
    worker = [*dask, "worker", address, "--nthreads", "1", "--no-nanny", *common]
    try:
        started += [subprocess.Popen(worker, **quiet) for _ in range(2)]
        yield address, started[1:]
    finally:
        for process in started:
            process.kill()
            process.wait()


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # Dask's own, of connections that the test cuts
def test_a_worker_killed_in_mid_run_changes_nothing(bench: Any, tmp_path: Path, cluster: Any) -> None:
    from distributed import Client

    address, workers = cluster
    source = Source(str(bench.data), mirrors=str(bench.mirrors))
    local = run_source(source, tmp_path / "local")
    killed: list[int] = []
    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        pids = client.run(os.getpid)

        def kill_one_at_work(progress: Progress) -> None:
            at_work = [worker for worker, tasks in client.processing().items() if tasks]
            if progress.latest is not None and at_work and not killed:
                killed.append(pids[at_work[0]])
                os.kill(killed[0], signal.SIGKILL)

        found = run_source(source, tmp_path / "dask", scheduler=address, on_progress=kill_one_at_work)
    assert killed
    assert killed[0] in {process.pid for process in workers}
    assert list(found) == list(local)
    for key, prediction in found.items():
        assert (
            prediction.model_copy(update={"seconds": local[key].seconds, "files_parsed": local[key].files_parsed})
            == local[key]
        )


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_scheduler_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("sherloc.evaluation.clusters._WAIT_SECONDS", 1)
    with pytest.raises(EvaluationError, match="does not answer"), dask_executor("tcp://127.0.0.1:1"):
        pass
