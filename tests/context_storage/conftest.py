"""Folders in memory: a kill, unlike a power cut, does not care, and hundreds of databases are made and closed here."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")


@pytest.fixture
def folder() -> Iterator[Path]:
    """An empty folder."""
    made = Path(tempfile.mkdtemp(prefix="sherloc-", dir=MEMORY if os.access(MEMORY, os.W_OK) else None))
    yield made
    shutil.rmtree(made)
