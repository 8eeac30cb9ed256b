"""Every test has its own cache folder, and no way to the outside."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest
from marks import marked

# A busy machine is no fault of the code: what must be fast has tests that measure it.
hypothesis.settings.register_profile("sherloc", deadline=None)
hypothesis.settings.load_profile("sherloc")
Files = dict[str, "str | bytes"]
_CONNECT = socket.socket.connect


def _local_only(self: socket.socket, address: object) -> None:
    host = address[0] if isinstance(address, tuple) else "local"
    if host not in ("127.0.0.1", "::1", "localhost", "local"):
        raise AssertionError(f"a test tried to connect to {address!r}")
    _CONNECT(self, address)


@pytest.fixture(autouse=True)
def _isolated(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setattr(socket.socket, "connect", _local_only)
    monkeypatch.setenv("SHERLOC_CACHE", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setenv("SHERLOC_STATE", str(tmp_path_factory.mktemp("state")))
    monkeypatch.setenv("SHERLOC_CONFIG", os.devnull)


@pytest.fixture
def mark(tmp_path: Path) -> Iterator[str]:
    """A mark for command lines; what bears it is ended after the test."""
    name = f"mark-{os.getpid()}-{tmp_path.name}"
    yield name
    for pid in marked(name):
        os.kill(pid, signal.SIGKILL)


@pytest.fixture
def make_repository(tmp_path: Path) -> Callable[..., Path]:
    """Makes a git repository with one commit of some files; ``git=False`` makes a plain folder."""

    def make(files: Files, *, name: str = "repo", git: bool = True) -> Path:
        root = tmp_path / name
        root.mkdir()
        put(root, files)
        if git:
            run_git(root, "init", "-q", "-b", "main")
            commit(root, "first")
        return root

    return make


def put(root: Path, files: Files) -> None:
    """Write files below a folder."""
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)


def commit(root: Path, message: str) -> str:
    """Commit everything; the commit's id."""
    run_git(root, "add", "-A", "-f")
    run_git(root, "commit", "-q", "--allow-empty", "-m", message)
    return run_git(root, "rev-parse", "HEAD")


def git_environment() -> dict[str, str]:
    """A fixed identity, and none of the machine's configuration."""
    fixed = {"NAME": "A", "EMAIL": "a@example.org", "DATE": "2020-01-01T00:00:00Z"}
    return {
        **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
        **{f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in fixed.items()},
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
    }


def run_git(root: Path, *arguments: str) -> str:
    """Run git in a folder; what it says."""
    done = subprocess.run(["git", *arguments], cwd=root, env=git_environment(), capture_output=True, check=True)
    return done.stdout.decode().strip()


@pytest.fixture
def without_git_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    """What sherloc itself starts sees nothing of the machine's git either."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)


@pytest.fixture
def git_tools() -> object:
    """The helpers above, for tests that change a repository."""
    import types

    return types.SimpleNamespace(put=put, commit=commit, run_git=run_git, environment=git_environment)
