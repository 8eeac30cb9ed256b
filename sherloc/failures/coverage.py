"""Which tests ran which lines: from coverage.py's data file or from lcov's tracefiles."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from sherloc.errors import MissingExtraError, UsageError
from sherloc.schema.failures import LineRuns
from sherloc.sqlite import Database, DatabaseCorruptError, DatabaseUnwritableError

_MOST_BYTES = 512_000_000
_MOST_RUNS = 30_000_000
_TABLES = ("coverage_schema", "meta", "file", "context", "line_bits", "arc")
_WRONG = (
    "coverage_schema WHERE typeof(version) <> 'integer'", "file WHERE typeof(path) <> 'text'",
    "context WHERE typeof(context) <> 'text'", "line_bits WHERE typeof(numbits) <> 'blob'",
    "arc WHERE typeof(fromno) <> 'integer' OR typeof(tono) <> 'integer'",
)  # fmt: skip
# A bit a line and context; what one file has is in memory at once.
_MOST_OF_A_FILE = (
    "SELECT max(bits) FROM (SELECT 8 * sum(length(numbits)) AS bits FROM line_bits GROUP BY file_id)",
    "SELECT max(arcs) FROM (SELECT count(*) AS arcs FROM arc GROUP BY file_id)",
)
_SQLITE = b"SQLite format 3\0"
_PHASE = re.compile(r"\|(?:setup|run|teardown)$")
_PARTS = re.compile(r"::|[/\\.#$]")
_Id = tuple[list[str], str]
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


def _check_database(path: str) -> None:
    """Refuse what is not coverage.py's: it would make its tables in any other database, and trust what it finds.

    Raises:
        UsageError: The file is another database, is damaged, or says that more ran than can be held.
    """
    try:
        database = Database(path, (), read_only=True)
        try:
            kinds = dict(database.execute("SELECT name, type FROM sqlite_master WHERE type <> 'index'"))
            is_ours = set(_TABLES) <= set(kinds) and set(kinds.values()) == {"table"}
            wrong = [database.execute(f"SELECT count(*) FROM {each}")[0][0] for each in _WRONG] if is_ours else [1]
            most = [database.execute(each)[0][0] or 0 for each in _MOST_OF_A_FILE] if not any(wrong) else []
        finally:
            database.close()
    except (DatabaseCorruptError, DatabaseUnwritableError, UnicodeDecodeError) as error:
        raise UsageError(f"The coverage file {path} cannot be read: {error}.") from error
    if not most:
        raise UsageError(f"The database {path} is not coverage.py's.", hint="Give .coverage, or an lcov tracefile.")
    if max(most) > _MOST_RUNS:
        raise _too_much(path)


def _too_much(path: str) -> UsageError:
    return UsageError(
        f"The coverage file {path} says of more than {_MOST_RUNS:,} lines that a test ran them.",
        hint="Record fewer tests, or only the package that is searched (--source).",
    )


def _of_coverage_py(path: str) -> Coverage:
    try:
        from coverage import CoverageData
        from coverage.exceptions import CoverageException
    except ImportError as error:
        raise MissingExtraError("coverage", "coverage", "Reading .coverage") from error
    _check_database(path)
    tests: dict[str, dict[str, set[int]]] = {}
    data = CoverageData(basename=path, no_disk=False)
    runs = 0
    try:
        data.read()
        for file in sorted(data.measured_files()):
            for line, contexts in data.contexts_by_lineno(file).items():
                runs += len(contexts)
                if runs > _MOST_RUNS:
                    raise _too_much(path)
                for context in contexts or [""]:
                    tests.setdefault(_PHASE.sub("", context), {}).setdefault(file, set()).add(line)
            if not any(file in files for files in tests.values()):
                tests.setdefault("", {})[file] = set(data.lines(file) or ())
    except (CoverageException, ValueError) as error:  # a damaged text is a UnicodeDecodeError
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
            if file:
                tests.setdefault(test, {}).setdefault(file, set())
        elif kind == "DA" and file:
            number, _, count = rest.partition(",")
            if number.isdecimal() and len(number) < 10 and number.strip("0") and _is_above_0(count.partition(",")[0]):
                tests[test][file].add(int(number))
        elif line.startswith("end_of_record"):
            file = ""
    if not tests:
        raise UsageError(
            f"{name} is neither coverage.py's data nor an lcov tracefile.",
            hint="Give .coverage, or a file made by: coverage lcov, or lcov --capture",
        )
    return Coverage(tests)


def _is_above_0(count: str) -> bool:
    """Whether a line ran; gcov writes ``=====`` and ``#####`` for one that did not."""
    try:
        return float(count) > 0
    except ValueError:
        return False


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
    named: dict[str, list[_Id]] = {}
    for each in failing:
        parts = _parts(each)
        named.setdefault(parts[0][-1] if parts[0] else "", []).append(parts)
    counts: dict[str, dict[int, list[int]]] = {}
    failed = passed = 0
    for test, files in coverage.tests.items():
        parts = _parts(test)
        alike = named.get(parts[0][-1], ()) if parts[0] else ()
        is_failing = not apart or any(_same(parts, each) for each in alike)
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
    return _same(_parts(one), _parts(other))


def _same(one: _Id, other: _Id) -> bool:
    (first, first_given), (second, second_given) = one, other
    if not first or not second or (first_given and second_given and first_given != second_given):
        return False
    length = min(len(first), len(second))
    return first[-length:] == second[-length:] and length >= min(2, max(len(first), len(second)))


def _parts(test: str) -> _Id:
    name, bracket, given = test.partition("[")
    return [part for part in _PARTS.split(_FILE.sub("", name)) if part], bracket + given
