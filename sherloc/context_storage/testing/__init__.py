"""A conformance suite for stores of tasks, and disks that fail on purpose.

Each check takes a ``Stand``: an implementation and an empty folder. It returns when the store behaves and raises
``AssertionError`` when it does not::

    import pytest
    from sherloc.context_storage.testing import CHECKS, Stand

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_conformance(check, tmp_path):
        check(Stand(tmp_path / "contexts", config={...}, open_task=MyTaskContextManager))
"""

from __future__ import annotations

from collections.abc import Callable

from sherloc.context_storage.testing import compression_checks, history_checks, lifecycle_checks, recovery_checks
from sherloc.context_storage.testing.disks import CountingDisk, CrashingDisk, FailingDisk, SplitDisk
from sherloc.context_storage.testing.stand import Stand, Summariser

__all__ = ["CHECKS", "CountingDisk", "CrashingDisk", "FailingDisk", "SplitDisk", "Stand", "Summariser"]

CHECKS: tuple[Callable[[Stand], None], ...] = (
    *history_checks.CHECKS,
    *compression_checks.CHECKS,
    *lifecycle_checks.CHECKS,
    *recovery_checks.CHECKS,
)
"""All checks; each is named by what it checks and says so in its docstring."""
