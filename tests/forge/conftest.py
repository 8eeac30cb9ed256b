"""A fake forge, a clone of it with commits to publish, and a clock that does not wait."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from forge.fake_server import FakeForge
from forge.fakehub import FakeHub
from sherloc.protocols import FileState, PlannedCommit

FILES: Mapping[str, str | bytes] = {
    "shop/basket.py": "def total():\n    return 2\n", "shop/old.py": "x = 1\n", "run.sh": "#!/bin/sh\n",
    "README.md": "# Shop\r\n",
}  # fmt: skip


@dataclass
class Time:
    """A clock that only sleeping moves."""

    now: float = 1_600_000_000.0
    slept: list[float] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@dataclass
class Work:
    """A local clone with commits on top of the forge's main."""

    root: Path
    base: str
    commits: list[PlannedCommit]

    @property
    def head(self) -> str:
        return self.commits[-1].sha


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name in ("GITHUB_TOKEN", "GH_TOKEN", "GITLAB_TOKEN", "SHERLOC_FORGE_TOKEN"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[FakeHub]:
    fake = FakeHub(tmp_path / "forge", files=FILES)
    yield fake
    fake.close()


@pytest.fixture
def make_work(tmp_path: Path, git_tools: Any) -> Callable[..., Work]:
    """Clones a fake forge and commits there, one commit for each mapping of files (None removes one)."""

    def make(fake: FakeForge, *groups: Mapping[str, bytes | None], executable: tuple[str, ...] = ()) -> Work:
        root = tmp_path / f"clone{len(list(tmp_path.glob('clone*')))}"
        git_tools.run_git(tmp_path, "clone", "-q", str(fake.git_dir), str(root))
        git = lambda *arguments: git_tools.run_git(root, *arguments)  # noqa: E731
        base = git("rev-parse", "HEAD")
        commits = []
        for number, group in enumerate(groups or (CHANGES,), 1):
            files = []
            for path, data in group.items():
                target = root / path
                mode = "100755" if path in executable else "100644"
                if data is None:
                    target.unlink()
                else:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(data)
                    target.chmod(0o755 if mode == "100755" else 0o644)
                files.append(FileState(path, data, mode))
            git("-c", "core.autocrlf=false", "add", "-A", "-f")
            git("commit", "-q", "-m", f"Change number {number}", "-m", "Why: a reason.")
            commits.append(
                PlannedCommit(
                    git("rev-parse", "HEAD"),
                    git("rev-parse", "HEAD^{tree}"),
                    f"Change number {number}\n\nWhy: a reason.\n",
                    tuple(files),
                    "A",
                    "a@example.org",
                    "2020-01-01T00:00:00+00:00",
                )  # fmt: skip
            )
        return Work(root, base, commits)

    return make


CHANGES: Mapping[str, bytes | None] = {
    "shop/basket.py": b"def total():\n    return 1\n",
    "shop/old.py": None,
    "new/latin.txt": "caf\xe9".encode("latin-1"),
    "new/crlf.txt": b"\xef\xbb\xbfa\r\nb",
    "new/nul.bin": b"a\0b",
}
