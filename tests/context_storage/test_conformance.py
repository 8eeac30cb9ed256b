"""sherloc's own store against the public conformance suite."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sherloc.context_storage.testing import CHECKS, Stand

Check = Callable[[Stand], None]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_sqlite(check: Check, folder: Path) -> None:
    check(Stand(folder / "contexts", config={"context": {"fsync": False}}))
