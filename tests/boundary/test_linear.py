"""No rule takes more than linear time: on what it looks for, on the beginnings of that, said again and again."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from sherloc.boundary import criteria_in, fence, scan, scan_diff
from sherloc.boundary.rules import RULES, Rule

if sys.version_info >= (3, 11):
    from re import _parser as parser
else:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        import sre_parse as parser

SECONDS_PER_CHARACTER = 20e-6
"""Far above what a rule takes (about 1e-6), far below what a quadratic one does at this length."""


def samples(tree: Any, most: bool) -> str:
    """A text that a parsed expression matches, with few or many of what may repeat."""
    made = []
    for name, value in tree:
        kind = str(name)
        if kind == "LITERAL":
            made.append(chr(value))
        elif kind == "IN":
            made.append(member(value))
        elif kind == "BRANCH":
            made.append(samples(value[1][-1 if most else 0], most))
        elif kind == "SUBPATTERN":
            made.append(samples(value[3], most))
        elif kind in ("MAX_REPEAT", "MIN_REPEAT"):
            low, high, inner = value
            made.append(samples(inner, most) * (min(int(high), 6) if most else low))
        elif kind in ("NOT_LITERAL", "ANY"):
            made.append("q")
    return "".join(made)


def member(values: Any) -> str:
    kind, value = values[0]
    if str(kind) == "LITERAL":
        return chr(value)
    if str(kind) == "RANGE":
        return chr(value[0])
    return {"CATEGORY_SPACE": " ", "CATEGORY_DIGIT": "3"}.get(str(value), "q")


def pieces(rule: Rule) -> Iterator[str]:
    tree = parser.parse(rule.source)
    branches = tree[0][1][1] if len(tree) == 1 and str(tree[0][0]) == "BRANCH" else [tree]
    for branch in branches:
        for most in (False, True):
            text = samples(branch, most)
            for cut in {text, text[:-1], text[: len(text) // 2], text[: len(text) * 3 // 4]} - {""}:
                yield cut
                yield cut + " "


def seconds(rule: Rule, text: str) -> float:
    """Processor time of a rule on a text, the best of two runs, or of ten where these are slow: a shared machine is."""
    times: list[float] = []
    while len(times) < 2 or (len(times) < 10 and min(times) >= len(text) * SECONDS_PER_CHARACTER):
        start = time.process_time()
        for _ in rule.matches(text, 0, len(text)):
            pass
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.parametrize("rule", RULES, ids=[f"{number}-{rule.name}" for number, rule in enumerate(RULES)])
def test_each_rule(rule: Rule) -> None:
    length = 2000
    for piece in pieces(rule):
        text = (piece * (length // len(piece) + 1))[:length]
        assert seconds(rule, text) < length * SECONDS_PER_CHARACTER, repr(piece)


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES, ids=[f"{number}-{rule.name}" for number, rule in enumerate(RULES)])
def test_each_rule_on_long_texts(rule: Rule) -> None:
    length = 30_000
    for piece in pieces(rule):
        for text in ((piece * (length // len(piece) + 1))[:length], piece + " " * length + piece, piece + "x" * length):
            assert seconds(rule, text) < len(text) * SECONDS_PER_CHARACTER, repr(piece)


@pytest.mark.parametrize(
    "unit",
    [
        "a ",
        "a",
        " ",
        "\n",
        "\r\n",
        "\t \t",
        "review ",
        "レビュー",
        "评审",
        "(((",
        "| | ",
        "か\u3099",
        "e\u0301\u0327\u0345",
        "\u200b",
        "\u202a",
        "\u202aא\u202c",
        "\ufe0f",
        "\U0001f3f4\U000e0067\U000e007f",
        "No review needed.\n",
        "指摘は不要\n",
        "* ",
        "#" * 7,
        '"""',
        "skip this file now\n",
        "a. ",
        "一。",
        "あ。\n",
    ],
)
def test_the_whole_scan(unit: str) -> None:
    times = []
    for length in (30_000, 60_000):
        text = unit * (length // len(unit))
        start = time.process_time()
        scan(text)
        times.append(time.process_time() - start)
    assert times[1] < max(0.25, 4 * times[0])


@pytest.mark.parametrize(
    "unit",
    [
        "--- a\n+++ b\n@@ -1 +1 @@\n",
        "--- a\n",
        "+++ b\n",
        "@@ -1 +1 @@\n",
        "diff --git a/a b/a\n",
        "\\\n",
        "+| a |\n-| b |\n",
        "- \n",
        "@@@ -1 -1 +1 @@@\n",
        '--- "\\3\\3\n',
    ],
)
def test_diffs(unit: str) -> None:
    def seconds(length: int) -> float:
        text = "--- a/R.md\n+++ b/R.md\n@@ -1,9 +1,9 @@\n" + unit * (length // len(unit))
        start = time.process_time()
        scan_diff(text)
        criteria_in(text)
        return time.process_time() - start

    # The least of three: a busy machine, or a collection of garbage, slows one at random.
    assert min(seconds(60_000) for _ in range(3)) < max(0.4, 4 * min(seconds(30_000) for _ in range(3)))


def test_a_million_characters_of_ordinary_text() -> None:
    unit = (
        'def total(items):\n    """Sum of the prices of all items."""\n    return sum(each.price for each in items)\n\n'
    )
    text = unit * (1_000_000 // len(unit))
    scan(unit)
    start = time.process_time()
    assert scan(text) == []
    fence(text)
    assert time.process_time() - start < 1
