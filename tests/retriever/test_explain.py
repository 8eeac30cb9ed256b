"""The retriever says why a file stands where it does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sherloc import Locator
from sherloc.query import build_query
from sherloc.retriever import Explainer, Retriever
from sherloc.retriever.weights import Weights
from sherloc.schema.issue import Issue
from sherloc.settings import RetrievalSettings

FILES = {
    "shop/basket.py": "def total_price(items):\n    return sum(items)\n\n\ndef empty():\n    return []\n",
    "shop/mail.py": "def send(price):\n    return price\n",
    "shop/stock.py": "def count(shelf):\n    return len(shelf)\n",
    "shop/__init__.py": "",
    "docs/basket.md": "The total price.\n",
    "docs/other.md": "Nothing of it.\n",
}


@pytest.fixture
def explainer(make_repository: Callable[..., Path]) -> Explainer:
    index = Locator(make_repository(FILES, git=False), settings={"cache": {"workers": 1}}).index()
    query = build_query(Issue.from_text("total_price is wrong, quokka"))
    return Explainer(Retriever(query, index, RetrievalSettings(), Weights()), 50)


def test_the_best_file(explainer: Explainer) -> None:
    best = explainer.file("shop/basket.py")
    assert best is not None
    assert (best.rank, best.ranked, best.is_side, best.is_empty) == (1, 2, False, False)
    assert best.chance and best.score > 0
    assert {word for word, _, _ in best.words} == {"price", "total", "totalprice"}
    assert [(f.rank, f.qualified_name, f.start_line, f.end_line) for f in best.functions][0] == (1, "total_price", 1, 2)
    assert best.signals == tuple(sorted(best.signals, key=lambda s: (-s.score, s.kind, s.detail)))


def test_another_file(explainer: Explainer) -> None:
    second = explainer.file("shop/mail.py")
    assert second is not None
    assert (second.rank, second.ranked) == (2, 2)
    assert {word for word, _, _ in second.words} == {"price"}
    assert "total" in second.lacks


def test_files_without_a_rank(explainer: Explainer) -> None:
    none, empty = explainer.file("shop/stock.py"), explainer.file("shop/__init__.py")
    assert none is not None and empty is not None
    assert (none.rank, none.words, none.functions, none.is_empty) == (None, (), (), False)
    assert (empty.rank, empty.chance, empty.score) == (None, None, 0.0)


def test_side_files(explainer: Explainer) -> None:
    side, other = explainer.file("docs/basket.md"), explainer.file("docs/other.md")
    assert side is not None and other is not None
    assert (side.is_side, side.rank, side.ranked) == (True, 3, 3)
    assert (other.is_side, other.rank, other.words) == (True, None, ())


def test_a_file_that_is_not_there(explainer: Explainer) -> None:
    assert explainer.file("shop/nowhere.py") is None
