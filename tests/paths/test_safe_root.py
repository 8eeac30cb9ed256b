"""Reading and writing below a folder, by descriptor and by path; nothing leads out, whatever is exchanged meanwhile."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sherloc.paths import READING, KnownPaths, PathPolicy, SafeRoot, UnsafePathError

posix = pytest.mark.skipif(os.name == "nt", reason="links and permissions as on POSIX")


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A root with a file in a folder, and beside it what must never change."""
    (tmp_path / "root" / "pkg").mkdir(parents=True)
    (tmp_path / "root" / "pkg" / "a.py").write_text("old\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.py").write_text("secret\n")
    return tmp_path


@pytest.fixture(params=[True, False], ids=["descriptors", "paths"])
def safe(world: Path, request: pytest.FixtureRequest) -> Iterator[SafeRoot]:
    if request.param and os.name == "nt":
        pytest.skip("no descriptors of folders")
    before = snapshot(world / "outside")
    with SafeRoot(world / "root", descriptors=request.param) as safe:
        yield safe
    assert snapshot(world / "outside") == before


def snapshot(folder: Path) -> dict[str, bytes | None]:
    return {str(each): each.read_bytes() if each.is_file() else None for each in folder.rglob("*")}


def reason_of(error: pytest.ExceptionInfo[UnsafePathError]) -> str:
    return error.value.reason


def left_behind(root: Path) -> list[str]:
    return [each.name for each in root.rglob("*.tmp")]


def test_write_read_replace_remove(safe: SafeRoot, world: Path) -> None:
    safe.replace("pkg/a.py", b"new\n")
    safe.replace("./deep//er\\b.py", b"b")
    assert safe.read("pkg/a.py") == b"new\n"
    assert (world / "root/deep/er/b.py").read_bytes() == b"b"
    with safe.open_for_write("pkg/c.py") as file:
        file.write(b"1")
        file.write(b"2")
    assert safe.read("pkg/c.py") == b"12"
    safe.remove("pkg/c.py")
    assert sorted(os.listdir(world / "root/pkg")) == ["a.py"]


def test_nobody_sees_half_a_file_and_a_failure_changes_nothing(safe: SafeRoot, world: Path) -> None:
    with pytest.raises(KeyError), safe.open_for_write("pkg/a.py") as file:
        file.write(b"half")
        file.flush()
        assert (world / "root/pkg/a.py").read_text() == "old\n"
        raise KeyError
    assert (world / "root/pkg/a.py").read_text() == "old\n"
    assert left_behind(world / "root") == []


@posix
def test_permissions_are_kept_and_new_files_follow_the_umask(safe: SafeRoot, world: Path) -> None:
    target = world / "root/pkg/a.py"
    target.chmod(0o4755)
    safe.replace("pkg/a.py", b"new")
    assert stat.S_IMODE(target.stat().st_mode) == 0o755  # never set-uid
    before = os.umask(0o027)
    try:
        safe.replace("pkg/b.py", b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((world / "root/pkg/b.py").stat().st_mode) == 0o640


@posix
def test_a_hard_link_elsewhere_keeps_its_content(safe: SafeRoot, world: Path) -> None:
    os.link(world / "outside/a.py", world / "root/pkg/hard.py")
    safe.replace("pkg/hard.py", b"new")
    assert safe.read("pkg/hard.py") == b"new"


@posix
@pytest.mark.parametrize("act", ["read", "replace", "remove"])
@pytest.mark.parametrize(
    ("target", "link", "path", "reason"),
    [
        ("outside", "root/out", "out/a.py", "symlink"),
        ("outside", "root/out", "out/deep/new.py", "symlink"),
        ("outside/a.py", "root/file.py", "file.py", "symlink"),
        ("outside/none", "root/dangling.py", "dangling.py", "symlink"),
        ("root/pkg", "root/inside", "inside/a.py", "symlink"),  # also inside: what is meant is not what is written
        ("root/loop", "root/loop", "loop/x", "symlink"),
        ("root", "root/pkg/up", "pkg/up/pkg/a.py", "symlink"),
    ],
)
def test_links_are_never_followed(
    safe: SafeRoot, world: Path, act: str, target: str, link: str, path: str, reason: str
) -> None:
    (world / link).symlink_to(world / target)
    with pytest.raises(UnsafePathError) as error:
        _do(safe, act, path)
    assert reason_of(error) == reason
    assert left_behind(world) == []


def _do(safe: SafeRoot, act: str, path: str) -> None:
    if act == "replace":
        safe.replace(path, b"evil")
    else:
        getattr(safe, act)(path)


@pytest.mark.parametrize("act", ["read", "replace", "remove"])
@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("../outside/a.py", "parent"),
        ("pkg/../../outside/a.py", "parent"),
        ("/etc/passwd", "absolute"),
        (".git/hooks/pre-commit", "git_folder"),
        ("pkg", "not_a_file"),
        ("pkg/a.py/x", "not_a_folder"),
        ("nested/a.py", "submodule"),
        ("nested/deep/a.py", "submodule"),
    ],
)
def test_what_is_refused(safe: SafeRoot, world: Path, act: str, path: str, reason: str) -> None:
    (world / "root/nested/deep").mkdir(parents=True)
    (world / "root/nested/.git").write_text("gitdir: elsewhere\n")
    with pytest.raises(UnsafePathError) as error:
        _do(safe, act, path)
    assert reason_of(error) == reason


