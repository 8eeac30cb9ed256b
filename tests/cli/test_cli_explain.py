"""``sherloc explain``: each way in which a file can stand for an issue."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
Git = Callable[..., str]
Write = Callable[[Path, dict[str, str]], None]


@pytest.fixture
def explained(run: Run, repo: Path, issue: Path) -> Callable[..., dict[str, Any]]:
    def explain(path: str, *more: str) -> dict[str, Any]:
        result = run("explain", issue, path, "--repo", repo, "--json", *more)
        assert result.exit_code == 0, result.output
        value: dict[str, Any] = json.loads(result.stdout)
        return value

    return explain


def test_the_best_file(explained: Callable[..., dict[str, Any]]) -> None:
    value = explained("shop/basket.py")
    assert value["standing"] == "ranked"
    assert value["rank"] == 1
    assert value["chance"] is not None
    assert {"discount", "basket"} <= {each["word"] for each in value["words"]}
    assert all(each["weight"] > 0 for each in value["words"])
    assert value["signals"]
    assert value["functions"][0]["qualified_name"] == "Basket.total_price"
    assert value["functions"][0]["rank"] == 1


def test_ranks_agree_with_locate(run: Run, repo: Path, issue: Path, explained: Callable[..., dict[str, Any]]) -> None:
    report = json.loads(run("locate", issue, "--repo", repo, "--json").stdout)
    code = [file["path"] for file in report["ranked_files"] if file["path"].endswith(".py")]
    assert [explained(path)["rank"] for path in code] == list(range(1, len(code) + 1))
    best = {f["qualified_name"]: rank for rank, f in enumerate(report["ranked_functions"], 1)}
    for function in explained("shop/basket.py")["functions"]:
        assert best[function["qualified_name"]] == function["rank"]


def test_words_for_a_person(run: Run, repo: Path, issue: Path) -> None:
    text = run("explain", issue, "shop/basket.py", "--repo", repo).stdout
    assert text.startswith("shop/basket.py · rank 1 of ")
    for title in ("Signs", "Words of the issue that it holds", "Its best functions"):
        assert f"\n{title}" in text


def test_a_file_below_the_list(explained: Callable[..., dict[str, Any]]) -> None:
    value = explained("shop/mail.py", "--set", "output.top=1")
    assert value["standing"] == "ranked"
    assert value["reason"].startswith("It is below the first 1.")


@pytest.mark.parametrize(
    ("path", "standing", "words"),
    [
        ("shop/stock.py", "no_shared_term", "It scores 0"),
        ("tests/test_basket.py", "skipped", "It is a test file"),
        ("vendor/left.py", "skipped", "vendored"),
        ("data.xyz", "unknown_kind", "no parser"),
        ("docs/basket.md", "side_file", "ranked below all code"),
        ("shop", "folder", "It is a folder"),
        (".", "folder", "It is a folder"),
    ],
)
def test_without_a_rank(explained: Callable[..., dict[str, Any]], path: str, standing: str, words: str) -> None:
    value = explained(path)
    assert value["standing"] == standing
    assert words in value["reason"]


def test_a_folder_names_its_best_files(explained: Callable[..., dict[str, Any]]) -> None:
    assert explained("shop")["instead"][0] == "shop/basket.py"


def test_tests_are_candidates_when_asked_for(explained: Callable[..., dict[str, Any]]) -> None:
    assert explained("tests/test_basket.py", "--include-tests")["standing"] == "ranked"


def test_out_of_scope(explained: Callable[..., dict[str, Any]]) -> None:
    value = explained("shop/basket.py", "--scope", "docs")
    assert value["standing"] == "out_of_scope"
    assert value["reason"] == "It is not in the scope: docs."


def test_left_out_by_a_setting(explained: Callable[..., dict[str, Any]]) -> None:
    assert "index.exclude" in explained("shop/basket.py", "--set", "index.exclude=shop/*")["reason"]


def test_too_large_is_found_when_it_is_read(explained: Callable[..., dict[str, Any]], repo: Path, write: Write) -> None:
    write(repo, {"shop/big.py": f"X = '{'a' * 4000}'\n"})
    value = explained("shop/big.py", "--set", "index.max_file_bytes=3000")
    assert value["standing"] == "skipped"
    assert "too large" in value["reason"]


def test_ignored_by_git(explained: Callable[..., dict[str, Any]], repo: Path, write: Write) -> None:
    write(repo, {"ignored.py": "def f():\n    return 1\n"})
    assert explained("ignored.py")["standing"] == "ignored"


def test_not_in_an_old_revision(explained: Callable[..., dict[str, Any]], repo: Path, write: Write, git: Git) -> None:
    write(repo, {"shop/new.py": "def f():\n    return 1\n"})
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "two")
    assert explained("shop/new.py", "--rev", "HEAD~1")["standing"] == "ignored"


@pytest.mark.parametrize("path", ["./shop/basket.py", "shop\\basket.py", "shop/basket.py/"])
def test_paths_as_people_write_them(explained: Callable[..., dict[str, Any]], path: str) -> None:
    assert explained(path)["path"] == "shop/basket.py"


def test_an_absolute_path(explained: Callable[..., dict[str, Any]], repo: Path) -> None:
    assert explained(str(repo / "shop" / "basket.py"))["path"] == "shop/basket.py"


@pytest.mark.parametrize("path", ["shop/baskt.py", "store/basket.py", "basket.py", "shop/Basket.py"])
def test_a_path_that_does_not_exist_gets_the_nearest(run: Run, repo: Path, issue: Path, path: str) -> None:
    result = run("explain", issue, path, "--repo", repo)
    assert result.exit_code == 2
    assert f"error: There is no {path!r} in shop-project." in result.stderr
    assert "Did you mean shop/basket.py" in result.stderr


def test_a_path_like_no_other(run: Run, repo: Path, issue: Path) -> None:
    result = run("explain", issue, "../../etc/passwd", "--repo", repo)
    assert result.exit_code == 2
    assert "Did you mean" not in result.stderr
