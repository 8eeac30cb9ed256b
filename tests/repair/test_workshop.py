"""Commits are made beside the repository; it gets objects and one ref, and nothing of it is ever run."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sherloc.errors import ApplyError, GitError, NotARepositoryError, RevisionNotFoundError, UsageError
from sherloc.repair import ChangePlan, Workshop

SIGNED: dict[str, str] = {"author": "sherloc", "email": "sherloc@localhost", "date": "2026-01-31T12:00:00+09:00"}
Maker = Callable[..., Path]


def snapshot(root: Path) -> dict[str, object]:
    """Everything below a folder but git's objects: kind, permissions, time of change, content."""
    found: dict[str, object] = {}
    for folder, names, files in os.walk(root):
        if folder.endswith((".git/objects", "bare.git/objects")):
            names.clear()
            continue
        for name in (*names, *files):
            path = os.path.join(folder, name)
            status = os.lstat(path)
            key = os.path.relpath(path, root)
            if stat.S_ISREG(status.st_mode):
                content = hashlib.sha256(Path(path).read_bytes()).hexdigest()
                found[key] = (status.st_mode, status.st_mtime_ns, status.st_ino, content)
            else:
                found[key] = (status.st_mode, os.readlink(path) if os.path.islink(path) else "")
    return found


def small(say: SimpleNamespace, shop: Workshop) -> ChangePlan:
    first = next(path for path in sorted(shop.stored) if path.endswith(".py"))
    made = (say.whole(first, "x = 2\n"), say.whole("new.py", "y = 1\n"))
    return say.plan(shop, made, (say.whole("second.py", "z = 1\n"),))


def test_commits_are_the_same_each_time_and_clean(repo: Path, shop: Workshop, say: SimpleNamespace) -> None:
    made = say.plan(
        shop,
        (say.edit("app.py", ("return x\n", "return 1\n")),),
        (say.edit("run.sh", ("1", "2")), say.delete("pkg/mod.py")),
    )
    commits = shop.commits(made, **SIGNED)
    with Workshop(repo) as again:
        assert again.commits(say.plan(again, *[tuple(files(group, say)) for group in made.groups]), **SIGNED) == commits
    one, two = commits
    git = Path(shop.git_dir)
    assert say.git(git, "cat-file", "commit", one.sha) == (
        f"tree {one.tree}\nparent {shop.base}\nauthor sherloc <sherloc@localhost> 1769828400 +0900\n"
        "committer sherloc <sherloc@localhost> 1769828400 +0900\n\ncommit 1"
    )
    assert say.git(git, "rev-parse", f"{two.sha}^", f"{two.sha}^{{tree}}").split() == [one.sha, made.tree]
    assert two.tree == made.tree
    assert say.git(git, "ls-tree", two.sha, "run.sh").split()[0] == "100755"
    assert say.git(git, "fsck", "--strict", "--no-dangling", one.sha, two.sha) == ""
    assert shop.diff(shop.base, two.sha) == made.diff


def files(group: Any, say: SimpleNamespace) -> list[Any]:
    return [
        say.delete(state.path) if state.data is None else say.whole(state.path, state.data.decode())
        for state in group.files
    ]


