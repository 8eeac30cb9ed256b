"""What runners write: JUnit, coverage, logs. Exact values by hand; strangers' files are refused in words."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
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


def test_lcov() -> None:
    one = "TN:one\nSF:a.py\nDA:1,1\nDA:2,0\nDA:3,5,hash\nend_of_record\n"
    text = f"{one}TN:two\nSF:a.py\nDA:3,1\nDA:x,1\nDA:4,-1\nend_of_record\n"
    assert read_lcov(text).tests == {"one": {"a.py": {1, 3}}, "two": {"a.py": {3}}}
    with pytest.raises(UsageError, match="neither"):
        read_lcov("hello")


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
