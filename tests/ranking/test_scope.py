"""``scope``: only files under some folders, or that match some globs, are candidates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sherloc import Locator, Report
from sherloc.errors import UsageError

_FUNCTION = "def send_letter(address):\n    return 'letter to ' + address\n"
_FILES = {
    "mail/letters.py": _FUNCTION,
    "mail/inner/letters.py": _FUNCTION,
    "mailing/letters.py": _FUNCTION,
    "post/letters.js": "function sendLetter(address) {\n  return 'letter to ' + address;\n}\n",
    "letters.py": _FUNCTION,
    "post/letters.md": "How to send a letter to an address.\n",
}
_ISSUE = "send_letter() forgets the address of a letter"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    for path, content in _FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def locator(root: Path) -> Locator:
    return Locator(root, settings={"cache": {"workers": 1}})


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ((), set(_FILES)),
        (("mail",), {"mail/letters.py", "mail/inner/letters.py"}),
        (("mail/",), {"mail/letters.py", "mail/inner/letters.py"}),
        (("./mail/",), {"mail/letters.py", "mail/inner/letters.py"}),
        (("mail/inner",), {"mail/inner/letters.py"}),
        (("letters.py",), {"letters.py"}),
        (("*.js",), {"post/letters.js"}),
        (("post/*",), {"post/letters.js", "post/letters.md"}),
        (("mail*/letters.py",), {"mail/letters.py", "mail/inner/letters.py", "mailing/letters.py"}),
        (("mail/inner/", "*.md"), {"mail/inner/letters.py", "post/letters.md"}),
        (("mail", "mail/letters.py"), {"mail/letters.py", "mail/inner/letters.py"}),
        ("mail", {"mail/letters.py", "mail/inner/letters.py"}),
        (["mail"], {"mail/letters.py", "mail/inner/letters.py"}),
        (("mail//",), {"mail/letters.py", "mail/inner/letters.py"}),
        ((".\\mail\\inner\\",), {"mail/inner/letters.py"}),
        (("mail\\*.py",), {"mail/letters.py", "mail/inner/letters.py"}),
        (("post/../mail/inner",), {"mail/inner/letters.py"}),
        (("**/letters.py",), {path for path in _FILES if path.endswith(".py")}),
        (("*/inner",), {"mail/inner/letters.py"}),
        ((Path("mail"), Path("post/letters.js")), {"mail/letters.py", "mail/inner/letters.py", "post/letters.js"}),
        (Path("mail/inner"), {"mail/inner/letters.py"}),
        ({"mail", "post"}, set(_FILES) - {"mailing/letters.py", "letters.py"}),
        (iter(["mail/inner"]), {"mail/inner/letters.py"}),
        ("", set(_FILES)),
        (".", set(_FILES)),
        ("./", set(_FILES)),
        (("mail", "."), set(_FILES)),
        ("*", set(_FILES)),
    ],
)
def test_scope(locator: Locator, scope: Any, expected: set[str]) -> None:
    report = locator.locate(_ISSUE, scope=scope)
    assert {file.path for file in report.ranked_files} == expected
    code = {path for path in expected if not path.endswith(".md")}
    assert {function.path for function in report.ranked_functions} == code
    assert {each.file_path for each in report.change_sets} <= expected


@pytest.mark.parametrize("part", ["", ".", "mail", "mail/", "mail/inner/letters.py", "mail/*"])
def test_an_absolute_scope(locator: Locator, root: Path, part: str) -> None:
    expected = {file.path for file in locator.locate(_ISSUE, scope=part).ranked_files}
    assert {file.path for file in locator.locate(_ISSUE, scope=f"{root}/{part}").ranked_files} == expected


def test_an_absolute_scope_through_a_link(locator: Locator, root: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(root, target_is_directory=True)
    assert {f.path for f in locator.locate(_ISSUE, scope=link / "mail/inner").ranked_files} == {"mail/inner/letters.py"}


@pytest.mark.parametrize(
    ("scope", "words", "hint"),
    [
        ("nowhere/", "'nowhere/' matches nothing", "relative"),
        ("mai", "'mai' matches nothing", "mail"),
        (("mail", "pots"), "'pots' matches nothing", "post"),
        ("mail/leters.py", "'mail/leters.py' matches nothing", "mail/letters.py"),
        ("*.rs", "'*.rs' matches nothing", ""),
        ("letters", "'letters' matches nothing", "letters.py"),
        ("Mail", "'Mail' matches nothing", "mail"),
        ("mail, post", "'mail, post' matches nothing", ""),
        ("..", "'..' lies outside", "relative"),
        ("../mail", "'../mail' lies outside", "relative"),
        ("mail/../..", "lies outside", "relative"),
        ("/", "'/' lies outside", "relative"),
        ("/nowhere/at/all", "'/nowhere/at/all' lies outside", "relative"),
        ("/a\0b", "lies outside", "relative"),
        ("a\0b", "matches nothing", ""),
        (["mail", 5], "must be a path or glob, not int", "scope=["),
        (["mail", None], "must be a path or glob, not None", "scope=["),
        ([b"mail"], "must be a path or glob, not bytes", "scope=["),
        (None, "must be paths or globs, not None", "scope=["),
        (5, "must be paths or globs, not int", "scope=["),
        (b"mail", "must be paths or globs, not bytes", "scope=["),
        ({"mail": 1}, "must be paths or globs, not dict", "scope=["),
    ],
)
def test_a_scope_that_cannot_be_meant(locator: Locator, scope: Any, words: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        locator.locate(_ISSUE, scope=scope)
    assert words in caught.value.message
    assert hint in caught.value.hint


def test_a_scope_without_candidates_says_so(find: Callable[..., Report]) -> None:
    files = {"shop/a.py": _FUNCTION, "tests/test_a.py": _FUNCTION, "other/b.py": "def unrelated():\n    return 1\n"}
    report = find(files, _ISSUE, scope="tests")
    assert (report.ranked_files, report.confidence) == ((), "low")
    assert "No file of the scope is a candidate" in report.confidence_reasons[-1]
    report = find(files, "quokka breaks", scope="other")
    assert report.confidence_reasons[-1] == "No file of the scope shares a telling word with the issue."
    report = find(files, "quokka breaks")
    assert report.confidence_reasons[-1] == "No file shares a telling word with the issue."


def test_scope_of_one_call_does_not_stay(locator: Locator) -> None:
    first = locator.locate(_ISSUE).ranked_files
    locator.locate(_ISSUE, scope=["post"])
    assert locator.locate(_ISSUE).ranked_files == first


def test_scope_may_be_any_sequence(locator: Locator) -> None:
    assert locator.locate(_ISSUE, scope=["mail"]).ranked_files == locator.locate(_ISSUE, scope=("mail",)).ranked_files
