"""``scope``: only files under some folders, or that match some globs, are candidates."""

from __future__ import annotations

import pytest

from sherloc import Locator

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
def locator(tmp_path_factory: pytest.TempPathFactory) -> Locator:
    folder = tmp_path_factory.mktemp("repository")
    for path, content in _FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content, encoding="utf-8")
    return Locator(folder, settings={"cache": {"workers": 1}})


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
        (("nowhere/",), set()),
        (("mai",), set()),
    ],
)
def test_scope(locator: Locator, scope: tuple[str, ...], expected: set[str]) -> None:
    report = locator.locate(_ISSUE, scope=scope)
    assert {file.path for file in report.ranked_files} == expected
    code = {path for path in expected if not path.endswith(".md")}
    assert {function.path for function in report.ranked_functions} == code
    assert {each.file_path for each in report.change_sets} <= expected
    if not expected:
        assert report.confidence == "low" and report.confidence_reasons


def test_scope_of_one_call_does_not_stay(locator: Locator) -> None:
    first = locator.locate(_ISSUE).ranked_files
    locator.locate(_ISSUE, scope=["post"])
    assert locator.locate(_ISSUE).ranked_files == first


def test_scope_may_be_any_sequence(locator: Locator) -> None:
    assert locator.locate(_ISSUE, scope=["mail"]).ranked_files == locator.locate(_ISSUE, scope=("mail",)).ranked_files
