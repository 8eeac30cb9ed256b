"""Real repositories, made by the real git, with nothing from the machine's own configuration."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sherloc.repository import Tree

GitRunner = Callable[..., str]

IDENTITY = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_COMMITTER_DATE": "2020-01-01T00:00:00Z",
}


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)


@pytest.fixture
def git() -> GitRunner:
    """Runs git in a folder and returns its output."""

    def run(folder: Path, *arguments: str, check: bool = True, data: bytes = b"") -> str:
        done = subprocess.run(
            ["git", "-c", "protocol.file.allow=always", *arguments],
            cwd=folder,
            env={**os.environ, **IDENTITY},
            input=data,
            capture_output=True,
            check=False,
        )
        assert not check or done.returncode == 0, done.stderr
        return done.stdout.decode().strip()

    return run


@pytest.fixture
def write() -> Callable[[Path, dict[str, str | bytes]], None]:
    """Writes files below a folder."""

    def run(folder: Path, files: dict[str, str | bytes]) -> None:
        for name, content in files.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)

    return run


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
