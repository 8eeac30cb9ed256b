"""What runners write: JUnit, coverage, logs. Exact values by hand; strangers' files are refused in words."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import pytest
from coverage import CoverageData
from hypothesis import given
from hypothesis import strategies as st

from sherloc.errors import UsageError
from sherloc.failures import gather, issue_from_log, read_coverage, read_junit
from sherloc.failures.coverage import Coverage, read_lcov, same_test, spectrum_of
from sherloc.failures.logs import cases_in_log, cleaned
from sherloc.schema.failures import FailingCase, LineRuns

JUNIT = b"""<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" tests="3">
<testcase classname="tests.test_basket.TestBasket" name="test_total[10]" time="0.1">
<failure message="assert -9 == 0.9
 +  where">def test_total():
&gt;   assert basket.total(10) == 0.9
tests/test_basket.py:7: AssertionError</failure></testcase>
<testcase classname="tests.test_basket" name="test_fine"/>
<testcase classname="tests.test_mail" name="test_send" file="tests/test_mail.py"><error type="OSError"/></testcase>
</testsuite></testsuites>"""


def test_junit() -> None:
    assert read_junit(JUNIT) == (
        FailingCase(
            "tests.test_basket.TestBasket.test_total[10]", "", "assert -9 == 0.9 + where",
            "def test_total():\n>   assert basket.total(10) == 0.9\ntests/test_basket.py:7: AssertionError",
        ),
        FailingCase("tests.test_mail.test_send", "tests/test_mail.py", "OSError", ""),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "well-formed"),
        (b"<a>", "well-formed"),
        (b"<testsuite/>", "holds no test"),
        (b'<!DOCTYPE a [<!ENTITY x "y">]><testsuite/>', "document type"),
        ('<!DOCTYPE a [<!ENTITY x "y">]><testsuite>&x;</testsuite>'.encode("utf-16"), "document type"),
        (b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><testsuite/>', "document type"),
        (b"<testsuite><!ENTITY x></testsuite>", "well-formed"),
        ("<testsuite/>".encode("utf-16"), "holds no test"),
        (b"\xff\xfe\x00", "well-formed"),
        (b'<?xml version="1.0" encoding="shift_jis"?><testsuite/>', "encoding that cannot be read"),
        (b'<?xml version="1.0" encoding="nonsense"?><testsuite/>', "encoding that cannot be read"),
        (b'<?xml version="1.0" encoding="rot13"?><testsuite/>', "encoding that cannot be read"),
    ],
)
def test_what_is_no_junit_report(data: bytes, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read_junit(data)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        read_junit(data)
    except UsageError as error:
        assert len(error.message) < 300


@pytest.mark.parametrize(
    ("data", "trace"),
    [
        (
            b"<a><testcase name='c'><failure><![CDATA[got <!DOCTYPE html>]]></failure></testcase></a>",
            "got <!DOCTYPE html>",
        ),
        (b"<a><!-- <!DOCTYPE x> --><testcase name='c'><failure>x</failure></testcase></a>", "x"),
        (b"<?xml version='1.0' encoding='windows-1252'?><testcase name='c'><error>\xe9</error></testcase>", "\u00e9"),
        ("<testcase name='c'><failure>\u00e9</failure></testcase>".encode("utf-16"), "\u00e9"),
        (b"<a xmlns='urn:x'><testcase name='c'><failure>x</failure></testcase></a>", "x"),
        (b"<a>" * 500 + b"<testcase name='c'><failure>x</failure></testcase>" + b"</a>" * 500, "x"),
        (b"<testcase name='c'><properties><error>no</error></properties><failure>x<b>y</b>z</failure></testcase>", "x"),
        (b"<testcase name='c'><skipped/><failure>1</failure><error>2</error></testcase>", "1"),
        (b"<testcase name='c'><failure>" + b"a" * 30_000 + b"end</failure></testcase>", "a" * 19_997 + "end"),
    ],
    ids=["data", "comment", "old encoding", "wide", "namespace", "nested", "below", "two", "long"],
)
def test_junit_of_many_runners(data: bytes, trace: str) -> None:
    (case,) = read_junit(data)
    assert (case.id, case.trace) == ("c", trace)


def test_of_a_large_report_only_what_failed_is_kept() -> None:
    data = b"<t>" + (b"<testcase name='c'><system-out>" + b"x" * 100 + b"</system-out></testcase>") * 50_000 + b"</t>"
    tracemalloc.start()
    try:
        assert read_junit(data) == ()
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_lcov() -> None:
    one = "TN:one\nSF:a.py\nDA:1,1\nDA:2,0\nDA:3,5,hash\nend_of_record\n"
    text = f"{one}TN:two\nSF:a.py\nDA:3,1\nDA:x,1\nDA:4,-1\nend_of_record\n"
    assert read_lcov(text).tests == {"one": {"a.py": {1, 3}}, "two": {"a.py": {3}}}
    with pytest.raises(UsageError, match="neither"):
        read_lcov("hello")


@pytest.mark.parametrize(
    ("lines", "ran"),
    [
        ("SF:a.py\r\nDA:1,2\r\nDA:2,0\r\nend_of_record\r\n", {1}),
        ("SF:a.py\nDA:1,=====\nDA:2,#####\nDA:3,-1\nDA:4,\nDA:5\nDA:6,x\n", set()),
        ("SF:a.py\nDA:1,1e3\nDA:2,4.5,hash\nDA:0,1\nDA:-7,1\nDA:9999999999,1\n", {1, 2}),
        ("SF:a.py\nDA:1,", set()),
        ("SF:\nDA:1,1\nend_of_record\nDA:2,1\nSF:a.py\nDA:3,1\n", {3}),
    ],
    ids=["windows", "no counts", "odd numbers", "cut", "no file"],
)
def test_lcov_of_many_tools(lines: str, ran: set[int]) -> None:
    assert read_lcov(lines).tests == {"": {"a.py": ran}}


def test_many_tests_are_told_apart_quickly() -> None:
    names = [f"tests/test_m{n}.py::TestX::test_{n}" for n in range(20_000)]
    start = time.perf_counter()
    _, failed, passed = spectrum_of(
        Coverage({name: {"a": [1]} for name in names}), [f"tests.test_m{n}.TestX.test_{n}" for n in range(2_000)]
    )
    assert (failed, passed) == (2_000, 18_000)
    assert time.perf_counter() - start < 10  # each with each would be minutes


def test_ochiai_by_hand() -> None:
    coverage = Coverage({"t1": {"a": [1, 2]}, "t2": {"a": [2, 3]}, "t3": {"a": [2]}, "t4": {"b": [9]}})
    spectrum, failed, passed = spectrum_of(coverage, ["t1", "t2"])
    assert (failed, passed) == (2, 2)
    assert spectrum == {
        "a": {1: LineRuns(1, 0), 2: LineRuns(2, 1), 3: LineRuns(1, 0)},
        "b": {9: LineRuns(0, 1)},
    }
    values = [round(spectrum["a"][line].ochiai(failed), 4) for line in (1, 2, 3)]
    assert values == [0.7071, 0.8165, 0.7071]  # 1/sqrt(2*1), 2/sqrt(2*3), 1/sqrt(2*1)


@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 20))
def test_ochiai_is_a_share(failing: int, passing: int, failed: int) -> None:
    value = LineRuns(failing, passing).ochiai(failed)
    assert 0 <= value <= 1
    assert (value > 0) == (0 < failing <= failed)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("tests/test_a.py::TestB::test_c", "tests.test_a.TestB.test_c", True),
        ("tests/test_a.py::test_c[1]", "test_a.test_c", True),
        ("tests/test_a.py::test_c[1]", "tests.test_a.test_c[1]", True),
        ("tests/test_a.py::test_c[1]", "tests.test_a.test_c[2]", False),
        ("com.shop.BasketTest#total", "com.shop.BasketTest.total", True),
        ("test_c", "tests/test_a.py::test_c", False),
        ("test_c", "test_c", True),
        ("", "test_c", False),
        ("tests/test_a.py::test_cc", "tests.test_a.test_c", False),
    ],
)
def test_ids_of_different_runners(one: str, other: str, same: bool) -> None:
    assert same_test(one, other) is same
    assert same_test(other, one) is same


def test_coverage_that_knows_no_failing_test_says_so(tmp_path: Path) -> None:
    (tmp_path / "x.info").write_text("TN:passes\nSF:a.py\nDA:1,1\nend_of_record\n")
    found = gather([FailingCase("tests/test_a.py::test_b")], [str(tmp_path / "x.info")])
    assert (found.failed, found.passed) == (0, 1)
    assert "knows none of the failing tests" in found.problems[0]


def test_coverage_pys_own_file(tmp_path: Path) -> None:
    (tmp_path / "calc.py").write_text("def good():\n    return 1\n\n\ndef bad():\n    return 2\n")
    (tmp_path / "run.py").write_text(
        "import coverage\ncov = coverage.Coverage(data_file='data.cov', config_file=False)\ncov.start()\nimport calc\n"
        "for name, work in (('test_good', calc.good), ('test_bad', calc.bad)):\n"
        "    cov.switch_context(f'test_calc.py::{name}|run')\n    work()\ncov.stop()\ncov.save()\n"
    )
    subprocess.run([sys.executable, "run.py"], cwd=tmp_path, check=True, capture_output=True)
    found = read_coverage(str(tmp_path / "data.cov"))
    assert set(found.tests) == {"test_calc.py::test_good", "test_calc.py::test_bad"}
    assert found.tests["test_calc.py::test_bad"][str(tmp_path / "calc.py")] == {6}


def test_coverage_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_coverage(str(tmp_path / "nothing"))
    (tmp_path / "broken").write_bytes(b"SQLite format 3\0" + b"x" * 200)
    with pytest.raises(UsageError, match="cannot be read"):
        read_coverage(str(tmp_path / "broken"))


@pytest.fixture
def data_file(tmp_path: Path) -> Path:
    """Coverage of two tests, as coverage.py writes it."""
    path = tmp_path / "data.cov"
    data = CoverageData(basename=str(path))
    for name, lines in (("a", {1, 2}), ("b", {2})):
        data.set_context(f"t.py::test_{name}|run")
        data.add_lines({"/ci/src/a.py": lines})
    data.close(force=True)
    return path


def changed(path: Path, *statements: str) -> Path:
    with contextlib.closing(sqlite3.connect(path)) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()
    return path


@pytest.mark.parametrize(
    "statements",
    [
        ["CREATE TABLE users (name)"],
        ["CREATE TABLE file (path)", "CREATE TABLE coverage_schema (version)"],
        ["CREATE VIEW file AS SELECT 1"],
        ["PRAGMA user_version = 7", "CREATE TABLE t (a)"],
    ],
    ids=["other", "alike", "view", "version"],
)
def test_a_database_of_somebody_else_is_not_touched(tmp_path: Path, statements: list[str]) -> None:
    path = changed(tmp_path / "app.db", *statements)
    before = path.read_bytes()
    with pytest.raises(UsageError, match=r"not coverage.py's|cannot be read"):
        read_coverage(str(path))
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["app.db"]


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE line_bits SET numbits = 'text'", "not coverage.py's"),
        ("UPDATE line_bits SET numbits = NULL", "not coverage.py's"),
        ("UPDATE file SET path = x'ff'", "not coverage.py's"),
        ("UPDATE context SET context = CAST('c' || id AS BLOB)", "not coverage.py's"),
        ("INSERT INTO arc VALUES (1, 1, 'a', 2)", "not coverage.py's"),
        ("DROP TABLE arc", "not coverage.py's"),
        ("CREATE TRIGGER t AFTER INSERT ON file BEGIN SELECT 1; END", "not coverage.py's"),
        ("CREATE VIEW v AS SELECT 1", "not coverage.py's"),
        ("UPDATE coverage_schema SET version = 99", "cannot be read"),
        ("UPDATE line_bits SET numbits = zeroblob(5000000)", "more than 30,000,000 lines"),
    ],
)
def test_coverage_that_was_tampered_with(data_file: Path, statement: str, words: str) -> None:
    assert read_coverage(str(data_file)).tests == {
        "t.py::test_a": {"/ci/src/a.py": {1, 2}}, "t.py::test_b": {"/ci/src/a.py": {2}},
    }  # fmt: skip
    with pytest.raises(UsageError, match=words):
        read_coverage(str(changed(data_file, statement)))


def test_coverage_with_damaged_bytes_is_read_or_refused(data_file: Path, tmp_path: Path) -> None:
    whole = data_file.read_bytes()
    for start in range(0, len(whole), 1499):
        damaged = tmp_path / "damaged.cov"
        damaged.write_bytes(whole[:start] + bytes((start * 7 + n * 31) % 256 for n in range(40)) + whole[start + 40 :])
        with contextlib.suppress(UsageError):
            read_coverage(str(damaged))
        damaged.write_bytes(whole[:start])
        with contextlib.suppress(UsageError):
            read_coverage(str(damaged))


LOG = """2024-05-01T10:00:00.1234567Z ##[group]Run pytest
2024-05-01T10:00:01.1234567Z \x1b[1m============ test session starts ============\x1b[0m
2024-05-01T10:00:01.2234567Z collected 2 items
2024-05-01T10:00:02.1234567Z tests/test_basket.py F.
2024-05-01T10:00:02.1234567Z ============ FAILURES ============
2024-05-01T10:00:02.1234567Z     def test_total():
2024-05-01T10:00:02.1234567Z >       assert Basket().total_price(discount=10) == 0.9
2024-05-01T10:00:02.1234567Z tests/test_basket.py:7:
2024-05-01T10:00:02.1234567Z shop/basket.py:11: in total_price
2024-05-01T10:00:02.1234567Z E   ValueError: discount 10 is above one
2024-05-01T10:00:02.1234567Z ============ short test summary info ============
2024-05-01T10:00:02.1234567Z \x1b[31mFAILED\x1b[0m tests/test_basket.py::test_total - ValueError: discount 10
2024-05-01T10:00:02.1234567Z ##[error]Process completed with exit code 1.
"""


def test_a_ci_log() -> None:
    issue = issue_from_log(LOG)
    assert issue.title == "ValueError: discount 10 is above one"
    assert "assert Basket().total_price(discount=10) == 0.9" in issue.body
    assert "2024-05" not in issue.body
    assert "\x1b" not in issue.body
    assert cases_in_log(LOG) == (
        FailingCase("tests/test_basket.py::test_total", "tests/test_basket.py", "ValueError: discount 10"),
    )


def test_a_long_log_keeps_what_tells() -> None:
    noise = "".join(f"Downloading package {n}\n" for n in range(5000))
    issue = issue_from_log(f"{noise}{LOG}{noise}")
    assert issue.title == "ValueError: discount 10 is above one"
    assert "def test_total" in issue.body
    assert len(issue.body.splitlines()) < 200


def test_logs_without_a_failure_and_without_anything() -> None:
    assert issue_from_log("all is well\n0 errors\n").title == "0 errors"
    assert issue_from_log("").text == ""


@given(st.text(alphabet="\x1b[]m;0123ABC\r\n\t EFAILD:-.::/é", max_size=300))
def test_any_log_is_read(log: str) -> None:
    issue_from_log(log)
    assert all("\r" not in line for line in cleaned(log))


@pytest.mark.parametrize("piece", ["\x1b[", "\x1b]", "::error ", "E   a.", "A" * 50 + ".", "FAILED a::", "2024-01-01 "])
def test_a_hostile_log_takes_linear_time(piece: str) -> None:
    start = time.process_time()
    issue_from_log(piece * (400_000 // len(piece)))
    assert time.process_time() - start < 3


RUN = """============ FAILURES ============
src/app/a.py:12: in f
    raise ValueError("boom")
E   ValueError: boom
=========== short test summary info ============
FAILED tests/test_a.py::test_x - ValueError: boom
1 failed in 0.10s"""
WRITERS = {
    "raw": "{}\n",
    "GitHub, downloaded": "2024-05-01T10:00:00.1234567Z {}\n",
    "gh run view --log": "build (3.11)\tRun tests\t2024-05-01T10:00:00.1234567Z {}\n",
    "gh, first line of a step": "build\tUNKNOWN STEP\t\ufeff2024-05-01T10:00:00.1234567Z {}\n",
    "GitLab": "2024-05-01T10:00:00.123456Z 01O {}\n",
    "Docker Compose": "web-1  | {}\n",
    "Jenkins": "[2024-05-01T10:00:00.123Z] {}\n",
    "Jenkins, times": "10:00:00  {}\n",
    "Buildkite": "\x1b_bk;t=1714557600123\x07{}\r\n",
    "colours": "\x1b[38:5:1m{}\x1b(B\x1b[m\n",
    "eight-bit control": "\x9b31m{}\x9b0m\n",
}


@pytest.mark.parametrize("form", WRITERS.values(), ids=WRITERS)
def test_whoever_wrote_the_log_the_failure_is_found(form: str) -> None:
    log = "".join(form.format(line) for line in [*(f"step {n} ok" for n in range(100)), *RUN.split("\n")])
    assert cleaned(log)[100:107] == RUN.split("\n")
    assert issue_from_log(log).title == "ValueError: boom"
    assert cases_in_log(log) == (FailingCase("tests/test_a.py::test_x", "tests/test_a.py", "ValueError: boom"),)


@pytest.mark.parametrize("line", ["a | b", "x\ty\tz", "12O 10", "Expected | Actual", "10:00 is not a clock"])
def test_text_that_only_looks_like_a_prefix_stays(line: str) -> None:
    assert cleaned(line) == [line]
