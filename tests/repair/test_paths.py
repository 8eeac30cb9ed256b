"""Every hostile path goes through the whole of planning, as whole files, deletions and diffs."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from sherloc.errors import ProposalError, UnsafePathError
from sherloc.paths import WRITING, check_path
from sherloc.repair import Workshop

CASES = [row[0] for row in json.loads((Path(__file__).parents[1] / "paths/path_cases.json").read_text("utf-8"))]
# By hand: what may come out of the table for a repository that has none of these files.
WRITABLE = {
    "a.py", "a.py#L3", "a/b.py", "a/a.py", "b/a.py", "a/~/x", "..\u200b/x", "K.py", "-rf", "--help",
    "caf\u00e9.py", "dev/null",
    "a,b.py", "a",
}  # fmt: skip
MORE = [
    ".git/hooks/post-checkout", "pkg/.git/hooks/x", "link/x", "link", "sub/x", "sub", "app.py/x", "PKG/MOD.PY",
    "AGENTS.md", "a/CLAUDE.md", ".cursor/rules/x", ".vscode/settings.json", ".npmrc", ".env", "Jenkinsfile",
    ".github/CODEOWNERS", ".husky/pre-commit", "pip.conf", ".pre-commit-config.yaml", ".github/copilot-instructions.md",
]  # fmt: skip


def tried(shop: Workshop, say: SimpleNamespace, *groups: object) -> tuple[str, ...]:
    try:
        return say.plan(shop, *groups).paths
    except ProposalError as error:
        assert error.problems
        return ()


def c_quoted(path: str) -> str:
    """As git writes names with odd characters."""
    odd = {character: f"\\{ord(character):03o}" for character in map(chr, [*range(32), 34, 92])}
    return path.translate(str.maketrans(odd))


@pytest.mark.parametrize("path", [*CASES, *MORE], ids=range(len(CASES) + len(MORE)))
def test_a_path_is_refused_or_safe_whichever_way_it_comes(
    shop: Workshop, say: SimpleNamespace, path: str, tmp_path: Path
) -> None:
    made = tried(shop, say, (say.whole(path, "x = 1\n"),))
    assert set(made) <= WRITABLE
    for one in made:
        assert check_path(one, policy=WRITING) == one
    quoted = c_quoted(path)
    assert set(tried(shop, say, f'--- /dev/null\n+++ "b/{quoted}"\n@@ -0,0 +1 @@\n+x = 1\n')) <= WRITABLE
    moved = f'diff --git a/app.py "b/{quoted}"\nrename from app.py\nrename to "{quoted}"\n'
    assert set(tried(shop, say, moved)) <= WRITABLE | {"app.py"}
    assert tried(shop, say, (say.delete(path),)) == ()
    if made:
        tree = shop.tree_of(shop.base, say.plan(shop, (say.whole(path, "x = 1\n"),)).groups[0].files)
        assert say.git(Path(shop.git_dir), "fsck", "--strict", "--no-dangling", tree) == ""


def test_nothing_of_the_table_is_written_outside(repo: Path, shop: Workshop, say: SimpleNamespace) -> None:
    before = sorted(path.name for path in repo.parent.iterdir())
    for path in ("../x", "/tmp/../x", "..\\x", "a/../../x"):
        with pytest.raises(UnsafePathError):
            check_path(path)
        assert tried(shop, say, (say.whole(path, "x\n"),)) == ()
    assert sorted(path.name for path in repo.parent.iterdir()) == before


def test_names_that_begin_with_a_hyphen_or_hold_odd_characters_are_only_names(
    shop: Workshop, say: SimpleNamespace
) -> None:
    names = ("--help", "-rf", "a b.py", "\u65e5\u672c.py", "tab.py", "it's.py", "$x.py")
    made = say.plan(shop, tuple(say.whole(name, "x = 1\n") for name in names))
    assert made.paths == tuple(sorted(names))
    (commit,) = shop.commits(made, author="A", email="a@x", date="2026-01-31T12:00:00+00:00")
    listed = say.git(Path(shop.git_dir), "ls-tree", "-r", "-z", "--name-only", commit.sha).split("\0")
    assert set(names) <= set(listed)
