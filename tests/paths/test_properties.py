"""What holds for every path, whatever it is made of."""

from __future__ import annotations

import ntpath
import pathlib
import sys
import unicodedata
import warnings

from hypothesis import example, given, settings
from hypothesis import strategies as st

from sherloc.paths import PROTECTED, READING, SENTENCES, WRITING, KnownPaths, PathPolicy, UnsafePathError, check_path

PIECES = (
    ". .. ... / // \\ .git .GIT git~1 ~ ~x : C: c: a b src a.py src/a.py A.PY con COM1 aux. nul.txt * ? < > |"
    " $HOME ${x} %2e %2f %252e ' \" ` , -rf @ # :12 #L3-L9 .. path/to/ some/dir .github/workflows CLAUDE.md .env .npmrc"
    " a~1 link dep \u200b \u202e \u00ad \uff0e \uff0f \u2024 \u2025 \u2026 \u2215 \u0301 e\u0301 \u00e9 \u212a \u017f"
    " \u0131 \u0130 \u1fef \u037e \ufe0f \u3164 \u3000 \u00a0 \ud800 \udcff \U000e0041 \ufeff \u65e5 ::$DATA"
    " file:/// http:// x:"
).split() + [" ", "\n", "\r", "\t", "\0", "\x7f", "\x1f", "\x85", "\u2028", "  "]
NASTY = st.lists(st.sampled_from(PIECES) | st.text(max_size=2), max_size=9).map("".join)
TREE = KnownPaths(
    ["src/a.py", "a.py", "a/b", "caf\u00e9", "x\\y", "odd/a*b", " edge ", "'q'", ".env", "a.py:12", "n\u0303"],
    [("link", "symlink"), ("dep", "submodule")],
)
POLICIES = st.sampled_from([READING, WRITING, PathPolicy("posix"), PathPolicy.writing(platforms="posix")])


def accepted(path: str, tree: KnownPaths | None, policy: PathPolicy) -> str | None:
    """The result, or None; any other error is a failure."""
    try:
        return check_path(path, tree, policy)
    except UnsafePathError as error:
        assert error.reason in SENTENCES
        return None


@settings(max_examples=600, deadline=None)
@given(NASTY, st.sampled_from([None, TREE]), POLICIES)
@example("./'a.py'", None, READING)
@example("a/ a.py", TREE, READING)
def test_the_result_checks_to_itself(path: str, tree: KnownPaths | None, policy: PathPolicy) -> None:
    result = accepted(path, tree, policy)
    if result is not None:
        assert check_path(result, tree, policy) == result


@settings(max_examples=600, deadline=None)
@given(NASTY, st.sampled_from([None, TREE]), POLICIES)
def test_the_result_stays_below_the_root_on_every_system(
    path: str, tree: KnownPaths | None, policy: PathPolicy
) -> None:
    result = accepted(path, tree, policy)
    if result is None:
        return
    names = result.split("/")
    assert all(name.strip(". ") for name in names)
    assert not any(name.casefold().rstrip(". ") == ".git" for name in names)
    result.encode()
    exists = tree is not None and tree.kind(result) is not None
    if not exists:
        assert unicodedata.normalize("NFC", result) == result
    if policy.platforms == "portable" and not exists:
        drive, rest = ntpath.splitdrive(result)
        assert not drive
        assert not ntpath.isabs(rest)
        assert ntpath.normpath(rest) == rest.replace("/", "\\")
        assert not any(unicodedata.category(each) in ("Cc", "Cf", "Cs") for each in result)


@settings(max_examples=600, deadline=None)
@given(NASTY)
def test_names_that_python_calls_reserved_on_windows_are_refused(path: str) -> None:
    result = accepted(path, None, READING)
    if result is None:
        return
    if sys.version_info >= (3, 13):
        assert not ntpath.isreserved(result)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert not any(pathlib.PureWindowsPath(name).is_reserved() for name in result.split("/"))


@settings(max_examples=500, deadline=None)
@given(st.text())
def test_any_text_is_let_through_or_refused(path: str) -> None:
    for tree in (None, TREE):
        accepted(path, tree, WRITING)


# Hypothesis also tries constants that stand in the code it tests: protected names and those of devices.
DEVICES = {f"{port}{number}" for port in ("com", "lpt") for number in range(10)}
SPECIAL = DEVICES.union(*PROTECTED.values())
ORDINARY = st.text("abcdefghijklmnopqrstuvwxyz0123456789_", min_size=4, max_size=9).filter(
    lambda name: name not in SPECIAL
)


@settings(max_examples=500, deadline=None)
@given(st.lists(ORDINARY, min_size=1, max_size=6))
def test_ordinary_paths_are_let_through_as_they_are(names: list[str]) -> None:
    path = "/".join(names) + ".py"
    assert check_path(path) == check_path(path, policy=WRITING) == check_path(path, TREE) == path


@settings(max_examples=300, deadline=None)
@given(NASTY, NASTY)
def test_writing_is_never_wider_than_reading(path: str, other: str) -> None:
    tree = KnownPaths([other]) if other else None
    if accepted(path, tree, WRITING) is not None:
        assert accepted(path, tree, READING) == accepted(path, tree, WRITING)


@settings(max_examples=500, deadline=None)
@given(NASTY.filter(bool))
def test_a_tree_with_any_name_in_it_changes_no_hard_rule(name: str) -> None:
    result = accepted(name, KnownPaths([name]), READING)
    if result is not None:
        assert not result.startswith(("/", "~"))
        assert all(each.strip(". ") for each in result.split("/"))
        assert not any(unicodedata.category(each) in ("Cc", "Cf", "Cs") for each in result)


def test_the_pieces_make_paths_of_both_kinds() -> None:
    """Else the properties above would hold of nothing."""
    made = [first + second + third for first in PIECES for second in ("/", "", "b") for third in PIECES]
    results = [accepted(path, TREE, READING) for path in made]
    share = sum(result is not None for result in results) / len(results)
    assert 0.1 < share < 0.9