@pytest.mark.parametrize(
    ("message", "stored"),
    [
        ("one\n\nwhy\n", "one\n\nwhy\n"),
        ("\n\n one \r\n\r\nwhy\0\x1b[31m \u202e\n\n\n", " one\n\nwhy[31m\n"),
        ("# not a comment\n-- \n\u65e5\u672c", "# not a comment\n--\n\u65e5\u672c\n"),
        ("\x01", "\n"),
    ],
)
def test_messages_are_stored_as_they_are(shop: Workshop, say: SimpleNamespace, message: str, stored: str) -> None:
    made = say.plan(shop, (say.whole("new.py", "x = 1\n"),))
    group = type(made.groups[0])(message, made.groups[0].files)
    (commit,) = shop.commits(type(made)(made.base, (group,), made.tree, "", (), 0, 0), **SIGNED)
    raw = subprocess.run(["git", "cat-file", "commit", commit.sha], cwd=shop.git_dir, capture_output=True, check=True)
    assert commit.message == stored
    assert raw.stdout.decode().split("\n\n", 1)[1] == stored


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"author": "<>\n"}, "it has no name"),
        ({"date": "2026-01-31T12:00:00"}, "has no time zone"),
        ({"date": "now"}, "has no time zone"),
    ],
)
def test_who_cannot_sign(shop: Workshop, say: SimpleNamespace, change: dict[str, str], words: str) -> None:
    made = say.plan(shop, (say.whole("new.py", "x = 1\n"),))
    with pytest.raises(ApplyError, match=words):
        shop.commits(made, **{**SIGNED, **change})
    other = type(made)("0" * 40, made.groups, made.tree, "", (), 0, 0)
    with pytest.raises(ApplyError, match="is for the commit 0000"):
        shop.commits(other, **SIGNED)


def test_names_are_given_as_git_stores_them(shop: Workshop, say: SimpleNamespace) -> None:
    made = say.plan(shop, (say.whole("new.py", "x = 1\n"),))
    (commit,) = shop.commits(made, author=' "A.\nB" <c>, Inc. ', email="a@b>", date=SIGNED["date"])
    assert (commit.author, commit.email) == ('A.B" c, Inc', "a@b")
    assert say.git(Path(shop.git_dir), "show", "-s", "--format=%an|%ae", commit.sha) == 'A.B" c, Inc|a@b'


HOOKS = (
    "pre-commit", "post-checkout", "post-commit", "reference-transaction", "post-index-change", "post-merge",
    "pre-receive", "update", "post-receive", "post-update", "proc-receive", "post-rewrite", "prepare-commit-msg",
    "commit-msg", "fsmonitor-watchman", "pre-auto-gc", "sendemail-validate", "applypatch-msg", "pre-applypatch",
)  # fmt: skip


def booby_trapped(root: Path, marker: Path, say: SimpleNamespace) -> None:
    """Every hook, filter and program that git could run writes a marker."""
    script = root / ".git" / "trap.sh"
    script.write_text(f"#!/bin/sh\necho run >> {marker}\ncat\n")
    script.chmod(0o755)
    for hook in HOOKS:
        (root / ".git/hooks" / hook).parent.mkdir(exist_ok=True)
        (root / ".git/hooks" / hook).symlink_to(script)
    for name in (
        "core.fsmonitor", "core.sshCommand", "core.gitProxy", "core.pager", "core.editor", "core.alternateRefsCommand",
        "core.askPass", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.command",
        "diff.evil.textconv", "diff.external", "merge.evil.driver", "uploadpack.packObjectsHook", "gpg.program",
        "credential.helper", "interactive.diffFilter", "sequence.editor", "trailer.x.command",
    ):  # fmt: skip
        say.git(root, "config", name, str(script))
    for alias in ("commit-tree", "update-ref", "hash-object", "x"):
        say.git(root, "config", f"alias.{alias}", f"!{script}")
    for name, value in (
        ("commit.gpgSign", "true"), ("tag.gpgSign", "true"), ("core.autocrlf", "true"), ("core.eol", "crlf"),
        ("core.safecrlf", "true"), ("core.hooksPath", str(root / ".git/hooks")), ("gc.auto", "1"),
        ("gc.autoDetach", "false"),
        ("core.logAllRefUpdates", "always"), ("submodule.recurse", "true"), ("apply.whitespace", "fix"),
        ("i18n.commitEncoding", "latin-1"), ("core.quotePath", "true"), ("diff.noprefix", "true"),
        ("receive.denyCurrentBranch", "refuse"),
    ):  # fmt: skip
        say.git(root, "config", name, value)


