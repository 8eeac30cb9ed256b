"""Tests that resemble the issue lead to the code that they call, when that channel is asked for."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from sherloc import Locator, locate
from sherloc.indexer.builder import build_index
from sherloc.query import build_query
from sherloc.repository import open_tree
from sherloc.retriever.bridge import cues_of_tests
from sherloc.retriever.lexical import Bm25Settings
from sherloc.retriever.weights import Weights
from sherloc.schema.issue import Issue
from sherloc.settings import load_settings

Make = Callable[..., Path]
FILES = {
    "shop/engine.py": "def crunch(rows):\n    return rows\n\n\ndef polish(rows):\n    return rows\n",
    "shop/other.py": "def voucher_page():\n    return 1\n",
    "shop/paint.py": "def colour():\n    return 2\n",
    "tests/test_shop.py": (
        "from shop.engine import crunch, polish\nfrom shop.paint import colour\n\n\n"
        "def test_voucher_expired_twice():\n    assert crunch([1]) == polish([1])\n    colour()\n\n\n"
        "def test_voucher():\n    colour()\n"
    ),
}
ISSUE = Issue(title="An expired voucher is taken twice", body="A voucher that expired is taken twice.")
WITH_TESTS = {"retrieval": {"channels": ("lexical", "structural", "graph", "history", "tests")}}


def test_the_part_of_a_place_is_that_of_the_tests_that_call_it(make_repository: Make) -> None:
    settings = load_settings({"index": {"include_tests": True}, "cache": {"workers": 1}})
    index = build_index(open_tree(make_repository(FILES)), settings)
    terms = build_query(ISSUE).terms
    found = cues_of_tests(index, terms, Bm25Settings(1.2, 0.75), Weights())
    # The first test calls three places, two of them in engine.py; the second, one rank below, calls paint.py alone.
    engine = 2 / math.sqrt(3)
    paint = 1 / math.sqrt(3) + 1 / (1 + 1 / 5)
    assert found.reached == pytest.approx({"shop/engine.py": engine / paint, "shop/paint.py": 1.0})
    assert found.tests == dict.fromkeys(("shop/engine.py", "shop/paint.py"), "test_voucher_expired_twice")


def test_the_channel_adds_what_no_word_finds_and_is_off_by_default(make_repository: Make) -> None:
    repo = make_repository(FILES)
    plain, moved = locate(ISSUE, repo), locate(ISSUE, repo, settings=WITH_TESTS)

    assert [file.path for file in plain.ranked_files] == ["shop/other.py"]
    # Nothing ties the others to the issue's words; the name of a test does.
    assert [file.path for file in moved.ranked_files] == ["shop/other.py", "shop/paint.py", "shop/engine.py"]
    told = [[(s.channel, s.kind, s.detail) for s in file.signals] for file in moved.ranked_files[1:]]
    assert told == [[("tests", "test", "test_voucher_expired_twice")]] * 2


def test_tests_are_parsed_only_for_the_channel(make_repository: Make) -> None:
    repo = make_repository(FILES)
    with Locator(repo) as locator:
        assert locator.index().info.skipped == {"test": 1}
        locator.locate(ISSUE)
        assert locator.index().info.skipped == {"test": 1}


def test_no_tests_say_nothing(make_repository: Make) -> None:
    code = {path: text for path, text in FILES.items() if not path.startswith("tests/")}
    repo = make_repository(code)
    scores = [
        {file.path: file.score for file in locate(ISSUE, repo, settings=settings).ranked_files}
        for settings in ({"retrieval": {"channels": ("lexical", "structural", "graph", "history")}}, WITH_TESTS)
    ]
    assert scores[0] == scores[1]
