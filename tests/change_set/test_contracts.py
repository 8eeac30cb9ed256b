"""The class around a method that must change, as the brief shows it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from sherloc import locate
from sherloc.change_set.contracts import contract_of
from sherloc.schema.snippet import Snippet

STOCK = '''\
import os


class Stock(Base):
    """What is on the shelves."""

    limit: int = 10

    def __init__(self, shelves):
        # Kept as they come.
        self.shelves = list(shelves)

    def count(self, kind: str = "") -> int:
        """How many."""
        found = [shelf for shelf in self.shelves if kind in shelf]
        return len(found)


def other():
    return 1
'''
JAVA = """\
class Stock extends Base {
    private int limit = 10;

    /** How many. */
    int count(String kind) {
        int found = 0;
        return found + limit;
    }
}
"""


def shown(text: str, language: str, last: int, near: int, first: int = 1, **options: int) -> list[str]:
    piece = contract_of(
        Snippet("a", "Stock", "class", first, last, language=language), near, "is shown", text, **options
    )
    assert piece is not None
    assert (piece.file_path, piece.purpose, piece.start_line, piece.end_line) == ("a", "is shown", first, last)
    return piece.snippet.split("\n")


def test_heads_and_attributes_stay() -> None:
    assert shown(STOCK, "python", 16, 13, first=4) == [
        "class Stock(Base):",
        "    limit: int = 10",
        "    def __init__(self, shelves):",
        "        self.shelves = list(shelves)",
        '    def count(self, kind: str = "") -> int:',
    ]
    assert shown(JAVA, "java", 9, 5) == [
        "class Stock extends Base {",
        "    private int limit = 10;",
        "    int count(String kind) { /* ... */ }",
        "}",
    ]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 120), st.integers(1, 250), st.integers(8, 40))
def test_a_long_class_is_cut_around_the_line(methods: int, near: int, most: int) -> None:
    text = "class A:\n" + "".join(f"    def m_{n}(self):\n        return {n}\n" for n in range(methods))
    last = 1 + 2 * methods
    rows = shown(text, "python", last, near, most_lines=most)
    assert len(rows) <= most
    assert rows[0] == "class A:"
    assert sum("def m_" in row for row in rows) == min(methods, len(rows) - 1 - rows.count("..."))
    if 2 <= near <= last:
        assert f"    def m_{min((near - 1) // 2, methods - 1)}(self):" in rows


def test_a_span_that_the_file_no_longer_has() -> None:
    assert contract_of(Snippet("a", "A", "class", 90, 99, language="python"), 91, "is shown", STOCK) is None


def test_the_brief_has_callers_first_then_the_class(make_repository: Callable[..., Path]) -> None:
    methods = "".join(f"    def other_{n}(self, value):\n        return value * {n}\n\n" for n in range(20))
    text = STOCK.replace('    def count(self, kind: str = "")', f'{methods}    def count(self, kind: str = "")')
    files = {"shop/stock.py": text, "shop/mail.py": "def mail(stock):\n    return stock.count('x')\n"}
    repo = make_repository(files)
    issue = "`Stock.count` counts shelves that do not match"
    report = locate(issue, repo, settings={"vectors": {"embedder": "none"}})
    caller, owner = report.brief.global_context[0], report.brief.global_context[-1]
    assert (caller.file_path, caller.purpose) == ("shop/mail.py", "calls Stock.count")
    assert (owner.file_path, owner.purpose) == ("shop/stock.py", "is the class of Stock.count, without bodies")
    assert "    def __init__(self, shelves):" not in owner.snippet.split("\n")[4:]
    assert owner.snippet.split("\n")[-1] == '    def count(self, kind: str = "") -> int:'
    again = locate(issue, repo, settings={"vectors": {"embedder": "none"}})
    assert again.brief == report.brief


def test_a_class_that_the_change_set_shows_whole_is_not_shown_again(make_repository: Callable[..., Path]) -> None:
    report = locate("`Stock.count` is wrong", make_repository({"shop/stock.py": STOCK}))
    assert report.change_sets[0].target_location.function_name == "Stock.count"
    assert not [each for each in report.brief.global_context if "class of" in each.purpose]