TRAPPED = {
    "app.py": "def one(x):\n    return x  \n",
    "crlf.py": "a = 1\r\nb = 2\r\n",
    "id.py": "# $Id$\nx = 1\n",
    "sub/mod.py": "# $Format:%H$\nx = 1\n",
    ".gitattributes": "* filter=evil diff=evil merge=evil text=auto eol=crlf ident export-subst "
    "working-tree-encoding=UTF-16\n",
    "untracked.txt": "mine",
}


def test_nothing_of_the_repository_is_run_or_changed(
    make_repository: Maker, tmp_path: Path, say: SimpleNamespace
) -> None:
    root = make_repository({name: TRAPPED[name] for name in TRAPPED if name not in (".gitattributes", "untracked.txt")})
    say.git(
        root,
        "update-index",
        "--add",
        "--cacheinfo",
        f"100644,{blob(root, TRAPPED['.gitattributes'], say)},.gitattributes",
    )
    say.git(root, "commit", "-q", "-m", "attributes")
    marker = tmp_path / "marker"
    (root / "untracked.txt").write_text("mine")
    (root / "app.py").write_text("dirty")
    booby_trapped(root, marker, say)
    before = snapshot(root)
    with Workshop(root) as shop:
        assert snapshot(root) == before
        made = say.plan(
            shop,
            (say.edit("crlf.py", ("b = 2\n", "b = 3\n")), say.edit("id.py", ("x = 1\n", "x = 2  \n"))),
            "--- a/app.py\n+++ b/app.py\n@@ -1,2 +1,2 @@\n def one(x):\n-    return x  \n+    return 1  \n",
        )
        commits = shop.commits(made, **SIGNED)
        folder = Path(shop.checkout(commits[-1].sha))
        assert {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix == ".py"} == {
            "app.py": b"def one(x):\n    return 1  \n",
            "crlf.py": b"a = 1\r\nb = 3\r\n",
            "id.py": b"# $Id$\nx = 2  \n",
        }
        assert (folder / "sub/mod.py").read_bytes() == b"# $Format:%H$\nx = 1\n"
        assert say.git(folder, "status", "--short") == ""
        assert snapshot(root) == before
        shop.deliver("sherloc/fix-1", commits[-1].sha)
        shop.deliver("sherloc/fix-1", commits[-1].sha)
    after = snapshot(root)
    assert not marker.exists()
    new = {key for key in after if key not in before}
    assert new == {".git/refs/heads/sherloc", ".git/refs/heads/sherloc/fix-1"}
    assert {key: after[key] for key in before} == before
    assert (root / ".git/refs/heads/sherloc/fix-1").read_text() == commits[-1].sha + "\n"
    assert say.git(root, "-c", "core.hooksPath=/dev/null", "fsck", "--strict", "--no-dangling") == ""
    say.git(root, "branch", "by-hand")
    assert marker.exists(), "the trap itself must work"


def blob(root: Path, text: str, say: SimpleNamespace) -> str:
    done = subprocess.run(["git", "hash-object", "-w", "--stdin", "--no-filters"], cwd=root, input=text.encode(),
                          capture_output=True, check=True)  # fmt: skip
    return done.stdout.decode().strip()


