"""``sherloc report``: from an issue or a kept report, to a file or stdout."""

from __future__ import annotations

import copy
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click.testing
import pytest

Run = Callable[..., click.testing.Result]
Launch = Callable[..., "subprocess.CompletedProcess[bytes]"]


def test_a_page_from_an_issue(run: Run, repo: Path, issue: Path, tmp_path: Path) -> None:
    done = run("report", issue, "--repo", repo, "-o", tmp_path / "r.html")
    assert done.exit_code == 0, done.output
    assert done.stdout == ""
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "I expect `Basket.total_price(discount=10)`" in page
    assert sorted(path.name for path in tmp_path.glob("r.html*")) == ["r.html"]


def test_a_kept_report_is_not_made_anew(run: Run, repo: Path, issue: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    kept.write_text(run("locate", issue, "--repo", repo, "--json").stdout, encoding="utf-8")
    for form in ("sarif", "comment", "json", "markdown"):
        fresh = run("locate", issue, "--repo", repo, "--format", form).stdout
        done = run("report", kept, "--repo", tmp_path / "gone", "--format", form)
        assert done.exit_code == 0, done.output
        if form != "json":
            assert done.stdout == fresh
    page = run("report", kept, "--issue", issue).stdout
    assert "I expect `Basket.total_price(discount=10)`" in page


def test_a_report_of_another_version_is_refused_in_words(run: Run, tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    kept.write_text('{"ranked_files": [], "brief": {}, "new": 1}')
    done = run("report", kept)
    assert done.exit_code == 2
    assert "is no report that this version can read" in done.stderr


def test_a_report_on_stdin_is_told_what_to_do_instead(launch: Launch) -> None:
    done = launch("report", "-", data=b'{"ranked_files": [], "brief": {}}')
    assert done.returncode == 2
    assert b"name the file that holds it (stdin is read for an issue only)" in done.stderr


@pytest.mark.parametrize("output", ["nowhere/r.html", "."])
def test_a_file_that_cannot_be_written(run: Run, repo: Path, issue: Path, tmp_path: Path, output: str) -> None:
    done = run("report", issue, "--repo", repo, "--format", "dot", "-o", tmp_path / output)
    assert done.exit_code == 2
    assert "cannot be written" in done.stderr
    assert not list(tmp_path.glob("**/*.tmp"))


def test_devices_are_written_to(run: Run, repo: Path, issue: Path) -> None:
    assert run("report", issue, "--repo", repo, "--format", "dot", "-o", "/dev/null").exit_code == 0


@pytest.mark.parametrize("form", ["html", "sarif", "comment", "mermaid", "graphml", "dot", "json"])
@pytest.mark.parametrize("fault", ["edge", "order", "nodes", "diagnoses", "community"])
def test_a_report_whose_parts_do_not_fit_together_is_refused_in_words(
    run: Run, kept_report: dict[str, Any], tmp_path: Path, fault: str, form: str
) -> None:
    evidence = kept_report["evidence"]
    if fault == "edge":
        evidence["edges"][0]["second"] = 9999
    elif fault == "order":
        evidence["edges"][0]["first"] = evidence["edges"][0]["second"]
    elif fault == "community":
        evidence["nodes"][0]["community"] = 10**9
    else:
        (evidence if fault == "nodes" else kept_report)[fault].pop()
    kept = tmp_path / "kept.json"
    kept.write_text(json.dumps(kept_report))
    done = run("report", kept, "--format", form)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "do not fit together" in done.stderr


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    return {}


@pytest.fixture
def kept_report(run: Run, repo: Path, issue: Path, made: dict[str, Any]) -> dict[str, Any]:
    if not made:
        made.update(json.loads(run("locate", issue, "--repo", repo, "--json").stdout))
    return copy.deepcopy(made)
