from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sherloc import locate
from sherloc.retriever.places import is_aside, is_package, is_testing

Make = Callable[..., Path]
FILES = {
    "shop/basket.py": (
        "class Basket:\n    def add(self, item):\n"
        "        raise ValueError(f'basket {item} is already full of things')\n\n"
        "    def __pow__(self, n):\n        return n\n"
    ),
    "shop/orders.py": "from shop.basket import Basket\n\n\ndef place(basket):\n    return Basket().add(basket)\n",
    "shop/q.py": "class Q:\n    def combine(self):\n        pass\n",
    "shop/options.py": "def load(parser):\n    parser.add('--dry-run', dest='dry_run')\n\n\ndef dry_run():\n    pass\n",
    "shop/noise.py": "def noise():\n    return 'combine place load options'\n",
}

WORDS_AND_NAMES = {"retrieval": {"channels": ("lexical", "structural", "graph")}}


@pytest.mark.parametrize(
    ("issue", "function", "kind"),
    [
        ("Wrong result of `Basket.add`", "Basket.add", "qualified_name"),
        ("Something is off in `place`", "place", "defined_name"),
        ("`b ** 2` gives nonsense", "Basket.__pow__", "defined_name"),
        ("The flag --dry-run is ignored", "dry_run", "defined_name"),
        (
            'Crash\n\nTraceback (most recent call last):\n  File "/site-packages/shop/orders.py", line 5, in place\n'
            "    return Basket().add(basket)\nKeyError: 3",
            "place",
            "traceback",
        ),
        ("Error\n\n`ValueError: basket 12 is already full of things`", "Basket.add", "message"),
    ],
)
def test_what_the_issue_names_is_found_and_told(make_repository: Make, issue: str, function: str, kind: str) -> None:
    report = locate(issue, make_repository(FILES))
    first = report.ranked_functions[0]
    assert first.qualified_name == function
    assert kind in {signal.kind for signal in first.signals}


def test_a_one_letter_class_is_found(make_repository: Make) -> None:
    assert locate("`Q` objects cannot be joined", make_repository(FILES)).ranked_files[0].path == "shop/q.py"


def test_the_caller_of_the_culprit_is_shown_as_context(make_repository: Make) -> None:
    report = locate("Wrong result of `Basket.add`", make_repository(FILES), settings=WORDS_AND_NAMES)
    first = report.brief.global_context[0]
    assert (first.file_path, first.purpose, first.start_line, first.end_line) == (
        "shop/orders.py",
        "calls Basket.add",
        4,
        5,
    )


def test_places_where_faults_seldom_lie() -> None:
    assert is_aside("examples/a.py") and is_aside("setup.py") and not is_aside("pkg/examples/a.py")
    assert is_testing("pkg/testing/a.py") and not is_testing("pkg/testing.py")
    assert is_package("pkg/__init__.py") and not is_package("pkg/init.py")
