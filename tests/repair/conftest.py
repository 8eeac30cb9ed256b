"""Real repositories, and short ways to say what a proposal is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sherloc.repair import ChangePlan, Workshop, plan_changes, read_proposal
from sherloc.schema.proposal import PatchProposal, ProposedCommit, ProposedFile, ReplaceBlock
from sherloc.settings import RepairSettings

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


@pytest.fixture
def repo(make_repository: Callable[..., Path], git_tools: Any) -> Path:
    """A repository of every kind of file."""
    root = make_repository(FILES)
    (root / "link").symlink_to("app.py")
    (root / "run.sh").write_text("#!/bin/sh\necho 1\n")
    (root / "run.sh").chmod(0o755)
    git_tools.run_git(root, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    git_tools.run_git(root, "add", "link", "run.sh")
    git_tools.run_git(root, "commit", "-q", "-m", "second")
    return root


@pytest.fixture
def shop(repo: Path) -> Iterator[Workshop]:
    """A workshop on top of it."""
    with Workshop(repo) as made:
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


@pytest.fixture
def say() -> SimpleNamespace:
    """The helpers above."""
    return SimpleNamespace(
        whole=whole, edit=edit, delete=delete, proposal=proposal, plan=plan, contents=contents, files=FILES
    )
