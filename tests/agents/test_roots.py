"""Which folders a server may look at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sherloc.agents.roots import allowed_roots, folder_of, repository_within
from sherloc.errors import UsageError


def test_what_was_given_counts_alone(tmp_path: Path) -> None:
    given = [str(tmp_path)]
    assert allowed_roots(given, ["file:///"], "/") == (os.path.realpath(tmp_path),)


def test_the_client_comes_next_and_only_its_folders(tmp_path: Path) -> None:
    addresses = ["https://example.org/x", tmp_path.as_uri(), "file://elsewhere/share"]
    assert allowed_roots([], addresses, "/") == (os.path.realpath(tmp_path),)
    assert allowed_roots([], [], str(tmp_path)) == ()


def test_the_current_folder_is_last_and_never_a_whole_disk_or_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "code").mkdir()
    assert allowed_roots([], None, str(tmp_path / "code")) == (os.path.realpath(tmp_path / "code"),)
    assert allowed_roots([], None, str(tmp_path)) == ()
    assert allowed_roots([], None, "/") == ()


@pytest.mark.parametrize("repo", [None, "", ".", "below/.."])
@pytest.mark.parametrize("kind", ["disk", "home"])
def test_a_whole_disk_or_home_is_refused_however_it_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, repo: str | None
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "below").mkdir()
    named = str(tmp_path) if kind == "home" else "/"
    for roots in (allowed_roots([named], None, "/"), allowed_roots([], [Path(named).as_uri()], "/")):
        with pytest.raises(UsageError, match="whole disk or home and no git repository"):
            repository_within(repo, roots)
        assert repository_within(str(tmp_path / "below"), roots) == os.path.realpath(tmp_path / "below")


def test_a_home_that_is_a_git_repository_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".git").mkdir()
    real = os.path.realpath(tmp_path)
    assert repository_within(None, allowed_roots([str(tmp_path)], None, "/")) == real


def test_no_folder_at_all_says_what_to_do() -> None:
    with pytest.raises(UsageError, match="--root PATH"):
        repository_within(None, ())


def test_a_sibling_with_the_same_beginning_is_outside(tmp_path: Path) -> None:
    root = tmp_path / "a"
    for name in ("a", "ab", "a/inner"):
        (tmp_path / name).mkdir()
    real = os.path.realpath(root)
    assert repository_within("inner", [real]) == os.path.join(real, "inner")
    assert repository_within(None, [real]) == real
    for outside in ("../ab", str(tmp_path / "ab"), "..", "/"):
        with pytest.raises(UsageError, match="lies outside"):
            repository_within(outside, [real])


@pytest.mark.parametrize(
    ("address", "folder"),
    [
        ("file:///a%20b", "/a b"),
        ("file://localhost/a", "/a"),
        ("file://host/a", None),
        ("http:///a", None),
        ("", None),
        ("file:///a%00b", None),
        ("file://[x/a", None),
    ],
)
def test_addresses(address: str, folder: str | None) -> None:
    assert folder_of(address) == folder
