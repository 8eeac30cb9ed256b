from __future__ import annotations

import pytest

from sherloc.errors import DataError
from sherloc.evaluation.comparing import CONTEXT_MEASURES, compare, comparison_record, comparison_table
from sherloc.evaluation.gold import Gold
from sherloc.evaluation.instances import Instance
from sherloc.evaluation.predictions import Prediction
from sherloc.evaluation.scores import Scored, score

GOLD = Gold(files=["a.py"], lines=[("a.py", 1)], chunks=[("a.py", 1, 1)])
IDS = [f"i{n}" for n in range(8)]


def run(name: str, right: str, **fields: object) -> Scored:
    """A run whose first file is right where there is a 1."""
    predictions = {
        key: Prediction(instance_id=key, files=("a.py",) if mark == "1" else ("x.py", "a.py"), **fields)  # type: ignore[arg-type]
        for key, mark in zip(IDS, right, strict=True)
    }
    return score(name, predictions, [Instance(key, "o/r", "c", "t") for key in IDS], dict.fromkeys(IDS, GOLD))


def test_gained_lost_and_their_tests_by_hand() -> None:
    (pair,) = compare(run("old", "11000000"), run("new", "01111111"), ["file Acc@1"])
    assert (pair.n, pair.first, pair.second, pair.difference) == (8, 0.25, 0.875, 0.625)
    assert (pair.lost, pair.gained) == (("i0",), ("i2", "i3", "i4", "i5", "i6", "i7"))
    assert pair.p_sign == pytest.approx(2 * (1 + 7) / 2**7)  # 6 of 7 discordant pairs
    assert pair.low <= pair.difference <= pair.high
    assert pair.q == pair.p_sign


def test_graded_measures_use_the_sign_and_the_randomization_test() -> None:
    (pair,) = compare(run("old", "00000000"), run("new", "11110000"), ["file MRR"])
    assert (pair.difference, len(pair.gained), pair.lost) == (0.25, 4, ())
    assert pair.p_sign == pytest.approx(2 / 16)
    assert pair.p_mean == pytest.approx(2 / 16, abs=0.02)


def test_less_is_better_for_costs() -> None:
    (pair,) = compare(run("old", "1" * 8, seconds=2.0), run("new", "1" * 8, seconds=1.0), ["seconds"])
    assert (pair.difference, len(pair.gained), len(pair.lost)) == (-1.0, 8, 0)


def test_two_context_modes() -> None:
    whole = run("whole", "1" * 8, context_tokens=900, cost=0.5, tests_passed=True, unknown_names=0)
    short = run("short", "1" * 8, context_tokens=300, cost=0.2, tests_passed=True, unknown_names=1)
    pairs = {pair.name: pair for pair in compare(whole, short, CONTEXT_MEASURES)}
    assert set(pairs) == {"context tokens", "cost", "tests passed", "unknown names"}
    assert (pairs["context tokens"].second, len(pairs["context tokens"].gained)) == (300, 8)
    assert len(pairs["unknown names"].lost) == 8


def test_equal_runs_differ_by_chance_only() -> None:
    pairs = compare(run("a", "10101010"), run("b", "10101010"))
    assert all((pair.p_sign, pair.p_mean, pair.difference) == (1, 1, 0) for pair in pairs)
    assert all((pair.low, pair.high) == (0, 0) for pair in pairs)


def test_only_what_both_have_on_the_same_instances() -> None:
    with pytest.raises(DataError, match="none of the measures"):
        compare(run("a", "1" * 8), run("b", "1" * 8), ["cost"])
    other = score("c", {}, [Instance("z", "o/r", "c", "t")], {"z": GOLD})
    with pytest.raises(DataError, match="different instances"):
        compare(run("a", "1" * 8), other)


def test_the_table_and_the_record() -> None:
    pairs = compare(run("old", "11000000"), run("new", "01111111"), ["file Acc@1"])
    assert comparison_table(pairs, "old", "new")[2].startswith("| file Acc@1 | 8 | 25.0 | 87.5 | +62.5 (")
    record = comparison_record(pairs, "old", "new")
    assert record["measures"][0]["lost"] == ("i0",)
