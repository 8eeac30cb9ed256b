"""One file to parse."""

from __future__ import annotations

from typing import NamedTuple


class Job(NamedTuple):
    """One file to parse; a tuple, so that it is its own wire format. ``max_bytes``: longer code is skipped."""

    path: str
    content_id: str
    language: str
    partition: str
    max_bytes: int
