"""What stands around a place: whole functions and skeletons, within a number of tokens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sherloc.agents import ContextAnswer, get_context
from sherloc.agents.answers import MOST_BYTES
from sherloc.agents.surroundings import MOST_TOKENS, surroundings_of
from sherloc.locator import Locator
from sherloc.tokens import estimate_tokens

PLAIN = {"vectors": {"embedder": "none"}}
OWN = '''\
 1| """The basket."""
 2|
 3|
 4| class Basket:
 5|     def __init__(self):
 6|         self.items = []
 7|
 8|     def total_price(self, discount=0):
 9|         """The price of all items."""
10|         ...
12|
13|
14| def empty_basket():
15|     ...
'''


def method(name: str, lines: int) -> str:
    body = "".join(f"        value_{n} = {n} * self.rate\n" for n in range(lines))
    return f'    def {name}(self):\n        """Computes {name}."""\n{body}        return value_0\n\n'


def tokens(answer: ContextAnswer) -> int:
    return sum(estimate_tokens(piece.code) for piece in (*answer.pieces, *answer.skeletons))


def test_the_file_of_a_place_and_the_files_beside_it(repo: Path) -> None:
    answer = get_context("shop/basket.py", str(repo), line=10)
    own, *others = answer.skeletons
    assert (own.path, own.level, own.purpose, own.code) == ("shop/basket.py", "skeleton", "the place's own file", OWN)
    assert [(each.path, each.level, each.purpose) for each in others] == [
        ("shop/mail.py", "skeleton", "beside it"), ("shop/stock.py", "whole", "beside it"),
    ]  # fmt: skip
    # The caller of the place is shown whole, so it has no body in its file.
    (caller,) = [piece for piece in answer.pieces if piece.path == "shop/mail.py"]
    assert caller.code.splitlines()[-1] not in others[0].code
    assert others[1].code == "1| def count(shelf):\n2|     return len(shelf)\n"
    assert (answer.truncated, answer.left_out, answer.how_to_go_on) == (False, (), "")


def test_a_file_that_is_the_place_has_no_skeleton_beside(repo: Path) -> None:
    answer = get_context("shop/stock.py", str(repo))
    assert "shop/stock.py" not in [each.path for each in answer.skeletons]


def test_a_long_function_goes_on_at_the_line_that_is_told(make_repository: Callable[..., Path]) -> None:
    body = "".join(f"    value_{n} = '{'price ' * 12}'\n" for n in range(150))
    repo = make_repository({"a.py": f"def long():\n{body}    return 0\n"})
    first = get_context("a.py", str(repo), function="long", settings=PLAIN)
    (piece,) = first.pieces
    assert first.truncated
    assert first.how_to_go_on == f"Ask with line {piece.end_line + 1} for what follows."
    assert piece.code.count("\n") == piece.end_line - piece.start_line
    (second, *_) = get_context("a.py", str(repo), line=piece.end_line + 1, settings=PLAIN).pieces
    assert second.start_line <= piece.end_line + 1 <= second.end_line


@pytest.mark.parametrize("place", [{"function": "Rates"}, {}])
def test_a_long_class_or_module_is_shown_by_its_heads(
    make_repository: Callable[..., Path], place: dict[str, str]
) -> None:
    methods = "".join(method(f"rate_{n}", 30) for n in range(12))
    repo = make_repository({"a.py": f"import os\n\n\nclass Rates:\n{methods}"})
    answer = get_context("a.py", str(repo), settings=PLAIN, **place)  # type: ignore[arg-type]
    first = answer.pieces[0]
    assert first.purpose == "the place itself, without bodies"
    assert [f"def rate_{n}(self):" in first.code for n in range(12)] == [True] * 12
    assert "value_3" not in first.code
    assert answer.how_to_go_on == "Ask for one of its functions by name, or with a line of it."
    assert "a.py" not in [each.path for each in answer.skeletons]


def test_callers_are_whole_or_named(make_repository: Callable[..., Path]) -> None:
    long = "".join(f"    value_{n} = total({n}, 'a long argument')\n" for n in range(300))
    files = {"a.py": "def total(x, y):\n    return x\n", "b.py": f"from a import total\n\n\ndef far():\n{long}"}
    answer = get_context("a.py", str(make_repository(files)), function="total", settings=PLAIN)
    assert [piece.name for piece in answer.pieces] == ["total"]
    assert answer.left_out == ("b.py:4 far calls total",)
    assert answer.truncated
    assert answer.how_to_go_on == "Ask for what was left out by its path and name."


def test_of_a_long_file_the_heads_nearest_to_the_place_are_shown(make_repository: Callable[..., Path]) -> None:
    methods = "".join(method(f"computes_the_rate_of_number_{n}", 3) for n in range(120))
    repo = make_repository({"a.py": f"class Rates:\n{methods}"})
    answer = get_context("a.py", str(repo), function="computes_the_rate_of_number_60", settings=PLAIN)
    (own,) = answer.skeletons
    rows = own.code.split("\n")
    assert own.level == "part"
    assert rows[0].endswith("| ...") and rows[-2].endswith("| ...")
    shown = [n for n in range(120) if f"number_{n}(" in own.code]
    assert shown == list(range(shown[0], shown[-1] + 1))
    assert shown[0] < 60 < shown[-1]


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(most=st.integers(200, MOST_TOKENS), line=st.integers(1, 15))
def test_any_place_keeps_to_the_budget(repo: Path, most: int, line: int) -> None:
    with Locator(str(repo), settings=PLAIN) as locator:
        index, sources = locator.read()
    held = {unit: index.snippet(unit) for unit in index.units_of("shop/basket.py")}
    unit = min((u for u, each in held.items() if each.start_line <= line <= each.end_line), default=0)
    answer = surroundings_of(unit, index, sources, max_tokens=most)
    assert answer == surroundings_of(unit, index, sources, max_tokens=most)
    assert tokens(answer) <= most * 1.05
    assert len(answer.model_dump_json().encode()) <= MOST_BYTES
