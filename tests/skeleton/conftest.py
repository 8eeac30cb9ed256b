"""A small shop under git, with callers and imports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

FILES: dict[str, str | bytes] = {
    "shop/__init__.py": "",
    "shop/basket.py": '''"""The basket."""

from shop.price import price_of


class Basket:
    """Things that a customer wants."""

    def __init__(self, items):
        self.items = items

    def total(self, discount=0):
        """The price of all."""
        total = sum(price_of(item) for item in self.items)
        return total - discount

    def clear(self):
        while self.items:
            self.items.pop()
''',
    "shop/price.py": '''"""Prices."""


def price_of(item):
    """The price of an item."""
    if item.price is None:
        raise ValueError("no price")
    return item.price
''',
    "shop/mail.py": """from shop.basket import Basket


def receipt(customer, items):
    basket = Basket(items)
    return f"Dear {customer}: {basket.total()}"
""",
    "shop/stock.py": "def count(shelf):\n    total = len(shelf)\n    return total\n",
    "other/far.py": "def far():\n    x = 1\n    return x\n",
}


@pytest.fixture
def shop(make_repository: Callable[..., Path], without_git_configuration: None) -> Path:
    return make_repository(FILES, name="shop-project")
