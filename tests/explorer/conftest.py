"""A tool belt over a small real repository with two commits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sherloc import Locator
from sherloc.explorer import ToolBelt

FILES = {
    "shop/basket.py": '''"""The basket."""

from shop.prices import reduced


class Basket:
    """Things that a customer wants."""

    def total_price(self, discount=0):
        """The price of all items."""
        return reduced(10, discount)


class Crate(Basket):
    def total_price(self, discount=0):
        return 0
''',
    "shop/prices.py": '"""Prices."""\n\n\ndef reduced(amount, percent):\n    return amount - amount * percent\n',
    "shop/wide.py": "VALUES = [\n" + "".join(f"    {n},\n" for n in range(600)) + "]\n",
    "docs/guide.md": "# Guide\n\nDiscounts are percents.\n",
    "tests/test_basket.py": "from shop.basket import Basket\n",
    ".env": "PASSWORD=hunter2hunter2\n",
}
SETTINGS = {"cache": {"workers": 1}, "vectors": {"embedder": "none"}}


@pytest.fixture
def repo(make_repository: Callable[..., Path], git_tools: Any) -> Path:
    root = make_repository(FILES, name="shop")
    git_tools.put(
        root, {"shop/prices.py": FILES["shop/prices.py"] + "\n", "shop/basket.py": FILES["shop/basket.py"] + "\n"}
    )
    git_tools.commit(root, "Round the price of a basket")
    return root


@pytest.fixture
def belt(repo: Path) -> ToolBelt:
    return Locator(repo, settings=SETTINGS).tools()
