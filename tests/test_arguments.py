"""Arguments of wrong types are refused in words, whichever door they come through."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sherloc import Issue, Locator, alocate, locate
from sherloc.arguments import path_in_tree
from sherloc.errors import EmptyIssueError, RepositoryNotFoundError, UsageError
from sherloc.paths import nearest_paths
from sherloc.repository import open_tree

ISSUE = "parse_header drops the charset"
FILES = {"web/headers.py": "def parse_header(line):\n    return line\n"}
Make = Callable[..., Path]


@pytest.fixture
def repo(make_repository: Make) -> Path:
    return make_repository(FILES, git=False)


@pytest.mark.parametrize(
    ("issue", "kind", "hint"),
    [
        (None, "None", "Issue(title="),
        (5, "int", "Issue(title="),
        (b"text", "bytes", "decode"),
        (bytearray(b"text"), "bytearray", "decode"),
        (["text"], "list", "Issue(title="),
        ({"title": "text"}, "dict", "Issue(**mapping)"),
        (Path("issue.md"), "PosixPath", "read_text"),
        (Issue, "ModelMetaclass", "Issue(title="),
    ],
)
def test_issues(repo: Path, issue: Any, kind: str, hint: str) -> None:
    locator = Locator(repo)
    for call in (
        lambda: locate(issue, repo),
        lambda: locator.locate(issue),
        lambda: asyncio.run(alocate(issue, repo)),
    ):
        with pytest.raises(UsageError) as caught:
            call()
        assert caught.value.message.replace("WindowsPath", "PosixPath").endswith(f"an Issue, not {kind}.")
        assert hint in caught.value.hint


@pytest.mark.parametrize("issue", ["", " \n", "\ufeff", Issue(), Issue(title=" ", comments=("",))])
def test_empty_issues(repo: Path, issue: Any) -> None:
    with pytest.raises(EmptyIssueError):
        locate(issue, repo)


@pytest.mark.parametrize("where", [None, 5, b"/", ["."], {"repo": "."}, object()])
def test_repositories(where: Any) -> None:
    for call in (lambda: locate(ISSUE, where), lambda: Locator(where)):
        with pytest.raises(UsageError, match=f"must be a path, not {type(where).__name__.replace('NoneType', 'None')}"):
            call()


class BytesPath:
    def __fspath__(self) -> bytes:
        return b"/"


def test_a_path_of_bytes_is_none() -> None:
    with pytest.raises(UsageError, match="must be a path, not BytesPath"):
        Locator(BytesPath())  # type: ignore[arg-type]


def test_a_path_is_a_repository(repo: Path) -> None:
    assert locate(ISSUE, repo).ranked_files == locate(ISSUE, str(repo)).ranked_files


@pytest.mark.parametrize("where", ["\x00", "a\x00b", "/a/\x00", "\ud800", "a" * 100_000])
def test_paths_that_cannot_exist(where: str) -> None:
    with pytest.raises(RepositoryNotFoundError):
        Locator(where)


def test_an_empty_path_is_not_the_current_folder() -> None:
    with pytest.raises(UsageError, match="is empty"):
        Locator("")


@pytest.mark.parametrize("revision", [5, b"HEAD", ["HEAD"], Path("HEAD"), "", True])
def test_revisions(repo: Path, revision: Any) -> None:
    with pytest.raises(UsageError, match="The revision is"):
        locate(ISSUE, repo, revision=revision)


@pytest.mark.parametrize("option", ["model", "settings", "on_progress", "deadline"])
@pytest.mark.parametrize("value", ["x", b"x", ["x"], object(), float("nan")])
def test_options(repo: Path, option: str, value: Any) -> None:
    with pytest.raises(UsageError):
        locate(ISSUE, repo, **{option: value})


def test_good_options(repo: Path) -> None:
    told: list[tuple[str, int, int]] = []
    report = locate(ISSUE, repo, deadline=60, on_progress=lambda *step: told.append(step), settings={}, scope=["web"])
    assert report.ranked_files[0].path == "web/headers.py"
    assert told[-1][0] == "done"


def test_unknown_options_are_pythons_own_error(repo: Path) -> None:
    with pytest.raises(TypeError, match="nonsense"):
        locate(ISSUE, repo, nonsense=1)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("web/headers.py", "web/headers.py"),
        ("./web//headers.py", "web/headers.py"),
        ("web\\headers.py", "web/headers.py"),
        ("web/x/../headers.py", "web/headers.py"),
        ("web/", "web"),
        (".", ""),
        ("", ""),
    ],
)
def test_paths_in_a_tree(repo: Path, given: str, path: str) -> None:
    tree = open_tree(repo)
    assert path_in_tree(given, tree) == path
    assert path_in_tree(str(repo / path), tree) == path


def test_a_name_with_a_back_slash_is_kept(repo: Path) -> None:
    assert path_in_tree("web\\a.py", open_tree(repo), {r"web\\a.py"}) == r"web\\a.py"


def test_the_nearest_paths() -> None:
    known = ["web/headers.py", "web/header.py", "mail/headers.py", "docs/index.md"]
    assert nearest_paths("web/heders.py", known) == ["web/headers.py", "web/header.py", "mail/headers.py"]
    assert nearest_paths("headers.py", known)[0] in ("web/headers.py", "mail/headers.py")
    assert nearest_paths("zzz", known) == []