@pytest.mark.parametrize("act", ["read", "remove"])
@pytest.mark.parametrize("path", ["none.py", "pkg/none.py", "none/none.py"])
def test_what_is_missing(safe: SafeRoot, act: str, path: str) -> None:
    with pytest.raises(UnsafePathError) as error:
        _do(safe, act, path)
    assert reason_of(error) == "missing"


def test_protected_places_are_read_but_neither_written_nor_removed(safe: SafeRoot, world: Path) -> None:
    (world / "root/.npmrc").write_bytes(b"x")
    assert safe.read(".npmrc") == b"x"
    for act in ("replace", "remove"):
        with pytest.raises(UnsafePathError) as error:
            _do(safe, act, ".npmrc")
        assert reason_of(error) == "denied"


def test_a_policy_and_a_tree_of_ones_own(world: Path) -> None:
    tree = KnownPaths(["pkg/a.py"])
    with SafeRoot(world / "root", policy=READING, tree=tree) as safe:
        safe.replace(".npmrc", b"x")
        with pytest.raises(UnsafePathError) as error:
            safe.replace("PKG/b.py", b"x")
        assert reason_of(error) == "case_collision"
    with SafeRoot(world / "root", policy=PathPolicy(deny=("pkg",))) as safe:
        assert safe.read("pkg/a.py") == b"old\n"
        with pytest.raises(UnsafePathError):
            safe.replace("pkg/a.py", b"x")


def test_too_large(safe: SafeRoot) -> None:
    assert safe.read("pkg/a.py", max_bytes=4) == b"old\n"
    with pytest.raises(UnsafePathError) as error:
        safe.read("pkg/a.py", max_bytes=3)
    assert reason_of(error) == "too_large"


@posix
@pytest.mark.parametrize("act", ["read", "replace", "remove"])
def test_a_pipe_does_not_block(safe: SafeRoot, world: Path, act: str) -> None:
    os.mkfifo(world / "root/pipe")
    with pytest.raises(UnsafePathError) as error:
        _do(safe, act, "pipe")
    assert reason_of(error) == "not_a_file"


def test_closed(world: Path) -> None:
    safe = SafeRoot(world / "root")
    safe.close()
    safe.close()
    with pytest.raises(ValueError, match="closed"):
        safe.read("pkg/a.py")


def test_a_root_that_is_none(world: Path) -> None:
    for root in ("missing", "root/pkg/a.py"):
        with pytest.raises(OSError, match="No such|Not a directory"):
            SafeRoot(world / root)
        with pytest.raises(OSError, match="No such|Not a directory"):
            SafeRoot(world / root, descriptors=False)


@posix
def test_a_folder_whose_name_starts_with_the_roots_is_outside(world: Path) -> None:
    (world / "root2").mkdir()
    (world / "root/pkg/sibling").symlink_to(world / "root2")
    with SafeRoot(world / "root") as safe, pytest.raises(UnsafePathError):
        safe.replace("pkg/sibling/x", b"evil")
    assert os.listdir(world / "root2") == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the longest path of Linux")
def test_a_chain_of_links_longer_than_any_path(world: Path) -> None:
    """As in CVE-2025-4517: a link whose resolution passes the longest path, so that resolving gives up half-way."""
    folder, links = world / "root", []
    for step in "abcdefghijkl":
        (folder / (step * 247)).mkdir()
        (folder / step).symlink_to(step * 247)
        folder, links = folder / (step * 247), [*links, step]
    (folder / "up").symlink_to("/".join([".."] * len(links)))
    names = [step * 247 for step in links]
    for path in ("/".join([*links, "up", "x"]), "/".join([*names[:10], *links[10:], "up", "x"])):
        with SafeRoot(world / "root") as safe, pytest.raises(UnsafePathError) as error:
            safe.replace(path, b"evil")
        assert reason_of(error) == "symlink"


