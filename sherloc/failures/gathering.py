"""All that is known of a failing run, put together; and what of it reads like an issue."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sherloc.failures.coverage import read_coverage, spectrum_of
from sherloc.schema.failures import FailingCase, FailureEvidence, LineRuns
from sherloc.schema.issue import Issue

_MOST_CASES = 8
_LONGEST_TRACE = 6000


def gather(cases: Iterable[FailingCase] = (), coverage: Sequence[str] = ()) -> FailureEvidence:
    """Put failing tests and coverage together.

    Args:
        cases: Tests that failed; of one id the one with the most words counts.
        coverage: Coverage files; what several say of a line is added up.

    Raises:
        UsageError: A coverage file cannot be read.
        MissingExtraError: coverage.py is needed and not installed.
    """
    best: dict[str, FailingCase] = {}
    for case in cases:
        known = best.get(case.id)
        if known is None or len(case.trace) + len(case.message) > len(known.trace) + len(known.message):
            best[case.id] = case
    chosen = tuple(best.values())
    spectrum: dict[str, dict[int, LineRuns]] = {}
    failed = passed = 0
    problems = []
    for path in coverage:
        read = read_coverage(path)
        if set(read.tests) == {""}:
            problems.append(f"{path} does not tell tests apart: all lines that ran count alike.")
        found, more_failed, more_passed = spectrum_of(read, [case.id for case in chosen])
        if not more_failed:
            problems.append(f"{path} knows none of the failing tests, so it says nothing; give --failing-test.")
        failed, passed = failed + more_failed, passed + more_passed
        for name, lines in found.items():
            mine = spectrum.setdefault(name, {})
            for line, runs in lines.items():
                old = mine.get(line, LineRuns())
                mine[line] = LineRuns(old.failing + runs.failing, old.passing + runs.passing)
    return FailureEvidence(chosen, spectrum, failed, passed, tuple(problems))


def issue_from_failures(failures: FailureEvidence) -> Issue:
    """An issue that says what the failing tests say, for a run without any other words.

    Args:
        failures: With at least one case to say anything.
    """
    if not failures.cases:
        return Issue()
    first = failures.cases[0]
    title = f"{first.id}: {first.message}" if first.message else f"{first.id} fails"
    return Issue(title=title[:400])


def told(failures: FailureEvidence) -> tuple[str, ...]:
    """What the failing tests say, one comment a test, at most eight.

    Args:
        failures: Of a run.
    """
    texts = []
    for case in failures.cases[:_MOST_CASES]:
        words = [f"The test `{case.id}` fails: {case.message}" if case.message else f"The test `{case.id}` fails."]
        texts.append("\n\n".join([*words, case.trace[-_LONGEST_TRACE:]]).strip())
    return tuple(texts)
