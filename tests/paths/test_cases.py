"""Every row of the table of hostile and odd paths, under both sets of systems."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sherloc.paths import READING, KnownPaths, PathPolicy, UnsafePathError, check_path, inspect_path

CASES = json.loads((Path(__file__).parent / "path_cases.json").read_text(encoding="utf-8"))
"""Path; what the policy ``portable`` says; what ``posix`` says: ``= result``, or the reason of the refusal."""
POSIX = PathPolicy("posix")
TREE = KnownPaths(
    ["a.py", "src/a.py", "src/b.py", "pkg/con.py", "odd/x*y", "odd/$HOME", "odd/%2e", "odd/new ", "path/to/real.py",
     "real\\name.py", "both\\sides.py", "both/sides.py", "caf\u00e9.py", "nfd/cafe\u0301.py", "b/own.py", "lit:12",
     "edge'", "`q`", " blank.py", "dir\u2215x.py"],
    [("link", "symlink"), ("lib/dep", "submodule"), ("pipe", "special"), ("src/ln", "symlink")],
)  # fmt: skip


def verdict(check: Callable[[], str]) -> str:
    try:
        return f"= {check()}"
    except UnsafePathError as error:
        return error.reason


@pytest.mark.parametrize(("path", "portable", "posix"), CASES)
def test_the_table(path: str, portable: str, posix: str) -> None:
    assert verdict(lambda: check_path(path)) == portable
    assert verdict(lambda: check_path(path, policy=POSIX)) == posix


def test_the_table_is_whole() -> None:
    assert len(CASES) == len({case[0] for case in CASES}) == 93


# By hand, from the list of what must be accepted, changed and refused.
@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        # as they are, because they exist
        ("a.py", "= a.py"),
        ("pkg/con.py", "= pkg/con.py"),
        ("odd/x*y", "= odd/x*y"),
        ("odd/$HOME", "= odd/$HOME"),
        ("odd/%2e", "= odd/%2e"),
        ("odd/new ", "= odd/new "),
        ("lit:12", "= lit:12"),
        ("edge'", "= edge'"),
        ("`q`", "= `q`"),
        (" blank.py", "=  blank.py"),
        ("path/to/real.py", "= path/to/real.py"),
        ("dir\u2215x.py", "= dir\u2215x.py"),
        # new names in folders that exist
        ("path/to/new.py", "= path/to/new.py"),
        ("src/new.py", "= src/new.py"),
        ("fresh/deep/new.py", "= fresh/deep/new.py"),
        # normalised
        ("./src//a.py", "= src/a.py"),
        ("src\\a.py", "= src/a.py"),
        ("src\\new.py", "= src/new.py"),
        ("`src/a.py`,", "= src/a.py"),
        ("\u201csrc/a.py\u201d", "= src/a.py"),
        ("a.py:12", "= a.py"),
        ("a.py:12-30", "= a.py"),
        ("a.py:12:7", "= a.py"),
        ("src/a.py#L3", "= src/a.py"),
        ("src/a.py#L3-L9", "= src/a.py"),
        ("a/src/a.py", "= src/a.py"),
        ("a/src/a.py:7", "= src/a.py"),
        ("src/a.py/", "= src/a.py"),
        ("cafe\u0301.py", "= caf\u00e9.py"),
        # not what they seem
        ("a.py:0", "character"),
        ("a.py:30-12", "character"),
        ("nope.py:12", "character"),
        ("b/a.py", "ambiguous"),  # there is a folder b
        ("both\\sides.py", "ambiguous"),
        ("real\\name.py", "ambiguous"),
        # collisions
        ("SRC/A.py", "case_collision"),
        ("src/A.py", "case_collision"),
        ("Src/new.py", "case_collision"),
        ("CAF\u00c9.py", "case_collision"),
        ("nfd/caf\u00e9.py", "case_collision"),
        ("A.py/x", "case_collision"),
        # in the way
        ("a.py/x", "not_a_folder"),
        ("a.py/x/y", "not_a_folder"),
        ("src", "not_a_file"),
        ("src/", "not_a_file"),
        ("pipe", "not_a_file"),
        ("pipe/x", "not_a_folder"),
        ("link", "symlink"),
        ("link/x", "symlink"),
        ("link/x/y.py", "symlink"),
        ("src/ln", "symlink"),
        ("./src/ln/x", "symlink"),
        ("lib/dep", "submodule"),
        ("lib/dep/x.py", "submodule"),
        ("LINK/x", "case_collision"),
        # new ones beside the odd ones that exist
        ("odd/x*z", "glob"),
        ("odd/con", "reserved"),
        ("path/from/con.py", "reserved"),
    ],
)
def test_against_a_tree(path: str, wanted: str) -> None:
    assert verdict(lambda: check_path(path, TREE)) == wanted


def test_a_real_backslash_is_a_name_on_posix() -> None:
    assert check_path("real\\name.py", TREE, POSIX) == "real\\name.py"
    assert verdict(lambda: check_path("both\\sides.py", TREE, POSIX)) == "ambiguous"


@pytest.mark.parametrize(
    ("path", "lines"),
    [("a.py:12", (12, 12)), ("a.py:12-30", (12, 30)), ("a.py:12:7", (12, 12)), ("src/a.py#L3-L9", (3, 9))],
)
def test_lines_are_kept(path: str, lines: tuple[int, int]) -> None:
    found = inspect_path(path, TREE)
    assert (found.start_line, found.end_line) == lines
    assert found.kind == "file"
    assert "lines" in found.changes


@pytest.mark.parametrize(
    ("path", "changes"),
    [
        ("a.py", ()),
        (" a.py ", ("edges",)),
        (".\\a.py", ("backslashes", "dots")),
        ("cafe\u0301.py", ("composed",)),
        ("a/src/a.py:3", ("lines", "diff_prefix")),
    ],
)
def test_what_was_changed_is_told(path: str, changes: tuple[str, ...]) -> None:
    assert inspect_path(path, TREE).changes == changes


def test_what_exists_and_what_is_new() -> None:
    assert inspect_path("src/a.py", TREE).kind == "file"
    assert inspect_path("src/new.py", TREE).kind is None
    assert inspect_path("src/a.py").kind is None


def test_flags() -> None:
    assert inspect_path("tests/conftest.py").flags == ("runs_code",)
    assert inspect_path("Makefile").flags == ("runs_code",)
    assert inspect_path("aux.", policy=POSIX).flags == ("trailing", "reserved")
    assert inspect_path("src/a.py").flags == ()


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("/workspace/repo/src/a.py", "Paths are relative to the repository; did you mean src/a.py?"),
        ("/etc/passwd", "Paths are relative to the repository."),
        ("SRC/new.py", "Did you mean src/new.py?"),
        ("b/a.py", "Did you mean a.py, or a new file in b/?"),
    ],
)
def test_hints(path: str, hint: str) -> None:
    with pytest.raises(UnsafePathError) as caught:
        check_path(path, TREE)
    assert caught.value.hint == hint


def test_what_must_exist_gets_the_nearest_names() -> None:
    with pytest.raises(UnsafePathError) as caught:
        check_path("srcs/b.py", TREE, must_exist=True)
    assert (caught.value.reason, caught.value.hint) == ("missing", "Did you mean src/b.py, src/a.py?")
    assert check_path("src/b.py", TREE, must_exist=True) == "src/b.py"


@pytest.mark.parametrize("value", [None, 3, b"a.py", ["a.py"], {"path": "a.py"}, True])
def test_what_is_no_text_is_refused_and_not_crashed_on(value: object) -> None:
    with pytest.raises(UnsafePathError) as caught:
        check_path(value)  # type: ignore[arg-type]
    assert caught.value.reason == "not_text"


@pytest.mark.parametrize("depth", [64, 65])
def test_depth(depth: int) -> None:
    path = "/".join("d" * depth)
    assert verdict(lambda: check_path(path)) == (f"= {path}" if depth == 64 else "too_deep")


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("n" * 255, None),
        ("n" * 256, "too_long"),
        ("\u65e5" * 85, None),
        ("\u65e5" * 86, "too_long"),
        ("/".join(["n" * 200] * 20), None),
        ("/".join(["n" * 200] * 21), "too_long"),
        ("./" * 3000 + "a", "too_long"),
        (" " * 100_000 + "a.py", "= a.py"),
    ],
)
def test_length(path: str, wanted: str | None) -> None:
    assert verdict(lambda: check_path(path)) == (wanted or f"= {path}")


def test_own_limits() -> None:
    assert verdict(lambda: check_path("abcdef", policy=PathPolicy(max_name_bytes=5))) == "too_long"
    assert verdict(lambda: check_path("a/b/c", policy=PathPolicy(max_depth=2))) == "too_deep"
    assert verdict(lambda: check_path("a/b/c", policy=PathPolicy(max_path_bytes=4))) == "too_long"


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        (".g\u0131t/config", "git_folder"),  # dotless i: NTFS folds it to I
        (".\uff47\uff49\uff54/config", "git_folder"),
        ("GIT~1", "git_folder"),
        ("a/.git ./x", "git_folder"),
        (".git:x", "git_folder"),
        (".gitx/config", "= .gitx/config"),
        ("x.git/config", "= x.git/config"),
        (".github/x.md", "= .github/x.md"),
        ("github~1/workflows/x.yml", "short_name"),
        ("CLAUDE~1.MD", "short_name"),
        ("longname~1", "= longname~1"),
        ("$userId.tsx", "= $userId.tsx"),
        ("posts.$postId.tsx", "= posts.$postId.tsx"),
        ("app/[id]/page.tsx", "= app/[id]/page.tsx"),
        ("app/(group)/@modal/page.tsx", "= app/(group)/@modal/page.tsx"),
        ("{{cookiecutter.name}}/x.py", "= {{cookiecutter.name}}/x.py"),
        ("x$(id)/y", "expansion"),
        ("%252e%252e/x", "encoded"),
        ("\uff05\uff12\uff45\uff12e/x", "encoded"),
        ("emoji\ufe0f.md", "invisible"),
        ("\u3164.py", "invisible"),
        ("tag\U000e0041.py", "invisible"),
        ("conin$", "reserved"),
        ("LPT\u00b2.log", "reserved"),
        ("con .txt", "reserved"),
        ("console.py", "= console.py"),
        ("nullable.py", "= nullable.py"),
        ("com10.py", "= com10.py"),
        ("./'a.py'", "edges"),
        ("./ a.py", "edges"),
        ("./~/x", "home"),
        (".\\C:x", "drive"),
        ("'\\etc'", "absolute"),
        ("\u1fefa.py\u1fef", "= a.py"),  # composes to back-ticks
        ("some/dir/x.py", "placeholder"),
        ("src/some/dir/x.py", "= src/some/dir/x.py"),
        ("path/tools.py", "= path/tools.py"),
        ("line\u2028sep", "control"),
        ("a\x85b", "control"),
    ],
)
def test_names(path: str, wanted: str) -> None:
    assert verdict(lambda: check_path(path, policy=READING)) == wanted


def test_a_tree_that_lies_is_not_believed() -> None:
    """Git's objects can hold any name; that it is listed makes no name harmless."""
    hostile = KnownPaths([".git/config", "../x", "/abs", "~/x", "a/../b", "C:/x", "x\ny", "x\u202ey", "s/\udcff"])
    wanted = {
        ".git/config": "git_folder", "../x": "parent", "/abs": "parent", "~/x": "home", "a/../b": "parent",
        "C:/x": "drive", "x\ny": "control", "x\u202ey": "invisible", "s/\udcff": "not_unicode",
    }  # fmt: skip
    assert {path: verdict(lambda path=path: check_path(path, hostile)) for path in wanted} == wanted  # type: ignore[misc]