@posix
def test_a_folder_exchanged_for_a_link_while_a_file_is_open(safe: SafeRoot, world: Path) -> None:
    """The moment between check and write, held open: the parent becomes a link to the outside."""
    moved = world / "root/moved"
    outcome = ""
    try:
        with safe.open_for_write("pkg/a.py") as file:
            (world / "root/pkg").rename(moved)
            (world / "root/pkg").symlink_to(world / "outside")
            file.write(b"new\n")
    except UnsafePathError as error:
        outcome = error.reason
    # By descriptor the file is replaced where it was when it was opened; by path the exchange is noticed.
    assert (outcome, (moved / "a.py").read_text()) in [("", "new\n"), ("symlink", "old\n"), ("changed", "old\n")]
    assert (world / "outside/a.py").read_text() == "secret\n"
    assert sorted(os.listdir(world / "outside")) == ["a.py"]


@posix
def test_a_target_exchanged_for_a_link_while_a_file_is_open(safe: SafeRoot, world: Path) -> None:
    with pytest.raises(UnsafePathError) as error, safe.open_for_write("pkg/a.py") as file:
        (world / "root/pkg/a.py").unlink()
        (world / "root/pkg/a.py").symlink_to(world / "outside/a.py")
        file.write(b"new\n")
    assert reason_of(error) == "symlink"
    assert left_behind(world) == []


@posix
def test_the_root_itself_exchanged_for_a_link(safe: SafeRoot, world: Path) -> None:
    (world / "root").rename(world / "was")
    (world / "root").symlink_to(world / "outside")
    try:
        safe.replace("a.py", b"new\n")
    except UnsafePathError as error:
        assert error.reason in ("symlink", "changed")  # noqa: PT017 - both outcomes are right
    assert (world / "outside/a.py").read_text() == "secret\n"


@posix
def test_no_descriptor_is_left_open(safe: SafeRoot, world: Path) -> None:
    (world / "root/out").symlink_to(world / "outside")
    open_before = os.listdir("/dev/fd")
    for path in ("pkg/a.py", "new/deep/b.py", "out/x", "pkg/a.py/x", "nope/x", ".."):
        for act in ("replace", "read"):
            try:
                _do(safe, act, path)
            except UnsafePathError:
                continue
    assert len(os.listdir("/dev/fd")) == len(open_before)


SWAPPER = """
import ctypes, os, sys
root, outside = sys.argv[1:]
here, link = (os.fsencode(os.path.join(root, name)) for name in ("pkg", "link"))
os.symlink(outside, link)
exchange = ctypes.CDLL(None, use_errno=True).renameat2
print("ready", flush=True)
while os.path.exists(os.path.join(root, "go")):
    for _ in range(100):
        if exchange(-100, here, -100, link, 2):
            sys.exit(os.strerror(ctypes.get_errno()))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="renameat2")
@pytest.mark.slow
def test_a_race_with_a_process_that_exchanges_a_folder_for_a_link(world: Path) -> None:
    """The same process beats a writer that checks first and opens afterwards, which shows that it is a race."""
    rounds = 20_000
    root, outside = world / "root", world / "outside"
    (root / "go").touch()
    swapper = subprocess.Popen(
        [sys.executable, "-c", SWAPPER, str(root), str(outside)], stdout=subprocess.PIPE, text=True
    )
    written = refused = escaped = 0
    try:
        assert swapper.stdout is not None
        assert swapper.stdout.readline() == "ready\n"
        with SafeRoot(root) as safe:
            for number in range(rounds):
                try:
                    safe.replace(f"pkg/n{number % 7}.py", b"data")
                    written += 1
                except UnsafePathError as error:
                    assert error.reason in ("symlink", "missing", "changed"), error
                    refused += 1
                assert sorted(os.listdir(outside)) == ["a.py"]
                try:
                    assert safe.read("pkg/a.py") == b"old\n"
                except UnsafePathError:
                    refused += 1
        for number in range(rounds):
            escaped += _naive_write(root, f"pkg/naive{number % 7}.py", outside)
    finally:
        (root / "go").unlink()
        assert swapper.wait(timeout=30) == 0
        assert swapper.stdout is not None
        swapper.stdout.close()
    assert (outside / "a.py").read_text() == "secret\n"
    assert written > rounds // 100
    assert refused > rounds // 100
    assert escaped > 0


def _naive_write(root: Path, path: str, outside: Path) -> bool:
    """Resolve, compare, open: what is usually done. Whether it wrote outside."""
    target = root / path
    try:
        if root.resolve() not in target.resolve().parents:
            return False
        target.write_bytes(b"data")
    except OSError:
        return False
    return (outside / target.name).exists()
