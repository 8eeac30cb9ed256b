"""Failing tests, logs and coverage as evidence.

``issue_from_log`` makes an issue of a failing run's log, ``read_junit`` and ``read_coverage`` read what runners write,
``gather`` puts it together for ``locate(..., failures=...)``.
"""

from __future__ import annotations

from sherloc.failures.coverage import read_coverage
from sherloc.failures.gathering import gather, issue_from_failures
from sherloc.failures.junit import read_junit
from sherloc.failures.logs import issue_from_log

__all__ = ["gather", "issue_from_failures", "issue_from_log", "read_coverage", "read_junit"]
