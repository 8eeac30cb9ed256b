"""Real repositories, and short ways to say what a proposal is."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sherloc.repair import ChangePlan, Workshop, plan_changes, read_proposal
from sherloc.schema.proposal import PatchProposal, ProposedCommit, ProposedFile, ReplaceBlock
from sherloc.settings_repair import RepairSettings

FILES: dict[str, str | bytes] = {
    "app.py": "def one(x):\n    return x\n\n\ndef two(x):\n    return one(x)\n",
    "crlf.py": "a = 1\r\nb = 2\r\nc = 3\r\n",
    "open.py": "a = 1\nb = 2",
    "bom.py": b"\xef\xbb\xbfa = 1\nb = 2\n",
    "latin.py": "# caf\xe9\na = 1\n".encode("latin-1"),
    "cp932.txt": "\u65e5\u672c\na = 1\n".encode("cp932"),
    "wide.txt": b"\xff\xfe" + "a = 1\r\nb = \u65e5\r\n".encode("utf-16-le"),
    "mac.txt": b"a\rb\rc\r",
    "mixed.txt": b"a\r\nb\nc\r\nd\n",
    "empty.txt": "",
    "twice.txt": "x\ny\nx\ny\n",
    "long.py": "".join(f"v{i} = {i}\n" for i in range(900)),
    "image.png": b"\x89PNG\0\0",
    "big.bin": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
    "broken.py": "def f(:\n",
    "notes.md": "# Notes\n\n# ... rest unchanged\n",
    "pkg/mod.py": "X = 1\n",
}


@pytest.fixture(autouse=True)
def _clean_environment(without_git_configuration: None) -> None:
    pass


@pytest.fixture(scope="session")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of every kind of file; no test may change it."""
    root = tmp_path_factory.mktemp("session") / "repo"
    root.mkdir()
    for path, content in FILES.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
    (root / "link").symlink_to("app.py")
    (root / "run.sh").write_text("#!/bin/sh\necho 1\n")
    (root / "run.sh").chmod(0o755)
    run_git(root, "init", "-q", "-b", "main")
    run_git(root, "add", "-A")
    run_git(root, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    run_git(root, "commit", "-q", "-m", "first")
    return root


def run_git(root: Path, *arguments: str) -> str:
    """Run git as nobody in particular; what it says."""
    fixed = {"NAME": "A", "EMAIL": "a@example.org", "DATE": "2020-01-01T00:00:00Z"}
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
        **{f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in fixed.items()},
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
    }
    asked = ["git", "-c", "protocol.file.allow=always", *arguments]
    done = subprocess.run(asked, cwd=root, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode("utf-8", "surrogateescape").strip("\n")


@pytest.fixture(scope="session")
def shop(repo: Path) -> Iterator[Workshop]:
    """A workshop on top of it."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        patched.setenv("GIT_CONFIG_SYSTEM", os.devnull)
        made = Workshop(repo)
    with made:
        yield made


def whole(path: str, content: str, reason: str = "because") -> ProposedFile:
    return ProposedFile(path=path, content=content, reason=reason)


def edit(path: str, *pairs: tuple[str, str], reason: str = "because") -> ProposedFile:
    edits = tuple(ReplaceBlock(search=search, replace=replace) for search, replace in pairs)
    return ProposedFile(path=path, edits=edits, reason=reason)


def delete(path: str, reason: str = "because") -> ProposedFile:
    return ProposedFile(path=path, delete=True, reason=reason)


def proposal(*groups: tuple[ProposedFile, ...] | str) -> PatchProposal:
    """Each group is files, or a diff."""
    made = []
    for number, group in enumerate(groups, 1):
        if isinstance(group, str):
            made.append(read_proposal(group).commit_groups[0].model_copy(update={"message": f"commit {number}"}))
        else:
            made.append(ProposedCommit(message=f"commit {number}", files=group))
    return PatchProposal(is_fixable=True, commit_groups=tuple(made))


def plan(shop: Workshop, *groups: tuple[ProposedFile, ...] | str, **settings: Any) -> ChangePlan:
    chosen = RepairSettings(**{"check_names": False, **settings})
    return plan_changes(proposal(*groups), shop, brief_paths=FILES, settings=chosen)


def contents(made: ChangePlan) -> dict[str, bytes | None]:
    """Path to content after the last group."""
    return {state.path: state.data for group in made.groups for state in group.files}


class Helpers(SimpleNamespace):
    """Says little of itself when a test fails."""

    def __repr__(self) -> str:
        return "say"


@pytest.fixture(scope="session")
def say() -> SimpleNamespace:
    """The helpers above."""
    return Helpers(
        whole=whole, edit=edit, delete=delete, proposal=proposal, plan=plan, contents=contents, files=FILES, git=run_git
    )
