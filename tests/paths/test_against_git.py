"""Against the real git with core.protectNTFS and core.protectHFS: what it refuses, we refuse."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sherloc.paths import PathPolicy, UnsafePathError, check_path

CASES = json.loads((Path(__file__).parent / "path_cases.json").read_text(encoding="utf-8"))
POLICIES = (PathPolicy(), PathPolicy("posix"))
GIT_PIECES = (
    ".git .GIT .Git git~1 GIT~1 .g\u200cit .gi\u200dt\u200e .git. .git\u00a0 .gitmodules .git::$INDEX_ALLOCATION .git:x"
    " .. . ... / // \\ a b a.py \ufeff \u202e \u206a : ~1 gitmod~1 con x."
).split() + [" ", ".git ", "..", "/.", "./", "\\.git\\", "/.git/", "\\..\\"]
Accepts = Callable[[Iterable[str]], list[bool]]


@pytest.fixture(scope="module")
def git_accepts(tmp_path_factory: pytest.TempPathFactory) -> Accepts:
    """Which of some paths git takes into its index, asked of one process that goes on after a refusal."""
    folder = tmp_path_factory.mktemp("asked")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "LC_ALL": "C"}

    def git(*arguments: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        protected = ("-c", "core.protectNTFS=true", "-c", "core.protectHFS=true")
        return subprocess.run(
            ["git", *protected, *arguments], cwd=folder, env=environment, input=data, capture_output=True, check=True
        )

    git("init", "-q")
    blob = git("hash-object", "-w", "--stdin", data=b"x").stdout.decode().strip()

    def accepts(paths: Iterable[str]) -> list[bool]:
        asked = [path.encode("utf-8", "surrogatepass") for path in paths]
        rows = b"".join(b"100644 %s 0\t%s\0" % (blob.encode(), path) for path in asked)
        said = git("update-index", "-z", "--index-info", data=rows).stderr
        verdicts = []
        for path in asked:
            refusal = b"Ignoring path " + path + b"\n"
            verdicts.append(not said.startswith(refusal))
            said = said.removeprefix(refusal)
        assert not said
        return verdicts

    return accepts


def ours(path: str, policy: PathPolicy) -> tuple[str, str]:
    """Result and reason; one of them is empty."""
    try:
        return check_path(path, None, policy), ""
    except UnsafePathError as error:
        return "", error.reason


def test_git_itself_is_asked_the_right_way(git_accepts: Accepts) -> None:
    asked = [
        "a",
        ".git/x",
        "a/.GIT",
        "git~1",
        ".g\u200cit/x",
        "./a",
        "a/../b",
        "a//b",
        "/abs",
        "ok/.gitx",
        "con",
        "...",
    ]
    assert git_accepts(asked) == [True, *[False] * 8, True, True, True]


def test_what_git_refuses_of_the_table_is_refused_or_changed(git_accepts: Accepts) -> None:
    paths = [path for path, _, _ in CASES if path and "\0" not in path]
    for path, accepted in zip(paths, git_accepts(paths), strict=True):
        for policy in POLICIES:
            assert accepted or ours(path, policy)[0] != path, path
    results = [result for path in paths for policy in POLICIES if (result := ours(path, policy)[0])]
    assert all(git_accepts(results))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.sampled_from(GIT_PIECES), max_size=7).map("".join), min_size=20, max_size=80))
def test_what_is_let_through_git_accepts(git_accepts: Accepts, paths: list[str]) -> None:
    results = [result for path in paths for policy in POLICIES if (result := ours(path, policy)[0])]
    accepted = git_accepts(results)
    assert [path for path, good in zip(results, accepted, strict=True) if not good] == []


PLAIN_PIECES = ["a", "B", "con", "nul", "aux", "path/to", "1", "x_y", "-", ".", "/", "git", "~", ":", "A:"]
# Where git is content with a name that is unsafe elsewhere, or is no name at all.
STRICTER = {
    "parent": ("...", ". ."),
    "home": ("~",),
    "drive": (":",),
    "scheme": (":",),
    "trailing": (".",),
    "character": (":",),
    "short_name": ("~",),
    "reserved": ("con", "nul", "aux"),
    "placeholder": ("path/to",),
}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.sampled_from(PLAIN_PIECES), min_size=1, max_size=8).map("".join), min_size=20, max_size=80))
def test_what_git_accepts_of_a_plain_alphabet_is_let_through_but_for_listed_reasons(
    git_accepts: Accepts, paths: list[str]
) -> None:
    for path, accepted in zip(paths, git_accepts(paths), strict=True):
        if not accepted:
            continue
        result, reason = ours(path, POLICIES[0])
        if reason:
            assert any(mark in path for mark in STRICTER[reason]), (path, reason)
        else:
            assert result == path
