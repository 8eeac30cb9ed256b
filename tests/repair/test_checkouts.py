"""Programs that run in a checkout can reach neither what is delivered nor a program that is run outside of it."""

from __future__ import annotations

import os
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from sherloc.errors import GeneratorError, GitError
from sherloc.protocols import PatchRequest
from sherloc.repair import Workshop, plan_changes, read_proposal
from sherloc.schema.brief import SurgeryBrief
from sherloc.schema.issue import Issue
from sherloc.settings_repair import RepairSettings

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="shell, links")
REQUEST = PatchRequest(Issue(title="t"), SurgeryBrief(issue_summary="s"), {})
SIGNED = {"author": "sherloc", "email": "sherloc@localhost", "date": "2026-01-31T12:00:00+09:00"}
Maker = Callable[..., Path]
FILES = {
    "a.py": "x = 1\n", "pkg/b.py": "y = 1\r\n", "c.txt": "$Id$\n", ".gitignore": "*.log\nbuild/\n",
    ".gitattributes": "* filter=evil ident text eol=crlf\n",
}  # fmt: skip


def sh(folder: Path, script: str) -> None:
    subprocess.run(["/bin/sh", "-ec", script], cwd=folder, check=True, capture_output=True)


def proposed(shop: Workshop, script: str) -> str:
    with shop.scratch_checkout(REQUEST) as checkout:
        sh(checkout.folder, script)
        return checkout.diff()


def test_a_checkout_is_a_repository_of_its_own(make_repository: Maker, say: SimpleNamespace) -> None:
    root = make_repository(FILES)
    with Workshop(root) as shop:
        folder = Path(shop.checkout(shop.base))
        assert say.git(folder, "status", "--porcelain") == ""
        assert say.git(folder, "rev-list", "--all", "--count") == "1"
        assert say.git(folder, "rev-parse", "HEAD^{tree}") == say.git(root, "rev-parse", "HEAD^{tree}")
        assert (folder / ".git").is_dir() and not (folder / ".git/objects/info/alternates").exists()
        assert (folder / "pkg/b.py").read_bytes() == b"y = 1\n", "as it is stored"
        assert (folder / "c.txt").read_bytes() == b"$Id$\n"
        assert say.git(folder, "fsck", "--strict") == ""
        inside = [path.read_bytes() for path in (folder / ".git").rglob("*") if path.is_file()]
        scratch = shop.git_dir
        assert not any(scratch.encode() in data or str(root).encode() in data for data in inside)
        assert Path(scratch).parent not in folder.parents
        again = Path(shop.checkout(shop.base))
        assert say.git(again, "rev-parse", "HEAD") == say.git(folder, "rev-parse", "HEAD")


