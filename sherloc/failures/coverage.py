"""Which tests ran which lines: from coverage.py's data file or from lcov's tracefiles."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from sherloc.errors import MissingExtraError, UsageError
from sherloc.schema.failures import LineRuns

_MOST_BYTES = 512_000_000
_SQLITE = b"SQLite format 3\0"
_PHASE = re.compile(r"\|(?:setup|run|teardown)$")
_PARTS = re.compile(r"::|[/\\.#$]")
_FILE = re.compile(r"\.(?:py|js|ts|jsx|tsx|java|kt|rb|go|rs|php|cs|cpp|cc|c)(?=::|#|$)")


@dataclass(frozen=True, slots=True)
class Coverage:
    """Lines by path and test.

    Attributes:
        tests: For each test (``""``: not told apart) the lines that it ran, by path.
    """

    tests: Mapping[str, Mapping[str, Collection[int]]] = field(default_factory=dict)


def read_coverage(path: str) -> Coverage:
    """Read a coverage file.

    Args:
        path: ``.coverage`` of coverage.py (best with ``--cov-context=test``), or an lcov tracefile.

    Raises:
        UsageError: It cannot be read, or is neither.
        MissingExtraError: coverage.py is needed and not installed.
    """
    try:
        size = os.path.getsize(path)
        with open(path, "rb") as file:
            head = file.read(len(_SQLITE))
            data = b"" if head == _SQLITE else head + file.read(_MOST_BYTES)
    except OSError as error:
        raise UsageError(f"The coverage file {path} cannot be read: {error.strerror}.") from error
    if size > _MOST_BYTES:
        raise UsageError(f"The coverage file {path} has {size:,} bytes; at most {_MOST_BYTES:,} are read.")
    if head == _SQLITE:
        return _of_coverage_py(path)
    return read_lcov(data.decode("utf-8", "surrogateescape"), path)


def _of_coverage_py(path: str) -> Coverage:
    try:
        from coverage import CoverageData
        from coverage.exceptions import CoverageException
    except ImportError as error:
        raise MissingExtraError("coverage", "coverage", "Reading .coverage") from error
    tests: dict[str, dict[str, set[int]]] = {}
    data = CoverageData(basename=path, no_disk=False)
    try:
        data.read()
        for file in sorted(data.measured_files()):
            for line, contexts in data.contexts_by_lineno(file).items():
                for context in contexts or [""]:
                    tests.setdefault(_PHASE.sub("", context), {}).setdefault(file, set()).add(line)
            if not any(file in files for files in tests.values()):
                tests.setdefault("", {})[file] = set(data.lines(file) or ())
    except CoverageException as error:
        raise UsageError(f"The coverage file {path} cannot be read: {error}.") from error
    finally:
        data.close()
    if len(tests) > 1:
        # What ran while no test was running, such as imports, tells nothing.
        tests.pop("", None)
    return Coverage(tests)


def read_lcov(text: str, name: str = "the tracefile") -> Coverage:
    """Read a tracefile of lcov: ``TN:`` tells tests apart, ``SF:`` files, ``DA:`` lines and counts.

    Args:
        text: The tracefile. Linear.
        name: What to call it in errors.

    Raises:
        UsageError: It holds no record.
    """
    tests: dict[str, dict[str, set[int]]] = {}
    test = file = ""
    for line in text.split("\n"):
        kind, _, rest = line.rstrip("\r").partition(":")
        if kind == "TN":
            test = rest.strip()
        elif kind == "SF":
            file = rest.strip()
            tests.setdefault(test, {}).setdefault(file, set())
        elif kind == "DA" and file:
            number, _, count = rest.partition(",")
            ran = count.partition(",")[0].strip()
            if number.isdecimal() and len(number) < 10 and ran.strip("0-") and not ran.startswith("-"):
                tests[test][file].add(int(number))
        elif line.startswith("end_of_record"):
            file = ""
    if not tests:
        raise UsageError(
            f"{name} is neither coverage.py's data nor an lcov tracefile.",
            hint="Give .coverage, or a file made by: coverage lcov, or lcov --capture",
        )
    return Coverage(tests)


def spectrum_of(
    coverage: Coverage, failing: Collection[str]
) -> tuple[dict[str, dict[int, LineRuns]], int, int]:  # fmt: skip
    """How many failing and passing tests ran each line.

    Where tests are not told apart, all that ran counts as run by one failing test.

    Args:
        coverage: What ran.
        failing: Ids of tests that failed.

    Returns:
        Lines by path; how many failing and how many passing tests there were.
    """
    apart = set(coverage.tests) != {""}
    counts: dict[str, dict[int, list[int]]] = {}
    failed = passed = 0
    for test, files in coverage.tests.items():
        is_failing = not apart or any(same_test(test, each) for each in failing)
        failed, passed = failed + is_failing, passed + (not is_failing)
        for path, lines in files.items():
            of_file = counts.setdefault(path, {})
            for line in lines:
                of_file.setdefault(line, [0, 0])[0 if is_failing else 1] += 1
    spectrum = {
        path: {line: LineRuns(*pair) for line, pair in sorted(lines.items())} for path, lines in sorted(counts.items())
    }
    return spectrum, failed, passed


def same_test(one: str, other: str) -> bool:
    """Whether two ids mean one test, though runners write them differently.

    The shorter must be the end of the longer, part by part; parameters count where both have them.

    >>> same_test("tests/test_a.py::TestB::test_c[1]", "test_a.TestB.test_c")
    True
    >>> same_test("test_a.py::test_c[1]", "test_a.py::test_c[2]"), same_test("test_a.test_c", "test_b.test_c")
    (False, False)
    """
    (first, first_given), (second, second_given) = _parts(one), _parts(other)
    if not first or not second or (first_given and second_given and first_given != second_given):
        return False
    length = min(len(first), len(second))
    return first[-length:] == second[-length:] and length >= min(2, max(len(first), len(second)))


def _parts(test: str) -> tuple[list[str], str]:
    name, bracket, given = test.partition("[")
    return [part for part in _PARTS.split(_FILE.sub("", name)) if part], bracket + given
