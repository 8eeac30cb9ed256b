"""Failing tests change what is found, and the report says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click.testing
import pytest

from sherloc import locate
from sherloc.cli import root
from sherloc.errors import UsageError
from sherloc.failures import gather
from sherloc.failures.case_code import code_of_tests, file_of
from sherloc.repository import open_tree
from sherloc.schema.failures import FailingCase, FailureEvidence, LineRuns

Make = Callable[..., Path]
PLAIN = {"vectors": {"embedder": "none"}, "retrieval": {"channels": ("lexical", "structural", "graph")}}
FILES = {
    "shop/basket.py": (
        "class Basket:\n    def total(self, rate):\n        return self.net * rate\n\n"
        "    def clear(self):\n        self.net = 0\n"
    ),
    "shop/taxes.py": "def vat_of(country):\n    table = {'x': 1}\n    return table[country]\n",
    "shop/other.py": "def unrelated(country):\n    return country\n",
    "tests/test_basket.py": (
        "import pytest\nfrom shop.taxes import vat_of\n\n\nclass TestBasket:\n    def test_price(self):\n"
        "        assert vat_of('y') == 2\n\n    def test_other(self):\n        assert True\n"
    ),
    "src/test/java/com/shop/BasketTest.java": "class BasketTest {\n  void total() { new Basket().total(); }\n}\n",
}
TEST = FailingCase("tests/test_basket.py::TestBasket::test_price", "tests/test_basket.py", "KeyError: 'y'")


def test_a_failing_test_alone_leads_to_what_it_uses(make_repository: Make) -> None:
    report = locate("", make_repository(FILES), failures=gather([TEST]), settings=PLAIN)
    assert report.ranked_files[0].path == "shop/taxes.py"
    assert "vat_of" in report.reading.names
    assert report.brief.issue_summary.startswith("tests/test_basket.py::TestBasket::test_price")


def test_the_tests_code_is_taken_without_its_neighbours(make_repository: Make) -> None:
    tree = open_tree(str(make_repository(FILES)), None)
    (block,) = code_of_tests((TEST,), tree)
    assert "from shop.taxes import vat_of" in block
    assert "vat_of('y') == 2" in block
    assert "test_other" not in block


@pytest.mark.parametrize(
    ("case", "path"),
    [
        (FailingCase("tests.test_basket.TestBasket.test_price"), "tests/test_basket.py"),
        (FailingCase("test_basket.py::TestBasket::test_price[1]"), "tests/test_basket.py"),
        (FailingCase("x", "/home/ci/work/repo/tests/test_basket.py"), "tests/test_basket.py"),
        (FailingCase("com.shop.BasketTest.total"), "src/test/java/com/shop/BasketTest.java"),
        (FailingCase("com.shop.BasketTest#total"), "src/test/java/com/shop/BasketTest.java"),
        (FailingCase("nothing.like_it"), None),
        (FailingCase(""), None),
        (FailingCase("../../etc/passwd::x", "../../etc/passwd"), None),
    ],
)
def test_the_file_of_a_test(make_repository: Make, case: FailingCase, path: str | None) -> None:
    entry = file_of(case, open_tree(str(make_repository(FILES)), None))
    assert (entry.path if entry else None) == path


def test_lines_that_only_failing_tests_run_join_the_evidence(make_repository: Make) -> None:
    runs = {
        "/ci/shop/basket.py": {2: LineRuns(1, 9), 3: LineRuns(1, 9), 5: LineRuns(0, 3)},
        "/ci/shop/taxes.py": {2: LineRuns(1, 0), 3: LineRuns(1, 0)},
    }
    issue = "The price is wrong\n\nThe `Basket.total` of the basket is wrong, and so is the price."
    repo = make_repository(FILES)
    plain = locate(issue, repo, settings=PLAIN)
    assert plain.ranked_functions[0].qualified_name == "Basket.total"
    report = locate(issue, repo, settings=PLAIN, failures=FailureEvidence(spectrum=runs, failed=1, passed=9))
    found = next(each for each in report.ranked_functions if each.qualified_name == "vat_of")
    (signal,) = [each for each in found.signals if each.kind == "spectrum"]
    assert (signal.channel, signal.score, signal.line) == ("tests", 1.0, 2)
    assert signal.detail == "1 of 1 failing and 0 of 9 passing tests"
    names = [each.qualified_name for each in report.ranked_functions]
    before = [each.qualified_name for each in plain.ranked_functions]
    assert "vat_of" not in before or names.index("vat_of") < before.index("vat_of")
    diagnosis = next(each for each in report.diagnoses if each.qualified_name == "vat_of")
    assert "Tests that fail run it: 1 of 1 failing and 0 of 9 passing tests." in diagnosis.evidence


def test_without_failures_nothing_changes(make_repository: Make) -> None:
    repo = make_repository(FILES)
    issue = "The price is wrong\n\n`Basket.total` gives nothing."
    with_none = locate(issue, repo, settings=PLAIN, failures=FailureEvidence())
    assert with_none.model_copy(update={"run": None}) == locate(issue, repo, settings=PLAIN).model_copy(
        update={"run": None}
    )


def test_arguments_of_a_wrong_kind(make_repository: Make) -> None:
    repo = make_repository(FILES)
    with pytest.raises(UsageError, match="FailureEvidence"):
        locate("x y", repo, failures=["test_a"])  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no text"):
        locate("", repo, failures=FailureEvidence())


def run(*arguments: object, **options: object) -> click.testing.Result:
    return click.testing.CliRunner().invoke(root, [str(each) for each in arguments], **options)  # type: ignore[arg-type]


SETTINGS = ("--set", "vectors.embedder=none")


def test_the_command_line(make_repository: Make, tmp_path: Path) -> None:
    repo = make_repository(FILES)
    done = run("locate", "--failing-test", TEST.id, "--repo", repo, "--format", "markdown", *SETTINGS)
    assert done.exit_code == 0, done.output
    assert "`shop/taxes.py`" in done.stdout
    log = tmp_path / "run.log"
    log.write_text("Traceback (most recent call last):\n  File \"shop/taxes.py\", line 3, in vat_of\nKeyError: 'y'\n")
    done = run("locate", "--log", log, "--repo", repo, "--format", "markdown", *SETTINGS)
    assert "### 1. `shop/taxes.py" in done.stdout
    done = run("locate", "--log", "-", "--repo", repo, "--json", *SETTINGS, input=log.read_bytes())
    assert '"shop/taxes.py"' in done.stdout
    case = '<testcase classname="tests.test_basket.TestBasket" name="test_price"><failure message="KeyError: y"/>'
    (tmp_path / "junit.xml").write_text(f"<testsuite>{case}</testcase></testsuite>")
    done = run("brief", "--junit", tmp_path / "junit.xml", "--repo", repo, "--format", "markdown", *SETTINGS)
    assert "shop/taxes.py" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "There is nothing to locate"),
        (("x y", "--log", "a"), "stands in for ISSUE"),
        (("--log", "nothing.log"), "cannot be read"),
        (("--junit", "nothing.xml"), "cannot be read"),
        (("x y", "--coverage", "nothing.cov"), "cannot be read"),
    ],
)
def test_wrong_usage_is_told(make_repository: Make, arguments: tuple[str, ...], words: str) -> None:
    done = run("locate", *arguments, "--repo", make_repository(FILES))
    assert done.exit_code == 2
    assert words in done.stderr


@pytest.mark.parametrize(
    ("cases", "told"),
    [
        (
            [FailingCase("nope::x"), FailingCase("neither\x1b::y")],
            "No file of the failing tests is in the repository (nope::x, neither\\x1b::y): "
            "only the words of the names count.",
        ),
        ([FailingCase("nope::x"), TEST], ""),
        ([FailingCase("nope::x", message="KeyError: 'y'")], ""),
        (
            [FailingCase("tests/test_basket.py::gone"), FailingCase("tests/test_basket.py::TestBasket::test_price")],
            "The failing tests are not defined in their files (tests/test_basket.py::gone): "
            "only the words of the names count.",
        ),
    ],
    ids=["nowhere", "one is there", "it says more than its name", "the file is there, one test is not"],
)
def test_tests_of_which_nothing_is_there_are_told(make_repository: Make, cases: list[FailingCase], told: str) -> None:
    report = locate("", make_repository(FILES), failures=gather(cases), settings=PLAIN)
    found = [each for each in report.diagnostics if each.code == "tests_not_found"]
    assert [each.message for each in found] == ([told] if told else [])
    nowhere = "The failing tests are in no file of the repository."
    assert (nowhere in report.confidence_reasons) == told.startswith("No file")
    assert report.confidence == "low" or not told.startswith("No file")
