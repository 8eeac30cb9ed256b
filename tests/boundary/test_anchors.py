"""Whatever a pattern matches holds an anchor of its rule; without one the scan would never look there."""

from __future__ import annotations

import random
import sys
import warnings
from typing import Any

import pytest

from sherloc.boundary.rules import RULES, Rule

if sys.version_info >= (3, 11):
    from re import _parser as parser
else:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        import sre_parse as parser


def random_text(tree: Any, rng: random.Random) -> str:
    """A text that a parsed expression may match."""
    made = []
    for name, value in tree:
        kind = str(name)
        if kind == "LITERAL":
            made.append(chr(value))
        elif kind == "IN":
            made.append(member(value, rng))
        elif kind == "BRANCH":
            made.append(random_text(rng.choice(value[1]), rng))
        elif kind == "SUBPATTERN":
            made.append(random_text(value[3], rng))
        elif kind in ("MAX_REPEAT", "MIN_REPEAT"):
            low, high, inner = value
            made += [random_text(inner, rng) for _ in range(rng.randint(low, min(int(high), low + 1)))]
        elif kind in ("NOT_LITERAL", "ANY"):
            made.append("q")
    return "".join(made)


def member(values: Any, rng: random.Random) -> str:
    if str(values[0][0]) == "NEGATE":
        return "q"
    kind, value = rng.choice(values)
    if str(kind) == "LITERAL":
        return chr(value)
    if str(kind) == "RANGE":
        return chr(value[0])
    return {"CATEGORY_SPACE": " ", "CATEGORY_DIGIT": "3"}.get(str(value), "q")


@pytest.mark.parametrize("rule", RULES, ids=[f"{number}-{rule.name}" for number, rule in enumerate(RULES)])
def test_matches_hold_an_anchor(rule: Rule) -> None:
    tree = parser.parse(rule.source)
    branches = tree[0][1][1] if len(tree) == 1 and str(tree[0][0]) == "BRANCH" else [tree]
    for branch in branches:
        rng = random.Random(0)
        for _ in range(60):
            text = random_text(branch, rng)
            assert any(anchor in text.lower() for anchor in rule.anchors), text
