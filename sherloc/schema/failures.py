"""What running tests showed: which failed, how, and which lines ran."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class FailingCase:
    """A test that failed.

    Attributes:
        id: As its runner names it (``tests/test_a.py::TestB::test_c``, ``pkg.FooTest#bar``).
        path: Its file, when that is told.
        message: What it said, one line.
        trace: All of it.
    """

    id: str
    path: str = ""
    message: str = ""
    trace: str = ""


@dataclass(frozen=True, slots=True)
class LineRuns:
    """How many failing and passing tests ran a line."""

    failing: int = 0
    passing: int = 0

    def ochiai(self, failed: int) -> float:
        """The line's suspiciousness, 0 to 1.

        Args:
            failed: Failing tests in all.

        Source: R. Abreu, P. Zoeteweij, A. van Gemund, "On the Accuracy of Spectrum-based Fault Localization",
        TAIC PART 2007: ``ef / sqrt((ef + nf) * (ef + ep))``.

        >>> LineRuns(2, 0).ochiai(2), LineRuns(1, 3).ochiai(4), LineRuns(0, 3).ochiai(4)
        (1.0, 0.25, 0.0)
        """
        if not self.failing or failed < self.failing:
            return 0.0
        return self.failing / math.sqrt(failed * (self.failing + self.passing))


@dataclass(frozen=True, slots=True)
class FailureEvidence:
    """All that is known of a failing run.

    Attributes:
        cases: Tests that failed.
        spectrum: For each path (as the run printed it) the lines that ran, and by how many tests.
        failed: Failing tests of which the spectrum knows.
        passed: Passing tests of which it knows.
        problems: What could not be used, in words.
    """

    cases: tuple[FailingCase, ...] = ()
    spectrum: Mapping[str, Mapping[int, LineRuns]] = field(default_factory=dict)
    failed: int = 0
    passed: int = 0
    problems: tuple[str, ...] = ()
