"""Issues as files, pipes and tickets: too long, endless, deep, and in odd encodings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sherloc.errors import EmptyIssueError, UsageError
from sherloc.issue_files import read_issue
from sherloc.schema.report import Report

Launch = Callable[..., "subprocess.CompletedProcess[bytes]"]
LOG = "2024-01-01 12:00:00 INFO warehouse counted the shelf again\n"


def located(done: subprocess.CompletedProcess[bytes]) -> Report:
    assert done.returncode == 0, done.stderr
    return Report.model_validate_json(done.stdout)


def cut(report: Report) -> list[int]:
    return [each.count for each in report.diagnostics if each.code == "issue_cut"]


def test_two_hundred_kilobytes_count_in_full(launch: Launch, repo: Path, tmp_path: Path) -> None:
    lines = LOG * (100_000 // len(LOG))
    (tmp_path / "long.md").write_text(f"It fails\n\n```\n{lines}```\nin `total_price`\n\n```\n{lines}```\n")
    report = located(launch("locate", tmp_path / "long.md", "--repo", repo, "--json"))
    assert report.ranked_files[0].path == "shop/basket.py"
    assert cut(report) == []


def test_of_megabytes_begin_and_end_count(launch: Launch, repo: Path, tmp_path: Path) -> None:
    lines = LOG * (3_000_000 // len(LOG))
    for place in (f"`total_price`\n\n{lines}", f"{lines}\n`total_price` is wrong"):
        (tmp_path / "huge.md").write_text(f"It fails\n\n{place}\n")
        done = launch("locate", tmp_path / "huge.md", "--repo", repo, "--json")
        report = located(done)
        assert report.ranked_files[0].path == "shop/basket.py"
        assert cut(report) and 2_500_000 < cut(report)[0] < 2_700_000
        assert done.stderr.startswith(b"warning: The issue is very long: at least 2,6")


def test_the_limit_is_a_setting(launch: Launch, repo: Path, tmp_path: Path) -> None:
    (tmp_path / "long.md").write_text("It fails in total_price\n\n" + LOG * 200)
    report = located(
        launch("locate", tmp_path / "long.md", "--repo", repo, "--json", "--set", "issue.max_characters=2000")
    )
    assert cut(report)[0] > 9_000
    strict = launch("locate", tmp_path / "long.md", "--repo", repo, "--set", "issue.max_characters=2000", "--strict")
    assert strict.returncode == 7


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
@pytest.mark.parametrize("how", ["name", "stdin"])
def test_a_device_without_end_ends(repo: Path, how: str) -> None:
    start = time.monotonic()
    with open("/dev/zero", "rb") as zero:
        done = subprocess.run(
            [sys.executable, "-m", "sherloc", "locate", "/dev/zero" if how == "name" else "-", "--json"], stdin=zero,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}, cwd=repo, capture_output=True,
            check=False, timeout=120,
        )  # fmt: skip
    assert time.monotonic() - start < 60
    assert cut(located(done))


def test_a_pipe_without_end_ends(launch: Launch, repo: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("needs a shell")
    command = f'yes "total_price is wrong" | {sys.executable} -m sherloc locate - --json'
    done = subprocess.run(
        ["sh", "-c", command], cwd=repo, capture_output=True, check=False, timeout=120,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    report = located(done)
    assert report.ranked_files[0].path == "shop/basket.py"
    assert cut(report)[0] > 7_000_000


TICKETS: dict[str, tuple[Any, str]] = {
    "arrays": ("[" * 100_000, "nested too deeply"),
    "closed arrays": ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
    "objects": ('{"title":' * 100_000, "nested too deeply"),
    "not JSON": ("title", "not valid JSON"),
    "a list": ('[{"title": "x"}]', "is no ticket"),
    "another object": ('{"name": "x"}', "is no ticket"),
    "too large": ('{"title": "' + "a" * 8_000_001 + '"}', "larger than 8,000,000 bytes"),
}


@pytest.mark.parametrize("kind", TICKETS)
def test_tickets_that_are_none(tmp_path: Path, kind: str) -> None:
    text, words = TICKETS[kind]
    (tmp_path / "ticket.json").write_text(text)
    with pytest.raises(UsageError, match=words):
        read_issue(str(tmp_path / "ticket.json"))


@pytest.mark.parametrize("text", ["{" * 100_000, '{"title":' * 100_000, '{"a": 1}', "{not json"])
def test_text_that_looks_like_a_ticket_is_text(tmp_path: Path, text: str) -> None:
    (tmp_path / "issue.md").write_text(text)
    assert read_issue(str(tmp_path / "issue.md")).title == text


@pytest.mark.parametrize("number", ["1" * 10_000, "1e999", "-Infinity", "NaN", "0.1"])
def test_numbers_in_a_ticket_are_left_alone(tmp_path: Path, number: str) -> None:
    (tmp_path / "ticket.json").write_text(f'{{"number": {number}, "title": "x", "body": {number}}}')
    issue = read_issue(str(tmp_path / "ticket.json"))
    assert (issue.title, issue.body) == ("x", "")


def test_half_characters_in_a_ticket_are_written_out(tmp_path: Path) -> None:
    (tmp_path / "ticket.json").write_text('{"title": "\\ud83d\\ude00 \\ud800", "comments": ["\\udc80"]}')
    issue = read_issue(str(tmp_path / "ticket.json"))
    assert (issue.title, issue.comments) == ("\U0001f600 \\ud800", ("\\x80",))


@pytest.mark.parametrize("unit", ["a", "é", "大", "\U0001f600"])
def test_a_long_line_is_cut_between_characters(tmp_path: Path, unit: str) -> None:
    for shift in range(4):
        text = "x" * shift + unit * (9_000_000 // len(unit.encode()))
        (tmp_path / "issue.md").write_text(text, encoding="utf-8")
        issue = read_issue(str(tmp_path / "issue.md"))
        assert issue.omitted == 1
        assert text.startswith(issue.title)
        assert len(issue.title.encode()) > 7_999_990


def test_what_a_text_in_quotes_is(tmp_path: Path) -> None:
    assert read_issue("two words").title == "two words"
    assert read_issue("caf\udce9 \udcff").title == "caf\xe9 \xff"
    with pytest.raises(UsageError, match="cannot be read"):
        read_issue("oneword")
    for empty in ("", "\n"):
        (tmp_path / "empty.md").write_text(empty)
        with pytest.raises(EmptyIssueError):
            read_issue(str(tmp_path / "empty.md"))
    with pytest.raises(UsageError, match="cannot be read"):
        read_issue(str(tmp_path))
    assert json.dumps(read_issue("a b").model_dump())


@pytest.mark.parametrize("name", ["kept.json", "kept.txt"])
def test_a_report_is_no_issue(launch: Launch, repo: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "issue.md").write_text("`total_price` is wrong\n")
    (tmp_path / name).write_bytes(launch("locate", tmp_path / "issue.md", "--repo", repo, "--json").stdout)
    done = launch("brief", tmp_path / name, "--repo", repo)
    assert done.returncode == 2 and b"is a report" in done.stderr and b"sherloc report" in done.stderr
    assert launch("report", tmp_path / name, "--format", "prompt").returncode == 0
