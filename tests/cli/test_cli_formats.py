"""``locate`` and ``brief`` in every form that they know."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import click.testing
import pytest

Run = Callable[..., click.testing.Result]
STARTS = {
    "json": "{\n",
    "markdown": "# Where to change shop-project",
    "prompt": "sherloc searched the repository",
    "comment": "<!-- sherloc: diagnosis -->",
    "sarif": '{\n  "$schema"',
    "annotations": "::",
    "mermaid": "flowchart LR\n",
    "graphml": "<graphml ",
    "dot": "graph evidence {\n",
}


@pytest.mark.parametrize("form", STARTS)
def test_a_form(run: Run, repo: Path, issue: Path, form: str) -> None:
    done = run("locate", issue, "--repo", repo, "--format", form, "-q")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith(STARTS[form])
    assert "shop/basket.py" in done.stdout
    assert done.stdout.endswith("\n")
    assert not done.stdout.endswith("\n\n")


def test_the_same_input_gives_the_same_bytes(
    launch: Callable[..., subprocess.CompletedProcess[bytes]], repo: Path, issue: Path
) -> None:
    for form in ("sarif", "prompt", "graphml"):
        runs = [
            launch("locate", issue, "--repo", repo, "--format", form, env={"PYTHONHASHSEED": seed}).stdout
            for seed in ("0", "1")
        ]
        assert runs[0] == runs[1] != b""


def test_a_prompt_of_the_brief(run: Run, repo: Path, issue: Path) -> None:
    done = run("brief", issue, "--repo", repo, "--format", "prompt")
    assert done.stdout.startswith("sherloc searched")
    assert "<<<MATERIAL-" in done.stdout


def test_the_report_tells_its_reading_and_its_graph(run: Run, repo: Path, issue: Path) -> None:
    report = json.loads(run("locate", issue, "--repo", repo, "--json").stdout)
    assert "Basket.total_price" in report["reading"]["names"]
    assert len(report["evidence"]["nodes"]) == len(report["diagnoses"])
    assert {node["community"] for node in report["evidence"]["nodes"]} == set(
        range(len(report["evidence"]["communities"]))
    )
