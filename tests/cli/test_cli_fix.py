"""``sherloc fix``: a dry run by default, words for every outcome, exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click.testing
import pytest

Run = Callable[..., click.testing.Result]
GENERATOR = "command:sed -i 's|total [*] discount|total * discount / 100|' shop/basket.py"
OFF = ("--set", "vectors.embedder=none")


@pytest.fixture
def tree(repo: Path, git_tools: Any) -> Callable[[], str]:
    return lambda: str(git_tools.run_git(repo, "status", "--porcelain") + git_tools.run_git(repo, "branch", "--list"))


def test_a_dry_run_shows_what_it_did_and_where(
    run: Run, repo: Path, issue: Path, tmp_path: Path, tree: Callable[[], str]
) -> None:
    before = tree()
    done = run("fix", issue, "--repo", repo, "--generator", GENERATOR, "--out", tmp_path / "out", *OFF)
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert (
        lines[0] == "A patch is proposed; nothing was changed (--apply makes the branch, --push opens a pull request)."
    )
    assert f"candidate 0 (chosen) by {GENERATOR}, 1 attempt" in lines
    assert "  +1 -1 in shop/basket.py" in lines
    assert f"written to {tmp_path / 'out'}" in done.stderr
    diff = (tmp_path / "out" / "changes.diff").read_text()
    assert "\n+        return total - total * discount / 100\n" in diff
    assert tree() == before


def test_json_is_the_report(run: Run, repo: Path, issue: Path) -> None:
    done = run("fix", issue, "--repo", repo, "--generator", GENERATOR, "--json", "--tests", "true", *OFF)
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert (report["outcome"], report["schema_version"]) == ("proposed", "1.0")
    assert report["produced_patches"][0]["tests"]["passed"] is True


def test_no_good_patch_is_exit_code_11_with_the_reasons(run: Run, repo: Path, issue: Path) -> None:
    done = run("fix", issue, "--repo", repo, "--generator", "command:echo nothing", *OFF)
    assert done.exit_code == 11
    assert "No patch was good enough." in done.stdout
    assert "refused: " in done.stdout


def test_apply_makes_a_branch(run: Run, repo: Path, issue: Path, git_tools: Any) -> None:
    done = run("fix", issue, "--repo", repo, "--generator", GENERATOR, "--apply", *OFF)
    assert done.exit_code == 0, done.output
    branches = git_tools.run_git(repo, "for-each-ref", "--format=%(refname:short)", "refs/heads").split()
    assert [name for name in branches if name.startswith("sherloc/")]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("missing.md", "--generator", GENERATOR), 2, "cannot be read"),
        (("a text", "--generator", "modle"), 2, "Did you mean model?"),
        (("a text",), 2, "Name one: --model provider:model"),
        (("a text", "--generator", GENERATOR, "--push"), 2, "forge.project"),
        (("a text", "--generator", "command:no-such-program-here"), 11, "no-such-program-here"),
        (("a text", "--generator", GENERATOR, "--rev", "nowhere"), 3, "nowhere"),
        (("owner/repo#0", "--generator", GENERATOR), 2, "cannot be read"),
    ],
)
def test_what_cannot_be_done_is_said(run: Run, repo: Path, arguments: tuple[str, ...], code: int, words: str) -> None:
    done = run("fix", *arguments, "--repo", repo, *OFF)
    assert done.exit_code == code, done.output
    assert words in done.stderr
