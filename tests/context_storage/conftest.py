"""Folders in memory: a kill, unlike a power cut, does not care, and hundreds of databases are made and closed here."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sherloc.context_storage import TaskContextManager

from .places import KEY, MEMORY
from .spoiling import FAST, fill


@pytest.fixture
def folder() -> Iterator[Path]:
    """An empty folder."""
    made = Path(tempfile.mkdtemp(prefix="sherloc-", dir=MEMORY if os.access(MEMORY, os.W_OK) else None))
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def filled() -> Iterator[Path]:
    """A base_dir with a running task of which nothing is marked as whole."""
    made = Path(tempfile.mkdtemp(prefix="sherloc-", dir=MEMORY if os.access(MEMORY, os.W_OK) else None))
    with TaskContextManager(made, KEY, FAST) as task:
        fill(task)
    (made / "running/a/.marks.json").unlink()
    yield made
    shutil.rmtree(made)
