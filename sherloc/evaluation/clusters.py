"""Running on a Dask cluster (extra ``dask``): as many machines as the scheduler has workers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any

from sherloc.errors import EvaluationError, MissingExtraError

if TYPE_CHECKING:
    from distributed import Client

_RETRIES = 3
_WAIT_SECONDS = 30


@contextlib.contextmanager
def dask_executor(address: str) -> Iterator[tuple[Executor, int]]:
    """An executor on a Dask cluster, and how many tasks it works on at a time.

    Workers need this version of sherloc, and the repositories at the same paths. A worker that dies costs only what it
    was at: its tasks are given to others.

    Args:
        address: Of the scheduler: ``tcp://host:8786``.

    Raises:
        MissingExtraError: The extra ``dask`` is not installed.
        EvaluationError: The scheduler does not answer, or has no workers.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingExtraError("distributed", "dask", "Running on a Dask cluster") from error
    try:
        client = Client(address, timeout=f"{_WAIT_SECONDS}s", set_as_default=False)
    except (OSError, ValueError, asyncio.TimeoutError) as error:  # the last is a TimeoutError from Python 3.11 on
        raise EvaluationError(
            f"The Dask scheduler {address} does not answer: {error}.", hint="Start it with: dask scheduler"
        ) from error
    with contextlib.closing(client):
        threads = _threads(client, address)
        yield client.get_executor(pure=False, retries=_RETRIES), threads


def _threads(client: Client, address: str) -> int:
    try:
        client.wait_for_workers(1, timeout=_WAIT_SECONDS)
    except (TimeoutError, asyncio.TimeoutError) as error:
        raise EvaluationError(
            f"The Dask scheduler {address} has no workers.", hint=f"Start one with: dask worker {address} --nthreads 1"
        ) from error
    counts: dict[str, Any] = client.nthreads()
    return sum(counts.values())