def test_what_it_configures_is_never_run(make_repository: Maker, tmp_path: Path, say: SimpleNamespace) -> None:
    marker = tmp_path / "marker"
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {marker}\ncat\n")
    trap.chmod(0o755)
    root = make_repository(FILES)
    say.git(root, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    say.git(root, "commit", "-q", "-m", "submodule")
    script = f"""
        for at in . sub; do
            test -e $at/.git || git init -q $at
            git -C $at config filter.x.smudge {trap}; git -C $at config filter.x.clean {trap}
            git -C $at config core.fsmonitor {trap}
            mkdir -p $at/.git/info; echo '* filter=x diff=x' > $at/.git/info/attributes
            for hook in post-index-change post-checkout reference-transaction; do
                mkdir -p $at/.git/hooks; cp {trap} $at/.git/hooks/$hook; done
        done
        echo '* filter=x' > sub/.gitattributes; echo z > sub/z; git -C sub add -A >/dev/null 2>&1 || true
        printf '[submodule "sub"]\\n path = sub\\n url = x\\n ignore = none\\n' > .gitmodules
        echo '* filter=x' > .gitattributes
        echo 'x = 2' > a.py
        rm -f {marker}
        """
    with Workshop(root) as shop:
        diff = proposed(shop, script)
        shop.checkout(shop.base)
    assert not marker.exists()
    heads = [line.split(" b/")[1] for line in diff.split("\n") if line.startswith("diff")]
    assert heads == [".gitattributes", ".gitmodules", "a.py"]


@pytest.mark.parametrize(
    "harm",
    [
        "echo '[filter \"x\"]' >> config", "echo '* filter=x' > info/attributes", "echo gone > HEAD", "rm -r refs",
        "mkdir hooks; echo > hooks/post-checkout", "echo /tmp >> objects/info/alternates", "echo > info/grafts",
        "echo x > objects/pack/pack-1.pack", "ln -s /tmp commondir", "rm config; ln -s /dev/null config",
        "mkdir -p refs/replace; echo 1 > refs/replace/1", "for f in objects/??/*; do rm -f $f; echo > $f; done",
    ],
)  # fmt: skip
def test_a_scratch_repository_that_was_changed_is_not_used(
    make_repository: Maker, say: SimpleNamespace, harm: str
) -> None:
    root = make_repository({"a.py": "x = 1\n"})
    with Workshop(root) as shop:
        (commit,) = shop.commits(say.plan(shop, (say.whole("new.py", "y = 1\n"),)), **SIGNED)
        git_dir = Path(shop.git_dir)
        shop.checkout(commit.sha)
        assert shop.mail(commit.sha) == shop.mail(commit.sha)
        sh(git_dir, harm)
        uses: list[Callable[[], object]] = [
            lambda: shop.deliver("b", commit.sha), lambda: shop.mail(commit.sha), lambda: shop.git_dir,
            lambda: shop.diff(shop.base, commit.sha), lambda: shop.checkout(shop.base),
        ]  # fmt: skip
        for use in uses:
            with pytest.raises(GitError, match="A program that was run changed the repository"):
                use()
    assert say.git(root, "for-each-ref", "--format=%(refname)").count("refs/") == 1


def test_a_tree_that_another_one_was_put_in_place_of(make_repository: Maker, say: SimpleNamespace) -> None:
    root = make_repository({"a.py": "x = 1\n"})
    with Workshop(root) as shop:
        (commit,) = shop.commits(say.plan(shop, (say.whole("new.py", "y = 1\n"),)), **SIGNED)
        git_dir = Path(shop.git_dir)
        shop.checkout(commit.sha)
        place = git_dir / "objects" / commit.tree[:2] / commit.tree[2:]
        content = zlib.decompress(place.read_bytes())
        place.chmod(0o644)
        place.write_bytes(zlib.compress(content.replace(b"new.py", b"ne2.py")))
        with pytest.raises(GitError, match=f"objects/{commit.tree[:2]}/{commit.tree[2:]}"):
            shop.deliver("b", commit.sha)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("cd ..; mv repo old; ln -s old repo", "another folder"),
        ("cd ..; mv repo old; mkdir repo", "another folder"),
        ("rm -rf ../repo", "removed the folder"),
        ("i=0; while [ $i -lt 2001 ]; do : > n$i; i=$((i+1)); done", "changed 2001 files; 2000 are read"),
        ("truncate -s 200M big", "'big' with 209715200 bytes"),
        ("echo x > run.log; mkdir build; echo x > build/x", "leave out: 'build', 'run.log'"),
    ],
)
def test_a_checkout_that_cannot_be_read_fails_one_candidate(make_repository: Maker, script: str, words: str) -> None:
    with Workshop(make_repository(FILES)) as shop:
        with pytest.raises(GeneratorError, match=words):
            proposed(shop, script)
        assert "+x = 2" in proposed(shop, "rm -rf .git; echo 'x = 2' > a.py")


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root reads everything")
def test_a_folder_without_rights(make_repository: Maker) -> None:
    denied = pytest.raises(GeneratorError, match="'pkg/b.py': Permission denied")
    with Workshop(make_repository(FILES)) as shop, denied:
        proposed(shop, "chmod 000 pkg")


