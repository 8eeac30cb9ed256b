"""A small shop, as agents find it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

BASKET = '''"""The basket."""


class Basket:
    def __init__(self):
        self.items = []

    def total_price(self, discount=0):
        """The price of all items."""
        total = sum(item.price for item in self.items)
        return total - total * discount


def empty_basket():
    return Basket()
'''
MAIL = "def send_receipt(customer, basket):\n    return f'Dear {customer}, {basket.total_price()}'\n"
STOCK = "def count(shelf):\n    return len(shelf)\n"
ISSUE = (
    "Basket.total_price is wrong with a discount\n\nA discount of 10 percent makes the price negative: "
    "`Basket.total_price(discount=10)`."
)


WITHOUT_MEANING = '[retrieval]\nchannels = ["lexical", "structural", "graph"]\n'
"""Loading the embedder takes longer than all else here."""


@pytest.fixture
def issue() -> str:
    return ISSUE


@pytest.fixture
def repo(make_repository: Callable[..., Path]) -> Path:
    files = {"shop/basket.py": BASKET, "shop/mail.py": MAIL, "shop/stock.py": STOCK}
    return make_repository({**files, ".sherloc.toml": WITHOUT_MEANING})
