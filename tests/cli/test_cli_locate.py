"""``sherloc locate`` in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sherloc.schema.report import Report

Run = Callable[..., Any]
Git = Callable[..., str]
Write = Callable[[Path, dict[str, str]], None]


def test_human_output_names_the_place_first(run: Run, repo: Path, issue: Path, git: Git) -> None:
    result = run("locate", issue, "--repo", repo)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith(f"shop-project @ {git(repo, 'rev-parse', 'HEAD')[:10]}")
    first = next(line for line in lines if line.startswith("▶ "))
    assert "shop/basket.py:" in first
    assert "Basket.total_price" in first
    assert "Files" in lines
    assert "Functions" in lines
    assert lines.index("Files") < lines.index("Functions")


def test_code_has_numbers_and_marks_on_the_suspect_lines(run: Run, repo: Path, issue: Path) -> None:
    result = run("locate", issue, "--repo", repo)
    report = Report.model_validate_json(run("locate", issue, "--repo", repo, "--json").stdout)
    target = report.change_sets[0].target_location
    code = (repo / report.change_sets[0].file_path).read_text().splitlines()
    assert target.start_line is not None
    assert f"▶ {target.start_line:>2}  {code[target.start_line - 1]}".rstrip() in result.stdout


def test_json_is_the_report_and_nothing_else(run: Run, repo: Path, issue: Path) -> None:
    result = run("locate", issue, "--repo", repo, "--json")
    report = Report.model_validate_json(result.stdout)
    assert report.ranked_files[0].path == "shop/basket.py"
    assert result.stdout.endswith("}\n")


def test_format_json_is_the_same(run: Run, repo: Path, issue: Path) -> None:
    assert Report.model_validate_json(run("locate", issue, "--repo", repo, "--format", "json").stdout)


def test_format_markdown(run: Run, repo: Path, issue: Path) -> None:
    text = run("locate", issue, "--repo", repo, "--format", "markdown").stdout
    assert text.startswith("# Where to change shop-project")
    assert "`shop/basket.py`" in text


def test_stdin(run: Run, repo: Path, issue: Path) -> None:
    report = Report.model_validate_json(run("locate", "-", "--repo", repo, "--json", input=issue.read_text()).stdout)
    assert report.brief.issue_summary.startswith("Basket.total_price is wrong")


def test_a_text_as_argument(run: Run, repo: Path) -> None:
    report = Report.model_validate_json(run("locate", "the discount of the basket", "--repo", repo, "--json").stdout)
    assert report.ranked_files[0].path == "shop/basket.py"


@pytest.mark.parametrize("keys", [("title", "body"), ("summary", "description")])
def test_a_json_ticket(run: Run, repo: Path, tmp_path: Path, keys: tuple[str, str]) -> None:
    ticket = tmp_path / "ticket.json"
    ticket.write_text(json.dumps({keys[0]: "Wrong total price", keys[1]: "The discount is odd.", "comments": 3}))
    report = Report.model_validate_json(run("locate", ticket, "--repo", repo, "--json").stdout)
    assert report.brief.issue_summary.startswith("Wrong total price")


def test_top_bounds_both_outputs(run: Run, repo: Path, issue: Path) -> None:
    report = Report.model_validate_json(run("locate", issue, "--repo", repo, "--json", "--top", 1).stdout)
    assert len(report.ranked_files) == len(report.ranked_functions) == 1
    text = run("locate", issue, "--repo", repo, "--top", 1).stdout
    assert "shop/mail.py" not in text.split("Functions")[0]


def test_scope(run: Run, repo: Path, issue: Path) -> None:
    found = run("locate", issue, "--repo", repo, "--json", "--scope", "shop/mail.py", "--scope", "docs/*")
    report = Report.model_validate_json(found.stdout)
    assert {file.path for file in report.ranked_files} <= {"shop/mail.py", "docs/basket.md"}


def test_include_tests(run: Run, repo: Path, issue: Path) -> None:
    def paths(*more: str) -> set[str]:
        report = Report.model_validate_json(run("locate", issue, "--repo", repo, "--json", *more).stdout)
        return {file.path for file in report.ranked_files}

    assert "tests/test_basket.py" not in paths()
    assert "tests/test_basket.py" in paths("--include-tests")
    assert "tests/test_basket.py" in paths("--set", "index.include_tests=true")


def test_revision(run: Run, repo: Path, issue: Path, git: Git, write: Write) -> None:
    first = git(repo, "rev-parse", "HEAD")
    write(repo, {"shop/basket.py": "def other():\n    return 1\n"})
    git(repo, "commit", "-qam", "two")
    report = Report.model_validate_json(run("locate", issue, "--repo", repo, "--rev", first, "--json").stdout)
    assert report.revision == first
    assert report.ranked_functions[0].qualified_name == "Basket.total_price"


def test_local_changes_are_told(run: Run, repo: Path, issue: Path, write: Write) -> None:
    write(repo, {"shop/new.py": "def fresh():\n    return 1\n"})
    assert "with local changes" in run("locate", issue, "--repo", repo).stdout.splitlines()[0]


def test_notes_only_with_verbose(run: Run, repo: Path, issue: Path) -> None:
    assert run("locate", issue, "--repo", repo).stderr == ""
    verbose = run("locate", issue, "--repo", repo, "-v")
    assert "note: 1 test files are not candidates" in verbose.stderr
    assert "files parsed" in verbose.stdout


def test_warnings_go_to_stderr_and_quiet_silences_them(run: Run, repo: Path, issue: Path, write: Write) -> None:
    write(repo, {"shop/big.py": f"X = '{'a' * 4000}'\n"})
    small = ("--set", "index.max_file_bytes=3000")
    loud = run("locate", issue, "--repo", repo, *small)
    assert "warning: 1 files are too large" in loud.stderr
    assert "too large" not in loud.stdout
    assert run("locate", issue, "--repo", repo, *small, "-q").stderr == ""


def test_strict_gives_the_report_and_exits_with_7(run: Run, repo: Path, issue: Path, write: Write) -> None:
    write(repo, {"shop/big.py": f"X = '{'a' * 4000}'\n"})
    result = run("locate", issue, "--repo", repo, "--json", "--strict", "--set", "index.max_file_bytes=3000")
    assert result.exit_code == 7
    assert Report.model_validate_json(result.stdout).diagnostics
    assert "error: strict: 1 warnings or errors: skipped_too_large" in result.stderr
    assert run("locate", issue, "--repo", repo, "--json", "--strict").exit_code == 0


def test_nothing_found(run: Run, repo: Path) -> None:
    result = run("locate", "zyzzyva quokka", "--repo", repo)
    assert result.exit_code == 0
    assert "Low confidence" in result.stdout
    assert "No file shares a telling word" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("locate", "missing.md"), 2, "error: The issue 'missing.md' cannot be read: No such file"),
        (("locate", "one word", "--set", "index.exclud=a"), 2, "Did you mean index.exclude"),
        (("locate", "one word", "--set", "nonsense"), 2, "not of the form section.key=value"),
        (("locate", "one word", "--set", "retrieval.k1=-3"), 2, "error: Setting 'retrieval.k1'"),
        (("locate", "one word", "--rev", "nowhere"), 3, "hint:"),
        (("locate", "one word", "--repo", "/does/not/exist"), 3, "error: The repository /does/not/exist"),
        (("locate", "-"), 2, "error: The issue is empty: stdin."),
        (("locate",), 2, "There is nothing to locate"),
        (("locte",), 2, "Did you mean locate"),
        (("qqqqqq",), 2, "See: sherloc --help"),
        (("locate", "one word", "--jsn"), 2, "--json"),
    ],
)
def test_wrong_use(
    run: Run, repo: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], code: int, words: str
) -> None:
    monkeypatch.chdir(repo)
    result = run(*arguments)
    assert result.exit_code == code
    assert words in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.stderr


def test_brief_is_the_reports_brief(run: Run, repo: Path, issue: Path) -> None:
    report = Report.model_validate_json(run("locate", issue, "--repo", repo, "--json").stdout)
    assert json.loads(run("brief", issue, "--repo", repo).stdout) == report.brief.model_dump(mode="json")


def test_brief_markdown(run: Run, repo: Path, issue: Path) -> None:
    text = run("brief", issue, "--repo", repo, "--format", "markdown").stdout
    assert text.startswith("# Surgery brief")
    assert "```python" in text


def test_exit_codes_are_documented(run: Run) -> None:
    text = run("--help").stdout
    assert "Exit codes:" in text
    for code in (0, 1, 2, 3, 4, 5, 6, 7, 130):
        assert f"\n    {code} " in text


def test_every_command_has_help(run: Run) -> None:
    for name in ("locate", "brief", "explain", "index", "schema", "doctor"):
        result = run(name, "--help")
        assert result.exit_code == 0
        assert result.stdout.startswith(f"Usage: sherloc {name}")
