"""``sherloc install``: a dry run shows, an install writes, an uninstall takes back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click.testing
import pytest

Run = Callable[..., click.testing.Result]


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    return folder


def test_without_a_host_it_tells_how(run: Run, repo: Path) -> None:
    done = run("install", "--repo", repo)
    assert done.exit_code == 0
    assert "claude mcp add sherloc -- sherloc mcp" in done.stdout
    assert "claude-desktop" in done.stdout
    assert not (repo / "AGENTS.md").exists()


def test_a_dry_run_changes_nothing(run: Run, repo: Path) -> None:
    done = run("install", "claude-code", "agents-md", "--repo", repo, "--dry-run")
    assert done.exit_code == 0
    assert "--- /dev/null\n" in done.stdout
    assert '+    "sherloc": {' in done.stdout
    assert not (repo / ".mcp.json").exists()
    assert not (repo / "AGENTS.md").exists()


def test_install_and_uninstall(run: Run, repo: Path) -> None:
    (repo / "AGENTS.md").write_text("# Rules\n")
    assert run("install", "cursor", "agents-md", "--repo", repo).exit_code == 0
    assert (repo / ".cursor/mcp.json").exists()
    assert "sherloc brief --format prompt" in (repo / "AGENTS.md").read_text()
    again = run("install", "cursor", "--repo", repo)
    assert "nothing to change" in again.stderr
    assert run("install", "cursor", "agents-md", "--repo", repo, "--uninstall").exit_code == 0
    assert not (repo / ".cursor/mcp.json").exists()
    assert (repo / "AGENTS.md").read_text() == "# Rules\n"


def test_of_several_hosts_all_are_checked_before_any_is_written(run: Run, repo: Path) -> None:
    (repo / ".vscode").mkdir()
    (repo / ".vscode/mcp.json").write_text("{ // comment\n}")
    done = run("install", "claude-code", "vscode", "--repo", repo)
    assert done.exit_code == 2
    assert "by hand" in done.stderr
    assert not (repo / ".mcp.json").exists()


def test_a_mistyped_host(run: Run, repo: Path) -> None:
    done = run("install", "claud-code", "--repo", repo)
    assert done.exit_code == 2
    assert "Did you mean claude-code?" in done.stderr
