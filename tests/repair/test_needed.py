"""A generator that asks to see more code gets what is there, in bounds, and words for what is not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from repair.shop import ISSUE, SHOP, proposal
from sherloc.repair import ScriptedGenerator, fix

FILES = {
    "shop.py": SHOP,
    "bank/rates.py": (
        "def rate(name):\n    return RATES[name]\n\n\nclass Table:\n    def rate(self):\n        return 3\n"
    ),
    "bank/big.py": "".join(f"VALUE_{number} = {number}\n" for number in range(4000)),
    ".env": "KEY=1\n",
}


@pytest.fixture
def shop(make_repository: Callable[..., Path]) -> Path:
    return make_repository(FILES)


def wanting(*names: str) -> str:
    return json.dumps({"is_fixable": False, "reasoning": "I must see more.", "needed_code": names})


def test_a_file_and_a_function_are_shown(shop: Path) -> None:
    generator = ScriptedGenerator([wanting("bank/rates.py:Table.rate", "`bank/rates.py`"), proposal()])
    report = fix(ISSUE, shop, generator=generator)
    assert (report.outcome, report.produced_patches[0].attempts) == ("proposed", 2)
    first, second = generator.requests
    assert "bank/rates.py" not in first.sources
    assert second.context.startswith(first.context)
    more = second.context[len(first.context) :]
    assert "### bank/rates.py: Table.rate\n\n```python\n6|     def rate(self):\n7|         return 3\n```" in more
    assert "### bank/rates.py (whole)\n\n```python\n1| def rate(name):\n" in more
    assert second.sources["bank/rates.py"] == FILES["bank/rates.py"]
    assert (second.previous, second.problems) == ("", ())


def test_what_is_not_there_is_said_beside_what_is(shop: Path) -> None:
    names = ("bank/rate.py", "bank/rates.py:rates", "../x.py", ".env", "bank/rates.py:rate", "bank/big.py")
    generator = ScriptedGenerator([wanting(*names), proposal()])
    fix(ISSUE, shop, generator=generator, settings={"repair": {"context_tokens": 4000}})
    more = generator.requests[1].context.partition("## What you asked for")[2]
    notes = [line for line in more.splitlines() if line.startswith("- ")]
    assert len(notes) == 5
    assert "bank/rates.py" in notes[0]
    assert "Did you mean rate" in notes[1]
    assert notes[2].startswith("- ../x.py: ")
    assert notes[3].startswith("- .env: there is no such file, or it is not shown.")
    assert notes[4].startswith("- bank/big.py (whole) has no room")
    assert "KEY=1" not in more


def test_a_name_that_is_not_there_is_answered_too(shop: Path) -> None:
    generator = ScriptedGenerator([wanting("bank/rate.py"), proposal()])
    report = fix(ISSUE, shop, generator=generator)
    assert report.outcome == "proposed"
    assert "Did you mean bank/rates.py?" in generator.requests[1].context


def test_it_is_asked_a_bounded_number_of_times_and_the_ticket_is_not_blamed(shop: Path) -> None:
    generator = ScriptedGenerator(lambda _: wanting("bank/rates.py"))
    report = fix(ISSUE, shop, generator=generator)
    assert (report.outcome, len(generator.requests), report.comment) == ("failed", 3, "")
    assert report.produced_patches[0].problems == (
        "It could not go on without code that it asked to see: bank/rates.py.",
    )


def test_a_refused_proposal_after_a_look_keeps_what_was_shown(shop: Path) -> None:
    generator = ScriptedGenerator([wanting("bank/rates.py"), "nothing", proposal()])
    fix(ISSUE, shop, generator=generator)
    _, second, third = generator.requests
    assert third.context == second.context
    assert third.previous == "nothing"