def test_nothing_is_read_through_links(make_repository: Maker, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/b.py").write_text("secret\n")
    with Workshop(make_repository(FILES)) as shop:
        diff = proposed(shop, f"rm -r pkg; ln -s {tmp_path}/outside pkg; rm a.py; ln -s {tmp_path}/outside/b.py a.py")
    assert "secret" not in diff
    assert diff.count("new file mode 120000") == 2


def test_every_kind_of_change(make_repository: Maker, say: SimpleNamespace) -> None:
    root = make_repository({**FILES, "d": "1\n"})
    script = """
        git config user.name x; git config user.email x@y
        echo 'x = 2' > a.py; git commit -qam m; echo 'z' > "$(printf 'new\\tname')"; chmod +x c.txt; rm pkg/b.py
        rm d; mkdir d; echo 2 > d/e; mkfifo pipe; git init -q nested; echo q > nested/q; echo log > x.log
        mkdir __pycache__; echo > __pycache__/x.log
        """
    with Workshop(root) as shop:
        text = proposed(shop, script)
        note, diff = text.split("\n\n", 1)
        assert note == (
            "Not in the patch is what is a repository of its own, or the project's ignore files leave out: "
            "'nested', 'x.log'."
        )
        heads = [line for line in diff.split("\n") if line.startswith(("diff", "old", "new", "deleted"))]
        assert heads == [
            "diff --git a/a.py b/a.py", "diff --git a/c.txt b/c.txt", "old mode 100644", "new mode 100755",
            "diff --git a/d b/d", "deleted file mode 100644", "diff --git a/d/e b/d/e", "new file mode 100644",
            'diff --git "a/new\\tname" "b/new\\tname"', "new file mode 100644",
            "diff --git a/pkg/b.py b/pkg/b.py", "deleted file mode 100644",
        ]  # fmt: skip
        assert read_proposal(text).reasoning == note
        assert proposed(shop, ":") == ""


def test_the_users_own_ignore_file_counts_for_nothing(
    make_repository: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config/git").mkdir(parents=True)
    (tmp_path / "config/git/ignore").write_text("*.txt\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    with Workshop(make_repository(FILES)) as shop:
        assert "b/note.txt" in proposed(shop, "echo 1 > note.txt")


def test_folders_of_dead_processes_are_removed(
    make_repository: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_repository(FILES)
    code = (
        "import os, sys; from sherloc.repair import Workshop; s = Workshop(sys.argv[1]); s.checkout(s.base);"
        "os.chmod(s._checkouts, 0); os.kill(os.getpid(), 9)"
    )
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr("tempfile.tempdir", None)
    done = subprocess.run([sys.executable, "-c", code, str(root)], check=False)
    assert done.returncode == -9
    others = [f"sherloc-repair-{os.getppid()}-alive", "sherloc-repair-x-y", "other"]
    for name in others:
        (place / name).mkdir()
    (place / "sherloc-repair-999999999-link").symlink_to(place / "other")
    left = {path.name.split("-")[1] for path in place.iterdir() if path.name not in others}
    assert left == {"repair", "checkout"}
    with Workshop(root) as shop:
        here = {Path(shop.git_dir).parent.name, Path(shop.checkout(shop.base)).parents[1].name}
        assert all(f"-{os.getpid()}-" in name for name in here)
        assert {path.name for path in place.iterdir()} == {*others, "sherloc-repair-999999999-link", *here}
    assert {path.name for path in place.iterdir()} == {*others, "sherloc-repair-999999999-link"}


@pytest.mark.parametrize(
    "script",
    [
        "mkfifo .gitignore", "mkfifo pkg/.gitignore", "mkdir d; mkfifo d/.gitignore; echo x > d/x.py",
        "mkdir -p d/.git/objects d/.git/refs; mkfifo d/.git/HEAD; echo x > d/x.py",
        "mkdir -p d/.git; mkfifo d/.git/commondir; echo x > d/x.py", "ln -s /dev/zero d; rm d; mkfifo .gitattributes",
    ],
)  # fmt: skip
def test_pipes_where_git_reads_hold_nothing_up(make_repository: Maker, script: str) -> None:
    with Workshop(make_repository({"a.py": "x = 1\n", "pkg/b.py": "y = 1\n"})) as shop:
        diff = proposed(shop, f"{script}; echo 'x = 2' > a.py")
        assert "+x = 2" in diff and "new file mode 120000" not in diff


def test_ignore_files_and_contents_have_limits_together(make_repository: Maker) -> None:
    with Workshop(make_repository({"a.py": "x = 1\n"})) as shop:
        with pytest.raises(GeneratorError, match=r"'\.gitignore' with over 1048576 bytes"):
            proposed(shop, "truncate -s 20G .gitignore; echo x > new")
        with pytest.raises(GeneratorError, match=r"'f\d' with 67108864 bytes; 134217728 of all changes are read"):
            proposed(shop, "for n in 1 2 3 4; do truncate -s 64M f$n; done")


def test_ignore_files_are_read_as_git_reads_them(make_repository: Maker, say: SimpleNamespace) -> None:
    root = make_repository({
        "a.py": "x = 1\n", "src/b.py": "", ".gitignore": "*.log\nbuild/\n!keep.log\n/top\n:x\n",
    })  # fmt: skip
    script = r"""
        echo x > keep.log; echo x > gone.log; mkdir -p build/deep src/build s/t
        echo x > build/deep/x; echo x > src/build/y
        echo x > top; echo x > s/top; echo x > ':x'; echo x > '*'; echo x > 's/:(top)y'
        printf '*\n!/z.py\n' > s/t/.gitignore; echo x > s/t/z.py; echo x > s/t/w.py
        mkdir -p own/.git; echo x > own/x.py; touch src/.git; echo x > src/new.py
        mkdir sub; printf 'q*\n' > sub/.gitignore; echo x > sub/q; echo x > sub/r
        """
    with Workshop(root) as shop, shop.scratch_checkout(REQUEST) as checkout:
        sh(checkout.folder, script)
        changed = shop.changed_in(str(checkout.folder))
        (checkout.folder / "src/.git").unlink()
        listed = say.git(checkout.folder, "ls-files", "-z", "--others", "--exclude-standard").split("\0")
    new = [state.path for state in changed.files]
    assert new == sorted(name for name in listed if name and not name.startswith("own/"))
    assert new == [
        "*", "keep.log", "s/:(top)y", "s/t/z.py", "s/top", "src/new.py", "sub/.gitignore", "sub/r",
    ]  # fmt: skip
    assert changed.left_out == (
        ":x",
        "build",
        "gone.log",
        "own",
        "s/t/.gitignore",
        "s/t/w.py",
        "src/build",
        "sub/q",
        "top",
    )


def test_what_was_left_out_is_marked(make_repository: Maker, say: SimpleNamespace) -> None:
    with Workshop(make_repository({"app.py": "x = 1\n", ".gitignore": "*.log\n"})) as shop:
        diff = proposed(shop, "echo x > a.log; echo 'x = 2' > app.py")
        flags = _flags(shop, diff)
    assert (
        "Not in the patch is what is a repository of its own, or the project's ignore files leave out: 'a.log'."
        in flags
    )


def _flags(shop: Workshop, text: str) -> tuple[str, ...]:
    settings = RepairSettings(check_names=False)
    return plan_changes(read_proposal(text), shop, brief_paths=["app.py"], settings=settings).flags


def test_a_folder_of_checkouts_that_is_gone(make_repository: Maker) -> None:
    with Workshop(make_repository({"a.py": "x = 1\n"})) as shop:
        first = Path(shop.checkout(shop.base))
        sh(first.parent.parent, f"rm -rf {first.parent.parent}")
        with pytest.raises(GitError, match="There can be no checkout in .*: No such file"):
            shop.checkout(shop.base)


def test_a_repository_at_the_end_of_the_longest_chain(
    make_repository: Maker, say: SimpleNamespace, tmp_path: Path
) -> None:
    last = make_repository({"a.py": "x = 1\n"})
    for number in range(5):
        say.git(tmp_path, "clone", "-q", "-s", str(last), str(tmp_path / f"c{number}"))
        last = tmp_path / f"c{number}"
        say.git(last, "commit", "-q", "--allow-empty", "-m", "more")
    with Workshop(last) as shop:
        (commit,) = shop.commits(say.plan(shop, (say.whole("new.py", "y = 1\n"),)), **SIGNED)
        assert "y = 1" in shop.diff(shop.base, commit.sha)
        shop.checkout(commit.sha)
