"""Real repositories, made by the real git, with nothing from the machine's own configuration."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sherloc.repository import Tree

GitRunner = Callable[..., str]


@pytest.fixture(autouse=True)
def _clean_environment(without_git_configuration: None) -> None:
    pass


@pytest.fixture
def git(git_tools: Any) -> GitRunner:
    """Runs git in a folder and returns its output."""

    def run(folder: Path, *arguments: str, check: bool = True, data: bytes = b"") -> str:
        done = subprocess.run(
            ["git", "-c", "protocol.file.allow=always", *arguments],
            cwd=folder,
            env=git_tools.environment(),
            input=data,
            capture_output=True,
            check=False,
        )
        assert not check or done.returncode == 0, done.stderr
        return done.stdout.decode().strip()

    return run


@pytest.fixture
def write(git_tools: Any) -> Callable[[Path, dict[str, str | bytes]], None]:
    """Writes files below a folder."""
    return git_tools.put


@pytest.fixture
def repo(tmp_path: Path, git: GitRunner, write: Callable[[Path, dict[str, str | bytes]], None]) -> Iterator[Path]:
    """A repository with two commits: ``a.py``, then ``pkg/b.py``; its index is older than any later change."""
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    write(folder, {"a.py": "A = 1\n", "pkg/c.py": "C = 1\n"})
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    write(folder, {"pkg/b.py": "B = 1\n"})
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "two")
    yield folder


@pytest.fixture
def paths() -> Callable[[Tree], list[str]]:
    """The paths of a tree's entries."""
    return lambda tree: [entry.path for entry in tree.entries]


@pytest.fixture
def reasons() -> Callable[[Tree], dict[str, str]]:
    """Path -> reason of a tree's skipped files."""
    return lambda tree: {skip.path: skip.reason for skip in tree.skipped}


@pytest.fixture
def contents() -> Callable[[Tree], dict[str, bytes | None]]:
    """Path -> content of all of a tree's files."""
    return lambda tree: {entry.path: data for entry, data in tree.read(tree.entries)}