def test_the_machines_own_configuration_is_not_used(
    make_repository: Maker, tmp_path: Path, say: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_repository({"a.py": "x = 1\r\n"})
    marker = tmp_path / "marker"
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in HOOKS:
        (hooks / hook).write_text(f"#!/bin/sh\ntouch {marker}\n")
        (hooks / hook).chmod(0o755)
    settings = tmp_path / "gitconfig"
    settings.write_text(
        f"[core]\n\tautocrlf = true\n\tattributesFile = {tmp_path / 'attributes'}\n\thooksPath = {hooks}\n"
        f'[filter "evil"]\n\tsmudge = touch {marker}\n\tclean = touch {marker}\n[init]\n\ttemplateDir = {hooks}\n'
        "[commit]\n\tgpgSign = true\n[i18n]\n\tcommitEncoding = latin-1\n[apply]\n\twhitespace = error\n"
    )
    (tmp_path / "attributes").write_text("* filter=evil text\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody Else")
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    with Workshop(root) as shop:
        made = say.plan(shop, "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2  \n")
        (commit,) = shop.commits(made, **SIGNED)
        assert (Path(shop.checkout(commit.sha)) / "a.py").read_bytes() == b"x = 2  \r\n"
        shop.deliver("b", commit.sha)
        monkeypatch.delenv("GIT_DIR")
        assert say.git(root, "log", "-1", "--format=%an|%e", "b") == "sherloc|"
    assert not marker.exists()
    assert not (tmp_path / "index").exists()


def bare(root: Path, git: Any) -> Path:
    git(root.parent, "clone", "-q", "--bare", str(root), "bare.git")
    return root.parent / "bare.git"


def linked(root: Path, git: Any) -> Path:
    git(root, "worktree", "add", "-q", "-b", "side", "../linked")
    return root.parent / "linked"


def shallow(root: Path, git: Any) -> Path:
    git(root.parent, "clone", "-q", "--depth", "1", f"file://{root}", "shallow")
    return root.parent / "shallow"


def partial(root: Path, git: Any) -> Path:
    git(root, "config", "uploadpack.allowFilter", "true")
    git(root.parent, "clone", "-q", "--filter=blob:none", f"file://{root}", "partial")
    return root.parent / "partial"


def borrowing(root: Path, git: Any) -> Path:
    git(root.parent, "clone", "-q", "--shared", str(root), "one")
    git(root.parent, "clone", "-q", "--shared", "one", "two")
    return root.parent / "two"


def packed(root: Path, git: Any) -> Path:
    git(root, "gc", "-q")
    return root


def odd_name(root: Path, git: Any) -> Path:
    target = root.parent / '#a "b"\\ c'
    root.rename(target)
    return target


@pytest.mark.parametrize("kind", [bare, linked, shallow, partial, borrowing, packed, odd_name])
def test_every_kind_of_repository(
    make_repository: Maker, git_tools: Any, say: SimpleNamespace, kind: Callable[[Path, Any], Path]
) -> None:
    root = make_repository({"a.py": "x = 1\n"})
    (root / "b.py").write_text("y = 1\n")
    git_tools.commit(root, "second")
    place = kind(root, say.git)
    before = snapshot(place)
    with Workshop(place) as shop:
        made = small(say, shop)
        commits = shop.commits(made, **SIGNED)
        assert (Path(shop.checkout(commits[-1].sha)) / "second.py").read_bytes() == b"z = 1\n"
        assert snapshot(place) == before
        shop.deliver("sherloc/fix", commits[-1].sha)
    after = snapshot(place)
    assert {key: after[key] for key in before if key != ".git/refs/heads"} == {
        key: before[key] for key in before if key != ".git/refs/heads"
    }
    assert say.git(place, "log", "--format=%s", "-2", "sherloc/fix").split("\n") == ["commit 2", "commit 1"]
    assert say.git(place, "show", "sherloc/fix:new.py") == "y = 1"
    assert say.git(place, "fsck", "--strict", "--no-dangling") == ""


def test_sha256(tmp_path: Path, say: SimpleNamespace) -> None:
    root = tmp_path / "long"
    root.mkdir()
    say.git(root, "init", "-q", "--object-format=sha256")
    (root / "a.py").write_text("x = 1\n")
    say.git(root, "add", "-A")
    say.git(root, "commit", "-q", "-m", "one")
    with Workshop(root) as shop:
        commits = shop.commits(small(say, shop), **SIGNED)
        assert len(commits[0].sha) == 64
        shop.deliver("b", commits[-1].sha)
    assert say.git(root, "show", "b:new.py") == "y = 1"


def test_branches_are_never_moved(make_repository: Maker, say: SimpleNamespace) -> None:
    root = make_repository({"a.py": "x = 1\n"})
    say.git(root, "branch", "taken")
    say.git(root, "branch", "folder/x")
    say.git(root, "tag", "refs/heads/tagged")
    with Workshop(root) as shop:
        (commit, last) = shop.commits(small(say, shop), **SIGNED)
        shop.deliver("mine", commit.sha)
        refs = say.git(root, "for-each-ref")
        for name, words in (
            ("taken", "exists in"), ("mine", "exists in"), ("folder", "cannot be made"), ("taken/x", "cannot be made"),
            ("-x", "cannot be the name"), ("HEAD", "cannot be the name"), ("", "cannot be the name"),
            ("a..b", "cannot be the name"), ("a b", "cannot be the name"), ("a\0b", "cannot be the name"),
            ("../x", "cannot be the name"), ("x.lock", "cannot be the name"), ("@{-1}", "cannot be the name"),
            ("a/", "cannot be the name"),
        ):  # fmt: skip
            with pytest.raises(ApplyError, match=words):
                shop.deliver(name, last.sha)
        assert say.git(root, "for-each-ref") == refs
        shop.deliver("tagged", last.sha)
        assert say.git(root, "rev-parse", "refs/heads/tagged") == last.sha
    assert not (root / ".git/logs/refs/heads/mine").exists()


def test_a_repository_that_cannot_be_written(make_repository: Maker, say: SimpleNamespace) -> None:
    root = make_repository({"a.py": "x = 1\n"})
    with Workshop(root) as shop:
        (commit, _) = shop.commits(small(say, shop), **SIGNED)
        (root / ".git/refs/heads/b.lock").write_text("")
        with pytest.raises(ApplyError, match="cannot be made"):
            shop.deliver("b", commit.sha)


def test_a_link_that_is_swapped_in_does_not_matter(
    make_repository: Maker, tmp_path: Path, say: SimpleNamespace
) -> None:
    """Content never passes through the checkout, so there is nothing to race for."""
    root = make_repository({"pkg/a.py": "x = 1\n"})
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.py").write_text("secret\n")
    with Workshop(root) as shop:
        made = say.plan(shop, (say.edit("pkg/a.py", ("1", "2")),))
        (root / "pkg/a.py").unlink()
        (root / "pkg").rmdir()
        (root / "pkg").symlink_to(outside)
        (commit,) = shop.commits(made, **SIGNED)
        shop.deliver("b", commit.sha)
    assert say.git(root, "show", "b:pkg/a.py") == "x = 2"
    assert (outside / "a.py").read_text() == "secret\n"
    assert sorted(path.name for path in outside.iterdir()) == ["a.py"]


def test_where_no_workshop_can_be(make_repository: Maker, tmp_path: Path) -> None:
    root = make_repository({"pkg/a.py": "x = 1\n"})
    plain = make_repository({"a.py": "x = 1\n"}, name="plain", git=False)
    with pytest.raises(NotARepositoryError):
        Workshop(plain)
    with pytest.raises(RevisionNotFoundError):
        Workshop(root, "none")
    with pytest.raises(UsageError, match="is a folder inside of a repository"):
        Workshop(root / "pkg")


def test_missing_objects_are_told(make_repository: Maker, say: SimpleNamespace) -> None:
    root = make_repository({"a.py": "x = 1\n", "b.py": "y = 1\n"})
    name = say.git(root, "rev-parse", "HEAD:a.py")
    (root / ".git/objects" / name[:2] / name[2:]).unlink()
    with Workshop(root) as shop, pytest.raises(GitError, match="a.py of .* cannot be read"):
        say.plan(shop, (say.edit("a.py", ("1", "2")),))


def test_everything_is_gone_afterwards(repo: Path) -> None:
    with Workshop(repo) as shop:
        folder = Path(shop.git_dir).parent
        shop.checkout(shop.base)
        assert folder.is_dir()
    assert not folder.exists()
