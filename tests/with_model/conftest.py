"""A small real repository with one fault, and settings for quick runs on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ISSUE = """Discount makes the price negative

A discount of 10 percent makes the price of a basket negative. `total_price(discount=10)` should take a tenth off.
"""
FAULTY = "shop/prices.py::reduced"

FILES = {
    "shop/__init__.py": "",
    "shop/basket.py": '''"""The basket."""

from shop.prices import reduced


class Basket:
    """Things that a customer wants."""

    def __init__(self):
        self.items = []

    def total_price(self, discount=0):
        """The price of all items, with a discount."""
        total = sum(item.price for item in self.items)
        return reduced(total, discount)
''',
    "shop/prices.py": '''"""Prices."""


def reduced(amount, percent):
    return amount - amount * percent


def rounded(amount):
    return round(amount, 2)
''',
    "shop/mail.py": "".join(
        f"def letter_{n}(to):\n    text = to\n    text = text.strip()\n    return text\n\n\n" for n in range(9)
    ),
    "shop/stock.py": "".join(f"def shelf_{n}(x):\n    y = x\n    y = y + {n}\n    return y\n\n\n" for n in range(9)),
    "docs/guide.md": "# Guide\n\nDiscounts are percents.\n",
    "tests/test_basket.py": "from shop.basket import Basket\n\n\ndef test_total():\n    Basket().total_price()\n",
}
SETTINGS = {"cache": {"workers": 1}, "vectors": {"embedder": "none"}, "models": {"first_wait_seconds": 0.0}}


@pytest.fixture
def repo(make_repository: Callable[..., Path]) -> Path:
    return make_repository(FILES, name="shop")


@pytest.fixture
def settings() -> dict[str, Any]:
    return {key: dict(value) for key, value in SETTINGS.items()}
